//! The first layer, which networks of every shape have: for each side a bias and the
//! rows of the inputs that are switched on, added up.
//!
//! Everything here is written in tiles of [`TILE`] neighbouring numbers that fit the
//! processor's registers, so that the compiler can use vector instructions, and adds
//! in an order that does not depend on them.

use std::ops::Range;

use enbu_eval::nnue::{FeatureSet, own};

use crate::dataset::{Entry, MAX_INPUTS};

/// Numbers worked on at a time; divides every width.
pub(super) const TILE: usize = 32;

/// Which inputs a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Inputs {
    /// Those of our own networks.
    Own,
    /// Those of K-P networks.
    KP,
}

impl Inputs {
    /// How many there are.
    pub(super) const fn count(self) -> usize {
        match self {
            Self::Own => own::INPUTS,
            Self::KP => FeatureSet::Kp.inputs(),
        }
    }

    /// What both sides see, the side to move first. May use `buffers`.
    #[inline(always)]
    pub(super) fn views<'a>(self, entry: &'a Entry, buffers: &'a mut [[u16; MAX_INPUTS]; 2]) -> [&'a [u16]; 2] {
        let [own, other] = buffers;
        match self {
            Self::Own => [entry.own_view(), entry.other_view(other)],
            Self::KP => entry.k_p_views([own, other]),
        }
    }
}

/// Where the numbers of the first layer stand: before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transformer {
    pub(super) inputs: Inputs,
    /// Sums of each side.
    pub(super) width: usize,
}

impl Transformer {
    /// Weights: a row for each input.
    pub(super) const fn rows(self) -> Range<usize> {
        0..self.inputs.count() * self.width
    }

    /// Its biases.
    pub(super) const fn biases(self) -> Range<usize> {
        let first = self.rows().end;
        first..first + self.width
    }

    /// Bias and rows of what both sides see, added up.
    #[inline(always)]
    pub(super) fn forward(self, used: &[f32], entry: &Entry, sums: &mut [Vec<f32>; 2]) {
        let (rows, biases) = (&used[self.rows()], &used[self.biases()]);
        let mut buffers = [[0; MAX_INPUTS]; 2];
        for (inputs, sums) in self.inputs.views(entry, &mut buffers).into_iter().zip(sums) {
            add_up(rows, biases, inputs, sums);
        }
    }

    /// Adds the derivatives by the sums of both sides to those of the numbers.
    #[inline(always)]
    pub(super) fn backward(self, slopes: &[Vec<f32>; 2], entry: &Entry, gradient: &mut [f32]) {
        let (rows, rest) = gradient.split_at_mut(self.biases().start);
        let by_bias = &mut rest[..self.width];
        let mut buffers = [[0; MAX_INPUTS]; 2];
        for (inputs, slopes) in self.inputs.views(entry, &mut buffers).into_iter().zip(slopes) {
            spread(slopes, inputs, rows, by_bias);
        }
    }
}

#[inline(always)]
fn add_up(rows: &[f32], biases: &[f32], inputs: &[u16], sums: &mut [f32]) {
    let width = biases.len();
    let (biases, sums) = (biases.as_chunks::<TILE>().0, sums.as_chunks_mut::<TILE>().0);
    for (tile, (bias, out)) in biases.iter().zip(sums).enumerate() {
        let mut total = *bias;
        for &input in inputs {
            if let Some(row) = rows[usize::from(input) * width + tile * TILE..].first_chunk::<TILE>() {
                total = added(total, *row);
            }
        }
        *out = total;
    }
}

/// Adds the derivatives by the sums to the rows of the active inputs, and to the biases.
#[inline(always)]
fn spread(slopes: &[f32], inputs: &[u16], rows: &mut [f32], by_bias: &mut [f32]) {
    let width = by_bias.len();
    let biases = by_bias.as_chunks_mut::<TILE>().0;
    for (tile, (slope, bias)) in slopes.as_chunks::<TILE>().0.iter().zip(biases).enumerate() {
        // A copy: it can stay in registers while the rows change.
        let slope = *slope;
        *bias = added(*bias, slope);
        for &input in inputs {
            if let Some(row) = rows[usize::from(input) * width + tile * TILE..].first_chunk_mut::<TILE>() {
                *row = added(*row, slope);
            }
        }
    }
}

/// The sums of two tiles' numbers.
#[inline(always)]
fn added(mut tile: [f32; TILE], more: [f32; TILE]) -> [f32; TILE] {
    for lane in 0..TILE {
        tile[lane] += more[lane];
    }
    tile
}

/// Compiles to one instruction each for minimum and maximum, unlike `clamp`.
#[inline(always)]
pub(super) fn limited(sum: f32) -> f32 {
    let above = if sum > 0.0 { sum } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

/// Whether a change of the sum changes [`limited`].
#[inline(always)]
pub(super) fn is_inside(sum: f32) -> bool {
    sum > 0.0 && sum < 1.0
}

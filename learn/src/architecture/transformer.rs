//! The first layer (feature transformer): for both sides the sum of a bias and the weight
//! rows of the active inputs.
//!
//! The loops take a [block](super::block) of positions input by input: a row is read, and its
//! gradient written, once a block. They work on tiles of [`TILE`] neighbouring numbers, which
//! stay in vector registers, and add in an order that does not depend on the instruction set.

use std::ops::Range;

use enbu_isa::prefetch;

use super::block::{Active, Row, TILE, Tile, Tiles};
use super::factors::VirtualInputs;

/// A first layer, whose parameters come before all others: the weight rows of the inputs,
/// then the biases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Transformer {
    pub(crate) inputs: usize,
    /// Accumulator width of each side.
    pub(crate) width: usize,
}

impl Transformer {
    /// The weights, a row for each input.
    pub(crate) const fn rows(&self) -> Range<usize> {
        0..self.inputs * self.width
    }

    pub(crate) const fn biases(&self) -> Range<usize> {
        let first = self.rows().end;
        first..first + self.width
    }

    /// Computes the accumulators of a block of positions.
    #[inline(always)]
    pub(crate) fn forward(&self, parameters: &[f32], active: &Active, sums: &mut [Tiles]) {
        let (rows, biases) = (&parameters[self.rows()], &parameters[self.biases()]);
        for (tile, (bias, sums)) in biases.as_chunks().0.iter().zip(sums).enumerate() {
            let at = |input: usize| input * self.width + tile * TILE;
            sums.fill(Tile(*bias));
            for Row { input, places, ahead } in active.rows() {
                prefetch_tile(rows, at(ahead));
                if let Some(&row) = rows[at(input)..].first_chunk() {
                    for &place in places {
                        let sum = &mut sums[usize::from(place) % sums.len()];
                        sum.0 = added(sum.0, row);
                    }
                }
            }
        }
    }

    /// Adds the derivatives by the accumulators of a block to those by the parameters.
    #[inline(always)]
    pub(crate) fn backward(&self, active: &Active, slopes: &[Tiles], gradient: &mut [f32]) {
        let (rows, rest) = gradient.split_at_mut(self.biases().start);
        let by_bias = rest[..self.width].as_chunks_mut().0;
        for (tile, (by_bias, slopes)) in by_bias.iter_mut().zip(slopes).enumerate() {
            let at = |input: usize| input * self.width + tile * TILE;
            *by_bias = slopes[..usize::from(active.places)].iter().fold(*by_bias, |sum, slope| added(sum, slope.0));
            for Row { input, places, ahead } in active.rows() {
                prefetch_tile(rows, at(ahead));
                if let Some(row) = rows[at(input)..].first_chunk_mut() {
                    // A copy: it can stay in registers.
                    let mut sum = *row;
                    for &place in places {
                        sum = added(sum, slopes[usize::from(place) % slopes.len()].0);
                    }
                    *row = sum;
                }
            }
        }
    }

    /// Adds the gradient of each input's row to those of its virtual inputs.
    pub(crate) fn gather(
        &self,
        virtual_inputs: impl Fn(usize) -> VirtualInputs,
        network: &[f32],
        virtual_rows: &mut [f32],
    ) {
        let width = self.width;
        for (input, row) in network[self.rows()].chunks_exact(width.max(1)).enumerate() {
            for shared in virtual_inputs(input).into_iter().flatten() {
                let sums = &mut virtual_rows[shared * width..][..width];
                sums.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }

    /// Adds to each input's row those of its virtual inputs, and limits the weights to
    /// ±`limit`; `rows` are those from parameter `start` on, and what follows the last.
    #[inline(always)]
    pub(crate) fn fold(
        &self,
        virtual_inputs: impl Fn(usize) -> VirtualInputs,
        virtual_rows: &[f32],
        limit: f32,
        start: usize,
        rows: &mut [f32],
    ) {
        let width = self.width.max(1);
        for (input, row) in (start / width..self.inputs).zip(rows.chunks_exact_mut(width)) {
            for shared in virtual_inputs(input).into_iter().flatten() {
                let shared = &virtual_rows[shared * width..][..width];
                row.iter_mut().zip(shared).for_each(|(value, shared)| *value += shared);
            }
            row.iter_mut().for_each(|value| *value = value.clamp(-limit, limit));
        }
    }
}

/// Prefetches the tile from `at` on, which may begin within a cache line.
#[inline(always)]
fn prefetch_tile(rows: &[f32], at: usize) {
    for number in [at, at + TILE / 2, at + TILE - 1] {
        if let Some(number) = rows.get(number) {
            prefetch(number);
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

/// Clipped ReLU: `sum` limited to 0..=1, by one instruction each for minimum and maximum,
/// unlike `clamp`.
#[inline(always)]
pub(crate) fn limited(sum: f32) -> f32 {
    let above = if sum > 0.0 { sum } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

/// True where the derivative of [`limited`] is 1, false where it is 0.
#[inline(always)]
pub(crate) fn is_inside(sum: f32) -> bool {
    sum > 0.0 && sum < 1.0
}

/// [`limited`] and its derivative.
#[inline(always)]
pub(crate) fn clipped(sum: f32) -> (f32, f32) {
    (limited(sum), f32::from(u8::from(is_inside(sum))))
}

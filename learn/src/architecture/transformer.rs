//! The first layer (feature transformer): for both sides the sum of a bias and the weight
//! rows of the active inputs.
//!
//! The loops work on tiles of [`TILE`] neighbouring numbers, which stay in vector
//! registers, and add in an order that does not depend on the instruction set.

use std::marker::PhantomData;
use std::ops::Range;

use super::factors;
use crate::entry::{Entry, MAX_INPUTS};

/// Numbers in a tile; divides every width.
pub(crate) const TILE: usize = 32;

/// A set of inputs.
pub(crate) trait InputSet: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The number of inputs.
    const COUNT: usize;

    /// Lists the active inputs of both sides, the side to move first.
    fn list(entry: &Entry, views: &mut Views);

    /// The [virtual inputs](factors) that are active with `input`.
    fn virtual_inputs(input: usize) -> impl Iterator<Item = usize>;
}

/// The most active inputs of a view: the pieces, the squares of both king zones, and all
/// pairs of attacker and victim.
const MAX_ACTIVE: usize = MAX_INPUTS + 50 + 28 * 28;

/// Lists of the active inputs of both sides, the side to move first.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    inputs: [[u16; MAX_ACTIVE]; 2],
    counts: [usize; 2],
}

impl Views {
    pub(crate) const fn new() -> Self {
        Self { inputs: [[0; MAX_ACTIVE]; 2], counts: [0; 2] }
    }

    /// Begins the lists with the inputs that `list` writes to both places; it returns their
    /// numbers.
    #[inline(always)]
    pub(crate) fn set(&mut self, list: impl FnOnce([&mut [u16; MAX_INPUTS]; 2]) -> [usize; 2]) {
        let [own, other] = self.inputs.each_mut().map(|inputs| inputs.first_chunk_mut());
        if let (Some(own), Some(other)) = (own, other) {
            self.counts = list([own, other]);
        }
    }

    /// Appends an input of the side to move (0) or the other side (1).
    #[inline(always)]
    pub(crate) fn push(&mut self, side: usize, input: u16) {
        if let Some(place) = self.inputs[side].get_mut(self.counts[side]) {
            *place = input;
            self.counts[side] += 1;
        }
    }

    /// Both lists.
    #[inline(always)]
    pub(crate) fn lists(&self) -> [&[u16]; 2] {
        let [own, other] = &self.inputs;
        [&own[..self.counts[0].min(MAX_ACTIVE)], &other[..self.counts[1].min(MAX_ACTIVE)]]
    }
}

/// A first layer, whose parameters come before all others: the weight rows of the inputs,
/// then the biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Transformer<I> {
    /// Accumulator width of each side.
    pub(crate) width: usize,
    inputs: PhantomData<I>,
}

impl<I: InputSet> Transformer<I> {
    pub(crate) const fn new(width: usize) -> Self {
        Self { width, inputs: PhantomData }
    }

    /// The weights, a row for each input.
    pub(crate) const fn rows(&self) -> Range<usize> {
        0..I::COUNT * self.width
    }

    /// The biases.
    pub(crate) const fn biases(&self) -> Range<usize> {
        let first = self.rows().end;
        first..first + self.width
    }

    /// The number of weights of virtual inputs.
    pub(crate) const fn virtual_len(&self) -> usize {
        factors::COUNT * self.width
    }

    /// Computes the accumulators of both sides.
    #[inline(always)]
    pub(crate) fn forward(&self, parameters: &[f32], entry: &Entry, views: &mut Views, sums: &mut [Vec<f32>; 2]) {
        I::list(entry, views);
        let (rows, biases) = (&parameters[self.rows()], &parameters[self.biases()]);
        for (inputs, sums) in views.lists().into_iter().zip(sums) {
            add_up(rows, biases, inputs, sums);
        }
    }

    /// Adds the derivatives by the accumulators to those by the parameters; `views` are those
    /// of [`forward`](Self::forward).
    #[inline(always)]
    pub(crate) fn backward(&self, slopes: &[Vec<f32>; 2], views: &Views, gradient: &mut [f32]) {
        let (rows, rest) = gradient.split_at_mut(self.biases().start);
        let by_bias = &mut rest[..self.width];
        for (inputs, slopes) in views.lists().into_iter().zip(slopes) {
            spread(slopes, inputs, rows, by_bias);
        }
    }

    /// Adds the gradient of each input's row to those of its virtual inputs.
    pub(crate) fn gather(&self, network: &[f32], virtual_rows: &mut [f32]) {
        let width = self.width;
        for (input, row) in network[self.rows()].chunks_exact(width).enumerate() {
            for shared in I::virtual_inputs(input) {
                let sums = &mut virtual_rows[shared * width..][..width];
                sums.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }

    /// Adds the rows of its virtual inputs to each input's, and limits the weights to
    /// ±`limit`.
    pub(crate) fn fold(&self, virtual_rows: &[f32], limit: f32, network: &mut [f32]) {
        let width = self.width;
        for (input, row) in network[self.rows()].chunks_exact_mut(width).enumerate() {
            for shared in I::virtual_inputs(input) {
                let shared = &virtual_rows[shared * width..][..width];
                row.iter_mut().zip(shared).for_each(|(value, shared)| *value += shared);
            }
            row.iter_mut().for_each(|value| *value = value.clamp(-limit, limit));
        }
    }
}

/// Adds the rows of the active inputs to the biases.
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

/// Adds the derivatives by the accumulator to the rows of the active inputs and the biases.
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

//! Networks of our own: behind the first layer sums are limited to 0..=1 and squared,
//! and one of several outputs judges; see [`enbu_eval::nnue::own`].

use std::ops::Range;

use enbu_eval::nnue::own::{OUTPUT_UNIT, UNIT};

use super::factors;
use super::gradient::Room;
use super::model::{Fill, Grid};
use super::shape::OwnShape;
use super::transformer::{Inputs, TILE, Transformer, is_inside, limited};
use crate::dataset::Entry;

/// Sums that a sum of products is kept in.
const LANES: usize = 16;

/// With these, forty rows and a bias cannot leave 16 bits: 41 × 505 < 32 768.
const TRANSFORMER: Grid = Grid { unit: UNIT as f32, limit: 505.0 / UNIT as f32 };
/// The file allows 128 / 64.
const OUTPUTS: Grid = Grid { unit: OUTPUT_UNIT as f32, limit: 127.0 / OUTPUT_UNIT as f32 };
const OUTPUT_BIASES: Grid = Grid { unit: (UNIT * OUTPUT_UNIT) as f32, limit: 100.0 };

impl OwnShape {
    pub(super) fn exists(self) -> bool {
        let width = (64..=1024).contains(&self.width) && self.width.is_multiple_of(32);
        width && (1..=16).contains(&self.buckets) && (1..=38).contains(&self.bucket_step)
    }

    /// Which output judges a position with so many pieces in hand.
    #[inline(always)]
    pub(crate) fn bucket(self, held: u8) -> usize {
        ((u32::from(held) / self.bucket_step) as usize).min(self.buckets - 1)
    }

    pub(super) fn transformer(self) -> Transformer {
        Transformer { inputs: Inputs::Own, width: self.width }
    }

    /// Weights of the transformer: a row for each input.
    pub(crate) fn rows(self) -> Range<usize> {
        self.transformer().rows()
    }

    /// Its biases.
    pub(crate) fn biases(self) -> Range<usize> {
        self.transformer().biases()
    }

    /// Weights of all outputs: for each the side to move, then the other side.
    pub(crate) fn outputs(self) -> Range<usize> {
        let first = self.biases().end;
        first..first + self.buckets * 2 * self.width
    }

    /// Their biases.
    pub(crate) fn output_biases(self) -> Range<usize> {
        let first = self.outputs().end;
        first..first + self.buckets
    }

    /// How many numbers a network has.
    pub(super) fn len(self) -> usize {
        self.output_biases().end
    }

    /// How many numbers are trained: those of [groups of inputs](super::factors) exist
    /// only in training.
    pub(super) fn trained(self) -> usize {
        self.len() + factors::COUNT * self.width
    }

    /// The parts of the numbers and what they may be.
    pub(super) fn grids(self) -> Vec<(Range<usize>, Grid)> {
        vec![
            (self.rows().start..self.biases().end, TRANSFORMER),
            (self.outputs(), OUTPUTS),
            (self.output_biases(), OUTPUT_BIASES),
            (self.len()..self.trained(), TRANSFORMER),
        ]
    }

    /// Makes sums of about 0 to 1 and outputs near 0.
    pub(super) fn fill(self, fill: &mut Fill<'_>) {
        fill.part(self.rows(), 0.0, 0.08);
        fill.part(self.biases(), 0.3, 0.1);
        fill.part(self.outputs(), 0.0, (1.0 / (2 * self.width) as f32).sqrt());
    }

    /// Output of the network for the side to move; leaves the sums in `room`.
    #[inline(always)]
    pub(super) fn forward(self, used: &[f32], entry: &Entry, room: &mut Room) -> f32 {
        self.transformer().forward(used, entry, &mut room.sums);
        let bucket = self.bucket(entry.held);
        let weights = &used[self.outputs()][bucket * 2 * self.width..][..2 * self.width];
        let (for_own, for_other) = weights.split_at(self.width);
        let [own, other] = &room.sums;
        used[self.output_biases()][bucket] + squared_dot(own, for_own) + squared_dot(other, for_other)
    }

    /// Adds the gradient of one position, whose sums are in `room`, times `slope`: the
    /// derivative of the loss by the output.
    #[inline(always)]
    pub(super) fn backward(self, used: &[f32], entry: &Entry, slope: f32, room: &mut Room, gradient: &mut [f32]) {
        let width = self.width;
        let bucket = self.bucket(entry.held);
        let outputs = self.outputs().start + bucket * 2 * width;
        gradient[self.output_biases().start + bucket] += slope;
        for (side, sums) in room.sums.iter_mut().enumerate() {
            let at = outputs + side * width;
            derive(slope, sums, &used[at..][..width], &mut gradient[at..][..width]);
        }
        self.transformer().backward(&room.sums, entry, gradient);
    }
}

/// Σ limited(sum)² × weight.
#[inline(always)]
fn squared_dot(sums: &[f32], weights: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    for (sums, weights) in sums.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let value = limited(sums[lane]);
            lanes[lane] += value * value * weights[lane];
        }
    }
    lanes.iter().sum()
}

/// Adds the derivatives by the output weights, and turns the sums into the derivatives
/// by them.
#[inline(always)]
fn derive(slope: f32, sums: &mut [f32], weights: &[f32], by_weight: &mut [f32]) {
    let tiles = sums.as_chunks_mut::<TILE>().0.iter_mut();
    let weights = weights.as_chunks::<TILE>().0.iter().zip(by_weight.as_chunks_mut::<TILE>().0);
    for (sums, (weights, by_weight)) in tiles.zip(weights) {
        for lane in 0..TILE {
            let sum = sums[lane];
            let value = limited(sum);
            by_weight[lane] += slope * value * value;
            // Where the limit holds, the sum does not matter.
            let inner = if is_inside(sum) { value } else { 0.0 };
            sums[lane] = 2.0 * slope * weights[lane] * inner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::Shape;
    use crate::trainer::gradient::tests::{check_gradient, check_outputs, entries};
    use crate::trainer::model::Model;

    const SHAPE: OwnShape = OwnShape { width: 64, buckets: 2, bucket_step: 8 };

    /// The network as its description says, in double precision.
    fn plain_output(model: &Model, entry: &Entry) -> f64 {
        let Shape::Own(shape) = model.shape else { panic!("another shape") };
        let at = |index: usize| f64::from(model.used[index]);
        let mut view = [0; crate::dataset::MAX_INPUTS];
        let bucket = shape.bucket(entry.held);
        let mut output = at(shape.output_biases().start + bucket);
        for (side, inputs) in [entry.own_view(), entry.other_view(&mut view)].into_iter().enumerate() {
            for unit in 0..shape.width {
                let rows = inputs.iter().map(|&input| at(usize::from(input) * shape.width + unit));
                let value = (at(shape.biases().start + unit) + rows.sum::<f64>()).clamp(0.0, 1.0);
                output += value * value * at(shape.outputs().start + (2 * bucket + side) * shape.width + unit);
            }
        }
        output
    }

    #[test]
    fn outputs_are_those_of_the_description() {
        let model = Model::random(Shape::Own(OwnShape { width: 96, buckets: 3, bucket_step: 5 }), 400.0, 7);
        check_outputs(&model, plain_output);
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let model = Model::random(Shape::Own(SHAPE), 400.0, 3);
        let inputs = usize::from(entries()[1].own_view()[5]) * 64..;
        let tried = inputs.take(64).chain(SHAPE.biases()).chain(SHAPE.outputs()).chain(SHAPE.output_biases());
        check_gradient(model, tried.step_by(3), plain_output);
    }
}

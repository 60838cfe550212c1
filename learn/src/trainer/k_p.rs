//! The standard network K-P 256x2-32-32: behind the first layer there are two hidden
//! layers of 32 and one output; all sums but the last are limited to 0..=1. See
//! [`enbu_eval::nnue::classic`] for its file.

use std::ops::Range;

use enbu_eval::nnue::classic::{UNIT, WEIGHT_UNIT};

use super::factors;
use super::gradient::Room;
use super::model::{Fill, Grid};
use super::transformer::{Inputs, Transformer, is_inside, limited};
use crate::dataset::Entry;

/// The first layer.
pub(super) const TRANSFORMER: Transformer = Transformer { inputs: Inputs::KP, width: WIDTH };
/// Sums of each side.
pub(crate) const WIDTH: usize = 256;
/// Values behind each hidden layer.
pub(crate) const HIDDEN: usize = 32;
/// What the file's output is divided by to get centipawns; other programs do that
/// where nobody tells them otherwise.
pub(crate) const FV_SCALE: u32 = 16;

/// Weights of the transformer.
pub(crate) const ROWS: Range<usize> = TRANSFORMER.rows();
/// Its biases.
pub(crate) const BIASES: Range<usize> = TRANSFORMER.biases();
/// Weights of the hidden layers and of the output, those of one input together, each
/// followed by its biases.
pub(crate) const FIRST: Range<usize> = BIASES.end..BIASES.end + 2 * WIDTH * HIDDEN;
pub(crate) const FIRST_BIASES: Range<usize> = FIRST.end..FIRST.end + HIDDEN;
pub(crate) const SECOND: Range<usize> = FIRST_BIASES.end..FIRST_BIASES.end + HIDDEN * HIDDEN;
pub(crate) const SECOND_BIASES: Range<usize> = SECOND.end..SECOND.end + HIDDEN;
pub(crate) const LAST: Range<usize> = SECOND_BIASES.end..SECOND_BIASES.end + HIDDEN;
pub(crate) const LAST_BIAS: Range<usize> = LAST.end..LAST.end + 1;

/// How many numbers the network has.
pub(super) const LENGTH: usize = LAST_BIAS.end;
/// How many numbers are trained: those of [groups of inputs](super::factors) exist only
/// in training.
pub(super) const TRAINED: usize = LENGTH + factors::COUNT * WIDTH;

/// Forty rows and a bias cannot leave 16 bits: 41 × 799 < 32 768.
const ROW_GRID: Grid = Grid { unit: UNIT as f32, limit: 799.0 / UNIT as f32 };
const HIDDEN_GRID: Grid = Grid { unit: WEIGHT_UNIT as f32, limit: 127.0 / WEIGHT_UNIT as f32 };
const HIDDEN_BIAS_GRID: Grid = Grid { unit: (UNIT * WEIGHT_UNIT) as f32, limit: 100.0 };

/// What 1.0 is among the output weights of the file: the output is FV_SCALE times
/// centipawns, an output of 1.0 is worth `scale` of them, and values come times 127.
pub(crate) fn last_unit(scale: f32) -> f32 {
    FV_SCALE as f32 * scale / UNIT as f32
}

/// The parts of the numbers and what they may be.
pub(super) fn grids(scale: f32) -> Vec<(Range<usize>, Grid)> {
    let unit = last_unit(scale);
    vec![
        (ROWS.start..BIASES.end, ROW_GRID),
        (FIRST, HIDDEN_GRID),
        (FIRST_BIASES, HIDDEN_BIAS_GRID),
        (SECOND, HIDDEN_GRID),
        (SECOND_BIASES, HIDDEN_BIAS_GRID),
        (LAST, Grid { unit, limit: 127.0 / unit }),
        (LAST_BIAS, Grid { unit: unit * UNIT as f32, limit: 100.0 }),
        (LENGTH..TRAINED, ROW_GRID),
    ]
}

/// Makes sums of about 0 to 1 and outputs near 0.
pub(super) fn fill(fill: &mut Fill<'_>) {
    fill.part(ROWS, 0.0, 0.08);
    fill.part(BIASES, 0.3, 0.1);
    fill.part(FIRST, 0.0, 0.06);
    fill.part(FIRST_BIASES, 0.3, 0.1);
    fill.part(SECOND, 0.0, 0.3);
    fill.part(SECOND_BIASES, 0.3, 0.1);
    fill.part(LAST, 0.0, 0.2);
}

/// A number for each value behind a hidden layer.
type Hidden = [f32; HIDDEN];

/// Output of the network for the side to move; leaves all sums in `room`.
#[inline(always)]
pub(super) fn forward(used: &[f32], entry: &Entry, room: &mut Room) -> f32 {
    TRANSFORMER.forward(used, entry, &mut room.sums);
    let [own, other] = &room.sums;
    let (for_own, for_other) = used[FIRST].split_at(WIDTH * HIDDEN);
    let first = affine(hidden(&used[FIRST_BIASES]), own, for_own);
    let first = affine(first, other, for_other);
    let second = affine(hidden(&used[SECOND_BIASES]), &first, &used[SECOND]);
    room.hidden = [first, second];
    let products = second.iter().zip(&used[LAST]).map(|(&sum, weight)| limited(sum) * weight);
    used[LAST_BIAS.start] + products.sum::<f32>()
}

/// The first numbers of `part`, which holds at least one layer's.
#[inline(always)]
fn hidden(part: &[f32]) -> Hidden {
    part.first_chunk().copied().unwrap_or([0.0; HIDDEN])
}

/// `sums` and Σ limited(input) × its weights.
#[inline(always)]
fn affine(mut sums: Hidden, inputs: &[f32], weights: &[f32]) -> Hidden {
    for (&input, weights) in inputs.iter().zip(weights.as_chunks::<HIDDEN>().0) {
        let value = limited(input);
        for lane in 0..HIDDEN {
            sums[lane] += value * weights[lane];
        }
    }
    sums
}

/// Adds the gradient of one position, whose sums are in `room`, times `slope`: the
/// derivative of the loss by the output.
#[inline(always)]
pub(super) fn backward(used: &[f32], entry: &Entry, slope: f32, room: &mut Room, gradient: &mut [f32]) {
    let Room { sums, hidden: [first, second] } = room;
    gradient[LAST_BIAS.start] += slope;
    for (index, sum) in second.iter_mut().enumerate() {
        gradient[LAST.start + index] += slope * limited(*sum);
        *sum = if is_inside(*sum) { slope * used[LAST.start + index] } else { 0.0 };
    }
    add(&mut gradient[SECOND_BIASES], second);
    derive(first, second, &used[SECOND], &mut gradient[SECOND]);
    add(&mut gradient[FIRST_BIASES], first);
    for (side, sums) in sums.iter_mut().enumerate() {
        let at = FIRST.start + side * WIDTH * HIDDEN;
        derive(sums, first, &used[at..][..WIDTH * HIDDEN], &mut gradient[at..][..WIDTH * HIDDEN]);
    }
    TRANSFORMER.backward(sums, entry, gradient);
}

#[inline(always)]
fn add(sums: &mut [f32], more: &Hidden) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Adds the derivatives by the weights of a layer, given those by its results, and turns
/// what enters the layer into the derivatives by it.
#[inline(always)]
fn derive(inputs: &mut [f32], slopes: &Hidden, weights: &[f32], by_weight: &mut [f32]) {
    let weights = weights.as_chunks::<HIDDEN>().0.iter().zip(by_weight.as_chunks_mut::<HIDDEN>().0);
    for (input, (weights, by_weight)) in inputs.iter_mut().zip(weights) {
        let (sum, value) = (*input, limited(*input));
        *input = 0.0;
        // Half of all values are 0 and teach their weights nothing.
        if value > 0.0 {
            for lane in 0..HIDDEN {
                by_weight[lane] += value * slopes[lane];
            }
            if is_inside(sum) {
                *input = dot(weights, slopes);
            }
        }
    }
}

/// Σ left × right, added by halves.
#[inline(always)]
fn dot(left: &Hidden, right: &Hidden) -> f32 {
    let mut lanes = [0.0; 8];
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        for lane in 0..8 {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::MAX_INPUTS;
    use crate::trainer::Shape;
    use crate::trainer::gradient::tests::{check_gradient, check_outputs, entries};
    use crate::trainer::model::Model;

    /// The network as its description says, in double precision.
    fn plain_output(model: &Model, entry: &Entry) -> f64 {
        let at = |index: usize| f64::from(model.used[index]);
        let mut buffers = [[0; MAX_INPUTS]; 2];
        let views = Inputs::KP.views(entry, &mut buffers);
        let sums = views.iter().flat_map(|inputs| {
            (0..WIDTH).map(|unit| {
                let rows = inputs.iter().map(|&input| at(usize::from(input) * WIDTH + unit));
                at(BIASES.start + unit) + rows.sum::<f64>()
            })
        });
        let layer = |sums: Vec<f64>, weights: Range<usize>, biases: Range<usize>| -> Vec<f64> {
            let outputs = biases.len();
            let product = |output: usize| {
                let each = sums.iter().enumerate();
                let each = each.map(|(input, sum)| sum.clamp(0.0, 1.0) * at(weights.start + input * outputs + output));
                at(biases.start + output) + each.sum::<f64>()
            };
            (0..outputs).map(product).collect()
        };
        let first = layer(sums.collect(), FIRST, FIRST_BIASES);
        layer(layer(first, SECOND, SECOND_BIASES), LAST, LAST_BIAS)[0]
    }

    #[test]
    fn outputs_are_those_of_the_description() {
        let model = Model::random(Shape::KP, 400.0, 7);
        check_outputs(&model, plain_output);
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let model = Model::random(Shape::KP, 400.0, 3);
        let mut buffers = [[0; MAX_INPUTS]; 2];
        let input = usize::from(Inputs::KP.views(&entries()[1], &mut buffers)[0][5]);
        let tried = (input * WIDTH..(input + 1) * WIDTH).chain(BIASES.start..LENGTH);
        check_gradient(model, tried.step_by(37), plain_output);
    }
}

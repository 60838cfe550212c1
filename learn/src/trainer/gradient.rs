//! The loss of many positions and its gradient: the hot loop.
//!
//! Everything here is written in tiles of [`TILE`] neighbouring numbers that fit the
//! processor's registers, so that the compiler can use vector instructions, and adds
//! in an order that does not depend on them.

use enbu_movegen::isa::{self, Work};

use super::Shape;
use super::model::Model;
use crate::dataset::{Entry, MAX_INPUTS};

/// Numbers worked on at a time; divides every width.
const TILE: usize = 32;
/// Sums that a sum of products is kept in.
const LANES: usize = 16;

/// What a position is to be judged as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// See [`Plan::scale`](super::Plan::scale).
    pub(super) scale: f32,
    /// Share of the result; the rest is the score's.
    pub(super) result_share: f32,
}

impl Target {
    /// The share of points that is to be learnt.
    #[inline(always)]
    pub(super) fn of(self, entry: &Entry) -> f32 {
        let result = 0.5 + 0.5 * f32::from(entry.result);
        let score = sigmoid(f32::from(entry.score) / self.scale);
        self.result_share * result + (1.0 - self.result_share) * score
    }
}

/// e^x to about seven digits, the same on every system. Results stay above 0 and
/// below infinity.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    let power = (x * std::f32::consts::LOG2_E).round();
    // ln 2 in two parts, so that the difference is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (0.166_666_67 + rest * (0.041_666_66 + rest * (0.008_333_4 + rest * 0.001_39)))));
    series * f32::from_bits(((power as i32 + 127) << 23) as u32)
}

/// The share of points that an output means.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// Positions to be learnt from.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) model: &'a Model,
    pub(super) entries: &'a [Entry],
    /// Which of them, by index.
    pub(super) order: &'a [u32],
    pub(super) target: Target,
}

/// The gradient of a slice of a batch, and room to compute it.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    /// Sums over the positions, in the order of the numbers that are trained.
    pub(super) sums: Vec<f32>,
    /// Sum of the losses of the last slice.
    pub(super) loss: f64,
    room: Room,
}

/// The sums of both sides, and their derivatives.
#[derive(Clone, Debug)]
pub(super) struct Room {
    sums: [Vec<f32>; 2],
}

impl Room {
    pub(super) fn new(shape: Shape) -> Self {
        Self { sums: [vec![0.0; shape.width], vec![0.0; shape.width]] }
    }
}

impl Gradient {
    pub(super) fn new(shape: Shape) -> Self {
        Self { sums: vec![0.0; shape.trained()], loss: 0.0, room: Room::new(shape) }
    }

    /// Adds the gradient of the positions, and sets the loss to theirs.
    pub(super) fn add(&mut self, batch: Batch<'_>) {
        isa::run(Add { gradient: self, batch });
    }
}

struct Add<'a> {
    gradient: &'a mut Gradient,
    batch: Batch<'a>,
}

impl Work for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let Self { gradient, batch: Batch { model, entries, order, target } } = self;
        let Gradient { sums, loss, room } = gradient;
        *loss = 0.0;
        for &index in order {
            let entry = &entries[index as usize];
            let output = forward(model, entry, room);
            let judged = sigmoid(output);
            let error = judged - target.of(entry);
            *loss += f64::from(error * error);
            backward(model, entry, 2.0 * error * judged * (1.0 - judged), room, sums);
        }
    }
}

/// Output of the network for the side to move; leaves the sums in `room`.
#[inline(always)]
pub(super) fn forward(model: &Model, entry: &Entry, room: &mut Room) -> f32 {
    let shape = model.shape;
    let rows = &model.used[shape.rows()];
    let biases = &model.used[shape.biases()];
    let mut view = [0; MAX_INPUTS];
    let [own, other] = &mut room.sums;
    transform(rows, biases, entry.own_view(), own);
    transform(rows, biases, entry.other_view(&mut view), other);
    let bucket = shape.bucket(entry.held);
    let weights = &model.used[shape.outputs()][bucket * 2 * shape.width..][..2 * shape.width];
    let (for_own, for_other) = weights.split_at(shape.width);
    model.used[shape.output_biases()][bucket] + squared_dot(own, for_own) + squared_dot(other, for_other)
}

/// Bias and rows of the active inputs, added up.
#[inline(always)]
fn transform(rows: &[f32], biases: &[f32], inputs: &[u16], sums: &mut [f32]) {
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

/// Compiles to one instruction each for minimum and maximum, unlike `clamp`.
#[inline(always)]
fn limited(sum: f32) -> f32 {
    let above = if sum > 0.0 { sum } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

/// Adds the gradient of one position, whose sums are in `room`, times `slope`: the
/// derivative of the loss by the output.
#[inline(always)]
fn backward(model: &Model, entry: &Entry, slope: f32, room: &mut Room, gradient: &mut [f32]) {
    let shape = model.shape;
    let width = shape.width;
    let bucket = shape.bucket(entry.held);
    let outputs = shape.outputs().start + bucket * 2 * width;
    gradient[shape.output_biases().start + bucket] += slope;
    let mut view = [0; MAX_INPUTS];
    let views = [entry.own_view(), entry.other_view(&mut view)];
    for (side, (inputs, sums)) in views.into_iter().zip(&mut room.sums).enumerate() {
        let weights = &model.used[outputs + side * width..][..width];
        let (transformer, head) = gradient.split_at_mut(shape.biases().end);
        let by_weight = &mut head[outputs - shape.biases().end + side * width..][..width];
        derive(slope, sums, weights, by_weight);
        let (rows, by_bias) = transformer.split_at_mut(shape.biases().start);
        spread(sums, inputs, rows, by_bias);
    }
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
            let inner = if sum > 0.0 && sum < 1.0 { value } else { 0.0 };
            sums[lane] = 2.0 * slope * weights[lane] * inner;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use crate::source::Sample;
    use enbu_movegen::Position;

    fn entry(sfen: &str, score: i16) -> Entry {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        Entry::new(&Sample { position: &position, score, mv: None, result: GameResult::Draw, later: None })
    }

    fn entries() -> Vec<Entry> {
        vec![
            entry("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 50),
            entry("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", -800),
            entry("1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210", 1300),
        ]
    }

    /// The network as its description says, in double precision.
    fn plain_output(model: &Model, entry: &Entry) -> f64 {
        let shape = model.shape;
        let at = |index: usize| f64::from(model.used[index]);
        let mut view = [0; MAX_INPUTS];
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

    fn plain_loss(model: &Model, entries: &[Entry], target: Target) -> f64 {
        let loss = |entry: &Entry| {
            let judged = 1.0 / (1.0 + (-plain_output(model, entry)).exp());
            (judged - f64::from(target.of(entry))).powi(2)
        };
        entries.iter().map(loss).sum()
    }

    const TARGET: Target = Target { scale: 400.0, result_share: 0.25 };

    #[test]
    fn outputs_are_those_of_the_description() {
        let model = Model::random(Shape { width: 96, buckets: 3, bucket_step: 5 }, 7);
        let mut room = Room::new(model.shape);
        for entry in entries() {
            let output = forward(&model, &entry, &mut room);
            assert!((f64::from(output) - plain_output(&model, &entry)).abs() < 1e-5);
        }
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let mut model = Model::random(Shape { width: 64, buckets: 2, bucket_step: 8 }, 3);
        let (entries, order) = (entries(), [0, 1, 2]);
        let mut gradient = Gradient::new(model.shape);
        gradient.add(Batch { model: &model, entries: &entries, order: &order, target: TARGET });
        assert!((gradient.loss - plain_loss(&model, &entries, TARGET)).abs() < 1e-6);
        let inputs = usize::from(entries[1].own_view()[5]) * 64..;
        let tried =
            inputs.take(64).chain(model.shape.biases()).chain(model.shape.outputs()).chain(model.shape.output_biases());
        let mut seen = 0;
        for index in tried.step_by(3) {
            let (value, width) = (model.used[index], 1e-3);
            let mut at = |value| {
                model.used[index] = value;
                plain_loss(&model, &entries, TARGET)
            };
            let slope = (at(value + width) - at(value - width)) / f64::from(2.0 * width);
            model.used[index] = value;
            let found = f64::from(gradient.sums[index]);
            assert!((slope - found).abs() < 2e-3 * slope.abs() + 2e-5, "{index}: {slope} {found}");
            seen += usize::from(found != 0.0);
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn the_exponential_is_close_and_finite() {
        for step in -800..=800 {
            let x = step as f32 * 0.1;
            assert!((f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(exp(f32::INFINITY).is_finite() && exp(f32::NEG_INFINITY) > 0.0);
        assert_eq!(sigmoid(0.0), 0.5);
    }
}

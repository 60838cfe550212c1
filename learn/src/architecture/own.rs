//! Enbu's own networks: accumulators are limited to 0..=1 and squared, and one of several
//! outputs evaluates; see [`enbu_eval::nnue::own`].

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::own::{ATTACK_INPUTS, Attacks, INPUTS, MAX_ATTACK_WEIGHT, OUTPUT_UNIT, Parts, UNIT};
use enbu_movegen::Color;

use super::block::{TILE, Views};
use super::factors::{self, VirtualInputs};
use super::transformer::{Transformer, is_inside, is_own_width, limited};
use super::{Architecture, Grid, Part, Workspace, consecutive};
use crate::diagram::Diagram;
use crate::entry::Entry;
use crate::quantise::{QuantiseError, whole, words};

/// Independent sums of a dot product.
const LANES: usize = 16;

/// Forty rows and a bias cannot overflow 16 bits: 41 × 505 < 32 768.
pub(super) const TRANSFORMER: Grid = Grid { unit: UNIT as f32, limit: 505.0 / UNIT as f32 };
pub(super) const ATTACK_ROWS: Grid = Grid { unit: UNIT as f32, limit: MAX_ATTACK_WEIGHT as f32 / UNIT as f32 };
/// The file allows 128 / 64.
const OUTPUTS: Grid = Grid { unit: OUTPUT_UNIT as f32, limit: 127.0 / OUTPUT_UNIT as f32 };
const OUTPUT_BIASES: Grid = Grid { unit: (UNIT * OUTPUT_UNIT) as f32, limit: 100.0 };

/// The bound of the sum of a bucket's absolute output weights, 64 = 1.0: with it, outputs
/// fit 32 bits.
const MAX_OUTPUTS: i64 = (i32::MAX / (UNIT * UNIT)) as i64;

/// A set of inputs of Enbu's own networks.
pub(crate) trait InputSet: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    const COUNT: usize;
    /// The code of the kind in checkpoints.
    const CODE: u32;
    /// The first word of descriptions, with a space.
    const NAME: &str;

    /// Lists the active inputs of both sides, the side to move first.
    fn list(entry: &Entry, views: &mut Views);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct OwnInputs;

impl InputSet for OwnInputs {
    const COUNT: usize = INPUTS;
    const CODE: u32 = 0;
    const NAME: &str = "";

    #[inline(always)]
    fn list(entry: &Entry, views: &mut Views) {
        views.set(|[own, other]| {
            let inputs = entry.own_view();
            own[..inputs.len()].copy_from_slice(inputs);
            [inputs.len(), entry.other_view(other).len()]
        });
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AttackInputs;

impl InputSet for AttackInputs {
    const COUNT: usize = INPUTS + ATTACK_INPUTS;
    const CODE: u32 = 3;
    const NAME: &str = "attacks ";

    #[inline(always)]
    fn list(entry: &Entry, views: &mut Views) {
        OwnInputs::list(entry, views);
        let diagram = Diagram::new(entry);
        Attacks::of(&diagram).inputs(&diagram, |color, input| {
            let side = usize::from(color == Color::White);
            views.push(side, INPUTS as u16 + input);
        });
    }
}

/// The sizes of one of Enbu's own networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Own<I = OwnInputs> {
    /// L1: accumulator width of each side, a multiple of 32 from 64 to 1024.
    pub(crate) width: usize,
    /// Outputs, 1 to 16; the pieces in hand choose one.
    pub(crate) buckets: usize,
    /// Pieces in hand of both sides for each output, 1 to 38.
    pub(crate) bucket_step: u32,
    pub(crate) inputs: I,
}

impl<I: InputSet> Default for Own<I> {
    fn default() -> Self {
        Self { width: 64, buckets: 1, bucket_step: 5, inputs: I::default() }
    }
}

impl<I: InputSet> Own<I> {
    pub(crate) fn is_valid(&self) -> bool {
        is_own_width(self.width) && (1..=16).contains(&self.buckets) && (1..=38).contains(&self.bucket_step)
    }

    /// The output that evaluates a position with `held` pieces in hand.
    #[inline(always)]
    fn bucket(&self, held: u8) -> usize {
        ((u32::from(held) / self.bucket_step) as usize).min(self.buckets - 1)
    }

    /// Weights and biases of all outputs: for each output the weights of the side to move, then of
    /// the other side.
    #[inline(always)]
    fn outputs(&self) -> [Range<usize>; 2] {
        consecutive(self.transformer().biases().end, [self.buckets * 2 * self.width, self.buckets])
    }
}

impl<I: InputSet> Own<I> {
    fn file(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Parts, QuantiseError> {
        let ([pieces, attacks], [outputs, biases]) = (self.transformer().own_rows(), self.outputs());
        let output_weights = words(parameters, outputs, OUTPUT_UNIT as f32, 128)?;
        for (bucket, weights) in output_weights.chunks_exact(2 * self.width).enumerate() {
            let sum = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            if sum > MAX_OUTPUTS {
                return Err(QuantiseError::Outputs { bucket, sum, limit: MAX_OUTPUTS });
            }
        }
        Ok(Parts {
            name: name.to_owned(),
            scale: scale.round() as u32,
            bucket_step: self.bucket_step,
            biases: words(parameters, self.transformer().biases(), UNIT as f32, i16::MAX)?,
            weights: words(parameters, pieces, UNIT as f32, i16::MAX)?,
            attack_weights: words(parameters, attacks, UNIT as f32, MAX_ATTACK_WEIGHT)?,
            output_weights,
            output_biases: whole(parameters, biases, (UNIT * OUTPUT_UNIT) as f32, 1_000_000_000)?,
        })
    }
}

impl<I: InputSet> Architecture for Own<I> {
    fn name(&self) -> String {
        let Self { width, buckets, bucket_step, .. } = self;
        format!("{}width={width} buckets={buckets}x{bucket_step}", I::NAME)
    }

    fn code(&self) -> [u32; 4] {
        [I::CODE, self.width as u32, self.buckets as u32, self.bucket_step]
    }

    fn len(&self) -> usize {
        self.outputs()[1].end
    }

    #[inline(always)]
    fn transformer(&self) -> Transformer {
        Transformer { inputs: I::COUNT, width: self.width }
    }

    #[inline(always)]
    fn list(&self, entry: &Entry, views: &mut Views) {
        I::list(entry, views);
    }

    fn virtual_inputs(&self, input: usize) -> VirtualInputs {
        factors::of_own(input)
    }

    /// Accumulators are of about 0 to 1 and outputs near 0. Attacks begin without weights: the
    /// rows of rare inputs stay near zero.
    fn parts(&self, _scale: f32) -> Vec<Part> {
        let ([pieces, attacks], [outputs, biases]) = (self.transformer().own_rows(), self.outputs());
        vec![
            (pieces, TRANSFORMER, [0.0, 0.08]),
            (attacks, ATTACK_ROWS, [0.0, 0.0]),
            (self.transformer().biases(), TRANSFORMER, [0.3, 0.1]),
            (outputs, OUTPUTS, [0.0, (1.0 / (2 * self.width) as f32).sqrt()]),
            (biases, OUTPUT_BIASES, [0.0, 0.0]),
            (self.len()..self.trained(), TRANSFORMER, [0.0, 0.0]),
        ]
    }

    #[inline(always)]
    fn forward(&self, parameters: &[f32], entry: &Entry, workspace: &mut Workspace) -> f32 {
        let (bucket, [outputs, biases]) = (self.bucket(entry.held), self.outputs());
        let weights = &parameters[outputs][bucket * 2 * self.width..][..2 * self.width];
        let (for_own, for_other) = weights.split_at(self.width);
        let [own, other] = &workspace.sums;
        parameters[biases][bucket] + squared_dot(own, for_own) + squared_dot(other, for_other)
    }

    #[inline(always)]
    fn backward(&self, parameters: &[f32], entry: &Entry, slope: f32, workspace: &mut Workspace, gradient: &mut [f32]) {
        let width = self.width;
        let (bucket, [outputs, biases]) = (self.bucket(entry.held), self.outputs());
        let outputs = outputs.start + bucket * 2 * width;
        gradient[biases.start + bucket] += slope;
        for (side, sums) in workspace.sums.iter_mut().enumerate() {
            let at = outputs + side * width;
            derive(slope, sums, &parameters[at..][..width], &mut gradient[at..][..width]);
        }
    }

    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Vec<u8>, QuantiseError> {
        Ok(self.file(parameters, scale, name)?.encode())
    }
}

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

/// Adds the derivatives by the output weights, and replaces the sums with the derivatives
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
            // The derivative is 0 where the sum is clipped.
            let inner = if is_inside(sum) { value } else { 0.0 };
            sums[lane] = 2.0 * slope * weights[lane] * inner;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::architecture::tests::{check_gradient, check_outputs, entries, random};

    const SHAPE: Own = Own { width: 64, buckets: 2, bucket_step: 8, inputs: OwnInputs };
    const ATTACKS: Own<AttackInputs> = Own { width: 64, buckets: 2, bucket_step: 8, inputs: AttackInputs };

    /// The network as its description says, in double precision.
    fn plain_output<I: InputSet>(own: &Own<I>, parameters: &[f32], entry: &Entry) -> f64 {
        let at = |index: usize| f64::from(parameters[index]);
        let mut views = Views::new();
        I::list(entry, &mut views);
        let bucket = own.bucket(entry.held);
        let [outputs, biases] = own.outputs();
        let mut output = at(biases.start + bucket);
        for (side, inputs) in views.lists().into_iter().enumerate() {
            for unit in 0..own.width {
                let rows = inputs.iter().map(|&input| at(usize::from(input) * own.width + unit));
                let value = (at(own.transformer().biases().start + unit) + rows.sum::<f64>()).clamp(0.0, 1.0);
                output += value * value * at(outputs.start + (2 * bucket + side) * own.width + unit);
            }
        }
        output
    }

    /// The value of the file in centipawns, computed as its format defines it.
    pub(crate) fn value<I: InputSet>(own: &Own<I>, parameters: &[f32], scale: f32, entry: &Entry) -> i64 {
        let parts = own.file(parameters, scale, "").expect("fits");
        let (width, bucket) = (own.width, own.bucket(entry.held));
        let mut views = Views::new();
        I::list(entry, &mut views);
        let mut sum = 0_i64;
        for (side, inputs) in views.lists().into_iter().enumerate() {
            let weights = &parts.output_weights[(2 * bucket + side) * width..][..width];
            for (unit, &weight) in weights.iter().enumerate() {
                let rows = inputs.iter().map(|&input| {
                    let at = usize::from(input) * width + unit;
                    let attack = || parts.attack_weights[at - parts.weights.len()];
                    i32::from(parts.weights.get(at).copied().unwrap_or_else(attack))
                });
                let total = (i32::from(parts.biases[unit]) + rows.sum::<i32>()).clamp(0, UNIT);
                sum += i64::from(total * total * i32::from(weight));
            }
        }
        let raw = sum / i64::from(UNIT) + i64::from(parts.output_biases[bucket]);
        raw * i64::from(parts.scale) / i64::from(UNIT * OUTPUT_UNIT)
    }

    #[test]
    fn outputs_are_those_of_the_description() {
        check_outputs(&Own { width: 96, buckets: 3, bucket_step: 5, inputs: OwnInputs }, plain_output);
        check_outputs(&Own { width: 96, buckets: 1, bucket_step: 5, inputs: AttackInputs }, plain_output);
    }

    #[test]
    fn gradients_are_the_slopes_of_the_output() {
        let inputs = usize::from(entries()[1].own_view()[5]) * 64..;
        let tried = inputs.take(64).chain(SHAPE.transformer().biases()).chain(SHAPE.outputs().into_iter().flatten());
        check_gradient(&SHAPE, tried.step_by(3), plain_output);
    }

    #[test]
    fn gradients_of_attacks_are_the_slopes_of_the_output() {
        let mut views = Views::new();
        AttackInputs::list(&entries()[1], &mut views);
        let [own, other] = views.lists();
        assert!(own.len() > 80 && other.len() == own.len());
        let tried =
            own.iter().rev().step_by(9).flat_map(|&input| usize::from(input) * 64..usize::from(input) * 64 + 64);
        check_gradient(&ATTACKS, tried.step_by(7), plain_output);
    }

    #[test]
    fn parameters_that_overflow_the_file_are_refused() {
        let refused = |own: &Own, parameters: &[f32]| own.quantise(parameters, 400.0, "").map(|_| ()).unwrap_err();
        let mut parameters = random(&SHAPE);
        parameters[9] = f32::NAN;
        assert_eq!(refused(&SHAPE, &parameters), QuantiseError::Number { index: 9 });
        parameters[9] = 0.0;
        let index = SHAPE.outputs()[0].start;
        parameters[index] = 129.0;
        assert_eq!(refused(&SHAPE, &parameters), QuantiseError::Number { index });
        let wide = Own { width: 1024, ..SHAPE };
        let mut parameters = random(&wide);
        parameters[wide.outputs()[0].clone()].fill(1.9);
        assert!(matches!(refused(&wide, &parameters), QuantiseError::Outputs { bucket: 0, .. }));
    }
}

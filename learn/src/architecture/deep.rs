//! Enbu's own networks: products of pairs of accumulator sums, a layer of 16 units with two
//! activations, one of 32, and one output. Version 3 of [`enbu_eval::nnue::own`].

use std::ops::Range;

use enbu_eval::nnue::NetworkError;
use enbu_eval::nnue::own::{
    ACTIVATION_UNIT, ATTACK_INPUTS, Attacks, DeepParts, FINE_UNIT, HIDDEN, HIDDEN_SUM_UNIT, INPUTS, MAX_ATTACK_WEIGHT,
    MAX_BIAS, SECOND, UNIT,
};
use enbu_movegen::Color;

use super::block::Views;
use super::factors::{self, VirtualInputs};
use super::layer::{add, affine, derive, row};
use super::transformer::{Transformer, clipped, is_inside, limited};
use super::{Architecture, Grid, Part, Workspace, consecutive};
use crate::diagram::Diagram;
use crate::entry::Entry;
use crate::quantise::{QuantiseError, whole, words};

/// Products computed at a time; divides the number of every width.
const TILE: usize = 16;

/// Forty rows and a bias cannot overflow 16 bits: 41 × 505 < 32 768.
const ROWS: Grid = Grid { unit: UNIT as f32, limit: 505.0 / UNIT as f32 };
const ATTACK_ROWS: Grid = Grid { unit: UNIT as f32, limit: MAX_ATTACK_WEIGHT as f32 / UNIT as f32 };
/// The integer that 1.0 is among the weights of the first hidden layer: the product of two
/// sums of 1.0 is 255² / 512.
const PRODUCT_UNIT: f32 = (HIDDEN_SUM_UNIT * 512) as f32 / (UNIT * UNIT) as f32;
const HIDDEN_WEIGHTS: Grid = Grid { unit: PRODUCT_UNIT, limit: 127.0 / PRODUCT_UNIT };
const HIDDEN_BIASES: Grid = Grid { unit: HIDDEN_SUM_UNIT as f32, limit: 100.0 };
const FINE_WEIGHTS: Grid = Grid { unit: FINE_UNIT as f32, limit: i16::MAX as f32 / FINE_UNIT as f32 };
const FINE_BIASES: Grid = Grid { unit: (FINE_UNIT * ACTIVATION_UNIT) as f32, limit: 100.0 };

/// Half a unit in the biases of hidden layers: shifts round down, and with it to the nearest.
const HIDDEN_HALF: i32 = HIDDEN_SUM_UNIT / ACTIVATION_UNIT / 2;
const FINE_HALF: i32 = FINE_UNIT / 2;

/// The size of one of Enbu's own networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Deep {
    /// L1: accumulator width of each side, a multiple of 32 from 64 to 1024.
    pub(crate) width: usize,
}

impl Deep {
    /// The default width.
    pub(crate) const WIDTH: usize = 128;

    /// The rows of pieces and those of attacks.
    fn rows(&self) -> [Range<usize>; 2] {
        consecutive(0, [INPUTS * self.width, ATTACK_INPUTS * self.width])
    }

    /// Weights and biases of both hidden layers and of the output. Weights of the first are a row
    /// for each product, the side to move's first; those of the second are rows of the limited
    /// units, then of the squares.
    #[inline(always)]
    fn layers(&self) -> [Range<usize>; 6] {
        let lengths = [self.width * HIDDEN, HIDDEN, 2 * HIDDEN * SECOND, SECOND, SECOND, 1];
        consecutive(self.transformer().biases().end, lengths)
    }
}

impl Architecture for Deep {
    fn name(&self) -> String {
        format!("deep width={}", self.width)
    }

    fn code(&self) -> [u32; 4] {
        [4, self.width as u32, 0, 0]
    }

    fn len(&self) -> usize {
        self.layers()[5].end
    }

    #[inline(always)]
    fn transformer(&self) -> Transformer {
        Transformer { inputs: INPUTS + ATTACK_INPUTS, width: self.width }
    }

    #[inline(always)]
    fn list(&self, entry: &Entry, views: &mut Views) {
        views.set(|[own, other]| {
            let inputs = entry.own_view();
            own[..inputs.len()].copy_from_slice(inputs);
            [inputs.len(), entry.other_view(other).len()]
        });
        let diagram = Diagram::new(entry);
        Attacks::of(&diagram).inputs(&diagram, |color, input| {
            let side = usize::from(color == Color::White);
            views.push(side, INPUTS as u16 + input);
        });
    }

    fn virtual_inputs(&self, input: usize) -> VirtualInputs {
        factors::of_own(input)
    }

    /// Accumulators and units are of about 0 to 1 and outputs near 0. Attacks begin without
    /// weights: the rows of rare inputs stay near zero.
    fn parts(&self, _scale: f32) -> Vec<Part> {
        let [pieces, attacks] = self.rows();
        let [first, first_biases, second, second_biases, last, last_bias] = self.layers();
        vec![
            (pieces, ROWS, [0.0, 0.08]),
            (attacks, ATTACK_ROWS, [0.0, 0.0]),
            (self.transformer().biases(), ROWS, [0.3, 0.1]),
            (first, HIDDEN_WEIGHTS, [0.0, 2.0 / (self.width as f32).sqrt()]),
            (first_biases, HIDDEN_BIASES, [0.1, 0.1]),
            (second, FINE_WEIGHTS, [0.0, 0.3]),
            (second_biases, FINE_BIASES, [0.2, 0.1]),
            (last, FINE_WEIGHTS, [0.0, 0.2]),
            (last_bias, FINE_BIASES, [0.0, 0.0]),
            (self.len()..self.trained(), ROWS, [0.0, 0.0]),
        ]
    }

    #[inline(always)]
    fn forward(&self, parameters: &[f32], _: &Entry, workspace: &mut Workspace) -> f32 {
        let [for_first, first_biases, for_second, second_biases, for_last, last_bias] = self.layers();
        let mut first: [_; HIDDEN] = row(&parameters[first_biases]);
        let weights = &mut parameters[for_first].chunks_exact(TILE * HIDDEN);
        for sums in &workspace.sums {
            let (left, right) = sums.split_at(self.width / 2);
            let tiles = left.as_chunks::<TILE>().0.iter().zip(right.as_chunks::<TILE>().0);
            for ((left, right), weights) in tiles.zip(&mut *weights) {
                first = affine(first, &products(left, right), |product| product, weights);
            }
        }
        let (for_limited, for_squares) = parameters[for_second].split_at(HIDDEN * SECOND);
        let second: [_; SECOND] = affine(row(&parameters[second_biases]), &first, limited, for_limited);
        let second = affine(second, &first, |sum| squared(sum).0, for_squares);
        workspace.hidden[0][..HIDDEN].copy_from_slice(&first);
        workspace.hidden[1] = second;
        let products = second.iter().zip(&parameters[for_last]).map(|(&sum, weight)| limited(sum) * weight);
        parameters[last_bias.start] + products.sum::<f32>()
    }

    #[inline(always)]
    fn backward(&self, parameters: &[f32], _: &Entry, slope: f32, workspace: &mut Workspace, gradient: &mut [f32]) {
        let [for_first, first_biases, for_second, second_biases, for_last, last_bias] = self.layers();
        let Workspace { sums, hidden: [first, second], .. } = workspace;
        gradient[last_bias.start] += slope;
        for (index, sum) in second.iter_mut().enumerate() {
            gradient[for_last.start + index] += slope * limited(*sum);
            *sum = if is_inside(*sum) { slope * parameters[for_last.start + index] } else { 0.0 };
        }
        add(&mut gradient[second_biases], second);
        let (mut first, mut squares): ([_; HIDDEN], [_; HIDDEN]) = (row(first), row(first));
        let (for_limited, for_squares) = parameters[for_second.clone()].split_at(HIDDEN * SECOND);
        let (by_limited, by_squares) = gradient[for_second].split_at_mut(HIDDEN * SECOND);
        derive(&mut first, clipped, second, for_limited, by_limited);
        derive(&mut squares, squared, second, for_squares, by_squares);
        add(&mut first, &squares);
        add(&mut gradient[first_biases], &first);
        let weights = parameters[for_first.clone()].chunks_exact(TILE * HIDDEN);
        let weights = &mut weights.zip(gradient[for_first].chunks_exact_mut(TILE * HIDDEN));
        for sums in &mut *sums {
            let (left, right) = sums.split_at_mut(self.width / 2);
            let tiles = left.as_chunks_mut::<TILE>().0.iter_mut().zip(right.as_chunks_mut::<TILE>().0);
            for ((left, right), (weights, by_weight)) in tiles.zip(&mut *weights) {
                let mut slopes = products(left, right);
                derive(&mut slopes, |product| (product, 1.0), &first, weights, by_weight);
                divide(&slopes, left, right);
            }
        }
    }

    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Vec<u8>, QuantiseError> {
        let rows = |range| words(parameters, range, UNIT as f32);
        let bytes = |range, unit| {
            let weights = whole(parameters, range, unit, MAX_ATTACK_WEIGHT.into())?;
            Ok(weights.into_iter().map(|weight| weight as i8).collect())
        };
        let fine = |range| words(parameters, range, FINE_WEIGHTS.unit);
        let biases = |range, grid: Grid, half: i32| {
            let biases = whole(parameters, range, grid.unit, MAX_BIAS - half)?;
            Ok(biases.into_iter().map(|bias| bias + half).collect())
        };
        let [pieces, attacks] = self.rows();
        let [first, first_biases, second, second_biases, last, last_bias] = self.layers();
        let parts = DeepParts {
            name: name.to_owned(),
            scale: scale.round() as u32,
            biases: rows(self.transformer().biases())?,
            weights: rows(pieces)?,
            attack_weights: bytes(attacks, UNIT as f32)?,
            hidden_weights: bytes(first, PRODUCT_UNIT)?,
            hidden_biases: biases(first_biases, HIDDEN_BIASES, HIDDEN_HALF)?,
            second_weights: fine(second)?,
            second_biases: biases(second_biases, FINE_BIASES, FINE_HALF)?,
            output_weights: fine(last)?,
            output_bias: whole(parameters, last_bias, FINE_BIASES.unit, MAX_BIAS)?.into_iter().sum(),
        };
        Ok(parts.encode())
    }

    fn restore(&self, bytes: &[u8]) -> Result<Option<Vec<f32>>, NetworkError> {
        let Some(parts) = DeepParts::decode(bytes)?.filter(|parts| parts.biases.len() == self.width) else {
            return Ok(None);
        };
        fn put<T: Copy + Into<f64>>(parameters: &mut Vec<f32>, numbers: &[T], unit: f32, half: i32) {
            let number = |number: T| ((number.into() - f64::from(half)) / f64::from(unit)) as f32;
            parameters.extend(numbers.iter().map(|&integer| number(integer)));
        }
        let mut parameters = Vec::with_capacity(self.len());
        put(&mut parameters, &parts.weights, ROWS.unit, 0);
        put(&mut parameters, &parts.attack_weights, ATTACK_ROWS.unit, 0);
        put(&mut parameters, &parts.biases, ROWS.unit, 0);
        put(&mut parameters, &parts.hidden_weights, HIDDEN_WEIGHTS.unit, 0);
        put(&mut parameters, &parts.hidden_biases, HIDDEN_BIASES.unit, HIDDEN_HALF);
        put(&mut parameters, &parts.second_weights, FINE_WEIGHTS.unit, 0);
        put(&mut parameters, &parts.second_biases, FINE_BIASES.unit, FINE_HALF);
        put(&mut parameters, &parts.output_weights, FINE_WEIGHTS.unit, 0);
        put(&mut parameters, &[parts.output_bias], FINE_BIASES.unit, 0);
        Ok(Some(parameters))
    }
}

/// The products of pairs of sums, each limited.
#[inline(always)]
fn products(left: &[f32; TILE], right: &[f32; TILE]) -> [f32; TILE] {
    // A loop: closures for arrays are not always inlined.
    let mut products = [0.0; TILE];
    for lane in 0..TILE {
        products[lane] = limited(left[lane]) * limited(right[lane]);
    }
    products
}

/// Replaces pairs of sums with the derivatives by them, given those by their products.
#[inline(always)]
fn divide(slopes: &[f32; TILE], left: &mut [f32; TILE], right: &mut [f32; TILE]) {
    for lane in 0..TILE {
        let (a, b) = (left[lane], right[lane]);
        left[lane] = if is_inside(a) { limited(b) * slopes[lane] } else { 0.0 };
        right[lane] = if is_inside(b) { limited(a) * slopes[lane] } else { 0.0 };
    }
}

/// The square of a sum limited to -1..=1, and its derivative.
#[inline(always)]
fn squared(sum: f32) -> (f32, f32) {
    let square = sum * sum;
    if square < 1.0 { (square, 2.0 * sum) } else { (1.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::tests::{check_gradient, check_outputs, entries, random};

    const SHAPE: Deep = Deep { width: 96 };

    /// The network as its description says, in double precision.
    fn plain_output(deep: &Deep, parameters: &[f32], entry: &Entry) -> f64 {
        let at = |index: usize| f64::from(parameters[index]);
        let mut views = Views::new();
        deep.list(entry, &mut views);
        let products = views.lists().into_iter().flat_map(|inputs| {
            let sum = move |unit| {
                let rows = inputs.iter().map(|&input| at(usize::from(input) * deep.width + unit));
                (at(deep.transformer().biases().start + unit) + rows.sum::<f64>()).clamp(0.0, 1.0)
            };
            (0..deep.width / 2).map(move |unit| sum(unit) * sum(unit + deep.width / 2))
        });
        let layer = |inputs: Vec<f64>, weights: Range<usize>, biases: Range<usize>| -> Vec<f64> {
            let sum = |output: usize| {
                let at_weight = |input| at(weights.start + input * biases.len() + output);
                at(biases.start + output) + inputs.iter().enumerate().map(|(i, x)| x * at_weight(i)).sum::<f64>()
            };
            (0..biases.len()).map(sum).collect()
        };
        let [first, first_biases, second, second_biases, last, last_bias] = deep.layers();
        let first = layer(products.collect(), first, first_biases);
        let limited = first.iter().map(|sum| sum.clamp(0.0, 1.0));
        let units = limited.chain(first.iter().map(|sum| (sum * sum).min(1.0))).collect();
        let second = layer(units, second, second_biases);
        let units = second.iter().map(|sum| sum.clamp(0.0, 1.0)).collect();
        layer(units, last, last_bias)[0]
    }

    #[test]
    fn outputs_are_those_of_the_description() {
        check_outputs(&SHAPE, plain_output);
        check_outputs(&Deep { width: 64 }, plain_output);
    }

    #[test]
    fn gradients_are_the_slopes_of_the_output() {
        let mut views = Views::new();
        SHAPE.list(&entries()[1], &mut views);
        let [own, other] = views.lists();
        assert!(own.len() > 80 && other.len() == own.len());
        let rows = [own[5], own[own.len() - 3]].into_iter().flat_map(|input| {
            let first = usize::from(input) * SHAPE.width;
            first..first + SHAPE.width
        });
        let tried = rows.chain(SHAPE.transformer().biases().start..SHAPE.len());
        check_gradient(&SHAPE, tried.step_by(11), plain_output);
    }

    #[test]
    fn parameters_that_overflow_the_file_are_refused() {
        let refused = |parameters: &[f32]| SHAPE.quantise(parameters, 400.0, "").map(|_| ()).unwrap_err();
        let mut parameters = random(&SHAPE);
        parameters[9] = f32::NAN;
        assert_eq!(refused(&parameters), QuantiseError(9));
        parameters[9] = 0.0;
        let index = SHAPE.layers()[0].start;
        parameters[index] = 2.1;
        assert_eq!(refused(&parameters), QuantiseError(index));
    }
}

//! The standard network K-P 256x2-32-32: two hidden layers of 32 units and one output; all
//! sums but the output are limited to 0..=1. See [`enbu_eval::nnue::classic`] for its file.

use std::ops::Range;

use enbu_eval::nnue::classic::{AffineParts, Parts, UNIT, WEIGHT_UNIT};
use enbu_eval::nnue::{Classic, FeatureSet};

use super::block::Views;
use super::factors::{self, VirtualInputs};
use super::layer::{add, affine, derive, row};
use super::transformer::{Transformer, clipped, is_inside, limited};
use super::{Architecture, Grid, HIDDEN, Part, Workspace};
use crate::entry::Entry;
use crate::quantise::{QuantiseError, whole, words};

/// Bytes of the name that the file keeps.
const MAX_NAME: usize = 24;

const TRANSFORMER: Transformer = Transformer { inputs: FeatureSet::Kp.inputs(), width: WIDTH };
/// Accumulator width of each side.
const WIDTH: usize = 256;
/// The divisor from the file's output to centipawns; the default of other programs.
const FV_SCALE: u32 = 16;

/// Weights of the first layer.
const ROWS: Range<usize> = TRANSFORMER.rows();
const BIASES: Range<usize> = TRANSFORMER.biases();
/// Weights of the hidden layers and of the output, input-major, each followed by its biases.
const FIRST: Range<usize> = BIASES.end..BIASES.end + 2 * WIDTH * HIDDEN;
const FIRST_BIASES: Range<usize> = FIRST.end..FIRST.end + HIDDEN;
const SECOND: Range<usize> = FIRST_BIASES.end..FIRST_BIASES.end + HIDDEN * HIDDEN;
const SECOND_BIASES: Range<usize> = SECOND.end..SECOND.end + HIDDEN;
const LAST: Range<usize> = SECOND_BIASES.end..SECOND_BIASES.end + HIDDEN;
const LAST_BIAS: Range<usize> = LAST.end..LAST.end + 1;

const LENGTH: usize = LAST_BIAS.end;

/// Forty rows and a bias cannot overflow 16 bits: 41 × 799 < 32 768.
const ROW_GRID: Grid = Grid { unit: UNIT as f32, limit: 799.0 / UNIT as f32 };
const HIDDEN_GRID: Grid = Grid { unit: WEIGHT_UNIT as f32, limit: 127.0 / WEIGHT_UNIT as f32 };
const HIDDEN_BIAS_GRID: Grid = Grid { unit: (UNIT * WEIGHT_UNIT) as f32, limit: 100.0 };

/// The integer that 1.0 becomes among the output weights: the output is in units of
/// 1 / FV_SCALE centipawns, 1.0 is worth `scale` centipawns, and inputs come times 127.
fn last_unit(scale: f32) -> f32 {
    FV_SCALE as f32 * scale / UNIT as f32
}

/// The standard network K-P 256x2-32-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KP;

impl Architecture for KP {
    fn name(&self) -> String {
        "kp-256x2-32-32".into()
    }

    fn code(&self) -> [u32; 4] {
        [1, 0, 0, 0]
    }

    fn len(&self) -> usize {
        LENGTH
    }

    fn transformer(&self) -> Transformer {
        TRANSFORMER
    }

    #[inline(always)]
    fn list(&self, entry: &Entry, views: &mut Views) {
        views.set(|places| entry.k_p_views(places).map(<[u16]>::len));
    }

    fn virtual_inputs(&self, input: usize) -> VirtualInputs {
        factors::of_k_p(input)
    }

    /// Accumulators are of about 0 to 1 and outputs near 0.
    fn parts(&self, scale: f32) -> Vec<Part> {
        let unit = last_unit(scale);
        vec![
            (ROWS, ROW_GRID, [0.0, 0.08]),
            (BIASES, ROW_GRID, [0.3, 0.1]),
            (FIRST, HIDDEN_GRID, [0.0, 0.06]),
            (FIRST_BIASES, HIDDEN_BIAS_GRID, [0.3, 0.1]),
            (SECOND, HIDDEN_GRID, [0.0, 0.3]),
            (SECOND_BIASES, HIDDEN_BIAS_GRID, [0.3, 0.1]),
            (LAST, Grid { unit, limit: 127.0 / unit }, [0.0, 0.2]),
            (LAST_BIAS, Grid { unit: unit * UNIT as f32, limit: 100.0 }, [0.0, 0.0]),
            (LENGTH..self.trained(), ROW_GRID, [0.0, 0.0]),
        ]
    }

    #[inline(always)]
    fn forward(&self, parameters: &[f32], _: &Entry, workspace: &mut Workspace) -> f32 {
        let [own, other] = &workspace.sums;
        let (for_own, for_other) = parameters[FIRST].split_at(WIDTH * HIDDEN);
        let first: [_; HIDDEN] = affine(row(&parameters[FIRST_BIASES]), own, limited, for_own);
        let first = affine(first, other, limited, for_other);
        let second = affine(row(&parameters[SECOND_BIASES]), &first, limited, &parameters[SECOND]);
        workspace.hidden = [first, second];
        let products = second.iter().zip(&parameters[LAST]).map(|(&sum, weight)| limited(sum) * weight);
        parameters[LAST_BIAS.start] + products.sum::<f32>()
    }

    #[inline(always)]
    fn backward(&self, parameters: &[f32], _: &Entry, slope: f32, workspace: &mut Workspace, gradient: &mut [f32]) {
        let Workspace { sums, hidden: [first, second], .. } = workspace;
        gradient[LAST_BIAS.start] += slope;
        for (index, sum) in second.iter_mut().enumerate() {
            gradient[LAST.start + index] += slope * limited(*sum);
            *sum = if is_inside(*sum) { slope * parameters[LAST.start + index] } else { 0.0 };
        }
        add(&mut gradient[SECOND_BIASES], second);
        derive(first, clipped, second, &parameters[SECOND], &mut gradient[SECOND]);
        add(&mut gradient[FIRST_BIASES], first);
        for (side, sums) in sums.iter_mut().enumerate() {
            let at = FIRST.start + side * WIDTH * HIDDEN;
            let (weights, by_weight) = (&parameters[at..][..WIDTH * HIDDEN], &mut gradient[at..][..WIDTH * HIDDEN]);
            derive(sums, clipped, first, weights, by_weight);
        }
    }

    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Vec<u8>, QuantiseError> {
        Ok(Self::file(parameters, scale, name)?.encode())
    }
}

impl KP {
    fn file(parameters: &[f32], scale: f32, name: &str) -> Result<Parts, QuantiseError> {
        let (hidden, last) = (WEIGHT_UNIT as f32, last_unit(scale));
        Ok(Parts {
            name: name.chars().filter(char::is_ascii_graphic).take(MAX_NAME).collect(),
            shape: Classic { features: FeatureSet::Kp, width: WIDTH, first: HIDDEN, second: HIDDEN },
            scale: FV_SCALE,
            biases: words(parameters, BIASES, UNIT as f32)?,
            rows: words(parameters, ROWS, UNIT as f32)?,
            layers: [
                affines(parameters, FIRST, FIRST_BIASES, hidden, HALF)?,
                affines(parameters, SECOND, SECOND_BIASES, hidden, HALF)?,
                affines(parameters, LAST, LAST_BIAS, last, 0)?,
            ],
        })
    }
}

/// Half a unit in the biases of hidden layers: outputs are divided by [`WEIGHT_UNIT`] and rounded
/// down, and with it to the nearest.
const HALF: i32 = WEIGHT_UNIT / 2;

/// An affine layer with weights in `unit`s, and `half` added to its biases; the weights are
/// input-major in training and output-major in the file.
fn affines(
    parameters: &[f32],
    weights: Range<usize>,
    biases: Range<usize>,
    unit: f32,
    half: i32,
) -> Result<AffineParts, QuantiseError> {
    let outputs = biases.len();
    let weights = whole(parameters, weights, unit, i8::MAX.into())?;
    let inputs = weights.len() / outputs;
    let in_order = (0..outputs).flat_map(|output| (0..inputs).map(move |input| input * outputs + output));
    let biases = whole(parameters, biases, unit * UNIT as f32, 1_000_000_000)?;
    Ok(AffineParts {
        biases: biases.into_iter().map(|bias| bias + half).collect(),
        weights: in_order.map(|index| weights[index] as i8).collect(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::architecture::tests::{check_gradient, check_outputs, entries, random};
    use crate::entry::MAX_INPUTS;

    /// The network as its description says, in double precision.
    fn plain_output(_: &KP, parameters: &[f32], entry: &Entry) -> f64 {
        let at = |index: usize| f64::from(parameters[index]);
        let mut views = Views::new();
        KP.list(entry, &mut views);
        let sums = views.lists().into_iter().flat_map(|inputs| {
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

    /// The value of the file in centipawns, computed as its format defines it.
    pub(crate) fn value(parameters: &[f32], scale: f32, entry: &Entry) -> i64 {
        let parts = KP::file(parameters, scale, "").expect("fits");
        let [mut own, mut other] = [[0; MAX_INPUTS]; 2];
        let limited = |sum: i32| sum.clamp(0, UNIT);
        let mut values = Vec::new();
        for inputs in entry.k_p_views([&mut own, &mut other]) {
            values.extend((0..WIDTH).map(|unit| {
                let rows = inputs.iter().map(|&input| i32::from(parts.rows[usize::from(input) * WIDTH + unit]));
                limited(i32::from(parts.biases[unit]) + rows.sum::<i32>())
            }));
        }
        let results = |layer: &AffineParts, values: &[i32]| -> Vec<i32> {
            let rows = layer.weights.chunks_exact(values.len());
            let product =
                |row: &[i8]| row.iter().zip(values).map(|(&weight, value)| i32::from(weight) * value).sum::<i32>();
            layer.biases.iter().zip(rows).map(|(bias, row)| bias + product(row)).collect()
        };
        let hidden = |sums: Vec<i32>| sums.into_iter().map(|sum| limited(sum >> 6)).collect::<Vec<i32>>();
        let [first, second, last] = &parts.layers;
        let values = hidden(results(first, &values));
        let values = hidden(results(second, &values));
        i64::from(results(last, &values)[0] / parts.scale as i32)
    }

    #[test]
    fn outputs_are_those_of_the_description() {
        check_outputs(&KP, plain_output);
    }

    #[test]
    fn gradients_are_the_slopes_of_the_output() {
        let mut views = Views::new();
        KP.list(&entries()[1], &mut views);
        let input = usize::from(views.lists()[0][5]);
        let tried = (input * WIDTH..(input + 1) * WIDTH).chain(BIASES.start..LENGTH);
        check_gradient(&KP, tried.step_by(37), plain_output);
    }

    #[test]
    fn parameters_that_overflow_the_file_are_refused() {
        for (index, number) in [(ROWS.start + 9, f32::NAN), (BIASES.start, 300.0), (FIRST.start + 1, 2.0)] {
            let mut parameters = random(&KP);
            parameters[index] = number;
            let refused = KP.quantise(&parameters, 400.0, "").map(|_| ()).unwrap_err();
            assert_eq!(refused, QuantiseError(index));
        }
    }
}

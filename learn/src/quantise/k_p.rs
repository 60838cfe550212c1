//! The standard network K-P 256x2-32-32.

use std::ops::Range;

use enbu_eval::nnue::classic::{Affines, Parts, UNIT, WEIGHT_UNIT};
use enbu_eval::nnue::{Classic, FeatureSet};

use super::{QuantiseError, whole, words};
use crate::dataset::{Entry, MAX_INPUTS};
use crate::trainer::k_p::{
    BIASES, FIRST, FIRST_BIASES, FV_SCALE, HIDDEN, LAST, LAST_BIAS, ROWS, SECOND, SECOND_BIASES, WIDTH, last_unit,
};
use crate::trainer::model::Model;

/// Bytes of the name that are kept.
const MAX_NAME: usize = 24;

/// The parts of the file; the numbers that judge are rounded.
pub(super) fn parts(model: &Model, name: &str) -> Result<Parts, QuantiseError> {
    let (hidden, last) = (WEIGHT_UNIT as f32, last_unit(model.scale));
    Ok(Parts {
        name: name.chars().filter(char::is_ascii_graphic).take(MAX_NAME).collect(),
        shape: Classic { features: FeatureSet::Kp, width: WIDTH, first: HIDDEN, second: HIDDEN },
        scale: FV_SCALE,
        biases: words(model, BIASES, UNIT as f32, i16::MAX)?,
        rows: words(model, ROWS, UNIT as f32, i16::MAX)?,
        layers: [
            hidden_layer(model, FIRST, FIRST_BIASES, hidden)?,
            hidden_layer(model, SECOND, SECOND_BIASES, hidden)?,
            affines(model, LAST, LAST_BIAS, last)?,
        ],
    })
}

/// A layer whose results are divided by [`WEIGHT_UNIT`] downwards: half of it in the
/// biases makes that the nearest number.
fn hidden_layer(
    model: &Model,
    weights: Range<usize>,
    biases: Range<usize>,
    unit: f32,
) -> Result<Affines, QuantiseError> {
    let mut layer = affines(model, weights, biases, unit)?;
    layer.biases.iter_mut().for_each(|bias| *bias += WEIGHT_UNIT / 2);
    Ok(layer)
}

/// A layer with weights of which `unit` is 1.0. In training those of one input stand
/// together, in the file those of one output.
fn affines(model: &Model, weights: Range<usize>, biases: Range<usize>, unit: f32) -> Result<Affines, QuantiseError> {
    let outputs = biases.len();
    let weights = whole(model, weights, unit, i8::MAX.into())?;
    let inputs = weights.len() / outputs;
    let in_order = (0..outputs).flat_map(|output| (0..inputs).map(move |input| input * outputs + output));
    Ok(Affines {
        biases: whole(model, biases, unit * UNIT as f32, 1_000_000_000)?,
        weights: in_order.map(|index| weights[index] as i8).collect(),
    })
}

/// The value in centipawns that the file gives a position, by its definition.
pub(super) fn value(parts: &Parts, entry: &Entry) -> f64 {
    let width = parts.biases.len();
    let [mut own, mut other] = [[0; MAX_INPUTS]; 2];
    let limited = |sum: i32| sum.clamp(0, UNIT);
    let mut values = Vec::new();
    for inputs in entry.k_p_views([&mut own, &mut other]) {
        values.extend((0..width).map(|unit| {
            let rows = inputs.iter().map(|&input| i32::from(parts.rows[usize::from(input) * width + unit]));
            limited(i32::from(parts.biases[unit]) + rows.sum::<i32>())
        }));
    }
    let [first, second, last] = &parts.layers;
    let hidden = |sums: Vec<i32>| sums.into_iter().map(|sum| limited(sum >> 6)).collect::<Vec<i32>>();
    let values = hidden(results(first, &values));
    let values = hidden(results(second, &values));
    let raw = results(last, &values).into_iter().sum::<i32>();
    f64::from(raw / parts.scale as i32)
}

/// What a layer makes of `values`.
fn results(layer: &Affines, values: &[i32]) -> Vec<i32> {
    let rows = layer.weights.chunks_exact(values.len());
    let product = |row: &[i8]| row.iter().zip(values).map(|(&weight, value)| i32::from(weight) * value).sum::<i32>();
    layer.biases.iter().zip(rows).map(|(bias, row)| bias + product(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::Shape;

    #[test]
    fn what_does_not_fit_is_refused() {
        for (index, number) in [(ROWS.start + 9, f32::NAN), (BIASES.start, 300.0), (FIRST.start + 1, 2.0)] {
            let mut model = Model::random(Shape::KP, 400.0, 5);
            model.values[index] = number;
            assert_eq!(crate::quantise::file(&model, ""), Err(QuantiseError::Number { index }));
        }
    }
}

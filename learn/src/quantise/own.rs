//! Networks of our own.

use enbu_eval::nnue::own::{OUTPUT_UNIT, Parts, UNIT};

use super::{QuantiseError, whole, words};
use crate::dataset::{Entry, MAX_INPUTS};
use crate::trainer::OwnShape;
use crate::trainer::model::Model;

/// Most that the output weights of one bucket may be together, 64 = 1.0, so that sums
/// stay within 32 bits.
pub(super) const MAX_OUTPUTS: i64 = (i32::MAX / (UNIT * UNIT)) as i64;

/// The parts of the file; the numbers that judge are rounded.
pub(super) fn parts(model: &Model, shape: OwnShape, name: &str) -> Result<Parts, QuantiseError> {
    let output_weights = words(model, shape.outputs(), OUTPUT_UNIT as f32, 128)?;
    for (bucket, weights) in output_weights.chunks_exact(2 * shape.width).enumerate() {
        let sum = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
        if sum > MAX_OUTPUTS {
            return Err(QuantiseError::Outputs { bucket, sum });
        }
    }
    Ok(Parts {
        name: name.to_owned(),
        scale: model.scale.round() as u32,
        bucket_step: shape.bucket_step,
        biases: words(model, shape.biases(), UNIT as f32, i16::MAX)?,
        weights: words(model, shape.rows(), UNIT as f32, i16::MAX)?,
        output_weights,
        output_biases: whole(model, shape.output_biases(), (UNIT * OUTPUT_UNIT) as f32, 1_000_000_000)?,
    })
}

/// The value in centipawns that the file gives a position, by its definition.
pub(super) fn value(parts: &Parts, entry: &Entry) -> f64 {
    let width = parts.biases.len();
    let shape = OwnShape { width, buckets: parts.output_biases.len(), bucket_step: parts.bucket_step };
    let bucket = shape.bucket(entry.held);
    let mut view = [0; MAX_INPUTS];
    let mut sum = 0_i64;
    for (side, inputs) in [entry.own_view(), entry.other_view(&mut view)].into_iter().enumerate() {
        let weights = &parts.output_weights[(2 * bucket + side) * width..][..width];
        for (unit, &weight) in weights.iter().enumerate() {
            let rows = inputs.iter().map(|&input| i32::from(parts.weights[usize::from(input) * width + unit]));
            let total = (i32::from(parts.biases[unit]) + rows.sum::<i32>()).clamp(0, UNIT);
            sum += i64::from(total * total * i32::from(weight));
        }
    }
    let raw = sum / i64::from(UNIT) + i64::from(parts.output_biases[bucket]);
    (raw * i64::from(parts.scale) / i64::from(UNIT * OUTPUT_UNIT)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::Shape;

    const SHAPE: OwnShape = OwnShape { width: 64, buckets: 3, bucket_step: 4 };

    fn refused(model: &Model) -> QuantiseError {
        crate::quantise::file(model, "").expect_err("does not fit")
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut model = Model::random(Shape::Own(SHAPE), 400.0, 5);
        model.values[9] = f32::NAN;
        assert_eq!(refused(&model), QuantiseError::Number { index: 9 });
        model.values[9] = 0.0;
        let index = SHAPE.outputs().start;
        model.values[index] = 129.0;
        assert_eq!(refused(&model), QuantiseError::Number { index });
        let wide = OwnShape { width: 1024, ..SHAPE };
        let mut model = Model::random(Shape::Own(wide), 400.0, 5);
        model.values[wide.outputs()].fill(1.9);
        assert!(matches!(refused(&model), QuantiseError::Outputs { bucket: 0, .. }));
    }
}

//! From a trained network to the whole numbers of its file, and what that costs.

use std::fmt;

use enbu_eval::nnue::own::{OUTPUT_UNIT, Parts, UNIT};

use crate::dataset::{Entry, MAX_INPUTS};
use crate::trainer::judge::outputs;
use crate::trainer::model::{Model, Numbers};

/// Most that the output weights of one bucket may be together, 64 = 1.0, so that sums
/// stay within 32 bits.
const MAX_OUTPUTS: i64 = (i32::MAX / (UNIT * UNIT)) as i64;

/// Why a network does not fit its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantiseError {
    /// A number is not finite, or too large.
    #[error("number {index} of the network does not fit its file")]
    Number {
        /// Which number, in the order of the training.
        index: usize,
    },
    /// The output weights of one bucket are too large together.
    #[error("the output weights of bucket {bucket} are {sum} together, more than {MAX_OUTPUTS}")]
    Outputs {
        /// Which bucket, from 0.
        bucket: usize,
        /// Their sum without signs, 64 = 1.0.
        sum: i64,
    },
}

/// The parts of the file.
pub(crate) fn parts(model: &Model, name: &str, scale: f64) -> Result<Parts, QuantiseError> {
    let shape = model.shape;
    let mut model = model.clone();
    model.judge_with(Numbers::Rounded);
    let whole = |range: std::ops::Range<usize>, unit: i32, limit: f64| {
        range
            .map(|index| {
                let value = (f64::from(model.used[index]) * f64::from(unit)).round();
                if value.abs() <= limit { Ok(value as i32) } else { Err(QuantiseError::Number { index }) }
            })
            .collect::<Result<Vec<i32>, _>>()
    };
    let words = |range, unit, limit| whole(range, unit, limit).map(|all| all.iter().map(|&word| word as i16).collect());
    let output_weights: Vec<i16> = words(shape.outputs(), OUTPUT_UNIT, 128.0)?;
    for (bucket, weights) in output_weights.chunks_exact(2 * shape.width).enumerate() {
        let sum = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
        if sum > MAX_OUTPUTS {
            return Err(QuantiseError::Outputs { bucket, sum });
        }
    }
    Ok(Parts {
        name: name.to_owned(),
        scale: scale.round() as u32,
        bucket_step: shape.bucket_step,
        biases: words(shape.biases(), UNIT, 32_767.0)?,
        weights: words(shape.rows(), UNIT, 32_767.0)?,
        output_weights,
        output_biases: whole(shape.output_biases(), UNIT * OUTPUT_UNIT, 1e9)?,
    })
}

/// By how much judgements differ, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// On average, without signs.
    pub mean: f64,
    /// At most.
    pub max: f64,
}

/// What rounding costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundingError {
    /// Positions that were judged.
    pub positions: usize,
    /// The file against the network in floating point with the same numbers.
    pub arithmetic: Difference,
    /// The file against the network with the numbers as they were trained.
    pub numbers: Difference,
}

impl fmt::Display for RoundingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, arithmetic, numbers } = self;
        write!(
            f,
            "file against floating point on {positions} positions: mean {:.2} cp, at most {:.2} cp; against numbers \
             before rounding: mean {:.2} cp, at most {:.2} cp",
            arithmetic.mean, arithmetic.max, numbers.mean, numbers.max
        )
    }
}

/// Positions that the error is measured on.
const POSITIONS: usize = 10_000;

/// Measures what rounding costs.
pub(crate) fn error(model: &Model, scale: f64, entries: &[Entry]) -> Result<RoundingError, QuantiseError> {
    let entries = &entries[..entries.len().min(POSITIONS)];
    let parts = parts(model, "", scale)?;
    let judged: Vec<f64> = entries.iter().map(|entry| value(&parts, model, entry)).collect();
    let against = |numbers| {
        let mut model = model.clone();
        model.judge_with(numbers);
        let values = outputs(&model, entries);
        let each = judged.iter().zip(values).map(|(judged, output)| (judged - f64::from(output) * scale).abs());
        let mean = each.clone().sum::<f64>() / entries.len().max(1) as f64;
        Difference { mean, max: each.fold(0.0, f64::max) }
    };
    Ok(RoundingError {
        positions: entries.len(),
        arithmetic: against(Numbers::Rounded),
        numbers: against(Numbers::Trained),
    })
}

/// The value in centipawns that the file gives a position, by its definition.
fn value(parts: &Parts, model: &Model, entry: &Entry) -> f64 {
    let width = parts.biases.len();
    let bucket = model.shape.bucket(entry.held);
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
    use crate::game::GameResult;
    use crate::selfplay::{Player, Settings};
    use crate::source::Sample;
    use crate::trainer::Shape;
    use enbu_eval::nnue::{Network, Simd};
    use enbu_eval::{Evaluation, Evaluator};
    use std::sync::Arc;

    const SHAPE: Shape = Shape { width: 64, buckets: 3, bucket_step: 4 };

    #[test]
    fn the_file_is_judged_as_the_engine_judges_it() {
        let model = Model::random(SHAPE, 5);
        let parts = parts(&model, "random", 600.0).expect("fits");
        let network = Arc::new(Network::from_bytes(&parts.encode(), Simd::best()).expect("a network"));
        let evaluation = Evaluation::Network { network, scale: 1 };
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let game = Player::new(settings, Evaluation::PieceSquare).expect("memory").game(3);
        let mut entries = Vec::new();
        game.replay(|position, _, _| {
            let entry = Entry::new(&Sample { position, score: 0, mv: None, result: GameResult::Draw, later: None });
            let engine = Evaluator::with(&evaluation, position).evaluate(position);
            assert_eq!(f64::from(engine), value(&parts, &model, &entry), "{position}");
            entries.push(entry);
        })
        .expect("legal");
        let error = error(&model, 600.0, &entries).expect("fits");
        assert_eq!(error.positions, entries.len());
        assert!(error.arithmetic.max < 2.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut model = Model::random(SHAPE, 5);
        model.values[9] = f32::NAN;
        assert_eq!(parts(&model, "", 400.0), Err(QuantiseError::Number { index: 9 }));
        model.values[9] = 0.0;
        let index = SHAPE.outputs().start;
        model.values[index] = 129.0;
        assert_eq!(parts(&model, "", 400.0), Err(QuantiseError::Number { index }));
        let wide = Shape { width: 1024, ..SHAPE };
        let mut model = Model::random(wide, 5);
        model.values[wide.outputs()].fill(1.9);
        assert!(matches!(parts(&model, "", 400.0), Err(QuantiseError::Outputs { bucket: 0, .. })));
    }
}

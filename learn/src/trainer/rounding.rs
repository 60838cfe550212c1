//! The effect of rounding.

use std::fmt;

use super::model::{Model, Numbers};
use crate::entry::Entry;
use crate::quantise::QuantiseError;

/// A difference of values in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The mean of the absolute differences.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

/// The effect of rounding on the value of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundingError {
    /// Positions evaluated.
    pub positions: usize,
    /// The file against floating point with the same, rounded parameters.
    pub arithmetic: Difference,
    /// The file against floating point with the parameters before rounding.
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

/// The most positions that the error is measured on.
const POSITIONS: usize = 10_000;

/// Compares the file of a network with floating point.
pub(super) fn measure(model: &Model, entries: &[Entry]) -> Result<RoundingError, QuantiseError> {
    let entries = &entries[..entries.len().min(POSITIONS)];
    let file = model.quantise("")?;
    let values: Vec<f64> = entries.iter().map(|entry| file.value(entry)).collect();
    let against = |numbers| {
        let mut model = model.clone();
        model.evaluate_with(numbers);
        let outputs = model.shape.architecture().outputs(&model.used, entries);
        let floating = outputs.into_iter().map(|output| f64::from(output * model.scale));
        let each = values.iter().zip(floating).map(|(value, floating)| (value - floating).abs());
        let mean = each.clone().sum::<f64>() / entries.len().max(1) as f64;
        Difference { mean, max: each.fold(0.0, f64::max) }
    };
    Ok(RoundingError {
        positions: entries.len(),
        arithmetic: against(Numbers::Rounded),
        numbers: against(Numbers::Trained),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::KP;
    use crate::architecture::own::{AttackInputs, Own, OwnInputs};
    use crate::architecture::piece_square::PieceSquare;
    use crate::game::GameResult;
    use crate::selfplay::{Player, Settings};
    use crate::shape::Shape;
    use crate::source::Sample;
    use enbu_eval::nnue::{Network, Simd};
    use enbu_eval::{Evaluation, Evaluator};
    use std::sync::Arc;

    /// The file against the engine on every position of a game, and against floating point.
    fn check(shape: Shape, scale: Option<i32>) -> RoundingError {
        let model = Model::random(shape, 600.0, 5);
        let file = model.quantise("random").expect("fits");
        let evaluation = match scale {
            None => Evaluation::PieceSquare,
            Some(scale) => {
                let network = Arc::new(Network::from_bytes(&file.encode(), Simd::best()).expect("a network"));
                assert!(network.hashes_agree());
                Evaluation::Network { network, scale }
            }
        };
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let game = Player::new(settings, Evaluation::PieceSquare).expect("memory").game(3);
        let mut entries = Vec::new();
        game.replay(|position, _| {
            let entry = Entry::new(&Sample { position, score: 0, mv: None, result: GameResult::Draw });
            let engine = Evaluator::with(&evaluation, position).evaluate(position);
            assert_eq!(f64::from(engine), file.value(&entry), "{position}");
            entries.push(entry);
        })
        .expect("legal");
        let error = measure(&model, &entries).expect("fits");
        assert_eq!(error.positions, entries.len());
        error
    }

    #[test]
    fn files_evaluate_as_the_engine_does() {
        for shape in [
            Shape::new(Own { width: 64, buckets: 3, bucket_step: 4, inputs: OwnInputs }),
            Shape::new(Own { width: 64, buckets: 1, bucket_step: 4, inputs: AttackInputs }),
            Shape::new(Deep { width: 96 }),
        ] {
            let error = check(shape, Some(1));
            assert!(error.arithmetic.max < 2.0 && error.arithmetic.mean > 0.0, "{error}");
            assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        }
        let error = check(Shape::new(KP), Some(16));
        assert!(error.arithmetic.max < 4.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        // Training starts from the terms in use, which are integers.
        let error = check(Shape::new(PieceSquare), None);
        assert!(error.numbers.max < 0.01, "{error}");
    }
}

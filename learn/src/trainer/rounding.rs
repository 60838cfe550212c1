//! The effect of rounding.

use std::fmt;
use std::sync::Arc;

use enbu_eval::nnue::{Network, Simd};
use enbu_eval::{Evaluation, Evaluator};
use enbu_movegen::Position;

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
    let [rounded, trained] = [Numbers::Rounded, Numbers::Trained].map(|numbers| {
        let mut model = model.clone();
        model.evaluate_with(numbers);
        let outputs = model.shape.architecture().outputs(&model.used, entries);
        outputs.into_iter().map(|output| f64::from(output * model.scale)).collect::<Vec<f64>>()
    });
    // Tables are no network: their values are sums of rounded numbers, which are whole centipawns.
    let values = values(&file, entries).unwrap_or_else(|| rounded.iter().map(|value| value.round()).collect());
    let against = |floating: &[f64]| {
        let each = values.iter().zip(floating).map(|(value, floating)| (value - floating).abs());
        let mean = each.clone().sum::<f64>() / entries.len().max(1) as f64;
        Difference { mean, max: each.fold(0.0, f64::max) }
    };
    Ok(RoundingError { positions: entries.len(), arithmetic: against(&rounded), numbers: against(&trained) })
}

/// The values of positions by the engine with this network; `None` for another file.
fn values(file: &[u8], entries: &[Entry]) -> Option<Vec<f64>> {
    let network = Arc::new(Network::from_bytes(file, Simd::best()).ok()?);
    let scale = network.default_scale();
    let mut evaluator = Evaluator::with(&Evaluation::Network { network, scale }, &Position::startpos());
    let value = |entry: &Entry| {
        let position = Position::from_setup(&entry.setup()).ok()?;
        evaluator.reset(&position);
        Some(evaluator.evaluate(&position).into())
    };
    entries.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::{self, KP};
    use crate::architecture::piece_square::PieceSquare;
    use crate::game::GameResult;
    use crate::selfplay::{Player, Settings};
    use crate::shape::Shape;
    use crate::source::Sample;

    /// The value of an entry in integers.
    type Formula<'a> = &'a dyn Fn(&Model, &Entry) -> i64;

    /// The engine on every position of a game and on its entry, against the format of the file
    /// (`formula`) and against floating point.
    fn check(shape: Shape, formula: Option<Formula<'_>>) -> RoundingError {
        let model = Model::random(shape, 600.0, 5);
        let file = model.quantise("random").expect("fits");
        let mut rounded = model.clone();
        rounded.evaluate_with(Numbers::Rounded);
        let evaluation = match Network::from_bytes(&file, Simd::best()) {
            Err(_) => Evaluation::PieceSquare,
            Ok(network) => {
                assert!(network.hashes_agree());
                Evaluation::Network { scale: network.default_scale(), network: Arc::new(network) }
            }
        };
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let game = Player::new(settings, Evaluation::PieceSquare).expect("memory").game(3);
        let mut entries = Vec::new();
        game.replay(|position, _| {
            let entry = Entry::new(&Sample { position, score: 0, mv: None, result: GameResult::Draw });
            let engine = Evaluator::with(&evaluation, position).evaluate(position);
            let again = Position::from_setup(&entry.setup()).expect("playable");
            assert_eq!(engine, Evaluator::with(&evaluation, &again).evaluate(&again), "{position}");
            if let Some(formula) = formula {
                assert_eq!(i64::from(engine), formula(&rounded, &entry), "{position}");
            }
            entries.push(entry);
        })
        .expect("legal");
        let error = measure(&model, &entries).expect("fits");
        assert_eq!(error.positions, entries.len());
        error
    }

    #[test]
    fn files_evaluate_as_the_engine_does() {
        // Its formula: `tests/tests/nnue.rs`.
        let error = check(Shape::new(Deep { width: 96 }), None);
        assert!(error.arithmetic.max < 2.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        let formula = |model: &Model, entry: &Entry| k_p::tests::value(&model.used, model.scale, entry);
        let error = check(Shape::new(KP), Some(&formula));
        assert!(error.arithmetic.max < 4.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        // Training starts from the terms in use, which are integers.
        let model = Model::random(Shape::new(PieceSquare), 600.0, 5);
        let formula = |_: &Model, entry: &Entry| {
            (model.shape.architecture().outputs(&model.used, &[*entry])[0] * 600.0).round() as i64
        };
        let error = check(Shape::new(PieceSquare), Some(&formula));
        assert!(error.numbers.max < 0.01, "{error}");
    }
}

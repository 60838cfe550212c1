//! From a trained network to the whole numbers of its file, and what that costs.
//!
//! | module | what lives there |
//! |---|---|
//! | `own` | networks of our own |
//! | `k_p` | the standard network K-P 256x2-32-32 |
//! | `piece_square` | the numbers of the piece-square evaluation, as source text |

mod k_p;
mod own;
mod piece_square;

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::{classic, own as own_file};
use enbu_eval::psq::Tables;

use crate::dataset::Entry;
use crate::trainer::Shape;
use crate::trainer::judge::outputs;
use crate::trainer::model::{Model, Numbers};

/// What a trained network becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    /// A file of our own.
    Own(own_file::Parts),
    /// An `nn.bin` of the classic family.
    Classic(classic::Parts),
    /// Tables, which stand in the source.
    PieceSquare {
        /// What they are called.
        name: String,
        /// The numbers.
        tables: Box<Tables>,
    },
}

impl File {
    /// Its bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Own(parts) => parts.encode(),
            Self::Classic(parts) => parts.encode(),
            Self::PieceSquare { name, tables } => piece_square::source(tables, name).into_bytes(),
        }
    }

    /// The value in centipawns that the file gives a position, by its definition.
    fn value(&self, entry: &Entry) -> f64 {
        match self {
            Self::Own(parts) => own::value(parts, entry),
            Self::Classic(parts) => k_p::value(parts, entry),
            Self::PieceSquare { tables, .. } => piece_square::value(tables, entry),
        }
    }
}

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
    #[error("the output weights of bucket {bucket} are {sum} together, more than {}", own::MAX_OUTPUTS)]
    Outputs {
        /// Which bucket, from 0.
        bucket: usize,
        /// Their sum without signs, 64 = 1.0.
        sum: i64,
    },
}

/// The file of a network.
pub(crate) fn file(model: &Model, name: &str) -> Result<File, QuantiseError> {
    let mut model = model.clone();
    model.judge_with(Numbers::Rounded);
    match model.shape {
        Shape::Own(shape) => own::parts(&model, shape, name).map(File::Own),
        Shape::KP => k_p::parts(&model, name).map(File::Classic),
        Shape::PieceSquare => piece_square::parts(&model)
            .map(|tables| File::PieceSquare { name: name.to_owned(), tables: Box::new(tables) }),
    }
}

/// Numbers of a network as whole numbers, `unit` = 1.0, within plus and minus `limit`.
fn whole(model: &Model, range: Range<usize>, unit: f32, limit: i32) -> Result<Vec<i32>, QuantiseError> {
    let number = |index: usize| {
        let value = (f64::from(model.used[index]) * f64::from(unit)).round();
        if value.abs() <= f64::from(limit) { Ok(value as i32) } else { Err(QuantiseError::Number { index }) }
    };
    range.map(number).collect()
}

/// The same in 16 bits.
fn words(model: &Model, range: Range<usize>, unit: f32, limit: i16) -> Result<Vec<i16>, QuantiseError> {
    Ok(whole(model, range, unit, limit.into())?.into_iter().map(|word| word as i16).collect())
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
pub(crate) fn error(model: &Model, entries: &[Entry]) -> Result<RoundingError, QuantiseError> {
    let entries = &entries[..entries.len().min(POSITIONS)];
    let file = file(model, "")?;
    let judged: Vec<f64> = entries.iter().map(|entry| file.value(entry)).collect();
    let against = |numbers| {
        let mut model = model.clone();
        model.judge_with(numbers);
        let values = outputs(&model, entries).into_iter().map(|output| f64::from(output * model.scale));
        let each = judged.iter().zip(values).map(|(judged, value)| (judged - value).abs());
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
    use crate::game::GameResult;
    use crate::selfplay::{Player, Settings};
    use crate::source::Sample;
    use crate::trainer::OwnShape;
    use enbu_eval::nnue::{Network, Simd};
    use enbu_eval::psq::TABLES;
    use enbu_eval::{Evaluation, Evaluator};
    use std::sync::Arc;

    /// The file against the engine on every position of a game, and against floating point.
    fn check(shape: Shape, scale: i32) -> RoundingError {
        let model = Model::random(shape, 600.0, 5);
        let file = file(&model, "random").expect("fits");
        let evaluation = if shape == Shape::PieceSquare {
            Evaluation::PieceSquare
        } else {
            let network = Arc::new(Network::from_bytes(&file.encode(), Simd::best()).expect("a network"));
            assert!(network.hashes_agree());
            Evaluation::Network { network, scale }
        };
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let game = Player::new(settings, Evaluation::PieceSquare).expect("memory").game(3);
        let mut entries = Vec::new();
        game.replay(|position, _, _| {
            let entry = Entry::new(&Sample { position, score: 0, mv: None, result: GameResult::Draw, later: None });
            let engine = Evaluator::with(&evaluation, position).evaluate(position);
            assert_eq!(f64::from(engine), file.value(&entry), "{position}");
            entries.push(entry);
        })
        .expect("legal");
        let error = error(&model, &entries).expect("fits");
        assert_eq!(error.positions, entries.len());
        error
    }

    #[test]
    fn files_are_judged_as_the_engine_judges_them() {
        let error = check(Shape::Own(OwnShape { width: 64, buckets: 3, bucket_step: 4 }), 1);
        assert!(error.arithmetic.max < 2.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        let error = check(Shape::KP, 16);
        assert!(error.arithmetic.max < 4.0 && error.arithmetic.mean > 0.0, "{error}");
        assert!(error.numbers.max > error.arithmetic.max && error.numbers.max < 200.0, "{error}");
        // Training begins with the numbers in use, which are whole.
        let error = check(Shape::PieceSquare, 1);
        assert!(error.numbers.max < 0.01, "{error}");
    }

    #[test]
    fn tables_become_source_text() {
        let File::PieceSquare { tables, .. } = file(&Model::random(Shape::PieceSquare, 600.0, 1), "a").expect("fits")
        else {
            panic!("another shape")
        };
        let text = String::from_utf8(File::PieceSquare { name: "a".into(), tables }.encode()).expect("text");
        let held = format!("    held: {:?},\n", TABLES.held);
        assert!(text.contains(&held) && text.contains(&format!("            {:?},\n", TABLES.threat[0][1])), "{text}");
        assert_eq!(text.lines().count(), 13 + (14 + 1) + 2 * (1 + 14 * 11 + 1));
    }
}

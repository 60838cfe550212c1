//! The result of an analysis as plain data, which is also its JSON.
//!
//! Scores and win probabilities are Black's; moves are in USI notation.

#![expect(missing_docs, reason = "some names of members need no comment")]

use enbu_kifu::Names;
use enbu_movegen::{Color, Move};
use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::fact::Reason;

/// Version of the JSON; it changes when a field changes its meaning.
pub(crate) const FORMAT: u32 = 1;

/// A side in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Black, who moves first in an even game.
    #[default]
    Black,
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        color.select([Self::Black, Self::White])
    }
}

/// A score from Black's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns, positive where Black is better.
    Cp(i32),
    /// A forced mate, or a game won by a rule.
    Mate {
        winner: Side,
        /// Plies to the mate; 0: it is on the board.
        plies: u16,
    },
}

/// A line of play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestLine {
    pub score: Score,
    /// Black's win probability, 0 to 1.
    pub win: f64,
    pub moves: Vec<String>,
    /// `win` for a declaration by entering king after the moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A position with its judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionReport {
    /// Number of moves before it.
    pub ply: usize,
    pub sfen: String,
    /// Score; `None` outside the judged moves.
    pub score: Option<Score>,
    /// Black's win probability, 0 to 1.
    pub win: Option<f64>,
    /// Depth of the search in plies.
    pub depth: u32,
    pub nodes: u64,
    /// The best lines, the best first.
    pub lines: Vec<BestLine>,
    /// The mate by consecutive checks that the mate solver found for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<Vec<String>>,
}

/// A move with its judgement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveReport {
    /// Number of the move, from 1.
    pub ply: usize,
    pub usi: String,
    pub side: Side,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Loss of win probability against the best move, 0 to 1.
    pub loss: Option<f64>,
    /// Class; `None` for moves that are not judged.
    pub class: Option<Class>,
    /// True for the first choice of the search.
    pub first_choice: bool,
    /// The mate that was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_mate: Option<Vec<String>>,
    /// All first moves that would have mated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mating_moves: Vec<String>,
    /// Loss of the second-best move, 0 to 1, where the played one may make a problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_loss: Option<f64>,
    /// Other moves of a problem that the played move makes: those that mate, and the second-best one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<BestLine>,
    /// The reason, of a mistake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl MoveReport {
    /// Returns true for a bad move or a missed mate.
    pub(crate) fn is_mistake(&self) -> bool {
        self.class >= Some(Class::Inaccuracy) || self.missed_mate.is_some()
    }
}

/// Moves of a line in a report.
pub(crate) fn parsed(moves: &[String]) -> Vec<Move> {
    moves.iter().map_while(|text| text.parse().ok()).collect()
}

/// A variation of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariationReport {
    /// Index of the variation that it leaves; `None`: the main line.
    pub parent: Option<usize>,
    /// Number of moves before its first move.
    pub from: usize,
    /// The positions from the branching one on.
    pub positions: Vec<PositionReport>,
    pub moves: Vec<MoveReport>,
}

/// Figures of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideReport {
    pub moves: usize,
    /// Mean accuracy of the moves, 0 to 100.
    pub accuracy: Option<f64>,
    /// Share of moves that are the first choice of the search, 0 to 1.
    pub agreement: Option<f64>,
    /// Mean loss of win probability, 0 to 1.
    pub mean_loss: Option<f64>,
    /// Accuracy in opening, middlegame and endgame.
    pub accuracy_of_phases: [Option<f64>; 3],
    /// Moves of each class, the best first.
    pub classes: [usize; 5],
    pub missed_mates: usize,
}

/// Origin of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub file: String,
    /// Number of the game in the file, from 1.
    pub game: usize,
    /// Digest of the record.
    pub digest: String,
}

/// An analysed game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameReport {
    pub format: u32,
    pub engine: String,
    /// The settings in one line.
    pub settings: String,
    pub source: Source,
    pub black_name: String,
    pub white_name: String,
    /// Tournament or match.
    pub event: String,
    /// Beginning of the game.
    pub date: String,
    /// The winner; `None` after a draw and while nothing is known.
    pub winner: Option<Side>,
    /// Kind of the end, in English.
    pub end: Option<String>,
    /// Reason why the main line was not followed to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_off: Option<String>,
    /// Scale of the curve of win probability, in centipawns.
    pub win_scale_cp: i32,
    /// The positions of the main line, from the start on.
    pub positions: Vec<PositionReport>,
    pub moves: Vec<MoveReport>,
    pub variations: Vec<VariationReport>,
    pub black: SideReport,
    pub white: SideReport,
    /// Number of the move that decided the game.
    pub deciding_ply: Option<usize>,
    /// Openings, castles and tactics of the main line.
    #[serde(default)]
    pub names: Names,
    /// Numbers of the first moves of middlegame and endgame.
    pub phases: [Option<usize>; 2],
}

/// The main line of a report or one of its variations.
#[derive(Clone, Copy)]
pub(crate) struct ReportLine<'r> {
    /// Index of the line that it leaves, in [`GameReport::lines`].
    pub(crate) parent: usize,
    /// Number of moves before its first move.
    pub(crate) from: usize,
    pub(crate) positions: &'r [PositionReport],
    pub(crate) moves: &'r [MoveReport],
}

impl GameReport {
    /// The main line and then the variations.
    pub(crate) fn lines(&self) -> impl Iterator<Item = ReportLine<'_>> {
        let main = ReportLine { parent: 0, from: 0, positions: &self.positions, moves: &self.moves };
        let variations = self.variations.iter().map(|line| ReportLine {
            parent: line.parent.map_or(0, |parent| parent + 1),
            from: line.from,
            positions: &line.positions,
            moves: &line.moves,
        });
        std::iter::once(main).chain(variations)
    }

    /// The report as one line of JSON.
    pub fn to_json(&self) -> String {
        // Plain data without maps: serialisation cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// The error of the JSON reader; other versions of the format are refused too.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let report: Self = serde_json::from_str(text)?;
        if report.format != FORMAT {
            return Err(serde::de::Error::custom("another version of the format"));
        }
        Ok(report)
    }
}

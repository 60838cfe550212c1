//! The contents of a book: positions and their moves.

use std::cmp::Reverse;

use enbu_movegen::{Move, MoveParts};
use serde::{Deserialize, Serialize};

use crate::key::PositionKey;

/// The text of a book besides its positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preface {
    /// The author; only `.sbk` has one.
    pub author: String,
    /// A description: comments before the first position of a `.db`.
    pub description: String,
}

/// One position of a book with its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The position.
    pub position: PositionKey,
    /// The number of the next move in the game; `None` if the book does not name it.
    pub ply: Option<u32>,
    /// A comment on the position; lines are separated by `\n`.
    pub comment: Option<String>,
    /// The moves in the order of the file.
    pub entries: Vec<Entry>,
    /// Results of the games through this position (`.sbk`).
    pub games: Option<Games>,
    /// Analyses of the position by engines (`.sbk`).
    pub analyses: Vec<Analysis>,
}

/// A move of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The move.
    #[serde(serialize_with = "bits::serialize", deserialize_with = "bits::required")]
    pub mv: Move,
    /// The expected reply.
    #[serde(with = "bits")]
    pub ponder: Option<Move>,
    /// Value of the position after the move in centipawns, from the side that makes it.
    pub value: Option<i32>,
    /// Depth of the search that gave the value.
    pub depth: Option<u32>,
    /// Number of games with the move, or its weight.
    pub count: Option<u64>,
    /// A comment on the move; lines are separated by `\n`.
    pub comment: Option<String>,
    /// A judgement of the move (`.sbk`).
    pub judgement: Option<Judgement>,
}

/// The judgements of moves in `.sbk` files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Judgement {
    /// The only good move.
    Forced,
    /// A good move.
    Good,
    /// A dubious move.
    Bad,
    /// A blunder.
    Blunder,
}

/// Results of the games through a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Games {
    pub total: u32,
    pub black_wins: u32,
    pub white_wins: u32,
}

/// An analysis of a position, as ShogiGUI stores it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Analysis {
    /// The value as written in the file.
    pub value: i32,
    /// Depth in plies.
    pub depth: i32,
    /// Selective depth in plies.
    pub selective_depth: i32,
    /// Nodes searched.
    pub nodes: i64,
    /// The principal variation as written in the file.
    pub variation: String,
    /// Name of the engine.
    pub engine: Option<String>,
}

impl Entry {
    /// An entry without any value.
    pub const fn new(mv: Move) -> Self {
        Self { mv, ponder: None, value: None, depth: None, count: None, comment: None, judgement: None }
    }

    /// The entry in the position turned by 180 degrees.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        self.mv = flip_move(self.mv);
        self.ponder = self.ponder.map(flip_move);
        self
    }
}

impl Page {
    /// A position without moves.
    pub const fn new(position: PositionKey) -> Self {
        Self { position, ply: None, comment: None, entries: Vec::new(), games: None, analyses: Vec::new() }
    }

    /// The page of the position rotated by 180 degrees with the sides exchanged. Values
    /// are those of the side to move and stay.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            position: self.position.flipped(),
            entries: self.entries.into_iter().map(Entry::flipped).collect(),
            games: self.games.map(|games| Games {
                black_wins: games.white_wins,
                white_wins: games.black_wins,
                ..games
            }),
            ..self
        }
    }

    /// Returns true if there are no moves, comment, results or analyses.
    pub(crate) fn is_blank(&self) -> bool {
        self.entries.is_empty() && self.comment.is_none() && self.games.is_none() && self.analyses.is_empty()
    }

    /// Sorts the moves as YaneuraOu does: falling counts, then falling values; moves with
    /// the same numbers keep their order. An absent count is 1 and an absent value 0, the numbers
    /// that it reads there.
    pub fn sort(&mut self) {
        let rank = |entry: &Entry| (Reverse(entry.count.unwrap_or(1)), Reverse(entry.value.unwrap_or(0)));
        self.entries.sort_by_cached_key(rank);
    }
}

/// The move on the board rotated by 180 degrees.
///
/// ```
/// use enbu_book::flip_move;
/// assert_eq!(flip_move("7g7f".parse()?), "3c3d".parse()?);
/// assert_eq!(flip_move("P*5e".parse()?), "P*5e".parse()?);
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn flip_move(mv: Move) -> Move {
    match mv.parts() {
        MoveParts::Board { from, to, promote } => {
            MoveParts::Board { from: from.rotated(), to: to.rotated(), promote }.into()
        }
        MoveParts::Drop { piece, to } => Move::drop(piece, to.rotated()),
    }
}

/// Moves as their 16 bits; 0 for none.
mod bits {
    use enbu_movegen::Move;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(mv: &(impl Copy + Into<Option<Move>>), to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u16((*mv).into().map_or(0, Move::raw))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Move>, D::Error> {
        u16::deserialize(from).map(Move::from_raw)
    }

    pub(super) fn required<'d, D: Deserializer<'d>>(from: D) -> Result<Move, D::Error> {
        deserialize(from)?.ok_or_else(|| D::Error::custom("no move"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_sort_by_count_and_value() {
        let mut page = Page::new(PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 b -").expect("an SFEN").0);
        for (mv, value, count) in [
            ("5i5h", Some(10), Some(2)),
            ("5i4h", None, Some(2)),
            ("5i6h", Some(-5), Some(9)),
            ("5i4i", None, None),
            ("5i6i", Some(0), Some(2)),
        ] {
            page.entries.push(Entry { value, count, ..Entry::new(mv.parse().expect("a move")) });
        }
        page.sort();
        let moves: Vec<String> = page.entries.iter().map(|entry| entry.mv.to_string()).collect();
        assert_eq!(moves, ["5i6h", "5i5h", "5i4h", "5i6i", "5i4i"]);
        assert_eq!(page.clone().flipped().flipped(), page);
        assert_eq!(page.flipped().entries.first().map(|entry| entry.mv.to_string()).as_deref(), Some("5a4b"));
    }
}

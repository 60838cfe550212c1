//! Illegal moves and the rules they break.

use std::fmt;

use crate::moves::Move;

/// Error: the move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The rule that forbids it.
    pub reason: IllegalReason,
}

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalReason {
    /// No piece of the side to move is on the origin.
    NoPiece,
    /// The dropped piece is not in hand.
    NotInHand,
    /// The destination is occupied (for a board move: by an own piece).
    Occupied,
    /// The piece does not move that way.
    Unreachable,
    /// The piece cannot promote, or not there.
    Promotion,
    /// The piece could never move again (dead square).
    DeadSquare,
    /// Two unpromoted pawns on one file.
    Nifu,
    /// A pawn drop that mates.
    Uchifuzume,
    /// The own king would be left in check.
    KingInCheck,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            IllegalReason::NoPiece => "no piece of the side to move on the origin",
            IllegalReason::NotInHand => "the piece is not in hand",
            IllegalReason::Occupied => "the destination is occupied",
            IllegalReason::Unreachable => "the piece does not move that way",
            IllegalReason::Promotion => "the piece cannot promote there",
            IllegalReason::DeadSquare => "the piece could never move again",
            IllegalReason::Nifu => "two pawns on one file (nifu)",
            IllegalReason::Uchifuzume => "a pawn drop may not mate (uchifuzume)",
            IllegalReason::KingInCheck => "the own king would be in check",
        };
        write!(f, "illegal move {}: {reason}", self.mv)
    }
}

impl std::error::Error for IllegalMove {}

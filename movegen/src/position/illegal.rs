//! Illegal moves and the rules they break.

use crate::moves::Move;

/// Error: the move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {mv}: {reason}")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The rule that forbids it.
    pub reason: IllegalReason,
}

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum IllegalReason {
    #[error("no piece of the side to move on the origin")]
    NoPiece,
    #[error("the piece is not in hand")]
    NotInHand,
    #[error("the destination is occupied")]
    Occupied,
    #[error("the piece does not move that way")]
    Unreachable,
    #[error("the piece cannot promote there")]
    Promotion,
    #[error("the piece could never move again")]
    DeadSquare,
    #[error("two pawns on one file (nifu)")]
    Nifu,
    #[error("a pawn drop may not mate (uchifuzume)")]
    Uchifuzume,
    #[error("the own king would be in check")]
    KingInCheck,
}

//! The change of a position by one move.

use crate::color::Color;
use crate::piece::{HandPiece, PieceType};
use crate::square::Square;

/// The change made by a move: the input of an incremental evaluation update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// Side that moved.
    pub mover: Color,
    /// Origin of the piece.
    pub from: Origin,
    /// Destination.
    pub to: Square,
    /// Type of the piece after the move.
    pub placed: PieceType,
    /// The captured piece, if any.
    pub captured: Option<Capture>,
}

/// Origin of a moved piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is its own name")]
pub enum Origin {
    /// The square that it left, and its type before the move (unpromoted, if the move promoted it).
    Board { from: Square, kind: PieceType },
    /// The mover's hand, and the count of this piece there before the drop, at least 1.
    Hand { piece: HandPiece, held: u8 },
}

/// A captured piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its type on the board, promotion included.
    pub kind: PieceType,
    /// The piece added to the hand.
    pub piece: HandPiece,
    /// Count of this piece in hand after the capture, at least 1.
    pub held: u8,
}

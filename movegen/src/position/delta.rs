//! The change of a position by one move.

use crate::color::Color;
use crate::piece::{HandPiece, PieceType};
use crate::square::Square;

/// What a move changed: all that an evaluation needs to update itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// Who moved.
    pub mover: Color,
    /// Where the piece came from.
    pub from: Origin,
    /// Where it stands now.
    pub to: Square,
    /// What stands there now.
    pub placed: PieceType,
    /// What stood there before, if it was a capture.
    pub captured: Option<Capture>,
}

/// Where a moved piece came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the board.
    Board {
        /// The square it left.
        from: Square,
        /// What it was there (unpromoted, if the move promoted it).
        kind: PieceType,
    },
    /// From the mover's hand.
    Hand {
        /// The dropped piece.
        piece: HandPiece,
        /// How many of it the mover held before the drop, at least 1.
        held: u8,
    },
}

/// A piece that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// What it was on the board, promotion included.
    pub kind: PieceType,
    /// What the captor now holds.
    pub piece: HandPiece,
    /// How many of it the captor holds after the capture, at least 1.
    pub held: u8,
}

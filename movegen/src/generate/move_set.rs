//! Several moves at once: a piece and its destination sets.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::Move;
use crate::piece::HandPiece;
use crate::square::Square;

/// Several legal moves of the same piece or kind: `plain` are the destinations without promotion,
/// `promote` those with it, and `to` those of drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is its own name")]
pub enum MoveSet {
    /// All pawns of one side: each destination has one origin, the square one rank back.
    Pawns { color: Color, plain: Bitboard, promote: Bitboard },
    /// One piece on the board.
    Piece { from: Square, plain: Bitboard, promote: Bitboard },
    /// Drops of one kind of piece.
    Drops { piece: HandPiece, to: Bitboard },
}

impl MoveSet {
    /// Number of moves in the set.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        (match self {
            // Most pieces have no promotion: the test is cheaper than a second popcount.
            Self::Pawns { plain, promote, .. } | Self::Piece { plain, promote, .. } if !promote.is_empty() => {
                plain.count() + promote.count()
            }
            Self::Pawns { plain, .. } | Self::Piece { plain, .. } => plain.count(),
            Self::Drops { to, .. } => to.count(),
        }) as usize
    }

    /// Returns true if the set has no move.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        match self {
            Self::Pawns { plain, promote, .. } | Self::Piece { plain, promote, .. } => {
                plain.is_empty() && promote.is_empty()
            }
            Self::Drops { to, .. } => to.is_empty(),
        }
    }

    /// The origin of a pawn's move to `to`: the square one rank back.
    ///
    /// No pawn of `color` moves to its first rank; there, the result is `to` or lies on another file.
    #[inline(always)]
    pub fn pawn_origin(color: Color, to: Square) -> Square {
        let index = match color {
            Color::Black => to.index() + 1,
            Color::White => to.index().wrapping_sub(1),
        };
        Square::from_index(index).unwrap_or(to)
    }

    /// Calls `each` with every move of the set, promotions first.
    #[inline(always)]
    pub fn for_each(self, mut each: impl FnMut(Move)) {
        match self {
            Self::Pawns { color, plain, promote } => {
                promote.into_iter().for_each(|to| each(Move::promotion(Self::pawn_origin(color, to), to)));
                plain.into_iter().for_each(|to| each(Move::board(Self::pawn_origin(color, to), to)));
            }
            Self::Piece { from, plain, promote } => {
                promote.into_iter().for_each(|to| each(Move::promotion(from, to)));
                plain.into_iter().for_each(|to| each(Move::board(from, to)));
            }
            Self::Drops { piece, to } => to.into_iter().for_each(|to| each(Move::drop(piece, to))),
        }
    }
}

/// Part of the legal moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every legal move.
    All,
    /// Captures.
    Captures,
    /// Quiet moves, drops included.
    Quiets,
}

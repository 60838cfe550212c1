//! Several moves at once: a piece and its destination sets.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::Move;
use crate::piece::HandPiece;
use crate::square::Square;

/// Several legal moves that share their piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSet {
    /// Pawns stepping onto each square from the one behind it.
    Pawns {
        /// Whose pawns.
        color: Color,
        /// Destinations without promotion.
        plain: Bitboard,
        /// Destinations with promotion.
        promote: Bitboard,
    },
    /// One piece on the board.
    Piece {
        /// Where it stands.
        from: Square,
        /// Destinations without promotion.
        plain: Bitboard,
        /// Destinations with promotion.
        promote: Bitboard,
    },
    /// Drops of one kind of piece.
    Drops {
        /// What is dropped.
        piece: HandPiece,
        /// Where.
        to: Bitboard,
    },
}

impl MoveSet {
    /// How many moves the set holds.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        (match self {
            // Most pieces have nowhere to promote: asking is cheaper than counting.
            Self::Pawns { plain, promote, .. } | Self::Piece { plain, promote, .. } if !promote.is_empty() => {
                plain.count() + promote.count()
            }
            Self::Pawns { plain, .. } | Self::Piece { plain, .. } => plain.count(),
            Self::Drops { to, .. } => to.count(),
        }) as usize
    }

    /// Whether the set holds no move.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        match self {
            Self::Pawns { plain, promote, .. } | Self::Piece { plain, promote, .. } => {
                plain.is_empty() && promote.is_empty()
            }
            Self::Drops { to, .. } => to.is_empty(),
        }
    }

    /// Calls `each` with every move, promotions first.
    #[inline(always)]
    pub fn for_each(self, mut each: impl FnMut(Move)) {
        match self {
            Self::Pawns { color, plain, promote } => {
                let behind = |to: Square| match color {
                    Color::Black => Square::from_index(to.index() + 1),
                    Color::White => Square::from_index(to.index().wrapping_sub(1)),
                };
                for to in promote {
                    if let Some(from) = behind(to) {
                        each(Move::promotion(from, to));
                    }
                }
                for to in plain {
                    if let Some(from) = behind(to) {
                        each(Move::board(from, to));
                    }
                }
            }
            Self::Piece { from, plain, promote } => {
                promote.into_iter().for_each(|to| each(Move::promotion(from, to)));
                plain.into_iter().for_each(|to| each(Move::board(from, to)));
            }
            Self::Drops { piece, to } => to.into_iter().for_each(|to| each(Move::drop(piece, to))),
        }
    }
}

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every legal move.
    All,
    /// Moves that take a piece.
    Captures,
    /// Moves that take nothing, drops included.
    Quiets,
}

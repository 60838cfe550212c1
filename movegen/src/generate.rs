//! Legal moves, handed out as sets.
//!
//! A [`MoveSet`] holds the moves of one piece (or of all pawns, or the drops of
//! one kind) as destination sets. Counting them is a popcount, listing them one
//! loop; every set contains legal moves only.
//!
//! | file | owns |
//! |---|---|
//! | `board.rs` | moves of pieces on the board, promotion, pins |
//! | `checks.rs` | the moves that give check |
//! | `drops.rs` | nifu, dead squares, uchifuzume |
//! | `evasions.rs` | king moves, and what answers a check |

mod board;
mod checks;
mod drops;
mod evasions;

pub use checks::Aim;

use enbu_isa::multiversion;

use crate::{Bitboard, Color, HandPiece, Move, MoveList, Position, Square};

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

multiversion! {
    fn moves_in(position: &Position, scope: Scope, list: &mut MoveList) = Position::moves_in_inline;
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

impl Position {
    /// Hands every legal move in `scope` to `visit`, as non-empty sets.
    ///
    /// Every move appears once. All rules are obeyed: nifu, dead squares,
    /// uchifuzume, check; non-promotions are listed wherever they are legal.
    #[inline(always)]
    pub fn for_each_set(&self, scope: Scope, mut visit: impl FnMut(MoveSet)) {
        let us = self.turn();
        let targets = match scope {
            Scope::All => !self.by_color(us),
            Scope::Captures => self.by_color(!us),
            Scope::Quiets => !self.occupied(),
        };
        evasions::king_moves(self, targets, &mut visit);
        let Some(answers) = evasions::answering_squares(self) else { return };
        board::piece_moves(self, targets & answers, &mut visit);
        if scope != Scope::Captures {
            drops::drops(self, answers.without(self.occupied()), &mut visit);
        }
    }

    /// Appends every legal move of the side to move to `list`.
    ///
    /// ```
    /// use enbu_movegen::{MoveList, Position};
    /// let mut moves = MoveList::new();
    /// Position::startpos().legal_moves(&mut moves);
    /// assert_eq!(moves.len(), 30);
    /// ```
    pub fn legal_moves(&self, list: &mut MoveList) {
        self.moves_in(Scope::All, list);
    }

    /// Appends every legal move in `scope` to `list`.
    pub fn moves_in(&self, scope: Scope, list: &mut MoveList) {
        moves_in(self, scope, list);
    }

    #[inline(always)]
    fn moves_in_inline(&self, scope: Scope, list: &mut MoveList) {
        self.for_each_set(scope, |set| set.for_each(|mv| list.push(mv)));
    }

    /// How many legal moves the side to move has.
    pub fn count_legal_moves(&self) -> usize {
        let mut count = 0;
        self.for_each_set(Scope::All, |set| count += set.len());
        count
    }

    /// Whether the side to move has any legal move; without one it has lost.
    pub fn has_legal_move(&self) -> bool {
        // Mates are rare and sets are cheap: no early exit is needed.
        let mut any = false;
        self.for_each_set(Scope::All, |set| any |= !set.is_empty());
        any
    }

    /// Whether the side to move is mated: in check without a legal move.
    pub fn is_mate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }
}

//! Checking moves: the legal moves, filtered by direct and discovered check.
//!
//! A direct check lands on a square from which the piece attacks the king; a discovered
//! check leaves the line of an own slider. Both tests are sets: for each kind of piece
//! the squares from which it attacks the king, and the own pieces that are the only
//! blocker between an own slider and the king.
//!
//! Vacating the origin never opens a line for the moved piece itself: a slider that
//! attacks the king through its own origin would have attacked it before the move.

use enbu_isa::multiversion;

use super::move_set::MoveSet;
use super::{board, drops};
use crate::attacks::Origins;
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::move_list::MoveList;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, PieceType};
use crate::position::Position;
use crate::rays::ray_through;
use crate::square::Square;

multiversion! {
    fn checks(position: &Position, list: &mut MoveList) {
        position.for_each_check_set(|set| set.for_each(|mv| list.push(mv)));
    }
}

multiversion! {
    fn count_checks(position: &Position) -> usize {
        let mut count = 0;
        position.for_each_check_set(|set| count += set.len());
        count
    }
}

multiversion! {
    fn check_squares(position: &Position) -> Option<CheckSquares> = CheckSquares::new;
}

/// Squares and blockers from which a position's moves give check.
///
/// Computed once for a position by [`Position::check_squares`]; the test of a single move is
/// then a table lookup.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    us: Color,
    /// The squares from which pieces of the side to move attack the king.
    direct: Origins,
    /// Own pieces that are the only blocker between an own slider and the enemy king.
    shields: Bitboard,
}

impl CheckSquares {
    /// Returns `None` if the opponent has no king.
    #[inline(always)]
    fn new(position: &Position) -> Option<Self> {
        let us = position.turn();
        let king = position.king(!us)?;
        let direct = Origins::of(us, king, position.occupied());
        Some(Self { king, us, direct, shields: position.discoverers(king) })
    }

    /// Destinations of a move from `from` that give discovered check.
    #[inline(always)]
    fn uncovers(&self, from: Square) -> Bitboard {
        if self.shields.contains(from) { !ray_through(self.king, from) } else { Bitboard::EMPTY }
    }

    /// Returns true if a legal move of `position`, the position of these squares, gives check.
    ///
    /// Equals [`Position::gives_check`], which is cheaper for a single move only.
    #[inline(always)]
    pub fn is_hit_by(&self, position: &Position, mv: Move) -> bool {
        match mv.parts() {
            MoveParts::Drop { piece, to } => self.direct.by(piece.piece_type()).contains(to),
            MoveParts::Board { from, to, promote } => {
                let Some(moved) = position.piece_at(from) else { return false };
                let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
                self.direct.by(placed).contains(to) || self.uncovers(from).contains(to)
            }
        }
    }

    /// Destinations on which a move gives check, direct or discovered.
    ///
    /// `placed` is the kind after the move, `from` the origin, `None` for a drop.
    #[inline(always)]
    pub fn squares(&self, placed: PieceType, from: Option<Square>) -> Bitboard {
        self.direct.by(placed) | from.map_or(Bitboard::EMPTY, |from| self.uncovers(from))
    }

    /// Destinations on which a move of any pawn on the board gives check, direct or discovered.
    ///
    /// `placed` is the kind after the move.
    #[inline(always)]
    pub fn pawn_squares(&self, position: &Position, placed: PieceType) -> Bitboard {
        // A pawn on the king's file stays on its line and discovers nothing.
        let shields = self.shields & position.pieces(self.us, PieceType::Pawn);
        let uncovering = shields.without(Bitboard::file_of(self.king)).forward(self.us);
        self.direct.by(placed) | uncovering
    }

    /// The checking moves of `set`.
    #[inline(always)]
    fn cut(&self, position: &Position, set: MoveSet) -> MoveSet {
        match set {
            MoveSet::Pawns { color, plain, promote } => MoveSet::Pawns {
                color,
                plain: plain & self.pawn_squares(position, PieceType::Pawn),
                promote: promote & self.pawn_squares(position, PieceType::ProPawn),
            },
            MoveSet::Piece { from, plain, promote } => {
                let uncovering = self.uncovers(from);
                let (kept, promoted) = match position.piece_at(from).map(|piece| piece.kind) {
                    Some(kind) => {
                        (self.direct.by(kind), kind.promoted().map_or(Bitboard::EMPTY, |to| self.direct.by(to)))
                    }
                    None => (Bitboard::EMPTY, Bitboard::EMPTY),
                };
                MoveSet::Piece { from, plain: plain & (kept | uncovering), promote: promote & (promoted | uncovering) }
            }
            MoveSet::Drops { piece, to } => MoveSet::Drops { piece, to: to & self.direct.by(piece.piece_type()) },
        }
    }
}

impl Position {
    /// Computes the squares and blockers from which moves of this position give check;
    /// `None` if the opponent has no king.
    ///
    /// ```
    /// use enbu_movegen::{Position, Setup};
    /// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/9 b G 1".parse().expect("an SFEN");
    /// let position = Position::from_setup(&setup).expect("playable");
    /// let squares = position.check_squares().expect("there is a king");
    /// let checks = |mv: &str| squares.is_hit_by(&position, mv.parse().expect("a move"));
    /// assert!(checks("G*5b") && checks("5c5b+") && !checks("G*5h"));
    /// ```
    pub fn check_squares(&self) -> Option<CheckSquares> {
        check_squares(self)
    }

    /// Calls `visit` with the legal moves that give check, as non-empty sets.
    ///
    /// These are exactly the moves of [`for_each_set`](Self::for_each_set) for which
    /// [`gives_check`](Self::gives_check) is true, each once. Without an enemy king
    /// there are none.
    #[inline(always)]
    pub fn for_each_check_set(&self, mut visit: impl FnMut(MoveSet)) {
        let Some(squares) = CheckSquares::new(self) else { return };
        let checking = squares.direct.by_any();
        let targets = !self.by_color(self.turn());
        let mut cut = |set: MoveSet| {
            let set = squares.cut(self, set);
            if !set.is_empty() {
                visit(set);
            }
        };
        if self.king(self.turn()).is_some_and(|from| squares.shields.contains(from)) {
            board::king_moves(self, targets, &mut cut);
        }
        let Some(answers) = board::answering_squares(self) else { return };
        // Without a possible discovered check, destinations outside `checking` give none:
        // the smaller target set rejects most pieces before their set is filtered.
        let arrivals = if squares.shields.is_empty() { targets & checking } else { targets };
        board::piece_moves(self, arrivals & answers, &mut cut);
        drops::drops(self, answers.without(self.occupied()) & checking, &mut cut);
    }

    /// The squares on which a drop of `piece` would be a legal check, if the side to
    /// move had one in hand.
    pub fn checking_drops(&self, piece: HandPiece) -> Bitboard {
        let (Some(squares), Some(answers)) = (CheckSquares::new(self), board::answering_squares(self)) else {
            return Bitboard::EMPTY;
        };
        drops::squares(self, piece, answers.without(self.occupied()) & squares.direct.by(piece.piece_type()))
    }

    /// Appends every legal move that gives check to `list`.
    ///
    /// ```
    /// use enbu_movegen::{MoveList, Position, Setup};
    /// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/9 b G 1".parse().expect("an SFEN");
    /// let mut checks = MoveList::new();
    /// Position::from_setup(&setup).expect("playable").checks(&mut checks);
    /// assert_eq!(checks.len(), 7); // the pawn with and without promotion, and five squares for the gold
    /// ```
    pub fn checks(&self, list: &mut MoveList) {
        checks(self, list);
    }

    /// Number of legal moves that give check.
    pub fn count_checks(&self) -> usize {
        count_checks(self)
    }
}

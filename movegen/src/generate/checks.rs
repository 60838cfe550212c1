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
use super::{board, drops, evasions};
use crate::attacks::{gold, king, knight, pawn, silver};
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::move_list::MoveList;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, PieceType};
use crate::position::Position;
use crate::rays::ray_through;
use crate::sliders;
use crate::square::Square;

multiversion! {
    fn checks(position: &Position, list: &mut MoveList) = Position::checks_inline;
}

multiversion! {
    fn count_checks(position: &Position) -> usize = Position::count_checks_inline;
}

multiversion! {
    fn aim(position: &Position) -> Option<Aim> = Aim::new;
}

/// Squares and blockers from which a position's moves give check.
///
/// Computed once for a position by [`Position::aim`]; the test of a single move is then
/// a table lookup.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    king: Square,
    us: Color,
    /// For each kind of piece of the side to move, the squares from which it attacks the king.
    direct: [Bitboard; PieceType::COUNT],
    /// Own pieces that are the only blocker between an own slider and the enemy king.
    shields: Bitboard,
}

impl Aim {
    /// Returns `None` if the opponent has no king.
    #[inline(always)]
    fn new(position: &Position) -> Option<Self> {
        let us = position.turn();
        let target = position.king(!us)?;
        let occupied = position.occupied();
        let (bishop, rook) = (sliders::bishop(target, occupied), sliders::rook(target, occupied));
        let (gold, steps) = (gold(!us, target), king(target));
        let mut direct = [gold; PieceType::COUNT];
        direct[PieceType::Pawn] = pawn(!us, target);
        direct[PieceType::Lance] = sliders::lance(!us, target, occupied);
        direct[PieceType::Knight] = knight(!us, target);
        direct[PieceType::Silver] = silver(!us, target);
        direct[PieceType::Bishop] = bishop;
        direct[PieceType::Rook] = rook;
        direct[PieceType::King] = Bitboard::EMPTY;
        direct[PieceType::Horse] = bishop | steps;
        direct[PieceType::Dragon] = rook | steps;
        Some(Self { king: target, us, direct, shields: position.discoverers(target) })
    }

    /// Destinations of a move from `from` that give discovered check.
    #[inline(always)]
    fn uncovers(&self, from: Square) -> Bitboard {
        if self.shields.contains(from) { !ray_through(self.king, from) } else { Bitboard::EMPTY }
    }

    /// Returns true if a legal move of `position`, the position of this `Aim`, gives check.
    ///
    /// Equals [`Position::gives_check`], which is cheaper for a single move only.
    #[inline(always)]
    pub fn is_hit_by(&self, position: &Position, mv: Move) -> bool {
        match mv.parts() {
            MoveParts::Drop { piece, to } => self.direct[piece.piece_type()].contains(to),
            MoveParts::Board { from, to, promote } => {
                let Some(moved) = position.piece_at(from) else { return false };
                let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
                self.direct[placed].contains(to) || self.uncovers(from).contains(to)
            }
        }
    }

    /// Destinations on which a move gives check, direct or discovered.
    ///
    /// `placed` is the kind after the move, `from` the origin, `None` for a drop.
    #[inline(always)]
    pub fn squares(&self, placed: PieceType, from: Option<Square>) -> Bitboard {
        self.direct[placed] | from.map_or(Bitboard::EMPTY, |from| self.uncovers(from))
    }

    /// Destinations on which a move of any pawn on the board gives check, direct or discovered.
    ///
    /// `placed` is the kind after the move.
    #[inline(always)]
    pub fn pawn_squares(&self, position: &Position, placed: PieceType) -> Bitboard {
        // A pawn on the king's file stays on its line and discovers nothing.
        let shields = self.shields & position.pieces(self.us, PieceType::Pawn);
        let uncovering = shields.without(Bitboard::file_of(self.king)).forward(self.us);
        self.direct[placed] | uncovering
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
                    Some(kind) => (self.direct[kind], kind.promoted().map_or(Bitboard::EMPTY, |to| self.direct[to])),
                    None => (Bitboard::EMPTY, Bitboard::EMPTY),
                };
                MoveSet::Piece { from, plain: plain & (kept | uncovering), promote: promote & (promoted | uncovering) }
            }
            MoveSet::Drops { piece, to } => MoveSet::Drops { piece, to: to & self.direct[piece.piece_type()] },
        }
    }

    /// The union of all squares of direct checks: knight, horse and dragon cover the others.
    #[inline(always)]
    fn checking_squares(&self) -> Bitboard {
        self.direct[PieceType::Knight] | self.direct[PieceType::Horse] | self.direct[PieceType::Dragon]
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
    /// let aim = position.aim().expect("there is a king");
    /// let checks = |mv: &str| aim.is_hit_by(&position, mv.parse().expect("a move"));
    /// assert!(checks("G*5b") && checks("5c5b+") && !checks("G*5h"));
    /// ```
    pub fn aim(&self) -> Option<Aim> {
        aim(self)
    }

    /// Calls `visit` with the legal moves that give check, as non-empty sets.
    ///
    /// These are exactly the moves of [`for_each_set`](Self::for_each_set) for which
    /// [`gives_check`](Self::gives_check) is true, each once. Without an enemy king
    /// there are none.
    #[inline(always)]
    pub fn for_each_check_set(&self, mut visit: impl FnMut(MoveSet)) {
        let Some(aim) = Aim::new(self) else { return };
        let checking = aim.checking_squares();
        let targets = !self.by_color(self.turn());
        let mut cut = |set: MoveSet| {
            let set = aim.cut(self, set);
            if !set.is_empty() {
                visit(set);
            }
        };
        if self.king(self.turn()).is_some_and(|from| aim.shields.contains(from)) {
            evasions::king_moves(self, targets, &mut cut);
        }
        let Some(answers) = evasions::answering_squares(self) else { return };
        // Without a possible discovered check, destinations outside `checking` give none:
        // the smaller target set rejects most pieces before their set is filtered.
        let arrivals = if aim.shields.is_empty() { targets & checking } else { targets };
        board::piece_moves(self, arrivals & answers, &mut cut);
        drops::drops(self, answers.without(self.occupied()) & checking, &mut cut);
    }

    /// The squares on which a drop of `piece` would be a legal check, if the side to
    /// move had one in hand.
    pub fn checking_drops(&self, piece: HandPiece) -> Bitboard {
        let (Some(aim), Some(answers)) = (Aim::new(self), evasions::answering_squares(self)) else {
            return Bitboard::EMPTY;
        };
        drops::squares(self, piece, answers.without(self.occupied()) & aim.direct[piece.piece_type()])
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

    #[inline(always)]
    fn checks_inline(&self, list: &mut MoveList) {
        self.for_each_check_set(|set| set.for_each(|mv| list.push(mv)));
    }

    /// Number of legal moves that give check.
    pub fn count_checks(&self) -> usize {
        count_checks(self)
    }

    #[inline(always)]
    fn count_checks_inline(&self) -> usize {
        let mut count = 0;
        self.for_each_check_set(|set| count += set.len());
        count
    }
}

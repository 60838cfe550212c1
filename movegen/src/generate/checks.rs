//! Moves that give check: legal moves, cut down to those that attack the enemy king.
//!
//! A move checks directly, when it lands where its piece attacks the king, or by
//! discovery, when it leaves the line of an own slider. Both are sets: for every
//! kind of piece the squares from which it attacks the king, and the own pieces
//! that alone shield the king from an own slider.
//!
//! Vacating a square never opens a line for the moved piece itself: a slider that
//! attacks the king through its own origin would have attacked it before.

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

/// From where the enemy king can be attacked, and which moves uncover it: made once
/// for a position by [`Position::aim`], it tells of every move whether it checks.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    king: Square,
    us: Color,
    /// For each kind of piece of the side to move: the squares that attack the king.
    direct: [Bitboard; PieceType::COUNT],
    /// Own pieces that alone shield the enemy king from an own slider.
    shields: Bitboard,
}

impl Aim {
    /// `None` where there is no king to check.
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

    /// The squares on which a move of the piece from `from` uncovers the king.
    #[inline(always)]
    fn uncovers(&self, from: Square) -> Bitboard {
        if self.shields.contains(from) { !ray_through(self.king, from) } else { Bitboard::EMPTY }
    }

    /// Whether a legal move of `position`, which this was made for, gives check.
    ///
    /// The same as [`Position::gives_check`], which is cheaper for a single move only.
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

    /// The squares on which a piece gives check when it arrives there as `placed`, from
    /// `from` or (`None`) from the hand.
    #[inline(always)]
    pub fn squares(&self, placed: PieceType, from: Option<Square>) -> Bitboard {
        self.direct[placed] | from.map_or(Bitboard::EMPTY, |from| self.uncovers(from))
    }

    /// The moves of `set` that give check.
    #[inline(always)]
    fn cut(&self, position: &Position, set: MoveSet) -> MoveSet {
        match set {
            MoveSet::Pawns { color, plain, promote } => {
                // A pawn on the king's file stays on the line it shields.
                let shields = self.shields & position.pieces(self.us, PieceType::Pawn);
                let uncovering = shields.without(Bitboard::file_of(self.king)).forward(self.us);
                MoveSet::Pawns {
                    color,
                    plain: plain & (self.direct[PieceType::Pawn] | uncovering),
                    promote: promote & (self.direct[PieceType::ProPawn] | uncovering),
                }
            }
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

    /// Every square on which some piece would give check.
    #[inline(always)]
    fn checking_squares(&self) -> Bitboard {
        self.direct[PieceType::Knight] | self.direct[PieceType::Horse] | self.direct[PieceType::Dragon]
    }
}

impl Position {
    /// What tells the moves of this position that give check from the others; `None`
    /// where there is no king to check.
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

    /// Hands every legal move that gives check to `visit`, as non-empty sets.
    ///
    /// These are exactly the moves of [`for_each_set`](Self::for_each_set) for which
    /// [`gives_check`](Self::gives_check) holds, each once. Without an enemy king
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
        // Without a discovered check only some squares matter, and most pieces reach none.
        let arrivals = if aim.shields.is_empty() { targets & checking } else { targets };
        board::piece_moves(self, arrivals & answers, &mut cut);
        drops::drops(self, answers.without(self.occupied()) & checking, &mut cut);
    }

    /// The squares on which a drop of `piece` would be a legal check if the side to
    /// move held one, whether it does or not.
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
    /// assert_eq!(checks.len(), 7); // the pawn's promotion and plain step, and five squares for the gold
    /// ```
    pub fn checks(&self, list: &mut MoveList) {
        checks(self, list);
    }

    #[inline(always)]
    fn checks_inline(&self, list: &mut MoveList) {
        self.for_each_check_set(|set| set.for_each(|mv| list.push(mv)));
    }

    /// How many legal moves give check.
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

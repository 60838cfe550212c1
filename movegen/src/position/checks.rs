//! Attackers, checkers, pins, and the check test for a single move.

use enbu_isa::multiversion;

use super::Position;
use crate::attacks::{gold, knight, pawn, silver};
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::{Move, MoveParts};
use crate::piece::PieceType;
use crate::rays::{between, bishop_cross, lance_ray, lone_blockers, ray_through, rook_cross};
use crate::square::Square;
use crate::{attacks, sliders};

multiversion! {
    fn gives_check(position: &Position, mv: Move) -> bool {
        let us = position.turn();
        let Some(king) = position.king(!us) else { return false };
        match mv.parts() {
            MoveParts::Drop { piece, to } => {
                attacks::attacks(piece.piece_type(), us, to, position.occupied()).contains(king)
            }
            MoveParts::Board { from, to, promote } => {
                let Some(moved) = position.piece_at(from) else { return false };
                let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
                let occupied = position.occupied().without(Bitboard::of(from)) | Bitboard::of(to);
                attacks::attacks(placed, us, to, occupied).contains(king) || position.discovers(king, from, to, occupied)
            }
        }
    }
}

impl Position {
    /// All golds and promoted minor pieces.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.by_kind(PieceType::Gold)
            | self.by_kind(PieceType::ProPawn)
            | self.by_kind(PieceType::ProLance)
            | self.by_kind(PieceType::ProKnight)
            | self.by_kind(PieceType::ProSilver)
    }

    /// Bishops and horses.
    #[inline]
    pub(crate) fn diagonal_sliders(&self) -> Bitboard {
        self.by_kind(PieceType::Bishop) | self.by_kind(PieceType::Horse)
    }

    /// Rooks and dragons.
    #[inline]
    pub(crate) fn straight_sliders(&self) -> Bitboard {
        self.by_kind(PieceType::Rook) | self.by_kind(PieceType::Dragon)
    }

    /// `color`'s pieces that attack `square` by a step or a knight's jump.
    #[inline(always)]
    fn step_attackers(&self, square: Square, color: Color) -> Bitboard {
        // Attacks are symmetric: a piece of `color` attacks `square` if and only if a
        // piece of its kind and the other colour on `square` attacks it.
        let (silver, gold) = (silver(!color, square), gold(!color, square));
        let reversed = pawn(!color, square) & self.by_kind(PieceType::Pawn)
            | knight(!color, square) & self.by_kind(PieceType::Knight)
            | silver & self.by_kind(PieceType::Silver)
            | gold & self.golds()
            // A king steps wherever either of these does.
            | (silver | gold)
                & (self.by_kind(PieceType::King) | self.by_kind(PieceType::Horse) | self.by_kind(PieceType::Dragon));
        reversed & self.by_color(color)
    }

    /// `color`'s lances, bishops and rooks that would attack `square` on an empty board.
    #[inline(always)]
    pub fn aligned_sliders(&self, square: Square, color: Color) -> Bitboard {
        let reversed = lance_ray(!color, square) & self.by_kind(PieceType::Lance)
            | bishop_cross(square) & self.diagonal_sliders()
            | rook_cross(square) & self.straight_sliders();
        reversed & self.by_color(color)
    }

    /// `color`'s pieces that attack `square`, with lines blocked by `occupied`.
    #[inline(always)]
    pub fn attackers(&self, square: Square, color: Color, occupied: Bitboard) -> Bitboard {
        let mut set = self.step_attackers(square, color);
        for slider in self.aligned_sliders(square, color) {
            if !between(square, slider).intersects(occupied) {
                set |= Bitboard::of(slider);
            }
        }
        set
    }

    /// Returns true if a piece of `color` attacks `square`, with lines blocked by `occupied`.
    #[inline(always)]
    pub fn is_attacked(&self, square: Square, color: Color, occupied: Bitboard) -> bool {
        !self.step_attackers(square, color).is_empty()
            || self
                .aligned_sliders(square, color)
                .into_iter()
                .any(|slider| !between(square, slider).intersects(occupied))
    }

    /// Computes [`checkers`](Self::checkers) and [`pinned`](Self::pinned).
    #[inline(always)]
    pub(super) fn update_checks(&mut self) {
        self.checkers = Bitboard::EMPTY;
        self.pinned = Bitboard::EMPTY;
        let Some(king) = self.king(self.turn()) else { return };
        let (occupied, own) = (self.occupied(), self.by_color(self.turn()));
        self.checkers = self.step_attackers(king, !self.turn());
        for slider in self.aligned_sliders(king, !self.turn()) {
            let shield = between(king, slider) & occupied;
            if shield.is_empty() {
                self.checkers |= Bitboard::of(slider);
            } else if !shield.has_several() {
                self.pinned |= shield & own;
            }
        }
    }

    /// `color`'s pieces that are the only blocker between `square` and a slider of the other
    /// side.
    pub(super) fn shields(&self, square: Square, color: Color) -> Bitboard {
        self.lone_blockers(square, !color) & self.by_color(color)
    }

    /// Pieces of the side to move that are the only blocker between `square` and one of its
    /// own sliders: a move off that line discovers the attack.
    #[inline(always)]
    pub(crate) fn discoverers(&self, square: Square) -> Bitboard {
        self.lone_blockers(square, self.turn()) & self.by_color(self.turn())
    }

    /// Pieces of either side that are the only blocker between `square` and a slider of
    /// `sliding`.
    #[inline(always)]
    fn lone_blockers(&self, square: Square, sliding: Color) -> Bitboard {
        lone_blockers(square, self.aligned_sliders(square, sliding), self.occupied())
    }

    /// Returns true if a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        gives_check(self, mv)
    }

    /// Returns true if the move from `from` to `to` opens a line of an own slider to `king`.
    #[inline(always)]
    fn discovers(&self, king: Square, from: Square, to: Square, occupied: Bitboard) -> bool {
        let line = ray_through(king, from);
        if line.is_empty() || line.contains(to) {
            return false;
        }
        let us = self.turn();
        let opened = if rook_cross(king).contains(from) {
            let lances = self.by_kind(PieceType::Lance) & lance_ray(!us, king);
            sliders::rook(king, occupied) & (self.straight_sliders() | lances)
        } else {
            sliders::bishop(king, occupied) & self.diagonal_sliders()
        };
        (opened & line & occupied).intersects(self.by_color(us))
    }
}

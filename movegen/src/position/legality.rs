//! Legality of a single move, and the rule that an illegal one breaks.

use super::Position;
use super::illegal::IllegalReason;
use crate::attacks;
use crate::attacks::dead_squares;
use crate::attacks::{king, pawn};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, PieceType};
use crate::rays::{between, ray_through};
use crate::square::Square;

impl Position {
    /// Returns true if `mv` is legal: exactly the moves that
    /// [`legal_moves`](Self::legal_moves) generates.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.check_legality(mv).is_ok()
    }

    /// Tests `mv` against the rules; the error is the rule that it breaks.
    pub(super) fn check_legality(&self, mv: Move) -> Result<(), IllegalReason> {
        match mv.parts() {
            MoveParts::Drop { piece, to } => self.check_drop(piece, to),
            MoveParts::Board { from, to, promote } => {
                let kind = self.check_board_move(from, to)?;
                if promote {
                    let zone = Bitboard::zone(self.turn());
                    if kind.promoted().is_none() || !(zone.contains(from) || zone.contains(to)) {
                        return Err(IllegalReason::Promotion);
                    }
                } else if dead_squares(self.turn(), kind).contains(to) {
                    return Err(IllegalReason::DeadSquare);
                }
                self.check_king_safety(kind, from, to)
            }
        }
    }

    fn check_board_move(&self, from: Square, to: Square) -> Result<PieceType, IllegalReason> {
        let us = self.turn();
        let kind = match self.piece_at(from) {
            Some(piece) if piece.color == us => piece.kind,
            _ => return Err(IllegalReason::NoPiece),
        };
        if self.by_color(us).contains(to) {
            return Err(IllegalReason::Occupied);
        }
        if attacks::attacks(kind, us, from, self.occupied()).contains(to) {
            Ok(kind)
        } else {
            Err(IllegalReason::Unreachable)
        }
    }

    fn check_king_safety(&self, kind: PieceType, from: Square, to: Square) -> Result<(), IllegalReason> {
        let us = self.turn();
        let safe = match self.king(us) {
            None => true,
            Some(_) if kind == PieceType::King => {
                !self.is_attacked(to, !us, self.occupied().without(Bitboard::of(from)))
            }
            Some(king) => {
                (!self.pinned.contains(from) || ray_through(king, from).contains(to)) && self.answers_check(king, to)
            }
        };
        if safe { Ok(()) } else { Err(IllegalReason::KingInCheck) }
    }

    /// Returns true if the arrival of a piece other than the king on `to` ends every check.
    fn answers_check(&self, king: Square, to: Square) -> bool {
        match self.checkers.first() {
            None => true,
            Some(checker) => !self.checkers.has_several() && (checker == to || between(king, checker).contains(to)),
        }
    }

    fn check_drop(&self, piece: HandPiece, to: Square) -> Result<(), IllegalReason> {
        let us = self.turn();
        if !self.hand(us).has(piece) {
            return Err(IllegalReason::NotInHand);
        }
        if self.occupied().contains(to) {
            return Err(IllegalReason::Occupied);
        }
        if dead_squares(us, piece.piece_type()).contains(to) {
            return Err(IllegalReason::DeadSquare);
        }
        if piece == HandPiece::Pawn && self.pieces(us, PieceType::Pawn).intersects(Bitboard::file_of(to)) {
            return Err(IllegalReason::Nifu);
        }
        if self.king(us).is_some_and(|king| !self.answers_check(king, to)) {
            return Err(IllegalReason::KingInCheck);
        }
        if piece == HandPiece::Pawn && self.is_uchifuzume(to) {
            return Err(IllegalReason::Uchifuzume);
        }
        Ok(())
    }

    /// Returns true if a pawn dropped on the empty square `to` would mate.
    ///
    /// The pawn is adjacent to the king, so there is no interposition: the only answers
    /// are a capture of the pawn and a king move.
    pub(crate) fn is_uchifuzume(&self, to: Square) -> bool {
        let us = self.turn();
        let Some(king_square) = self.king(!us) else { return false };
        if !pawn(us, to).contains(king_square) {
            return false;
        }
        !self.can_take_dropped_pawn(king_square, to) && !self.can_step_away(king_square, to)
    }

    /// Returns true if a piece of the opponent other than the king can capture on `to`,
    /// adjacent to its king, without opening a line to the king.
    fn can_take_dropped_pawn(&self, king_square: Square, to: Square) -> bool {
        let us = self.turn();
        let takers = self.attackers(to, !us, self.occupied()).without(Bitboard::of(king_square));
        let own_shields = self.shields(king_square, !us);
        takers.into_iter().any(|taker| !own_shields.contains(taker) || ray_through(king_square, taker).contains(to))
    }

    /// Returns true if the opponent's king has a safe square after a pawn drop on `to`.
    fn can_step_away(&self, king_square: Square, to: Square) -> bool {
        let us = self.turn();
        let occupied = self.occupied().without(Bitboard::of(king_square)) | Bitboard::of(to);
        king(king_square).without(self.by_color(!us)).into_iter().any(|square| !self.is_attacked(square, us, occupied))
    }
}

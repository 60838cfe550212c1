//! Moves of the pieces on the board.

use super::move_set::MoveSet;
use crate::attacks::{dead_squares, dragon, gold, horse, king, knight, silver};
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType;
use crate::position::Position;
use crate::rays::{between, ray_through};
use crate::sliders;
use crate::square::Square;

/// Visits the moves of all pieces but the king to `targets`: squares without an own
/// piece that answer any check.
#[inline(always)]
pub(super) fn piece_moves(position: &Position, targets: Bitboard, visit: &mut impl FnMut(MoveSet)) {
    let us = position.turn();
    let pinned = position.pinned();
    pawn_moves(position, targets, visit);
    let mut emit = |from: Square, attacked: Bitboard, kind: PieceType| {
        let mut to = attacked & targets;
        if pinned.contains(from) {
            to &= pin_line(position, from);
        }
        if !to.is_empty() {
            visit(split(us, from, kind, to));
        }
    };
    let occupied = position.occupied();
    for from in position.pieces(us, PieceType::Lance) {
        emit(from, sliders::lance(us, from, occupied), PieceType::Lance);
    }
    for from in position.pieces(us, PieceType::Knight) {
        emit(from, knight(us, from), PieceType::Knight);
    }
    for from in position.pieces(us, PieceType::Silver) {
        emit(from, silver(us, from), PieceType::Silver);
    }
    for from in position.golds() & position.by_color(us) {
        emit(from, gold(us, from), PieceType::Gold);
    }
    for from in position.pieces(us, PieceType::Bishop) {
        emit(from, sliders::bishop(from, occupied), PieceType::Bishop);
    }
    for from in position.pieces(us, PieceType::Rook) {
        emit(from, sliders::rook(from, occupied), PieceType::Rook);
    }
    for from in position.pieces(us, PieceType::Horse) {
        emit(from, horse(from, occupied), PieceType::Horse);
    }
    for from in position.pieces(us, PieceType::Dragon) {
        emit(from, dragon(from, occupied), PieceType::Dragon);
    }
}

/// The squares to which a pinned piece may move: the line from its king through it.
#[inline(always)]
fn pin_line(position: &Position, from: Square) -> Bitboard {
    position.king(position.turn()).map_or(Bitboard::ALL, |king| ray_through(king, from))
}

/// Visits the moves of all pawns at once: each has one destination, the square ahead.
#[inline(always)]
fn pawn_moves(position: &Position, targets: Bitboard, visit: &mut impl FnMut(MoveSet)) {
    let us = position.turn();
    let pawns = position.pieces(us, PieceType::Pawn);
    // A pinned pawn may move only if the pin is along its file.
    let free = pawns.without(position.pinned());
    let along_file = (pawns & position.pinned()) & position.king(us).map_or(Bitboard::EMPTY, Bitboard::file_of);
    let to = (free | along_file).forward(us) & targets;
    if !to.is_empty() {
        let plain = to.without(dead_squares(us, PieceType::Pawn));
        visit(MoveSet::Pawns { color: us, plain, promote: to & Bitboard::zone(us) });
    }
}

/// Splits destinations by promotion: both sets overlap where promotion is optional.
#[inline(always)]
fn split(us: Color, from: Square, kind: PieceType, to: Bitboard) -> MoveSet {
    let zone = Bitboard::zone(us);
    let promote = match kind {
        PieceType::Gold | PieceType::Horse | PieceType::Dragon => Bitboard::EMPTY,
        _ if zone.contains(from) => to,
        _ => to & zone,
    };
    MoveSet::Piece { from, plain: to.without(dead_squares(us, kind)), promote }
}

/// Visits the king's moves to the squares of `targets` that are not attacked.
#[inline(always)]
pub(super) fn king_moves(position: &Position, targets: Bitboard, visit: &mut impl FnMut(MoveSet)) {
    let us = position.turn();
    let Some(from) = position.king(us) else { return };
    // The king leaves its square, so it blocks no slider there.
    let occupied = position.occupied().without(Bitboard::of(from));
    let mut plain = king(from) & targets;
    for to in plain {
        if position.is_attacked(to, !us, occupied) {
            plain = plain.without(Bitboard::of(to));
        }
    }
    if !plain.is_empty() {
        visit(MoveSet::Piece { from, plain, promote: Bitboard::EMPTY });
    }
}

/// Destinations on which a piece other than the king answers any check: all squares
/// without check, the checker's square and those between it and the king with one
/// checker, `None` with two.
#[inline(always)]
pub(super) fn answering_squares(position: &Position) -> Option<Bitboard> {
    let checkers = position.checkers();
    match (checkers.first(), position.king(position.turn())) {
        (Some(_), _) if checkers.has_several() => None,
        (Some(checker), Some(king)) => Some(checkers | between(king, checker)),
        _ => Some(Bitboard::ALL),
    }
}

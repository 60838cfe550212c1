//! King moves, and destinations on which another piece answers a check.

use super::move_set::MoveSet;
use crate::attacks::king;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::rays::between;

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

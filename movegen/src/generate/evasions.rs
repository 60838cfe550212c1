//! King moves, and the squares on which another piece answers a check.

use super::move_set::MoveSet;
use crate::attacks::king;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::rays::between;

/// Hands out the king's safe steps onto `targets`.
#[inline(always)]
pub(super) fn king_moves(position: &Position, targets: Bitboard, visit: &mut impl FnMut(MoveSet)) {
    let us = position.turn();
    let Some(from) = position.king(us) else { return };
    // The king does not shield the squares behind it.
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

/// Where a piece other than the king must arrive: anywhere without a check, on
/// the checker or between it and the king with one check, `None` (nowhere) with two.
#[inline(always)]
pub(super) fn answering_squares(position: &Position) -> Option<Bitboard> {
    let checkers = position.checkers();
    match (checkers.first(), position.king(position.turn())) {
        (Some(_), _) if checkers.has_several() => None,
        (Some(checker), Some(king)) => Some(checkers | between(king, checker)),
        _ => Some(Bitboard::ALL),
    }
}

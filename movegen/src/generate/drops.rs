//! Drops: nifu, dead squares, uchifuzume.

use super::move_set::MoveSet;
use crate::attacks::dead_squares;
use crate::bitboard::Bitboard;
use crate::piece::{HandPiece, PieceType};
use crate::position::Position;

/// Visits the drops of every held piece on `empty`: empty squares that answer any check.
#[inline(always)]
pub(super) fn drops(position: &Position, empty: Bitboard, visit: &mut impl FnMut(MoveSet)) {
    let us = position.turn();
    let hand = position.hand(us);
    if hand.is_empty() || empty.is_empty() {
        return;
    }
    for piece in HandPiece::ALL {
        if !hand.has(piece) {
            continue;
        }
        let to = squares(position, piece, empty);
        if !to.is_empty() {
            visit(MoveSet::Drops { piece, to });
        }
    }
}

/// The squares of `empty` on which the side to move may drop `piece`, in hand or not.
pub(super) fn squares(position: &Position, piece: HandPiece, empty: Bitboard) -> Bitboard {
    let to = empty.without(dead_squares(position.turn(), piece.piece_type()));
    if piece == HandPiece::Pawn { pawn_drops(position, to) } else { to }
}

/// Removes files with an own pawn (nifu) and a drop that mates (uchifuzume).
#[inline(always)]
fn pawn_drops(position: &Position, to: Bitboard) -> Bitboard {
    let us = position.turn();
    let to = to & position.pieces(us, PieceType::Pawn).free_files();
    let Some(king) = position.king(!us) else { return to };
    // The only square from which a pawn gives check.
    let checking = crate::attacks::pawn(!us, king) & to;
    match checking.first() {
        Some(square) if position.is_uchifuzume(square) => to.without(checking),
        _ => to,
    }
}

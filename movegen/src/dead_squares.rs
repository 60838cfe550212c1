//! Dead squares: those from which an unpromoted piece could never move again.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType;

/// The dead squares of `color`'s unpromoted `kind`; empty for kinds that can retreat.
#[inline]
pub const fn dead_squares(color: Color, kind: PieceType) -> Bitboard {
    const LAST: [Bitboard; 2] = [Bitboard::farthest_ranks(Color::Black, 1), Bitboard::farthest_ranks(Color::White, 1)];
    const LAST_TWO: [Bitboard; 2] =
        [Bitboard::farthest_ranks(Color::Black, 2), Bitboard::farthest_ranks(Color::White, 2)];
    match kind {
        PieceType::Pawn | PieceType::Lance => LAST[color as usize],
        PieceType::Knight => LAST_TWO[color as usize],
        _ => Bitboard::EMPTY,
    }
}

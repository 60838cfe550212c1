//! What surrounds a square, as tables: the cross, the diagonals, two steps around.

use enbu_movegen::{Bitboard, Square};

const STRAIGHT: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

static ROOK_CROSS: [Bitboard; 81] = crosses(&STRAIGHT);
static BISHOP_CROSS: [Bitboard; 81] = crosses(&DIAGONAL);
static SURROUNDINGS: [Bitboard; 81] = {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        let mut step = 0;
        while step < 25 {
            let (files, ranks) = (step / 5 - 2, step % 5 - 2);
            if let Some(square) = Square::ALL[index].offset(files, ranks) {
                table[index] = table[index].or(Bitboard::of(square));
            }
            step += 1;
        }
        index += 1;
    }
    table
};

/// For each square all squares in these directions.
const fn crosses(directions: &[(i8, i8); 4]) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        let mut d = 0;
        while d < 4 {
            let mut at = Square::ALL[index];
            while let Some(next) = at.offset(directions[d].0, directions[d].1) {
                table[index] = table[index].or(Bitboard::of(next));
                at = next;
            }
            d += 1;
        }
        index += 1;
    }
    table
}

/// File and rank of `square`, itself left out.
#[inline(always)]
pub(super) fn rook_cross(square: Square) -> Bitboard {
    ROOK_CROSS[square]
}

/// Both diagonals of `square`, itself left out.
#[inline(always)]
pub(super) fn bishop_cross(square: Square) -> Bitboard {
    BISHOP_CROSS[square]
}

/// All squares at most two king's steps away.
#[inline(always)]
pub(super) fn surroundings(square: Square) -> Bitboard {
    SURROUNDINGS[square]
}

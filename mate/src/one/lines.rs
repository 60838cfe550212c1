//! Tables around a square: lines, neighbourhoods, and the origins that reach them.

use enbu_movegen::{Bitboard, Color, Square};

const STRAIGHT: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

const STRAIGHT_LINES: [Bitboard; 81] = crosses(&STRAIGHT);
const DIAGONAL_LINES: [Bitboard; 81] = crosses(&DIAGONAL);
static ROOK_REACH: [Bitboard; 81] = of_three_by_three(&STRAIGHT_LINES);
static BISHOP_REACH: [Bitboard; 81] = of_three_by_three(&DIAGONAL_LINES);
static LANCE_REACH: [Bitboard; 81] = {
    let mut files = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        files[index] = Bitboard::file_of(Square::ALL[index]);
        index += 1;
    }
    of_three_by_three(&files)
};
static KNIGHT_REACH: [[Bitboard; 81]; 2] = [knight_reach(1), knight_reach(-1)];
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

/// For each square, all squares in these directions.
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

/// For each square, the union of a table over it and its neighbours.
const fn of_three_by_three(of_one: &[Bitboard; 81]) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        let mut step = 0;
        while step < 9 {
            if let Some(square) = Square::ALL[index].offset(step / 3 - 1, step % 3 - 1) {
                table[index] = table[index].or(of_one[square as usize]);
            }
            step += 1;
        }
        index += 1;
    }
    table
}

/// For each square of a king, the origins of a knight, which jumps two ranks against
/// `back`, from which it lands next to the king or on a square that attacks the king.
const fn knight_reach(back: i8) -> [Bitboard; 81] {
    let mut sources = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        let mut side = -1;
        while side <= 1 {
            if let Some(square) = Square::ALL[index].offset(side, 2 * back) {
                sources[index] = sources[index].or(Bitboard::of(square));
            }
            side += 2;
        }
        index += 1;
    }
    let mut table = of_three_by_three(&sources);
    let mut index = 0;
    while index < 81 {
        let mut square = 0;
        while square < 81 {
            if sources[index].contains(Square::ALL[square]) {
                table[index] = table[index].or(sources[square]);
            }
            square += 1;
        }
        index += 1;
    }
    table
}

/// The squares from which a lance may attack `square` or a neighbour of it.
#[inline(always)]
pub(super) fn lance_reach(square: Square) -> Bitboard {
    LANCE_REACH[square]
}

/// The squares from which a bishop may attack `square` or a neighbour of it.
#[inline(always)]
pub(super) fn bishop_reach(square: Square) -> Bitboard {
    BISHOP_REACH[square]
}

/// The squares from which a rook may attack `square` or a neighbour of it.
#[inline(always)]
pub(super) fn rook_reach(square: Square) -> Bitboard {
    ROOK_REACH[square]
}

/// The origins from which a knight of `color` lands next to the king on `square`, or on a
/// square that attacks it.
#[inline(always)]
pub(super) fn knight_reach_of(color: Color, square: Square) -> Bitboard {
    KNIGHT_REACH[color][square]
}

/// All squares at most two king moves away, `square` included.
#[inline(always)]
pub(super) fn surroundings(square: Square) -> Bitboard {
    SURROUNDINGS[square]
}

//! Attacks of lance, bishop and rook, computed without attack tables.
//!
//! On a ray of increasing indices, `o ^ (o - 1)` with `o` the occupied squares of the
//! ray sets every bit up to the first blocker: the classic subtraction trick. Rays of
//! decreasing indices use the byte-reversed board: squares of one rank or diagonal are
//! at least eight bits apart, so each has a byte of its own and a byte swap reverses
//! their order (idea: Qugiy, WCSC31). Squares of one file are adjacent bits of one
//! word, where a leading-zero count finds the highest blocker.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::rays::{Direction, ray};
use crate::square::Square;

/// Attacks of a lance of `color` on `square`, blocked by `occupied`.
#[inline(always)]
pub fn lance(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match color {
        Color::Black => Bitboard::from_word_of(square, north(square, occupied)),
        Color::White => Bitboard::from_word_of(square, south(square, occupied)),
    }
}

/// Attacks of a bishop on `square`, blocked by `occupied`.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let wide = occupied.to_wide();
    let reversed = wide.swap_bytes();
    Bitboard::from_wide(
        ascending(wide, Direction::NorthWest, square)
            | ascending(wide, Direction::SouthWest, square)
            | descending(reversed, Direction::SouthEast, square)
            | descending(reversed, Direction::NorthEast, square),
    )
}

/// Attacks of a rook on `square`, blocked by `occupied`.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let wide = occupied.to_wide();
    let rank = ascending(wide, Direction::West, square) | descending(wide.swap_bytes(), Direction::East, square);
    let file = north(square, occupied) | south(square, occupied);
    Bitboard::from_wide(rank) | Bitboard::from_word_of(square, file)
}

/// Squares of a ray of increasing indices, up to and including the first blocker.
#[inline(always)]
fn ascending(occupied: u128, direction: Direction, square: Square) -> u128 {
    let line = ray(direction, square).to_wide();
    let blockers = occupied & line;
    (blockers ^ blockers.wrapping_sub(1)) & line
}

/// Squares of a ray of decreasing indices, up to and including the first blocker.
/// `reversed` is the byte-reversed occupancy.
#[inline(always)]
fn descending(reversed: u128, direction: Direction, square: Square) -> u128 {
    let line = ray(direction, square).to_wide().swap_bytes();
    let blockers = reversed & line;
    ((blockers ^ blockers.wrapping_sub(1)) & line).swap_bytes()
}

/// The file towards rank 9, as bits of the word that holds the file.
#[inline(always)]
fn south(square: Square, occupied: Bitboard) -> u64 {
    let line = ray(Direction::South, square).word_of(square);
    let blockers = occupied.word_of(square) & line;
    (blockers ^ blockers.wrapping_sub(1)) & line
}

/// The file towards rank 1, as bits of the word that holds the file.
#[inline(always)]
fn north(square: Square, occupied: Bitboard) -> u64 {
    let line = ray(Direction::North, square).word_of(square);
    let blockers = occupied.word_of(square) & line;
    // Without a blocker, bit 0 serves as one: the shift then keeps the whole ray.
    let highest = 63 - (blockers | 1).leading_zeros();
    (u64::MAX << highest) & line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: walks each ray square by square.
    fn walk(square: Square, steps: &[(i8, i8)], occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in steps {
            let mut at = square;
            while let Some(next) = at.offset(files, ranks) {
                set |= Bitboard::of(next);
                if occupied.contains(next) {
                    break;
                }
                at = next;
            }
        }
        set
    }

    #[test]
    fn lines_end_at_the_first_blocker() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..4000 {
            let mut wide = u128::from(random()) << 64 | u128::from(random());
            for _ in 0..round % 4 {
                wide &= u128::from(random()) << 64 | u128::from(random());
            }
            let occupied = Bitboard::from_wide(wide);
            for square in Square::ALL {
                assert_eq!(bishop(square, occupied), walk(square, &[(1, 1), (1, -1), (-1, 1), (-1, -1)], occupied));
                assert_eq!(rook(square, occupied), walk(square, &[(0, 1), (0, -1), (1, 0), (-1, 0)], occupied));
                assert_eq!(lance(Color::Black, square, occupied), walk(square, &[(0, -1)], occupied));
                assert_eq!(lance(Color::White, square, occupied), walk(square, &[(0, 1)], occupied));
            }
        }
    }
}

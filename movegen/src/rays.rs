//! Lines of the empty board: directions, rays and the squares between two squares.
//!
//! All tables are computed by `const fn`.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::square::Square;

/// One of the eight directions in which pieces slide: those along files and ranks, then the
/// diagonal ones.
///
/// Opposite directions follow each other, the one that increases the square index first.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Towards rank 9 (Black's side) on the same file.
    South,
    /// Towards rank 1.
    North,
    /// Towards file 9 on the same rank.
    West,
    /// Towards file 1.
    East,
    /// Towards file 9 and rank 1.
    NorthWest,
    /// Towards file 1 and rank 9.
    SouthEast,
    /// Towards file 9 and rank 9.
    SouthWest,
    /// Towards file 1 and rank 1.
    NorthEast,
}

/// One step in each direction, as files and ranks, in the order of [`Direction`].
pub(crate) const STEPS: [(i8, i8); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1), (1, 1), (-1, -1)];

const DIRECTIONS: [Direction; 8] = {
    use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
    [South, North, West, East, NorthWest, SouthEast, SouthWest, NorthEast]
};

impl Direction {
    /// The reverse direction.
    #[inline]
    pub(crate) const fn opposite(self) -> Self {
        DIRECTIONS[(self as usize) ^ 1]
    }
}

/// The rays of one square in all directions, in the order of [`Direction`]: those of a rook fill
/// one cache line, those of a bishop the next.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Rays([Bitboard; 8]);

/// The direction from each square to each other on a line with it.
type Ways = [[Option<Direction>; 81]; 81];

static RAYS: [Rays; 81] = lines().0;
static DIRECTION: Ways = lines().1;

const fn lines() -> ([Rays; 81], Ways) {
    let (mut rays, mut ways) = ([Rays([Bitboard::EMPTY; 8]); 81], [[None; 81]; 81]);
    let mut index = 0;
    while index < 81 {
        let mut d = 0;
        while d < 8 {
            let mut at = Square::ALL[index];
            while let Some(next) = at.offset(STEPS[d].0, STEPS[d].1) {
                rays[index].0[d] = rays[index].0[d].or(Bitboard::of(next));
                ways[index][next as usize] = Some(DIRECTIONS[d]);
                at = next;
            }
            d += 1;
        }
        index += 1;
    }
    (rays, ways)
}

/// The squares from `square` (exclusive) to the edge of the board.
#[inline(always)]
pub(crate) fn ray(direction: Direction, square: Square) -> Bitboard {
    RAYS[square].0[direction as usize]
}

/// The direction from `from` to `to`, or `None` if they share no line.
#[inline(always)]
pub(crate) fn direction(from: Square, to: Square) -> Option<Direction> {
    DIRECTION[from as usize][to as usize]
}

/// The squares strictly between `a` and `b`; empty if they share no line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(d, a) & ray(d.opposite(), b),
        None => Bitboard::EMPTY,
    }
}

/// The ray from `a` (exclusive) through `b` to the edge of the board; empty if they
/// share no line.
#[inline(always)]
pub(crate) fn ray_through(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(d, a),
        None => Bitboard::EMPTY,
    }
}

/// Pieces that are the only blocker between `square` and one of `sliders`, which are aligned with it.
#[inline(always)]
pub fn lone_blockers(square: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    for slider in sliders {
        let blockers = between(square, slider) & occupied;
        if !blockers.has_several() {
            set |= blockers;
        }
    }
    set
}

/// Attacks of a lance on an empty board: the file ahead.
#[inline(always)]
pub(crate) fn lance_ray(color: Color, square: Square) -> Bitboard {
    ray(color.select([Direction::North, Direction::South]), square)
}

/// Attacks of a bishop on an empty board.
#[inline(always)]
pub const fn bishop_cross(square: Square) -> Bitboard {
    let [.., a, b, c, d] = RAYS[square as usize].0;
    a.or(b).or(c).or(d)
}

/// Attacks of a rook on an empty board.
#[inline(always)]
pub const fn rook_cross(square: Square) -> Bitboard {
    let [a, b, c, d, ..] = RAYS[square as usize].0;
    a.or(b).or(c).or(d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_and_between_agree() {
        for a in Square::ALL {
            for b in Square::ALL {
                let set = between(a, b);
                assert_eq!(set, between(b, a));
                match direction(a, b) {
                    Some(d) => {
                        assert!(ray(d, a).contains(b));
                        assert_eq!(direction(b, a), Some(d.opposite()));
                        let steps = a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank()));
                        assert_eq!(set.count(), u32::from(steps) - 1);
                    }
                    None => assert!(set.is_empty() && ray_through(a, b).is_empty()),
                }
            }
        }
    }
}

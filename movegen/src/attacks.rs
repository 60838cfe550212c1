//! Where pieces that take one step can go, and the rays of the others.
//!
//! All tables are computed by `const fn`: no build script, no start-up work.

use crate::{Bitboard, Color, PieceType, Square};

/// One of the eight directions in which pieces slide.
///
/// The first four lead to higher square indices, the last four to lower ones;
/// opposite directions differ by four.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Towards rank 9 (Black's side) on the same file.
    South,
    /// Towards file 9 and rank 1.
    NorthWest,
    /// Towards file 9 on the same rank.
    West,
    /// Towards file 9 and rank 9.
    SouthWest,
    /// Towards rank 1.
    North,
    /// Towards file 1 and rank 9.
    SouthEast,
    /// Towards file 1.
    East,
    /// Towards file 1 and rank 1.
    NorthEast,
}

const STEPS: [(i8, i8); 8] = [(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];

const DIRECTIONS: [Direction; 8] = [
    Direction::South,
    Direction::NorthWest,
    Direction::West,
    Direction::SouthWest,
    Direction::North,
    Direction::SouthEast,
    Direction::East,
    Direction::NorthEast,
];

impl Direction {
    #[inline]
    pub(crate) const fn opposite(self) -> Self {
        DIRECTIONS[(self as usize) ^ 4]
    }
}

pub(crate) const RAYS: [[Bitboard; 81]; 8] = {
    let mut table = [[Bitboard::EMPTY; 81]; 8];
    let mut d = 0;
    while d < 8 {
        let mut index = 0;
        while index < 81 {
            let mut ray = Bitboard::EMPTY;
            let mut at = Square::ALL[index];
            while let Some(next) = at.offset(STEPS[d].0, STEPS[d].1) {
                ray = ray.or(Bitboard::of(next));
                at = next;
            }
            table[d][index] = ray;
            index += 1;
        }
        d += 1;
    }
    table
};
static RAY: [[Bitboard; 81]; 8] = RAYS;

static DIRECTION: [[Option<Direction>; 81]; 81] = {
    let mut table = [[None; 81]; 81];
    let mut index = 0;
    while index < 81 {
        let mut d = 0;
        while d < 8 {
            let mut at = Square::ALL[index];
            while let Some(next) = at.offset(STEPS[d].0, STEPS[d].1) {
                table[index][next as usize] = Some(DIRECTIONS[d]);
                at = next;
            }
            d += 1;
        }
        index += 1;
    }
    table
};

/// The squares from `square` (excluded) to the edge of the board.
#[inline(always)]
pub(crate) fn ray(direction: Direction, square: Square) -> Bitboard {
    RAY[direction as usize][square as usize]
}

/// In which direction `to` lies from `from`, if they share a line.
#[inline(always)]
pub(crate) fn direction(from: Square, to: Square) -> Option<Direction> {
    DIRECTION[from as usize][to as usize]
}

/// The squares strictly between two squares of one line; empty for others.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(d, a) & ray(d.opposite(), b),
        None => Bitboard::EMPTY,
    }
}

/// The squares that share a file, rank or diagonal with `a` on the side of `b`,
/// to the edge of the board; empty when they share no line.
#[inline(always)]
pub(crate) fn ray_through(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(d, a),
        None => Bitboard::EMPTY,
    }
}

/// Steps as Black makes them: files to the left, ranks towards rank 9.
const fn step_table(steps: &[(i8, i8)]) -> [[Bitboard; 81]; 2] {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut index = 0;
    while index < 81 {
        let mut i = 0;
        while i < steps.len() {
            let (files, ranks) = steps[i];
            if let Some(to) = Square::ALL[index].offset(files, ranks) {
                table[0][index] = table[0][index].or(Bitboard::of(to));
            }
            if let Some(to) = Square::ALL[index].offset(-files, -ranks) {
                table[1][index] = table[1][index].or(Bitboard::of(to));
            }
            i += 1;
        }
        index += 1;
    }
    table
}

static PAWN: [[Bitboard; 81]; 2] = step_table(&[(0, -1)]);
static KNIGHT: [[Bitboard; 81]; 2] = step_table(&[(-1, -2), (1, -2)]);
static SILVER: [[Bitboard; 81]; 2] = step_table(&[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)]);
static GOLD: [[Bitboard; 81]; 2] = step_table(&[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
static KING: [[Bitboard; 81]; 2] = step_table(&STEPS);

/// The square in front.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color][square]
}

/// The two jumps forward.
#[inline(always)]
pub fn knight(color: Color, square: Square) -> Bitboard {
    KNIGHT[color][square]
}

/// Three forward, two diagonally backward.
#[inline(always)]
pub fn silver(color: Color, square: Square) -> Bitboard {
    SILVER[color][square]
}

/// Three forward, two sideways, one backward; also every promoted minor piece.
#[inline(always)]
pub fn gold(color: Color, square: Square) -> Bitboard {
    GOLD[color][square]
}

/// All eight neighbours.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[0][square]
}

/// The whole file ahead, as on an empty board.
#[inline(always)]
pub(crate) fn lance_ray(color: Color, square: Square) -> Bitboard {
    ray(
        match color {
            Color::Black => Direction::North,
            Color::White => Direction::South,
        },
        square,
    )
}

static BISHOP_CROSS: [Bitboard; 81] = cross(1);
static ROOK_CROSS: [Bitboard; 81] = cross(0);

/// The four diagonal (`odd = 1`) or straight (`odd = 0`) rays of each square.
const fn cross(odd: usize) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        let mut d = odd;
        while d < 8 {
            table[index] = table[index].or(RAYS[d][index]);
            d += 2;
        }
        index += 1;
    }
    table
}

/// The four diagonals, as on an empty board.
#[inline(always)]
pub(crate) fn bishop_cross(square: Square) -> Bitboard {
    BISHOP_CROSS[square]
}

/// The file and rank, as on an empty board.
#[inline(always)]
pub(crate) fn rook_cross(square: Square) -> Bitboard {
    ROOK_CROSS[square]
}

/// The squares that a piece of `kind` and `color` on `square` attacks when the
/// squares in `occupied` are taken (of either side; the first one on a line is
/// attacked, those behind it are not).
#[inline(always)]
pub fn attacks(kind: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    use crate::sliders::{bishop, lance, rook};
    match kind {
        PieceType::Pawn => pawn(color, square),
        PieceType::Lance => lance(color, square, occupied),
        PieceType::Knight => knight(color, square),
        PieceType::Silver => silver(color, square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::King => king(square),
        PieceType::Horse => bishop(square, occupied) | king(square),
        PieceType::Dragon => rook(square, occupied) | king(square),
        PieceType::Gold | PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight | PieceType::ProSilver => {
            gold(color, square)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_the_board_and_rotate_with_the_colour() {
        let rotate = |set: Bitboard| set.into_iter().map(Square::rotated).collect::<Bitboard>();
        for square in Square::ALL {
            for table in [pawn, knight, silver, gold] {
                assert_eq!(rotate(table(Color::Black, square)), table(Color::White, square.rotated()));
            }
            assert_eq!(king(square), rotate(king(square.rotated())));
        }
        assert_eq!(gold(Color::Black, Square::S55).count(), 6);
        assert_eq!(silver(Color::White, Square::S55).count(), 5);
        assert_eq!(king(Square::S11).count(), 3);
        assert!(knight(Color::Black, Square::S52).is_empty());
    }

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

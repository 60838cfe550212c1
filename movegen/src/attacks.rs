//! Attacks of every kind of piece: tables for steps, [`sliders`](crate::sliders) for lines.
//!
//! All tables are computed by `const fn`: no build script, no work at start-up.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType;
use crate::rays::STEPS;
use crate::sliders::{bishop, lance, rook};
use crate::square::Square;

/// Attack tables of both sides from the steps of a black piece, given as (files to the
/// left, ranks towards rank 9).
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

/// Attacks of a pawn: the square ahead.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color][square]
}

/// Attacks of a knight: two squares, two ranks ahead.
#[inline(always)]
pub fn knight(color: Color, square: Square) -> Bitboard {
    KNIGHT[color][square]
}

/// Attacks of a silver: three squares ahead, two diagonally backward.
#[inline(always)]
pub fn silver(color: Color, square: Square) -> Bitboard {
    SILVER[color][square]
}

/// Attacks of a gold or promoted minor piece: three squares ahead, two sideways, one
/// backward.
#[inline(always)]
pub fn gold(color: Color, square: Square) -> Bitboard {
    GOLD[color][square]
}

/// Attacks of a king: the eight neighbours.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[0][square]
}

/// Attacks of a piece of `kind` and `color` on `square`.
///
/// `occupied` holds the pieces of both sides. A slider attacks the first occupied
/// square of each line, of either colour, and none beyond it.
#[inline(always)]
pub fn attacks(kind: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
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
}

//! Attacks of every kind of piece: tables for steps, [`sliders`](crate::sliders) for lines.
//!
//! All tables are computed by `const fn`: no build script, no work at start-up.

mod origins;

pub use origins::Origins;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType;
use crate::sliders::{bishop, lance, rook};
use crate::square::Square;

/// Attacks of the pieces that step, from one square for one side: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Steps {
    pawn: Bitboard,
    knight: Bitboard,
    silver: Bitboard,
    gold: Bitboard,
}

static STEPS: [[Steps; 81]; 2] = [steps_of(1), steps_of(-1)];

/// The steps of a side that plays towards rank 1 (`sign` 1) or rank 9 (-1).
const fn steps_of(sign: i8) -> [Steps; 81] {
    let none = Bitboard::EMPTY;
    let mut table = [Steps { pawn: none, knight: none, silver: none, gold: none }; 81];
    let mut index = 0;
    while index < 81 {
        let from = Square::ALL[index];
        table[index] = Steps {
            pawn: targets(from, sign, &[(0, -1)]),
            knight: targets(from, sign, &[(-1, -2), (1, -2)]),
            silver: targets(from, sign, &[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)]),
            gold: targets(from, sign, &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]),
        };
        index += 1;
    }
    table
}

/// The squares that `steps`, given as (files to the left, ranks towards rank 9) times `sign`,
/// reach from `from`.
const fn targets(from: Square, sign: i8, steps: &[(i8, i8)]) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut i = 0;
    while i < steps.len() {
        let (files, ranks) = steps[i];
        if let Some(to) = from.offset(sign * files, sign * ranks) {
            set = set.or(Bitboard::of(to));
        }
        i += 1;
    }
    set
}

/// Attacks of a pawn: the square ahead.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    STEPS[color][square].pawn
}

/// Attacks of a knight: two squares, two ranks ahead.
#[inline(always)]
pub fn knight(color: Color, square: Square) -> Bitboard {
    STEPS[color][square].knight
}

/// Attacks of a silver: three squares ahead, two diagonally backward.
#[inline(always)]
pub fn silver(color: Color, square: Square) -> Bitboard {
    STEPS[color][square].silver
}

/// Attacks of a gold or promoted minor piece: three squares ahead, two sideways, one
/// backward.
#[inline(always)]
pub fn gold(color: Color, square: Square) -> Bitboard {
    STEPS[color][square].gold
}

/// Attacks of a king: the eight neighbours, to each of which a silver or a gold steps.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    let Steps { silver, gold, .. } = STEPS[0][square];
    silver | gold
}

/// Attacks of a horse: those of a bishop and of a king.
#[inline(always)]
pub fn horse(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | king(square)
}

/// Attacks of a dragon: those of a rook and of a king.
#[inline(always)]
pub fn dragon(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | king(square)
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
        PieceType::Horse => horse(square, occupied),
        PieceType::Dragon => dragon(square, occupied),
        PieceType::Gold | PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight | PieceType::ProSilver => {
            gold(color, square)
        }
    }
}

/// The dead squares of `color`'s unpromoted `kind`, from which it could never move again; empty for
/// kinds that can retreat.
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

/// Attacks of all `knights` of `color`.
#[inline(always)]
pub fn by_knights(color: Color, knights: Bitboard) -> Bitboard {
    knights.forward(color).forward(color).sideways()
}

/// Attacks of all `silvers` of `color`.
#[inline(always)]
pub fn by_silvers(color: Color, silvers: Bitboard) -> Bitboard {
    let (ahead, behind) = (silvers.forward(color), silvers.forward(!color));
    ahead | (ahead | behind).sideways()
}

/// Attacks of all `golds` of `color`, promoted minor pieces among them.
#[inline(always)]
pub fn by_golds(color: Color, golds: Bitboard) -> Bitboard {
    let ahead = golds.forward(color);
    ahead | (ahead | golds).sideways() | golds.forward(!color)
}

/// The neighbours of all `squares`, as attacked by kings.
#[inline(always)]
pub fn by_kings(squares: Bitboard) -> Bitboard {
    let column = squares.forward(Color::Black) | squares.forward(Color::White);
    column | (column | squares).sideways()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_of_many_pieces_are_the_union_of_their_attacks() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let set: Bitboard = Square::ALL
                .into_iter()
                .filter(|square| state.rotate_left(7 * square.index() as u32) & 7 == 0)
                .collect();
            let union = |attacks: &dyn Fn(Square) -> Bitboard| {
                set.into_iter().fold(Bitboard::EMPTY, |union, square| union | attacks(square))
            };
            for color in Color::ALL {
                assert_eq!(by_knights(color, set), union(&|square| knight(color, square)), "{set:?}");
                assert_eq!(by_silvers(color, set), union(&|square| silver(color, square)), "{set:?}");
                assert_eq!(by_golds(color, set), union(&|square| gold(color, square)), "{set:?}");
            }
            assert_eq!(by_kings(set), union(&king), "{set:?}");
        }
    }

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

//! Tables around a square: lines, neighbourhoods, and the origins that reach them.

use enbu_movegen::rays::{bishop_cross, rook_cross};
use enbu_movegen::{Bitboard, Square};

/// A table of one set for each square, computed at compile time.
macro_rules! table {
    (|$square:ident| $set:expr) => {{
        let mut table = [Bitboard::EMPTY; 81];
        let mut index = 0;
        while index < 81 {
            let $square = Square::ALL[index];
            table[index] = $set;
            index += 1;
        }
        table
    }};
}

const STRAIGHT_LINES: [Bitboard; 81] = table!(|square| rook_cross(square));
const DIAGONAL_LINES: [Bitboard; 81] = table!(|square| bishop_cross(square));
const FILES: [Bitboard; 81] = table!(|square| Bitboard::file_of(square));
/// The squares from which a rook may attack a square or a neighbour of it.
pub(super) static ROOK_REACH: [Bitboard; 81] = table!(|square| union(&STRAIGHT_LINES, neighbourhood(square, 1)));
/// Like [`ROOK_REACH`], for a bishop.
pub(super) static BISHOP_REACH: [Bitboard; 81] = table!(|square| union(&DIAGONAL_LINES, neighbourhood(square, 1)));
/// Like [`ROOK_REACH`], for a lance.
pub(super) static LANCE_REACH: [Bitboard; 81] = table!(|square| union(&FILES, neighbourhood(square, 1)));
/// By colour and square of a king, the origins from which a knight lands next to the king or on a
/// square that attacks it.
pub(super) static KNIGHT_REACH: [[Bitboard; 81]; 2] = [knight_reaches(1), knight_reaches(-1)];
/// The squares at most two king moves away, and the square itself.
pub(super) static SURROUNDINGS: [Bitboard; 81] = table!(|square| neighbourhood(square, 2));

/// The squares at most so many king moves from `square`, itself included.
const fn neighbourhood(square: Square, moves: i8) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let side = 2 * moves + 1;
    let mut step = 0;
    while step < side * side {
        if let Some(near) = square.offset(step / side - moves, step % side - moves) {
            set = set.or(Bitboard::of(near));
        }
        step += 1;
    }
    set
}

const fn union(table: &[Bitboard; 81], squares: Bitboard) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut index = 0;
    while index < 81 {
        if squares.contains(Square::ALL[index]) {
            set = set.or(table[index]);
        }
        index += 1;
    }
    set
}

/// The rows of [`KNIGHT_REACH`] for a knight that jumps two ranks against `back`.
const fn knight_reaches(back: i8) -> [Bitboard; 81] {
    let origins = table!(|square| {
        let mut set = Bitboard::EMPTY;
        if let Some(left) = square.offset(1, 2 * back) {
            set = set.or(Bitboard::of(left));
        }
        if let Some(right) = square.offset(-1, 2 * back) {
            set = set.or(Bitboard::of(right));
        }
        set
    });
    table!(|square| union(&origins, neighbourhood(square, 1).or(origins[square as usize])))
}

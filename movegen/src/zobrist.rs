//! Zobrist keys.
//!
//! A position's key is the exclusive or of one constant per piece and square, one for
//! the side to move, and the sum of one constant per piece in hand (a sum, because it
//! needs no table indexed by count). The constants come from SplitMix64 with a fixed
//! seed and are the same in every run.

use crate::color::Color;
use crate::hand::Hand;
use crate::piece::{HandPiece, Piece};
use crate::square::Square;

/// SplitMix64 (Steele, Lea, Flood 2014): the `n`-th output from a fixed seed.
const fn constant(n: u64) -> u64 {
    let mut z = 0x656e_6275_2d6b_6579_u64.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(n + 1));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static BOARD: [[[u64; 81]; 14]; 2] = {
    let mut table = [[[0; 81]; 14]; 2];
    let mut n = 0;
    while n < 2 * 14 * 81 {
        table[n / (14 * 81)][n / 81 % 14][n % 81] = constant(n as u64);
        n += 1;
    }
    table
};

static HAND: [[u64; 7]; 2] = {
    let mut table = [[0; 7]; 2];
    let mut n = 0;
    while n < 14 {
        table[n / 7][n % 7] = constant(10_000 + n as u64);
        n += 1;
    }
    table
};

pub(crate) const WHITE_TO_MOVE: u64 = constant(20_000);

/// The constant of `piece` on `square` in the key of a position: for keys of some of its pieces.
#[inline]
pub fn on_board(piece: Piece, square: Square) -> u64 {
    BOARD[piece.color][piece.kind][square]
}

/// The constant added for each `piece` in `color`'s hand.
#[inline]
pub(crate) fn in_hand(color: Color, piece: HandPiece) -> u64 {
    HAND[color][piece]
}

/// The hand key: the sum of the constants of both hands.
pub(crate) fn of_hands(hands: [Hand; 2]) -> u64 {
    let mut sum = 0_u64;
    for color in Color::ALL {
        for (piece, count) in hands[color].iter() {
            sum = sum.wrapping_add(in_hand(color, piece).wrapping_mul(u64::from(count)));
        }
    }
    sum
}

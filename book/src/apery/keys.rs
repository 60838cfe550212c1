//! Apery's keys of positions.

#![cfg_attr(
    not(test),
    expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")
)]

use enbu_movegen::{Color, Hand, HandPiece, Piece, Setup, Square};
use once_cell::sync::Lazy;
use rand_mt::Mt64;

struct Keys {
    /// By colour, kind of piece and square.
    pieces: [[[u64; 81]; 14]; 2],
    /// By kind of piece in hand and its number.
    hands: [[u64; 19]; 7],
    white_to_move: u64,
}

/// Codes of pieces that are drawn for, most of them pieces: the empty square is 0, Black's
/// pieces follow in the order of [`PieceType`](enbu_movegen::PieceType), White's begin at 17.
const CODES: usize = 31;
const FIRST_WHITE: usize = 17;

static KEYS: Lazy<Keys> = Lazy::new(|| {
    // The default seed of the generator in C++.
    let mut random = Mt64::new(5489);
    let mut keys = Keys { pieces: [[[0; 81]; 14]; 2], hands: [[0; 19]; 7], white_to_move: 0 };
    for code in 0..CODES {
        let numbers: [u64; 81] = std::array::from_fn(|_| random.next_u64());
        let place = match code.checked_sub(FIRST_WHITE) {
            Some(kind) => keys.pieces[Color::White].get_mut(kind),
            None => code.checked_sub(1).and_then(|kind| keys.pieces[Color::Black].get_mut(kind)),
        };
        if let Some(place) = place {
            *place = numbers;
        }
    }
    for piece in HandPiece::PACKED_ORDER {
        keys.hands[piece] = std::array::from_fn(|_| random.next_u64());
    }
    keys.white_to_move = random.next_u64();
    keys
});

/// Apery's key of a position.
pub(crate) fn key_of_setup(setup: &Setup) -> u64 {
    board_key(setup) ^ rest_key(setup.turn, setup.hands[setup.turn])
}

pub(super) fn board_key(setup: &Setup) -> u64 {
    let pieces = Square::ALL.into_iter().filter_map(|square| setup.board[square].map(|piece| (piece, square)));
    pieces.fold(0, |key, (piece, square)| key ^ piece_key(piece, square))
}

pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.color][piece.kind][square]
}

/// The part of a key for the side to move and its hand.
pub(super) fn rest_key(turn: Color, hand: Hand) -> u64 {
    let keys = &*KEYS;
    let count = |piece| usize::from(hand.count(piece)).min(18);
    let held = HandPiece::ALL
        .into_iter()
        .fold(0, |key, piece| key ^ keys.hands[piece].get(count(piece)).copied().unwrap_or_default());
    if turn == Color::White { held ^ keys.white_to_move } else { held }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that cshogi computes.
    #[test]
    fn keys_are_those_of_apery() {
        for (sfen, expected) in [
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 0xeebe_8ee7_e1ad_7e15),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 0x40ea_08fa_e0b8_3066),
        ] {
            let setup: Setup = sfen.parse().expect("an SFEN");
            assert_eq!(key_of_setup(&setup), expected, "{sfen}");
        }
    }
}

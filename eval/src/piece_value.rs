//! The one table of piece values.
//!
//! Round numbers of our own, in centipawns: a pawn in hand is the unit, a piece
//! in hand is worth a little more than the same piece on an average square
//! because it can be dropped anywhere, and a promoted minor piece moves like a gold but
//! gives the opponent only the unpromoted piece.

use enbu_movegen::{HandPiece, PieceType};

use crate::Value;

/// Value of each type on the board, in [`PieceType`] order; the king has none.
const ON_BOARD: [Value; 14] = [90, 260, 280, 420, 640, 800, 460, 0, 440, 430, 430, 450, 900, 1100];

/// Value of each piece in hand, in [`HandPiece`] order.
const IN_HAND: [Value; 7] = [100, 290, 320, 470, 720, 890, 520];

/// [`exchange`] of each type, in [`PieceType`] order. A table: exchange evaluations ask in
/// their innermost loop.
const EXCHANGE: [Value; PieceType::COUNT] = {
    let mut swings = [15_000; PieceType::COUNT];
    let mut index = 0;
    while index < PieceType::COUNT {
        let kind = PieceType::ALL[index];
        if let Some(piece) = kind.hand_piece() {
            swings[index] = on_board(kind) + in_hand(piece);
        }
        index += 1;
    }
    swings
};

/// The value of a piece of `kind` on the board in centipawns.
#[inline]
pub const fn on_board(kind: PieceType) -> Value {
    ON_BOARD[kind as usize]
}

/// The value of one `piece` in hand in centipawns.
#[inline]
pub const fn in_hand(piece: HandPiece) -> Value {
    IN_HAND[piece as usize]
}

/// The material swing of capturing a piece of `kind`: the opponent loses it on the board,
/// and the captor gains it, unpromoted, in hand; 15 000 for a king.
#[inline]
pub const fn exchange(kind: PieceType) -> Value {
    EXCHANGE[kind as usize]
}

//! The state saved before a move.

use crate::bitboard::Bitboard;
use crate::hand::Hand;
use crate::moves::Move;
use crate::piece::Piece;

/// What is needed to take one move back, and to find repetitions.
#[derive(Clone)]
pub(crate) struct Ply {
    /// `None` for a null move.
    pub(super) mv: Option<Move>,
    pub(super) captured: Option<Piece>,
    /// Key of the board before the move, side to move included.
    pub(crate) board_key: u64,
    /// What the side to move held before the move.
    pub(crate) hand: Hand,
    pub(super) check_runs: [u16; 2],
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) ply: u16,
}

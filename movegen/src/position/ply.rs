//! The state saved before a move.

use crate::bitboard::Bitboard;
use crate::hand::Hand;
use crate::moves::Move;
use crate::piece::Piece;

/// The state before a move: undo restores it, repetition detection compares it.
#[derive(Clone)]
pub(crate) struct Ply {
    /// `None` for a null move.
    pub(super) mv: Option<Move>,
    pub(super) captured: Option<Piece>,
    /// Board key before the move, side to move included.
    pub(crate) board_key: u64,
    /// Hand of the side to move before the move.
    pub(crate) hand: Hand,
    pub(super) check_runs: [u16; 2],
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) ply: u16,
}

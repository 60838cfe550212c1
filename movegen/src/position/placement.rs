//! Placement of the pieces: the hashed part of a position.
//!
//! Every function that changes it also updates the keys, so that they cannot diverge.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::hand::Hand;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, Piece, PieceType};
use crate::setup::Setup;
use crate::square::Square;
use crate::zobrist;

/// Board and hands with their keys: the part of a [`Position`](super::Position) that its key
/// depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    board: [Option<Piece>; 81],
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; 14],
    hands: [Hand; 2],
    kings: [Option<Square>; 2],
    turn: Color,
    /// Key of the pieces on the board and the side to move.
    board_key: u64,
    hand_key: u64,
}

impl Placement {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut placement = Self {
            board: [None; 81],
            by_color: [Bitboard::EMPTY; 2],
            by_kind: [Bitboard::EMPTY; 14],
            hands: setup.hands,
            kings: [None; 2],
            turn: setup.turn,
            board_key: if setup.turn == Color::White { zobrist::WHITE_TO_MOVE } else { 0 },
            hand_key: zobrist::of_hands(setup.hands),
        };
        for square in Square::ALL {
            if let Some(piece) = setup.board[square] {
                placement.put(piece, square);
            }
        }
        placement
    }

    /// The diagram with this number of the next move.
    pub(super) fn to_setup(&self, ply: u16) -> Setup {
        Setup { board: self.board, hands: self.hands, turn: self.turn, ply }
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square]
    }

    /// The hand of `color`.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// The square of `color`'s king; `None` in problems without that king.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }

    /// The squares with a piece.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The squares with a piece of `color`.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color]
    }

    /// The squares with a piece of type `kind`, of either side.
    #[inline]
    pub fn by_kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind]
    }

    /// The squares with `color`'s pieces of type `kind`.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.by_kind[kind] & self.by_color[color]
    }

    /// Zobrist key of board, hands and side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.board_key ^ self.hand_key
    }

    /// Zobrist key of board and side to move without the hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.board_key
    }

    /// The [`board_key`](Self::board_key) after a legal move, without making it.
    #[inline]
    pub fn board_key_after(&self, mv: Move) -> u64 {
        let key = self.board_key ^ zobrist::WHITE_TO_MOVE;
        match mv.parts() {
            MoveParts::Drop { piece, to } => key ^ zobrist::on_board(Piece::new(self.turn, piece.piece_type()), to),
            MoveParts::Board { from, to, promote } => {
                let Some(moved) = self.board[from] else { return key };
                let kind = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
                let taken = self.board[to].map_or(0, |taken| zobrist::on_board(taken, to));
                key ^ taken ^ zobrist::on_board(moved, from) ^ zobrist::on_board(Piece::new(self.turn, kind), to)
            }
        }
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
        self.board[square] = Some(piece);
        if piece.kind == PieceType::King {
            self.kings[piece.color] = Some(square);
        }
    }

    /// Removes `piece` from `square`, where it must be.
    #[inline(always)]
    pub(super) fn take(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
        self.board[square] = None;
        if piece.kind == PieceType::King {
            self.kings[piece.color] = None;
        }
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.by_color[piece.color] ^= bit;
        self.by_kind[piece.kind] ^= bit;
        self.board_key ^= zobrist::on_board(piece, square);
    }

    /// Adds a captured piece to `color`'s hand.
    #[inline(always)]
    pub(super) fn add_to_hand(&mut self, color: Color, piece: HandPiece) {
        self.hands[color] = self.hands[color].with(piece);
        self.hand_key = self.hand_key.wrapping_add(zobrist::in_hand(color, piece));
    }

    /// Removes a piece from `color`'s hand.
    #[inline(always)]
    pub(super) fn take_from_hand(&mut self, color: Color, piece: HandPiece) {
        self.hands[color] = self.hands[color].without(piece);
        self.hand_key = self.hand_key.wrapping_sub(zobrist::in_hand(color, piece));
    }

    /// Changes the side to move.
    #[inline(always)]
    pub(super) fn change_turn(&mut self) {
        self.turn = !self.turn;
        self.board_key ^= zobrist::WHITE_TO_MOVE;
    }

    /// The [`key`](Self::key) after a null move, without making it.
    #[inline]
    pub fn key_after_null_move(&self) -> u64 {
        self.key() ^ zobrist::WHITE_TO_MOVE
    }

    /// The [`key`](Self::key) after a legal move, without making it: for an early prefetch of a table
    /// entry.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let taken = || self.board[mv.to()].and_then(|taken| taken.kind.hand_piece());
        let hand_key = match mv.dropped() {
            Some(piece) => self.hand_key.wrapping_sub(zobrist::in_hand(self.turn, piece)),
            None => {
                taken().map_or(self.hand_key, |piece| self.hand_key.wrapping_add(zobrist::in_hand(self.turn, piece)))
            }
        };
        self.board_key_after(mv) ^ hand_key
    }
}

//! The rules of shogi: positions, legal moves, SFEN, repetition, declaration.
//!
//! ```
//! use enbu_movegen::{MoveList, Position};
//!
//! let mut position = Position::startpos();
//! let mut moves = MoveList::new();
//! position.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 30);
//! position.play("7g7f".parse()?)?;
//! assert_eq!(position.to_string(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2");
//! assert_eq!(position.undo_move(), Some("7g7f".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No input or output, no global mutable state but the language of errors, no
//! initialisation: all tables are computed at compile time.
//!
//! # Map
//! | module | contents |
//! |---|---|
//! | `color` `square` `piece` `hand` `moves` `move_list` `bitboard` | the vocabulary |
//! | [`rays`] [`sliders`] [`attacks`] | lines, sliding pieces, attacks of every kind |
//! | `setup` `sfen` `packed` | any diagram, its text form, and its 256 bits in files of other programs (with Apery's moves) |
//! | `position` | the playable position: do, undo, checks, legality |
//! | `attacked` | the squares that one side attacks |
//! | `generate` | legal moves as sets |
//! | `zobrist` | keys |
//! | `rules` | repetition, declaration, limit of moves |
//! | [`perft`] | leaf counts of the game tree |
//!
//! # Glossary
//! - **Black**, **White**: sente and gote. Black plays towards rank 1.
//! - **sfen**: one line of text for a diagram.
//! - **hand**: the captured pieces a side may drop; **drop**: a move that puts one on the board.
//! - **nifu**: two unpromoted pawns of one side on one file; a drop may not make one.
//! - **uchifuzume**: mate by a pawn drop, which is forbidden.
//! - **dead square**: one from which an unpromoted piece could never move again.
//! - **zone**: the three ranks farthest from a side, where its pieces promote.
//! - **repetition** (sennichite): the same position for the fourth time; **perpetual
//!   check**: a repetition in which every move of one side was a check; that side loses.
//! - **declaration** (entering king): claiming the game with the king in the zone.
//! - **tsume**: a mate problem; the attacker often has no king.
//! - **byoyomi**: time for each move after the main time is used up.
//! - **ply**: one move of one side; also the number of the next move in the game.
//! - **key**: Zobrist key ("hash" is the size of the transposition table).

/// Lets values of an enum index arrays with one element for each, without a bounds check.
macro_rules! index_by {
    ($index:ty, $count:literal) => {
        impl<T> std::ops::Index<$index> for [T; $count] {
            type Output = T;

            #[inline]
            fn index(&self, index: $index) -> &T {
                &self[index as usize]
            }
        }

        impl<T> std::ops::IndexMut<$index> for [T; $count] {
            #[inline]
            fn index_mut(&mut self, index: $index) -> &mut T {
                &mut self[index as usize]
            }
        }
    };
}

mod attacked;
pub mod attacks;
mod bitboard;
mod color;
mod generate;
mod hand;
mod move_list;
mod moves;
mod packed;
pub mod perft;
mod piece;
mod position;
pub mod rays;
mod rules;
mod setup;
mod sfen;
pub mod sliders;
mod square;
mod zobrist;

pub use attacked::Attacked;
pub use attacks::dead_squares;
pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use generate::{CheckSquares, MoveSet, Scope};
pub use hand::Hand;
pub use move_list::{MAX_MOVES, MoveList};
pub use moves::{Move, MoveParts, ParseMoveError};
pub use packed::{PackError, Packing, UnpackError, apery_move, from_apery_move};
pub use piece::{HandPiece, Piece, PieceType};
pub use position::{Capture, Delta, IllegalMove, IllegalReason, Origin, Placement, Position, PositionError};
pub use rules::{Cycle, Declaration, EnteringKingRule, Ruling};
pub use setup::Setup;
pub use sfen::{SfenError, whole_number};
pub use square::Square;
pub use zobrist::on_board as piece_square_key;

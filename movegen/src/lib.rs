//! Rules of shogi.

mod color;
mod hand;
mod move_list;
mod moves;
mod piece;
mod square;

pub use color::Color;
pub use hand::Hand;
pub use move_list::{MAX_MOVES, MoveList};
pub use moves::{Move, MoveParts, ParseMoveError};
pub use piece::{HandPiece, Piece, PieceType};
pub use square::Square;

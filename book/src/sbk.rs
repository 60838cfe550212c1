//! ShogiGUI's format, `.sbk`.
//!
//! A message of Protocol Buffers: author, description, and states. A state is a position
//! with results of games, a comment, moves and analyses by engines; a move leads to another
//! state by its number. Only some states name their position, as SFEN; the positions of the
//! others follow from the moves that lead to them. State 0 is the start position of an even
//! game if it names none and no move leads to it, as in BookConv.
//!
//! | message | fields |
//! |---|---|
//! | SBook | 1 author, 2 description, 3 states |
//! | state | 1 number, 2 key of the board, 3 key of the hands, 4 games, 5 won by Black, 6 won by White, 7 SFEN, 8 comment, 9 moves, 10 analyses |
//! | move | 1 bits, 2 judgement, 3 weight, 4 number of the next state or -1 |
//! | analysis | 1 value, 2 depth, 3 selective depth, 4 nodes, 5 variation, 6 engine |
//!
//! The bits of a move, from the lowest: rank and file of the origin (4 bits each, 0 for a
//! drop), rank and file of the destination (4 each), 3 unused, promotion (1), captured piece
//! (4), moved piece (5), 2 unused, White's move (1). Pieces are numbered pawn, lance, knight,
//! silver, gold, bishop, rook, king from 1, promoted ones 8 higher; a moved piece of White 16
//! higher.
//!
//! The weight of a move is its count; 0 stands for none. Plies are not read: programs write
//! 1 for any position. The reader accepts absent fields (0 or no text) and unknown ones, and
//! states in any order. The writer numbers the states from 0, those without a predecessor
//! first, which name their positions, and writes 0 for the keys, as ShogiHome does. Plies,
//! replies, values and depths of moves and comments on moves have no place in the format.

mod bits;
mod read;
mod wire;
mod write;

pub(crate) use read::{Loaded, Reader};
pub(crate) use wire::is_plausible;
pub(crate) use write::write;

use crate::page::Judgement;

/// The judgements by their numbers, from 1.
const JUDGEMENTS: [Judgement; 4] = [Judgement::Forced, Judgement::Good, Judgement::Bad, Judgement::Blunder];

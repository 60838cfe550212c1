//! Ends of a game by rule: repetition, declaration, limit of moves.
//!
//! | situation | ruling of the limit |
//! |---|---|
//! | game ply above the limit, side to move has a move | draw |
//! | game ply above the limit, side to move has none | the other side wins |
//! | otherwise | none |
//!
//! The game ply is counted from the number in the SFEN, as YaneuraOu's
//! `MaxMovesToDraw` does.

mod declaration;
mod repetition;

use std::fmt;

pub use declaration::{Declaration, EnteringKingRule};
pub use repetition::Cycle;

use crate::color::Color;
use crate::position::Position;

/// Decision of a rule about the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// The rule does not end the game.
    None,
    /// The game is drawn.
    Draw,
    /// This side has won.
    Win(Color),
}

impl fmt::Display for Ruling {
    /// `none`, `draw`, `black_wins` or `white_wins`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Draw => "draw",
            Self::Win(Color::Black) => "black_wins",
            Self::Win(Color::White) => "white_wins",
        })
    }
}

impl Position {
    /// The ruling of a limit of `limit` moves (0: no limit). A mate by the last
    /// allowed move wins.
    pub fn max_moves(&self, limit: u32) -> Ruling {
        if limit == 0 || u32::from(self.ply()) <= limit {
            Ruling::None
        } else if self.has_legal_move() {
            Ruling::Draw
        } else {
            Ruling::Win(!self.turn())
        }
    }
}

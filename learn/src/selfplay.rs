//! Games of our own search against itself.
//!
//! | module | what lives there |
//! |---|---|
//! | `play` | one game |
//! | `run` | many games, on many threads, into files |
//!
//! A game follows from its [`Settings`], the evaluation and its number alone, so that
//! any part of a run can be made anywhere, in any order, and again.

mod play;
mod run;

use std::fmt;

use enbu_search::Solo;

pub use play::Player;
pub use run::{ParseShardError, Progress, Run, RunError, Shard, files_in};

/// How games are played. Two runs with equal settings, evaluation and program make the
/// same games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Decides the openings, and with them everything.
    pub seed: u64,
    /// Positions after which no further iteration of a search begins.
    pub nodes: u64,
    /// Size of a player's transposition table in megabytes (2^20 bytes).
    pub hash_mb: usize,
    /// Random moves at the start; every other game has one less, so that both sides
    /// begin equally often.
    pub opening_plies: u8,
    /// Openings with which either side would be ahead by more centipawns are thrown away.
    pub opening_bound: i16,
    /// A game is won by whom both sides see ahead by so many centipawns ...
    pub win_score: i16,
    /// ... for so many moves in a row, of both sides together.
    pub win_plies: u8,
    /// A game is drawn after this many moves.
    pub max_plies: u16,
}

impl Settings {
    /// A search ends within an iteration after this many times [`nodes`](Self::nodes).
    pub const HARD_FACTOR: u64 = 8;

    /// A player needs a stack of this size.
    pub const STACK_BYTES: usize = Solo::STACK_BYTES;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            nodes: 1000,
            hash_mb: 8,
            opening_plies: 8,
            opening_bound: 600,
            win_score: 2500,
            win_plies: 4,
            max_plies: 320,
        }
    }
}

impl fmt::Display for Settings {
    /// One line, as it stands in the files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, nodes, hash_mb, opening_plies, opening_bound, win_score, win_plies, max_plies } = self;
        write!(
            f,
            "seed={seed} nodes={nodes} hash={hash_mb} opening={opening_plies},{opening_bound} \
             win={win_score},{win_plies} max-plies={max_plies}"
        )
    }
}

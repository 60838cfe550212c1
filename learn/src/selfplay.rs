//! Games of the search against itself.
//!
//! | module | contents |
//! |---|---|
//! | `play` | one game |
//! | `run` | many games, on many threads, into files |
//! | `starts` | start positions out of earlier games |
//! | `yardstick` | deeply searched positions, to compare evaluations by |
//!
//! A game is a function of its [`Settings`], the evaluation and its number: any shard of a
//! run can be played on any machine, in any order, and repeated.

mod play;
mod run;
mod starts;
mod yardstick;

use std::fmt;

use enbu_search::Solo;

pub use play::Player;
pub use run::{Progress, Run, RunError};
pub use starts::Starts;
pub use yardstick::Yardstick;

/// The settings of games. Runs with equal settings, evaluation and program give equal games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The seed of the random openings.
    pub seed: u64,
    /// Soft node limit: no iteration begins after it.
    pub nodes: u64,
    /// Size of a player's transposition table in megabytes (2^20 bytes).
    pub hash_mb: usize,
    /// Random moves at the start; one less in every other game, so that both sides
    /// begin equally often.
    pub opening_plies: u8,
    /// Openings with a higher absolute score, in centipawns, are rejected.
    pub opening_bound: i16,
    /// A game is adjudicated when both sides' scores agree on this advantage in centipawns ...
    pub win_score: i16,
    /// ... for this many consecutive plies.
    pub win_plies: u8,
    /// A game is drawn after this many plies.
    pub max_plies: u16,
    /// The share of games, in per cent, that are played out instead of being adjudicated:
    /// they hold the mates, endgames and entering kings that the others stop before.
    pub played_out: u8,
}

impl Settings {
    /// Hard node limit as a multiple of [`nodes`](Self::nodes): an iteration is aborted there.
    pub const HARD_FACTOR: u64 = 8;

    /// The stack size that a player needs.
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
            played_out: 5,
        }
    }
}

impl fmt::Display for Settings {
    /// One line, as in the files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, nodes, hash_mb, opening_plies, opening_bound, win_score, win_plies, max_plies, played_out } =
            self;
        write!(
            f,
            "seed={seed} nodes={nodes} hash={hash_mb} opening={opening_plies},{opening_bound} \
             win={win_score},{win_plies} max-plies={max_plies} played-out={played_out}"
        )
    }
}

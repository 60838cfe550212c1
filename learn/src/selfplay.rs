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

use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};
use enbu_search::Limits;

pub use play::Player;
pub use run::{Progress, Run, RunError};
pub use starts::Starts;
pub use yardstick::Yardstick;

/// The settings of games, as arguments of a command. Runs with equal settings, evaluation and program give equal games.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seed; the same seed gives the same games
    #[arg(long, default_value_t = Settings::default().seed)]
    pub seed: u64,
    /// Nodes after which a search begins no further iteration
    #[arg(long, default_value_t = Settings::default().nodes, value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// Transposition table of each game, in MB
    #[arg(long = "hash", value_name = "HASH", default_value_t = Settings::default().hash_mb, value_parser = megabytes())]
    pub hash_mb: usize,
    // One less in every other game, so that both sides begin equally often.
    /// Random moves at the start
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().opening_plies, value_parser = value_parser!(u8).range(1..=60))]
    pub opening_plies: u8,
    /// Reject openings that put a side ahead by more centipawns
    #[arg(long, value_name = "CP", default_value_t = Settings::default().opening_bound, value_parser = value_parser!(i16).range(50..))]
    pub opening_bound: i16,
    /// A game is won when both sides agree on a lead of this many centipawns ...
    #[arg(long, value_name = "CP", default_value_t = Settings::default().win_score, value_parser = value_parser!(i16).range(100..))]
    pub win_score: i16,
    /// ... for this number of consecutive plies
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().win_plies, value_parser = value_parser!(u8).range(1..=100))]
    pub win_plies: u8,
    /// A game is drawn after this number of plies
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().max_plies, value_parser = value_parser!(u16).range(20..=10_000))]
    pub max_plies: u16,
    // They hold the mates, endgames and entering kings that the others stop before.
    /// Games out of 100 that are played to their end instead of being adjudicated
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().played_out, value_parser = value_parser!(u8).range(0..=100))]
    pub played_out: u8,
}

fn megabytes() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=65_536)
}

/// The limits of a search that begins no iteration after this many nodes; one that takes eight
/// times as many is aborted.
fn limits(nodes: u64) -> Limits {
    Limits { soft_nodes: Some(nodes), nodes: Some(nodes.saturating_mul(8)), ..Limits::default() }
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

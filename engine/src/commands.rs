//! The commands: one file each, all of one form.
//!
//! A command has its arguments (`…Args`), `EXAMPLES` for the end of its help where they
//! are long, and `run`, which writes results to `out` and returns the exit code.

pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod book;
mod choices;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod csa;
pub(crate) mod doctor;
mod failure;
mod game_args;
mod inputs;
mod lines;
pub(crate) mod man;
pub(crate) mod matches;
pub(crate) mod mate;
mod moves;
pub(crate) mod openings;
pub(crate) mod options;
pub(crate) mod perft;
mod program;
mod progress;
pub(crate) mod ratings;
pub(crate) mod selfplay;
mod shard;
pub(crate) mod suite;
pub(crate) mod train;
pub(crate) mod tune;

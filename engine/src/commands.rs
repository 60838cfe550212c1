//! The commands: one file each, all of one form.
//!
//! A command has its arguments (`…Args`), `EXAMPLES` for the end of its help where they
//! are long, and `run`, which writes results to `out` and returns the exit code.

pub(crate) mod bench;
mod bench_positions;
pub(crate) mod convert;
mod failure;
mod game_args;
pub(crate) mod matches;
pub(crate) mod mate;
pub(crate) mod openings;
pub(crate) mod options;
pub(crate) mod perft;
mod progress;
pub(crate) mod selfplay;
pub(crate) mod train;
pub(crate) mod tune;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::cli::Command;

/// Runs a command and returns its exit code.
pub(crate) fn run(command: Command, out: &mut impl Write) -> io::Result<ExitCode> {
    match command {
        Command::Bench(args) => bench::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Match(args) => matches::run(&args, out),
        Command::Tune(args) => tune::run(&args, out),
        Command::Openings(args) => openings::run(&args, out),
        Command::Selfplay(args) => selfplay::run(&args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Mate(args) => mate::run(&args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Options(args) => options::run(&args, out),
    }
}

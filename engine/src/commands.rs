//! The commands: one file each, all of one form.
//!
//! A command has its arguments (`…Args`), `EXAMPLES` for the end of its help where they
//! are long, and `run`, which writes results to `out` and returns the exit code.

pub(crate) mod bench;
mod bench_positions;
pub(crate) mod convert;
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

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use crate::cli::{Cli, Command};

/// Exit code of a program that was interrupted, as shells expect it.
const INTERRUPTED: u8 = 130;

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

/// An error in the arguments of `subcommand`: printed with its usage, exit code 2.
fn usage(subcommand: &str, message: impl Display) -> clap::Error {
    let mut cli = Cli::command();
    cli.build();
    match cli.find_subcommand_mut(subcommand) {
        Some(command) => command.error(ErrorKind::ValueValidation, message),
        None => cli.error(ErrorKind::ValueValidation, message),
    }
}

/// The error of the system with the path it concerns.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Fails now if a file could not be written to `path` after long work.
fn check_writable(path: &Path) -> io::Result<()> {
    enbu_files::check_writable(path).map_err(|error| named(path, &error))
}

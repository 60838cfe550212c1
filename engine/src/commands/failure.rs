//! Failures of commands: errors in the arguments, errors of files, interruptions.

use std::fmt::Display;
use std::io;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Args, Command};

/// Exit code of a program that was interrupted, as shells expect it.
pub(in crate::commands) const INTERRUPTED: u8 = 130;

/// An error in the arguments `A` of `subcommand`: printed with its usage, exit code 2.
pub(in crate::commands) fn usage<A: Args>(subcommand: &'static str, message: impl Display) -> clap::Error {
    let command = Command::new(subcommand).bin_name(format!("enbu {subcommand}"));
    A::augment_args(command).error(ErrorKind::ValueValidation, message)
}

/// The error of the system with the path it concerns.
pub(in crate::commands) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Fails now if a file could not be written to `path` after long work.
pub(in crate::commands) fn check_writable(path: &Path) -> io::Result<()> {
    enbu_files::check_writable(path).map_err(|error| named(path, &error))
}

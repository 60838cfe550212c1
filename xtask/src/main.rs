//! `cargo xtask`: tasks of the project that cargo alone does not do.
//!
//! `cargo xtask dist` makes all files of a release, and `cargo xtask dist --check` tries them:
//!
//! ```text
//! builds: one program a target ──► stage: folders as users unpack them ──► archives: tar.gz, zip, deb, SHA256SUMS
//!                                    ▲
//! licences: cargo tree ──────────────┘
//! ```
//! `profile` counts what the program for Linux x86-64 does most, and the compiler optimises that.
//! `web` makes the page and the package for npm of the module for browsers.

#![forbid(unsafe_code)]

mod archives;
mod builds;
mod dist;
mod licences;
mod profile;
mod stage;
mod tool;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the project
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the files of a release in dist/, or try those that are there
    Dist(dist::DistArgs),
    /// Check the licences of everything that the releases contain
    Licences,
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Dist(args) => dist::run(&args),
        Task::Licences => licences::check(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tool::say(&format!("xtask: {}", tool::explained(&*error)));
            ExitCode::FAILURE
        }
    }
}

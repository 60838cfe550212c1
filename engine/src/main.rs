//! Enbu, a USI shogi engine.
//!
//! Without arguments the binary speaks USI; with a subcommand it does one thing
//! and ends (0: done, 1: failed, 2: wrong usage). Here all crates meet: the
//! protocol knows no search and the search no protocol.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod adapter;
mod bench;
mod bench_positions;
mod cli;
mod console;
mod convert;
mod evaluation;
mod game_args;
mod match_command;
mod mate_command;
mod mate_search;
mod openings_command;
mod options;
mod paths;
mod progress;
mod selfplay_command;
mod train_command;
mod tune_command;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use console::Perft;
use enbu_movegen::perft::LastPly;

fn main() -> ExitCode {
    match Cli::parse().command {
        None => speak_usi(),
        Some(command) => {
            let mut out = io::stdout().lock();
            match run(command, &mut out).and_then(|code| out.flush().map(|()| code)) {
                Ok(code) => code,
                // The reader has had enough: not a failure.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
                Err(error) => fail(&error.to_string()),
            }
        }
    }
}

/// The USI loop. Standard error stays silent: GUIs open it as a pipe that nobody
/// reads, and a full pipe would block the engine.
fn speak_usi() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    enbu_usi::run(adapter::Enbu::new(), io::stdin(), io::stdout()).into()
}

/// Runs a command; what it says is the exit code.
fn run(command: Command, out: &mut impl Write) -> io::Result<ExitCode> {
    match command {
        Command::Match(args) => return match_command::run(&args, out),
        Command::Tune(args) => return tune_command::run(&args, out),
        Command::Selfplay(args) => return selfplay_command::run(&args, out),
        Command::Train(args) => return train_command::run(&args, out),
        Command::Openings(args) => openings_command::run(&args, out)?,
        Command::Bench { depth, hash, network } => bench::run(depth, hash, network.as_deref(), out)?,
        Command::Perft { depth, sfen, divide, lists, repeat } => {
            let mut position = console::position(sfen.as_deref()).map_err(io::Error::other)?;
            let last_ply = if lists { LastPly::List } else { LastPly::Count };
            let what = if divide { Perft::Divide } else { Perft::Total { last_ply, times: repeat } };
            console::run_perft(&mut position, depth, what, out)?;
        }
        Command::Mate(args) => {
            if mate_command::run(&args, out)? == mate_command::Outcome::SomeOpen {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Convert(args) => convert::run(args, out)?,
        Command::Options => out.write_all(options::markdown().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn fail(message: &str) -> ExitCode {
    // Nobody left to tell if even this fails.
    let _ = writeln!(io::stderr(), "enbu: {message}");
    ExitCode::FAILURE
}

//! Enbu, a USI shogi engine.
//!
//! Without arguments the binary speaks USI; with a subcommand it does one thing
//! and ends (0: done, 1: failed, 2: wrong usage). Here all crates meet: the
//! protocol knows no search and the search no protocol.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod adapter;
mod book;
mod cli;
mod commands;
mod evaluation;
mod identity;
mod locale;
mod machine;
mod mate_search;
mod options;
mod paths;
mod terminal;

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use enbu_language::{Language, pick, text};

use cli::Cli;

fn main() -> ExitCode {
    let language = locale::language();
    enbu_language::choose(Some(language));
    let (arguments, is_dropped) = locale::arguments(&Cli::command());
    let code = run(arguments, language);
    if is_dropped && cfg!(windows) && code != ExitCode::SUCCESS && io::stdin().is_terminal() {
        // The window would close with the message in it.
        terminal::notice(text!("Press Enter to close.", "Enter キーを押すと閉じます。"));
        let _ = io::stdin().read_line(&mut String::new());
    }
    code
}

/// Runs the command that the arguments name.
fn run(arguments: Vec<OsString>, language: Language) -> ExitCode {
    // As GUIs start it: the texts of the command line are not needed.
    if arguments.len() < 2 {
        return speak_usi(language);
    }
    let matches = locale::localized(Cli::command(), &cli::GROUPS).try_get_matches_from(arguments);
    let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => return fail(io::Error::other(error)),
        // Help, or the version.
        Err(help) => help.exit(),
    };
    match cli.command {
        None => speak_usi(language),
        Some(command) => {
            if matches.subcommand_name().is_some_and(|name| cli::ENGLISH.contains(&name)) {
                enbu_language::choose(Some(Language::English));
            }
            let mut out = terminal::output(io::stdout().lock(), command.content());
            match command.run(&mut out).and_then(|code| out.flush().map(|()| code)) {
                Ok(code) => code,
                // The reader closed the pipe: not a failure.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
                Err(error) => fail(error),
            }
        }
    }
}

/// The USI loop. Standard error stays silent unless there is nothing to play with: GUIs
/// open it as a pipe and never read it, and a full pipe would block the engine.
fn speak_usi(language: Language) -> ExitCode {
    let mut out = io::stdout();
    let is_console = io::stdin().is_terminal() && out.is_terminal();
    enbu_language::choose(is_console.then_some(language));
    if is_console {
        // The session reports an output that is closed.
        let _ = writeln!(out, "{}", locale::greeting());
    }
    std::panic::set_hook(Box::new(|_| {}));
    let engine = match adapter::Enbu::new() {
        Ok(engine) => engine,
        Err(error) => return fail(io::Error::other(error)),
    };
    match enbu_usi::run(engine, io::stdin(), io::stdout()) {
        enbu_usi::Exit::NoThreads => fail(io::Error::other(pick(
            "the system gives no threads for input and output",
            "入出力のスレッドを作れません",
        ))),
        exit => exit.into(),
    }
}

/// Prints the error; exit code 2 for wrong usage, 1 for anything else.
fn fail(error: io::Error) -> ExitCode {
    match error.downcast::<clap::Error>() {
        Ok(usage) => {
            // No stream is left if even this fails.
            let _ = write!(terminal::stderr(), "{}", locale::rendered(&usage));
            ExitCode::from(2)
        }
        Err(error) => {
            terminal::notice(format_args!("enbu: {}", enbu_files::reason(&error)));
            ExitCode::FAILURE
        }
    }
}

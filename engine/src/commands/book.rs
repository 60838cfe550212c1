//! `enbu book`: opening books.
//!
//! | file | contents |
//! |---|---|
//! | `make.rs` | books from game records |
//! | `grow.rs` `grow_log.rs` | books from our own search; the log that makes it resumable |
//! | `output.rs` | the file of a book that is made |

mod grow;
mod grow_log;
mod make;
mod output;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};

/// The arguments of `enbu book`.
#[derive(Args)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a book from game records, or from our own search
    #[command(after_help = make::EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Make(Box<make::MakeArgs>),
}

/// Runs the command.
pub(crate) fn run(args: &BookArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    match &args.action {
        Action::Make(args) => make::run(args, out),
    }
}

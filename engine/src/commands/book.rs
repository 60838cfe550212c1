//! `enbu book`: opening books.
//!
//! | file | contents |
//! |---|---|
//! | `make.rs` | books from game records |
//! | `grow.rs` `grow_log.rs` | books from our own search; the log that makes it resumable |
//! | `convert.rs` | a book from others: convert, sort, merge, prune |
//! | `inspect.rs` | reports about a book: verify, stats, show |
//! | `files.rs` | reading and writing books |

mod convert;
mod files;
mod grow;
mod grow_log;
mod inspect;
mod make;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};

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
    /// Convert a book into another format: .db, .ybb, book.bin of Apery or .sbk
    #[command(after_help = convert::CONVERT_EXAMPLES)]
    Convert(convert::ConvertArgs),
    /// Sort a book of any size, one entry a position, moves by count and value
    #[command(after_help = convert::SORT_EXAMPLES)]
    Sort(convert::SortArgs),
    /// Merge books of any formats into one
    #[command(after_help = convert::MERGE_EXAMPLES)]
    Merge(convert::MergeArgs),
    /// Leave out moves and positions of a book
    #[command(after_help = convert::PRUNE_EXAMPLES)]
    Prune(convert::PruneArgs),
    /// Check books: illegal moves, repeated positions, order, unreachable entries; exit code 0 if there is no fault
    #[command(after_help = inspect::VERIFY_EXAMPLES)]
    Verify(inspect::VerifyArgs),
    /// Print numbers about a book
    #[command(after_help = inspect::STATS_EXAMPLES)]
    Stats(inspect::StatsArgs),
    /// Show the moves of a position; exit code 1 if the book does not have it
    #[command(after_help = inspect::SHOW_EXAMPLES)]
    Show(inspect::ShowArgs),
}

pub(crate) fn run(args: &BookArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    match &args.action {
        Action::Make(args) => make::run(args, out),
        Action::Convert(args) => convert::convert(args, out),
        Action::Sort(args) => convert::sort(args, out),
        Action::Merge(args) => convert::merge(args, out),
        Action::Prune(args) => convert::prune(args, out),
        Action::Verify(args) => inspect::verify(args, out),
        Action::Stats(args) => inspect::stats(args, out),
        Action::Show(args) => inspect::show(args, out),
    }
}

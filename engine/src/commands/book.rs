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
    /// Make a book from game records, or from our own search ‖ 棋譜から、または Enbu 自身の探索で定跡を作る
    #[command(after_help = make::EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Make(Box<make::MakeArgs>),
    /// Convert a book into another format: .db, .ybb, book.bin of Apery or .sbk ‖ 定跡を別の形式に変換：.db、.ybb、Apery の book.bin、.sbk
    #[command(after_help = convert::CONVERT_EXAMPLES)]
    Convert(convert::ConvertArgs),
    /// Sort a book of any size, one entry a position, moves by count and value ‖ 定跡を並べ替える（大きさは問わない）：1局面1項目、指し手は出現回数・評価値の順
    #[command(after_help = convert::SORT_EXAMPLES)]
    Sort(convert::SortArgs),
    /// Merge books of any formats into one ‖ 複数の定跡を1つにまとめる（形式は問わない）
    #[command(after_help = convert::MERGE_EXAMPLES)]
    Merge(convert::MergeArgs),
    /// Leave out moves and positions of a book ‖ 定跡から指し手や局面を取り除く
    #[command(after_help = convert::PRUNE_EXAMPLES)]
    Prune(convert::PruneArgs),
    /// Check books: illegal moves, repeated positions, order, unreachable entries; exit code 0 if there is no fault ‖ 定跡を検査：反則手、局面の重複、並び順、到達できない項目（終了コード：異常がなければ 0）
    #[command(after_help = inspect::VERIFY_EXAMPLES)]
    Verify(inspect::VerifyArgs),
    /// Print numbers about a book ‖ 定跡の統計を表示
    #[command(after_help = inspect::STATS_EXAMPLES)]
    Stats(inspect::StatsArgs),
    /// Show the moves of a position; exit code 1 if the book does not have it ‖ 局面の定跡手を表示（終了コード：定跡にない局面なら 1）
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

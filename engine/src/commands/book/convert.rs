//! `enbu book convert`, `sort`, `merge` and `prune`: a book from others.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use enbu_book::{Choice as Rule, Filter, Plies};

use super::files::{Job, WriteArgs};
use crate::commands::choices::{Choice, one_of};

pub(super) const CONVERT_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book convert book.bin -o book.db         positions are found by playing from the start position ‖ 初期局面から指し進めて局面を復元
  enbu book convert book.db -o book.ybb
  enbu book convert book.db -o out --to sbk";

pub(super) const SORT_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book sort book.db -o sorted.db
  enbu book sort huge.db -o sorted.db --memory 4096
  enbu book sort book.db -o book.db --force     in place ‖ 元のファイルに上書き";

pub(super) const MERGE_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book merge a.db b.ybb -o all.db
  enbu book merge 2024.db 2025.db -o all.db --rule add-counts";

pub(super) const PRUNE_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book prune book.db -o small.db --min-count 5 --max-ply 40
  enbu book prune book.db -o best.db --max-loss 50 --max-moves 3
  enbu book prune book.db -o legal.db --legal --skip-faults";

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// Book to read; its format is detected from its content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Args)]
pub(crate) struct SortArgs {
    /// Book to read; its format is detected from its content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    /// Keep a position once for each ply, not only with the smallest one ‖ 同じ局面を最小の手数だけにまとめず、手数ごとに残す
    #[arg(long)]
    keep_plies: bool,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// Books to read; their formats are detected from their content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK", required = true)]
    inputs: Vec<PathBuf>,
    /// Choice among entries of one move ‖ 同じ指し手の項目が複数あるときの選び方
    #[arg(long, value_name = "RULE", default_value = "deeper", value_parser = one_of(RULES))]
    rule: Rule,
    /// Keep a position once for each ply, not only with the smallest one ‖ 同じ局面を最小の手数だけにまとめず、手数ごとに残す
    #[arg(long)]
    keep_plies: bool,
    #[command(flatten)]
    write: WriteArgs,
}

/// Choices among entries of one move.
const RULES: &[Choice<Rule>] = &[
    ("deeper", "The deepest value, and the largest count ‖ 最も深い評価値と、最大の出現回数", Rule::Deeper),
    ("first", "The entry of the first book ‖ 最初の定跡の項目", Rule::First),
    ("add-counts", "The deepest value, and the sum of the counts ‖ 最も深い評価値と、出現回数の合計", Rule::AddCounts),
];

#[derive(Args)]
pub(crate) struct PruneArgs {
    /// Book to read; its format is detected from its content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    write: WriteArgs,
}

fn plies(keep: bool) -> Plies {
    if keep { Plies::Separate } else { Plies::Smallest }
}

/// The book of one input, unchanged.
fn job<'a>(input: &'a PathBuf, args: &'a WriteArgs) -> Job<'a> {
    let (inputs, choice, plies) = (std::slice::from_ref(input), Rule::Deeper, Plies::Separate);
    Job { inputs, args, choice, plies, sorts_moves: false, edit: &Some, notices: RefCell::default() }
}

pub(super) fn convert(args: &ConvertArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    job(&args.input, &args.write).run("book convert", out)
}

pub(super) fn sort(args: &SortArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let plies = plies(args.keep_plies);
    Job { plies, sorts_moves: true, ..job(&args.input, &args.write) }.run("book sort", out)
}

pub(super) fn merge(args: &MergeArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let (plies, notices) = (plies(args.keep_plies), RefCell::default());
    let (inputs, choice, args) = (&args.inputs, args.rule, &args.write);
    Job { inputs, args, choice, plies, sorts_moves: true, edit: &Some, notices }.run("book merge", out)
}

pub(super) fn prune(args: &PruneArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    Job { edit: &|page| args.filter.apply(page), ..job(&args.input, &args.write) }.run("book prune", out)
}

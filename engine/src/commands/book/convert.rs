//! `enbu book convert`, `sort`, `merge` and `prune`: a book from others.

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
    /// Least count of a move; without a count it is 1 ‖ 指し手の出現回数の下限。出現回数のない指し手は 1 とみなす
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// Least depth of a move; without a depth it is 0 ‖ 指し手の深さの下限。深さのない指し手は 0 とみなす
    #[arg(long, value_name = "PLIES")]
    min_depth: Option<u32>,
    /// Least value of a move from the side that moves ‖ 指し手の評価値の下限（手番側から見た値）
    #[arg(long, value_name = "CP", allow_negative_numbers = true)]
    min_value: Option<i32>,
    /// Largest difference to the best value of the position ‖ 局面の最善の評価値との差の上限
    #[arg(long, value_name = "CP")]
    max_loss: Option<u32>,
    /// Largest ply of a position ‖ 局面の手数の上限
    #[arg(long, value_name = "PLY")]
    max_ply: Option<u32>,
    /// Most moves of a position: those with the largest counts, then the best values ‖ 1局面の指し手の数の上限。出現回数、評価値の順に残す
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Drop illegal and repeated moves, illegal replies, and positions that cannot be played ‖ 反則手、重複した指し手、反則の応手、指せない局面を取り除く
    #[arg(long)]
    legal: bool,
    #[command(flatten)]
    write: WriteArgs,
}

fn plies(keep: bool) -> Plies {
    if keep { Plies::Separate } else { Plies::Smallest }
}

/// The book of one input, unchanged.
fn job<'a>(input: &'a PathBuf, args: &'a WriteArgs) -> Job<'a> {
    let (inputs, choice, plies) = (std::slice::from_ref(input), Rule::Deeper, Plies::Separate);
    Job { inputs, args, choice, plies, sorts_moves: false, edit: &Some }
}

pub(super) fn convert(args: &ConvertArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    job(&args.input, &args.write).run("book convert", out)
}

pub(super) fn sort(args: &SortArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let plies = plies(args.keep_plies);
    Job { plies, sorts_moves: true, ..job(&args.input, &args.write) }.run("book sort", out)
}

pub(super) fn merge(args: &MergeArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let (inputs, choice, plies) = (&args.inputs, args.rule, plies(args.keep_plies));
    Job { inputs, args: &args.write, choice, plies, sorts_moves: true, edit: &Some }.run("book merge", out)
}

pub(super) fn prune(args: &PruneArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let filter = Filter {
        min_count: args.min_count,
        min_depth: args.min_depth,
        min_value: args.min_value,
        max_loss: args.max_loss,
        max_ply: args.max_ply,
        max_moves: args.max_moves.map(|moves| moves as usize),
        legal: args.legal,
    };
    Job { edit: &|page| filter.apply(page), ..job(&args.input, &args.write) }.run("book prune", out)
}

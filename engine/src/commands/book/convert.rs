//! `enbu book convert`, `sort`, `merge` and `prune`: a book from others.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use enbu_book::{Choice as Rule, Filter, Plies};

use super::files::{Job, WriteArgs};
use crate::commands::choices::{Choice, one_of};

pub(super) const CONVERT_EXAMPLES: &str = "Examples:
  enbu book convert book.bin -o book.db         positions are found by playing from the start position
  enbu book convert book.db -o book.ybb
  enbu book convert book.db -o out --to sbk";

pub(super) const SORT_EXAMPLES: &str = "Examples:
  enbu book sort book.db -o sorted.db
  enbu book sort huge.db -o sorted.db --memory 4096
  enbu book sort book.db -o book.db --force     in place";

pub(super) const MERGE_EXAMPLES: &str = "Examples:
  enbu book merge a.db b.ybb -o all.db
  enbu book merge 2024.db 2025.db -o all.db --rule add-counts";

pub(super) const PRUNE_EXAMPLES: &str = "Examples:
  enbu book prune book.db -o small.db --min-count 5 --max-ply 40
  enbu book prune book.db -o best.db --max-loss 50 --max-moves 3
  enbu book prune book.db -o legal.db --legal --skip-faults";

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// Book to read; its format is detected from its content
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Args)]
pub(crate) struct SortArgs {
    /// Book to read; its format is detected from its content
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    /// Keep a position once for each ply, not only with the smallest one
    #[arg(long)]
    keep_plies: bool,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// Books to read; their formats are detected from their content
    #[arg(value_name = "BOOK", required = true)]
    inputs: Vec<PathBuf>,
    /// Choice among entries of one move
    #[arg(long, value_name = "RULE", default_value = "deeper", value_parser = one_of(RULES))]
    rule: Rule,
    /// Keep a position once for each ply, not only with the smallest one
    #[arg(long)]
    keep_plies: bool,
    #[command(flatten)]
    write: WriteArgs,
}

/// Choices among entries of one move.
const RULES: &[Choice<Rule>] = &[
    ("deeper", "The deepest value, and the largest count", Rule::Deeper),
    ("first", "The entry of the first book", Rule::First),
    ("add-counts", "The deepest value, and the sum of the counts", Rule::AddCounts),
];

#[derive(Args)]
pub(crate) struct PruneArgs {
    /// Book to read; its format is detected from its content
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    /// Least count of a move; without a count it is 1
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// Least depth of a move; without a depth it is 0
    #[arg(long, value_name = "PLIES")]
    min_depth: Option<u32>,
    /// Least value of a move from the side that moves
    #[arg(long, value_name = "CP", allow_negative_numbers = true)]
    min_value: Option<i32>,
    /// Largest difference to the best value of the position
    #[arg(long, value_name = "CP")]
    max_loss: Option<u32>,
    /// Largest ply of a position
    #[arg(long, value_name = "PLY")]
    max_ply: Option<u32>,
    /// Most moves of a position: those with the largest counts, then the best values
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Drop illegal and repeated moves, illegal replies, and positions that cannot be played
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

//! `enbu perft`: counts of the game tree.

use std::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use enbu_movegen::Position;
use enbu_movegen::perft::{LastPly, divide, perft_with};

use super::inputs::position;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu perft 5
  enbu perft 3 --divide --sfen \"4k4/9/9/9/9/9/9/9/4K4 b R2p 1\"
  enbu perft 4 --lists --repeat 100";

#[derive(Args)]
pub(crate) struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// Position to start from; default: the start position of the game
    #[arg(long)]
    sfen: Option<String>,
    /// Print the count of each first move
    #[arg(long)]
    divide: bool,
    /// Write every move of the last ply into a list instead of counting sets of moves
    #[arg(long, conflicts_with = "divide")]
    lists: bool,
    /// Count the tree this many times over, to measure small trees
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "divide", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

/// Counts the leaves at the given depth; the last line is `nodes N`.
pub(crate) fn run(args: &PerftArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut position = position(args.sfen.as_deref().unwrap_or("startpos")).map_err(io::Error::other)?;
    let nodes = if args.divide {
        let mut nodes = u64::from(args.depth == 0);
        for (mv, count) in divide(&mut position, args.depth) {
            writeln!(out, "{mv}: {count}")?;
            nodes += count;
        }
        nodes
    } else {
        count(args, &mut position)
    };
    writeln!(out, "nodes {nodes}")?;
    Ok(ExitCode::SUCCESS)
}

/// Counts the tree `--repeat` times: a small tree takes less than a tick of the clock.
fn count(args: &PerftArgs, position: &mut Position) -> u64 {
    let last_ply = if args.lists { LastPly::List } else { LastPly::Count };
    for _ in 1..args.repeat {
        black_box(perft_with(position, args.depth, last_ply));
    }
    perft_with(position, args.depth, last_ply)
}

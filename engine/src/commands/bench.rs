//! `enbu bench`: fixed searches, for speed and for the signature.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use enbu_movegen::Position;
use enbu_search::{BestMove, Limits, Listener, Options, Progress, Report, Search};

use crate::evaluation::{self, Choice};

/// Depth of the standard bench, in plies.
const DEPTH: u32 = 9;
/// Table of the standard bench, in MB.
const HASH_MB: u32 = 16;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu bench
  enbu bench --depth 6 --hash 64
  enbu bench --network eval/nn.bin";

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Depth of each search, in plies
    #[arg(long, default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Size of the transposition table, in MB
    #[arg(long, default_value_t = HASH_MB, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Evaluate by the network in this file; default: the built-in network
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

/// The start position, the widely measured "matsuri" position, an endgame with entering
/// kings, and positions from games that Enbu played against itself from random openings,
/// from move 15 to move 90; searched in this order.
pub(super) fn positions() -> io::Result<Vec<Position>> {
    let position =
        |sfen: &str| Position::from_setup(&sfen.parse().map_err(io::Error::other)?).map_err(io::Error::other);
    include_str!("bench_positions.sfen").lines().map(position).collect()
}

/// Keeps the node count of the whole search.
#[derive(Default)]
struct Count(AtomicU64);

impl Listener for Count {
    fn report(&self, _: &Report) {}

    fn totals(&self, totals: &Progress) {
        self.0.store(totals.nodes, Ordering::Relaxed);
    }

    fn notice(&self, _: &str) {}

    fn finished(&self, _: &BestMove) {}
}

/// Searches every position afresh and prints nodes, time, speed and, last, the
/// signature: the sum of all nodes, which changes whenever the search does.
pub(crate) fn run(args: &BenchArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let choice = args.network.as_ref().map_or(Choice::BuiltIn, |path| Choice::File(path.clone()));
    let evaluation = evaluation::load(&choice, None).map_err(io::Error::other)?;
    writeln!(out, "evaluation {evaluation}")?;
    let mut search = Search::new().map_err(io::Error::other)?;
    search.set_evaluation(evaluation);
    if let Err(error) = search.set_hash_mb(args.hash as usize) {
        writeln!(out, "{error}")?;
    }
    let (mut total, mut time) = (0, Duration::ZERO);
    let positions = positions()?;
    for (number, position) in positions.iter().enumerate() {
        search.new_game();
        let count = Arc::new(Count::default());
        let limits = Limits { depth: Some(args.depth), ..Limits::default() };
        let started = Instant::now();
        search.start(position, limits, Options::default(), started, Arc::clone(&count) as Arc<dyn Listener>);
        search.wait();
        time += started.elapsed();
        let nodes = count.0.load(Ordering::Relaxed);
        total += nodes;
        writeln!(out, "position {}/{} nodes {nodes}", number + 1, positions.len())?;
    }
    let time_ms = time.as_millis().max(1);
    let nps = u128::from(total) * 1000 / time_ms;
    writeln!(out, "nodes {total}\ntime_ms {time_ms}\nnps {nps}\n{total} nodes {nps} nps\nBench: {total}")?;
    Ok(ExitCode::SUCCESS)
}

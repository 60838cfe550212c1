//! `enbu bench`: fixed searches, for speed and for the signature.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use enbu_eval::Evaluation;
use enbu_movegen::Position;
use enbu_search::{BestMove, HashError, Limits, Listener, Options, Progress, Report, Search};

use super::bench_positions::POSITIONS;
use crate::evaluation::{self, Choice};

/// Depth of the standard bench, in plies.
pub(in crate::commands) const DEPTH: u32 = 9;
/// Table of the standard bench, in MB.
pub(in crate::commands) const HASH_MB: u32 = 16;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu bench
  enbu bench --depth 6 --hash 64
  enbu bench --network eval/nn.bin";

/// The arguments of `enbu bench`.
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

/// Searches position after position, each afresh, and counts.
pub(in crate::commands) struct Bench {
    search: Search,
    /// Nodes of all searches.
    pub(in crate::commands) nodes: u64,
    /// Time of all searches.
    pub(in crate::commands) time: Duration,
}

impl Bench {
    /// A bench with this evaluation and one thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(in crate::commands) fn new(evaluation: Evaluation) -> io::Result<Self> {
        let mut search = Search::new().map_err(io::Error::other)?;
        search.set_evaluation(evaluation);
        Ok(Self { search, nodes: 0, time: Duration::ZERO })
    }

    /// Searches the position of `sfen` to `depth` and returns the number of nodes.
    pub(in crate::commands) fn search(&mut self, sfen: &str, depth: u32) -> io::Result<u64> {
        let setup = sfen.parse().map_err(io::Error::other)?;
        let position = Position::from_setup(&setup).map_err(io::Error::other)?;
        self.search.new_game();
        let count = Arc::new(Count::default());
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let started = Instant::now();
        self.search.start(&position, limits, Options::default(), started, Arc::clone(&count) as Arc<dyn Listener>);
        self.search.wait();
        self.time += started.elapsed();
        let nodes = count.0.load(Ordering::Relaxed);
        self.nodes += nodes;
        Ok(nodes)
    }

    /// Nodes per second of all searches.
    pub(in crate::commands) fn nodes_per_second(&self) -> u64 {
        let nps = u128::from(self.nodes) * 1000 / self.time.as_millis().max(1);
        u64::try_from(nps).unwrap_or(u64::MAX)
    }

    /// Gives the transposition table this size.
    pub(in crate::commands) fn set_hash_mb(&mut self, megabytes: u32) -> Result<(), HashError> {
        self.search.set_hash_mb(megabytes as usize)
    }
}

/// Searches every position afresh and prints nodes, time, speed and, last, the
/// signature: the sum of all nodes, which changes whenever the search does.
pub(crate) fn run(args: &BenchArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let choice = args.network.as_ref().map_or(Choice::BuiltIn, |path| Choice::File(path.clone()));
    let evaluation = evaluation::load(&choice, None).map_err(io::Error::other)?;
    writeln!(out, "evaluation {evaluation}")?;
    let mut bench = Bench::new(evaluation)?;
    if let Err(error) = bench.set_hash_mb(args.hash) {
        writeln!(out, "{error}")?;
    }
    for (number, sfen) in POSITIONS.iter().enumerate() {
        let nodes = bench.search(sfen, args.depth)?;
        writeln!(out, "position {}/{} nodes {nodes}", number + 1, POSITIONS.len())?;
    }
    let (total, nps, time_ms) = (bench.nodes, bench.nodes_per_second(), bench.time.as_millis().max(1));
    writeln!(out, "nodes {total}\ntime_ms {time_ms}\nnps {nps}\n{total} nodes {nps} nps\nBench: {total}")?;
    Ok(ExitCode::SUCCESS)
}

//! `enbu bench`: fixed searches, for speed and for the signature.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use enbu_movegen::Position;
use enbu_search::{BestMove, Limits, Listener, Options, Report, Search};

use crate::bench_positions::POSITIONS;
use crate::evaluation::{self, Choice};

/// Depth of the standard bench, in plies.
pub(crate) const DEPTH: u32 = 9;
/// Table of the standard bench, in MB.
pub(crate) const HASH_MB: u32 = 16;

/// Keeps the node count of the last report, which is that of the whole search.
#[derive(Default)]
struct Count(AtomicU64);

impl Listener for Count {
    fn report(&self, report: &Report) {
        self.0.store(report.nodes, Ordering::Relaxed);
    }

    fn notice(&self, _: &str) {}

    fn finished(&self, _: &BestMove) {}
}

/// Searches every position afresh and prints nodes, time, speed and, last, the
/// signature: the sum of all nodes, which changes whenever the search does.
///
/// `network` is a file to evaluate by, instead of what is built in.
pub(crate) fn run(depth: u32, hash_mb: u32, network: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    let mut search = Search::new();
    let choice = network.map_or(Choice::BuiltIn { absent: None }, |path| Choice::File(path.to_path_buf()));
    let evaluation = evaluation::load(&choice, None).map_err(io::Error::other)?;
    writeln!(out, "evaluation {evaluation}")?;
    search.set_evaluation(evaluation);
    let mut total = 0;
    let mut time = Duration::ZERO;
    if let Err(error) = search.set_hash_mb(hash_mb as usize) {
        writeln!(out, "{error}")?;
    }
    for (number, sfen) in POSITIONS.iter().enumerate() {
        let setup = sfen.parse().map_err(io::Error::other)?;
        let position = Position::from_setup(&setup).map_err(io::Error::other)?;
        search.new_game();
        let count = Arc::new(Count::default());
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let started = Instant::now();
        search.start(&position, limits, Options::default(), started, Arc::clone(&count) as Arc<dyn Listener>);
        search.wait();
        time += started.elapsed();
        let nodes = count.0.load(Ordering::Relaxed);
        total += nodes;
        writeln!(out, "position {}/{} nodes {nodes}", number + 1, POSITIONS.len())?;
    }
    let time_ms = time.as_millis().max(1);
    let nps = u128::from(total) * 1000 / time_ms;
    writeln!(out, "nodes {total}\ntime_ms {time_ms}\nnps {nps}\n{total} nodes {nps} nps\nBench: {total}")
}

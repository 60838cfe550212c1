//! `go mate`: the mate solver as the USI session sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use enbu_mate::{Counted, Length, Limits, Mate, Progress, Refinement, Solver, Verdict};
use enbu_movegen::Position;
use enbu_usi::{Checkmate, EventSender, Info, MateLimit, Outcome, Score};

/// Margin before a time limit, so that the answer arrives in time.
const MARGIN: Duration = Duration::from_millis(20);

/// Longest reported line of a search that has found no mate yet, in moves.
const SHOWN_MOVES: usize = 40;

/// Least time between two reports of mates that are being shortened.
const MATE_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct MateRequest {
    pub(crate) limit: MateLimit,
    /// Limit of positions to search.
    pub(crate) nodes: Option<u64>,
    /// Memory for the table, in MB.
    pub(crate) hash_mb: usize,
    pub(crate) started: Instant,
}

/// The solver and the search that may be running on it.
///
/// The table is made by the first `go mate` and kept until the next game, so that a
/// position that ran out of time can be asked about again.
#[derive(Default)]
pub(crate) struct MateSearch {
    stop: Arc<AtomicBool>,
    running: Option<JoinHandle<Option<KeptSolver>>>,
    idle: Option<KeptSolver>,
}

/// A solver and its size in MB.
struct KeptSolver {
    solver: Solver,
    hash_mb: usize,
}

impl MateSearch {
    /// Starts a search and returns.
    ///
    /// It begins when one before it, which is asked to stop, has given its solver back.
    pub(crate) fn start(&mut self, position: &Position, request: MateRequest, events: EventSender) {
        self.stop();
        self.stop = Arc::new(AtomicBool::new(false));
        let (idle, before) = (self.idle.take(), self.running.take());
        let (stop, position) = (Arc::clone(&self.stop), position.without_history());
        let run = move || {
            let idle = before.and_then(|before| before.join().ok().flatten()).or(idle);
            search(idle, &position, &request, &stop, &events)
        };
        // Without a thread `events` goes unanswered, which the session notices.
        self.running = thread::Builder::new().name("mate".into()).spawn(run).ok();
    }

    /// Asks the running search to end.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Forgets everything and gives the memory back.
    pub(crate) fn forget(&mut self) {
        self.collect();
        self.idle = None;
    }

    /// Ends a search that is still running and takes its solver back.
    fn collect(&mut self) {
        self.stop();
        if let Some(thread) = self.running.take() {
            // A solver that panicked is not used again.
            self.idle = thread.join().ok().flatten();
        }
    }
}

impl Drop for MateSearch {
    fn drop(&mut self) {
        self.collect();
    }
}

/// Solves and answers; gives the solver back.
fn search(
    idle: Option<KeptSolver>,
    position: &Position,
    request: &MateRequest,
    stop: &AtomicBool,
    events: &EventSender,
) -> Option<KeptSolver> {
    let same = idle.filter(|idle| idle.hash_mb == request.hash_mb);
    let made = || match Solver::new(request.hash_mb) {
        Ok(solver) => Some(KeptSolver { solver, hash_mb: request.hash_mb }),
        Err(error) => {
            events.notice(format!("error: {error}"));
            events.done(Outcome::Checkmate(Checkmate::Timeout));
            None
        }
    };
    let mut kept = same.or_else(made)?;
    let deadline = match request.limit {
        MateLimit::Unlimited => None,
        MateLimit::WithinMs(ms) => {
            let time = Duration::from_millis(ms);
            request.started.checked_add(time.saturating_sub(MARGIN).max(time / 2))
        }
    };
    let limits = Limits { nodes: request.nodes, deadline, plies: None, refinement: Refinement::Affordable };
    let mut last_mate = Duration::ZERO;
    let solution = kept.solver.solve(position, &limits, stop, &mut |progress| {
        // A mate may be the last one, which is reported at the end.
        if progress.mate.is_none() || progress.elapsed >= last_mate + MATE_INTERVAL {
            last_mate = progress.elapsed;
            events.info(info(progress));
        }
    });
    let counters = numbers(solution.nodes, solution.elapsed, solution.hash_permille);
    let counted = kept.solver.count(position, &solution, &limits, stop, &mut |_| {});
    match (&solution.verdict, counted) {
        (Verdict::Mate(mate), Some(counted)) => {
            events.notice(summary(mate, counted));
            events.info(line(mate, counters));
        }
        _ => events.info(counters),
    }
    events.done(Outcome::Checkmate(match solution.verdict {
        Verdict::Mate(mate) => Checkmate::Moves(mate.line),
        Verdict::NoMate => Checkmate::NoMate,
        Verdict::Unknown => Checkmate::Timeout,
    }));
    Some(kept)
}

/// The progress as `info`: the mate found so far, or the line being searched.
fn info(progress: &Progress) -> Info {
    let counters = numbers(progress.nodes, progress.elapsed, progress.hash_permille);
    match &progress.mate {
        Some(mate) => line(mate, counters),
        None => Info {
            seldepth: u32::try_from(progress.line.len()).ok(),
            pv: progress.line.iter().copied().take(SHOWN_MOVES).collect(),
            ..counters
        },
    }
}

/// The line of a mate; its length is a score only where it is that of the proof.
fn line(mate: &Mate, counters: Info) -> Info {
    let plies = u32::from(mate.plies);
    let score = if usize::from(mate.plies) == mate.line.len() { Score::MateIn(plies) } else { Score::Mates };
    Info { depth: Some(plies), score: Some(score), pv: mate.line.clone(), ..counters }
}

/// Both lengths in words.
fn summary(mate: &Mate, counted: Counted) -> String {
    let known = if mate.length == Length::Shortest { "the shortest" } else { "perhaps not the shortest" };
    let bound = if counted.length == Length::Shortest { "" } else { "at most " };
    format!("mate in {} plies, {known}; {bound}{} without useless interpositions", mate.plies, counted.plies)
}

fn numbers(nodes: u64, elapsed: Duration, hash_permille: u32) -> Info {
    Info::counters(nodes, u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX), hash_permille)
}

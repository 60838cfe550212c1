//! `go mate`: the mate solver as the USI session sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use enbu_mate::{Length, Limits, Mate, Progress, Refinement, Solution, Solver, Verdict};
use enbu_movegen::Position;
use enbu_usi::{Checkmate, EventSender, Info, MateLimit, Outcome, Score};

/// Margin before a time limit, so that the answer arrives in time.
const MARGIN: Duration = Duration::from_millis(20);

/// Longest reported line of a search that has found no mate yet, in moves.
const SHOWN_MOVES: usize = 40;

/// The limits of a `go mate`.
pub(crate) struct MateRequest {
    /// Limit of time.
    pub(crate) limit: MateLimit,
    /// Limit of positions to search.
    pub(crate) nodes: Option<u64>,
    /// Memory for the table, in MB.
    pub(crate) hash_mb: usize,
    /// Arrival of the command.
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
    pub(crate) fn start(&mut self, position: &Position, request: MateRequest, events: EventSender) {
        self.collect();
        self.stop = Arc::new(AtomicBool::new(false));
        let (idle, stop, position) = (self.idle.take(), Arc::clone(&self.stop), position.without_history());
        let run = move || search(idle, &position, &request, &stop, &events);
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
    let solution = kept.solver.solve(position, &limits, stop, &mut |progress| events.info(info(progress)));
    events.info(last_info(&solution));
    if let Verdict::Mate(mate) = &solution.verdict {
        events.notice(summary(mate));
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
    let mate = progress.mate.as_ref();
    Info {
        depth: mate.map(|mate| mate.plies.into()),
        seldepth: mate.is_none().then(|| u32::try_from(progress.line.len()).unwrap_or(u32::MAX)),
        score: mate.map(|mate| Score::MateIn(mate.plies.into())),
        pv: mate.map_or_else(|| progress.line.iter().copied().take(SHOWN_MOVES).collect(), |mate| mate.line.clone()),
        ..numbers(progress.nodes, progress.elapsed, progress.hash_permille)
    }
}

/// Both lengths in words.
fn summary(mate: &Mate) -> String {
    let known = if mate.length == Length::Shortest { "the shortest" } else { "perhaps not the shortest" };
    let (plies, counted) = (mate.line.len(), mate.conventional_plies);
    format!("mate in {plies} plies, {known}; {counted} without useless interpositions")
}

fn last_info(solution: &Solution) -> Info {
    numbers(solution.nodes, solution.elapsed, solution.hash_permille)
}

fn numbers(nodes: u64, elapsed: Duration, hash_permille: u32) -> Info {
    let time_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    Info {
        nodes: Some(nodes),
        nps: Some(nodes.saturating_mul(1000) / time_ms.max(1)),
        hashfull_permille: Some(hash_permille),
        time_ms: Some(time_ms),
        ..Info::default()
    }
}

//! `go mate`: the mate solver in words of the protocol.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use enbu_mate::{Counted, Length, Limits, Mate, Progress, Refinement, Solver, Verdict};
use enbu_movegen::Position;
use enbu_search::Instant;
use enbu_usi::{Checkmate, EventSender, Info, MateLimit, Outcome, Score};

/// Margin before a time limit, so that the answer arrives in time.
const MARGIN: Duration = Duration::from_millis(20);

/// Longest reported line of a search that has found no mate yet, in moves.
const SHOWN_MOVES: usize = 40;

/// Least time between two reports of mates that are being shortened.
const MATE_INTERVAL: Duration = Duration::from_secs(1);

/// The limits of a `go mate`.
pub struct MateRequest {
    /// Limit of time.
    pub limit: MateLimit,
    /// Limit of positions to search.
    pub nodes: Option<u64>,
    /// Memory for the table, in MB.
    pub hash_mb: usize,
    /// Arrival of the command.
    pub started: Instant,
}

/// A mate solver with its size in MB. The table is made by the first request and kept, so that a
/// position that ran out of time can be asked about again.
pub struct MateSolver {
    solver: Solver,
    hash_mb: usize,
}

impl MateSolver {
    /// Solves and answers, by `idle` if its size is the one asked for; gives the solver back.
    pub fn search(
        idle: Option<Self>,
        position: &Position,
        request: &MateRequest,
        stop: &AtomicBool,
        events: &EventSender,
    ) -> Option<Self> {
        let same = idle.filter(|idle| idle.hash_mb == request.hash_mb);
        let made = || match Solver::new(request.hash_mb) {
            Ok(solver) => Some(Self { solver, hash_mb: request.hash_mb }),
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

//! Limits of a search and its progress reports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use enbu_isa::Instant;
use enbu_movegen::{Move, Position};

use crate::plies::Length;
use crate::table::Table;

/// Effort spent on shorter lines after the first proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Refinement {
    /// None: the line of the first proof.
    None,
    /// Up to the nodes of the proof once more, and at least enough for short problems.
    #[default]
    Affordable,
    /// Unlimited: until the shortest mate is known.
    Shortest,
}

impl Refinement {
    /// Nodes to spend after a proof that took `spent`.
    pub(crate) fn nodes(self, spent: u64) -> u64 {
        match self {
            Self::None => 0,
            Self::Affordable => spent.max(CHEAP_NODES),
            Self::Shortest => u64::MAX,
        }
    }
}

/// Limits of a search. The default is unlimited.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Maximal number of nodes.
    pub nodes: Option<u64>,
    /// Time at which the search ends.
    pub deadline: Option<Instant>,
    /// Maximal length of a mate in plies. `NoMate` then means: no mate of that length.
    pub plies: Option<u16>,
    /// Effort after the first proof.
    pub refinement: Refinement,
}

/// Progress of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes searched.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Occupancy of the table in 1/1000.
    pub hash_permille: u32,
    /// The shortest mate found so far; the search then continues for a shorter one.
    pub mate: Option<Mate>,
    /// The line being searched; empty after the first mate.
    pub line: Vec<Move>,
}

/// A proven mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate {
    /// The line, attacker first, up to and including the mating move. All moves are legal,
    /// and each of the attacker's gives check.
    pub line: Vec<Move>,
    /// Proven bound: the attacker mates within this number of plies against any defence.
    pub plies: u16,
    /// Precision of `plies`.
    pub length: Length,
}

/// Minimal node budget for shorter lines under [`Refinement::Affordable`].
pub(crate) const CHEAP_NODES: u64 = 1_000_000;

const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Number of nodes between two reads of the clock, minus one.
const CLOCK_MASK: u64 = 0xff;

/// Applies the limits and sends progress reports.
pub(crate) struct Overseer<'a> {
    pub(crate) started: Instant,
    nodes: u64,
    /// Limit of nodes of the present question.
    until: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    report: &'a mut dyn FnMut(&Progress),
    next_report: Duration,
    /// A mate is known: the line being searched is not reported.
    pub(crate) has_mate: bool,
}

impl<'a> Overseer<'a> {
    pub(crate) fn new(limits: &Limits, stop: &'a AtomicBool, report: &'a mut dyn FnMut(&Progress)) -> Self {
        Self {
            started: Instant::now(),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            until: u64::MAX,
            deadline: limits.deadline,
            stop,
            report,
            next_report: REPORT_INTERVAL,
            has_mate: false,
        }
    }

    /// Sets the additional node limit of the next question.
    pub(crate) fn until(&mut self, nodes: u64) -> &mut Self {
        self.until = nodes;
        self
    }

    pub(crate) fn found(&mut self, nodes: u64, table: &Table, mate: &Mate) {
        self.has_mate = true;
        self.report(nodes, table, Some(mate.clone()), Vec::new());
    }

    fn report(&mut self, nodes: u64, table: &Table, mate: Option<Mate>, line: Vec<Move>) {
        let (elapsed, hash_permille) = (self.started.elapsed(), table.permille());
        (self.report)(&Progress { nodes, elapsed, hash_permille, mate, line });
    }

    /// Returns true if the search ends without a result. Called at every new node; `position` has no
    /// history but the moves of the search.
    pub(crate) fn ends(&mut self, nodes: u64, table: &Table, position: &Position) -> bool {
        if nodes >= self.nodes.min(self.until) || self.stop.load(Ordering::Relaxed) {
            return true;
        }
        if nodes & CLOCK_MASK != 0 {
            return false;
        }
        let elapsed = self.started.elapsed();
        if elapsed >= self.next_report {
            self.next_report = elapsed + REPORT_INTERVAL;
            let line = if self.has_mate { Vec::new() } else { position.history().collect() };
            self.report(nodes, table, None, line);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

//! Limits of a search and its progress reports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::dfpn::Search;
use crate::solver::{Limits, Mate, Progress};

/// Interval of progress reports.
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

    /// Reports a mate.
    pub(crate) fn found(&mut self, search: &Search<'_>, mate: &Mate) {
        self.has_mate = true;
        self.report(search, Some(mate.clone()));
    }

    fn report(&mut self, search: &Search<'_>, mate: Option<Mate>) {
        // The position has no history but the moves of the search.
        let line = if self.has_mate { Vec::new() } else { search.position.history().collect() };
        let (nodes, elapsed, hash_permille) = (search.nodes, self.started.elapsed(), search.table.permille());
        (self.report)(&Progress { nodes, elapsed, hash_permille, mate, line });
    }

    /// Returns true if the search ends without a result. Called at every new node.
    pub(crate) fn ends(&mut self, search: &Search<'_>) -> bool {
        if search.nodes >= self.nodes.min(self.until) || self.stop.load(Ordering::Relaxed) {
            return true;
        }
        if search.nodes & CLOCK_MASK != 0 {
            return false;
        }
        let elapsed = self.started.elapsed();
        if elapsed >= self.next_report {
            self.next_report = elapsed + REPORT_INTERVAL;
            self.report(search, None);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

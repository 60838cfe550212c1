//! State shared by all threads of one search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::clock::{Budget, Timer};
use crate::report::{BestMove, Report};
use crate::root_move::Vote;

/// Signals from outside to a running search, and its end.
pub(crate) struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    timer: Mutex<Timer>,
    /// The doubt after the last iteration that ended while pondering.
    doubt: Mutex<Option<f64>>,
    /// Answer after a panic of the search.
    best: Mutex<Option<Interim>>,
    finished: OnceCell<()>,
    /// The main thread has ended its search: helpers follow.
    over: AtomicBool,
    /// Positions visited by each thread, as last published.
    counts: Vec<AtomicU64>,
    /// Vote of each helper after its last iteration.
    votes: Mutex<Vec<Option<Vote>>>,
}

/// The answer of an iteration, and the report of its line.
#[derive(Clone)]
pub(crate) struct Interim {
    pub(crate) answer: BestMove,
    pub(crate) report: Report,
}

impl Control {
    /// For a search by the main thread and `helpers` others, which ponders until
    /// [`ponderhit`](Self::ponderhit).
    pub(crate) fn new(started: Instant, helpers: usize) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(true),
            timer: Mutex::new(Timer::new(started, None)),
            doubt: Mutex::new(None),
            best: Mutex::new(None),
            finished: OnceCell::new(),
            over: AtomicBool::new(false),
            counts: (0..=helpers).map(|_| AtomicU64::new(0)).collect(),
            votes: Mutex::new(vec![None; helpers]),
        }
    }

    /// Returns true once helpers must end.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Publishes the positions that a thread (the main one is number 0) has visited.
    pub(crate) fn set_count(&self, thread: usize, nodes: u64) {
        self.counts[thread].store(nodes, Ordering::Relaxed);
    }

    /// Positions visited by all threads, as last published.
    pub(crate) fn all_nodes(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// Keeps the vote of helper number `helper` after an iteration.
    pub(crate) fn set_vote(&self, helper: usize, vote: Option<Vote>) {
        if let Some(slot) = self.votes.lock().get_mut(helper) {
            *slot = vote;
        }
    }

    /// Makes all helpers end, and returns their last votes without waiting for the threads: with
    /// more of them than processors the last would end seconds later.
    pub(crate) fn end_helpers(&self) -> Vec<Vote> {
        self.over.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.votes.lock()).into_iter().flatten().collect()
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Begins to count time from `at` on, by `budget`.
    pub(crate) fn ponderhit(&self, at: Instant, budget: Option<Budget>) {
        let mut timer = self.timer.lock();
        let pondered = at.saturating_duration_since(timer.started);
        *timer = Timer::after_ponder(at, budget, pondered, *self.doubt.lock());
        self.pondering.store(false, Ordering::Release);
    }

    /// Returns true once the search must end.
    pub(crate) fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || (!self.is_pondering() && self.timer.lock().is_over())
    }

    /// Returns true if the search should end after an iteration, whose result is `scale` times as
    /// uncertain as usual.
    pub(crate) fn ends_after_iteration(&self, scale: f64) -> bool {
        // Under the lock of the timer: no ponder hit in between.
        let mut timer = self.timer.lock();
        if self.is_pondering() {
            *self.doubt.lock() = Some(scale);
            return false;
        }
        timer.ends_after_iteration(scale)
    }

    /// Returns true if the search plays by a clock and does not ponder: it may end early.
    pub(crate) fn is_on_the_clock(&self) -> bool {
        !self.is_pondering() && self.timer.lock().budget.is_some()
    }

    fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Keeps the answer of a completed iteration.
    pub(crate) fn set_best(&self, best: Interim) {
        *self.best.lock() = Some(best);
    }

    /// Answer of the last completed iteration.
    pub(crate) fn best(&self) -> Option<Interim> {
        self.best.lock().clone()
    }

    /// Ends [`wait`](Self::wait), once.
    pub(crate) fn set_finished(&self) {
        let first = self.finished.set(());
        debug_assert!(first.is_ok());
    }

    pub(crate) fn wait(&self) {
        self.finished.wait();
    }
}

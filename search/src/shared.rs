//! One search: the job, the role of a thread in it, and the state shared by its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use enbu_eval::Evaluation;
use enbu_isa::Instant;
use enbu_movegen::Position;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::clock::{Budget, Timer};
use crate::correction::Corrections;
use crate::limits::{Clock, Limits, Options};
use crate::report::{BestMove, Listener, Report};
use crate::root_move::Vote;
use crate::tt::Table;
use crate::value::Value;

/// One search: position, limits and the state shared by its threads.
pub(crate) struct Job {
    pub(crate) position: Position,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    pub(crate) evaluation: Evaluation,
    /// The value of the answer two plies before, if the last search was that of the same game.
    pub(crate) expected: Option<Value>,
    pub(crate) started: Instant,
    pub(crate) table: Arc<Table>,
    pub(crate) corrections: Arc<Corrections>,
    pub(crate) control: Control,
    pub(crate) listener: Arc<dyn Listener>,
}

impl Job {
    /// Returns true if the search has to end: after a stop, at the limit of time, or for its listener,
    /// whose ponder hit starts the clock.
    pub(crate) fn must_stop(&self) -> bool {
        if self.control.is_pondering() && self.listener.has_hit() {
            self.control.ponderhit(Instant::now(), self.budget(self.limits.clock.as_ref()));
        }
        self.control.must_stop() || self.listener.wants_stop()
    }

    /// Time for the move: the fixed one, else by `clock`.
    pub(crate) fn budget(&self, clock: Option<&Clock>) -> Option<Budget> {
        let (timing, ply) = (&self.options.timing, self.position.ply());
        let fixed = self.limits.movetime.map(|movetime| Budget::fixed(movetime, timing));
        fixed.or_else(|| Some(Budget::new(clock?, timing, ply, self.options.max_moves)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Watches the limits, reports and answers.
    Main,
    /// Searches the same position so that the main thread finds more in the table.
    /// Helpers count from 0.
    Helper(usize),
}

impl Role {
    /// The main thread's is 0.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Main => 0,
            Self::Helper(index) => index + 1,
        }
    }
}

/// Signals from outside to a running search, and its end.
pub(crate) struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    timer: Mutex<Timer>,
    /// The doubt after the last iteration that ended while pondering.
    doubt: Mutex<Option<f64>>,
    /// Answer of the last completed iteration, and the report of its line.
    pub(crate) best: Mutex<Option<(BestMove, Report)>>,
    /// Set once the answer is given.
    pub(crate) finished: OnceCell<()>,
    /// The main thread has ended its search: helpers follow.
    pub(crate) over: AtomicBool,
    /// Positions visited by each thread, as last published.
    counts: Vec<AtomicU64>,
    /// Changes of the best move in all threads since the last iteration of the main one.
    changes: AtomicU32,
    /// Vote of each helper after its last iteration.
    votes: Mutex<Vec<Option<Vote>>>,
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
            changes: AtomicU32::new(0),
            votes: Mutex::new(vec![None; helpers]),
        }
    }

    /// Publishes the positions that a thread (the main one is number 0) has visited.
    pub(crate) fn set_count(&self, thread: usize, nodes: u64) {
        self.counts[thread].store(nodes, Ordering::Relaxed);
    }

    /// Positions visited by all threads, as last published.
    pub(crate) fn all_nodes(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// Counts a change of the best move within an iteration.
    pub(crate) fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// The changes of the best move a thread since the last call.
    pub(crate) fn take_changes(&self) -> f64 {
        f64::from(self.changes.swap(0, Ordering::Relaxed)) / self.counts.len() as f64
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
}

//! What all threads of one search see.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::BestMove;
use crate::clock::Timer;

/// Signals from outside to a running search, and its end.
pub(crate) struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    timer: Mutex<Timer>,
    /// What to play if the search broke down now.
    best: Mutex<Option<BestMove>>,
    finished: Mutex<bool>,
    on_finish: Condvar,
}

impl Control {
    pub(crate) fn new(timer: Timer, ponder: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            timer: Mutex::new(timer),
            best: Mutex::new(None),
            finished: Mutex::new(false),
            on_finish: Condvar::new(),
        }
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Begins to count time by `timer`.
    pub(crate) fn ponderhit(&self, timer: Timer) {
        *self.timer.lock() = timer;
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether the search must end at once.
    pub(crate) fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || (!self.is_pondering() && self.timer.lock().is_over())
    }

    /// After an iteration whose result is `scale` times as uncertain as usual:
    /// whether the search should end.
    pub(crate) fn ends_after_iteration(&self, scale: f64) -> bool {
        !self.is_pondering() && self.timer.lock().ends_after_iteration(scale)
    }

    /// Whether the search plays by a clock (and does not ponder), so that it may
    /// end early when there is nothing left to think about.
    pub(crate) fn is_on_the_clock(&self) -> bool {
        !self.is_pondering() && self.timer.lock().budget.is_some()
    }

    fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Keeps what a completed iteration would play.
    pub(crate) fn set_best(&self, best: BestMove) {
        *self.best.lock() = Some(best);
    }

    /// What the last completed iteration would play.
    pub(crate) fn best(&self) -> Option<BestMove> {
        *self.best.lock()
    }

    pub(crate) fn set_finished(&self) {
        *self.finished.lock() = true;
        self.on_finish.notify_all();
    }

    pub(crate) fn wait(&self) {
        let mut finished = self.finished.lock();
        while !*finished {
            self.on_finish.wait(&mut finished);
        }
    }
}

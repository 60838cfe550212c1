//! `go mate`: the mate solver as the USI session sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use enbu_adapter::{MateRequest, MateSolver};
use enbu_movegen::Position;
use enbu_usi::EventSender;

/// The solver and the search that may be running on it.
///
/// The table is made by the first `go mate` and kept until the next game, so that a
/// position that ran out of time can be asked about again.
#[derive(Default)]
pub(crate) struct MateSearch {
    stop: Arc<AtomicBool>,
    running: Option<JoinHandle<Option<MateSolver>>>,
    idle: Option<MateSolver>,
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
            MateSolver::search(idle, &position, &request, &stop, &events)
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

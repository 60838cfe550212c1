//! Work that may take long, on a thread of its own, while the session listens.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crossbeam_channel::Sender;

use crate::command::GoRequest;
use crate::reply::Reply;
use crate::session::engine::Engine;
use crate::session::{Message, Session};

pub(super) struct Job {
    pub(super) kind: JobKind,
    /// Time of the next sign of life.
    pub(super) keepalive_at: Instant,
    /// The instant at which the session answers for the search that it prepares; `None`: never.
    pub(super) deadline: Option<Instant>,
    cancel: Arc<AtomicBool>,
}

/// Work of a job, which sends its messages to the session.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// Starts a thread that does the work.
pub(super) type StartThread = fn(Work) -> io::Result<()>;

/// Starts a thread of the system; tests of the session keep the work instead.
pub(super) fn start_thread(work: Work) -> io::Result<()> {
    thread::Builder::new().name("usi-job".into()).spawn(work).map(drop)
}

/// Kind of a job, which decides the next step after it.
#[derive(Clone, Debug)]
pub(super) enum JobKind {
    /// Prepares for `isready` and forgets the last game; then `readyok`.
    Ready,
    /// Prepares for a `go` that no `isready` preceded; then the search.
    Go {
        request: Box<GoRequest>,
        /// Arrival time of the command.
        at: Instant,
    },
    /// Prepares for a `go` that was stopped and answered meanwhile.
    Answered,
    NewGame,
    Eval,
    Perft,
}

pub(super) struct JobContext {
    pub(super) cancel: Arc<AtomicBool>,
    messages: Sender<Message>,
}

impl JobContext {
    pub(super) fn send(&self, reply: Reply) {
        // Fails only when the session has already ended.
        let _ = self.messages.send(Message::JobLine(reply));
    }
}

impl<E: Engine> Session<E> {
    /// Starts `work`. The session gets [`Message::JobDone`] when it is through, even
    /// if it panics.
    pub(super) fn start_job(&mut self, kind: JobKind, work: impl FnOnce(&JobContext) + Send + 'static) {
        let is_late = self.leaving.as_ref().is_some_and(|leaving| leaving.cancelled);
        let cancel = Arc::new(AtomicBool::new(is_late));
        let context = JobContext { cancel: Arc::clone(&cancel), messages: self.sender.clone() };
        let run = Box::new(move || {
            let failure = catch_unwind(AssertUnwindSafe(|| work(&context))).err().map(|payload| panic_text(&*payload));
            let _ = context.messages.send(Message::JobDone { failure });
        });
        let keepalive_at = Instant::now() + self.timing.keepalive;
        if let Err(error) = (self.start_thread)(run) {
            let failure = Some(format!("no thread: {error}"));
            let _ = self.sender.send(Message::JobDone { failure });
        }
        self.job = Some(Job { kind, keepalive_at, deadline: None, cancel });
    }
}

impl Job {
    /// Asks the job to end early.
    pub(super) fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

pub(super) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic").to_owned()
}

//! The loop between a GUI and an [`Engine`], which owns the order of events.
//!
//! # Threads
//! ```text
//! stdin ─► input thread ─► lines ──────►┐
//!                                       ├─► the session ─► output thread ─► stdout
//! search threads, job thread ─► messages┘        │
//!                                                └─► Engine::go, stop, ponderhit ...
//! ```
//! The session blocks only for the next line or message.
//! Slow work of an engine (preparing, clearing, evaluating) is a *job* on its own
//! thread; lines that arrive meanwhile are queued, except `quit`, and `stop` for the `go`
//! that is being prepared.
//!
//! # One answer for each `go`
//! | event during a search | effect |
//! |---|---|
//! | it ends by itself | the answer; after `go ponder` and `go infinite` it is held back |
//! | its deadline passes | it is answered with the best move so far, and stopped; its own answer is dropped |
//! | `stop` | the engine stops; the answer follows, within `Timing::stop`; later lines are queued |
//! | `ponderhit` | a pondering search becomes an ordinary one, or its held answer is sent |
//! | `go`, `usinewgame`, `gameover` | as `stop`, then the command itself |
//! | `position` | concerns the next `go` |
//! | `setoption` | queued until the answer, and an error with it |
//! | `usi`, `isready`, questions | answered at once |
//! | `eval`, `perft` | refused |
//! | `quit` | as `stop`, then the end |
//! | end of input | none; a search that needs a command (`go infinite`, `go ponder`, no limit) is stopped |
//!
//! Without a search `stop`, `ponderhit` and `gameover` have no reply. Events carry the
//! number of their search, so none is ever taken for another's. A search that ends
//! without an answer, or with an illegal one, is answered with the best move reported
//! so far, else the first legal one. The last `info` before a `bestmove` is the line of that move.
//!
//! # The end
//! `quit` stops a search and ends the session as soon as the lines before it are served: at
//! once, or after the patience of `Timing`, whatever the engine does. Only if it arrived
//! together with the lines before it, as from a script, is there time for their answers.
//!
//! The end of input has no such limit, because a script in a pipe reads its answers:
//! all lines before it are served to their end. A GUI that died is noticed by the next
//! line that cannot be written.

mod dispatch;
mod engine;
mod game;
mod input;
mod job;
mod log;
mod output;
mod perft;
mod search;
mod traffic;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, bounded, never, select, unbounded};
use jiff::Zoned;
use jiff::civil::DateTime;
use parking_lot::Mutex;

use crate::command::{Command, CommandError, Parsed};
use crate::reply::Reply;

pub use engine::{CsaSettings, Engine, Event, EventSender, Identity, Outcome, Rules};
pub use game::{Game, GameError, display, legal_moves, side};

use input::Input;
use job::{Job, JobKind, StartThread};
use log::Log;
use output::Output;
use search::{Search, Stage};
use traffic::{Direction, TrafficLog, Written, no_log};

/// Maximum size in bytes of the queued lines; then input is not read.
/// Less in the tests.
const MAX_WAITING_BYTES: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// Reason for the end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `quit` or the end of input.
    Quit,
    /// The output is no longer read.
    OutputLost,
    /// The threads for input and output could not be started.
    NoThreads,
}

impl From<Exit> for ExitCode {
    /// Success for [`Exit::Quit`], 1 for the others.
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Quit => Self::SUCCESS,
            Exit::OutputLost | Exit::NoThreads => Self::FAILURE,
        }
    }
}

/// Speaks USI on behalf of `engine` until `quit` or the end of input.
///
/// Threads may be left running: one blocked in `stdin`, one in a `stdout` without a
/// reader, one in an engine that does not return. The caller ends the process.
///
/// # Examples
/// With the engine of a binary:
/// `ExitCode::from(enbu_usi::run(engine, std::io::stdin(), std::io::stdout()))`.
pub fn run(engine: impl Engine, stdin: impl Read + Send + 'static, stdout: impl Write + Send + 'static) -> Exit {
    run_with(engine, stdin, stdout, Timing::default())
}

#[derive(Clone, Copy, Debug)]
struct Timing {
    /// Between two signs of life while a job runs.
    keepalive: Duration,
    /// From `stop` until the session answers for a search that does not.
    stop: Duration,
    /// From `quit` until a job that is still running is cancelled, and the session ends without
    /// regard to anything.
    patience: Duration,
    /// In place of `patience` for the end, when `quit` arrived within `patience` of another line.
    /// Only an engine that does not return, or a starved machine, needs it.
    limit: Duration,
    /// For the last lines to be read after `quit`.
    flush: Duration,
    /// For the last lines to be read after the end of input.
    drain: Duration,
    /// For the engine to release its resources.
    release: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Self {
            keepalive: ms(5000),
            stop: ms(20),
            patience: ms(150),
            limit: ms(10_000),
            flush: ms(1000),
            drain: ms(10_000),
            release: ms(30),
        }
    }
}

/// Input of the session other than lines.
enum Message {
    /// From the search with this number.
    Search(u64, Event),
    JobLine(Reply),
    JobDone {
        failure: Option<String>,
    },
    /// Nothing can be written any more.
    OutputLost,
}

fn run_with<E, R, W>(engine: E, stdin: R, stdout: W, timing: Timing) -> Exit
where
    E: Engine,
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (sender, messages) = unbounded();
    let lost = sender.clone();
    let output = Output::start(stdout, move || {
        // Fails only after the end of the session.
        let _ = lost.send(Message::OutputLost);
    });
    let (Ok(output), Ok(lines)) = (output, input::start(stdin)) else { return Exit::NoThreads };
    let mut session = Session::new(engine, output, sender, timing);
    let exit = session.serve(&lines, &messages);
    session.close();
    exit
}

/// A line that was read and not executed.
struct Queued {
    parsed: Parsed,
    at: Instant,
    bytes: usize,
}

/// State after `quit`.
struct Leaving {
    cancel_at: Instant,
    exit_at: Instant,
    cancelled: bool,
}

struct Session<E> {
    engine: Arc<Mutex<E>>,
    output: Output,
    sender: Sender<Message>,
    timing: Timing,
    queue: VecDeque<Queued>,
    queued_bytes: usize,
    last_line: Option<Instant>,
    input_ended: bool,
    leaving: Option<Leaving>,
    job: Option<Job>,
    start_thread: StartThread,
    search: Option<Search>,
    /// Number of the newest search.
    searches: u64,
    game: Game,
    log: Log,
    /// The engine is prepared, and no option has changed since.
    prepared: bool,
    /// Options set during a search.
    late_options: Vec<(String, Option<String>)>,
    /// The log of everything received and sent, and its file.
    traffic: Option<(PathBuf, TrafficLog)>,
    /// Receiver of the end of the last such log.
    traffic_end: Written,
}

impl<E: Engine> Session<E> {
    fn new(engine: E, output: Output, sender: Sender<Message>, timing: Timing) -> Self {
        let game = Game::default();
        Self {
            engine: Arc::new(Mutex::new(engine)),
            output,
            sender,
            timing,
            queue: VecDeque::new(),
            queued_bytes: 0,
            last_line: None,
            input_ended: false,
            leaving: None,
            job: None,
            start_thread: job::start_thread,
            search: None,
            searches: 0,
            log: Log::new(game.setup.clone()),
            game,
            prepared: false,
            late_options: Vec::new(),
            traffic: None,
            traffic_end: no_log(),
        }
    }

    fn serve(&mut self, lines: &Receiver<Input>, messages: &Receiver<Message>) -> Exit {
        let no_lines = never();
        // A file beside the engine may name the log before any command.
        self.choose_traffic_log();
        loop {
            if let ControlFlow::Break(exit) = self.execute_queue() {
                return exit;
            }
            let takes_lines = !self.input_ended && self.queued_bytes < MAX_WAITING_BYTES;
            let lines = if takes_lines { lines } else { &no_lines };
            let timer = self.next_timer().map_or_else(never, at);
            let flow = select! {
                recv(lines) -> line => {
                    // Messages sent before the arrival of the line are handled first.
                    let flow = self.handle_all(messages);
                    self.take_line(line.ok());
                    flow
                }
                recv(messages) -> message => message.map_or(ControlFlow::Continue(()), |message| self.handle(message)),
                // An answer that is there is not late.
                recv(timer) -> _ => match self.handle_all(messages) {
                    ControlFlow::Continue(()) => self.on_timer(),
                    exit => exit,
                },
            };
            if let ControlFlow::Break(exit) = flow {
                return exit;
            }
        }
    }

    /// Returns `true` while lines must be queued.
    fn is_busy(&self) -> bool {
        let is_ending = |search: &Search| search.stage == Stage::Stopping;
        self.job.is_some() || self.search.as_ref().is_some_and(is_ending)
    }

    fn execute_queue(&mut self) -> ControlFlow<Exit> {
        while !self.is_busy() {
            let Some(next) = self.queue.pop_front() else { return self.finish_input() };
            self.queued_bytes = self.queued_bytes.saturating_sub(next.bytes);
            self.execute(next)?;
        }
        ControlFlow::Continue(())
    }

    /// After the last line: ends the session once everything is answered.
    fn finish_input(&mut self) -> ControlFlow<Exit> {
        if !self.input_ended {
            return ControlFlow::Continue(());
        }
        if self.search.as_ref().is_some_and(Search::waits_for_a_command) {
            self.abandon_search();
        }
        if self.is_busy() || self.search.is_some() {
            return ControlFlow::Continue(());
        }
        self.write_log();
        ControlFlow::Break(Exit::Quit)
    }

    /// Reads a line, or the end of input.
    fn take_line(&mut self, line: Option<Input>) {
        let now = Instant::now();
        let (parsed, at, bytes) = match line {
            Some((Some(text), at)) => {
                self.traffic.iter().for_each(|(_, log)| log.add(Direction::Received, &text));
                (Command::parse(&text), at, text.len())
            }
            Some((None, _)) => (CommandError::TooLong(input::MAX_LINE_BYTES).into(), now, 0),
            None => {
                self.input_ended = true;
                return;
            }
        };
        let last_line = self.last_line.replace(at);
        match parsed.command {
            Some(Command::Quit) => {
                self.input_ended = true;
                let Timing { patience, limit, .. } = self.timing;
                let is_together = last_line.is_some_and(|last| at.saturating_duration_since(last) < patience);
                let exit_at = now + if is_together { limit } else { patience };
                self.leaving = Some(Leaving { cancel_at: now + patience, exit_at, cancelled: false });
            }
            Some(Command::Stop) => self.stop_job(now),
            _ => {}
        }
        self.queued_bytes += bytes;
        self.queue.push_back(Queued { parsed, at, bytes });
    }

    /// A `stop` reaches past the line to a running perft or to a search that is being prepared,
    /// unless it is meant for a `go` in between.
    fn stop_job(&mut self, now: Instant) {
        let go_waits = self.queue.iter().any(|line| matches!(line.parsed.command, Some(Command::Go(_))));
        let Some(job) = self.job.as_mut().filter(|_| !go_waits) else { return };
        match job.kind {
            JobKind::Perft => job.cancel(),
            JobKind::Go { .. } => _ = job.deadline.get_or_insert(now + self.timing.stop),
            _ => {}
        }
    }

    /// Time of the next timeout, at which the session acts without input.
    fn next_timer(&self) -> Option<Instant> {
        let keepalive = self.job.as_ref().map(|job| job.keepalive_at);
        let leaving =
            self.leaving.as_ref().map(|leaving| if leaving.cancelled { leaving.exit_at } else { leaving.cancel_at });
        let deadline = self.search.as_ref().and_then(|search| search.deadline);
        let prepared = self.job.as_ref().and_then(|job| job.deadline);
        keepalive.into_iter().chain(leaving).chain(deadline).chain(prepared).min()
    }

    fn on_timer(&mut self) -> ControlFlow<Exit> {
        let now = Instant::now();
        if self.search.as_ref().is_some_and(|search| search.deadline.is_some_and(|deadline| now >= deadline)) {
            self.answer_late_search();
        }
        if self.job.as_ref().is_some_and(|job| job.deadline.is_some_and(|deadline| now >= deadline)) {
            self.answer_unprepared();
        }
        if let Some(leaving) = &mut self.leaving {
            if now >= leaving.exit_at {
                return ControlFlow::Break(Exit::Quit);
            }
            if now >= leaving.cancel_at {
                leaving.cancelled = true;
                self.job.iter().for_each(Job::cancel);
            }
        }
        if let Some(job) = &mut self.job
            && now >= job.keepalive_at
        {
            job.keepalive_at = now + self.timing.keepalive;
            if !matches!(job.kind, JobKind::Perft) {
                self.output.send(&Reply::Text("still working".to_owned()));
            }
        }
        ControlFlow::Continue(())
    }

    fn handle_all(&mut self, messages: &Receiver<Message>) -> ControlFlow<Exit> {
        (0..messages.len())
            .try_for_each(|_| messages.try_recv().map_or(ControlFlow::Continue(()), |message| self.handle(message)))
    }

    fn handle(&mut self, message: Message) -> ControlFlow<Exit> {
        match message {
            Message::Search(number, event) => self.handle_event(number, event),
            Message::JobLine(reply) => self.output.send(&reply),
            Message::JobDone { failure } => self.finish_job(failure),
            Message::OutputLost => return ControlFlow::Break(Exit::OutputLost),
        }
        ControlFlow::Continue(())
    }

    fn send(&self, reply: Reply) {
        self.output.send(&reply);
    }

    /// Calls the engine. A panic is reported, and `None` returned.
    fn call_engine<T>(&self, what: &str, call: impl FnOnce(&mut E) -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(|| call(&mut self.engine.lock())));
        result
            .map_err(|payload| {
                self.send(Reply::Error(format!("internal: {what} failed: {}", job::panic_text(&*payload))));
            })
            .ok()
    }

    /// Ends the running search, lets the last lines out, and releases the engine.
    fn close(self) {
        let running = self.search.as_ref().is_some_and(|search| search.stage == Stage::Running);
        match &self.job {
            Some(job) => job.cancel(),
            // Without a job the engine is not locked.
            None if running => {
                self.call_engine("stop", E::stop);
            }
            None => {}
        }
        self.output.close(if self.leaving.is_some() { self.timing.flush } else { self.timing.drain });
        match &self.traffic {
            Some((_, log)) => log.flush(self.timing.flush),
            None => _ = self.traffic_end.recv_timeout(self.timing.flush),
        }
        // Giving back much memory takes time, and the process is about to end.
        let (released, wait) = bounded::<()>(0);
        let engine = self.engine;
        let release = thread::Builder::new().name("usi-release".into()).spawn(move || {
            drop(engine);
            drop(released);
        });
        if release.is_ok() {
            let _ = wait.recv_timeout(self.timing.release);
        }
    }
}

fn now() -> DateTime {
    Zoned::now().datetime()
}

#[cfg(test)]
mod tests;

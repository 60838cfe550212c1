//! The façade: an engine object with start, stop, ponderhit and wait.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use enbu_eval::Evaluation;
use enbu_isa::Instant;
use enbu_movegen::{MoveList, Position};

use crate::correction::Corrections;
use crate::limits::{Clock, Limits, Options};
use crate::memory::Memory;
use crate::report::{BestMove, Listener, Progress, Report};
use crate::shared::{Control, Job, Role};
use crate::tt::Table;
use crate::value::{Score, Value, mated_at};
use crate::worker::Worker;

/// The requested size of the transposition table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no memory for a hash of {asked_mb} MB, using {kept_mb} MB")]
pub struct HashError {
    /// Requested size in megabytes (2^20 bytes).
    pub asked_mb: usize,
    /// Size in use.
    pub kept_mb: usize,
}

/// The system refused some search threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives {got} of {asked} threads")]
pub struct ThreadError {
    /// Requested number.
    pub asked: usize,
    /// Number of threads running.
    pub got: usize,
}

enum Task {
    /// A search; the main thread passes it on to the helpers.
    Search(Arc<Job>, Vec<Sender<Task>>),
    /// Nothing: the channel closes once the thread is idle.
    Rest(Sender<Never>),
    /// Forgets everything learnt, and prepares for searches by the evaluation.
    NewGame(Sender<Never>, Evaluation),
}

/// Uninhabited: the channel is only closed.
enum Never {}

/// A search thread with its own memory.
struct SearchThread {
    tasks: Sender<Task>,
    handle: JoinHandle<()>,
}

impl SearchThread {
    /// Starts an idle thread; `None` if the system refuses.
    fn new(role: Role) -> Option<Self> {
        let (tasks, inbox) = unbounded();
        let builder = std::thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        let handle = builder.spawn(move || serve(role, &inbox)).ok()?;
        Some(Self { tasks, handle })
    }

    fn send(&self, task: Task) {
        // The thread ends only when the sender is dropped.
        let sent = self.tasks.send(task);
        debug_assert!(sent.is_ok());
    }

    /// Ends the thread, which must be idle or about to be.
    fn end(self) {
        drop(self.tasks);
        let ended = self.handle.join();
        debug_assert!(ended.is_ok());
    }
}

/// A search engine: one position at a time, any number one after the other.
///
/// Dropping it stops a running search and waits for its end.
pub struct Search {
    table: Arc<Table>,
    corrections: Arc<Corrections>,
    evaluation: Evaluation,
    /// The main thread and its helpers.
    threads: Vec<SearchThread>,
    /// The search in progress or the last one, and its clock.
    current: Option<(Arc<Job>, Option<Clock>)>,
    /// Something is to be forgotten, or a thread is new.
    used: bool,
}

/// Number of threads for work that can be divided at will.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Enough for the deepest line with room to spare.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// The table a new engine has until [`Search::set_hash_mb`] is called.
const INITIAL_HASH_MB: usize = 1;

impl Search {
    /// An engine with a small table and one idle thread.
    ///
    /// # Errors
    /// [`ThreadError`] if the system refuses a thread.
    ///
    /// # Panics
    /// If it refuses a megabyte.
    #[expect(clippy::expect_used, reason = "without a megabyte there is no engine")]
    pub fn new() -> Result<Self, ThreadError> {
        let main = SearchThread::new(Role::Main).ok_or(ThreadError { asked: 1, got: 0 })?;
        let table = Table::new(INITIAL_HASH_MB, 1).expect("a megabyte");
        let evaluation = Evaluation::default();
        let (table, corrections) = (Arc::new(table), Arc::new(Corrections::new()));
        Ok(Self { table, corrections, evaluation, threads: vec![main], current: None, used: true })
    }

    /// Size of the transposition table in megabytes (2^20 bytes).
    pub fn hash_mb(&self) -> usize {
        self.table.megabytes()
    }

    /// Gives the table another size, which empties it; stops a running search.
    ///
    /// # Errors
    /// [`HashError`] if there is not enough memory; the old size is kept.
    pub fn set_hash_mb(&mut self, megabytes: usize) -> Result<(), HashError> {
        let (asked_mb, kept_mb) = (megabytes.max(1), self.hash_mb());
        if asked_mb == kept_mb {
            return Ok(());
        }
        self.finish();
        self.all(Task::Rest);
        if !Table::fits(asked_mb, kept_mb) {
            return Err(HashError { asked_mb, kept_mb });
        }
        // The smallest first, so that memory need not hold two; the old size last, if the system
        // reports more memory than it has.
        for megabytes in [INITIAL_HASH_MB, asked_mb, kept_mb] {
            let Some(table) = Table::new(megabytes, cores()) else { continue };
            self.table = Arc::new(table);
            if megabytes == asked_mb {
                return Ok(());
            }
        }
        Err(HashError { asked_mb, kept_mb: self.hash_mb() })
    }

    /// Sets the evaluation. Everything learnt so far is forgotten: values of different evaluations
    /// must not meet. Stops a running search.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.evaluation = evaluation;
        self.used = true;
        self.new_game();
    }

    /// Forgets everything learnt so far, and stops a running search. Returns at once if nothing was
    /// searched since the last time; the next search costs no more than later ones.
    pub fn new_game(&mut self) {
        self.finish();
        if std::mem::take(&mut self.used) {
            self.all(|done| Task::NewGame(done, self.evaluation.clone()));
            self.corrections.clear();
            self.table.clear(cores());
        }
    }

    /// Gives each thread a task, and waits until all are done. None of them holds the table then.
    fn all(&self, task: impl Fn(Sender<Never>) -> Task) {
        let (doing, done) = bounded(0);
        self.threads.iter().for_each(|thread| thread.send(task(doing.clone())));
        drop(doing);
        // An error: all senders are dropped.
        let _ = done.recv();
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Sets the number of threads, at least one; stops a running search. More threads than
    /// processors only slow each other down.
    ///
    /// # Errors
    /// [`ThreadError`] if the system gives fewer, which are used.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadError> {
        let threads = threads.max(1);
        if threads == self.threads.len() {
            return Ok(());
        }
        self.finish();
        self.used = true;
        self.threads.drain(threads.min(self.threads.len())..).for_each(SearchThread::end);
        while self.threads.len() < threads {
            let Some(helper) = SearchThread::new(Role::Helper(self.threads.len() - 1)) else {
                return Err(ThreadError { asked: threads, got: self.threads.len() });
            };
            self.threads.push(helper);
        }
        Ok(())
    }

    /// Begins to search `position` and returns at once: the search begins after a running one has
    /// stopped. `started` is the instant at which the clock began to run.
    pub fn start(
        &mut self,
        position: &Position,
        limits: Limits,
        options: Options,
        started: Instant,
        listener: Arc<dyn Listener>,
    ) {
        self.stop();
        self.used = true;
        let clock = limits.clock;
        let job = Arc::new(Job {
            position: position.clone(),
            limits,
            options,
            evaluation: self.evaluation.clone(),
            expected: self.expected(position),
            started,
            table: Arc::clone(&self.table),
            corrections: Arc::clone(&self.corrections),
            control: Control::new(started, self.threads.len() - 1),
            listener,
        });
        if !job.limits.ponder {
            job.control.ponderhit(started, job.budget(clock.as_ref()));
        }
        if let [main, helpers @ ..] = &self.threads[..] {
            let helpers = helpers.iter().map(|helper| helper.tasks.clone()).collect();
            main.send(Task::Search(Arc::clone(&job), helpers));
        }
        self.current = Some((job, clock));
    }

    /// The value that the last search gave its answer, if that and a reply led to `position`.
    fn expected(&self, position: &Position) -> Option<Value> {
        let (job, _) = self.current.as_ref()?;
        let (answer, report) = job.control.best.lock().clone()?;
        let mut before = position.clone();
        before.undo_move()?;
        let played = before.undo_move()?;
        let follows = matches!(answer, BestMove::Play { best, .. } if best == played);
        match report.score {
            Score::Cp(value) if follows && before.key() == job.position.key() => Some(value),
            _ => None,
        }
    }

    /// Makes the search end; its answer follows within milliseconds. No effect without a search.
    pub fn stop(&self) {
        if let Some((job, _)) = &self.current {
            job.control.stop();
        }
    }

    /// The pondered move was played at the instant `at`: from now on time counts, by `clock` if the
    /// client sent one, else by the clock of the start. A search that has used enough time by then
    /// answers at once.
    pub fn ponderhit(&mut self, clock: Option<Clock>, at: Instant) {
        if let Some((job, known)) = &mut self.current {
            *known = clock.or(*known);
            job.control.ponderhit(at, job.budget(known.as_ref()));
        }
    }

    /// The answer of the running search so far, and its line with the present counters: that of
    /// the last completed iteration, else the move in the table.
    pub fn best(&self) -> Option<(BestMove, Report)> {
        let (job, _) = self.current.as_ref()?;
        let progress = Progress {
            nodes: job.control.all_nodes(),
            elapsed: job.started.elapsed(),
            hashfull: self.table.hashfull(),
            root_move: None,
        };
        if let Some((best, report)) = job.control.best.lock().clone() {
            return Some((best, Report { progress, ..report }));
        }
        let entry = self.table.probe(job.position.key(), 0)?;
        let best = entry.mv.filter(|&mv| job.position.is_legal(mv))?;
        // An entry that keeps a move alone has the bound that always holds.
        let value = if entry.value > mated_at(0) { entry.value } else { entry.eval.unwrap_or(0) };
        let (depth, score) = (entry.depth.max(0).unsigned_abs(), Score::from_value(value));
        let (selective_depth, multi_pv, bound, pv) = (depth, 1, entry.bound, vec![best]);
        let report = Report { depth, selective_depth, multi_pv, score, bound, progress, pv, end: None };
        Some((BestMove::Play { best, ponder: None }, report))
    }

    /// Waits until the search has given its answer.
    pub fn wait(&self) {
        if let Some((job, _)) = &self.current {
            job.control.finished.wait();
        }
    }

    fn finish(&mut self) {
        self.stop();
        self.wait();
        self.current = None;
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.finish();
        self.threads.drain(..).for_each(SearchThread::end);
    }
}

/// A search thread: does one task after the other until its channel is closed.
fn serve(role: Role, inbox: &Receiver<Task>) {
    let mut memory = Memory::new();
    for task in inbox {
        match (task, role) {
            (Task::Rest(_done), _) => {}
            // All threads together may have more tables than the machine has memory.
            (Task::NewGame(_done, evaluation), Role::Main) => memory.warm(&evaluation),
            (Task::NewGame(..), Role::Helper(_)) => memory.clear(),
            (Task::Search(job, helpers), Role::Main) => {
                let best = job.listener.known(&|| job.control.must_stop()).unwrap_or_else(|| {
                    job.table.new_search();
                    for helper in &helpers {
                        // An error: the thread has ended.
                        let _ = helper.send(Task::Search(Arc::clone(&job), Vec::new()));
                    }
                    answer(&job, &mut memory)
                });
                job.listener.finished(&best);
                let _first = job.control.finished.set(());
            }
            (Task::Search(job, _), Role::Helper(index)) => help(&job, index, &mut memory),
        }
    }
}

/// Helps with a job. A panic here only loses the help.
fn help(job: &Job, index: usize, memory: &mut Memory) {
    let helped = catch_unwind(AssertUnwindSafe(|| Worker::new(job, Role::Helper(index), memory).help(index)));
    if helped.is_err() {
        memory.clear();
        job.corrections.clear();
        job.listener.notice("error: internal error in a helping thread");
    }
}

/// Runs a job. A panic is our own bug and must not lose the game: the answer of the last completed
/// iteration is played instead, or the first legal move.
fn answer(job: &Job, memory: &mut Memory) -> BestMove {
    let searched = catch_unwind(AssertUnwindSafe(|| Worker::new(job, Role::Main, memory).run()));
    searched.unwrap_or_else(|_| {
        job.control.end_helpers();
        memory.clear();
        job.corrections.clear();
        job.listener.notice("error: internal error in the search, playing the best move so far");
        let best = job.control.best.lock().as_ref().map(|(best, _)| *best);
        best.unwrap_or_else(|| {
            let mut legal = MoveList::new();
            job.position.legal_moves(&mut legal);
            legal.first().map_or(BestMove::Resign, |&best| BestMove::Play { best, ponder: None })
        })
    })
}

#[cfg(test)]
pub(crate) mod tests;

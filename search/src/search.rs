//! The façade: an engine object with start, stop, ponderhit and wait.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use enbu_eval::Evaluation;
use enbu_movegen::{MoveList, Position};

use crate::clock::{Budget, Timer};
use crate::job::{Job, Role};
use crate::limits::{Clock, Limits, Options};
use crate::memory::Memory;
use crate::report::{BestMove, Listener, Progress, Report};
use crate::shared::Control;
use crate::tt::Table;
use crate::value::{Score, mated_at};
use crate::worker::Worker;

/// Memory for a transposition table that cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no memory for a hash of {asked_mb} MB, using {kept_mb} MB")]
pub struct HashError {
    /// What was asked for, in megabytes (2^20 bytes).
    pub asked_mb: usize,
    /// What is in use instead.
    pub kept_mb: usize,
}

/// Threads that cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives {got} of {asked} threads")]
pub struct ThreadError {
    /// How many were asked for.
    pub asked: usize,
    /// How many search instead.
    pub got: usize,
}

enum Task {
    /// A search; the main thread passes it on to the helpers.
    Search(Arc<Job>, Vec<Sender<Task>>),
    /// Nothing: whoever waits for it knows that the thread is idle.
    Rest(Sender<Never>),
    /// Forgets everything learnt, and prepares for searches by the evaluation.
    NewGame(Sender<Never>, Evaluation),
}

/// What is never sent.
enum Never {}

/// A thread that searches, with its own memory.
struct Member {
    tasks: Sender<Task>,
    thread: JoinHandle<()>,
}

impl Member {
    /// Starts an idle thread; `None` when the system gives none.
    fn new(role: Role) -> Option<Self> {
        let (tasks, inbox) = unbounded();
        let thread = std::thread::Builder::new()
            .name("search".into())
            .stack_size(STACK_BYTES)
            .spawn(move || serve(role, &inbox))
            .ok()?;
        Some(Self { tasks, thread })
    }

    fn send(&self, task: Task) {
        // The thread ends only when the sender is dropped.
        let sent = self.tasks.send(task);
        debug_assert!(sent.is_ok());
    }

    /// Ends the thread, which must be idle or about to be.
    fn end(self) {
        drop(self.tasks);
        let ended = self.thread.join();
        debug_assert!(ended.is_ok());
    }
}

/// A search engine: one position at a time, any number one after the other.
///
/// Dropping it stops a running search and waits for it.
pub struct Search {
    table: Arc<Table>,
    evaluation: Evaluation,
    /// The main thread and its helpers.
    team: Vec<Member>,
    current: Option<Running>,
    /// Something is to be forgotten, or a thread is new.
    used: bool,
}

/// The search in progress (or the last one).
struct Running {
    control: Arc<Control>,
    clock: Option<Clock>,
    options: Options,
    position: Position,
    movetime: Option<Duration>,
    started: Instant,
}

/// Threads for work that any number of them can share.
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
    /// # Panics
    /// When the system can give neither a megabyte nor a thread.
    #[expect(clippy::expect_used, reason = "without a thread there is no engine")]
    pub fn new() -> Self {
        Self::try_new().expect("a thread")
    }

    /// Like [`new`](Self::new), without a panic for the lack of a thread.
    ///
    /// # Errors
    /// [`ThreadError`] when the system gives no thread.
    ///
    /// # Panics
    /// When it cannot give a megabyte.
    #[expect(clippy::expect_used, reason = "without a megabyte there is no engine")]
    pub fn try_new() -> Result<Self, ThreadError> {
        let main = Member::new(Role::Main).ok_or(ThreadError { asked: 1, got: 0 })?;
        let table = Table::new(INITIAL_HASH_MB, 1).expect("a megabyte");
        let evaluation = Evaluation::default();
        Ok(Self { table: Arc::new(table), evaluation, team: vec![main], current: None, used: true })
    }

    /// Size of the transposition table in megabytes (2^20 bytes).
    pub fn hash_mb(&self) -> usize {
        self.table.megabytes()
    }

    /// Gives the table another size, which empties it; stops a running search.
    ///
    /// # Errors
    /// [`HashError`] when there is not enough memory; the old table stays.
    pub fn set_hash_mb(&mut self, megabytes: usize) -> Result<(), HashError> {
        let megabytes = megabytes.max(1);
        if megabytes == self.hash_mb() {
            return Ok(());
        }
        self.finish();
        self.all(Task::Rest);
        let kept_mb = self.hash_mb();
        let refused = |kept_mb| Err(HashError { asked_mb: megabytes, kept_mb });
        if !Table::fits(megabytes, kept_mb) {
            return refused(kept_mb);
        }
        // The old table goes first, so that memory need not hold both.
        if let Some(least) = Table::new(INITIAL_HASH_MB, 1) {
            self.table = Arc::new(least);
        }
        match Table::new(megabytes, cores()) {
            Some(table) => self.table = Arc::new(table),
            None => {
                // Where the system did not say beforehand that there is too little.
                self.table = Table::new(kept_mb, cores()).map_or_else(|| Arc::clone(&self.table), Arc::new);
                return refused(self.hash_mb());
            }
        }
        Ok(())
    }

    /// Evaluates by another evaluation from now on. What was learnt so far is
    /// forgotten: values of different evaluations must not meet. Stops a running
    /// search.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.evaluation = evaluation;
        self.used = true;
        self.new_game();
    }

    /// Forgets everything learnt so far, and stops a running search. Returns at once when
    /// nothing was searched since the last time; the next search costs no more than later ones.
    pub fn new_game(&mut self) {
        self.finish();
        if std::mem::take(&mut self.used) {
            self.all(|done| Task::NewGame(done, self.evaluation.clone()));
            self.table.clear(cores());
        }
    }

    /// Gives each thread a task, and waits until all have done it. None of them holds the
    /// table then.
    fn all(&self, task: impl Fn(Sender<Never>) -> Task) {
        let (doing, done) = bounded(0);
        self.team.iter().for_each(|member| member.send(task(doing.clone())));
        drop(doing);
        // An error: all have let go of their end.
        let _ = done.recv();
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.team.len()
    }

    /// Searches with so many threads (at least one) from now on; stops a running
    /// search. More threads than processors only slow each other down.
    ///
    /// # Errors
    /// [`ThreadError`] when the system gives fewer; what it gave is used.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadError> {
        let threads = threads.max(1);
        if threads == self.team.len() {
            return Ok(());
        }
        self.finish();
        self.used = true;
        self.team.drain(threads.min(self.team.len())..).for_each(Member::end);
        while self.team.len() < threads {
            let Some(member) = Member::new(Role::Helper(self.team.len() - 1)) else {
                return Err(ThreadError { asked: threads, got: self.team.len() });
            };
            self.team.push(member);
        }
        Ok(())
    }

    /// Begins to search `position` and returns at once: the search begins when one that is
    /// still running has stopped. `started` is when the clock began to run.
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
        let running = Running {
            control: Arc::new(Control::new(Timer::new(started, None), limits.ponder, self.team.len() - 1)),
            clock: limits.clock,
            options,
            position: position.clone(),
            movetime: limits.movetime,
            started,
        };
        if !limits.ponder {
            running.control.ponderhit(started, running.budget());
        }
        let job = Job {
            position: position.clone(),
            limits,
            options,
            evaluation: self.evaluation.clone(),
            started,
            table: Arc::clone(&self.table),
            control: Arc::clone(&running.control),
            listener,
        };
        self.current = Some(running);
        if let [main, helpers @ ..] = &self.team[..] {
            let helpers = helpers.iter().map(|helper| helper.tasks.clone()).collect();
            main.send(Task::Search(Arc::new(job), helpers));
        }
    }

    /// Asks the search to end; its answer follows within milliseconds. Nothing
    /// happens when none is running.
    pub fn stop(&self) {
        if let Some(running) = &self.current {
            running.control.stop();
        }
    }

    /// The pondered move was played at the instant `at`: from now on time counts,
    /// by `clock` if the client sent one, else by the clock of the start. A search that
    /// has thought long enough by then answers at once.
    pub fn ponderhit(&mut self, clock: Option<Clock>, at: Instant) {
        if let Some(running) = &mut self.current {
            running.clock = clock.or(running.clock);
            running.control.ponderhit(at, running.budget());
        }
    }

    /// The answer of the running search as far as it has come, and its line with the counters
    /// of this moment: that of the last completed iteration, else the move in the table.
    pub fn best(&self) -> Option<(BestMove, Report)> {
        let running = self.current.as_ref()?;
        let progress = Progress {
            nodes: running.control.all_nodes(),
            elapsed: running.started.elapsed(),
            hashfull: self.table.hashfull(),
            root_move: None,
        };
        if let Some(best) = running.control.best() {
            return Some((best.answer, Report { progress, ..best.report }));
        }
        let entry = self.table.probe(running.position.key(), 0)?;
        let best = entry.mv.filter(|&mv| running.position.is_legal(mv))?;
        // An entry that keeps a move alone has the bound that always holds.
        let value = if entry.value > mated_at(0) { entry.value } else { entry.eval.unwrap_or(0) };
        let (depth, score) = (entry.depth.max(0).unsigned_abs(), Score::from_value(value));
        let report = Report {
            depth,
            selective_depth: depth,
            multi_pv: 1,
            score,
            bound: entry.bound,
            progress,
            pv: vec![best],
            end: None,
        };
        Some((BestMove::Play { best, ponder: None }, report))
    }

    /// Waits until the search has given its answer.
    pub fn wait(&self) {
        if let Some(running) = &self.current {
            running.control.wait();
        }
    }

    fn finish(&mut self) {
        self.stop();
        self.wait();
        self.current = None;
    }
}

impl Running {
    fn budget(&self) -> Option<Budget> {
        let timing = &self.options.timing;
        match (self.movetime, &self.clock) {
            (Some(movetime), _) => Some(Budget::fixed(movetime, timing)),
            (None, Some(clock)) => Some(Budget::new(clock, timing, self.position.ply())),
            (None, None) => None,
        }
    }
}

impl Default for Search {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.finish();
        self.team.drain(..).for_each(Member::end);
    }
}

/// A search thread: does one task after the other until the engine is dropped.
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
                        // One that is gone is not missed.
                        let _ = helper.send(Task::Search(Arc::clone(&job), Vec::new()));
                    }
                    answer(&job, &mut memory)
                });
                drop(helpers);
                job.listener.finished(&best);
                release(job).set_finished();
            }
            (Task::Search(job, _), Role::Helper(index)) => help(&job, index, &mut memory),
        }
    }
}

/// Lets go of a job, and with it of the table, which may be given back as soon as the
/// end of the job is told.
fn release(job: Arc<Job>) -> Arc<Control> {
    Arc::clone(&job.control)
}

/// Helps with a job. A panic here only loses the help.
fn help(job: &Job, index: usize, memory: &mut Memory) {
    let helped = catch_unwind(AssertUnwindSafe(|| Worker::new(job, Role::Helper(index), memory).help(index)));
    if helped.is_err() {
        memory.clear();
        job.listener.notice("error: internal error in a helping thread");
    }
}

/// Runs a job. A panic is our own bug and must not lose the game: what the last
/// completed iteration found is played instead, or the first legal move.
fn answer(job: &Job, memory: &mut Memory) -> BestMove {
    let searched = catch_unwind(AssertUnwindSafe(|| Worker::new(job, Role::Main, memory).run()));
    searched.unwrap_or_else(|_| {
        job.control.end_helpers();
        memory.clear();
        job.listener.notice("error: internal error in the search, playing the best move so far");
        job.control.best().map(|best| best.answer).unwrap_or_else(|| {
            let mut legal = MoveList::new();
            job.position.legal_moves(&mut legal);
            legal.first().map_or(BestMove::Resign, |&best| BestMove::Play { best, ponder: None })
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use enbu_movegen::{EnteringKingRule, Move};
    use parking_lot::Mutex;

    use super::*;
    use crate::fault::{Fault, Place};

    /// Remembers what it hears; panics on the first report if told to.
    #[derive(Default)]
    struct Ear {
        reports: Mutex<Vec<Report>>,
        notices: Mutex<Vec<String>>,
        answers: Mutex<Vec<BestMove>>,
        panics: AtomicBool,
    }

    impl Listener for Ear {
        fn report(&self, report: &Report) {
            assert!(!self.panics.load(Ordering::Relaxed), "a fault for the test");
            self.reports.lock().push(report.clone());
        }

        fn notice(&self, text: &str) {
            self.notices.lock().push(text.into());
        }

        fn finished(&self, best: &BestMove) {
            self.answers.lock().push(*best);
        }
    }

    fn position(sfen: &str) -> Position {
        Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable")
    }

    fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    fn search(engine: &mut Search, position: &Position, limits: Limits, options: Options) -> Arc<Ear> {
        let ear = Arc::new(Ear::default());
        engine.start(position, limits, options, Instant::now(), Arc::clone(&ear) as Arc<dyn Listener>);
        engine.wait();
        assert_eq!(ear.answers.lock().len(), 1);
        ear
    }

    const QUIET: &str = "l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31";

    #[test]
    fn the_same_search_visits_the_same_nodes() {
        let mut engine = Search::new();
        let mut counts = Vec::new();
        for _ in 0..3 {
            engine.new_game();
            let ear = search(&mut engine, &position(QUIET), depth(6), Options::default());
            counts.push(ear.reports.lock().last().map(|report| report.progress.nodes));
        }
        assert!(counts[0].is_some_and(|nodes| nodes > 500));
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    }

    #[test]
    fn several_threads_answer_once_with_a_legal_line() {
        let mut engine = Search::new();
        for threads in [3, 2, 1, 4] {
            engine.set_threads(threads).expect("threads");
            assert_eq!(engine.threads(), threads);
            engine.new_game();
            let ear = search(&mut engine, &position(QUIET), depth(7), Options::default());
            let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
            let reports = ear.reports.lock();
            assert_eq!(reports.last().map(|report| report.pv[0]), Some(best));
            let mut line = position(QUIET);
            for &mv in &reports.last().expect("a report").pv {
                line.play(mv).expect("legal");
            }
        }
        // Stops come at any moment, also before a helper has begun.
        let ear = Arc::new(Ear::default());
        for _ in 0..50 {
            let listener = Arc::clone(&ear) as Arc<dyn Listener>;
            engine.start(&position(QUIET), Limits::default(), Options::default(), Instant::now(), listener);
            engine.stop();
            engine.wait();
        }
        assert_eq!(ear.answers.lock().len(), 50);
    }

    #[test]
    fn a_panic_at_any_kind_of_node_loses_no_game() {
        let mut engine = Search::new();
        engine.set_threads(2).expect("threads");
        let position = position(QUIET);
        for place in Place::EACH {
            for (role, after) in [(Role::Main, 0), (Role::Main, 1500), (Role::Helper(0), 0), (Role::Helper(0), 1500)] {
                let fault = Some(Fault { place, role, after });
                // Deep enough for the main thread to reach its fault whatever the helper finds for it.
                let depth_limit = if role == Role::Main { 20 } else { 7 };
                let ear = search(&mut engine, &position, Limits { fault, ..depth(depth_limit) }, Options::default());
                let answer = ear.answers.lock()[0];
                let legal = matches!(answer, BestMove::Play { best, .. } if position.is_legal(best));
                assert!(legal, "{fault:?}: {answer:?}");
                let notices = ear.notices.lock().len();
                // A helper may begin too late to reach its fault.
                assert!(notices <= 1 && (notices == 1 || role != Role::Main), "{fault:?}: {notices} notices");
                // The next search is as before.
                let ear = search(&mut engine, &position, depth(3), Options::default());
                assert!(ear.notices.lock().is_empty(), "{fault:?}");
            }
        }
    }

    #[test]
    fn a_node_limit_holds_for_all_threads_together() {
        let mut engine = Search::new();
        engine.set_threads(3).expect("threads");
        let limits = Limits { nodes: Some(60_000), ..Limits::default() };
        let ear = search(&mut engine, &position(QUIET), limits, Options::default());
        let nodes = ear.reports.lock().last().map_or(0, |report| report.progress.nodes);
        assert!((30_000..70_000).contains(&nodes), "{nodes}");
    }

    #[test]
    fn a_draw_is_worth_what_the_options_say() {
        // Bare kings and one pawn each far apart: nothing happens before the limit of moves.
        let quiet = position("4k4/4p4/9/9/9/9/9/4P4/4K4 b - 1");
        let mut engine = Search::new();
        for value in [-300, 0, 250] {
            engine.new_game();
            let options = Options { max_moves: 2, draw_values: [value, 7], ..Options::default() };
            let ear = search(&mut engine, &quiet, depth(4), options);
            assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::Cp(value)));
        }
    }

    #[test]
    fn mates_are_found_and_their_length_is_told() {
        let mut engine = Search::new();
        let ear = search(&mut engine, &position("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth(3), Options::default());
        assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::MateIn(1)));
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2";
        let ear = search(&mut engine, &position(mated), depth(3), Options::default());
        assert_eq!(*ear.answers.lock(), [BestMove::Resign]);
        assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::MatedIn(0)));
    }

    #[test]
    fn every_reported_line_is_legal_and_lines_differ() {
        let mut engine = Search::new();
        let options = Options { multi_pv: 3, ..Options::default() };
        let ear = search(&mut engine, &position(QUIET), depth(7), options);
        let reports = ear.reports.lock();
        assert!(reports.iter().any(|report| report.multi_pv == 3));
        for report in reports.iter() {
            let mut line = position(QUIET);
            for &mv in &report.pv {
                line.play(mv).expect("legal");
            }
        }
        let last = [1, 2, 3]
            .map(|rank| reports.iter().rev().find(|report| report.multi_pv == rank).map(|report| report.pv[0]));
        assert!(last[0] != last[1] && last[1] != last[2] && last[0] != last[2]);
        let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
        assert_eq!(last[0], Some(best));
    }

    /// A middlegame full of mates and repetitions in reach ("matsuri").
    const SHARP: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

    #[test]
    fn mates_in_one_do_not_fill_the_table() {
        let mut engine = Search::new();
        for _ in 0..6 {
            let limits = Limits { nodes: Some(40_000), ..Limits::default() };
            search(&mut engine, &position(SHARP), limits, Options::default());
        }
        let values = engine.table.values();
        let mates = values.iter().filter(|(value, _)| *value == crate::value::mate_at(1)).count();
        assert!(values.len() > 30_000, "the table is full: {}", values.len());
        assert!(mates * 100 < values.len() * 6, "{mates} of {}", values.len());
    }

    /// Searches of `ENBU_TABLE_NODES` nodes, in as much table as leaves it full.
    #[test]
    #[expect(clippy::print_stdout, reason = "what `--nocapture` shows is the measurement")]
    fn the_table_stays_healthy_along_a_game() {
        let nodes = std::env::var("ENBU_TABLE_NODES").map_or(100_000, |nodes| nodes.parse().expect("a number"));
        let mut engine = Search::new();
        engine.set_hash_mb((nodes / 125_000).max(1) as usize).expect("a few megabytes");
        let mut game = position(SHARP);
        let mut full = Vec::new();
        // A given game: one that the search chose could run into a mate, before which trees are small.
        for mv in ["G*3c", "4c3d+", "S*2h", "9h2h", "3i2h+", "2i2h", "R*4h", "G*3h"] {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            search(&mut engine, &game, limits, Options::default());
            game.play(mv.parse().expect("a move")).expect("legal");
            let values = engine.table.values();
            let mates = values.iter().filter(|(value, _)| *value == crate::value::mate_at(1)).count();
            println!("{mv}: {} entries, {mates} mates in one, hashfull {}", values.len(), engine.table.hashfull());
            assert!(mates * 100 < values.len() * 3, "{mates} of {}", values.len());
            full.push(engine.table.hashfull());
        }
        assert!(full.iter().all(|&later| later * 20 >= full[0] * 17), "{full:?}");
    }

    #[test]
    fn no_value_lies_between_evaluations_and_repetitions() {
        let mut engine = Search::new();
        engine.set_hash_mb(16).expect("sixteen megabytes");
        let limits = Limits { nodes: Some(150_000), ..Limits::default() };
        search(&mut engine, &position(SHARP), limits, Options::default());
        let halved = engine.table.values().into_iter().filter(|(value, _)| (12_000..27_000).contains(&value.abs()));
        assert_eq!(halved.collect::<Vec<_>>(), []);
    }

    #[test]
    fn a_board_repeated_with_more_in_hand_decides_only_within_the_tree() {
        // The rook takes a pawn and comes back: the board of the start, a pawn more in hand.
        let mut game = position("4k4/9/9/9/9/9/7R1/9/4K4 w p 1");
        for mv in ["P*2h", "2g2h", "5a4a", "2h2e", "4a5a"] {
            game.play(mv.parse().expect("a move")).expect("legal");
        }
        let mut engine = Search::new();
        let ear = search(&mut engine, &game, depth(5), Options::default());
        let scores: Vec<Score> = ear.reports.lock().iter().map(|report| report.score).collect();
        assert!(scores.iter().all(|score| matches!(score, Score::Cp(-20_000..=20_000))), "{scores:?}");
    }

    #[test]
    fn root_moves_can_be_restricted() {
        let mut engine = Search::new();
        let only: Move = "9g9f".parse().expect("a move");
        for (wanted, expected) in [(vec![only], Some(only)), (vec!["5a5b".parse().expect("a move")], None)] {
            let limits = Limits { root_moves: wanted, ..depth(3) };
            let ear = search(&mut engine, &position(QUIET), limits, Options::default());
            let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
            assert_eq!(expected.unwrap_or(best), best);
        }
    }

    #[test]
    fn a_won_declaration_is_declared_only_where_the_rule_knows_it() {
        let entered = position("+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1");
        let mut engine = Search::new();
        for (rule, declares) in [(EnteringKingRule::Csa27, true), (EnteringKingRule::NoEnteringKing, false)] {
            let options = Options { entering_king: rule, ..Options::default() };
            let ear = search(&mut engine, &entered, depth(1), options);
            assert_eq!(ear.answers.lock()[0] == BestMove::Win, declares);
        }
    }

    #[test]
    fn a_fault_in_a_search_still_yields_a_move() {
        let mut engine = Search::new();
        let ear = Arc::new(Ear::default());
        ear.panics.store(true, Ordering::Relaxed);
        engine.start(
            &position(QUIET),
            depth(3),
            Options::default(),
            Instant::now(),
            Arc::clone(&ear) as Arc<dyn Listener>,
        );
        engine.wait();
        assert!(matches!(ear.answers.lock()[..], [BestMove::Play { .. }]));
        assert_eq!(ear.notices.lock().len(), 1);
        search(&mut engine, &position(QUIET), depth(2), Options::default());
    }

    #[test]
    fn stop_and_ponderhit_end_a_search_that_has_no_limit() {
        let mut engine = Search::new();
        let ear = Arc::new(Ear::default());
        let listener = || Arc::clone(&ear) as Arc<dyn Listener>;
        engine.start(&position(QUIET), Limits::default(), Options::default(), Instant::now(), listener());
        engine.stop();
        engine.wait();
        let ponder = Limits { ponder: true, ..Limits::default() };
        engine.start(&position(QUIET), ponder, Options::default(), Instant::now(), listener());
        assert_eq!(ear.answers.lock().len(), 1);
        let clock = Clock { byoyomi: Duration::from_millis(20), ..Clock::default() };
        engine.ponderhit(Some(clock), Instant::now());
        engine.wait();
        assert_eq!(ear.answers.lock().len(), 2);
    }

    #[test]
    fn a_search_with_far_more_threads_than_processors_waits_for_none_of_them() {
        let mut engine = Search::new();
        engine.set_threads(200).expect("threads");
        let position = position(QUIET);
        for number in 0..20 {
            let ear = Arc::new(Ear::default());
            let listener = Arc::clone(&ear) as Arc<dyn Listener>;
            engine.start(&position, Limits::default(), Options::default(), Instant::now(), listener);
            if number % 2 == 0 {
                // The next one begins while helpers of this one still run, or have not begun.
                engine.stop();
                search(&mut engine, &position, depth(4), Options::default());
                assert_eq!(ear.answers.lock().len(), 1);
            }
        }
        // Helpers of old searches are gone before the table is cleared.
        engine.set_threads(1).expect("threads");
        engine.new_game();
        let again = search(&mut engine, &position, depth(6), Options::default());
        let fresh = search(&mut Search::new(), &position, depth(6), Options::default());
        let nodes = |ear: &Ear| ear.reports.lock().last().map(|report| report.progress.nodes);
        assert_eq!(nodes(&again), nodes(&fresh));
    }

    #[test]
    fn the_best_so_far_has_its_line_and_else_comes_from_the_table() {
        let mut engine = Search::new();
        let position = position(QUIET);
        let ear = search(&mut engine, &position, depth(6), Options::default());
        let (best, report) = engine.best().expect("a search");
        assert_eq!(vec![best], *ear.answers.lock());
        assert_eq!(Some(&report.pv), ear.reports.lock().last().map(|report| &report.pv));
        /// Waits for its stop, as for a book on a disk that does not answer.
        struct Waiting;
        impl Listener for Waiting {
            fn known(&self, is_stopped: &dyn Fn() -> bool) -> Option<BestMove> {
                while !is_stopped() {
                    std::thread::yield_now();
                }
                Some(BestMove::Resign)
            }
            fn report(&self, _: &Report) {}
            fn notice(&self, _: &str) {}
            fn finished(&self, best: &BestMove) {
                assert_eq!(*best, BestMove::Resign);
            }
        }
        engine.start(&position, Limits::default(), Options::default(), Instant::now(), Arc::new(Waiting));
        let known = engine.best().map(|(best, report)| (best, report.pv, report.progress.nodes));
        let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
        assert_eq!(known, Some((BestMove::Play { best, ponder: None }, vec![best], 0)));
        engine.stop();
        engine.wait();
    }

    #[test]
    fn a_hash_beyond_all_memory_is_refused_and_the_old_one_kept() {
        let mut engine = Search::new();
        engine.set_hash_mb(3).expect("three megabytes");
        let error = engine.set_hash_mb(usize::MAX >> 20).expect_err("no machine has that");
        assert_eq!((error.kept_mb, engine.hash_mb()), (3, 3));
    }
}

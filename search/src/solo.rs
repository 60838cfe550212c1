//! A search in the caller's own thread.
//!
//! [`Search`](crate::Search) hands each position to its thread and answers through a listener, as a
//! GUI needs it. Self-play runs millions of small searches one after the other: there the hand-over
//! costs as much as the search, so a [`Solo`] searches in the caller's thread and returns the result.

use std::sync::Arc;

use enbu_eval::Evaluation;
use enbu_isa::Instant;
use enbu_movegen::Position;

use crate::correction::Corrections;
use crate::limits::{Limits, Options};
use crate::memory::Memory;
use crate::report::{BestMove, Listener, Progress, Report};
use crate::search::HashError;
use crate::shared::{Control, Job, Role};
use crate::tt::Table;
use crate::value::Score;
use crate::worker::Worker;

/// Result of a [`Solo`] search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Answer.
    pub best: BestMove,
    /// Score for the side to move.
    pub score: Score,
    /// Positions visited.
    pub nodes: u64,
}

/// A searcher without a thread of its own, for many short searches.
///
/// ```
/// use enbu_eval::Evaluation;
/// use enbu_movegen::Position;
/// use enbu_search::{BestMove, Limits, Options, Solo};
/// let mut solo = Solo::new(1, Evaluation::default()).expect("a megabyte");
/// let limits = Limits { soft_nodes: Some(500), ..Limits::default() };
/// let found = solo.search(&Position::startpos(), limits, Options::default());
/// assert!(matches!(found.best, BestMove::Play { .. }));
/// assert!(found.nodes >= 500);
/// ```
pub struct Solo {
    table: Arc<Table>,
    corrections: Arc<Corrections>,
    evaluation: Evaluation,
    memory: Memory,
}

/// Drops everything.
struct Unheard;

impl Listener for Unheard {
    fn report(&self, _: &Report) {}
    fn totals(&self, _: &Progress) {}
    fn notice(&self, _: &str) {}
    fn finished(&self, _: &BestMove) {}
}

impl Solo {
    /// A thread that calls [`search`](Self::search) should have a stack of this size.
    pub const STACK_BYTES: usize = crate::search::STACK_BYTES;

    /// A searcher with a transposition table of this size in megabytes (2^20 bytes), at
    /// least 1. Small ones stay in the processor's cache and are quickly emptied.
    ///
    /// # Errors
    /// [`HashError`] when there is not enough memory.
    pub fn new(hash_mb: usize, evaluation: Evaluation) -> Result<Self, HashError> {
        let hash_mb = hash_mb.max(1);
        let table = Table::new(hash_mb, 1).ok_or(HashError { asked_mb: hash_mb, kept_mb: 0 })?;
        Ok(Self {
            table: Arc::new(table),
            corrections: Arc::new(Corrections::new()),
            evaluation,
            memory: Memory::new(),
        })
    }

    /// Forgets everything learnt so far.
    pub fn new_game(&mut self) {
        self.table.clear(1);
        self.corrections.clear();
        self.memory.clear();
    }

    /// Searches `position` until a limit ends it. There should be one: the search cannot be stopped.
    /// Limits of time are ignored.
    ///
    /// A position with a won declaration (or try) is not searched and is worth a mate in
    /// one.
    pub fn search(&mut self, position: &Position, limits: Limits, options: Options) -> Found {
        let limits = Limits { movetime: None, clock: None, ponder: false, ..limits };
        let job = self.job(position, limits, options, Arc::new(Unheard));
        let mut worker = Worker::new(&job, Role::Main, &mut self.memory);
        (worker.gate.lines, worker.gate.heartbeat) = (0, None);
        let best = worker.run();
        Found { best, score: worker.score(), nodes: worker.nodes }
    }

    /// Like [`search`](Self::search), within all limits, with reports to `listener`, which may
    /// [end](Listener::wants_stop) it, or end its [pondering](Limits::ponder) by a
    /// [hit](Listener::has_hit). The listener's [`finished`](Listener::finished) is not called: the
    /// answer is returned.
    pub fn analyse(
        &mut self,
        position: &Position,
        limits: Limits,
        options: Options,
        listener: Arc<dyn Listener>,
    ) -> BestMove {
        let job = self.job(position, limits, options, listener);
        Worker::new(&job, Role::Main, &mut self.memory).run()
    }

    fn job(&self, position: &Position, limits: Limits, options: Options, listener: Arc<dyn Listener>) -> Job {
        self.table.new_search();
        let started = Instant::now();
        let job = Job {
            position: position.clone(),
            limits,
            options,
            evaluation: self.evaluation.clone(),
            expected: None,
            started,
            table: Arc::clone(&self.table),
            corrections: Arc::clone(&self.corrections),
            control: Control::new(started, 0),
            listener,
        };
        if !job.limits.ponder {
            job.control.ponderhit(started, job.budget(job.limits.clock.as_ref()));
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::limits::Clock;

    fn position(sfen: &str) -> Position {
        Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable")
    }

    fn soft(nodes: u64) -> Limits {
        Limits { soft_nodes: Some(nodes), ..Limits::default() }
    }

    #[test]
    fn the_same_questions_have_the_same_answers() {
        let mut solo = Solo::new(1, Evaluation::default()).expect("a megabyte");
        let mut ask = || {
            solo.new_game();
            let mut line = Position::startpos();
            let mut answers = Vec::new();
            for _ in 0..6 {
                let found = solo.search(&line, soft(800), Options::default());
                answers.push(found);
                let BestMove::Play { best, .. } = found.best else { panic!("no move") };
                line.play(best).expect("legal");
            }
            answers
        };
        let first = ask();
        assert_eq!(ask(), first);
        assert!(first.iter().all(|found| found.nodes >= 800));
    }

    #[test]
    fn a_soft_limit_ends_after_an_iteration_and_a_hard_one_within() {
        let mut solo = Solo::new(1, Evaluation::default()).expect("a megabyte");
        let start = Position::startpos();
        let limits = Limits { nodes: Some(1200), ..soft(1000) };
        assert!(solo.search(&start, limits, Options::default()).nodes <= 1200);
        solo.new_game();
        let softly = solo.search(&start, soft(1000), Options::default()).nodes;
        assert!(softly >= 1000);
        solo.new_game();
        assert_eq!(solo.search(&start, soft(softly), Options::default()).nodes, softly);
    }

    /// Wants the end after the hit and this number of questions.
    struct Caller {
        before_hit: u32,
        before_stop: u32,
        asked: AtomicU32,
    }

    impl Listener for Caller {
        fn report(&self, _: &Report) {}
        fn notice(&self, _: &str) {}
        fn finished(&self, _: &BestMove) {}
        fn wants_stop(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) >= self.before_stop
        }
        fn has_hit(&self) -> bool {
            self.asked.load(Ordering::Relaxed) >= self.before_hit
        }
    }

    #[test]
    fn the_clock_and_the_listener_end_a_search() {
        let mut solo = Solo::new(1, Evaluation::default()).expect("a megabyte");
        let mut asked = |limits: Limits, [before_hit, before_stop]: [u32; 2]| {
            let caller = Arc::new(Caller { before_hit, before_stop, asked: AtomicU32::new(0) });
            let listener = Arc::clone(&caller) as Arc<dyn Listener>;
            let best = solo.analyse(&Position::startpos(), limits, Options::default(), listener);
            assert!(matches!(best, BestMove::Play { .. }));
            caller.asked.load(Ordering::Relaxed)
        };
        let never = u32::MAX;
        assert_eq!(asked(Limits::default(), [never, 100]), 101);
        let clock = Some(Clock { byoyomi: Duration::from_millis(30), ..Clock::default() });
        asked(Limits { clock, ..Limits::default() }, [never, never]);
        let after = asked(Limits { clock, ponder: true, ..Limits::default() }, [40, never]);
        assert!(after >= 40, "the clock starts with the hit");
    }

    #[test]
    fn ends_of_games_are_told() {
        let mut solo = Solo::new(1, Evaluation::default()).expect("a megabyte");
        let mated = solo.search(&position("4k4/4G4/4P4/9/9/9/9/9/9 w - 2"), soft(100), Options::default());
        assert_eq!((mated.best, mated.score), (BestMove::Resign, Score::MatedIn(0)));
        let entered = position("+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1");
        let declared = solo.search(&entered, soft(100), Options::default());
        assert_eq!((declared.best, declared.score), (BestMove::Win, Score::MateIn(1)));
    }
}

//! Every sequence of commands, with every interleaving of the engine's answers.
//!
//! The session runs on the test's own thread, one event at a time: a line arrives, the
//! engine finishes its job or its search, the input ends. A [`Model`] of the table at the
//! head of `session.rs` predicts the lines that each event causes; the session must say
//! exactly these, no later and no earlier. At the end every `go` and every `isready` has one
//! answer.
//!
//! `ENBU_COMMANDS=6 cargo test --release -p enbu-usi exhaustive -- --nocapture` runs all
//! sequences up to six commands and prints their number.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use enbu_movegen::{Color, Move, MoveList, Position};
use parking_lot::Mutex;

use super::super::job::Work;
use super::super::output::Output;
use super::super::{Exit, Message, Session, Timing};
use super::fake::{LastWords, mv, play};
use crate::{
    Checkmate, Clock, CsaSettings, Engine, EventSender, GoRequest, Identity, OptionError, OptionSpec, Outcome, Rules,
};

/// A command of the sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Position,
    Go(Kind),
    Stop,
    PonderHit,
    IsReady,
    SetOption,
    GameOver,
    Quit,
}

/// A kind of `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Play,
    Ponder,
    Infinite,
    Mate,
}

/// All commands; `quit` is last, because nothing is read after it.
const LINES: [Line; 11] = [
    Line::Position,
    Line::Go(Kind::Play),
    Line::Go(Kind::Ponder),
    Line::Go(Kind::Infinite),
    Line::Go(Kind::Mate),
    Line::Stop,
    Line::PonderHit,
    Line::IsReady,
    Line::SetOption,
    Line::GameOver,
    Line::Quit,
];

/// Moves by number of the search, so that no answer can be taken for another's.
const BLACK: [&str; 7] = ["2g2f", "3g3f", "4g4f", "5g5f", "6g6f", "1g1f", "9g9f"];
const WHITE: [&str; 7] = ["3c3d", "4c4d", "5c5d", "6c6d", "7c7d", "1c1d", "9c9d"];

/// Answers of the engine and of the system to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Every search has a good outcome.
    Sound,
    /// Every search has a good outcome; one that was asked to stop may be late.
    Late,
    /// Every search dies without an outcome.
    Lost,
    /// The system refuses every thread.
    NoThreads,
}

// --- the engine ---

/// A search that has not ended.
struct Open {
    events: EventSender,
    outcome: Outcome,
}

/// An engine whose search is ended by the test.
struct Scripted(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    open: Option<Open>,
    searches: usize,
}

impl Script {
    /// The session promises these calls only between searches.
    fn assert_idle(&self, call: &str) {
        assert!(self.open.is_none(), "{call} during a search");
    }
}

impl Engine for Scripted {
    fn identity(&self) -> Identity {
        Identity { name: String::new(), author: String::new() }
    }

    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    fn set_option(&mut self, _: &str, _: Option<&str>) -> Result<(), OptionError> {
        self.0.lock().assert_idle("set_option");
        Ok(())
    }

    fn option_text(&self, _: &str) -> Option<String> {
        None
    }

    fn prepare(&mut self, _: &AtomicBool, _: &mut dyn FnMut(&str)) {
        self.0.lock().assert_idle("prepare");
    }

    fn new_game(&mut self) {
        self.0.lock().assert_idle("new_game");
    }

    fn go(&mut self, position: &Position, request: &GoRequest, _: Instant, events: EventSender) {
        let mut script = self.0.lock();
        script.assert_idle("go");
        let outcome = match (request.mate, position.turn()) {
            (Some(_), _) => Outcome::Checkmate(Checkmate::NoMate),
            (None, Color::Black) => play(BLACK[script.searches % BLACK.len()]),
            (None, Color::White) => play(WHITE[script.searches % WHITE.len()]),
        };
        script.searches += 1;
        script.open = Some(Open { events, outcome });
    }

    fn stop(&mut self) {}

    fn ponderhit(&mut self, _: Option<&Clock>, _: Instant) {}

    fn evaluate(&mut self, _: &Position) -> Vec<String> {
        Vec::new()
    }

    fn rules(&self) -> Rules {
        Rules::default()
    }

    fn csa(&self) -> CsaSettings {
        CsaSettings::default()
    }
}

// --- the session ---

thread_local! {
    /// The job that waits for the test.
    static HELD: RefCell<Option<Work>> = const { RefCell::new(None) };
}

fn hold(work: Work) -> io::Result<()> {
    let before = HELD.replace(Some(work));
    assert!(before.is_none(), "two jobs at once");
    Ok(())
}

fn refuse(_: Work) -> io::Result<()> {
    Err(io::ErrorKind::WouldBlock.into())
}

/// A session without threads.
struct Stepped {
    session: Session<Scripted>,
    script: Arc<Mutex<Script>>,
    messages: Receiver<Message>,
    mode: Mode,
    positions: usize,
    last_words: LastWords,
    exit: Option<Exit>,
}

impl Stepped {
    fn new(mode: Mode) -> Self {
        let script = Arc::new(Mutex::new(Script::default()));
        let (sender, messages) = unbounded();
        let engine = Scripted(Arc::clone(&script));
        let timing = Timing { stop: Duration::ZERO, ..Timing::default() };
        let mut session = Session::new(engine, Output::unwritten(), sender, timing);
        session.start_thread = if mode == Mode::NoThreads { refuse } else { hold };
        HELD.set(None);
        Self { session, script, messages, mode, positions: 0, last_words: LastWords::default(), exit: None }
    }

    fn text(&mut self, line: Line) -> &'static str {
        match line {
            Line::Position => {
                self.positions += 1;
                if self.positions % 2 == 1 { "position startpos moves 7g7f" } else { "position startpos" }
            }
            Line::Go(Kind::Play) => "go byoyomi 1000",
            Line::Go(Kind::Ponder) => "go ponder byoyomi 1000",
            Line::Go(Kind::Infinite) => "go infinite",
            Line::Go(Kind::Mate) => "go mate 1000",
            Line::Stop => "stop",
            Line::PonderHit => "ponderhit",
            Line::IsReady => "isready",
            Line::SetOption => "setoption name Any value 1",
            Line::GameOver => "gameover win",
            Line::Quit => "quit",
        }
    }

    /// Performs an event and returns the lines said.
    fn perform(&mut self, event: Event) -> Vec<String> {
        match event {
            Event::Line(line) => {
                let text = self.text(line).to_owned();
                self.session.take_line(Some((Some(text), Instant::now())));
            }
            Event::End => self.session.take_line(None),
            Event::Engine => self.finish_engine(),
            Event::Late => {
                // Its outcome comes after the answer, and is dropped. A job goes on.
                let late = self.script.lock().open.take();
                assert!(self.session.on_timer().is_continue(), "no end before the answer");
                drop(late);
            }
        }
        self.obey();
        while self.exit.is_none()
            && let Ok(message) = self.messages.try_recv()
        {
            assert!(self.session.handle(message).is_continue(), "the output was lost");
            self.obey();
        }
        let mut lines = self.session.output.take_lines();
        lines.retain(|line| self.last_words.passes(line));
        lines
    }

    fn obey(&mut self) {
        if let ControlFlow::Break(exit) = self.session.execute_queue() {
            let before = self.exit.replace(exit);
            assert!(before.is_none(), "a second end");
        }
    }

    /// Ends the job, or else the search.
    fn finish_engine(&mut self) {
        if let Some(work) = HELD.take() {
            work();
        } else if let Some(Open { events, outcome }) = self.script.lock().open.take()
            && self.mode != Mode::Lost
        {
            events.done(outcome);
        }
    }

    /// Returns `true` if the engine works.
    fn engine_works(&self) -> bool {
        HELD.with_borrow(Option::is_some) || self.script.lock().open.is_some()
    }
}

/// Something that happens to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Line(Line),
    /// The input ends.
    End,
    /// The engine ends its job or its search.
    Engine,
    /// The search that was asked to stop has not ended in time.
    Late,
}

// --- the model ---

/// The state that the table at the head of `session.rs` describes.
#[derive(Default)]
struct Model {
    mode: Option<Mode>,
    state: State,
    /// Lines that wait.
    queue: VecDeque<Line>,
    input_ended: bool,
    exited: bool,
    /// White is to move in the position of the next search.
    white: bool,
    prepared: bool,
    /// An option was set during the search.
    late_option: bool,
    searches: usize,
    said: Vec<String>,
}

#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    Idle,
    /// The engine prepares: for `isready`, or for this `go`.
    Preparing(Option<Kind>),
    /// It prepares for a `go` that was stopped and answered.
    Answered,
    Searching(Search),
}

#[derive(Clone, Copy)]
struct Search {
    number: usize,
    white: bool,
    mate: bool,
    until: Until,
    stage: Stage,
}

/// The command that the answer waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    Nothing,
    HitOrStop,
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Stopping,
    /// It has ended, and the answer is held back.
    Held,
}

impl Model {
    fn new(mode: Mode) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }

    fn is(&self, mode: Mode) -> bool {
        self.mode == Some(mode)
    }

    /// Predicts the lines that an event causes.
    fn perform(&mut self, event: Event) -> Vec<String> {
        match event {
            Event::Line(line) => {
                self.input_ended |= line == Line::Quit;
                self.queue.push_back(line);
            }
            Event::End => self.input_ended = true,
            Event::Engine => self.engine_ends(),
            Event::Late => self.answer_late(),
        }
        self.obey();
        std::mem::take(&mut self.said)
    }

    fn send(&mut self, line: impl Into<String>) {
        self.said.push(line.into());
    }

    /// Returns `true` if a search was asked to stop, also one that is being prepared.
    fn is_stopping(&self) -> bool {
        match self.state {
            State::Preparing(Some(_)) => {
                let end = self.queue.iter().position(|line| matches!(line, Line::Go(_)));
                self.queue.iter().take(end.unwrap_or(self.queue.len())).any(|&line| line == Line::Stop)
            }
            State::Searching(search) => search.stage == Stage::Stopping,
            State::Idle | State::Preparing(None) | State::Answered => false,
        }
    }

    fn answer_late(&mut self) {
        let State::Preparing(Some(kind)) = self.state else {
            self.send("info string the search is late: the answer is its best move so far");
            return self.answer_with(Known::Nothing);
        };
        self.search(kind);
        // Its number is never seen.
        self.searches -= 1;
        self.answer_with(Known::Nothing);
        self.state = State::Answered;
    }

    fn waits(&self) -> bool {
        match self.state {
            State::Idle => false,
            State::Preparing(_) | State::Answered => true,
            State::Searching(search) => search.stage == Stage::Stopping,
        }
    }

    fn obey(&mut self) {
        while !self.waits() && !self.exited {
            if let Some(line) = self.queue.pop_front() {
                self.execute(line);
            } else if let (true, State::Searching(search)) = (self.input_ended, self.state) {
                if search.until == Until::Nothing {
                    return;
                }
                self.stop();
            } else {
                self.exited = self.input_ended;
                return;
            }
        }
    }

    fn execute(&mut self, line: Line) {
        let searching = matches!(self.state, State::Searching(_));
        match line {
            Line::Go(_) | Line::GameOver | Line::Quit if searching => {
                self.queue.push_front(line);
                self.stop();
            }
            Line::Position => self.white = !self.white,
            Line::Go(kind) if self.prepared => self.search(kind),
            Line::Go(kind) => self.prepare(Some(kind)),
            Line::Stop => self.stop(),
            Line::PonderHit => self.ponderhit(),
            Line::IsReady if searching => self.send("readyok"),
            Line::IsReady => self.prepare(None),
            Line::SetOption if searching => self.late_option = true,
            Line::SetOption => self.prepared = false,
            Line::GameOver => {}
            Line::Quit => self.exited = true,
        }
    }

    fn prepare(&mut self, kind: Option<Kind>) {
        self.state = State::Preparing(kind);
        if self.is(Mode::NoThreads) {
            self.send("info string error: internal: no thread: operation would block");
            self.prepared_for(kind);
        }
    }

    fn prepared_for(&mut self, kind: Option<Kind>) {
        self.prepared = !self.is(Mode::NoThreads);
        self.state = State::Idle;
        match kind {
            Some(kind) => self.search(kind),
            None => self.send("readyok"),
        }
    }

    fn search(&mut self, kind: Kind) {
        let until = match kind {
            Kind::Play | Kind::Mate => Until::Nothing,
            Kind::Ponder => Until::HitOrStop,
            Kind::Infinite => Until::Stop,
        };
        let (number, white, mate) = (self.searches, self.white, kind == Kind::Mate);
        self.searches += 1;
        self.state = State::Searching(Search { number, white, mate, until, stage: Stage::Running });
    }

    fn stop(&mut self) {
        let State::Searching(search) = &mut self.state else { return };
        match search.stage {
            Stage::Running => search.stage = Stage::Stopping,
            Stage::Stopping => {}
            Stage::Held => self.answer(),
        }
    }

    fn ponderhit(&mut self) {
        let State::Searching(search) = &mut self.state else { return };
        if search.until == Until::HitOrStop {
            search.until = Until::Nothing;
            if search.stage == Stage::Held {
                self.answer();
            }
        }
    }

    fn engine_ends(&mut self) {
        match &mut self.state {
            State::Idle => {}
            State::Preparing(kind) => {
                let kind = *kind;
                self.prepared_for(kind);
            }
            State::Answered => {
                self.prepared = true;
                self.state = State::Idle;
            }
            State::Searching(search) if search.stage == Stage::Running && search.until != Until::Nothing => {
                search.stage = Stage::Held;
            }
            State::Searching(_) => self.answer(),
        }
    }

    fn answer(&mut self) {
        if !self.is(Mode::Lost) {
            return self.answer_with(Known::Outcome);
        }
        self.send("info string error: internal: the search ended without an answer");
        self.answer_with(Known::Nothing);
    }

    fn answer_with(&mut self, known: Known) {
        let State::Searching(search) = std::mem::take(&mut self.state) else { return };
        let moves = if search.white { WHITE } else { BLACK };
        match (known, search.mate) {
            (Known::Outcome, true) => self.send("checkmate nomate"),
            (Known::Nothing, true) => self.send("checkmate timeout"),
            (Known::Outcome, false) => self.send(format!("bestmove {}", moves[search.number % moves.len()])),
            (Known::Nothing, false) => self.send(format!("bestmove {}", first_move(search.white))),
        }
        self.prepared &= !std::mem::take(&mut self.late_option);
    }
}

/// Knowledge that the session has of a search when it answers.
#[derive(Clone, Copy)]
enum Known {
    Outcome,
    Nothing,
}

/// The first legal move, which answers for a search without an outcome.
fn first_move(white: bool) -> Move {
    let mut position = Position::startpos();
    if white {
        position.play(mv("7g7f")).expect("a legal move");
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    *moves.first().expect("a legal move")
}

// --- all runs ---

/// A walk through a tree of choices, leaf by leaf.
#[derive(Default)]
struct Choices {
    /// Number and index of the choices on the way to the leaf.
    path: Vec<(usize, usize)>,
    depth: usize,
}

impl Choices {
    fn choose(&mut self, count: usize) -> usize {
        if self.depth == self.path.len() {
            self.path.push((count, 0));
        }
        let (known, index) = self.path[self.depth];
        assert_eq!(known, count, "the session is not deterministic");
        self.depth += 1;
        index
    }

    /// Goes on to the next leaf; `false` after the last.
    fn advance(&mut self) -> bool {
        self.depth = 0;
        while let Some((count, index)) = self.path.pop() {
            if index + 1 < count {
                self.path.push((count, index + 1));
                return true;
            }
        }
        false
    }
}

/// One run: `length` commands, and the engine's answers where the choices have them.
fn run(length: usize, mode: Mode, choices: &mut Choices) {
    let (mut stepped, mut model) = (Stepped::new(mode), Model::new(mode));
    let mut history: Vec<(Event, Vec<String>)> = Vec::new();
    let (mut sent, mut open) = (0, true);
    while !model.exited {
        let lines = match length - sent {
            _ if !open => 0,
            0 => 1,
            // Sequences that go on after `quit` are those of another length.
            1 => LINES.len(),
            _ => LINES.len() - 1,
        };
        let works = stepped.engine_works();
        assert!(lines > 0 || works, "it hangs after {history:?}");
        let may_be_late = mode == Mode::Late && model.is_stopping();
        let index = choices.choose(lines + usize::from(works) + usize::from(may_be_late));
        let event = match index {
            _ if index == lines => Event::Engine,
            _ if index > lines => Event::Late,
            _ if sent == length => Event::End,
            _ => Event::Line(LINES[index]),
        };
        open &= !matches!(event, Event::End | Event::Line(Line::Quit));
        sent += usize::from(matches!(event, Event::Line(_)));
        let (said, expected) = (stepped.perform(event), model.perform(event));
        history.push((event, said));
        let said = &history[history.len() - 1].1;
        assert_eq!(*said, expected, "{mode:?}: {history:?}");
    }
    assert_eq!(stepped.exit, Some(Exit::Quit), "{mode:?}: {history:?}");
    assert!(!stepped.engine_works(), "{mode:?}: {history:?}");
    count_answers(&history);
}

/// Checks the whole run without the model: as many answers as questions, in their order,
/// none before its question.
fn count_answers(history: &[(Event, Vec<String>)]) {
    let (mut asked, mut answers, mut ready) = (VecDeque::new(), 0, 0_isize);
    for (event, said) in history {
        match event {
            Event::Line(Line::Go(kind)) => {
                asked.push_back(if *kind == Kind::Mate { "checkmate" } else { "bestmove" });
            }
            Event::Line(Line::IsReady) => ready += 1,
            _ => {}
        }
        for line in said {
            match line.split(' ').next() {
                Some("readyok") => ready -= 1,
                Some(word @ ("bestmove" | "checkmate")) => {
                    assert_eq!(asked.pop_front(), Some(word), "{history:?}");
                    answers += 1;
                }
                _ => {}
            }
            assert!(ready >= 0, "{history:?}");
        }
    }
    assert!(asked.is_empty() && ready == 0, "{answers} answers: {history:?}");
}

/// All runs of up to `length` commands; their number.
fn run_all(length: usize, mode: Mode) -> usize {
    let mut runs = 0;
    for length in 0..=length {
        let mut choices = Choices::default();
        loop {
            run(length, mode, &mut choices);
            runs += 1;
            if !choices.advance() {
                break;
            }
        }
    }
    runs
}

#[expect(clippy::print_stderr, reason = "the number of runs is the result of a long run")]
fn all_sequences(mode: Mode) {
    let asked = std::env::var("ENBU_COMMANDS").ok().map(|text| text.parse().expect("a number"));
    let longest = asked.unwrap_or(if std::env::var_os("ENBU_SLOW_TESTS").is_some() { 4 } else { 3 });
    let length = if mode == Mode::Sound { longest } else { longest - 1 };
    eprintln!("{mode:?}: {} runs of up to {length} commands", run_all(length, mode));
}

#[test]
fn every_sequence_is_answered_as_the_table_has_it() {
    all_sequences(Mode::Sound);
}

#[test]
fn every_sequence_is_answered_when_searches_are_late() {
    all_sequences(Mode::Late);
}

#[test]
fn every_sequence_is_answered_when_searches_die() {
    all_sequences(Mode::Lost);
}

#[test]
fn every_sequence_is_answered_without_threads_for_jobs() {
    all_sequences(Mode::NoThreads);
}

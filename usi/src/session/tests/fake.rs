//! A fake engine controlled by the test, and the channels around the session.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use enbu_movegen::{Color, Move, Position};

use super::super::{Timing, run_with};
use crate::{
    BestMove, Clock, CsaSettings, Engine, EventSender, Exit, GoRequest, Identity, Info, OptionError, OptionKind,
    OptionSpec, OptionValue, Outcome, Rules,
};

/// Longer than anything here can take; only a failing test waits so long.
const FOR_EVER: Duration = Duration::from_mins(2);

/// A call of the engine by the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Set(String, Option<String>),
    Prepare,
    NewGame,
    /// The command and the SFEN of the position.
    Go(String, String),
    Stop,
    PonderHit(Option<Clock>),
}

/// Behaviour of the fake engine.
#[derive(Clone, Debug, Default)]
pub(super) struct Behaviour {
    /// Outcome sent at once on `stop`; `None` leaves it to the test.
    pub(super) on_stop: Option<Outcome>,
    pub(super) prepare: Prepare,
    /// Outcome with which a search with a depth ends before `go` returns; `None`: it goes on.
    pub(super) at_depth: Option<Outcome>,
    /// The method that panics.
    pub(super) broken: Option<Broken>,
    /// The report of each search before `go` returns.
    pub(super) report: Option<Info>,
    pub(super) best_so_far: Option<BestMove>,
    /// Time from the start of a clock to the deadline; `None`: no deadline.
    pub(super) deadline: Option<Duration>,
    pub(super) csa: CsaSettings,
    pub(super) rules: Rules,
    /// The log of everything, while `USI_Hash` is below 1000.
    pub(super) traffic_log: Option<PathBuf>,
}

/// A method that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Go,
    Stop,
    PonderHit,
    Options,
}

/// Behaviour of [`Engine::prepare`].
#[derive(Clone, Debug, Default)]
pub(super) enum Prepare {
    #[default]
    AtOnce,
    /// Waits until the channel closes or sends.
    For(Receiver<()>),
    /// Waits until it is cancelled.
    UntilCancelled,
    Panics,
}

struct Fake {
    behaviour: Behaviour,
    calls: Sender<Call>,
    searches: Sender<Search>,
    current: Option<EventSender>,
    hash_mb: i64,
}

/// A search that the test conducts.
pub(super) struct Search {
    pub(super) events: EventSender,
    pub(super) started: Instant,
}

impl Fake {
    fn call(&self, call: Call) {
        let _ = self.calls.send(call);
    }

    fn break_at(&self, place: Broken) {
        assert!(self.behaviour.broken != Some(place), "broken");
    }

    fn hash() -> OptionSpec {
        OptionSpec::new("USI_Hash", OptionKind::Spin { min: 1, max: 1024 }, OptionValue::Spin(16))
    }
}

impl Engine for Fake {
    fn identity(&self) -> Identity {
        Identity { name: "Fake 1".into(), author: "tests".into() }
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.break_at(Broken::Options);
        vec![Self::hash()]
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let spec = Self::hash();
        if !spec.is_named(name) {
            return Err(OptionError::Unknown(name.into()));
        }
        if let OptionValue::Spin(mb) = spec.parse(value)? {
            self.hash_mb = mb;
        }
        self.call(Call::Set(name.into(), value.map(str::to_owned)));
        Ok(())
    }

    fn option_text(&self, name: &str) -> Option<String> {
        Self::hash().is_named(name).then(|| self.hash_mb.to_string())
    }

    fn prepare(&mut self, cancel: &AtomicBool, notice: &mut dyn FnMut(&str)) {
        self.call(Call::Prepare);
        match &self.behaviour.prepare {
            Prepare::AtOnce => {}
            Prepare::For(gate) => {
                notice("loading");
                let _ = gate.recv();
            }
            Prepare::UntilCancelled => {
                while !cancel.load(Ordering::Relaxed) {
                    thread::park_timeout(Duration::from_millis(1));
                }
            }
            Prepare::Panics => panic!("no network"),
        }
    }

    fn new_game(&mut self) {
        self.call(Call::NewGame);
    }

    fn go(&mut self, position: &Position, request: &GoRequest, started: Instant, events: EventSender) {
        self.call(Call::Go(request.to_string(), position.to_string()));
        self.break_at(Broken::Go);
        // Only a search that `stop` answers is kept: the test owns the others, so
        // that it can let them die.
        self.current = self.behaviour.on_stop.is_some().then(|| events.clone());
        self.behaviour.report.iter().for_each(|report| events.info(report.clone()));
        if let (Some(outcome), Some(_)) = (&self.behaviour.at_depth, request.depth) {
            events.done(outcome.clone());
        }
        let _ = self.searches.send(Search { events, started });
    }

    fn deadline(&self, _: Color, clock: &Clock, started: Instant) -> Option<Instant> {
        self.behaviour.deadline.filter(|_| *clock != Clock::default()).map(|time| started + time)
    }

    fn best_so_far(&self) -> Option<(BestMove, Info)> {
        let best = self.behaviour.best_so_far?;
        let BestMove::Play { best: mv, .. } = best else { return None };
        Some((best, Info { depth: Some(9), pv: vec![mv], ..Info::default() }))
    }

    fn stop(&mut self) {
        self.call(Call::Stop);
        self.break_at(Broken::Stop);
        if let (Some(events), Some(outcome)) = (self.current.take(), &self.behaviour.on_stop) {
            events.done(outcome.clone());
        }
    }

    fn ponderhit(&mut self, clock: Option<&Clock>, _at: Instant) {
        self.call(Call::PonderHit(clock.copied()));
        self.break_at(Broken::PonderHit);
    }

    fn evaluate(&mut self, position: &Position) -> Vec<String> {
        vec![format!("material of {position}"), "value 7".into()]
    }

    fn rules(&self) -> Rules {
        self.behaviour.rules
    }

    fn csa(&self) -> CsaSettings {
        self.behaviour.csa.clone()
    }

    fn traffic_log(&self) -> Option<PathBuf> {
        self.behaviour.traffic_log.clone().filter(|_| self.hash_mb < 1000)
    }
}

/// A session on a thread, and the test's ends of its wires.
pub(super) struct Rig {
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<String>,
    calls: Receiver<Call>,
    searches: Receiver<Search>,
    exit: Receiver<Exit>,
}

impl Rig {
    /// A session whose searches end only when the test says so.
    pub(super) fn new() -> Self {
        Self::with(Behaviour::default())
    }

    /// A session whose searches answer `stop` with this move.
    pub(super) fn answering(best: &str) -> Self {
        Self::with(Behaviour { on_stop: Some(play(best)), ..Behaviour::default() })
    }

    pub(super) fn with(behaviour: Behaviour) -> Self {
        // Nothing may depend on the session giving up, so it never does here.
        let timing = Timing {
            stop: FOR_EVER,
            patience: FOR_EVER,
            limit: FOR_EVER,
            flush: FOR_EVER,
            drain: FOR_EVER,
            ..Timing::default()
        };
        Self::with_timing(behaviour, timing)
    }

    pub(super) fn with_timing(behaviour: Behaviour, timing: Timing) -> Self {
        let (sender, lines) = unbounded();
        Self::start(behaviour, timing, Stdout::new(sender), lines)
    }

    /// A session that writes to `stdout`, whose lines arrive in `lines`.
    pub(super) fn start(
        behaviour: Behaviour,
        timing: Timing,
        stdout: impl Write + Send + 'static,
        lines: Receiver<String>,
    ) -> Self {
        let (input, bytes) = unbounded();
        let (call_sender, calls) = unbounded();
        let (search_sender, searches) = unbounded();
        let (exit_sender, exit) = unbounded();
        let fake = Fake { behaviour, calls: call_sender, searches: search_sender, current: None, hash_mb: 16 };
        thread::spawn(move || {
            let _ = exit_sender.send(run_with(fake, Stdin { bytes, rest: Vec::new() }, stdout, timing));
        });
        Self { input: Some(input), lines, calls, searches, exit }
    }

    /// Writes lines, as one piece.
    #[track_caller]
    pub(super) fn send(&self, lines: &str) {
        self.send_bytes(format!("{lines}\n").into_bytes());
    }

    #[track_caller]
    pub(super) fn send_bytes(&self, bytes: Vec<u8>) {
        self.input.as_ref().expect("input is open").send(bytes).expect("the session reads");
    }

    /// The next line that the session says.
    #[track_caller]
    pub(super) fn line(&self) -> String {
        self.lines.recv_timeout(FOR_EVER).expect("a line")
    }

    #[track_caller]
    pub(super) fn expect(&self, lines: &[&str]) {
        for line in lines {
            assert_eq!(self.line(), *line);
        }
    }

    /// Shows that everything sent so far has been obeyed and nothing more was said.
    #[track_caller]
    pub(super) fn expect_silence(&self) {
        self.send("getoption USI_Hash");
        let line = self.line();
        assert!(line.starts_with("USI_Hash "), "said {line}");
    }

    /// The next call of the engine.
    #[track_caller]
    pub(super) fn call(&self) -> Call {
        self.calls.recv_timeout(FOR_EVER).expect("a call")
    }

    #[track_caller]
    pub(super) fn expect_calls(&self, calls: &[Call]) {
        for call in calls {
            assert_eq!(self.call(), *call);
        }
    }

    /// Shows that the engine has not been called. Ask for silence first.
    #[track_caller]
    pub(super) fn expect_no_call(&self) {
        assert_eq!(self.calls.try_recv().ok(), None);
    }

    /// The calls since the last that was looked at. Ask for silence first.
    pub(super) fn calls_so_far(&self) -> Vec<Call> {
        self.calls.try_iter().collect()
    }

    /// Makes the engine ready.
    #[track_caller]
    pub(super) fn ready(&self) {
        self.send("isready");
        self.expect(&["readyok"]);
        self.expect_calls(&[Call::Prepare, Call::NewGame]);
    }

    /// Sends a `go` to a ready engine and returns its search.
    #[track_caller]
    pub(super) fn go(&self, go: &str) -> Search {
        self.send(go);
        let call = self.call();
        assert!(matches!(&call, Call::Go(request, _) if request == go), "{call:?}");
        self.search()
    }

    /// The next search that was started.
    #[track_caller]
    pub(super) fn search(&self) -> Search {
        self.searches.recv_timeout(FOR_EVER).expect("a search")
    }

    /// Pieces of input that the session has not read.
    pub(super) fn unread(&self) -> usize {
        self.input.as_ref().map_or(0, Sender::len)
    }

    /// Closes the input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end; returns the remaining lines.
    #[track_caller]
    pub(super) fn end(&self) -> (Exit, Vec<String>) {
        let exit = match self.exit.recv_timeout(FOR_EVER) {
            Ok(exit) => exit,
            Err(RecvTimeoutError::Timeout) => panic!("the session does not end"),
            Err(RecvTimeoutError::Disconnected) => panic!("the session panicked"),
        };
        (exit, self.lines.try_iter().collect())
    }
}

/// The input: the bytes the test sends, in the same pieces.
struct Stdin {
    bytes: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.bytes.recv().unwrap_or_default();
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// The output: every write is one whole line of ASCII, at most 8 KiB long unless it is a mate.
pub(super) struct Stdout {
    lines: Sender<String>,
    last_words: LastWords,
}

impl Stdout {
    pub(super) fn new(lines: Sender<String>) -> Self {
        Self { lines, last_words: LastWords::default() }
    }
}

/// Checks that the last line before a `bestmove` is that of its move, and leaves out the lines
/// with nothing else than this move, which the session makes.
#[derive(Default)]
pub(super) struct LastWords {
    /// First word of the last line of play.
    line: Option<String>,
    /// The line was made by the session: the answer comes next.
    made: bool,
}

impl LastWords {
    /// Returns `true` for a line that the engine said, or an answer.
    pub(super) fn passes(&mut self, line: &str) -> bool {
        if let Some((counters, pv)) = line.split_once(" pv ").filter(|_| line.starts_with("info ")) {
            self.line = pv.split(' ').next().map(str::to_owned);
            self.made = ["info nodes ", " nps ", " hashfull 0 time "].iter().all(|word| counters.contains(word));
            return !self.made;
        }
        if let Some(answer) = line.strip_prefix("bestmove ") {
            let (best, line) = (answer.split(' ').next(), self.line.take());
            assert!(best == Some("resign") && line.is_some() || line.as_deref() == best, "{line:?} before {answer}");
        } else {
            assert!(!self.made, "{line} after the last line");
            // A text of the search comes before its last line.
            if line.starts_with("info ") {
                self.line = None;
            }
        }
        self.made = false;
        true
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        let line = text.strip_suffix('\n').expect("a whole line");
        let fits = bytes.len() <= 8192 || line.starts_with("checkmate ");
        assert!(fits && line.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{line}");
        if self.last_words.passes(line) {
            self.lines.send(line.to_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn mv(text: &str) -> Move {
    text.parse().expect("a move")
}

pub(super) fn moves(text: &str) -> Vec<Move> {
    text.split(' ').map(mv).collect()
}

/// The outcome of playing a move.
pub(super) fn play(text: &str) -> Outcome {
    Outcome::BestMove(BestMove::Play { best: mv(text), ponder: None })
}

/// A command that the engine gets for the start position.
pub(super) fn go_call(go: &str) -> Call {
    Call::Go(go.into(), Position::startpos().to_string())
}

/// CSA settings with only a folder.
pub(super) fn log_to(dir: PathBuf) -> CsaSettings {
    CsaSettings { log_dir: Some(dir), ..CsaSettings::default() }
}

//! Random sequences of commands for the binary: one answer for each `go`, none early, none late.
//!
//! `usi/src/session/tests/exhaustive.rs` goes through all of them with an engine of the
//! test; here is the real one. `ENBU_SEQUENCES=20000 cargo test --release -p enbu-tests
//! sequences:: -- --nocapture` runs as many; `ENBU_SEED=N` repeats a run.

use std::thread;
use std::time::Duration;

use enbu_tests::positions::assert_legal;
use enbu_tests::session::Session;
use enbu_tests::{number, seed};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Sequences of the test, unless `ENBU_SEQUENCES` says otherwise.
const SEQUENCES: u64 = 100;

/// Most commands of a sequence.
const LENGTH: usize = 6;

/// Line that is answered in its turn, and changes nothing.
const MARK: &str = "getoption USI_Hash";

const POSITIONS: [&str; 3] = ["startpos", "startpos moves 7g7f", "startpos moves 7g7f 3c3d 8h2b+"];

const GOES: [&str; 8] = [
    "go nodes 200",
    "go byoyomi 10",
    "go movetime 5",
    "go ponder btime 0 wtime 0 byoyomi 10",
    "go ponder nodes 1",
    "go infinite",
    "go infinite nodes 1",
    "go mate 20",
];

const OPTIONS: [&str; 4] = [
    "setoption name MultiPV value 2",
    "setoption name MultiPV value 1",
    "setoption name Threads value 2",
    "setoption name Threads value 1",
];

/// A `go` and its answer.
struct Asked {
    word: &'static str,
    position: &'static str,
    /// The answer comes only after a command.
    waits: bool,
    /// A `ponderhit` frees it.
    ponders: bool,
    /// It was stopped, so that the answer comes before any other.
    stopped: bool,
}

/// A session whose answers are counted.
struct Counted {
    session: Session,
    position: &'static str,
    asked: Vec<Asked>,
    answers: usize,
    readies: usize,
    ready_answers: usize,
}

impl Counted {
    fn new() -> Self {
        let mut session = Session::start();
        session.send("setoption name USI_Hash value 1");
        session.send("setoption name Threads value 1");
        Self { session, position: POSITIONS[0], asked: Vec::new(), answers: 0, readies: 0, ready_answers: 0 }
    }

    /// Sends a command and notes the answers that become due.
    fn send(&mut self, command: &'static str) {
        let words: Vec<&str> = command.split(' ').collect();
        match words[0] {
            "position" => self.position = &command["position ".len()..],
            "go" => {
                self.stop();
                let word = if words[1] == "mate" { "checkmate" } else { "bestmove" };
                let ponders = words[1] == "ponder";
                let waits = ponders || words[1] == "infinite";
                self.asked.push(Asked { word, position: self.position, waits, ponders, stopped: false });
            }
            "stop" | "gameover" | "quit" => self.stop(),
            "ponderhit" => {
                if let Some(last) = self.asked.last_mut().filter(|last| last.ponders) {
                    last.waits = false;
                }
            }
            "isready" => self.readies += 1,
            _ => {}
        }
        self.session.send(command);
    }

    fn stop(&mut self) {
        if let Some(last) = self.asked.last_mut() {
            last.stopped = true;
        }
    }

    /// Reads up to the answer to a line sent now, and checks the number of answers.
    fn check(&mut self) {
        self.session.send(MARK);
        let lines = self.session.until("USI_Hash");
        self.count(&lines);
        let open = self.asked.last().filter(|last| !last.stopped);
        let most = self.asked.len() - usize::from(open.is_some_and(|last| last.waits));
        let least = self.asked.len() - usize::from(open.is_some());
        if !(least..=most).contains(&self.answers) || self.readies != self.ready_answers {
            self.session.fail(&format!(
                "{} answers, {least} to {most} are due; {} of {} `readyok`",
                self.answers, self.ready_answers, self.readies
            ));
        }
    }

    fn count(&mut self, lines: &[String]) {
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "readyok" => self.ready_answers += 1,
                "bestmove" | "checkmate" => {
                    let Some(asked) = self.asked.get(self.answers).filter(|asked| asked.word == word) else {
                        self.session.fail(&format!("`{line}` answers no question"))
                    };
                    if word == "bestmove" {
                        assert_legal(asked.position, rest.split(' ').next().unwrap_or_default());
                    }
                    self.answers += 1;
                }
                "info" if rest.starts_with("string error") => self.session.fail(line),
                _ => {}
            }
        }
    }

    /// Reads everything after `quit`; every question must be answered then.
    fn end(mut self) {
        let lines = self.session.rest();
        self.count(&lines);
        if self.answers != self.asked.len() || self.ready_answers != self.readies {
            self.session.fail(&format!("{} answers to {} questions at the end", self.answers, self.asked.len()));
        }
        self.session.exits_cleanly();
    }
}

fn choose(random: &mut Xoshiro256PlusPlus, commands: &[&'static str]) -> &'static str {
    commands[random.random_range(0..commands.len())]
}

fn command(random: &mut Xoshiro256PlusPlus) -> &'static str {
    match random.random_range(0..31) {
        0..3 => "position startpos",
        3..6 => choose(random, &["position startpos moves 7g7f", "position startpos moves 7g7f 3c3d 8h2b+"]),
        6..17 => choose(random, &GOES),
        17..20 => "stop",
        20..23 => "ponderhit",
        23..26 => "isready",
        26..28 => choose(random, &OPTIONS),
        28..30 => "gameover win",
        // Each costs a process.
        _ => "quit",
    }
}

/// Runs one sequence; the session, unless it has ended.
fn run(mut counted: Counted, random: &mut Xoshiro256PlusPlus) -> Option<Counted> {
    let checked = random.random_bool(0.5);
    for _ in 0..random.random_range(1..=LENGTH) {
        let command = command(random);
        counted.send(command);
        if command == "quit" {
            counted.end();
            return None;
        }
        match random.random_range(0..10) {
            0..6 => {}
            6..9 => thread::sleep(Duration::from_micros(random.random_range(0..2000))),
            _ => thread::sleep(Duration::from_millis(8)),
        }
        if checked {
            counted.check();
        }
    }
    counted.send("stop");
    counted.check();
    Some(counted)
}

#[expect(clippy::print_stderr, reason = "the seed repeats a failure")]
#[test]
fn every_question_of_a_random_sequence_is_answered_once() {
    let seed = seed();
    let sequences = number("ENBU_SEQUENCES").unwrap_or(SEQUENCES);
    eprintln!("ENBU_SEED={seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut counted, mut questions, mut processes) = (None, 0, 0);
    for _ in 0..sequences {
        let next = counted.take().unwrap_or_else(|| {
            processes += 1;
            Counted::new()
        });
        let before = next.asked.len();
        counted = run(next, &mut random);
        questions += counted.as_ref().map_or(0, |counted: &Counted| counted.asked.len() - before);
    }
    if let Some(mut counted) = counted {
        counted.send("quit");
        counted.end();
    }
    eprintln!("{sequences} sequences, {questions} searches besides those before `quit`, {processes} processes");
}

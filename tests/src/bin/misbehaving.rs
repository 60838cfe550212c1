//! An engine that does one thing wrong: `misbehaving FAULT [FILE]`.
//!
//! For everything else it keeps to the protocol and plays the first legal move, so
//! that a test can say which fault leads to which verdict. With a FILE it adds the
//! ids of its processes to it, one a line, so that a test can see whether they are gone.

#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "what an engine says before it dies")]

use std::fs::OpenOptions;
use std::io::{Write, stdin, stdout};
use std::process::{Command as Process, exit};
use std::thread::sleep;
use std::time::Duration;

use enbu_movegen::{Move, MoveList, Position};
use enbu_usi::Command;

/// The faults, in the order of the commands that provoke them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// None.
    Fine,
    /// No answer to `usi`.
    NoUsiOk,
    /// Ends at `usi`.
    DiesAtStart,
    /// Reports an error before `readyok`.
    ReportsError,
    /// No answer to `isready`.
    NoReadyOk,
    /// No answer to `go`.
    Silent,
    /// Reads nothing after the first `go`.
    Deaf,
    /// `go` is answered after half a second.
    Slow,
    /// `bestmove` with something that is no move.
    GarbageAnswer,
    /// `bestmove` and nothing.
    EmptyAnswer,
    /// Lines that mean nothing, then a move.
    GarbageLines,
    /// Lines without end, never an answer.
    Flood,
    /// One line without end, never an answer.
    EndlessLine,
    /// Very many and very long lines, then a move.
    FloodThenPlay,
    /// Ends at `go`.
    Dies,
    /// Starts a process that holds its output open, and ends.
    Forks,
    /// A drop without a piece in hand.
    Illegal,
    /// A declaration in the start position.
    Declares,
    /// Two answers.
    TwoAnswers,
    /// An illegal move in the line of play.
    BadPv,
    /// A word that is no move in the line of play.
    WordInPv,
    /// A move to ponder on that is illegal.
    BadPonder,
    /// Answers while it ponders.
    Early,
    /// Does not answer `stop` while it ponders.
    IgnoresStop,
    /// Resigns.
    Resigns,
    /// Talks after `gameover`, and answers once more.
    TalksAfterGame,
    /// Ends at `gameover`.
    DiesAfterGame,
    /// Talks after `quit`.
    TalksAfterQuit,
    /// Neither `quit` nor the end of input ends it.
    IgnoresQuit,
}

const FAULTS: [(&str, Fault); 29] = [
    ("fine", Fault::Fine),
    ("no-usiok", Fault::NoUsiOk),
    ("dies-at-start", Fault::DiesAtStart),
    ("reports-error", Fault::ReportsError),
    ("no-readyok", Fault::NoReadyOk),
    ("silent", Fault::Silent),
    ("deaf", Fault::Deaf),
    ("slow", Fault::Slow),
    ("garbage-answer", Fault::GarbageAnswer),
    ("empty-answer", Fault::EmptyAnswer),
    ("garbage-lines", Fault::GarbageLines),
    ("flood", Fault::Flood),
    ("endless-line", Fault::EndlessLine),
    ("flood-then-play", Fault::FloodThenPlay),
    ("dies", Fault::Dies),
    ("forks", Fault::Forks),
    ("illegal", Fault::Illegal),
    ("declares", Fault::Declares),
    ("two-answers", Fault::TwoAnswers),
    ("bad-pv", Fault::BadPv),
    ("word-in-pv", Fault::WordInPv),
    ("bad-ponder", Fault::BadPonder),
    ("early", Fault::Early),
    ("ignores-stop", Fault::IgnoresStop),
    ("resigns", Fault::Resigns),
    ("talks-after-game", Fault::TalksAfterGame),
    ("dies-after-game", Fault::DiesAfterGame),
    ("talks-after-quit", Fault::TalksAfterQuit),
    ("ignores-quit", Fault::IgnoresQuit),
];

/// Longer than any test waits.
const FOR_EVER: Duration = Duration::from_secs(600);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.get(1).cloned();
    note_process(file.as_deref());
    match arguments.first().map(String::as_str) {
        Some("sleep") => sleep(FOR_EVER),
        Some(name) => match FAULTS.iter().find(|(known, _)| *known == name) {
            Some(&(_, fault)) => Engine { fault, file, position: Position::startpos(), held: None, searches: 0 }.run(),
            None => usage(),
        },
        None => usage(),
    }
}

fn usage() {
    let names: Vec<&str> = FAULTS.iter().map(|(name, _)| *name).collect();
    eprintln!("usage: misbehaving FAULT [FILE]; the faults are {}", names.join(", "));
    exit(2);
}

fn note_process(file: Option<&str>) {
    let Some(file) = file else { return };
    let noted = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .and_then(|mut file| writeln!(file, "{}", std::process::id()));
    noted.unwrap_or_else(|error| panic!("{file}: {error}"));
}

/// Prints a line; an engine whose referee is gone has nothing more to do.
fn say(line: &str) {
    let mut out = stdout().lock();
    // In one write, so that the lines arrive together.
    if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

struct Engine {
    fault: Fault,
    file: Option<String>,
    position: Position,
    /// The answer to a `go ponder` that waits for `ponderhit` or `stop`.
    held: Option<String>,
    searches: u32,
}

impl Engine {
    fn run(mut self) {
        for line in stdin().lines() {
            let Ok(line) = line else { break };
            if let Some(command) = Command::parse(&line).command {
                self.obey(command);
            }
        }
        if self.fault == Fault::IgnoresQuit {
            sleep(FOR_EVER);
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady if self.fault == Fault::ReportsError => {
                say("info string Error! : nn.bin \u{1b}[2J was not found");
                say("readyok");
            }
            Command::IsReady if self.fault != Fault::NoReadyOk => say("readyok"),
            Command::Position(position) => {
                self.position = Position::from_setup(&position.setup).expect("a playable position");
                for mv in position.moves {
                    self.position.play(mv).expect("a legal move");
                }
            }
            Command::Go(request) => self.go(request.ponder),
            Command::PonderHit(_) => self.answer_held(),
            Command::Stop if self.fault != Fault::IgnoresStop => self.answer_held(),
            Command::GameOver(_) => self.after_game(),
            Command::Quit => self.quit(),
            _ => {}
        }
    }

    fn introduce(&self) {
        match self.fault {
            Fault::NoUsiOk => return,
            Fault::DiesAtStart => exit(4),
            _ => {}
        }
        say("id name Misbehaving");
        say("id author the tests");
        say("option name USI_Ponder type check default false");
        say("option name Strength type spin default 5 min 1 max 9");
        say("usiok");
    }

    fn first_legal(position: &Position) -> Option<Move> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        moves.into_iter().min_by_key(|mv| mv.raw())
    }

    /// `bestmove` with its ponder move, if it has one, and with a proper line of play before it.
    fn answer(&self) -> String {
        let Some(best) = Self::first_legal(&self.position) else { return "bestmove resign".to_owned() };
        let mut after = self.position.clone();
        after.play(best).expect("a legal move");
        let reply = Self::first_legal(&after);
        let tail = reply.map_or_else(String::new, |reply| format!(" {reply}"));
        say(&format!("info depth 1 score cp 0 nodes {} pv {best}{tail}", self.searches));
        match reply {
            _ if self.fault == Fault::BadPonder => format!("bestmove {best} ponder {best}"),
            Some(reply) => format!("bestmove {best} ponder {reply}"),
            None => format!("bestmove {best}"),
        }
    }

    fn answer_held(&mut self) {
        if let Some(answer) = self.held.take() {
            say(&answer);
        }
    }

    fn go(&mut self, ponder: bool) {
        self.searches += 1;
        if ponder {
            let answer = self.answer();
            match self.fault {
                Fault::Early => say(&answer),
                _ => self.held = Some(answer),
            }
            return;
        }
        match self.fault {
            Fault::Silent => return,
            Fault::Deaf => sleep(FOR_EVER),
            Fault::Slow => sleep(Duration::from_millis(500)),
            Fault::GarbageAnswer => return say("bestmove xyzzy ponder plugh"),
            Fault::EmptyAnswer => return say("bestmove"),
            Fault::GarbageLines => (0..3).for_each(|_| say("what is this \u{fffd}\u{7}")),
            Fault::Flood => loop {
                say("info depth 1 nodes 1 string of nonsense");
            },
            Fault::EndlessLine => endless_line(),
            Fault::FloodThenPlay => flood(),
            Fault::Dies => {
                eprintln!("out of luck");
                exit(3);
            }
            Fault::Forks => self.fork(),
            Fault::Illegal => return say("bestmove P*5e"),
            Fault::Declares => return say("bestmove win"),
            Fault::Resigns => return say("bestmove resign"),
            _ => {}
        }
        let answer = self.answer();
        match self.fault {
            Fault::BadPv => say("info depth 2 score cp 5 pv 7g7f 7g7f"),
            Fault::WordInPv => say("info depth 2 score cp 5 pv 7g7f none"),
            Fault::TwoAnswers => return say(&format!("{answer}\n{answer}")),
            _ => {}
        }
        say(&answer);
    }

    /// Leaves a child process that holds our output open.
    fn fork(&self) {
        let this = std::env::current_exe().expect("a path");
        let mut child = Process::new(this);
        child.arg("sleep").args(&self.file);
        child.spawn().expect("a process");
        // It must have noted its id before we are gone.
        sleep(Duration::from_millis(200));
        exit(0);
    }

    fn after_game(&mut self) {
        match self.fault {
            Fault::TalksAfterGame => {
                say("info depth 1 nodes 1");
                say("bestmove 7g7f");
            }
            Fault::DiesAfterGame => exit(5),
            _ => self.answer_held(),
        }
    }

    fn quit(&self) {
        match self.fault {
            Fault::IgnoresQuit => return,
            Fault::TalksAfterQuit => say("info string but wait"),
            _ => {}
        }
        exit(0);
    }
}

fn endless_line() {
    let part = vec![b'x'; 1 << 16];
    while stdout().write_all(&part).is_ok() {}
    exit(0);
}

/// More lines than are kept, and a line longer than any that is read.
fn flood() {
    for number in 0..20_000 {
        say(&format!("info nodes {number}"));
    }
    say(&"y".repeat(4 << 20));
}

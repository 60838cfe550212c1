//! An engine whose strength is one of its options: `tunable [FILE LIMIT]`.
//!
//! It resigns at its `endurance`-th move of a game, so that of two such engines the one
//! with more of it wins, however they move. Its other parameter, `colour_of_stones`, is
//! of no use. With a FILE it adds a line to it each time it is started, and ends at once
//! the LIMIT-th time: a tuning is cut short at a known point, on every system.

#![forbid(unsafe_code)]

use std::fs::{self, OpenOptions};
use std::io::{Write, stdin, stdout};
use std::process::exit;

use enbu_movegen::{MoveList, Position};
use enbu_usi::Command;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [file, limit] = arguments.as_slice() {
        let limit: usize = limit.parse().unwrap_or_else(|error| panic!("{limit}: {error}"));
        if starts(file) == limit {
            exit(7);
        }
    }
    Engine { endurance: 10, played: 0, position: Position::startpos() }.run();
}

/// The number of engines started with this file, this one included.
fn starts(file: &str) -> usize {
    let noted = OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| writeln!(file, "started"));
    let text = noted.and_then(|()| fs::read_to_string(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.lines().count()
}

/// Prints a line; an engine whose referee is gone has nothing more to do.
fn say(line: &str) {
    let mut out = stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

struct Engine {
    endurance: usize,
    /// Moves of the present game.
    played: usize,
    position: Position,
}

impl Engine {
    fn run(mut self) {
        for line in stdin().lines() {
            let Ok(line) = line else { break };
            match Command::parse(&line).command {
                Some(Command::Usi) => {
                    say("id name Tunable");
                    say("option name USI_Hash type spin default 1 min 1 max 9");
                    say("option name endurance type spin default 10 min 1 max 20");
                    say("option name colour_of_stones type spin default 50 min 0 max 100");
                    say("option name polite type check default true");
                    say("usiok");
                }
                Some(Command::IsReady) => say("readyok"),
                Some(Command::UsiNewGame) => self.played = 0,
                Some(Command::SetOption { name, value }) if name == "endurance" => {
                    self.endurance = value.and_then(|value| value.parse().ok()).expect("a number");
                }
                Some(Command::Position(position)) => {
                    self.position = Position::from_setup(&position.setup).expect("a playable position");
                    for mv in position.moves {
                        self.position.play(mv).expect("a legal move");
                    }
                }
                Some(Command::Go(_)) => self.go(),
                Some(Command::Quit) => exit(0),
                _ => {}
            }
        }
    }

    /// Plays a move that the position decides and that leads nowhere in particular.
    fn go(&mut self) {
        self.played += 1;
        let mut moves = MoveList::new();
        self.position.legal_moves(&mut moves);
        let mut moves: Vec<_> = moves.into_iter().collect();
        moves.sort_by_key(|mv| mv.raw());
        let choice = self.position.key().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        match moves.get(choice as usize % moves.len().max(1)) {
            Some(mv) if self.played < self.endurance => say(&format!("bestmove {mv}")),
            _ => say("bestmove resign"),
        }
    }
}

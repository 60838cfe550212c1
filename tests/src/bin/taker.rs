//! An engine that only takes what hangs: `taker [SEED]`.
//!
//! It stands for a player who has just learnt the moves. Of the captures that win material at once, it
//! plays the one that wins most: the victim's value, less that of the taking piece where the square is
//! defended. Otherwise it plays any legal move. It sees neither threats nor mates, not even its own.

#![forbid(unsafe_code)]

use std::io::{Write, stdin, stdout};
use std::process::exit;

use enbu_eval::piece_value;
use enbu_movegen::{Bitboard, Move, MoveList, MoveParts, Position};
use enbu_usi::Command;

fn main() {
    let seed: u64 =
        std::env::args().nth(1).map_or(0, |seed| seed.parse().unwrap_or_else(|error| panic!("{seed}: {error}")));
    let mut position = Position::startpos();
    for line in stdin().lines() {
        let Ok(line) = line else { break };
        match Command::parse(&line).command {
            Some(Command::Usi) => {
                say("id name Taker");
                say("usiok");
            }
            Some(Command::IsReady) => say("readyok"),
            Some(Command::Position(given)) => {
                position = Position::from_setup(&given.setup).expect("a playable position");
                for mv in given.moves {
                    position.play(mv).expect("a legal move");
                }
            }
            Some(Command::Go(_)) => match choice(&position, seed) {
                Some(mv) => say(&format!("bestmove {mv}")),
                None => say("bestmove resign"),
            },
            Some(Command::Quit) => exit(0),
            _ => {}
        }
    }
}

/// Prints a line; an engine whose referee is gone has nothing more to do.
fn say(line: &str) {
    let mut out = stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

/// The capture that wins most, or any move; `None` where there is none.
fn choice(position: &Position, seed: u64) -> Option<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort_by_key(|mv| mv.raw());
    let most = moves.iter().map(|&mv| gain(position, mv)).max()?;
    moves.retain(|&mv| most <= 0 || gain(position, mv) == most);
    let any = (position.key() ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
    moves.get(any as usize % moves.len()).copied()
}

/// The gain of a capture in centipawns, less the taking piece where the square is defended; 0 for other moves.
fn gain(position: &Position, mv: Move) -> i32 {
    let MoveParts::Board { from, to, .. } = mv.parts() else { return 0 };
    let (Some(taken), Some(taker)) = (position.piece_at(to), position.piece_at(from)) else { return 0 };
    let occupied = position.occupied().without(Bitboard::of(from));
    let defended = position.is_attacked(to, !position.turn(), occupied);
    piece_value::exchange(taken.kind) - if defended { piece_value::exchange(taker.kind) } else { 0 }
}

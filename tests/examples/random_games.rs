//! Games of random legal moves as USI lines, one a line: something to convert and to
//! measure. Usage: `random_games COUNT [SEED]`. The same arguments give the same games.

use std::io::{self, Write as _};

use enbu_movegen::{MoveList, Position, Setup};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Games end after so many moves, if not before.
const MOST_MOVES: usize = 120;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(Ok(default), |text| text.parse::<u64>());
    let told = |error| io::Error::other(format!("usage: random_games COUNT [SEED]: {error}"));
    let (count, seed) = (number(1).map_err(told)?, number(1).map_err(told)?);
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let start = Position::from_setup(&Setup::startpos()).map_err(io::Error::other)?;
    for _ in 0..count {
        write!(out, "startpos moves")?;
        let mut position = start.clone();
        for _ in 0..MOST_MOVES {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[chance.random_range(0..moves.len())];
            position.do_move(mv);
            write!(out, " {mv}")?;
        }
        writeln!(out)?;
    }
    out.flush()
}

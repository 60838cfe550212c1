//! Games of random legal moves as programs write them down, with players, times and a
//! resignation: something to measure readers with. Usage: `random_records COUNT FOLDER
//! [SEED]` writes FOLDER/kif/00001.kif, FOLDER/csa/00001.csa and so on, and prints
//! the number of moves. The same arguments give the same games.

use std::io::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

use enbu_kifu::{End, EndKind, Event, Format, HeaderKey, Record, WriteOptions};
use enbu_movegen::{MoveList, Position, Setup};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The length limit of a game in moves.
const MOST_MOVES: usize = 120;

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: random_records COUNT FOLDER [SEED]");
    let mut arguments = env::args().skip(1);
    let count: usize = arguments.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
    let folder = PathBuf::from(arguments.next().ok_or_else(usage)?);
    let seed = arguments.next().map_or(Ok(1), |text| text.parse().map_err(|_| usage()))?;
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let formats = [Format::Kif, Format::Csa];
    for format in formats {
        fs::create_dir_all(folder.join(format.name()))?;
    }
    let mut moves = 0;
    for number in 1..=count {
        let record = game(&mut chance);
        moves += record.moves().count();
        for format in formats {
            let file = folder.join(format.name()).join(format!("{number:05}.{format}"));
            fs::write(file, format.write(std::slice::from_ref(&record), WriteOptions::default()))?;
        }
    }
    writeln!(io::stdout(), "moves {moves}")
}

fn game(chance: &mut Xoshiro256PlusPlus) -> Record {
    let mut record = Record::new(Setup::startpos());
    record.headers.push(HeaderKey::Event, "random games");
    record.headers.push(HeaderKey::StartTime, "2026/11/20 10:00:00");
    for player in [HeaderKey::BlackName, HeaderKey::WhiteName] {
        record.headers.push(player, format!("Player {}", chance.random_range(0..1000)));
    }
    let mut position = Position::startpos();
    let mut at = record.root();
    for _ in 0..MOST_MOVES {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[chance.random_range(0..moves.len())];
        position.do_move(mv);
        at = record.add(at, Event::Move(mv));
        record.node_mut(at).time_ms = Some(1000 * chance.random_range(0..100));
    }
    record.add(at, Event::from(End::new(EndKind::Resign, position.turn())));
    record
}

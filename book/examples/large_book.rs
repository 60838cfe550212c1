//! Large books of made positions, and the time of probes in them.
//!
//! ```sh
//! cargo build --release -p enbu-book --example large_book
//! large=target/release/examples/large_book
//! $large make 20000000 large.db          # or .ybb, .bin
//! $large probe large.db 100000           # on the fly; `load` at the end loads a .db
//! ```
//!
//! The positions are those of random games from ply 5 on, with three moves each. The same
//! count gives the same book. Half of the probes are positions of the book, the others those of other games.
//! `probe` prints the time of opening, the quantiles of the probes and the largest memory.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use enbu_book::{
    Book, Choice, Combined, Entry, Format, OpenOptions, Order, Page, Plies, PositionKey, Preface, Sorter, write,
};
use enbu_movegen::{MoveList, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Length limit of a game in plies.
const PLIES: usize = 60;

/// Plies without positions in the book: random games repeat them.
const SKIPPED: usize = 4;

/// Memory for sorting in bytes.
const MEMORY: usize = 1 << 30;

const USAGE: &str = "usage: large_book make COUNT FILE | large_book probe FILE COUNT [load]";

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", count, file] => make(count.parse()?, Path::new(file)),
        ["probe", file, count] => probe(Path::new(file), count.parse()?, true),
        ["probe", file, count, "load"] => probe(Path::new(file), count.parse()?, false),
        _ => Err(USAGE.into()),
    }
}

/// The positions of random games with the moves that the games have there.
struct Games {
    random: Xoshiro256PlusPlus,
    position: Position,
}

impl Games {
    fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), position: Position::startpos() }
    }

    /// The next position, with three moves.
    fn next(&mut self) -> Page {
        loop {
            let mut moves = MoveList::new();
            self.position.legal_moves(&mut moves);
            if moves.is_empty() || self.position.plies_played() >= PLIES {
                self.position = Position::startpos();
                continue;
            }
            let page = (self.position.plies_played() >= SKIPPED).then(|| self.page(&moves));
            let mv = moves[self.random.random_range(0..moves.len())];
            self.position.do_move(mv);
            if let Some(page) = page {
                return page;
            }
        }
    }

    fn page(&mut self, moves: &MoveList) -> Page {
        let mut page = Page::new(PositionKey::of(&self.position));
        page.ply = Some(self.position.ply().into());
        let first = self.random.random_range(0..moves.len());
        for number in 0..moves.len().min(3) {
            let mv = moves[(first + number) % moves.len()];
            let value = Some(self.random.random_range(-300..300));
            let (depth, count) = (Some(self.random.random_range(1..40)), Some(self.random.random_range(1..1000)));
            page.entries.push(Entry { value, depth, count, ..Entry::new(mv) });
        }
        page.sort();
        page
    }
}

fn make(count: u64, path: &Path) -> Outcome {
    let begun = Instant::now();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let format = Format::of_extension(extension).ok_or("the extension is not that of a book")?;
    let mut sorter = Sorter::new(enbu_files::folder(path), MEMORY);
    let mut games = Games::new(1);
    for _ in 0..count {
        sorter.push(Order::of(format).rank(games.next()))?;
    }
    let pages = Combined::new(sorter.pages()?, Choice::First, Plies::Smallest);
    let written = write(path, format, &Preface::default(), pages, enbu_files::Existing::Replace)?;
    let seconds = begun.elapsed().as_secs_f64();
    let mib = fs::metadata(path)?.len() >> 20;
    say(&format!("{} positions, {} moves, {mib} MiB, {seconds:.0} s, {}", written.positions, written.moves, memory()))
}

fn probe(path: &Path, count: usize, on_the_fly: bool) -> Outcome {
    let begun = Instant::now();
    let book = Book::open(path, &OpenOptions { on_the_fly, ignore_ply: true })?;
    let opened = begun.elapsed();
    // The games of the book, and games of another seed.
    let (mut present, mut other) = (Games::new(1), Games::new(2));
    let (mut times, mut found) = (Vec::with_capacity(count), 0_usize);
    for number in 0..count {
        let setup = if number % 2 == 0 { &mut present } else { &mut other }.next().position.to_setup();
        let begun = Instant::now();
        let page = book.probe(&setup)?;
        times.push(begun.elapsed());
        found += usize::from(page.is_some());
        if number % 2 == 0 && page.is_none() {
            return Err(format!("a position of the book was not found: {setup}").into());
        }
    }
    times.sort_unstable();
    let quantile = |part: usize| times.get(count * part / 1000).copied().unwrap_or_default();
    let micros = |time: Duration| format!("{:.1} us", time.as_secs_f64() * 1e6);
    let worst = times.last().copied().unwrap_or_default();
    say(&format!(
        "opened in {:.3} s; {found} of {count} probes found; median {}, 99 % {}, 99.9 % {}, worst {}; {}",
        opened.as_secs_f64(),
        micros(quantile(500)),
        micros(quantile(990)),
        micros(quantile(999)),
        micros(worst),
        memory(),
    ))
}

/// The most memory that this process had at once, where the system reports it.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.map_or("memory unknown".to_owned(), |kib| format!("{} MiB at most", kib >> 10))
}

fn say(text: &str) -> Outcome {
    Ok(writeln!(io::stdout(), "{text}")?)
}

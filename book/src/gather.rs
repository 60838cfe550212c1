//! Books from games: moves counted by position in bounded memory.
//!
//! Moves are collected in memory. When they fill it they are sorted by position, moves that
//! occur more than once are added up, and the rest goes to a temporary file; at the end
//! these files are merged (external merge sort). Memory therefore depends on the budget, and
//! the temporary files on the number of different positions.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use enbu_movegen::Move;

use crate::key::PositionKey;
use crate::page::{Entry, Page};

/// Number of temporary files after which they are merged into one.
const MAX_RUNS: usize = 64;

/// Buffer of a temporary file in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// Value in centipawns of a move that wins 73 % of the games: the usual scale of values in
/// shogi, where a win probability of `p` is worth `600 ln(p / (1 - p))`.
const SCALE_CP: f64 = 600.0;

/// Result of a game for the side that made a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// It won.
    Win,
    /// The game was drawn.
    Draw,
    /// It lost.
    Loss,
    /// Unknown.
    Unknown,
    /// Unknown, but the move was evaluated at this many centipawns for that side.
    Cp(i32),
}

/// Games with a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    games: u32,
    /// Games with a known result.
    decided: u32,
    /// Twice the points of the mover in these.
    half_points: u32,
    /// Games in which the move was evaluated.
    evaluated: u32,
    /// Sum of these evaluations.
    sum_cp: i64,
}

impl Tally {
    const fn of(score: Score) -> Self {
        let (decided, half_points) = match score {
            Score::Win => (1, 2),
            Score::Draw => (1, 1),
            Score::Loss => (1, 0),
            Score::Unknown | Score::Cp(_) => (0, 0),
        };
        let (evaluated, sum_cp) = if let Score::Cp(cp) = score { (1, cp as i64) } else { (0, 0) };
        Self { games: 1, decided, half_points, evaluated, sum_cp }
    }

    const fn add(&mut self, other: Self) {
        self.games = self.games.saturating_add(other.games);
        self.decided = self.decided.saturating_add(other.decided);
        self.half_points = self.half_points.saturating_add(other.half_points);
        self.evaluated = self.evaluated.saturating_add(other.evaluated);
        self.sum_cp = self.sum_cp.saturating_add(other.sum_cp);
    }

    /// The mean of the evaluations, else the results as a value in centipawns, with one win and
    /// one loss added (Laplace's rule), so that a single game is no certainty; `None` without
    /// either.
    fn value_cp(self) -> Option<i32> {
        if self.evaluated > 0 {
            return Some((self.sum_cp as f64 / f64::from(self.evaluated)).round() as i32);
        }
        let rate = (f64::from(self.half_points) / 2.0 + 1.0) / (f64::from(self.decided) + 2.0);
        (self.decided > 0).then(|| (SCALE_CP * (rate / (1.0 - rate)).ln()).round() as i32)
    }
}

/// A collected move; the text of its position is in a buffer of its own.
#[derive(Clone, Copy)]
struct Sample {
    start: usize,
    bytes: u16,
    mv: u16,
    ply: u16,
    tally: Tally,
}

/// A move of a position with everything that is known about it.
struct Item {
    position: Box<[u8]>,
    mv: u16,
    ply: u16,
    tally: Tally,
}

impl Item {
    fn is_of(&self, position: &[u8], mv: u16) -> bool {
        *self.position == *position && self.mv == mv
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_item(out, &self.position, self.mv, self.ply, self.tally)
    }

    /// The next item of a temporary file; `None` at its end.
    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut head = [0; HEAD_BYTES];
        match from.read(&mut head[..1])? {
            0 => return Ok(None),
            _ => from.read_exact(&mut head[1..])?,
        }
        let [l0, l1, m0, m1, p0, p1, rest @ ..] = head;
        let [g0, g1, g2, g3, d0, d1, d2, d3, h0, h1, h2, h3, e0, e1, e2, e3, sum @ ..] = rest;
        let mut position = vec![0; u16::from_le_bytes([l0, l1]).into()];
        from.read_exact(&mut position)?;
        Ok(Some(Self {
            position: position.into(),
            mv: u16::from_le_bytes([m0, m1]),
            ply: u16::from_le_bytes([p0, p1]),
            tally: Tally {
                games: u32::from_le_bytes([g0, g1, g2, g3]),
                decided: u32::from_le_bytes([d0, d1, d2, d3]),
                half_points: u32::from_le_bytes([h0, h1, h2, h3]),
                evaluated: u32::from_le_bytes([e0, e1, e2, e3]),
                sum_cp: i64::from_le_bytes(sum),
            },
        }))
    }
}

/// Bytes of an item before the text of its position.
const HEAD_BYTES: usize = 30;

fn write_item(out: &mut impl Write, position: &[u8], mv: u16, ply: u16, tally: Tally) -> io::Result<()> {
    let bytes = u16::try_from(position.len()).unwrap_or(u16::MAX);
    for number in [bytes, mv, ply] {
        out.write_all(&number.to_le_bytes())?;
    }
    for number in [tally.games, tally.decided, tally.half_points, tally.evaluated] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&tally.sum_cp.to_le_bytes())?;
    out.write_all(position)
}

/// The smallest item of a temporary file, for a heap that yields the smallest of all.
struct Front {
    item: Item,
    run: usize,
}

impl Front {
    fn order(&self) -> (&[u8], u16, usize) {
        (&self.item.position, self.item.mv, self.run)
    }
}

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Front {}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Front {
    /// Reversed: the heap yields its largest element.
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

/// Collects the moves of games.
///
/// ```
/// use enbu_book::gather::{Gatherer, Score};
/// use enbu_book::PositionKey;
/// use enbu_movegen::Position;
/// let mut games = Gatherer::new(1 << 20, &std::env::temp_dir());
/// let key = PositionKey::of(&Position::startpos());
/// for score in [Score::Win, Score::Loss, Score::Win] {
///     games.add(&key, 1, "7g7f".parse().expect("a move"), score)?;
/// }
/// let mut pages = Vec::new();
/// games.finish(2, |page| Ok(pages.push(page)))?;
/// assert_eq!((pages.len(), pages[0].entries[0].count), (1, Some(3)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Gatherer {
    budget_bytes: usize,
    folder: PathBuf,
    text: Vec<u8>,
    samples: Vec<Sample>,
    runs: Vec<File>,
    added: u64,
}

impl Gatherer {
    /// A collection that uses about `budget_bytes` of memory, and temporary files in
    /// `folder`, which vanish with the process.
    pub fn new(budget_bytes: usize, folder: &Path) -> Self {
        let (text, samples) = (Vec::new(), Vec::new());
        Self { budget_bytes, folder: folder.to_owned(), text, samples, runs: Vec::new(), added: 0 }
    }

    /// Number of moves added.
    pub const fn added(&self) -> u64 {
        self.added
    }

    /// Adds a move.
    ///
    /// # Errors
    /// Those of the temporary files.
    pub fn add(&mut self, position: &PositionKey, ply: u16, mv: Move, score: Score) -> io::Result<()> {
        let text = position.as_str().as_bytes();
        let bytes = u16::try_from(text.len()).map_err(io::Error::other)?;
        let used = self.text.len() + text.len() + size_of::<Sample>() * (self.samples.len() + 1);
        if used > self.budget_bytes && !self.samples.is_empty() {
            self.spill()?;
        }
        self.samples.push(Sample { start: self.text.len(), bytes, mv: mv.raw(), ply, tally: Tally::of(score) });
        self.text.extend_from_slice(text);
        self.added += 1;
        Ok(())
    }

    /// Writes the collected moves to a temporary file.
    fn spill(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        let position =
            |sample: &Sample| text.get(sample.start..sample.start + usize::from(sample.bytes)).unwrap_or_default();
        self.samples.sort_unstable_by(|one, other| {
            position(one).cmp(position(other)).then(one.mv.cmp(&other.mv)).then(one.ply.cmp(&other.ply))
        });
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(&self.folder)?);
        let is_same = |one: &Sample, other: &Sample| one.mv == other.mv && position(one) == position(other);
        for equal in self.samples.chunk_by(is_same) {
            let Some(first) = equal.first() else { continue };
            let mut tally = Tally::default();
            equal.iter().for_each(|sample| tally.add(sample.tally));
            write_item(&mut out, position(first), first.mv, first.ply, tally)?;
        }
        self.samples.clear();
        self.text = text;
        self.text.clear();
        self.runs.push(rewound(out)?);
        if self.runs.len() >= MAX_RUNS {
            self.merge_runs()?;
        }
        Ok(())
    }

    /// Merges all temporary files into one.
    fn merge_runs(&mut self) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(&self.folder)?);
        merge(std::mem::take(&mut self.runs), |item| item.write(&mut out))?;
        self.runs.push(rewound(out)?);
        Ok(())
    }

    /// Ends the collection: `take` receives the positions in order, each with the moves
    /// that occur in at least `min_games` games, in falling order of their games.
    ///
    /// # Errors
    /// Those of the temporary files and of `take`.
    pub fn finish(mut self, min_games: u32, mut take: impl FnMut(Page) -> io::Result<()>) -> io::Result<()> {
        self.spill()?;
        let runs = std::mem::take(&mut self.runs);
        // The buffers are not needed any more.
        drop(self);
        let mut page: Option<Page> = None;
        merge(runs, |item| {
            let Some(mv) = Move::from_raw(item.mv).filter(|_| item.tally.games >= min_games) else { return Ok(()) };
            let text = std::str::from_utf8(&item.position).map_err(io::Error::other)?;
            let is_next = page.as_ref().is_none_or(|page| page.position.as_str() != text);
            if is_next {
                let (key, _) = PositionKey::parse(text).map_err(io::Error::other)?;
                let begun = Page { ply: Some(item.ply.into()), ..Page::new(key) };
                page.replace(begun).map(sorted).map_or(Ok(()), &mut take)?;
            }
            if let Some(page) = &mut page {
                page.ply = page.ply.min(Some(item.ply.into()));
                let (value, count) = (item.tally.value_cp(), Some(item.tally.games.into()));
                page.entries.push(Entry { value, count, ..Entry::new(mv) });
            }
            Ok(())
        })?;
        page.map(sorted).map_or(Ok(()), take)
    }
}

fn sorted(mut page: Page) -> Page {
    page.sort();
    page
}

fn rewound(out: BufWriter<File>) -> io::Result<File> {
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Hands the items of all files to `take` in order, equal moves of a position added up.
fn merge(runs: Vec<File>, mut take: impl FnMut(&Item) -> io::Result<()>) -> io::Result<()> {
    let mut runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(BUFFER_BYTES, run)).collect();
    let mut heap = BinaryHeap::new();
    for (run, reader) in runs.iter_mut().enumerate() {
        heap.extend(Item::read(reader)?.map(|item| Front { item, run }));
    }
    let mut sum: Option<Item> = None;
    while let Some(Front { item, run }) = heap.pop() {
        if let Some(reader) = runs.get_mut(run) {
            heap.extend(Item::read(reader)?.map(|item| Front { item, run }));
        }
        match &mut sum {
            Some(sum) if sum.is_of(&item.position, item.mv) => {
                sum.tally.add(item.tally);
                sum.ply = sum.ply.min(item.ply);
            }
            _ => {
                if let Some(done) = sum.replace(item) {
                    take(&done)?;
                }
            }
        }
    }
    sum.map_or(Ok(()), |done| take(&done))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use enbu_movegen::{MoveList, Position};
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Plays random games; hands each move to `take`.
    fn random_games(games: usize, mut take: impl FnMut(&Position, Move, Score)) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        for _ in 0..games {
            let mut position = Position::startpos();
            for _ in 0..6 {
                let mut legal = MoveList::new();
                position.legal_moves(&mut legal);
                // Few different moves, so that positions occur again.
                let few: Vec<Move> = legal.iter().copied().take(3).collect();
                let mv = *few.choose(&mut random).expect("a move");
                let score =
                    [Score::Win, Score::Draw, Score::Loss, Score::Unknown, Score::Cp(-300)][random.random_range(0..5)];
                take(&position, mv, score);
                position.do_move(mv);
            }
        }
    }

    fn gathered(budget_bytes: usize, min_games: u32) -> (Vec<Page>, usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut games = Gatherer::new(budget_bytes, folder.path());
        let mut most = 0;
        random_games(3000, |position, mv, score| {
            games.add(&PositionKey::of(position), position.ply(), mv, score).expect("added");
            most = most.max(games.runs.len());
        });
        assert_eq!(games.added(), 18_000);
        let mut pages = Vec::new();
        games
            .finish(min_games, |page| {
                pages.push(page);
                Ok(())
            })
            .expect("merged");
        (pages, most)
    }

    #[test]
    fn counts_are_those_of_a_table_in_memory() {
        let mut table: BTreeMap<(PositionKey, u16), Tally> = BTreeMap::new();
        random_games(3000, |position, mv, score| {
            table.entry((PositionKey::of(position), mv.raw())).or_default().add(Tally::of(score));
        });
        let (pages, _) = gathered(1 << 24, 1);
        let mut found = BTreeMap::new();
        for page in &pages {
            for entry in &page.entries {
                found.insert((page.position.clone(), entry.mv.raw()), (entry.count, entry.value));
            }
        }
        let table: BTreeMap<_, _> =
            table.into_iter().map(|(key, tally)| (key, (Some(u64::from(tally.games)), tally.value_cp()))).collect();
        assert_eq!(found, table);
        assert!(pages.is_sorted_by(|one, next| one.position < next.position));
    }

    #[test]
    fn the_budget_changes_nothing_but_the_memory() {
        let (whole, runs) = gathered(1 << 24, 2);
        assert_eq!(runs, 0);
        let (parts, runs) = gathered(1 << 13, 2);
        assert!(runs > MAX_RUNS / 2, "{runs}");
        assert_eq!(whole, parts);
        assert!(whole.iter().flat_map(|page| &page.entries).all(|entry| entry.count >= Some(2)));
    }

    #[test]
    fn results_are_values_of_the_usual_scale() {
        let value =
            |decided, half_points| Tally { games: decided, decided, half_points, ..Tally::default() }.value_cp();
        assert_eq!((value(0, 0), value(2, 2), value(1, 1)), (None, Some(0), Some(0)));
        assert_eq!((value(1, 2), value(1, 0)), (Some(416), Some(-416)));
        let mut evaluated = Tally::of(Score::Cp(100));
        [Score::Cp(-51), Score::Win].into_iter().for_each(|score| evaluated.add(Tally::of(score)));
        assert_eq!((evaluated.games, evaluated.value_cp()), (3, Some(25)));
        assert!(value(1000, 2000) > Some(4000) && value(u32::MAX, 0).is_some());
    }

    #[test]
    fn nothing_gathered_is_no_page() {
        let games = Gatherer::new(1 << 16, &std::env::temp_dir());
        games.finish(1, |_| panic!("a page")).expect("nothing to do");
        let nowhere = std::env::temp_dir().join("no such folder");
        assert!(Gatherer::new(1 << 16, &nowhere).finish(1, |_| Ok(())).is_err());
    }
}

//! Books from games: moves counted by position in bounded memory.
//!
//! Moves are sorted by position, equal ones added up. Memory depends on the budget, and the
//! temporary files on the number of different positions.

use std::cmp::Ordering;
use std::io;
use std::path::Path;

use enbu_movegen::Move;
use serde::{Deserialize, Serialize};

use crate::key::PositionKey;
use crate::page::{Entry, Page};
use crate::sort::Sorter;
use crate::spool::Spooled;

/// Value in centipawns of a move that wins 73 % of the games: the usual scale of values in
/// shogi, where a win probability of `p` is worth `600 ln(p / (1 - p))`.
const SCALE_CP: f64 = 600.0;

/// Result of a game for the side that made a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Score {
    Win,
    Draw,
    Loss,
    Unknown,
    /// Unknown, but the move was evaluated at this many centipawns for that side.
    Cp(i32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    games: u32,
    /// Games with a known result.
    decided: u32,
    /// Twice the points of the mover in these.
    half_points: u32,
    /// Games in which the move was evaluated.
    evaluated: u32,
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

/// A move of a position with everything that is known about it.
#[derive(Debug, Serialize, Deserialize)]
struct Sample {
    position: PositionKey,
    mv: u16,
    ply: u16,
    tally: Tally,
}

impl Spooled for Sample {
    fn order(&self, other: &Self) -> Ordering {
        (&self.position, self.mv).cmp(&(&other.position, other.mv))
    }

    fn bytes(&self) -> usize {
        // With the head of a block of the allocator.
        size_of::<Self>() + self.position.as_str().len() + 16
    }

    fn absorb(&mut self, next: Self) -> Option<Self> {
        if self.order(&next).is_ne() {
            return Some(next);
        }
        self.tally.add(next.tally);
        self.ply = self.ply.min(next.ply);
        None
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
///     games.add(key.clone(), 1, "7g7f".parse().expect("a move"), score)?;
/// }
/// let pages: Vec<_> = games.finish(2)?.collect::<Result<_, _>>()?;
/// assert_eq!((pages.len(), pages[0].entries[0].count), (1, Some(3)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Gatherer {
    samples: Sorter<Sample>,
    /// Number of moves added.
    pub added: u64,
}

impl Gatherer {
    /// A collection that uses about `budget_bytes` of memory, and temporary files in
    /// `folder`, which vanish with the process.
    pub fn new(budget_bytes: usize, folder: &Path) -> Self {
        Self { samples: Sorter::new(folder, budget_bytes), added: 0 }
    }

    /// Adds a move.
    pub fn add(&mut self, position: PositionKey, ply: u16, mv: Move, score: Score) -> io::Result<()> {
        self.added += 1;
        self.samples.push(Sample { position, mv: mv.raw(), ply, tally: Tally::of(score) })
    }

    /// Ends the collection: the positions in order, each with the moves that occur in at
    /// least `min_games` games, in falling order of their games.
    pub fn finish(self, min_games: u32) -> io::Result<impl Iterator<Item = io::Result<Page>>> {
        let is_kept = move |sample: &io::Result<Sample>| !sample.as_ref().is_ok_and(|s| s.tally.games < min_games);
        let mut samples = self.samples.finish()?.filter(is_kept).peekable();
        Ok(std::iter::from_fn(move || {
            let first = match samples.next()? {
                Ok(first) => first,
                Err(error) => return Some(Err(error)),
            };
            let mut page = Page { ply: Some(first.ply.into()), ..Page::new(first.position.clone()) };
            let mut next = Some(first);
            while let Some(Sample { mv, ply, tally, .. }) = next {
                page.ply = page.ply.min(Some(ply.into()));
                let (value, count) = (tally.value_cp(), Some(tally.games.into()));
                page.entries.extend(Move::from_raw(mv).map(|mv| Entry { value, count, ..Entry::new(mv) }));
                let is_same = |next: &io::Result<Sample>| next.as_ref().is_ok_and(|s| s.position == page.position);
                next = samples.next_if(is_same).and_then(Result::ok);
            }
            page.sort();
            Some(Ok(page))
        }))
    }
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

    fn gathered(budget_bytes: usize, min_games: u32) -> Vec<Page> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut games = Gatherer::new(budget_bytes, folder.path());
        random_games(3000, |position, mv, score| {
            games.add(PositionKey::of(position), position.ply(), mv, score).expect("added");
        });
        assert_eq!(games.added, 18_000);
        games.finish(min_games).expect("sorted").map(|page| page.expect("a page")).collect()
    }

    #[test]
    fn counts_are_those_of_a_table_in_memory() {
        let mut table: BTreeMap<(PositionKey, u16), Tally> = BTreeMap::new();
        random_games(3000, |position, mv, score| {
            table.entry((PositionKey::of(position), mv.raw())).or_default().add(Tally::of(score));
        });
        let pages = gathered(1 << 24, 1);
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
        let whole = gathered(1 << 24, 2);
        assert_eq!(whole, gathered(1 << 13, 2));
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
        assert_eq!(games.finish(1).expect("nothing to do").count(), 0);
        let nowhere = std::env::temp_dir().join("no such folder");
        let key = PositionKey::of(&Position::startpos());
        let mv = "7g7f".parse().expect("a move");
        assert!(Gatherer::new(1, &nowhere).add(key, 1, mv, Score::Win).is_err());
    }
}

//! The positions that a network is trained on: shards on disk, of which the trainer keeps
//! one in memory and reads the next.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::entry::Entry;
use crate::error::{FileError, FileErrorKind};
use crate::filter::{Filter, Skipped};
use crate::foresight::Foresight;
use crate::shards::Shard;
use crate::source::{self, Item, Sample};
use crate::statistics::Statistics;

/// The most consecutive records that go to the same part of the data, so that few games are
/// in both.
const BLOCK: u64 = 4096;

/// The most shards: each is an open file.
const MAX_SHARDS: u64 = 500;

/// Memory of a position: itself, and its place in the order.
const POSITION_BYTES: u64 = (size_of::<Entry>() + size_of::<u32>()) as u64;

/// The choice of positions, and the memory for them.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The positions to learn from.
    pub filter: Filter,
    /// One game of this many is for validation, or one block of single positions.
    pub validation_one_in: u64,
    /// Memory for positions in bytes.
    pub memory: u64,
    /// The folder for temporary files, of four bytes a position.
    pub folder: &'a Path,
}

/// Positions in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions(pub(crate) Vec<Entry>);

impl Positions {
    /// Reads the positions of a file that pass `filter`.
    ///
    /// # Errors
    /// [`FileError`] with the first fault.
    pub fn load(path: &Path, filter: &Filter) -> Result<Self, FileError> {
        let mut entries = Vec::new();
        source::read(path, |sample| {
            if filter.verdict(sample).is_none() {
                entries.push(Entry::new(sample));
            }
        })?;
        Ok(Self(entries))
    }

    /// Returns true without positions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Training and validation positions.
#[derive(Debug)]
pub struct Dataset {
    filter: Filter,
    foresight: Option<Foresight>,
    pub(crate) shards: Vec<Shard>,
    tested: Shard,
    pub(crate) validation: Vec<Entry>,
    /// Scores and results of the training positions.
    statistics: Statistics,
    skipped: [u64; Skipped::NAMES.len()],
    seen: u64,
}

impl Dataset {
    /// Distributes the games of `paths` at random over shards, so that two of them fit the
    /// memory, or all positions.
    ///
    /// # Errors
    /// [`FileError`] with the first fault of a file, or of the temporary files.
    pub fn gather(paths: &[PathBuf], selection: &Selection<'_>) -> Result<Self, FileError> {
        let positions = paths.iter().map(|path| source::likely_positions(path)).sum();
        let mut data = Self::create(selection, positions).map_err(FileError::of(selection.folder))?;
        let one_in = selection.validation_one_in.max(2);
        let block = (positions / one_in / 4).clamp(1, BLOCK);
        let (mut games, mut records) = (0, 0);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(positions);
        for path in paths {
            let read = source::read_items(path, &mut |number, item| {
                let (unit, length) = match item {
                    Item::Game(_) => (&mut games, 1),
                    Item::Record(_) => (&mut records, block),
                };
                let is_tested = (*unit / length).is_multiple_of(one_in);
                *unit += 1;
                let shard = (!is_tested).then(|| random.random_range(0..data.shards.len()));
                data.add(number, item, shard)
            });
            read.map_err(FileError::of(path))?;
        }
        let finished = data.shards.iter_mut().chain([&mut data.tested]).try_for_each(Shard::finish);
        finished.map_err(FileError::of(selection.folder))?;
        Ok(data)
    }

    /// Empty shards for about this many positions.
    fn create(selection: &Selection<'_>, positions: u64) -> io::Result<Self> {
        let tested = positions / selection.validation_one_in.max(2) * POSITION_BYTES;
        let memory = (selection.memory - tested.min(selection.memory / 2)).max(1);
        let bytes = positions * POSITION_BYTES;
        let shards = if bytes <= memory { 1 } else { (2 * bytes).div_ceil(memory).min(MAX_SHARDS) };
        Ok(Self {
            filter: selection.filter,
            foresight: None,
            shards: (0..shards).map(|_| Shard::create(selection.folder)).collect::<Result<_, _>>()?,
            tested: Shard::create(selection.folder)?,
            validation: Vec::new(),
            statistics: Statistics::default(),
            skipped: [0; Skipped::NAMES.len()],
            seen: 0,
        })
    }

    /// Adds an item to a shard, or to those to validate with, if it has positions to learn from.
    fn add(&mut self, number: u64, item: Item<'_>, shard: Option<usize>) -> Result<(), FileErrorKind> {
        let Self { filter, shards, tested, statistics, skipped, seen, .. } = self;
        let mut passed = 0;
        item.show(number, |sample| {
            *seen += 1;
            match filter.verdict(sample) {
                None => {
                    passed += 1;
                    if shard.is_some() {
                        statistics.add_score(sample.score, sample.result.for_side(sample.position.turn()));
                    }
                }
                Some(reason) => skipped[reason as usize] += 1,
            }
        })?;
        let target = shard.map_or(tested, |shard| &mut shards[shard]);
        target.positions += passed;
        if passed > 0 {
            let named = |error| io::Error::other(format!("temporary file: {error}"));
            target.push(item).map_err(named)?;
        }
        Ok(())
    }

    /// Reads the validation positions, and sets the labels of all: with `foresight`, they
    /// include the rest of the game.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub fn label(&mut self, foresight: Option<Foresight>) -> io::Result<()> {
        self.foresight = foresight;
        self.validation = self.read(&self.tested, &AtomicBool::new(false))?;
        Ok(())
    }

    /// Reads the positions of a shard. They are incomplete if `stop` is set meanwhile.
    pub(crate) fn read(&self, shard: &Shard, stop: &AtomicBool) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::with_capacity(shard.positions);
        shard.read(|number, item| {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut labels = match (self.foresight, item) {
                (Some(foresight), Item::Game(game)) => foresight.labels(game),
                _ => Vec::new(),
            }
            .into_iter();
            item.show(number, |sample| {
                let score = labels.next().unwrap_or(sample.score);
                if self.filter.verdict(sample).is_none() {
                    entries.push(Entry::new(&Sample { score, ..*sample }));
                }
            })
        })?;
        Ok(entries)
    }

    /// Training positions of each shard.
    pub(crate) fn shard_sizes(&self) -> impl Iterator<Item = usize> {
        self.shards.iter().map(|shard| shard.positions)
    }

    /// The number of shards.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// The number of training positions.
    fn len(&self) -> usize {
        self.shard_sizes().sum()
    }

    /// The number of validation positions.
    pub(crate) fn validation_len(&self) -> usize {
        self.tested.positions
    }

    /// The memory that positions take during the training, in bytes.
    pub fn memory(&self) -> u64 {
        let mut sizes: Vec<_> = self.shard_sizes().collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let trained: usize = sizes.iter().take(2).sum();
        (trained + self.validation_len()) as u64 * POSITION_BYTES
    }

    /// A hash of all positions, their labels and their shards, to identify the data.
    pub fn mark(&self) -> u64 {
        let digests = self.shards.iter().chain([&self.tested]).flat_map(|shard| shard.digest.to_le_bytes());
        let bytes: Vec<u8> = digests.chain(format!("{:?} {:?}", self.filter, self.foresight).into_bytes()).collect();
        enbu_files::fnv1a(&bytes)
    }

    /// The scale that best fits the scores of the training positions to their results, see
    /// [`Statistics::fitted_scale`].
    pub fn fitted_scale(&self) -> Option<f64> {
        self.statistics.fitted_scale()
    }

    /// Counts of read, used and skipped positions, as a line of text.
    pub fn summary(&self) -> String {
        let (read, trained, tested) = (self.seen, self.len(), self.validation_len());
        let mut text = format!("{read} positions read, {trained} to train on, {tested} to test with; left out:");
        for (name, count) in Skipped::NAMES.iter().zip(self.skipped) {
            text += &format!(" {name} {:.1} %", 100.0 * count as f64 / (self.seen as f64).max(1.0));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::export;
    use crate::game_file::GameFile;
    use crate::selfplay::{Player, Settings};
    use enbu_eval::Evaluation;

    /// Twelve games as file of games and as records.
    fn files(folder: &Path) -> (GameFile, [PathBuf; 2]) {
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let mut player = Player::new(settings, Evaluation::PieceSquare).expect("memory");
        let games = GameFile { settings: String::new(), games: (0..12).map(|number| player.game(number)).collect() };
        let paths = ["a.games", "a.psv"].map(|name| folder.join(name));
        games.write(&paths[0]).expect("written");
        export(&paths[..1], &paths[1], u64::MAX).expect("written");
        (games, paths)
    }

    fn gathered(paths: &[PathBuf], memory: u64, folder: &Path) -> Dataset {
        let selection = Selection { filter: Filter::default(), validation_one_in: 4, memory, folder };
        let mut data = Dataset::gather(paths, &selection).expect("sound");
        data.label(None).expect("read");
        data
    }

    #[test]
    fn every_position_is_in_one_shard_or_tested() {
        let folder = tempfile::tempdir().expect("a folder");
        let (games, paths) = files(folder.path());
        let sorted = |mut entries: Vec<Entry>| {
            entries.sort_by_key(|entry| format!("{entry:?}"));
            entries
        };
        for (paths, most) in [(&paths[..1], 3), (&paths[1..], 3), (&paths[..], 8)] {
            let whole = gathered(paths, u64::MAX, folder.path());
            let parts = gathered(paths, games.positions() * POSITION_BYTES, folder.path());
            assert!(whole.shards() == 1 && (2..=most).contains(&parts.shards()), "{}", parts.shards());
            let read = |data: &Dataset| {
                let never = AtomicBool::new(false);
                let each = data.shards.iter().map(|shard| data.read(shard, &never).expect("read"));
                each.collect::<Vec<_>>()
            };
            let (all, shards) = (read(&whole), read(&parts));
            assert!(shards.iter().zip(parts.shard_sizes()).all(|(entries, size)| entries.len() == size));
            assert_eq!(sorted(shards.concat()), sorted(all.concat()));
            assert_eq!((&whole.validation, whole.len()), (&parts.validation, parts.len()));
            assert_eq!(whole.validation.len(), whole.validation_len());
            assert_ne!(whole.mark(), parts.mark());
            let skipped: u64 = whole.skipped.iter().sum();
            assert_eq!((whole.len() + whole.validation_len()) as u64 + skipped, whole.seen);
            assert_eq!(whole.seen, paths.len() as u64 * games.positions());
            let tested = whole.validation_len() as f64 / (whole.len() + whole.validation_len()) as f64;
            assert!((0.1..0.45).contains(&tested) && skipped > 50, "{tested} {}", whole.summary());
        }
    }
}

//! The transposition table.
//!
//! Clusters of four entries fill a cache line. An entry is two plain atomic
//! words, the data and the key exclusive-ored with the data: a torn write does
//! not match any key and is never read as data (Hyatt and Mann 2002). No locks and
//! no data races: [`cluster`] has the protocol, and a model of it that is checked.

mod cluster;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use enbu_isa::prefetch;
use enbu_movegen::Move;

use crate::pages::{self, Pages};
use crate::report::Bound;
use crate::value::{MATE_BOUND, Value, counted_from};

const WORDS_PER_CLUSTER: usize = 8;
const ENTRIES: usize = 4;
/// Generations count modulo this.
const GENERATIONS: u8 = 32;

/// Plies that an entry loses in depth, for replacement, with each search since its own. With 8, as in
/// Stockfish, a tenth of a table that one search fills was held by the search before.
///
/// Last test: see `Worker::keep_eval`.
const PLIES_PER_SEARCH: i32 = 16;

const WORDS_PER_PAGE: usize = pages::SMALLEST / size_of::<AtomicU64>();

/// Entry of the table: one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mv: Option<Move>,
    /// Counted from the probing node.
    pub(crate) value: Value,
    /// Static evaluation; `None` in check.
    pub(crate) eval: Option<Value>,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// The node was once part of a principal variation.
    pub(crate) on_pv: bool,
}

impl Entry {
    /// Returns true if the value ends a node searched `depth` deep in this window. A
    /// proven mate does so at any depth.
    #[inline]
    pub(crate) fn decides(&self, depth: i32, alpha: Value, beta: Value) -> bool {
        let fits = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        };
        fits && (self.depth >= depth || self.value >= MATE_BOUND && self.bound != Bound::Upper)
    }

    /// Returns true if this entry replaces the packed `old` one of its position: an exact value
    /// always, a bound if its search is nearly as deep or the old entry from an earlier search.
    /// (Stockfish.)
    fn supersedes(&self, old: u64, generation: u8) -> bool {
        let margin = 4 + 2 * i32::from(self.on_pv);
        self.bound == Bound::Exact || self.depth + margin > depth_of(old) || generation_of(old) != generation
    }
}

pub(crate) struct Table {
    /// Clusters, zeros at first, which threads share.
    words: Pages<AtomicU64>,
    clusters: usize,
    generation: AtomicU8,
    /// Set by the first store after a clear.
    used: AtomicBool,
}

/// Marks "no static evaluation" in the packed word.
const NO_EVAL: i16 = i16::MIN;

impl Table {
    /// A table of `megabytes` (2^20 bytes), or `None` without the memory.
    ///
    /// `threads` threads touch all its pages now, so that no search pays for their page faults,
    /// however long the system takes to provide them.
    pub(crate) fn new(megabytes: usize, threads: usize) -> Option<Self> {
        if !Self::fits(megabytes, 0) {
            return None;
        }
        let clusters = (megabytes.checked_mul(1 << 20)? / 64).max(1);
        let table = Self {
            words: Pages::zeroed(clusters.checked_mul(WORDS_PER_CLUSTER)?)?,
            clusters,
            generation: AtomicU8::new(0),
            used: AtomicBool::new(false),
        };
        table.sweep(threads, WORDS_PER_PAGE);
        Some(table)
    }

    /// Returns true if the system reports memory for a table of `megabytes` after one of
    /// `freed_mb` is freed, or reports none. Under overcommit the allocation alone would succeed, and
    /// the first use end the process.
    pub(crate) fn fits(megabytes: usize, freed_mb: usize) -> bool {
        let available = pages::system_mb("MemAvailable:");
        available.is_none_or(|available| megabytes <= available.saturating_add(freed_mb))
    }

    pub(crate) fn megabytes(&self) -> usize {
        (self.clusters * 64) >> 20
    }

    /// Forgets everything, using `threads` threads. Writing zeros keeps the pages, which fresh ones
    /// would have to be provided again.
    pub(crate) fn clear(&self, threads: usize) {
        self.generation.store(0, Ordering::Relaxed);
        if self.used.swap(false, Ordering::Relaxed) {
            self.sweep(threads, 1);
        }
    }

    /// Writes a zero to the first word of every `step`, using `threads` threads.
    fn sweep(&self, threads: usize, step: usize) {
        let zero = |words: &[AtomicU64]| words.iter().step_by(step).for_each(|word| word.store(0, Ordering::Relaxed));
        let part = self.words.len().div_ceil(threads.max(1)).next_multiple_of(WORDS_PER_PAGE);
        std::thread::scope(|scope| {
            let mut parts = self.words.chunks(part);
            let own = parts.next();
            for words in parts {
                if std::thread::Builder::new().spawn_scoped(scope, move || zero(words)).is_err() {
                    // The system gives no thread.
                    zero(words);
                }
            }
            own.into_iter().for_each(zero);
        });
    }

    /// Begins a new search: entries of earlier ones are replaced first.
    pub(crate) fn new_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
        self.used.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &[AtomicU64] {
        // The high bits of the key choose the cluster, scaled to any size.
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        let start = index * WORDS_PER_CLUSTER;
        &self.words[start..start + WORDS_PER_CLUSTER]
    }

    /// Prefetches the cluster of `key`, which is about to be probed: cache misses of probes were a
    /// third of the search's time.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// Entry of the position with this key, for a node at `ply`.
    #[inline]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        unpack(cluster::find(self.cluster(key), key)?, ply)
    }

    /// Stores the result of a node at `ply`.
    #[inline]
    pub(crate) fn store(&self, key: u64, ply: usize, entry: Entry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let worth = |data| {
            let age = i32::from((generation + GENERATIONS - generation_of(data)) % GENERATIONS);
            depth_of(data) - PLIES_PER_SEARCH * age
        };
        cluster::put(self.cluster(key), key, worth, |known| match known {
            Some(old) if !entry.supersedes(old, generation) => {
                entry.mv.map_or(old, |mv| old & !0xffff | u64::from(mv.raw()))
            }
            _ => {
                let mv = entry.mv.or_else(|| Move::from_raw(known? as u16));
                pack(Entry { mv, ..entry }, ply, generation)
            }
        });
    }

    /// The values stored so far, as their nodes saw them, with their depths.
    #[cfg(test)]
    pub(crate) fn values(&self) -> Vec<(Value, i32)> {
        let data = self.words.chunks_exact(2).map(|entry| entry[1].load(Ordering::Relaxed));
        data.filter_map(|data| unpack(data, 0)).map(|entry| (entry.value, entry.depth)).collect()
    }

    /// Share of entries of the current search in the table, in permille,
    /// from a sample of a thousand entries.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = self.clusters.min(1000 / ENTRIES) * ENTRIES;
        let used = self
            .words
            .chunks_exact(2)
            .take(sample)
            .filter(|entry| {
                let data = entry[1].load(Ordering::Relaxed);
                data != 0 && generation_of(data) == generation
            })
            .count();
        (used * 1000 / sample) as u32
    }
}

// Packed: move 0-15, value 16-31, evaluation 32-47, depth + 1 48-55 (so that no
// entry packs to zero), bound 56-57, principal variation 58, generation 59-63.

fn pack(entry: Entry, ply: usize, generation: u8) -> u64 {
    let mv = u64::from(entry.mv.map_or(0, Move::raw));
    let value = u64::from(counted_from(entry.value, ply as Value) as i16 as u16);
    let eval = u64::from(entry.eval.map_or(NO_EVAL, |eval| eval as i16) as u16);
    let depth = (entry.depth + 1).clamp(1, 255) as u64;
    let bound = 1 + entry.bound as u64;
    let on_pv = u64::from(entry.on_pv);
    mv | value << 16 | eval << 32 | depth << 48 | bound << 56 | on_pv << 58 | u64::from(generation) << 59
}

fn unpack(data: u64, ply: usize) -> Option<Entry> {
    let eval = (data >> 32) as u16 as i16;
    Some(Entry {
        mv: Move::from_raw(data as u16),
        value: counted_from(Value::from((data >> 16) as u16 as i16), -(ply as Value)),
        eval: (eval != NO_EVAL).then_some(Value::from(eval)),
        depth: depth_of(data),
        bound: match data >> 56 & 3 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        },
        on_pv: data >> 58 & 1 == 1,
    })
}

fn depth_of(data: u64) -> i32 {
    (data >> 48 & 0xff) as i32 - 1
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::mate_at;

    fn entry(value: Value, depth: i32) -> Entry {
        Entry { mv: "7g7f".parse().ok(), value, eval: Some(-123), depth, bound: Bound::Lower, on_pv: false }
    }

    #[test]
    fn entries_come_back_as_they_were_stored() {
        let table = Table::new(1, 1).expect("a megabyte");
        table.new_search();
        assert_eq!(table.probe(42, 0), None);
        for (key, stored) in [
            (1, entry(0, 0)),
            (u64::MAX, Entry { mv: None, eval: None, bound: Bound::Upper, ..entry(-500, 90) }),
            (1 << 40, Entry { bound: Bound::Exact, on_pv: true, ..entry(mate_at(9), 3) }),
        ] {
            table.store(key, 5, stored);
            assert_eq!(table.probe(key, 5), Some(stored));
        }
        assert_eq!(table.probe(1 << 40, 2).map(|entry| entry.value), Some(mate_at(6)));
        table.clear(2);
        assert_eq!(table.probe(1, 5), None);
    }

    #[test]
    fn a_cleared_table_is_empty_and_keeps_its_pages() {
        let table = Table::new(8, 2).expect("memory");
        let pages = table.words.as_ptr();
        for (round, threads) in [(1, 1), (2, 2), (3, 5)] {
            table.new_search();
            let keys = (0..64).map(|part| part << 58 | 42);
            keys.clone().for_each(|key| table.store(key, 0, entry(round, 3)));
            assert!(keys.clone().all(|key| table.probe(key, 0).is_some()));
            table.clear(threads);
            assert!(table.words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            assert_eq!((table.words.as_ptr(), table.megabytes(), table.hashfull()), (pages, 8, 0));
        }
    }

    #[test]
    fn the_shallow_and_the_old_are_replaced_first() {
        let table = Table::new(1, 1).expect("a megabyte");
        table.new_search();
        // Keys below 2^32 fall into the first cluster.
        for (key, depth) in [(11, 10), (12, 3), (13, 12), (14, 11)] {
            table.store(key, 0, entry(0, depth));
        }
        table.store(15, 0, entry(0, 1));
        assert_eq!(table.probe(12, 0), None);
        for _ in 0..3 {
            table.new_search();
        }
        table.store(14, 0, entry(7, 11));
        table.store(16, 0, entry(0, 1));
        assert_eq!((table.probe(15, 0), table.probe(14, 0).map(|entry| entry.value)), (None, Some(7)));
        assert!(table.hashfull() >= 1);
    }

    #[test]
    fn entries_of_the_search_before_leave_the_table_to_this_one() {
        let table = Table::new(1, 1).expect("a megabyte");
        table.new_search();
        // Keys below 2^32 fall into the first cluster.
        (11..15).for_each(|key| table.store(key, 0, entry(0, 12)));
        table.new_search();
        (21..25).for_each(|key| table.store(key, 0, entry(0, 0)));
        assert!((21..25).all(|key| table.probe(key, 0).is_some()));
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_one_of_the_same_position() {
        let table = Table::new(1, 1).expect("a megabyte");
        table.new_search();
        let reply: Option<Move> = "2g2f".parse().ok();
        table.store(9, 0, entry(50, 12));
        table.store(9, 0, Entry { mv: reply, ..entry(-80, 3) });
        let known = table.probe(9, 0).map(|entry| (entry.value, entry.depth, entry.mv));
        assert_eq!(known, Some((50, 12, reply)), "only the move is new");
        table.store(9, 0, Entry { bound: Bound::Exact, ..entry(-80, 3) });
        assert_eq!(table.probe(9, 0).map(|entry| entry.value), Some(-80));
        table.store(9, 0, entry(50, 12));
        table.new_search();
        table.store(9, 0, entry(-70, 3));
        assert_eq!(table.probe(9, 0).map(|entry| entry.value), Some(-70), "the deep one is of an earlier search");
    }

    #[test]
    fn a_proven_mate_decides_at_any_depth() {
        let mate = Entry { bound: Bound::Exact, ..entry(mate_at(1), 0) };
        assert!(mate.decides(20, 100, 101));
        assert!(!Entry { bound: Bound::Upper, ..mate }.decides(20, 100, 101));
        assert!(!entry(200, 3).decides(4, 100, 101));
    }

    #[test]
    fn a_store_without_a_move_keeps_the_known_one() {
        let table = Table::new(1, 1).expect("a megabyte");
        table.new_search();
        table.store(9, 0, entry(0, 1));
        table.store(9, 0, Entry { mv: None, ..entry(0, 2) });
        assert_eq!(table.probe(9, 0).and_then(|entry| entry.mv), "7g7f".parse().ok());
    }
}

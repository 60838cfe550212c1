//! Correction histories: errors of the evaluation in similar positions.
//!
//! After a search the difference between its value and the static evaluation is noted under several
//! features of the position; later evaluations of positions with the same feature are corrected by
//! these errors. (Caissa, Stockfish; kings with generals, kings with large pieces, and lances with
//! knights after Stoat's log.)
//!
//! The weights follow a regression on errors within the tree of one search, since an error
//! that all its positions share changes no choice (`docs/evidence.md`, "What corrections explain
//! within a tree").

use std::sync::atomic::{AtomicI16, Ordering};

use enbu_movegen::{Color, Position};

use crate::history::{Arrival, Line, pull};
use crate::keys::Keys;
use crate::params;
use crate::value::Value;

const ENTRIES: usize = 1 << 14;
/// Entries of the table of pairs of moves.
const PAIRS: usize = 1 << 16;
/// The largest value of an entry, in 64ths of a centipawn before weighting.
const LIMIT: i32 = 8192;
/// Entries count these parts of a centipawn.
const SCALE: i32 = 64;

/// Number of groups of pieces by which evaluations are corrected.
const FEATURES: usize = 4;

/// The tables, which all threads of a search share: each learns from the errors of all (Stockfish).
/// An update that another thread overwrites is lost, which changes little.
pub(crate) struct Corrections {
    /// For each feature, for each side to move.
    tables: [[Box<[AtomicI16]>; 2]; FEATURES],
    /// By the last move and the own move before it.
    continuation: Box<[AtomicI16]>,
}

/// Indices of a position's entries in the correction tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    side: Color,
    features: [usize; FEATURES],
    continuation: Option<usize>,
}

impl Slots {
    /// The features of `position`, whose keys are `keys`, reached by `line`.
    #[inline]
    pub(crate) fn of(position: &Position, keys: Keys, line: Line) -> Self {
        Self {
            side: position.turn(),
            features: keys.0.map(|key| (key >> (64 - ENTRIES.trailing_zeros())) as usize),
            continuation: line.arrivals[0].zip(line.arrivals[1]).map(|(last, before)| {
                let pair = (last.index() * Arrival::COUNT + before.index() + 1) as u64;
                // Times a large odd number: the high bits depend on all.
                (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PAIRS.trailing_zeros())) as usize
            }),
        }
    }
}

impl Corrections {
    pub(crate) fn new() -> Self {
        let table = |entries| (0..entries).map(|_| AtomicI16::new(0)).collect();
        Self { tables: [(); FEATURES].map(|()| [table(ENTRIES), table(ENTRIES)]), continuation: table(PAIRS) }
    }

    pub(crate) fn clear(&self) {
        let tables = self.tables.iter().flatten().chain([&self.continuation]);
        tables.flatten().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }

    /// Correction of the evaluation, in centipawns.
    #[inline]
    pub(crate) fn of(&self, slots: Slots) -> Value {
        let weights = [
            params::correction_pawns(),
            params::correction_castle(),
            params::correction_large(),
            params::correction_cavalry(),
        ];
        let mut sum = 0;
        for ((table, slot), weight) in self.tables.iter().zip(slots.features).zip(weights) {
            sum += i32::from(table[slots.side][slot].load(Ordering::Relaxed)) * weight;
        }
        if let Some(slot) = slots.continuation {
            sum += i32::from(self.continuation[slot].load(Ordering::Relaxed)) * params::correction_continuation();
        }
        sum / (SCALE * 128)
    }

    /// Notes that the search at `depth` found a value `error` above the evaluation.
    pub(crate) fn note(&self, slots: Slots, error: Value, depth: i32) {
        let bonus = (error * depth * params::correction_rate() / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let learn = |entry: &AtomicI16| {
            let mut value = entry.load(Ordering::Relaxed);
            pull(&mut value, bonus, LIMIT);
            entry.store(value, Ordering::Relaxed);
        };
        for (table, slot) in self.tables.iter().zip(slots.features) {
            learn(&table[slots.side][slot]);
        }
        if let Some(slot) = slots.continuation {
            learn(&self.continuation[slot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_remembered_where_the_features_are_the_same() {
        let position = Position::startpos();
        let slots = Slots::of(&position, Keys::of(&position), Line::default());
        let corrections = Corrections::new();
        assert_eq!(corrections.of(slots), 0);
        for _ in 0..200 {
            corrections.note(slots, 300 - corrections.of(slots), 8);
        }
        let high = corrections.of(slots);
        assert!(high > 100 && high <= 300, "{high}");
        let other = Slots { side: Color::White, ..slots };
        assert_eq!(corrections.of(other), 0);
        for _ in 0..200 {
            corrections.note(slots, -300 - corrections.of(slots), 8);
        }
        assert!(corrections.of(slots) < 0);
        corrections.clear();
        assert_eq!(corrections.of(slots), 0);
    }
}

//! Judgements of opening positions, shared between games.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::judged::Judged;

/// Positions kept; further ones are searched again.
const MOST_POSITIONS: usize = 100_000;

/// Judgements of positions that were searched apart from their games: each depends on the
/// position alone, so the order of the games does not change the result.
#[derive(Debug, Default)]
pub struct Book {
    known: Mutex<HashMap<String, Judged>>,
}

impl Book {
    pub(crate) fn judged(&self, key: &str) -> Option<Judged> {
        self.known.lock().get(key).cloned()
    }

    pub(crate) fn insert(&self, key: String, judged: Judged) {
        let mut known = self.known.lock();
        if known.len() < MOST_POSITIONS {
            known.insert(key, judged);
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.known.lock().len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

//! Judgements of opening positions, shared between games.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::judged::Judged;

/// Positions kept; further ones are searched again.
const MOST_POSITIONS: usize = 100_000;

/// Judgement of a position, `None` before it is searched; locked by the game that searches it.
pub(crate) type Slot = Arc<Mutex<Option<Judged>>>;

/// Judgements of positions that were searched apart from their games: each depends on the
/// position alone, so the order of the games does not change the result.
///
/// A position is searched once: games that are analysed at the same time lock the
/// positions they search. Without that the two games of a pair, which share their opening and
/// often reach it together, would search every position of it twice.
#[derive(Debug, Default)]
pub struct OpeningCache(Mutex<HashMap<String, Slot>>);

impl OpeningCache {
    /// The slot of the position with this key; one of its own where the cache is full.
    pub(crate) fn slot(&self, key: String) -> Slot {
        let mut slots = self.0.lock();
        match slots.get(&key) {
            Some(slot) => Arc::clone(slot),
            None if slots.len() < MOST_POSITIONS => Arc::clone(slots.entry(key).or_default()),
            None => Slot::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_searched_by_one_game() {
        let cache = OpeningCache::default();
        let slot = cache.slot("a".to_owned());
        let mut known = slot.lock();
        assert!(cache.slot("a".to_owned()).try_lock().is_none());
        assert!(cache.slot("b".to_owned()).try_lock().is_some_and(|known| known.is_none()));
        *known = Some(Judged { nodes: 7, ..Judged::default() });
        drop(known);
        assert_eq!(cache.slot("a".to_owned()).lock().as_ref().map(|judged| judged.nodes), Some(7));
    }
}

//! Judgements of opening positions, shared between games.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parking_lot::{Condvar, Mutex};

use crate::judged::Judged;

/// Positions kept; further ones are searched again.
const MOST_POSITIONS: usize = 100_000;

/// Judgements of positions that were searched apart from their games: each depends on the
/// position alone, so the order of the games does not change the result.
///
/// A position is searched once: games that are analysed at the same time claim the
/// positions they search. Without that the two games of a pair, which share their opening and
/// often reach it together, would search every position of it twice.
#[derive(Debug, Default)]
pub struct Book {
    /// `None` while a position is being searched.
    known: Mutex<HashMap<String, Option<Judged>>>,
    changed: Condvar,
}

/// What a [`Book`] knows of a position.
#[derive(Debug)]
pub(crate) enum Known<'b> {
    /// Its judgement.
    Judged(Judged),
    /// Nothing yet: another game searches it.
    Claimed,
    /// Nothing: the caller is to search it.
    Unknown(Claim<'b>),
}

/// The right to search a position; without a judgement it passes to the next that asks.
#[derive(Debug)]
pub(crate) struct Claim<'b> {
    book: &'b Book,
    /// `None` when the book is full.
    key: Option<String>,
}

impl Book {
    /// What is known of the position with this key.
    pub(crate) fn ask(&self, key: &str) -> Known<'_> {
        self.look(&mut self.known.lock(), key)
    }

    /// Like [`ask`](Self::ask), but waits for the game that searches the position.
    pub(crate) fn wait(&self, key: &str) -> Known<'_> {
        let mut known = self.known.lock();
        loop {
            match self.look(&mut known, key) {
                Known::Claimed => self.changed.wait(&mut known),
                other => return other,
            }
        }
    }

    fn look(&self, known: &mut HashMap<String, Option<Judged>>, key: &str) -> Known<'_> {
        match known.get(key) {
            Some(Some(judged)) => return Known::Judged(judged.clone()),
            Some(None) => return Known::Claimed,
            None => {}
        }
        let key = (known.len() < MOST_POSITIONS).then(|| key.to_owned());
        if let Some(key) = &key {
            known.insert(key.clone(), None);
        }
        Known::Unknown(Claim { book: self, key })
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.known.lock().values().flatten().count()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Claim<'_> {
    /// Gives the judgement to all games.
    pub(crate) fn judge(mut self, judged: Judged) {
        if let Some(key) = self.key.take() {
            self.book.known.lock().insert(key, Some(judged));
            self.book.changed.notify_all();
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let Some(key) = self.key.take() else { return };
        if let Entry::Occupied(entry) = self.book.known.lock().entry(key) {
            entry.remove();
        }
        self.book.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn claim<'b>(known: Known<'b>) -> Claim<'b> {
        match known {
            Known::Unknown(claim) => claim,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_position_is_searched_by_one_game() {
        let book = Book::default();
        let first = claim(book.ask("a"));
        assert!(matches!(book.ask("a"), Known::Claimed));
        let other = claim(book.ask("b"));
        assert!(book.is_empty());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| matches!(book.wait("a"), Known::Judged(judged) if judged.nodes == 7));
            first.judge(Judged { nodes: 7, ..Judged::default() });
            assert!(waiting.join().expect("a thread"));
            // What was not judged passes to one that waits.
            let waiting = scope.spawn(|| matches!(book.wait("b"), Known::Unknown(_)));
            drop(other);
            assert!(waiting.join().expect("a thread"));
        });
        assert_eq!(book.len(), 1);
        assert!(matches!(book.ask("b"), Known::Unknown(_)));
    }
}

//! Merging sorted sequences.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use crate::error::{BookError, Fault};
use crate::order::{Order, Ranked};
use crate::page::Page;
use crate::spool::Spooled;

/// Merges sequences of pages that are sorted in this order. Equal pages come in the order of
/// their sequences.
///
/// A fault of a sequence is passed on and the merging goes on; so is the first page of each
/// sequence that is out of order, which ends that sequence.
pub fn merge<I: Iterator<Item = Result<Page, BookError>>>(
    order: Order,
    sources: impl IntoIterator<Item = I>,
) -> impl Iterator<Item = Result<Page, BookError>> {
    let sources = sources.into_iter().map(|pages| pages.map(move |page| page.map(|page| order.rank(page))));
    let unsorted = |ranked: &Ranked| BookError::file(Fault::Unsorted(ranked.page.position.to_string()));
    Merge::new(sources, unsorted).map(|ranked| ranked.map(|ranked| ranked.page))
}

/// The items of sorted sequences; faults as they are met.
#[derive(Debug)]
pub(crate) struct Merge<I, T: Spooled, E> {
    sources: Vec<I>,
    /// The first item of each sequence that is not at its end.
    heads: BinaryHeap<Reverse<Head<T>>>,
    faults: VecDeque<E>,
    /// The fault of an item that belongs before the last one.
    unsorted: fn(&T) -> E,
}

/// An item and the number of its sequence.
#[derive(Debug)]
struct Head<T> {
    item: T,
    source: usize,
}

impl<T: Spooled> PartialEq for Head<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Spooled> Eq for Head<T> {}

impl<T: Spooled> PartialOrd for Head<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Spooled> Ord for Head<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.item.order(&other.item).then(self.source.cmp(&other.source))
    }
}

impl<T: Spooled, E, I: Iterator<Item = Result<T, E>>> Merge<I, T, E> {
    pub(crate) fn new(sources: impl IntoIterator<Item = I>, unsorted: fn(&T) -> E) -> Self {
        let sources: Vec<I> = sources.into_iter().collect();
        let count = sources.len();
        let mut merge = Self { sources, heads: BinaryHeap::new(), faults: VecDeque::new(), unsorted };
        (0..count).for_each(|source| merge.refill(source, None));
        merge
    }

    /// Reads the next item of a sequence, which must not belong before `last`.
    fn refill(&mut self, source: usize, last: Option<&T>) {
        while let Some(item) = self.sources.get_mut(source).and_then(Iterator::next) {
            match item {
                Ok(item) if last.is_some_and(|last| last.order(&item).is_gt()) => {
                    return self.faults.push_back((self.unsorted)(&item));
                }
                Ok(item) => return self.heads.push(Reverse(Head { item, source })),
                Err(error) => self.faults.push_back(error),
            }
        }
    }
}

impl<T: Spooled, E, I: Iterator<Item = Result<T, E>>> Iterator for Merge<I, T, E> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.faults.pop_front() {
            return Some(Err(error));
        }
        let Reverse(Head { item, source }) = self.heads.pop()?;
        self.refill(source, Some(&item));
        Some(Ok(item))
    }
}

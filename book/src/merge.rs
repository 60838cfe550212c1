//! Merging sorted sequences of pages.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use crate::error::{BookError, Fault};
use crate::order::{Item, Order, Rank, rank};
use crate::page::Page;

/// Merges sorted sequences of pages. Equal pages come in the order of their sequences.
///
/// A fault of a sequence is passed on and the merging goes on; so is the first page of each
/// sequence that is out of order, which ends that sequence.
#[derive(Debug)]
pub struct Merge<I> {
    order: Order,
    sources: Vec<I>,
    /// The first page of each sequence that is not at its end.
    heads: BinaryHeap<Reverse<Head>>,
    faults: VecDeque<BookError>,
    is_begun: bool,
}

/// A page and the number of its sequence.
#[derive(Debug)]
struct Head {
    item: Item,
    source: usize,
}

impl Head {
    fn rank(&self) -> (Rank<'_>, usize) {
        (rank(&self.item), self.source)
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl<I: Iterator<Item = Result<Page, BookError>>> Merge<I> {
    /// Merges sequences that are sorted in this order.
    pub fn new(order: Order, sources: impl IntoIterator<Item = I>) -> Self {
        let sources = sources.into_iter().collect();
        Self { order, sources, heads: BinaryHeap::new(), faults: VecDeque::new(), is_begun: false }
    }

    /// Reads the next page of a sequence, which must not belong before `last`.
    fn refill(&mut self, source: usize, last: Option<&Item>) {
        while let Some(page) = self.sources.get_mut(source).and_then(Iterator::next) {
            match page {
                Ok(page) => {
                    let item = (self.order.bytes(&page), page);
                    if last.is_some_and(|last| rank(last) > rank(&item)) {
                        self.faults.push_back(BookError::file(Fault::Unsorted(item.1.position.to_string())));
                    } else {
                        self.heads.push(Reverse(Head { item, source }));
                    }
                    return;
                }
                Err(error) => self.faults.push_back(error),
            }
        }
    }
}

impl<I: Iterator<Item = Result<Page, BookError>>> Iterator for Merge<I> {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.is_begun {
            self.is_begun = true;
            (0..self.sources.len()).for_each(|source| self.refill(source, None));
        }
        if let Some(error) = self.faults.pop_front() {
            return Some(Err(error));
        }
        let Reverse(Head { item, source }) = self.heads.pop()?;
        self.refill(source, Some(&item));
        Some(Ok(item.1))
    }
}

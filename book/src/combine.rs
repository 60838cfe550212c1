//! Combining pages of one position.

use std::iter::Peekable;

use crate::error::BookError;
use crate::page::{Entry, Games, Page};

/// The rule for a move that several books have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Value and reply of the deepest search, of the first book among equals; the largest
    /// count.
    Deeper,
    /// The first book's entry.
    First,
    /// Like [`Deeper`](Self::Deeper), but with the sum of the counts.
    AddCounts,
}

/// The rule for a position with several plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plies {
    /// One page with the smallest ply, as YaneuraOu writes.
    Smallest,
    /// A page for each ply.
    Separate,
}

/// Combines neighbouring pages of one position in a sorted sequence, and repeated moves of
/// a page.
#[derive(Debug)]
pub struct Combined<I: Iterator<Item = Result<Page, BookError>>> {
    pages: Peekable<I>,
    choice: Choice,
    plies: Plies,
    /// Number of pages that were added to others so far.
    pub combined: u64,
}

impl<I: Iterator<Item = Result<Page, BookError>>> Combined<I> {
    /// Combines the pages of `pages`.
    pub fn new(pages: I, choice: Choice, plies: Plies) -> Self {
        Self { pages: pages.peekable(), choice, plies, combined: 0 }
    }
}

impl<I: Iterator<Item = Result<Page, BookError>>> Iterator for Combined<I> {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut page = match self.pages.next()? {
            Ok(page) => page,
            Err(error) => return Some(Err(error)),
        };
        let entries = Vec::with_capacity(page.entries.len());
        let entries = std::mem::replace(&mut page.entries, entries);
        add(&mut page.entries, entries, self.choice);
        let is_same = |page: &Page, other: &Result<Page, BookError>| {
            other.as_ref().is_ok_and(|other| {
                other.position == page.position && (self.plies == Plies::Smallest || other.ply == page.ply)
            })
        };
        while let Some(Ok(other)) = self.pages.next_if(|other| is_same(&page, other)) {
            self.combined += 1;
            absorb(&mut page, other, self.choice);
        }
        Some(Ok(page))
    }
}

/// Adds a page of the same position.
fn absorb(page: &mut Page, other: Page, choice: Choice) {
    // A known ply is smaller than an unknown one.
    page.ply = [page.ply, other.ply].into_iter().flatten().min();
    page.comment = joined(page.comment.take(), other.comment);
    page.games = match (page.games, other.games) {
        (Some(a), Some(b)) if choice == Choice::AddCounts => Some(Games {
            total: a.total.saturating_add(b.total),
            black_wins: a.black_wins.saturating_add(b.black_wins),
            white_wins: a.white_wins.saturating_add(b.white_wins),
        }),
        (a, b) => a.or(b),
    };
    for analysis in other.analyses {
        if !page.analyses.contains(&analysis) {
            page.analyses.push(analysis);
        }
    }
    add(&mut page.entries, other.entries, choice);
}

fn add(entries: &mut Vec<Entry>, others: Vec<Entry>, choice: Choice) {
    for entry in others {
        match entries.iter_mut().find(|known| known.mv == entry.mv) {
            Some(known) => *known = chosen(known.clone(), entry, choice),
            None => entries.push(entry),
        }
    }
}

fn chosen(known: Entry, other: Entry, choice: Choice) -> Entry {
    if choice == Choice::First {
        return known;
    }
    let count = match (known.count, other.count) {
        (Some(a), Some(b)) if choice == Choice::AddCounts => Some(a.saturating_add(b)),
        (a, b) => a.max(b),
    };
    let (better, worse) = if (other.value.is_some(), other.depth) > (known.value.is_some(), known.depth) {
        (other, known)
    } else {
        (known, other)
    };
    Entry {
        count,
        ponder: better.ponder.or(worse.ponder),
        comment: joined(better.comment, worse.comment),
        judgement: better.judgement.or(worse.judgement),
        ..better
    }
}

/// Both comments; equal ones once.
fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) if first != second => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PositionKey;

    fn page(ply: u32, entries: &[(&str, i32, u32, u64)]) -> Page {
        let (key, _) = PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 b").expect("an SFEN");
        let entry = |&(mv, value, depth, count): &(&str, i32, u32, u64)| Entry {
            value: Some(value),
            depth: Some(depth),
            count: Some(count),
            ..Entry::new(mv.parse().expect("a move"))
        };
        Page { ply: Some(ply), entries: entries.iter().map(entry).collect(), ..Page::new(key) }
    }

    fn combined(choice: Choice, plies: Plies) -> Vec<Page> {
        let pages = [
            page(3, &[("5i5h", 10, 5, 2), ("5i5h", -5, 4, 1)]),
            page(3, &[("5i5h", 20, 9, 3), ("5i4h", 1, 1, 1)]),
            page(7, &[("5i5h", 30, 9, 4)]),
        ];
        Combined::new(pages.into_iter().map(Ok), choice, plies).map(|page| page.expect("a page")).collect()
    }

    #[test]
    fn the_rule_decides_about_equal_moves() {
        let both = |value, depth, count| vec![page(3, &[("5i5h", value, depth, count), ("5i4h", 1, 1, 1)])];
        assert_eq!(combined(Choice::Deeper, Plies::Smallest), both(20, 9, 4));
        assert_eq!(combined(Choice::First, Plies::Smallest), both(10, 5, 2));
        assert_eq!(combined(Choice::AddCounts, Plies::Smallest), both(20, 9, 10));
        assert_eq!(
            combined(Choice::Deeper, Plies::Separate),
            [both(20, 9, 3), vec![page(7, &[("5i5h", 30, 9, 4)])]].concat()
        );
    }
}

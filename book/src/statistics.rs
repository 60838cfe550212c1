//! Numbers about a book.

use std::collections::BTreeMap;

use crate::page::Page;

/// Numbers about the pages of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Statistics {
    /// Positions.
    pub positions: u64,
    /// Positions with White to move.
    pub white_to_move: u64,
    /// Moves.
    pub moves: u64,
    /// Positions by their number of moves.
    #[serde(skip)]
    pub by_moves: BTreeMap<usize, u64>,
    /// Positions by ply; `None` for an unknown one.
    #[serde(skip)]
    pub by_ply: BTreeMap<Option<u32>, u64>,
    /// Moves with a reply.
    pub replies: u64,
    /// Moves with a value.
    pub values: u64,
    /// Moves with a depth.
    pub depths: u64,
    /// Largest depth.
    pub max_depth: Option<u32>,
    /// Moves with a count.
    pub counts: u64,
    /// Sum of the counts.
    #[serde(skip)]
    pub sum_of_counts: u128,
    /// Comments on positions and moves.
    pub comments: u64,
}

impl Statistics {
    /// Adds a page.
    pub fn add(&mut self, page: &Page) {
        self.positions += 1;
        self.white_to_move += u64::from(page.position.as_str().split(' ').nth(1) == Some("w"));
        self.moves += page.entries.len() as u64;
        *self.by_moves.entry(page.entries.len()).or_default() += 1;
        *self.by_ply.entry(page.ply).or_default() += 1;
        self.comments += u64::from(page.comment.is_some());
        for entry in &page.entries {
            self.replies += u64::from(entry.ponder.is_some());
            self.values += u64::from(entry.value.is_some());
            self.depths += u64::from(entry.depth.is_some());
            self.max_depth = self.max_depth.max(entry.depth);
            self.counts += u64::from(entry.count.is_some());
            self.sum_of_counts += u128::from(entry.count.unwrap_or(0));
            self.comments += u64::from(entry.comment.is_some());
        }
    }
}

//! A list of moves without allocation.

use std::ops::Deref;

use crate::moves::Move;
use crate::square::Square;

/// Capacity of a [`MoveList`].
///
/// A position with a normal set of pieces has at most 593 legal moves. Composed
/// positions may hold more pieces (see [`Hand`](crate::Hand)); their bound: a
/// bishop or rook has at most 16 destinations, each twice when promotion is
/// possible (32), a lance 11 moves, a knight 4, a silver 10, and every empty
/// square takes at most 7 drops. With at most 7 bishops, 7 rooks and 15 lances
/// the worst mix stays below 7·32 + 7·32 + 15·11 + 7·10 + 8 + 7·44 = 999.
pub const MAX_MOVES: usize = 1000;

/// Moves of one position, stored in place.
///
/// A new list initialises 2 kB, so hot loops keep one and [`clear`](Self::clear) it.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MAX_MOVES],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self { moves: [Move::board(Square::S11, Square::S12); MAX_MOVES], len: 0 }
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends a move; a full list is left unchanged.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        } else {
            debug_assert!(false, "more than {MAX_MOVES} moves");
        }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

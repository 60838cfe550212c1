//! Moves of a node that were searched without success, for the histories to lower.

use enbu_movegen::{Move, Position};

/// The moves of a node that were searched without success.
#[derive(Default)]
pub(crate) struct FailedMoves {
    pub(crate) quiets: FirstMoves<32>,
    pub(crate) captures: FirstMoves<16>,
}

impl FailedMoves {
    /// Adds `mv`, a move of `position`, unless it is the `best` so far.
    pub(crate) fn push(&mut self, mv: Move, position: &Position, best: Option<Move>) {
        if best != Some(mv) {
            match position.piece_at(mv.to()) {
                None => self.quiets.push(mv),
                Some(_) => self.captures.push(mv),
            }
        }
    }
}

/// The first `N` moves of some.
pub(crate) struct FirstMoves<const N: usize> {
    moves: [Option<Move>; N],
    count: usize,
}

impl<const N: usize> Default for FirstMoves<N> {
    fn default() -> Self {
        Self { moves: [None; N], count: 0 }
    }
}

impl<const N: usize> FirstMoves<N> {
    fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.count) {
            *slot = Some(mv);
            self.count += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().flatten().copied()
    }
}

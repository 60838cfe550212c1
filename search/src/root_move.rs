//! Root moves, and the vote of a thread.

use enbu_movegen::{Move, MoveList, Position};

use crate::report::Bound;
use crate::value::{MATE_BOUND, Value};

/// A legal move at the root, and its results so far.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Its value in the running iteration; `None` if it did not beat alpha.
    pub(crate) value: Option<Value>,
    /// Its value in the iteration before.
    pub(crate) previous: Option<Value>,
    /// The line found for it; empty before the first.
    pub(crate) pv: Vec<Move>,
    /// The iteration that found `pv`, and the bound of its value.
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    pub(crate) selective_depth: usize,
    /// Positions visited below it in this search.
    pub(crate) nodes: u64,
}

impl RootMove {
    /// A move before its first search.
    pub(crate) fn new(mv: Move) -> Self {
        Self {
            mv,
            value: None,
            previous: None,
            pv: Vec::new(),
            depth: 1,
            bound: Bound::Exact,
            selective_depth: 0,
            nodes: 0,
        }
    }

    /// The line found for it, at least the move.
    pub(crate) fn line(&self) -> &[Move] {
        if self.pv.is_empty() { std::slice::from_ref(&self.mv) } else { &self.pv }
    }

    /// Its newest value; `None` before the first.
    pub(crate) fn known_value(&self) -> Option<Value> {
        self.value.or(self.previous)
    }

    /// The value that a decision to resign may rest on: the newest, but in an iteration broken off
    /// while the move failed low no less than the one before.
    pub(crate) fn settled_value(&self) -> Option<Value> {
        match self.value {
            Some(value) if self.bound == Bound::Upper => self.previous.max(Some(value)),
            _ => self.known_value(),
        }
    }

    /// The legal moves among `wanted`, or all legal moves if there is none.
    pub(crate) fn all(position: &Position, wanted: &[Move]) -> Vec<Self> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let restricted = legal.iter().any(|mv| wanted.contains(mv));
        legal.into_iter().filter(|mv| !restricted || wanted.contains(mv)).map(Self::new).collect()
    }
}

/// Orders root moves after an iteration that was broken off: if its first move is proved mated, a move
/// that was not refuted replaces it. Its value is at most that of the best move in the iteration
/// before.
pub(crate) fn settle(root_moves: &mut [RootMove]) {
    let [first, others @ ..] = &mut *root_moves else { return };
    let is_mated = |value: Value| value <= -MATE_BOUND;
    if !first.value.is_some_and(is_mated) || first.previous.is_none_or(is_mated) {
        return;
    }
    if let Some(at) = others.iter().position(|other| other.value.is_none()) {
        (others[at].value, others[at].bound) = (first.previous, Bound::Upper);
        root_moves[..=at + 1].rotate_right(1);
    }
}

/// Vote of one thread for its best move.
#[derive(Clone)]
pub(crate) struct Vote {
    pub(crate) root_move: RootMove,
    pub(crate) value: Value,
    /// Iterations completed.
    pub(crate) depth: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::mated_at;

    fn root_move(mv: &str, value: Option<Value>, previous: Option<Value>, bound: Bound) -> RootMove {
        RootMove { value, previous, bound, ..RootMove::new(mv.parse().expect("a move")) }
    }

    #[test]
    fn a_move_proved_mated_in_a_broken_iteration_is_not_played_first() {
        let mut moves = [
            root_move("7g7f", Some(mated_at(6)), Some(-300), Bound::Upper),
            root_move("2g2f", None, None, Bound::Exact),
            root_move("5i5h", None, None, Bound::Exact),
        ];
        settle(&mut moves);
        assert_eq!(moves.each_ref().map(|known| known.mv.to_string()), ["2g2f", "7g7f", "5i5h"]);
        assert_eq!((moves[0].value, moves[0].bound), (Some(-300), Bound::Upper));
        // Lost before, too: the longest line stays.
        let mut lost = [
            root_move("7g7f", Some(mated_at(8)), Some(mated_at(8)), Bound::Exact),
            root_move("2g2f", None, None, Bound::Exact),
        ];
        settle(&mut lost);
        assert_eq!(lost[0].mv.to_string(), "7g7f");
    }

    #[test]
    fn nobody_resigns_on_a_bound() {
        let value = |value, previous, bound| root_move("7g7f", value, previous, bound).settled_value();
        assert_eq!(value(Some(-4000), Some(-900), Bound::Upper), Some(-900));
        assert_eq!(value(Some(-4000), Some(-900), Bound::Exact), Some(-4000));
        assert_eq!(value(None, Some(-900), Bound::Upper), Some(-900));
    }
}

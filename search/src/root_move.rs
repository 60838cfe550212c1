//! Root moves, and the one that a thread would play.

use enbu_movegen::{Move, MoveList, Position};

use crate::report::Bound;
use crate::value::{INFINITE, MATE_BOUND, Value};

/// A legal move at the root and what is known about it.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Its value in the running iteration; `-INFINITE` where it did not beat alpha.
    pub(crate) value: Value,
    /// Its value in the last iteration that gave it one.
    pub(crate) previous: Value,
    /// The line found for it; empty before the first.
    pub(crate) pv: Vec<Move>,
    /// The iteration that found `pv`, and how its value is bounded.
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    pub(crate) selective_depth: usize,
    /// Positions visited below it in this search.
    pub(crate) nodes: u64,
}

impl RootMove {
    /// A move of which nothing is known.
    pub(crate) fn new(mv: Move) -> Self {
        Self {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
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
        [self.value, self.previous].into_iter().find(|&value| value > -INFINITE)
    }

    /// What a decision to resign may rest on: the newest value, but where the iteration was
    /// broken off while the move failed low, no less than the value before.
    pub(crate) fn settled_value(&self) -> Option<Value> {
        let fails_low = self.value > -INFINITE && self.bound == Bound::Upper;
        if fails_low { Some(self.value.max(self.previous)) } else { self.known_value() }
    }

    /// The legal moves among `wanted`, or all legal moves if there is none.
    pub(crate) fn all(position: &Position, wanted: &[Move]) -> Vec<Self> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let restricted = legal.iter().any(|mv| wanted.contains(mv));
        legal.into_iter().filter(|mv| !restricted || wanted.contains(mv)).map(Self::new).collect()
    }
}

/// Orders root moves after an iteration that was broken off: where its first move is
/// proved mated, a move that was not refuted comes first. It is worth at most what the
/// iteration before found for the best move.
pub(crate) fn settle(root_moves: &mut [RootMove]) {
    let [first, others @ ..] = &mut *root_moves else { return };
    if first.value == -INFINITE || first.value > -MATE_BOUND || first.previous <= -MATE_BOUND {
        return;
    }
    if let Some(at) = others.iter().position(|other| other.value == -INFINITE) {
        others[at].value = first.previous;
        others[at].bound = Bound::Upper;
        root_moves[..=at + 1].rotate_right(1);
    }
}

/// Answer of one thread.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) root_move: RootMove,
    /// Its value.
    pub(crate) value: Value,
    /// Iterations completed.
    pub(crate) depth: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::mated_at;

    fn root_move(mv: &str, value: Value, previous: Value, bound: Bound) -> RootMove {
        RootMove { value, previous, bound, ..RootMove::new(mv.parse().expect("a move")) }
    }

    #[test]
    fn a_move_proved_mated_in_a_broken_iteration_is_not_played_first() {
        let mut moves = [
            root_move("7g7f", mated_at(6), -300, Bound::Upper),
            root_move("2g2f", -INFINITE, -INFINITE, Bound::Exact),
            root_move("5i5h", -INFINITE, -INFINITE, Bound::Exact),
        ];
        settle(&mut moves);
        assert_eq!(moves.each_ref().map(|known| known.mv.to_string()), ["2g2f", "7g7f", "5i5h"]);
        assert_eq!((moves[0].value, moves[0].bound), (-300, Bound::Upper));
        // Lost before, too: the longest line stays.
        let mut lost = [
            root_move("7g7f", mated_at(8), mated_at(8), Bound::Exact),
            root_move("2g2f", -INFINITE, -INFINITE, Bound::Exact),
        ];
        settle(&mut lost);
        assert_eq!(lost[0].mv.to_string(), "7g7f");
    }

    #[test]
    fn nobody_resigns_on_a_bound() {
        let value = |value, previous, bound| root_move("7g7f", value, previous, bound).settled_value();
        assert_eq!(value(-4000, -900, Bound::Upper), Some(-900));
        assert_eq!(value(-4000, -900, Bound::Exact), Some(-4000));
        assert_eq!(value(-INFINITE, -900, Bound::Upper), Some(-900));
    }
}

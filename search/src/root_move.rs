//! Root moves, and the one that a thread would play.

use enbu_movegen::{Move, MoveList, Position};

use crate::report::Bound;
use crate::value::{INFINITE, Value};

/// A legal move at the root and what is known about it.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Its value in the running iteration; `-INFINITE` where it did not beat alpha.
    pub(crate) value: Value,
    /// Its value in the last iteration that gave it one.
    pub(crate) previous: Value,
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
            pv: vec![mv],
            depth: 1,
            bound: Bound::Exact,
            selective_depth: 0,
            nodes: 0,
        }
    }

    /// Its newest value; `None` before the first.
    pub(crate) fn known_value(&self) -> Option<Value> {
        [self.value, self.previous].into_iter().find(|&value| value > -INFINITE)
    }

    /// The legal moves among `wanted`, or all legal moves if there is none.
    pub(crate) fn all(position: &Position, wanted: &[Move]) -> Vec<Self> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let restricted = legal.iter().any(|mv| wanted.contains(mv));
        legal.into_iter().filter(|mv| !restricted || wanted.contains(mv)).map(Self::new).collect()
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

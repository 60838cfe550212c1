//! A child of a node on the search stack: a move and the value of the position after it.

use enbu_movegen::{Hand, Move};

use crate::value::Value;

/// A move of a node of the present line.
pub(crate) struct Child {
    pub(crate) mv: Move,
    /// Key and hand of the question after the move.
    pub(crate) key: u64,
    pub(crate) hand: Hand,
    pub(crate) stage: Stage,
    /// The sibling that waits for this one, counted from the node's first child.
    pub(crate) next: Option<u16>,
    pub(crate) value: Value,
}

/// Whether a child counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has no value yet.
    New,
    /// It is not looked at before the sibling that it waits for has failed.
    Waits,
    /// It counts.
    Valued,
}

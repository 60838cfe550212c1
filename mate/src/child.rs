//! A child of a node on the search stack: a move and the value of the position after it.

use enbu_movegen::{Hand, Move};

use crate::value::Value;

/// A move of a node on the stack.
pub(crate) struct Child {
    pub(crate) mv: Move,
    /// Key and attacker's hand after the move.
    pub(crate) key: u64,
    pub(crate) hand: Hand,
    pub(crate) stage: Stage,
    /// Index (from the node's first child) of the sibling that waits for this one to fail.
    pub(crate) next: Option<u16>,
    /// Value of the position after the move.
    pub(crate) value: Value,
}

/// State of a child in the evaluation of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Without a value.
    New,
    /// Excluded until the sibling that it waits for has failed.
    Waits,
    /// Evaluated.
    Valued,
}

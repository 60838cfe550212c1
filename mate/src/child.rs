//! A child of a node on the search stack: a move, its role in the count of plies, and the
//! value of the position after it.

use enbu_movegen::{Hand, HandPiece, Move, Position, Square};

use crate::cycles::mix;
use crate::hands;
use crate::plies::{NEVER, Plies, after, before};
use crate::value::Value;

/// A move of a node on the stack.
pub(crate) struct Child {
    pub(crate) mv: Move,
    /// Key and attacker's hand after the move.
    pub(crate) key: u64,
    pub(crate) hand: Hand,
    pub(crate) step: Step,
    pub(crate) stage: Stage,
    /// Index (from the node's first child) of the sibling that waits for this one to fail.
    pub(crate) next: Option<u16>,
    /// Value of the position after the move.
    pub(crate) value: Value,
}

impl Child {
    /// The length, or the lower bound on it, of the node by this move.
    pub(crate) fn plies_before(&self) -> Plies {
        match self.step {
            Step::Mates(_) if self.value.is_no_mate() => NEVER,
            step => before(self.value.plies, step.plies()),
        }
    }

    /// The proof or disproof hand of the attacker's node by this move.
    pub(crate) fn hand_before(&self, position: &Position) -> Hand {
        match self.step.returned() {
            Some(_) => self.value.hand,
            None => hands::before_attack(position, self.mv, self.value.hand),
        }
    }
}

/// State of a child in the evaluation of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Without a value.
    New,
    /// Excluded until the sibling that it waits for has failed.
    Waits,
    Valued,
}

/// The moves that a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Every,
    /// All but useless interpositions and their captures.
    Conventional,
}

/// Role of a move in the count of plies, which `count` explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Counts,
    /// A drop of the defender that may be useless; the attacker's answer counts for both.
    Interposes,
    /// The attacker's answer to such a drop: counts two plies.
    Answers,
    /// The checker captures such a drop and hands the piece back: neither move counts.
    Returns(HandPiece),
    /// Another piece does so, and mates at once.
    Mates(HandPiece),
}

impl Step {
    /// Plies that the move counts.
    pub(crate) fn plies(self) -> Plies {
        match self {
            Self::Counts => 1,
            Self::Answers => 2,
            Self::Interposes | Self::Returns(_) | Self::Mates(_) => 0,
        }
    }

    /// The bound after the move.
    pub(crate) fn after(self, within: Plies) -> Plies {
        if matches!(self, Self::Mates(_)) { 0 } else { after(within, self.plies()) }
    }

    pub(crate) fn returned(self) -> Option<HandPiece> {
        match self {
            Self::Returns(piece) | Self::Mates(piece) => Some(piece),
            _ => None,
        }
    }
}

/// Part of the key after a drop of the defender on `square` that may be useless.
pub(crate) fn key_after_interposition(square: Square) -> u64 {
    mix(1 + square as u64)
}

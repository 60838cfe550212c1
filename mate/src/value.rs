//! What is known about a node while its parent is searched.

use enbu_movegen::Hand;

use crate::cycles::Reliance;
use crate::plies::{NEVER, Plies};
use crate::table::Numbers;

/// More than any open proof or disproof number.
pub(crate) const INFINITE: u32 = 1 << 30;

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The side that mates, and must check with every move.
    Attacker,
    /// The side that is mated, and is in check.
    Defender,
}

impl std::ops::Not for Role {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// What is known about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// Proof number: how much is left to prove a mate. 0: proven.
    pub(crate) pn: u32,
    /// Disproof number: how much is left to prove that there is none. 0: disproven.
    pub(crate) dn: u32,
    /// Proven: within so many plies. Disproven: in no fewer than so many.
    pub(crate) plies: Plies,
    /// Proof or disproof hand.
    pub(crate) hand: Hand,
    /// Disproven: on what that relies.
    pub(crate) reliance: Reliance,
    /// Open: the least depth at which it was seen before; `None` when it is new.
    pub(crate) seen_at: Option<u16>,
}

impl Value {
    /// A proven mate.
    pub(crate) fn mate(within: Plies, hand: Hand) -> Self {
        Self { pn: 0, dn: INFINITE, plies: within, hand, reliance: Reliance::NONE, seen_at: None }
    }

    /// A disproof.
    pub(crate) fn no_mate(below: Plies, hand: Hand, reliance: Reliance) -> Self {
        Self { pn: INFINITE, dn: 0, plies: below, hand, reliance, seen_at: None }
    }

    /// An open question that has not been searched.
    pub(crate) fn fresh(pn: u32, dn: u32) -> Self {
        Self { pn, dn, plies: NEVER, hand: Hand::EMPTY, reliance: Reliance::NONE, seen_at: None }
    }

    /// An open question that has been searched before.
    pub(crate) fn open(numbers: Numbers) -> Self {
        Self { seen_at: Some(numbers.depth), ..Self::fresh(numbers.pn, numbers.dn) }
    }

    /// Whether there is a mate.
    pub(crate) fn is_mate(self) -> bool {
        self.pn == 0
    }

    /// Whether there is none.
    pub(crate) fn is_no_mate(self) -> bool {
        self.dn == 0
    }

    /// How much is left until the move to this node succeeds for `mover`.
    pub(crate) fn to_succeed(self, mover: Role) -> u32 {
        match mover {
            Role::Attacker => self.pn,
            Role::Defender => self.dn,
        }
    }

    /// How much is left until the move to this node fails for `mover`.
    pub(crate) fn to_fail(self, mover: Role) -> u32 {
        match mover {
            Role::Attacker => self.dn,
            Role::Defender => self.pn,
        }
    }
}

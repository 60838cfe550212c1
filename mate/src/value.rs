//! Values of nodes: proof and disproof numbers, lengths, hands.

use enbu_movegen::Hand;

use crate::cycles::Reliance;
use crate::plies::{NEVER, Plies};

/// Larger than any proof or disproof number of an open node.
pub(crate) const INFINITE: u32 = 1 << 30;

/// Role of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The side that mates; each of its moves must give check.
    Attacker,
    /// The side that is mated; it is in check.
    Defender,
}

/// Value of a node: proven, disproven, or open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// Proof number; 0: proven.
    pub(crate) pn: u32,
    /// Disproof number; 0: disproven.
    pub(crate) dn: u32,
    /// Proven: upper bound on the length. Disproven: no mate in fewer plies than this.
    pub(crate) plies: Plies,
    /// Proof or disproof hand.
    pub(crate) hand: Hand,
    /// Disproven: the path positions on which the disproof relies.
    pub(crate) reliance: Reliance,
    /// Open: the least depth of an earlier visit; `None` for a new node.
    pub(crate) seen_at: Option<u16>,
}

impl Value {
    /// Value of a proven position: a mate within `within` plies.
    pub(crate) fn mate(within: Plies, hand: Hand) -> Self {
        Self { pn: 0, dn: INFINITE, plies: within, hand, reliance: Reliance::NONE, seen_at: None }
    }

    /// Value of a disproven position: no mate in fewer than `below` plies.
    pub(crate) fn no_mate(below: Plies, hand: Hand, reliance: Reliance) -> Self {
        Self { pn: INFINITE, dn: 0, plies: below, hand, reliance, seen_at: None }
    }

    /// An open node without an earlier visit.
    pub(crate) fn fresh(pn: u32, dn: u32) -> Self {
        Self { pn, dn, plies: NEVER, hand: Hand::EMPTY, reliance: Reliance::NONE, seen_at: None }
    }

    pub(crate) fn is_mate(self) -> bool {
        self.pn == 0
    }

    pub(crate) fn is_no_mate(self) -> bool {
        self.dn == 0
    }

    /// Returns true for a mate disproven on every path.
    pub(crate) fn is_refuted(self) -> bool {
        self.is_no_mate() && self.reliance.is_none()
    }

    /// Number left to prove that the move to this node succeeds for `mover`.
    pub(crate) fn to_succeed(self, mover: Role) -> u32 {
        match mover {
            Role::Attacker => self.pn,
            Role::Defender => self.dn,
        }
    }

    /// Number left to prove that the move to this node fails for `mover`.
    pub(crate) fn to_fail(self, mover: Role) -> u32 {
        match mover {
            Role::Attacker => self.dn,
            Role::Defender => self.pn,
        }
    }
}

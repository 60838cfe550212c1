//! Lengths of mates.
//!
//! A length counts the moves of both sides from a position to the mate: 0 for a
//! defender that is mated, 1 for a mate in one, and odd for every mate that the
//! attacker, to move, can give.

/// A number of plies, or one of the marks [`NEVER`] and [`ANY`].
pub(crate) type Plies = u16;

/// Mark: no mate in any number of plies.
pub(crate) const NEVER: Plies = u16::MAX;

/// Mark: no bound on the length; it does not shrink on the way down.
pub(crate) const ANY: Plies = u16::MAX - 1;

/// The longest distinguishable length; longer mates are clamped to it.
const LONGEST: Plies = u16::MAX - 2;

/// The bound after a move that counts `cost` plies.
pub(crate) fn after(within: Plies, cost: Plies) -> Plies {
    if within == ANY { ANY } else { within.saturating_sub(cost) }
}

/// A length, or a lower bound on it, for the position before a move that counts `cost`
/// plies.
pub(crate) fn before(plies: Plies, cost: Plies) -> Plies {
    if plies == NEVER { NEVER } else { plies.saturating_add(cost).min(LONGEST) }
}

/// The least possible length of a mate that does not exist within `within` plies.
pub(crate) fn beyond(within: Plies) -> Plies {
    within + 1
}

/// Precision of a mate's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Exact: there is no shorter mate against the best defence.
    Shortest,
    /// Upper bound: a shorter mate may exist.
    AtMost,
}

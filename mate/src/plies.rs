//! Lengths of mates.
//!
//! A length counts the moves of both sides from a position to the mate: 0 for a
//! defender that is mated, 1 for a mate in one, and odd for every mate that the
//! attacker, to move, can give.

/// A number of plies, or one of the two marks below.
pub(crate) type Plies = u16;

/// No number of plies.
pub(crate) const NEVER: Plies = u16::MAX;

/// As many plies as it takes: a bound that does not shrink on the way down.
pub(crate) const ANY: Plies = u16::MAX - 1;

/// The longest mate that is told apart from longer ones.
const LONGEST: Plies = u16::MAX - 2;

/// What is left of a bound after one move.
pub(crate) fn after_move(within: Plies) -> Plies {
    if within == ANY { ANY } else { within.saturating_sub(1) }
}

/// The length, or the bound below which there is no mate, with one move before it.
pub(crate) fn with_move(plies: Plies) -> Plies {
    if plies == NEVER { NEVER } else { plies.saturating_add(1).min(LONGEST) }
}

/// From a bound within which there is no mate to the least length it may have.
pub(crate) fn beyond(within: Plies) -> Plies {
    within + 1
}

/// How well the length of a mate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// There is no shorter mate against the best defence.
    Shortest,
    /// There may be a shorter one.
    AtMost,
}

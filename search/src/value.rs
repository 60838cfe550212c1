//! Values inside the search, and the scores that leave it.
//!
//! | value | meaning |
//! |---|---|
//! | 0 to ±20 000 | static evaluation, centipawns |
//! | ±(28 000 - n) | won or lost in n plies by a repetition, or by more pieces on a repeated board |
//! | ±(32 000 - n) | mate (or declaration) in n plies |
//! | ±32 001 | outside every window |

pub(crate) use enbu_eval::Value;

/// The deepest ply that is searched.
pub const MAX_PLY: usize = 128;

pub(crate) const MATE: Value = 32_000;
pub(crate) const INFINITE: Value = 32_001;
/// Values from here on are mates within the search's depth.
pub(crate) const MATE_BOUND: Value = MATE - 2 * MAX_PLY as Value;
/// The worth of a repetition that the rules or common sense decide, before its distance.
const REPETITION_WIN: Value = 28_000;
/// Values from here on are decided, by a repetition or a mate.
pub(crate) const DECIDED: Value = REPETITION_WIN - 2 * MAX_PLY as Value;

/// Returns true for a value that a search may compare with margins or blend with a
/// bound: neither a mate nor a decisive repetition.
#[inline]
pub(crate) const fn is_ordinary(value: Value) -> bool {
    value.abs() < DECIDED
}

/// Winning at `ply` by a repetition. Like a mate it counts its distance: the winner hurries, and
/// the loser delays.
#[inline]
pub(crate) const fn repetition_win_at(ply: usize) -> Value {
    REPETITION_WIN - ply as Value
}

#[inline]
pub(crate) const fn mated_at(ply: usize) -> Value {
    ply as Value - MATE
}

#[inline]
pub(crate) const fn mate_at(ply: usize) -> Value {
    MATE - ply as Value
}

/// A value counted from the root as one counted from a node `plies` below it, for storing: a decided
/// value is farther from zero by them. Negative plies lead back.
#[inline]
pub(crate) const fn counted_from(value: Value, plies: Value) -> Value {
    if is_ordinary(value) { value } else { value + value.signum() * plies }
}

/// Score of a position, for the side to move at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// The side to move mates in this many plies, at least 1.
    MateIn(u16),
    /// The side to move is mated in this many plies; 0: it has no legal move.
    MatedIn(u16),
}

impl Score {
    pub(crate) fn from_value(value: Value) -> Self {
        if value >= MATE_BOUND {
            Self::MateIn((MATE - value).max(1) as u16)
        } else if value <= -MATE_BOUND {
            Self::MatedIn((MATE + value).max(0) as u16)
        } else {
            Self::Cp(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_keep_their_distance_through_storage() {
        for ply in [0, 1, 7, MAX_PLY] {
            for value in [0, 500, -500, repetition_win_at(ply + 5), mate_at(ply + 3), mated_at(ply + 4)] {
                let plies = ply as Value;
                assert_eq!(counted_from(counted_from(value, plies), -plies), value);
            }
            assert_eq!(counted_from(mate_at(ply + 3), ply as Value), mate_at(3));
        }
        assert_eq!(Score::from_value(mate_at(5)), Score::MateIn(5));
        assert_eq!(Score::from_value(mated_at(0)), Score::MatedIn(0));
        assert_eq!(Score::from_value(-42), Score::Cp(-42));
    }
}

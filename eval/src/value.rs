//! Values of positions.

/// A value in centipawns (100: one pawn in hand), from the point of view of the
/// side to move; static values stay within ±[`MAX_VALUE`].
pub type Value = i32;

/// The bound of static evaluations; larger values mean mate.
pub const MAX_VALUE: Value = 20_000;

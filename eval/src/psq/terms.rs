//! The terms of the piece-square evaluation.

/// File distance 0 to 8, and rank distance -8 to 8 counted in the piece's
/// direction of play (positive: the king is ahead of the piece).
pub type Relative = [[i16; 17]; 9];

/// The numbers that an evaluation is the sum of, in centipawns; pieces in the order of
/// [`PieceType`] and [`HandPiece`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The bonus for having the move.
    pub tempo: i16,
    /// Each piece in hand.
    pub held: [i16; 7],
    /// Each piece on each rank, as its owner counts ranks (index 0: farthest).
    pub placed: [[i16; 9]; 14],
    /// Terms of each piece relative to its own king.
    pub guard: [Relative; 14],
    /// The same relative to the enemy king.
    pub threat: [Relative; 14],
}

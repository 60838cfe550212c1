//! The terms of the piece-square evaluation.

/// File distance 0 to 8, and rank distance -8 to 8 counted in the piece's
/// direction of play (positive: the king is ahead of the piece).
pub type Relative = [[i16; 17]; 9];

/// The terms of the evaluation in centipawns; pieces in the order of
/// [`PieceType`](enbu_movegen::PieceType) and [`HandPiece`](enbu_movegen::HandPiece).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The bonus of the side to move.
    pub tempo: i16,
    /// The term of each piece in hand.
    pub held: [i16; 7],
    /// The term of each piece on each rank from its owner's perspective (index 0: farthest).
    pub placed: [[i16; 9]; 14],
    /// Terms of each piece relative to its own king.
    pub guard: [Relative; 14],
    /// Terms of each piece relative to the enemy king.
    pub threat: [Relative; 14],
}

//! Evaluation of positions.
//!
//! | module | contents |
//! |---|---|
//! | [`piece_value`] | the one table of piece values |
//! | [`psq`] | piece-square evaluation, seen from both kings |
//! | [`nnue`] | neural networks: our own, and the `nn.bin` files of other programs |
//!
//! A [`Value`] is in centipawns and relative to the side to move. The
//! [`Evaluator`] keeps itself up to date through movegen's
//! [`Delta`](enbu_movegen::Delta).

mod evaluator;
pub mod nnue;
pub mod piece_value;
pub mod psq;

pub use evaluator::{Evaluation, Evaluator};

/// A value in centipawns (100: one pawn in hand), from the point of view of the
/// side to move; static values stay within ±[`MAX_VALUE`].
pub type Value = i32;

/// The bound of static evaluations; larger values mean mate.
pub const MAX_VALUE: Value = 20_000;

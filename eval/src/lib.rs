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
mod value;

pub use evaluator::{Evaluation, Evaluator};
pub use value::{MAX_VALUE, Value};

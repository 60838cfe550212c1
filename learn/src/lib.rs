//! Self-play data, and the trainer of the embedded network.
//!
//! ```text
//! selfplay ──► game ──► shard files ──► filter ──► samples ──► trainer ──► quantise ──► network file
//!                           ▲  │
//!      PackedSfenValue, hcpe, pack: the files of other programs
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`game`] | a game as it is learnt from: moves, scores, result |
//! | [`shard`] | our own files of games |
//! | [`packed`] | the packed positions and records of other programs |
//! | [`selfplay`] | games of our own search against itself |
//!
//! Nothing here prints, and nothing is written but the files that are asked for.

#![forbid(unsafe_code)]

pub mod game;
pub mod packed;
pub mod selfplay;
pub mod shard;

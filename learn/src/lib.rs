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
//! | [`source`] | reading positions from files of any format |
//! | [`export`] | writing them for other programs; shuffling and merging |
//! | [`statistics`] | what is in them |
//! | [`filter`] [`dataset`] | which positions are learnt from; these in memory |
//! | [`foresight`] | what the rest of a game says about a position |
//! | [`trainer`] | training of networks and of the piece-square tables |
//! | [`quantise`] | from trained numbers to those of the file |
//! | [`chart`] | the losses of a training as a picture |
//!
//! Nothing here prints, and nothing is written but the files that are asked for.

#![forbid(unsafe_code)]

mod architecture;
pub mod chart;
pub mod dataset;
pub mod export;
pub mod filter;
pub mod foresight;
pub mod game;
mod loops;
mod loss;
pub mod packed;
pub mod quantise;
pub mod selfplay;
pub mod shape;
pub mod shard;
pub mod source;
pub mod statistics;
pub mod trainer;

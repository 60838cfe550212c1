//! Self-play games, their file formats, and the trainer of networks.
//!
//! ```text
//! selfplay ──► games ──► files ──► filter ──► dataset ──► trainer ──► network file
//!                          ▲  │
//!      PackedSfenValue, hcpe, pack: the files of other programs
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`selfplay`] | games of the search against itself |
//! | `game` | a game with the scores of its search |
//! | `game_file` | Enbu's own files of games |
//! | `archive` | the same in less than half the space |
//! | `codec` | games in the bytes of both |
//! | `error` | the faults of files |
//! | `record`, `pack` | positions and games in the packed records of other programs |
//! | [`source`] | reading positions from files of any format |
//! | [`export`] | converting, shuffling and merging files |
//! | `statistics` | counts of games and positions |
//! | `filter`, `entry`, `diagram` | the positions to learn from, their memory layout, and their boards |
//! | `dataset`, `shards` | all of them, in parts of which two are in memory |
//! | `foresight` | labels from the rest of a game |
//! | `architecture`, `shape` | the trainable architectures, one file each, and their table |
//! | `loss` | the loss of a position |
//! | `trainer` | the training: gradient, AdamW, schedule, checkpoints, validation |
//! | `quantise` | parameters in the integers of a file |
//!
//! This crate prints nothing and writes only the files that a caller names.

#![forbid(unsafe_code)]

mod architecture;
mod archive;
mod codec;
mod dataset;
mod diagram;
mod entry;
mod error;
pub mod export;
mod filter;
mod foresight;
mod game;
mod game_file;
mod loss;
mod pack;
mod quantise;
mod record;
pub mod selfplay;
mod shape;
mod shards;
pub mod source;
mod statistics;
mod trainer;

pub use dataset::{Dataset, Positions, Selection};
pub use error::{CheckpointError, FileError, FileErrorKind, GameFileError, RecordError, ReplayError};
pub use filter::{Filter, Loud, Skipped};
pub use foresight::Foresight;
pub use game::{Ending, Game, GameResult, MATE_SCORE, ScoredMove};
pub use game_file::GameFile;
pub use pack::{decode_pack, encode_pack};
pub use quantise::QuantiseError;
pub use record::Record;
pub use shape::{KINDS, Kind, Shape, ShapeError};
pub use statistics::Statistics;
pub use trainer::{Difference, Plan, PlanError, Point, RoundingError, Trainer, Validation};

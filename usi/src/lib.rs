//! The USI protocol: the grammar of both directions.
//!
//! * [`token`]: lines, words, numbers, and quoting what was not understood;
//! * [`command`]: what a GUI (or a person at a console) may say;
//! * [`option`](mod@option): the options an engine declares, and checked values for them;
//! * [`reply`]: every line the engine may say.
//!
//! Nothing here searches, and nothing here knows what an option means.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod command;
pub mod option;
pub mod reply;
pub mod token;

pub use command::{Clock, Command, GameResult, GoRequest, MateLimit, Parsed, PositionCommand};
pub use option::{OptionError, OptionKind, OptionSpec, OptionValue};
pub use reply::{BestMove, Bound, Checkmate, Info, Reply, Score};

//! Shared parts of KIF, KI2 and BOD (kakinoki: the author of KIF): words, boards, headers, evaluations in
//! comments, the reader and the writer.

mod board;
pub(crate) mod handicap;
pub(crate) mod headers;
pub(crate) mod moves;
mod play;
mod read;
mod result;
pub(crate) mod score;
pub(crate) mod words;
mod write;

pub(crate) use board::lines as board_lines;
pub(crate) use headers::Sides;
pub use read::read;
pub(crate) use read::time_ms;
pub(crate) use write::{Notation, write_all};

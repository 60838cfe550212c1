//! Shared parts of KIF, KI2 and BOD (kakinoki: the author of KIF): words, boards, headers, the reader.

mod board;
pub(crate) mod handicap;
pub(crate) mod headers;
pub(crate) mod moves;
mod play;
mod read;
mod result;
mod text;
pub(crate) mod words;
mod write;

pub(crate) use board::lines as board_lines;
pub(crate) use headers::Sides;
pub(crate) use read::read;
pub(crate) use text::{Lines, columns};
pub(crate) use write::{Notation, write_all};

//! Opening books: reading, writing, probing.
//!
//! | module | contents |
//! |---|---|
//! | `key` | [`PositionKey`]: a position as text, without its ply |
//! | `page` | [`Page`] and [`Entry`]: a position of a book and its moves |
//! | `format` | [`Format`] |
//! | `error` | [`BookError`]: a fault in a file and its place |
//! | [`db`] | YaneuraOu's text format: reader, writer, search on disk |
//! | `book` | [`Book`]: a book opened for probing |
//! | [`choose`] | the choice of a move |
//! | [`gather`] | books from games |
//! | [`grow`] | books grown by search |
//!
//! No input causes a panic, and no number in a file decides the size of an allocation.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod book;
pub mod choose;
pub mod db;
mod error;
mod format;
pub mod gather;
pub mod grow;
mod key;
mod page;

pub use book::{Book, Faults, OpenOptions};
pub use error::{BookError, Fault, Place};
pub use format::{Format, UnknownFormat};
pub use key::PositionKey;
pub use page::{Analysis, Entry, Games, Judgement, Page, flip_move};

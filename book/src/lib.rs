//! Opening books: reading, writing, probing.
//!
//! | module | contents |
//! |---|---|
//! | `key` | [`PositionKey`]: a position as text, without its ply |
//! | `page` | [`Page`] and [`Entry`]: a position of a book and its moves; [`Preface`]: author and description |
//! | `format` | [`Format`] |
//! | `error`, `losses` | [`BookError`]: a fault in a file and its place; [`Losses`]: fields that a format cannot hold |
//! | [`db`] | YaneuraOu's text format: reader, writer, search on disk |
//! | [`ybb`] | YaneuraOu's binary format |
//! | `apery` | Apery's `book.bin` |
//! | [`sbk`] | ShogiGUI's format |
//! | `pages` | [`Pages`] and [`write()`]: one interface to all readers and writers; [`detect`] |
//! | `book` | [`Book`]: a book opened for probing |
//! | [`choose`] | the choice of a move |
//! | [`gather`] | books from games |
//! | [`grow`] | books grown by search |
//! | `order`, `sort`, `merge`, `spool` | [`Order`] of a format; [`Sorter`]: sorting in bounded memory, with temporary files; [`merge()`] |
//! | `combine`, `prune` | [`Combined`]: one page a position; [`Filter`]: fewer moves |
//! | `verify`, `statistics` | [`Verifier`]: faults against the rules; [`Statistics`] |
//! | `disk` | reading a file at any offset |
//!
//! No input causes a panic, and no number in a file decides the size of an allocation.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod apery;
mod book;
pub mod choose;
mod combine;
pub mod db;
mod disk;
mod error;
mod format;
pub mod gather;
pub mod grow;
mod key;
mod losses;
mod merge;
mod order;
mod page;
mod pages;
mod prune;
pub mod sbk;
mod sort;
mod spool;
mod statistics;
mod verify;
pub mod ybb;

pub use book::{Book, Faults, OpenOptions};
pub use combine::{Choice, Combined, Plies};
pub use error::{BookError, Fault, Place};
pub use format::{Format, UnknownFormat};
pub use key::PositionKey;
pub use losses::Losses;
pub use merge::merge;
pub use order::{Order, Ranked};
pub use page::{Analysis, Entry, Games, Judgement, Page, Preface, flip_move};
pub use pages::{Pages, Search, Written, detect, write};
pub use prune::Filter;
pub use sort::Sorter;
pub use spool::Spooled;
pub use statistics::Statistics;
pub use verify::{Finding, Verifier};

//! Game records: one model for every format, readers and writers for each.
//!
//! ```
//! use enbu_kifu::{Format, Mode, WriteOptions, read_any};
//!
//! // Format and encoding are found by the content.
//! let (format, reading) = read_any("▲７六歩 △３四歩\nまで2手で後手の勝ち\n".as_bytes(), Mode::Tolerant)?;
//! assert_eq!(format, Format::Ki2);
//! let csa = Format::Csa.write(&reading.records, WriteOptions::default());
//! assert!(csa.ends_with("+7776FU\n-3334FU\n%TORYO\n"));
//! # Ok::<(), enbu_kifu::KifuError>(())
//! ```
//!
//! A [`Record`] is a tree of events; a [`Board`] follows it, fouls included:
//!
//! ```
//! use enbu_kifu::{Board, Record, ki2};
//! use enbu_movegen::Setup;
//!
//! let mut record = Record::new(Setup::startpos());
//! let mut board = Board::new(record.setup());
//! let mut at = record.root();
//! for mv in ["7g7f", "3c3d"] {
//!     let event = board.play(mv.parse()?)?;
//!     at = record.add(at, event);
//! }
//! assert_eq!(ki2::move_text(&board, "8h2b+".parse()?, None), "▲２二角成");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `record` | [`Record`]: start position, headers, rules, and the tree of moves |
//! | `header` | [`HeaderKey`], [`Headers`] |
//! | `end` | [`EndKind`], [`End`], [`GameResult`]: ends of games |
//! | `board` | [`Board`]: replaying records, fouls included |
//! | `line_writer` | the writer of the formats with one line after the other: KIF, KI2, PSN |
//! | `terms` | words of the formats for ends, results, headers and rules |
//! | `error` | [`KifuError`]: a fault in a file and its place; [`Mode`] |
//! | [`names`] | [`Names`]: openings, castles and tactics by rules |
//! | `loss` | [`Loss`]: content that a format cannot hold; [`Written`] |
//! | [`encoding`] | bytes to text and back |
//! | [`csa`] | the CSA format |
//! | [`western`] | moves as books in English have them |
//! | [`kif`], [`ki2`], [`bod`] | the KIF family: games with origins, games as in books, boards; evaluations in comments: [`ScoreStyle`] |
//! | [`jkf`] | records as JSON |
//! | [`pgn`] | PGN, as programs for chess variants write it; PSN and PSN2 |
//! | `usen` | USEN; positions and games in addresses of web pages |
//! | [`usi`], [`fen`] | lines of SFEN and USI; FEN as programs for chess variants write it |
//! | [`svg`], [`markup`] | diagrams as pictures; text in pages and pictures |
//! | `format` | [`Format`]: detection by content, and one interface to all readers and writers |
//!
//! Reading never panics, takes time linear in the input, and keeps all that can be
//! kept: see [`Mode`] and [`Reading`]. Written records are read back without
//! a warning.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod board;
pub mod bod;
mod charset;
pub mod csa;
pub mod encoding;
mod end;
mod error;
pub mod fen;
mod format;
mod header;
pub mod jkf;
mod kakinoki;
pub mod ki2;
pub mod kif;
mod line_writer;
mod lines;
mod loss;
pub mod markup;
pub mod names;
pub mod pgn;
mod reading;
mod record;
pub mod svg;
mod terms;
mod track;
pub(crate) mod usen;
pub mod usi;
pub mod western;

pub use board::Board;
pub use charset::Encoding;
pub use end::{End, EndKind, GameResult};
pub use error::{KifuError, Mode, Problem, Problems};
pub use format::{Format, UnknownFormat, WriteOptions, read_any};
pub use header::{HeaderKey, Headers};
pub use kakinoki::handicap::handicap_name;
pub use kakinoki::score::ScoreStyle;
pub use loss::{Loss, Part, Written};
pub use names::Names;
pub use reading::Reading;
pub use record::{Analysis, Event, Node, NodeId, Record, Remarks, Rules, TimeControl, TotalTimes};

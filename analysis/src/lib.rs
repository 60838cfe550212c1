//! Judgements of the moves of a game: a record in, a report out.
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//!
//! use enbu_analysis::{Analyst, Limit, Settings, analyse, problems};
//! use enbu_eval::Evaluation;
//! use enbu_kifu::{Mode, kif};
//!
//! let game = kif::read("1 ７六歩(77)\n2 ３四歩(33)\n3 ３三角成(88)\n", Mode::Tolerant)?;
//! let settings = Settings { limit: Limit::Nodes(100), hash_mb: 1, ..Settings::default() };
//! let mut analyst = Analyst::new(&settings, &Evaluation::default(), "Enbu", Arc::default())?;
//! let report = analyse(&game.records[0], &mut analyst, &AtomicBool::new(false), &mut || {})?;
//! assert!(report.moves[2].loss > Some(0.2) && problems(&report).len() < 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! kifu::Record ─► analyse ─► GameReport ─► JSON
//!                   │             ├──────► annotate: the record with scores and comments
//!       search, mate solver       ├──────► html: pages; text: a summary
//!                                 └──────► problems: next-move problems
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `settings` | [`Settings`]: limits, lines, thresholds |
//! | `analyst` | [`Analyst`]: the judgement of one position by search and mate solver |
//! | `judged` | the judgement of a position as data |
//! | `cache` | [`OpeningCache`]: opening positions that are searched once for all games |
//! | `game` | [`analyse`]: the lines of a record, and the judgement of the moves |
//! | `curve` `class` | [`Curve`]: win probability of a score; [`Class`], [`Thresholds`] |
//! | `phases` `summary` | opening, middlegame, endgame; accuracy, agreement, the deciding move |
//! | `report` | [`GameReport`]: the result as plain data and JSON |
//! | [`html`] `text` | pages for browsers; [`summary`], a few lines for a terminal |
//! | `nodes` | the nodes of a record that a report is about |
//! | `fact` `reason` | [`Reason`]: the fact that makes a move a mistake, in one sentence |
//! | `annotate` `problems` | judgements in records; next-move problems |
//!
//! Nothing here prints or writes files. With one thread and a limit of nodes or depth, a
//! report depends on the record, the settings and the evaluation alone.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod analyst;
mod annotate;
mod cache;
mod class;
mod curve;
mod fact;
mod game;
pub mod html;
mod judged;
mod nodes;
mod phases;
mod problems;
mod reason;
mod report;
mod settings;
mod summary;
mod text;

pub use analyst::{Analyst, AnalystError};
pub use annotate::{Annotation, Earlier, annotate};
pub use cache::OpeningCache;
pub use class::{Class, ParseThresholdsError, Thresholds};
pub use curve::Curve;
pub use fact::{Fact, Reason};
pub use game::{GameError, analyse};
pub use problems::{Problem, collection, problems};
pub use reason::explain;
pub use report::{BestLine, GameReport, MoveReport, PositionReport, Score, Side, SideReport, Source, VariationReport};
pub use settings::{Limit, Order, Scope, Settings};
pub use text::summary;

#[cfg(test)]
mod tests;

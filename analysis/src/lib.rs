//! Judgements of the moves of a game: a record in, a report out.
//!
//! ```text
//! kifu::Record ─► analyse ─► GameReport ─► JSON
//!                   │             ├──────► annotate: the record with scores and comments
//!       search, mate solver       ├──────► html: pages
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
//! | [`html`] | pages for browsers |
//! | `nodes` | the nodes of a record that a report is about |
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
mod game;
pub mod html;
mod judged;
mod nodes;
mod phases;
mod problems;
pub mod report;
mod settings;
mod summary;

pub use analyst::{Analyst, AnalystError};
pub use annotate::{Annotation, Earlier, Language, annotate};
pub use cache::OpeningCache;
pub use class::{Class, ParseThresholdsError, Thresholds};
pub use curve::Curve;
pub use game::{GameError, analyse};
pub use problems::problems;
pub use report::GameReport;
pub use settings::{Limit, Order, Scope, Settings};

#[cfg(test)]
mod tests;

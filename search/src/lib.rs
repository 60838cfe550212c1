//! Alpha-beta search for shogi.
//!
//! A [`Search`] is an engine object: [`start`](Search::start) hands it a position and limits and returns
//! at once; a [`Listener`] receives reports and, exactly once, the answer. Nothing here prints, and a
//! constructed search cannot fail.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Instant;
//!
//! use enbu_movegen::Position;
//! use enbu_search::{BestMove, Limits, Listener, Options, Report, Search};
//!
//! struct Printer;
//!
//! impl Listener for Printer {
//!     fn report(&self, report: &Report) {
//!         println!("depth {}: {:?}", report.depth, report.score);
//!     }
//!     fn notice(&self, text: &str) {
//!         println!("{text}");
//!     }
//!     fn finished(&self, best: &BestMove) {
//!         println!("{best:?}");
//!     }
//! }
//!
//! let mut engine = Search::new()?;
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! engine.start(&Position::startpos(), limits, Options::default(), Instant::now(), Arc::new(Printer));
//! engine.wait();
//! let (best, _) = engine.best().expect("a search has run");
//! assert!(matches!(best, BestMove::Play { .. }));
//! # Ok::<(), enbu_search::ThreadError>(())
//! ```
//!
//! [`Solo`] runs such searches in the caller's thread.
//!
//! # Map
//! | module | content |
//! |---|---|
//! | `search` | the façade: start, stop, ponderhit, wait |
//! | `solo` | the same search in the caller's thread |
//! | `shared` | one search, and the state shared by its threads |
//! | `memory` `worker` | the memory of a thread; its state during a search |
//! | `root` `root_move` `vote` | iterative deepening, aspiration windows, MultiPV; the vote of the threads |
//! | `tree` `qsearch` `node` | inner nodes, quiescence; the data of a node |
//! | `prune` `late` | nodes and late moves that are not searched |
//! | `reduce` `extend` | depths of nodes and moves |
//! | `picker` `quiets` `scored` `history` `see` `threat` | the order of moves |
//! | `keys` | keys of groups of pieces, for histories and corrections |
//! | `update` | updates of histories and corrections |
//! | `correction` | errors of evaluations, learned during a search |
//! | `hanging` | errors by hanging pieces |
//! | `chase` | evaluation of a lonely king |
//! | `tt` | the transposition table |
//! | `value` | values, mate distances, scores |
//! | `limits` `clock` | limits and options; time management |
//! | `level` | playing below full strength |
//! | `report` | reports and answers |
//! | `params` | every tuned constant |

mod chase;
mod clock;
mod correction;
mod extend;
mod hanging;
mod history;
mod keys;
mod late;
mod level;
mod limits;
mod memory;
mod node;
mod pages;
mod params;
mod picker;
mod prune;
mod qsearch;
mod quiets;
mod reduce;
mod report;
mod root;
mod root_move;
mod scored;
mod search;
mod see;
mod shared;
mod solo;
mod threat;
mod tree;
mod tt;
mod update;
mod value;
mod vote;
mod worker;

pub use clock::last_moment;
pub use enbu_isa::Instant;
pub use level::Level;
pub use limits::{Clock, Limits, Lines, Moves, Options, Rounding, Timing};
pub use pages::system_mb;
#[cfg(feature = "tune")]
pub use params::{PARAMETERS, Parameter};
pub use report::{BestMove, Bound, LineEnd, Listener, Progress, Report};
pub use search::{HashError, Search, ThreadError};
pub use solo::{Found, Solo};
pub use value::{MAX_PLY, Score};

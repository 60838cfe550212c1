//! Alpha-beta search for shogi.
//!
//! A [`Search`] is an engine object: `start` hands it a position and limits and
//! returns at once; a [`Listener`] hears reports and, exactly once, the result.
//! Nothing here prints, and a constructed search cannot fail.
//!
//! | module | content |
//! |---|---|
//! | `search` | the façade: start, stop, ponderhit, wait |
//! | `solo` | the same search in the caller's thread |
//! | `shared` | state shared by the threads of one search |
//! | `job` `memory` `worker` | a search to do; the memory of a thread; its state while it searches |
//! | `root` `root_move` `vote` | iterative deepening, aspiration windows, MultiPV; which thread's move |
//! | `node` `qsearch` | the tree |
//! | `prune` `late` | nodes and late moves that are not searched |
//! | `reduce` `extend` | depths of nodes and moves |
//! | `picker` `quiets` `scored` `history` `see` `threat` | which move first |
//! | `keys` | keys of groups of pieces, for histories and corrections |
//! | `update` | updates of histories and corrections |
//! | `correction` | by how much evaluations were wrong |
//! | `hanging` | by how much pieces that hang make them wrong |
//! | `chase` | evaluation of a lonely king |
//! | `tt` | the transposition table |
//! | `value` | values, mate distances, scores |
//! | `limits` `clock` | when to stop |
//! | `level` | playing below full strength |
//! | `report` | reports and answers |
//! | `params` | every constant of the search |

mod chase;
mod clock;
mod correction;
mod extend;
mod hanging;
mod history;
mod job;
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
mod tt;
mod update;
mod value;
mod vote;
mod worker;

pub use clock::last_moment;
pub use level::Level;
pub use limits::{Clock, Limits, Lines, Moves, Options, Rounding, Timing};
#[cfg(feature = "tune")]
pub use params::{PARAMETERS, Parameter, parameter, set_parameter};
pub use report::{BestMove, Bound, LineEnd, Listener, Progress, Report};
pub use search::{HashError, Search, ThreadError};
pub use solo::{Found, Solo};
pub use pages::system_mb;
pub use value::{MAX_PLY, Score};

//! Matches between USI engines that can be believed.
//!
//! ```text
//! Settings ──► Contest ── Worker (a thread) ── game: two Players ── usi::client ── processes
//!                 │            ▲                  │
//!                 │        schedule            referee, clocks, adjudication
//!                 ▼
//!          News::Game(GameRecord) ──► results (JSON lines) · report (tables) · chart (SVG) · CSA
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | `engine_spec` `time_control` | engines and clocks, as a person writes them |
//! | [`openings`] | where games begin: files, and openings made by a search |
//! | `schedule` | who plays whom on which opening; shards |
//! | `referee` `adjudication` | what ends a game |
//! | `player` `game` | an engine in a match; one game |
//! | `contest` | the match: settings, threads |
//! | `stall` | telling slow engines from slow machines |
//! | `record` [`results`] | a game as it is saved; files of them |
//! | `sprt` [`report`] [`chart`] | what the games say |
//! | [`spsa`] | tuning parameters of an engine by games |
//!
//! Nothing here prints, and nothing is written but the files that are asked for.

#![forbid(unsafe_code)]

mod adjudication;
pub mod chart;
mod contest;
mod engine_spec;
mod game;
pub mod openings;
mod player;
mod record;
mod referee;
pub mod report;
pub mod results;
mod schedule;
mod sprt;
pub mod spsa;
mod stall;
mod time_control;

pub use adjudication::{Adjudication, DrawAdjudication, WinAdjudication};
pub use contest::{Contest, ContestError, News, Processes, Settings, identify};
pub use engine_spec::{EngineSpec, Ponder, SpecError};
pub use openings::{Opening, OpeningError, OpeningsError};
pub use player::{Patience, PlayerError, TrafficLog};
pub use record::{Fault, Faults, GameRecord, LoggedMove, Points, ReplayError, Side};
pub use referee::{Ending, MatedSide, Reason, Referee, Rules};
pub use schedule::{Format, OpeningOrder, Pair, Schedule, Shard, ShardError};
pub use sprt::{Decision, EloModel, Estimate, MIN_PAIRS, Pentanomial, Sprt, SprtError, elo_of_score, score_of_elo};
pub use stall::StallMeter;
pub use time_control::{GameClock, IncrementUse, TimeControl, TimeControlError, go_request};

//! The CSA server protocol 1.2.1, and the client that plays by it.
//!
//! ```text
//! server ── socket ── line ──► protocol ── Event ──► client ── Request ──► engine
//!    ▲                            │                    │  ▲                   │
//!    └── socket ◄── line ◄────────┘◄── play, resign ───┘  └──── Answer ◄──────┘
//!                                                      └──► journal, records, GameReport
//! ```
//!
//! * [`summary`]: the offer of a game, with every key of the protocol;
//! * [`protocol`]: lines in, lines out; it knows no socket and no clock but the arrival
//!   times it receives, and refuses every line that the state does not permit.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod protocol;
pub mod summary;

pub use protocol::{Event, Protocol, State};
pub use summary::{Summary, TimeRules};

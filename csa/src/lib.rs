//! The CSA server protocol 1.2.1, and the client that plays by it.
//!
//! ```text
//! server ── socket ── line ──► protocol ── Event ──► client ── Request ──► player
//!    ▲                            │                    │  ▲                   │
//!    └── socket ◄── line ◄────────┘◄── play, resign ───┘  └──── Answer ◄──────┘
//!                                                      └──► journal, record, GameReport
//! ```
//!
//! * [`summary`]: the offer of a game, with every key of the protocol;
//! * [`protocol`]: lines in, lines out; it knows no socket and no clock but the arrival
//!   times it receives, and refuses every line that the state does not permit;
//! * [`player`]: engines in this process or another one, and the order of their searches;
//! * [`client`]: sessions on a server, from the login to the record of each game.
//!
//! Nothing here prints: the caller's [`Listener`] receives reports, in
//! which passwords are masked.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod client;
pub mod player;
pub mod protocol;
mod record;
mod secret;
mod socket;
pub mod summary;
mod timing;

pub use client::{Client, ClientError, GameReport, Halt, Limits, Listener, Settings, Tally};
pub use protocol::{Event, Protocol, State};
pub use record::{Kif, RecordFiles, recover};
pub use secret::{Secret, SecretError};
pub use summary::{Summary, TimeRules};
pub use timing::Backoff;

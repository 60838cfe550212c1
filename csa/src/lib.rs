//! The CSA server protocol 1.2.1, and the client that plays by it.
//!
//! ```
//! use std::time::Instant;
//!
//! use enbu_csa::{Event, Protocol};
//! let mut protocol = Protocol::new("enbu");
//! assert_eq!(protocol.login("floodgate-300-10F,trip")?, "LOGIN enbu floodgate-300-10F,trip");
//! assert_eq!(protocol.receive("LOGIN:enbu OK", Instant::now()), Event::LoggedIn);
//! for line in "BEGIN Game_Summary|Game_ID:g1|Your_Turn:+|BEGIN Position|PI|+|END Position".split('|') {
//!     assert_eq!(protocol.receive(line, Instant::now()), Event::Partial);
//! }
//! assert!(matches!(protocol.receive("END Game_Summary", Instant::now()), Event::Offered(_)));
//! assert_eq!(protocol.agree()?, "AGREE g1");
//! assert_eq!(protocol.receive("START:g1", Instant::now()), Event::Started);
//! assert_eq!(protocol.play("7g7f".parse()?, None)?, "+7776FU");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! server ── socket ── line ──► protocol ── Event ──► client ── Request ──► player
//!    ▲                            │                    │  ▲                   │
//!    └── socket ◄── line ◄────────┘◄── play, resign ───┘  └──── Answer ◄──────┘
//!                                                      └──► journal, record, GameReport
//! ```
//!
//! * `summary`: the offer of a game, with every key of the protocol;
//! * `protocol`: lines in, lines out; it knows no socket and no clock but the arrival
//!   times it receives, and refuses every line that the state does not permit;
//! * `player`: an engine, and the order of its searches;
//! * `client`: sessions on a server, from the login to the record of each game.
//!
//! Nothing here prints: the caller's [`Listener`] receives reports, in
//! which passwords are masked.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod client;
mod player;
mod protocol;
mod record;
mod secret;
mod socket;
mod summary;
mod timing;

pub use client::{
    Client, ClientError, DEFAULT_PORT, Direction, GameReport, Halt, LEAST_KEEPALIVE, Limits, Listener, Settings, Tally,
};
pub use player::{Notice, Player, PlayerError, Pondering, Process, Waker};
pub use protocol::{Event, Protocol, WrongState};
pub use record::RecordFiles;
pub use secret::{Secret, SecretError};
pub use summary::{Summary, SummaryError};
pub use timing::Backoff;

//! The USI protocol: the grammar of both directions, and the session that
//! speaks it on behalf of an [`Engine`].
//!
//! ```text
//! bytes ── token ── Command ──► session ──► Engine (a trait; the binary implements it)
//!                                  │ ▲
//!      bytes ◄── Reply ◄───────────┘ └── Event (reports of a search)
//! ```
//!
//! * [`token`]: lines, words, numbers, and quoting malformed input;
//! * [`command`]: the input lines from a GUI (or a console user);
//! * [`option`](mod@option): the options an engine declares, and checked values for them;
//! * [`reply`]: every line the engine may say;
//! * [`session`]: the loop that ties them together and owns the order of things:
//!   every `go` is answered exactly once, nothing is said before it may be, and no
//!   input ends the session except `quit` and the end of input;
//! * [`client`]: the other side of it all, driving another engine's process;
//! * [`lines`]: streams cut into lines;
//! * [`readout`]: positions and reports in CSA notation.
//!
//! Nothing here searches, and nothing here knows the meaning of an option.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod client;
pub mod command;
pub mod lines;
pub mod option;
pub mod readout;
pub mod reply;
pub mod session;
pub mod token;

pub use command::{Clock, Command, GameResult, GoRequest, MateLimit, Parsed, PositionCommand};
pub use option::{OptionError, OptionKind, OptionSpec, OptionValue};
pub use reply::{BestMove, Bound, Checkmate, Info, LineEnd, Reply, Score};
pub use session::{CsaSettings, Engine, Event, EventSender, Exit, Identity, Outcome, Rules, run};

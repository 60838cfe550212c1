//! The USI protocol: the grammar of both directions, the session that speaks it on behalf of an
//! [`Engine`], and the client that drives another engine.
//!
//! ```
//! use enbu_usi::{BestMove, Command, GoRequest, Reply, client::parse_reply};
//! let parsed = Command::parse("go depth 5 nodes many");
//! assert_eq!(parsed.command, Some(Command::Go(GoRequest { depth: Some(5), ..GoRequest::default() })));
//! assert_eq!(parsed.problems[0].to_string(), "go nodes: `many` is not a whole number");
//! let reply = Reply::BestMove(BestMove::Play { best: "7g7f".parse()?, ponder: None });
//! assert_eq!(parse_reply(&reply.to_string()).reply, Some(reply));
//! # Ok::<(), enbu_movegen::ParseMoveError>(())
//! ```
//!
//! ```text
//! bytes ── token ── Command ──► session ──► Engine (a trait; the binary implements it)
//!                                  │ ▲
//!      bytes ◄── Reply ◄───────────┘ └── Event (reports of a search)
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`token`] | words, numbers, quotes of malformed input |
//! | `command` | input lines of a GUI or a console user: [`Command`] |
//! | `option` | options that an engine declares, and checked values: [`OptionSpec`] |
//! | `reply` | every line of the engine: [`Reply`] |
//! | `session` | the loop between them: [`run`]. Every `go` is answered exactly once, at a time that the protocol permits, and only `quit` and the end of input end it |
//! | [`client`] | another engine's process |
//! | `lines` | streams cut into lines: [`Splitter`] |
//!
//! Nothing here searches, and nothing here knows the meaning of an option.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod client;
mod command;
mod lines;
mod option;
mod readout;
mod reply;
mod session;
pub mod token;

pub use command::{Clock, Command, CommandError, GameResult, GoRequest, MateLimit, Parsed, PositionCommand};
pub use lines::Splitter;
pub use option::{ENTERING_KING_RULES, OptionError, OptionKind, OptionSpec, OptionValue};
pub use reply::{BestMove, Bound, Checkmate, Info, LineEnd, Reply, Score};
pub use session::{
    CsaSettings, Engine, Event, EventSender, Exit, Game, GameError, Identity, Outcome, Rules, display, legal_moves,
    run, side,
};

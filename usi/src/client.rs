//! Driving another USI engine: the client side of the protocol.
//!
//! ```text
//! Launch ─► Driver ── usi, setoption, isready, position, go ──► Process (pipes, reader thread, limits)
//!             ▲                                                     │
//!             └───────── heard: parser of its lines ◄──────────┘
//! ```
//!
//! A [`Driver`] owns one engine process. Every wait has a deadline. It checks options against
//! those declared, keeps the last report of a search, and counts unexpected lines as [`Noise`].
//! The legality of moves is up to the caller.
//!
//! An engine cannot harm the caller: lines over 64 KiB are lost, at most
//! 4096 lines and 4 MiB are kept unread, one that does not read is
//! silent, and dropping the driver ends the process and those that it started.

mod driver;
mod family;
mod heard;
mod launch;
mod process;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use driver::{Answer, Driver, EngineIdentity, LastReport, Noise, Wiretap};
pub use heard::{Heard, ReplyError, parse_reply};
pub use launch::{Launch, LaunchError};

use enbu_language::{Both, messages};

use crate::option::OptionError;

/// Cancellation flag: ends the waits of every client with a clone, from any thread.
///
/// ```
/// use enbu_usi::client::Cancel;
/// let cancel = Cancel::default();
/// let copy = cancel.clone();
/// copy.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends all waits, present and future.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` once [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

messages! {
/// Error in the conversation with an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ClientError {
    Start(program: String, reason: Both) => "`{program}` cannot be started: {reason}", "`{program}` を起動できません：{reason}";
    Died(how: Both) => "{how}", "{how}";
    Silent(line: &'static str, limit: Duration) => "no {line} within {} s", "{} 秒以内に {line} がありません", seconds(limit);
    Deaf(limit: Duration) => "no reading of its input within {} s", "{} 秒以内に入力を読みません", seconds(limit);
    Cancelled => "cancelled", "中断しました";
    Reported(error: String) => "{error}", "{error}";
    UnknownOption(name: String, known: String) =>
        "has no option named `{name}`; it has {known}", "`{name}` というオプションはありません（あるのは {known}）";
    OptionValue(#[from] error: OptionError) => "{error}", "{error}";
}}

/// Seconds, to the millisecond.
fn seconds(limit: &Duration) -> f64 {
    (limit.as_secs_f64() * 1000.0).round() / 1000.0
}

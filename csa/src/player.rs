//! Engines that play: their interface, and the order of thinking, pondering and stopping above it.

mod process;

use std::sync::Arc;
use std::time::{Duration, Instant};

use enbu_language::{Both, messages, text};
use enbu_movegen::{Move, Position, Setup};
use enbu_usi::client::{Answer, ClientError};
use enbu_usi::{Clock, GameResult, GoRequest, OptionError, OptionSpec};

pub(crate) use process::shortened;
pub use process::{Notice, Process};

messages! {
/// Fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum PlayerError {
    Died(how: Both) => "the engine {how}", "エンジン：{how}";
    Silent(how: Both) => "the engine: {how}", "エンジン：{how}";
    Option(#[from] error: OptionError) => "{error}", "{error}";
}}

impl From<ClientError> for PlayerError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Silent(..) | ClientError::Deaf(_) => Self::Silent(Both::of(error)),
            ClientError::OptionValue(error) => error.into(),
            error => Self::Died(Both::of(error)),
        }
    }
}

/// Callback that wakes the client, from any thread.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// A search to be made.
#[derive(Clone, Debug)]
pub struct Request {
    /// Start position of the game.
    pub setup: Setup,
    /// Moves since.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
    /// Clocks.
    pub clock: Clock,
    /// Start of the clock.
    pub started: Instant,
}

impl Request {
    /// Time for a move without a clock; shorter in tests.
    const WITHOUT_CLOCK_MS: u64 = if cfg!(test) { 1_000 } else { 10_000 };

    pub(crate) const WITHOUT_CLOCK: Duration = Duration::from_millis(Self::WITHOUT_CLOCK_MS);

    fn go(&self, ponder: bool) -> GoRequest {
        let movetime_ms = self.clock.is_empty().then_some(Self::WITHOUT_CLOCK_MS);
        GoRequest { ponder, clock: self.clock, movetime_ms, ..GoRequest::default() }
    }
}

/// An engine. The caller observes the order of USI: one search at a time, `ponderhit` and
/// `stop` only during a search, `prepare` and `game_over` only between searches. Every method
/// fails when the engine has ended.
pub trait Player {
    /// The declared options.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError>;

    /// Value of an option, as far as it is known.
    fn option_text(&self, name: &str) -> Option<String>;

    /// Makes the engine ready for a new game. May take long.
    fn prepare(&mut self) -> Result<(), PlayerError>;

    /// Starts the engine again if it has ended.
    fn revive(&mut self) -> Result<(), PlayerError>;

    /// Starts a search.
    fn go(&mut self, request: &Request, ponder: Pondering) -> Result<(), PlayerError>;

    /// Notifies the engine that the move it ponders on was played.
    fn ponder_hit(&mut self, clock: &Clock, at: Instant) -> Result<(), PlayerError>;

    /// Asks the search to end.
    fn stop(&mut self) -> Result<(), PlayerError>;

    /// Takes the answer if it has arrived.
    fn poll(&mut self) -> Result<Option<Answer>, PlayerError>;

    /// Notifies the engine of the end of the game.
    fn game_over(&mut self, result: GameResult);
}

/// The time on which a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pondering {
    /// The engine's own.
    No,
    /// The opponent's.
    Yes,
}

#[derive(Debug)]
enum Stage {
    Idle,
    Thinking,
    /// On the expected reply. An early answer is kept.
    Pondering {
        expected: Move,
        answer: Option<Answer>,
    },
    /// The answer to `stop` is awaited; then the next search begins.
    Stopping {
        next: Option<Box<Request>>,
    },
}

/// An engine with the order of its searches.
pub(crate) struct Thinker {
    player: Box<dyn Player>,
    stage: Stage,
    /// An answer that is due at once: that of a ponder search that had ended.
    due: Option<Answer>,
    /// It did not answer `stop`, and must be started again.
    is_silent: bool,
}

/// Limit for the answer to `stop`; shorter in tests.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });

impl Thinker {
    pub(crate) const fn new(player: Box<dyn Player>) -> Self {
        Self { player, stage: Stage::Idle, due: None, is_silent: false }
    }

    pub(crate) fn player(&mut self) -> &mut dyn Player {
        &mut *self.player
    }

    /// Thinks about the position of `request`, whose last move has just been played. A
    /// search that ponders on it is continued.
    pub(crate) fn think(&mut self, request: Request) -> Result<(), PlayerError> {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Pondering { expected, answer } if request.moves.last() == Some(&expected) => match answer {
                Some(answer) => {
                    self.due = Some(answer);
                    Ok(())
                }
                None => {
                    self.stage = Stage::Thinking;
                    self.player.ponder_hit(&request.clock, request.started)
                }
            },
            Stage::Idle | Stage::Pondering { answer: Some(_), .. } => self.begin(&request),
            Stage::Thinking | Stage::Pondering { answer: None, .. } => {
                self.stage = Stage::Stopping { next: Some(Box::new(request)) };
                self.player.stop()
            }
            Stage::Stopping { .. } => {
                self.stage = Stage::Stopping { next: Some(Box::new(request)) };
                Ok(())
            }
        }
    }

    fn begin(&mut self, request: &Request) -> Result<(), PlayerError> {
        self.stage = Stage::Thinking;
        self.player.go(request, Pondering::No)
    }

    /// Ponders on the position of `request`, whose last move is expected.
    pub(crate) fn ponder(&mut self, request: &Request) -> Result<(), PlayerError> {
        let (Stage::Idle, Some(&expected)) = (&self.stage, request.moves.last()) else { return Ok(()) };
        self.stage = Stage::Pondering { expected, answer: None };
        self.player.go(request, Pondering::Yes)
    }

    /// Asks a search on the own time to answer now.
    pub(crate) fn hurry(&mut self) -> Result<(), PlayerError> {
        if matches!(self.stage, Stage::Thinking) { self.player.stop() } else { Ok(()) }
    }

    /// Ends any search; its answer is dropped.
    pub(crate) fn abandon(&mut self) -> Result<(), PlayerError> {
        self.due = None;
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Thinking | Stage::Pondering { answer: None, .. } => {
                self.stage = Stage::Stopping { next: None };
                self.player.stop()
            }
            Stage::Stopping { .. } => {
                self.stage = Stage::Stopping { next: None };
                Ok(())
            }
            Stage::Idle | Stage::Pondering { answer: Some(_), .. } => Ok(()),
        }
    }

    /// Takes the answer to a search on the own time, if it is due.
    pub(crate) fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        if let Some(answer) = self.due.take() {
            return Ok(Some(answer));
        }
        let Some(answer) = self.player.poll()? else { return Ok(None) };
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Thinking => return Ok(Some(answer)),
            Stage::Pondering { expected, .. } => self.stage = Stage::Pondering { expected, answer: Some(answer) },
            Stage::Stopping { next: Some(next) } => self.begin(&next)?,
            Stage::Stopping { next: None } | Stage::Idle => {}
        }
        Ok(None)
    }

    /// Ends any search and takes its answer, up to `limit` or until `is_halted`.
    pub(crate) fn settle(&mut self, limit: Duration, mut is_halted: impl FnMut() -> bool) -> Result<(), PlayerError> {
        let seconds = limit.as_secs();
        let late =
            text!("no bestmove within {seconds} s after stop", "stop から {seconds} 秒以内に bestmove がありません");
        let silent = || PlayerError::Silent(Both::of(&late));
        if self.is_silent {
            return Err(silent());
        }
        self.abandon()?;
        let deadline = Instant::now() + limit;
        while !matches!(self.stage, Stage::Idle) {
            self.poll()?;
            if Instant::now() > deadline || is_halted() {
                self.is_silent = true;
                return Err(silent());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Makes the engine ready for the next game, after a fault by a new start.
    pub(crate) fn prepare(&mut self) -> Result<(), PlayerError> {
        if self.settle(STOP_LIMIT, || false).and_then(|()| self.player.prepare()).is_ok() {
            return Ok(());
        }
        self.stage = Stage::Idle;
        self.is_silent = false;
        self.player.revive()?;
        self.player.prepare()
    }
}

#[cfg(test)]
mod tests;

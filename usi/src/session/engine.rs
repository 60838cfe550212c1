//! The interface between the session and an engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use enbu_kifu::csa::FileVersion;
use enbu_movegen::{Color, EnteringKingRule, Position};

use crate::command::{Clock, GoRequest};
use crate::option::{OptionError, OptionSpec};
use crate::reply::{BestMove, Checkmate, Info};

/// An engine as the session sees it.
///
/// The session calls one method at a time. [`prepare`](Self::prepare),
/// [`new_game`](Self::new_game) and [`evaluate`](Self::evaluate) may take long: they
/// run on a thread of their own while the session keeps listening. All others must
/// return at once. `prepare`, `new_game`, `evaluate`, `set_option` and `go` are called
/// only after the last search has sent its outcome, or was stopped and did not send it in
/// time. `stop` and `ponderhit` may cross with that outcome: they then mean nothing, and
/// must not touch the next search. A method that panics is reported and does not end the
/// session.
pub trait Engine: Send + 'static {
    /// Name and author.
    fn identity(&self) -> Identity;

    /// The options, in the order in which they are declared to the GUI.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option; `value` is `None` when the command had no `value`.
    ///
    /// Slow changes (memory, files) are left to [`prepare`](Self::prepare).
    /// An option keeps its old value where it refuses the new one.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError>;

    /// The present value of an option as `setoption` would give it; `None` for an
    /// unknown name.
    fn option_text(&self, name: &str) -> Option<String>;

    /// Does everything slow that the next search needs: memory, networks, books.
    ///
    /// Called for every `isready`, and before a `go` when options changed or no
    /// `isready` preceded it; cheap when nothing is to be done. Once `cancel` is set the
    /// engine returns as soon as it can. Each `notice` becomes an `info string`.
    fn prepare(&mut self, cancel: &AtomicBool, notice: &mut dyn FnMut(&str));

    /// Forgets the last game: called for every `isready` and `usinewgame`; cheap when
    /// nothing is to be forgotten.
    fn new_game(&mut self);

    /// Starts a search and returns.
    ///
    /// `started`, the arrival of the command, starts the clock. The search
    /// reports through `events` and ends with exactly one [`Outcome`], even before `ponderhit`
    /// or `stop` if the search has nothing left to do:
    /// the session holds it back while the protocol forbids it. Moves in the outcome are legal in
    /// `position`. `searchmoves` holds legal moves only.
    fn go(&mut self, position: &Position, request: &GoRequest, started: Instant, events: EventSender);

    /// Deadline of the answer to a search for `turn` with a clock that runs from `started`;
    /// `None` without one.
    ///
    /// Later than any instant at which the search ends by itself: the session answers in its
    /// place only when its threads were not scheduled, or hang.
    fn deadline(&self, turn: Color, clock: &Clock, started: Instant) -> Option<Instant> {
        let _ = (turn, clock, started);
        None
    }

    /// Best answer of the running search so far, and its line with the present counters; `None`:
    /// the session takes the best move reported so far.
    fn best_so_far(&self) -> Option<(BestMove, Info)> {
        None
    }

    /// Asks the running search to end; its outcome follows soon.
    fn stop(&mut self);

    /// Notifies the running search that the move it ponders on was played at time `at`.
    /// `clock` replaces the clock of its `go` when there is one.
    fn ponderhit(&mut self, clock: Option<&Clock>, at: Instant);

    /// The static evaluation in words, last a line `value V`.
    fn evaluate(&mut self, position: &Position) -> Vec<String>;

    /// The rules that end games, as the options have them.
    fn rules(&self) -> Rules;

    /// Settings of the CSA readouts, as the options have them.
    fn csa(&self) -> CsaSettings;

    /// File for the log of everything received and sent, as the options have it; `None`
    /// for no log.
    fn traffic_log(&self) -> Option<PathBuf> {
        None
    }
}

/// Name and author of the engine. In ASCII unless a user chose otherwise: some clients
/// read nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name and version.
    pub name: String,
    /// Author.
    pub author: String,
}

/// Rules that differ between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rules {
    /// The rule for declaring a win by entering king.
    pub entering_king: EnteringKingRule,
    /// Plies after which a game is drawn; 0 for never.
    pub max_moves: u32,
}

/// Settings of the readouts in CSA notation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CsaSettings {
    /// Each search ends with score, line and nodes as an `info string '** `.
    pub readout: bool,
    /// The folder for records of finished games; `None` for no records.
    pub log_dir: Option<PathBuf>,
    /// Version of the records.
    pub version: FileVersion,
    /// Name of the opponent, if the client or the user gave it.
    pub opponent: Option<String>,
}

/// Message from a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A report on its progress.
    Info(Info),
    /// Text for the user, sent as `info string`.
    Notice(String),
    /// It has ended. Later events are ignored.
    Done(Outcome),
}

/// Final result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With a move to play.
    BestMove(BestMove),
    /// With the answer to a mate search.
    Checkmate(Checkmate),
    /// Without any answer, because something broke. The session answers with the
    /// best move reported so far, or the first legal one.
    Lost,
}

/// Sender for the [`Event`]s of one search. Clones belong to the same search.
///
/// Only the first [`Outcome`] counts, and nothing after it is delivered. When the
/// last clone is dropped without one, [`Outcome::Lost`] is sent: a search whose threads
/// died is still answered.
///
/// ```
/// use enbu_usi::{BestMove, Event, EventSender, Outcome};
/// let (sender, receiver) = crossbeam_channel::unbounded();
/// let events = EventSender::new(move |event| sender.send(event).unwrap());
/// events.done(Outcome::BestMove(BestMove::Resign));
/// events.notice("too late");
/// drop(events);
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [Event::Done(Outcome::BestMove(BestMove::Resign))]);
/// ```
#[derive(Clone)]
pub struct EventSender(Arc<Line>);

struct Line {
    finished: AtomicBool,
    deliver: Box<dyn Fn(Event) + Send + Sync>,
}

impl EventSender {
    /// A sender that hands each event to `deliver`.
    pub fn new(deliver: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Line { finished: AtomicBool::new(false), deliver: Box::new(deliver) }))
    }

    /// Sends an event.
    pub fn send(&self, event: Event) {
        match event {
            Event::Done(outcome) => self.0.finish(outcome),
            event if !self.0.finished.load(Ordering::Acquire) => (self.0.deliver)(event),
            _ => {}
        }
    }

    /// Sends a report on the progress of the search.
    pub fn info(&self, info: Info) {
        self.send(Event::Info(info));
    }

    /// Sends a human-readable message.
    pub fn notice(&self, text: impl Into<String>) {
        self.send(Event::Notice(text.into()));
    }

    /// Ends the search.
    pub fn done(&self, outcome: Outcome) {
        self.send(Event::Done(outcome));
    }
}

impl Line {
    fn finish(&self, outcome: Outcome) {
        if !self.finished.swap(true, Ordering::AcqRel) {
            (self.deliver)(Event::Done(outcome));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.finish(Outcome::Lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    #[test]
    fn only_the_first_outcome_counts() {
        let (sender, receiver) = unbounded();
        let events = EventSender::new(move |event| sender.send(event).unwrap());
        let other = events.clone();
        events.notice("a");
        other.done(Outcome::Checkmate(Checkmate::NoMate));
        events.done(Outcome::BestMove(BestMove::Win));
        events.info(Info::default());
        drop((events, other));
        assert_eq!(
            receiver.iter().collect::<Vec<_>>(),
            [Event::Notice("a".into()), Event::Done(Outcome::Checkmate(Checkmate::NoMate))]
        );
    }

    #[test]
    fn a_search_that_goes_without_an_outcome_is_lost() {
        let (sender, receiver) = unbounded();
        let events = EventSender::new(move |event| sender.send(event).unwrap());
        let clone = events.clone();
        drop(events);
        assert!(receiver.is_empty());
        drop(clone);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [Event::Done(Outcome::Lost)]);
    }
}

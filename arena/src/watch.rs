//! Games in progress, for spectators.
//!
//! The threads that play write them, another one reads them. Without spectators nothing is
//! kept, and a game makes no call but to an empty [`Seat`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use enbu_movegen::{Color, Move};
use enbu_usi::client::LastReport;
use parking_lot::Mutex;

use crate::openings::Opening;
use crate::record::{LoggedMove, score_text};

/// Those who watch a match; by default none.
#[derive(Clone, Debug, Default)]
pub struct Spectators {
    /// Least time of a move. The rest of it passes between two moves, while no clock runs.
    pub pace: Duration,
    /// The games in progress by their numbers, where they are watched.
    pub games: Option<Arc<Mutex<BTreeMap<usize, LiveGame>>>>,
}

/// A game in progress. Pairs are of Black and White.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// The names of the engines.
    pub names: [String; 2],
    /// Its opening.
    pub opening: Opening,
    /// All moves, those of the opening included.
    pub moves: Vec<Move>,
    /// The answers of the engines, from the first move after the opening.
    pub log: Vec<LoggedMove>,
    /// Main time and byoyomi left before the last `go`, in milliseconds; `None` without a clock.
    pub left_ms: [Option<[u64; 2]>; 2],
    /// The last lines of the engines.
    pub lines: [LiveLine; 2],
    /// Start of the clock that runs; `None` between two moves.
    pub since: Option<SystemTime>,
}

/// The last report of an engine.
#[derive(Clone, Debug, Default)]
pub struct LiveLine {
    /// The report.
    pub report: LastReport,
    /// Number of moves before its search.
    pub at: usize,
}

impl LiveLine {
    /// The score, as in results.
    pub fn score(&self) -> Option<String> {
        self.report.score.map(score_text)
    }
}

impl LiveGame {
    pub(crate) fn new(names: [String; 2], opening: &Opening) -> Self {
        Self {
            names,
            opening: opening.clone(),
            moves: opening.moves().to_vec(),
            log: Vec::new(),
            left_ms: [None; 2],
            lines: Default::default(),
            since: None,
        }
    }

    /// Starts the clock of the side to move.
    pub(crate) fn start(&mut self, left_ms: [Option<[u64; 2]>; 2]) {
        (self.since, self.left_ms) = (Some(SystemTime::now()), left_ms);
    }

    pub(crate) fn report(&mut self, turn: Color, report: &LastReport) {
        self.lines[turn].report.clone_from(report);
        self.lines[turn].at = self.moves.len();
    }

    /// Stops the clock.
    pub(crate) fn stop(&mut self, answer: LoggedMove) {
        self.since = None;
        self.log.push(answer);
    }
}

/// The place of a game among those in progress, which ends with it; empty without spectators.
pub(crate) struct Seat<'m>(Option<(&'m Mutex<BTreeMap<usize, LiveGame>>, usize)>);

impl Spectators {
    pub(crate) fn seat(&self, number: usize, game: impl FnOnce() -> LiveGame) -> Seat<'_> {
        Seat(self.games.as_deref().map(|games| {
            games.lock().insert(number, game());
            (games, number)
        }))
    }
}

impl Seat<'_> {
    pub(crate) fn show(&self, change: impl FnOnce(&mut LiveGame)) {
        if let Some((games, number)) = self.0
            && let Some(game) = games.lock().get_mut(&number)
        {
            change(game);
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if let Some((games, number)) = self.0 {
            games.lock().remove(&number);
        }
    }
}

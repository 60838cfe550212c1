//! The game log: the session keeps the game it follows and writes it as a CSA record.

mod file;
mod game;

use std::time::Instant;

use enbu_kifu::Analysis;
use enbu_movegen::Setup;

use crate::command::{Clock, GameResult};
use crate::reply::{BestMove, Reply};
use crate::session::engine::{CsaSettings, Engine};
use crate::session::search::Search;
use crate::session::{Session, now};

use game::{Entry, GameEnd, GameLog, Label};

/// The game that the session follows, and the state of its record.
pub(super) struct Log {
    game: GameLog,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The engine has not moved since the log was begun or written.
    Clean,
    Played,
    /// The game is over; the next one begins a new log.
    Over,
}

impl Log {
    /// An empty log of a game from `setup`.
    pub(super) fn new(setup: Setup) -> Self {
        Self { game: GameLog::new(setup), state: State::Clean }
    }

    /// Adds the engine's answer to `search`, which the GUI is about to play.
    pub(super) fn add_answer(&mut self, search: &Search, reply: &Reply) {
        match reply {
            Reply::BestMove(BestMove::Play { best, .. }) => {
                let info = search.last_info.as_ref().filter(|info| info.pv.first() == Some(best));
                let analysis = info.and_then(|info| {
                    let score_cp = Some(info.score?.for_black(search.position.turn()));
                    let pv = info.pv.get(1..).unwrap_or_default().to_vec();
                    Some(Analysis { score_cp, pv, nodes: info.nodes, ..Analysis::default() })
                });
                let elapsed = Some(search.clock_start.elapsed());
                self.game.own_move(Entry { mv: *best, elapsed, analysis, stopped: search.stopped });
            }
            Reply::BestMove(BestMove::Resign) => self.game.end(GameEnd::Resign),
            Reply::BestMove(BestMove::Win) => self.game.end(GameEnd::Declaration),
            _ => return,
        }
        self.state = State::Played;
    }
}

impl<E: Engine> Session<E> {
    /// Begins a new log of the current game.
    pub(super) fn begin_log(&mut self) {
        self.log = Log::new(self.game.setup.clone());
    }

    /// Begins a new log if the logged game is over.
    pub(super) fn begin_log_after_end(&mut self) {
        if self.log.state == State::Over {
            self.begin_log();
        }
    }

    /// Brings the log up to the current position. Not called for `go ponder`: the
    /// position to ponder on is reached only with `ponderhit`.
    pub(super) fn follow_game(&mut self) {
        self.begin_log_after_end();
        if self.log.state == State::Clean {
            self.label_log();
        }
        self.log.game.follow(&self.game.setup, &self.game.moves);
    }

    /// Brings the log up to the position of a `go` of the engine, and takes its clocks.
    pub(super) fn follow_go(&mut self, clock: &Clock) {
        self.follow_game();
        self.log.game.note_go(clock, now());
    }

    /// Begins the log of a game that begins now.
    pub(super) fn start_log(&mut self) {
        self.begin_log();
        self.log.game.start(now());
    }

    /// Sets the headers of the log from the options as they are now.
    fn label_log(&mut self) {
        let rules = self.call_engine("rules", |engine| engine.rules()).unwrap_or_default();
        let identity = self.call_engine("identity", |engine| engine.identity());
        self.log.game.label = Label {
            opponent: self.csa_settings().opponent,
            engine: identity.map(|identity| identity.name),
            entering_king: Some(rules.entering_king),
            max_moves: (rules.max_moves > 0).then_some(rules.max_moves),
        };
    }

    /// Answers `csa`: the record of the current game.
    pub(super) fn show_record(&mut self) {
        if self.search.is_none() && self.log.state != State::Over {
            self.follow_game();
        }
        let version = self.csa_settings().version;
        self.log.game.to_csa(version).lines().for_each(|line| self.send(Reply::Console(line.to_owned())));
    }

    /// Ends the logged game and writes it; `at` is the arrival of the `gameover`.
    pub(super) fn game_over(&mut self, result: Option<GameResult>, at: Instant) {
        self.log.game.over(result, at, now());
        self.write_log();
        self.log.state = State::Over;
    }

    /// Writes the record if the engine played in the game and a folder is set.
    pub(super) fn write_log(&mut self) {
        if self.log.state != State::Played || !self.log.game.has_own_part() {
            return;
        }
        self.log.state = State::Clean;
        let CsaSettings { log_dir, version, .. } = self.csa_settings();
        let Some(dir) = log_dir else { return };
        if let Err(error) = file::write_new(&dir, now(), &self.log.game.to_csa(version)) {
            self.send(Reply::Error(format!("game log: {}: {error}", dir.display())));
        }
    }

    /// The settings for CSA, as the options have them now.
    pub(super) fn csa_settings(&self) -> CsaSettings {
        self.call_engine("csa", |engine| engine.csa()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

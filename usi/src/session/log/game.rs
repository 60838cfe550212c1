//! The game so far, with the engine's own times and evaluations, and the record made from it.

use std::time::{Duration, Instant};

use enbu_kifu::csa::FileVersion;
use enbu_kifu::{Analysis, End, EndKind, Event, HeaderKey, NodeId, Record, TimeControl, csa};
use enbu_movegen::{Color, EnteringKingRule, Move, Position, Ruling, Setup};

use jiff::civil::DateTime;

use crate::command::{Clock, GameResult};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameEnd {
    /// The side to move resigned.
    Resign,
    /// The side to move declared a win by entering king.
    Declaration,
    /// `gameover`, with the result for the engine but no reason: a mate, a repetition, the limit of
    /// moves, the resignation of a loser who is to move, or else a game that was broken off.
    Over(Option<GameResult>),
}

/// A game from the session's point of view.
#[derive(Clone, Debug)]
pub(super) struct GameLog {
    pub(super) label: Label,
    started: Option<DateTime>,
    ended: Option<DateTime>,
    /// The clocks of both sides at the start, as far as they are known.
    clocks: [Option<TimeControl>; 2],
    setup: Setup,
    moves: Vec<Entry>,
    /// The engine's last move, until the GUI confirms it by sending it back.
    own: Option<Entry>,
    end: Option<GameEnd>,
}

/// Headers of the record.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    /// Name of the engine, for the side that it plays.
    pub(super) engine: Option<String>,
    pub(super) opponent: Option<String>,
    pub(super) entering_king: Option<EnteringKingRule>,
    /// Number of moves after which the game is drawn.
    pub(super) max_moves: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) mv: Move,
    /// Time that the engine used for it; `None` for a move of the opponent.
    pub(super) elapsed: Option<Duration>,
    /// The engine's evaluation, with the line from the reply on.
    pub(super) analysis: Option<Analysis>,
    /// Arrival of the `stop` that a move of the engine answers.
    pub(super) stopped: Option<Instant>,
}

/// Time within which a `stop` and a `gameover` belong together: a player does not
/// see a move and resign that soon after hurrying the engine.
const TOGETHER: Duration = Duration::from_secs(1);

impl GameLog {
    pub(super) fn new(setup: Setup) -> Self {
        let (started, ended, clocks) = (None, None, [None; 2]);
        Self { label: Label::default(), started, ended, clocks, setup, moves: Vec::new(), own: None, end: None }
    }

    /// Sets the time at which the game began, if it is not known yet.
    pub(super) fn start(&mut self, now: DateTime) {
        self.started.get_or_insert(now);
    }

    /// Takes start time and clocks from a `go` of the engine's first move. Later in a
    /// game they are not known any more.
    pub(super) fn note_go(&mut self, clock: &Clock, now: DateTime) {
        if self.moves.len() > 1 {
            return;
        }
        self.start(now);
        if self.clocks == [None; 2] && *clock != Clock::default() {
            self.clocks = self.full_clocks(clock);
        }
    }

    /// The clocks of the game from the first `clock` that the engine is given. The side
    /// to move has used nothing; neither has the other side, unless it has moved and its
    /// time differs.
    fn full_clocks(&self, clock: &Clock) -> [Option<TimeControl>; 2] {
        let is_first = self.moves.is_empty();
        let turn = if is_first { self.setup.turn } else { !self.setup.turn };
        let control = |main: Option<u64>, increment: Option<u64>| TimeControl {
            main_ms: main.unwrap_or(0),
            byoyomi_ms: clock.byoyomi_ms.unwrap_or(0),
            increment_ms: increment.unwrap_or(0),
        };
        let black = control(clock.black_ms, clock.black_increment_ms);
        let white = control(clock.white_ms, clock.white_increment_ms);
        let both = is_first || black.main_ms == white.main_ms;
        [(Color::Black, black), (Color::White, white)].map(|(side, time)| (both || side == turn).then_some(time))
    }

    /// Follows the game to the position after `moves` from `setup`.
    ///
    /// A continuation, or another one after moves were taken back, keeps times and
    /// analyses of the moves it shares with the known game. Another start is
    /// another game. The log is open again as soon as the moves differ.
    pub(super) fn follow(&mut self, setup: &Setup, moves: &[Move]) {
        if self.setup != *setup {
            let label = std::mem::take(&mut self.label);
            // A start position that was set after `usinewgame` belongs to the same game.
            let started = self.started.filter(|_| self.moves.is_empty());
            *self = Self { label, started, ..Self::new(setup.clone()) };
        }
        let known = self.moves.iter().zip(moves).take_while(|(entry, mv)| entry.mv == **mv).count();
        let shortened = known < self.moves.len();
        self.moves.truncate(known);
        if shortened && known == 0 {
            (self.started, self.clocks) = (None, [None; 2]);
        }
        let mut own = self.own.take().filter(|_| !shortened);
        let new = moves.get(known..).unwrap_or_default();
        if shortened || !new.is_empty() {
            self.end = None;
        }
        for (index, &mv) in new.iter().enumerate() {
            let confirmed = own.take_if(|own| index == 0 && own.mv == mv);
            self.moves.push(confirmed.unwrap_or(Entry { mv, elapsed: None, analysis: None, stopped: None }));
        }
        self.own = own.filter(|_| new.is_empty());
    }

    /// Adds a move of the engine, which the GUI confirms by sending it back.
    pub(super) fn own_move(&mut self, own: Entry) {
        self.own = Some(own);
    }

    /// The game is over. A reason given earlier stays.
    pub(super) fn end(&mut self, end: GameEnd) {
        self.end.get_or_insert(end);
    }

    /// Ends the game for a `gameover` that arrived `at` this time. A last move of the
    /// engine that was not played is dropped: one after the end of the game
    /// by the rules, or that answers a `stop` sent together with the `gameover`.
    pub(super) fn over(&mut self, result: Option<GameResult>, at: Instant, now: DateTime) {
        let late = |own: &Entry| own.stopped.is_some_and(|stopped| at.saturating_duration_since(stopped) < TOGETHER);
        if self.own.as_ref().is_some_and(|own| late(own) || self.is_over_before(own)) {
            self.own = None;
        }
        self.end(GameEnd::Over(result));
        self.ended = Some(now);
    }

    /// Returns `true` if the game had ended by the rules before the unconfirmed move `own`.
    fn is_over_before(&self, own: &Entry) -> bool {
        let Ok(mut position) = Position::from_setup(&self.setup) else { return false };
        let reached = self.moves.iter().all(|entry| position.play(entry.mv).is_ok());
        reached && position.is_legal(own.mv) && self.visible_end(&position).is_some()
    }

    /// Returns `true` if the engine took part in this game.
    pub(super) fn has_own_part(&self) -> bool {
        self.own.is_some()
            || self.moves.iter().any(|entry| entry.elapsed.is_some())
            || matches!(self.end, Some(GameEnd::Resign | GameEnd::Declaration))
    }

    pub(super) fn to_record(&self) -> Record {
        let mut record = Record::new(self.setup.clone());
        record.rules.entering_king = self.label.entering_king;
        record.rules.max_moves = self.label.max_moves;
        record.rules.time = self.clocks;
        let Ok(mut position) = Position::from_setup(&self.setup) else { return record };
        let mut at = record.root();
        // The one that the engine plays.
        let mut side = None;
        for entry in self.moves.iter().chain(&self.own) {
            let turn = position.turn();
            if position.play(entry.mv).is_err() {
                break;
            }
            at = record.add(at, Event::Move(entry.mv));
            if let Some(elapsed) = entry.elapsed {
                side = Some(turn);
                let node = record.node_mut(at);
                node.time_ms = Some(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
                node.remarks_mut().analyses.extend(entry.analysis.clone());
            }
        }
        for (key, color) in [(HeaderKey::BlackName, Color::Black), (HeaderKey::WhiteName, Color::White)] {
            let name = if side == Some(color) { &self.label.engine } else { &self.label.opponent };
            if let Some(name) = name.as_ref().filter(|_| side.is_some()) {
                record.headers.push(key, name.as_str());
            }
        }
        for (key, time) in [(HeaderKey::StartTime, self.started), (HeaderKey::EndTime, self.ended)] {
            if let Some(time) = time {
                record.headers.push(key, time.strftime("%Y/%m/%d %H:%M:%S").to_string());
            }
        }
        if let Some(end) = self.end {
            self.note_end(end, &position, side, &mut record, at);
        }
        record
    }

    pub(super) fn to_csa(&self, version: FileVersion) -> String {
        csa::write_all([&self.to_record()], version)
    }

    /// Adds the end after `at`, with a comment if its reason is not known.
    fn note_end(&self, end: GameEnd, position: &Position, side: Option<Color>, record: &mut Record, at: NodeId) {
        let turn = position.turn();
        let known = match end {
            GameEnd::Resign => Some(EndKind::Resign),
            GameEnd::Declaration => Some(EndKind::DeclarationWin),
            GameEnd::Over(_) => self.visible_end(position),
        };
        let guessed = known.is_none();
        let end = match (known, end) {
            (Some(kind), _) => End::new(kind, turn),
            (None, GameEnd::Over(Some(result))) => end_of_result(result, side, turn),
            (None, _) => End::new(EndKind::Abort, turn),
        };
        let id = record.add(at, Event::from(end));
        if guessed {
            record.node_mut(id).remarks_mut().comments.push("the GUI did not tell the reason".to_owned());
        }
    }

    /// The end that the position itself shows.
    fn visible_end(&self, position: &Position) -> Option<EndKind> {
        if position.is_mate() {
            return Some(EndKind::Mate);
        }
        match position.repetition() {
            Ruling::Draw => return Some(EndKind::Repetition),
            // Perpetual check is a foul of the side that gave it.
            Ruling::Win(winner) => return Some(EndKind::IllegalAction(!winner)),
            Ruling::None => {}
        }
        let limit = position.max_moves(self.label.max_moves.unwrap_or(0));
        (limit == Ruling::Draw).then_some(EndKind::MaxMoves)
    }
}

/// The end of which the engine, playing `side`, knows only the result.
fn end_of_result(result: GameResult, side: Option<Color>, turn: Color) -> End {
    let result = match (result, side) {
        (GameResult::Draw, _) => Some(enbu_kifu::GameResult::Draw),
        (GameResult::Win, Some(side)) => Some(enbu_kifu::GameResult::win(side)),
        (GameResult::Lose, Some(side)) => Some(enbu_kifu::GameResult::win(!side)),
        (_, None) => None,
    };
    let resigned = result.is_some_and(|result| result.winner() == Some(!turn));
    End { kind: if resigned { EndKind::Resign } else { EndKind::Abort }, result }
}

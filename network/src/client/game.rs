//! A game in progress: clocks for the engine, comments, the record.

use std::time::{Duration, Instant};

use enbu_kifu::{Analysis, Board, End, EndKind, csa};
use enbu_movegen::{Color, Move};
use enbu_usi::client::LastReport;
use enbu_usi::{Clock, GameResult, readout};

use crate::player::Request;
use crate::player::shortened;
use crate::protocol::{Game, GameOutcome, Moved, Reason};
use crate::record::{GameRecord, end_of};
use crate::summary::TimeRules;

/// Data of a game beside the protocol's.
pub(super) struct Playing {
    pub(super) record: GameRecord,
    pub(super) start: String,
    /// The own move that was sent: its time and the report on it.
    pub(super) sent: Option<(Instant, Option<Analysis>)>,
    /// Reason to resign on the next own turn.
    pub(super) fault: Option<String>,
    /// An illegal move of the opponent.
    pub(super) foul: Option<String>,
    pub(super) is_hurried: bool,
    /// The expected reply on which the engine ponders.
    pub(super) expected: Option<Move>,
    pub(super) ponder_hits: u32,
    pub(super) own_ms: u64,
    /// Last event of the game, for silence.
    pub(super) heard: Instant,
}

impl Playing {
    pub(super) const fn new(record: GameRecord, start: String, at: Instant) -> Self {
        Self {
            record,
            start,
            sent: None,
            fault: None,
            foul: None,
            is_hurried: false,
            expected: None,
            ponder_hits: 0,
            own_ms: 0,
            heard: at,
        }
    }

    /// Takes a move into the record. Returns the delay of the echo of an own move.
    pub(super) fn moved(&mut self, moved: &Moved, own: Color, at: Instant) -> Option<Duration> {
        self.heard = at;
        self.is_hurried = false;
        if moved.color != own {
            self.record.add(moved, None);
            self.ponder_hits += u32::from(self.expected.take() == Some(moved.mv));
            return None;
        }
        self.own_ms += moved.charged_ms;
        let (sent, analysis) = self.sent.take().map_or((None, None), |(at, analysis)| (Some(at), analysis));
        self.record.add(moved, analysis);
        sent.map(|sent| at.saturating_duration_since(sent))
    }
}

/// The rules of the clock of `color`.
pub(super) fn rules(game: &Game, color: Color) -> &TimeRules {
    let [black, white] = &game.summary().clocks;
    if color == Color::Black { black } else { white }
}

/// Time that `color` may take for its move, as the server counts it; `None` without limit.
pub(super) fn available(game: &Game, color: Color) -> Option<Duration> {
    let rules = rules(game, color);
    let main = game.remaining_ms(color)?;
    Some(Duration::from_millis(main + rules.increment_ms + rules.byoyomi_ms + rules.delay_ms))
}

/// The clocks of USI, `cut_ms` less for the side of this client. `charged` is the estimated
/// charge of an own move whose echo has not come.
pub(super) fn clock(game: &Game, charged: Option<u64>, cut_ms: u64) -> Clock {
    let own = game.summary().your_turn;
    let left = |color: Color| match charged {
        Some(ms) if color == own => game.remaining_after(color, ms),
        _ => game.remaining_ms(color),
    };
    // Time that is not charged is like an increment that does not add up.
    let gain = |color: Color| {
        let rules = rules(game, color);
        let gain = rules.increment_ms + rules.delay_ms;
        (gain > 0).then_some(gain)
    };
    let unlimited = rules(game, own).is_unlimited();
    if unlimited {
        return Clock::default();
    }
    let byoyomi = rules(game, own).byoyomi_ms;
    let has_increment = gain(Color::Black).is_some() || gain(Color::White).is_some();
    let clock = Clock {
        black_ms: left(Color::Black).or(Some(0)),
        white_ms: left(Color::White).or(Some(0)),
        byoyomi_ms: (byoyomi > 0 || !has_increment).then_some(byoyomi),
        black_increment_ms: has_increment.then(|| gain(Color::Black).unwrap_or(0)),
        white_increment_ms: has_increment.then(|| gain(Color::White).unwrap_or(0)),
    };
    shortened(clock, own, cut_ms)
}

/// The search of the position after `after`, moves that the server has not confirmed yet.
pub(super) fn request(game: &Game, after: &[Move], clock: Clock, started: Instant) -> Option<Request> {
    let mut position = game.position().clone();
    for &mv in after {
        position.play(mv).ok()?;
    }
    let moves = game.line().chain(after.iter().copied()).collect();
    Some(Request { setup: game.summary().setup.clone(), moves, position, clock, started })
}

/// The engine's report on its move `mv`, as records hold it: from Black's view, the line
/// beginning with the reply. `None` without a score.
pub(super) fn analysis(game: &Game, mv: Move, report: &LastReport) -> Option<Analysis> {
    let score = report.score?;
    let pv = match report.pv.split_first() {
        Some((first, rest)) if *first == mv => rest.to_vec(),
        _ => Vec::new(),
    };
    Some(Analysis {
        score_cp: Some(readout::black_view(score, game.position().turn())),
        pv,
        nodes: report.nodes,
        depth: None,
        ..Analysis::default()
    })
}

/// The comment that floodgate takes after the move `mv`: score and line.
pub(super) fn comment(game: &Game, mv: Move, analysis: &Analysis) -> Option<String> {
    let mut after = game.position().clone();
    after.play(mv).ok()?;
    let plain = Analysis { nodes: None, ..analysis.clone() };
    csa::analysis_text(&Board::new(&after.to_setup()), &plain)
}

/// The end of the record, with a comment where the verdict needs one.
pub(super) fn verdict(game: &Game, outcome: GameOutcome, reason: &Reason) -> (End, Option<String>) {
    let end = end_of(outcome, reason, game.summary().your_turn, game.position());
    let comment = match reason {
        Reason::PerpetualCheck => Some("perpetual check".to_owned()),
        Reason::IllegalMove | Reason::Other(_) => Some(format!("the server's verdict: {reason}, {}", outcome.as_str())),
        _ => None,
    };
    (end, comment)
}

/// The end of a record whose game goes on without this client.
pub(super) const fn broken_off() -> End {
    End { kind: EndKind::Abort, result: None }
}

/// The result as USI states it.
pub(super) const fn for_engine(outcome: GameOutcome) -> GameResult {
    match outcome {
        GameOutcome::Win => GameResult::Win,
        GameOutcome::Lose => GameResult::Lose,
        GameOutcome::Draw | GameOutcome::Censored | GameOutcome::Interrupted => GameResult::Draw,
    }
}

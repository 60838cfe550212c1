//! A game in progress: clocks for the engine, comments, the record.

use std::time::{Duration, Instant};

use enbu_kifu::{Analysis, Board, End, csa};
use enbu_language::{Both, text};
use enbu_movegen::{Color, EnteringKingRule, Move};
use enbu_usi::client::LastReport;
use enbu_usi::{Clock, ENTERING_KING_RULES, GameResult, OptionKind, OptionSpec};

use crate::player::{Request, shortened};
use crate::protocol::{Game, GameOutcome, Moved, Reason};
use crate::record::{GameRecord, end_of};
use crate::summary::TimeRules;

/// Longest line of play in a record or a comment, in plies.
const MAX_LINE: usize = 200;

/// Data of a game beside the protocol's.
pub(super) struct Playing {
    pub(super) record: GameRecord,
    pub(super) start: String,
    /// The own move that was sent, its time and the report on it.
    pub(super) sent: Option<(Move, Instant, Option<Analysis>)>,
    /// Reason to resign on the next own turn.
    pub(super) fault: Option<String>,
    /// An illegal move of the opponent.
    pub(super) foul: Option<String>,
    /// An own move that the server did not confirm as it was sent.
    pub(super) other_echo: Option<String>,
    /// The engine has declared falsely and no longer declares; the client does.
    pub(super) declares: bool,
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
            other_echo: None,
            declares: false,
            is_hurried: false,
            expected: None,
            ponder_hits: 0,
            own_ms: 0,
            heard: at,
        }
    }

    /// Takes a move into the record. Returns the delay of the echo of an own move, as an error
    /// where the server confirmed another move than the one that was sent.
    pub(super) fn moved(&mut self, moved: &Moved, own: Color, at: Instant) -> Result<Option<Duration>, Both> {
        self.heard = at;
        self.is_hurried = false;
        if moved.color != own {
            self.record.add(moved, None);
            self.ponder_hits += u32::from(self.expected.take() == Some(moved.mv));
            return Ok(None);
        }
        self.own_ms = self.own_ms.saturating_add(moved.charged_ms);
        let fault = match self.sent.take() {
            Some((mv, sent, analysis)) if mv == moved.mv => {
                self.record.add(moved, analysis);
                return Ok(Some(at.saturating_duration_since(sent)));
            }
            Some((mv, ..)) => Both::of(text!(
                "the server confirmed {} in place of {mv}, which was sent",
                "サーバーは {} を指したことにしました（送ったのは {mv}）",
                moved.mv
            )),
            None => Both::of(text!(
                "the server confirmed {}, and no move was sent",
                "指し手を送っていないのに、サーバーは {} を指したことにしました",
                moved.mv
            )),
        };
        self.expected = None;
        self.record.add(moved, None);
        self.record.comment(&fault.english);
        self.other_echo.get_or_insert_with(|| fault.english.clone());
        Err(fault)
    }
}

/// Value of an engine's option under the rules of a game; `None` for an option that concerns
/// neither rule, or has no such value. A limit of moves beyond the option's range is no limit.
pub(super) fn rule_option(option: &OptionSpec, max_moves: Option<u32>, rule: EnteringKingRule) -> Option<String> {
    match &option.kind {
        &OptionKind::Spin { min, max } if option.is_named("MaxMovesToDraw") => {
            let within = max_moves.map(i64::from).filter(|moves| (min..=max).contains(moves));
            Some(within.unwrap_or(if min <= 0 { 0 } else { max }).to_string())
        }
        OptionKind::Combo(choices) if option.is_named("EnteringKingRule") => {
            let (word, _) = ENTERING_KING_RULES.iter().find(|(_, known)| *known == rule)?;
            choices.iter().find(|choice| choice == word).cloned()
        }
        _ => None,
    }
}

/// Time that `color` may take for its move, as the server counts it; `None` without limit.
pub(super) fn available(game: &Game, color: Color) -> Option<Duration> {
    let rules = game.summary.clock(color);
    let times = [game.remaining_ms(color)?, rules.increment_ms, rules.byoyomi_ms, rules.delay_ms];
    Some(Duration::from_millis(times.into_iter().fold(0, u64::saturating_add)))
}

/// The clocks of USI, `cut_ms` less for the side of this client. `charged` is the estimated
/// charge of an own move without an echo yet.
pub(super) fn clock(game: &Game, charged: Option<u64>, cut_ms: u64) -> Clock {
    let own = game.summary.your_turn;
    let left = |color: Color| match charged {
        Some(ms) if color == own => game.remaining_after(color, ms),
        _ => game.remaining_ms(color),
    };
    // Time that is not charged is like an increment that does not add up.
    let gain = |color: Color| {
        let rules = game.summary.clock(color);
        let gain = rules.increment_ms.saturating_add(rules.delay_ms);
        (gain > 0).then_some(gain)
    };
    let TimeRules { total_ms: Some(_), byoyomi_ms: byoyomi, .. } = *game.summary.clock(own) else {
        return Clock::default();
    };
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
    let mut position = game.position.clone();
    for &mv in after {
        position.play(mv).ok()?;
    }
    let moves = game.line().chain(after.iter().copied()).collect();
    Some(Request { setup: game.summary.setup.clone(), moves, position, clock, started })
}

/// The engine's report on its move `mv`, as records hold it: from Black's view, the line
/// beginning with the reply. `None` without a score.
pub(super) fn analysis(game: &Game, mv: Move, report: &LastReport) -> Option<Analysis> {
    let score = report.score?;
    let pv = match report.pv.split_first() {
        Some((first, rest)) if *first == mv => rest.iter().copied().take(MAX_LINE).collect(),
        _ => Vec::new(),
    };
    Some(Analysis {
        score_cp: Some(score.for_black(game.position.turn())),
        pv,
        nodes: report.nodes,
        ..Analysis::default()
    })
}

/// The comment that floodgate takes after the move `mv`: score and line.
pub(super) fn comment(game: &Game, mv: Move, analysis: &Analysis) -> Option<String> {
    let mut after = game.position.clone();
    after.play(mv).ok()?;
    let plain = Analysis { nodes: None, ..analysis.clone() };
    csa::analysis_text(&Board::new(&after.to_setup()), &plain)
}

/// The end of the record, with a comment where the verdict needs one.
pub(super) fn verdict(game: &Game, outcome: GameOutcome, reason: &Reason) -> (End, Option<String>) {
    let end = end_of(outcome, reason, game.summary.your_turn, &game.position);
    let comment = match reason {
        Reason::PerpetualCheck => Some("perpetual check".to_owned()),
        Reason::IllegalMove | Reason::Other(_) => {
            Some(format!("the server's verdict: {reason}, {}", outcome.words()[0]))
        }
        _ => None,
    };
    (end, comment)
}

pub(super) const fn for_engine(outcome: GameOutcome) -> GameResult {
    match outcome {
        GameOutcome::Win => GameResult::Win,
        GameOutcome::Lose => GameResult::Lose,
        GameOutcome::Draw | GameOutcome::Censored | GameOutcome::Interrupted => GameResult::Draw,
    }
}

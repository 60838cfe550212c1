//! An engine that judges candidates for openings.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use enbu_arena::openings::{Candidate, Judge};
use enbu_arena::{EngineSpec, Patience, TimeControl};
use enbu_movegen::{Position, Setup};
use enbu_usi::client::{Cancel, ClientError, Driver, Wiretap, parse_reply};
use enbu_usi::{Bound, Command, GoRequest, PositionCommand, Reply, Score};
use parking_lot::Mutex;

use super::{CHOICE_NODES, CHOICES, MATE_CP, OpeningsArgs, VERDICT_NODES};
use crate::commands::failure::{failed, usage};
use crate::commands::program::find_program;

/// First moves and scores of the search in progress, by their MultiPV number.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<BTreeMap<u32, Candidate>>>);

impl Wiretap for Lines {
    fn sent(&mut self, _: &str) {}

    fn heard(&mut self, line: &str) {
        let Some(Reply::Info(info)) = parse_reply(line).reply else { return };
        let score_cp = match info.score.filter(|_| info.bound == Bound::Exact) {
            Some(Score::Cp(cp)) => cp,
            Some(Score::MateIn(_) | Score::Mates) => MATE_CP,
            Some(Score::MatedIn(_) | Score::Mated) => -MATE_CP,
            None => return,
        };
        if let Some(&mv) = info.pv.first() {
            self.0.lock().insert(info.multipv.unwrap_or(1), Candidate { mv, score_cp });
        }
    }
}

/// An engine as the judge of openings.
pub(super) struct EngineJudge {
    driver: Driver,
    lines: Lines,
    /// Limit of a verdict: nodes or a time.
    limit: TimeControl,
    /// The first failure; after it nothing is judged.
    pub(super) failure: Option<ClientError>,
}

impl EngineJudge {
    /// Starts the engine of these words, with one thread unless they say otherwise.
    pub(super) fn start(words: &[String], cancel: &Cancel) -> io::Result<Self> {
        let wrong = |text: String| usage::<OpeningsArgs>("openings", format!("--engine: {text}"));
        let mut spec = EngineSpec::from_words(words).map_err(|error| wrong(error.to_string()))?;
        let limit = spec.time_control.unwrap_or(TimeControl::Nodes(VERDICT_NODES));
        if !matches!(limit, TimeControl::Nodes(_) | TimeControl::MoveTime(_)) {
            return Err(wrong(format!("tc={limit} is not tc=nodes=N or tc=movetime=S")));
        }
        find_program(&mut spec.launch)?;
        let lines = Lines::default();
        let driver = Driver::start(&spec.launch, Patience::default().start, cancel, Some(Box::new(lines.clone())));
        let mut driver = driver.map_err(|error| failed(format_args!("{}: {error}", words.join(" "))))?;
        let is_given = spec.launch.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Threads"));
        if !is_given && driver.identity.option("Threads").is_some() {
            driver.set_option("Threads", Some("1")).map_err(io::Error::other)?;
        }
        Ok(Self { driver, lines, limit, failure: None })
    }

    /// Its name and the limit of its verdicts.
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.driver.identity.name, self.limit)
    }

    /// The best moves of a position, found with a share of the limit; none after a failure.
    fn search(&mut self, position: &Position, share: u64, count: usize) -> Vec<Candidate> {
        if self.failure.is_none() {
            self.failure = self.ask(position, share, count).err();
        }
        let lines = std::mem::take(&mut *self.lines.0.lock());
        lines.into_values().take(count).filter(|candidate| position.is_legal(candidate.mv)).collect()
    }

    fn ask(&mut self, position: &Position, share: u64, count: usize) -> Result<(), ClientError> {
        let patience = Patience::default();
        let part = |limit: u64| Some((limit / share).max(1));
        let (request, budget_ms) = match self.limit {
            TimeControl::MoveTime(ms) => (GoRequest { movetime_ms: part(ms), ..GoRequest::default() }, ms),
            TimeControl::Nodes(nodes) => (GoRequest { nodes: part(nodes), ..GoRequest::default() }, 0),
            _ => return Ok(()),
        };
        self.driver.set_option("MultiPV", Some(&count.to_string()))?;
        // The result must not depend on earlier searches.
        self.driver.new_game(patience.ready)?;
        self.lines.0.lock().clear();
        let moves = position.history().collect();
        let line = Command::Position(PositionCommand { setup: Setup::startpos(), moves, tail: None });
        let began = self.driver.go(&line.to_string(), &Command::Go(request).to_string())?;
        self.driver.answer(began, Duration::from_millis(budget_ms) + patience.hang, |_| ())?;
        self.driver.reported()
    }
}

impl Judge for EngineJudge {
    fn candidates(&mut self, position: &Position) -> Vec<Candidate> {
        self.search(position, VERDICT_NODES / CHOICE_NODES, CHOICES)
    }

    fn score_cp(&mut self, position: &Position) -> i32 {
        self.search(position, 1, 1).first().map_or(-MATE_CP, |best| best.score_cp)
    }
}

//! One engine and one problem.

use std::time::{Duration, Instant};

use enbu_language::{Both, text};
use enbu_mate::after_checks;
use enbu_movegen::Move;
use enbu_usi::client::{Cancel, ClientError, Driver, Heard, ReplyError};
use enbu_usi::{BestMove, Bound, Checkmate, Command, Info, MateLimit, Reply, Score};

use super::{Problem, Task};
use crate::engine_spec::EngineSpec;
use crate::player::{Patience, Player, PlayerError, TrafficLog};
use crate::time_control::{GameClock, IncrementUse, TimeControl, go_request};

/// Judgement of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is right.
    Solved,
    /// It is wrong, or there is none.
    Wrong,
    /// The engine has no `go mate`.
    NotImplemented,
    /// The engine failed, or broke the rules.
    Fault(Both),
}

/// The effort from which on the answer was right to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stable {
    /// Nodes searched.
    pub nodes: u64,
    /// Time since `go`.
    pub time: Duration,
}

/// The answer of an engine to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its judgement.
    pub verdict: Verdict,
    /// The move or the line of the mate; empty for other answers.
    pub line: Vec<Move>,
    /// The effort of the whole search.
    pub spent: Stable,
    /// The effort up to the stable answer of a solved problem.
    pub stable: Option<Stable>,
}

/// The option of Enbu and YaneuraOu that leaves reports out by the clock.
const PV_INTERVAL: &str = "PvInterval";

/// The course of a search for a problem: the changes of its first move.
struct Trail<'p> {
    problem: &'p Problem,
    changes: Vec<(Move, Stable)>,
    nodes: u64,
}

impl Trail<'_> {
    /// Waits for the answer, and takes the reports before it.
    fn hear(&mut self, driver: &mut Driver, began: Instant, limit: Duration) -> Result<(Heard, Instant), ClientError> {
        let expected = if self.problem.task == Task::Mate { "checkmate" } else { "bestmove" };
        loop {
            let (heard, at) = driver.reply(expected, began, limit)?;
            match (&heard.reply, &heard.problem) {
                (Some(Reply::Info(info)), _) => self.take(info, at.saturating_duration_since(began)),
                (Some(Reply::BestMove(_) | Reply::Checkmate(_)), _) | (None, Some(ReplyError::BestMove(_))) => {
                    return Ok((heard, at));
                }
                _ => {}
            }
        }
    }

    /// Takes a report at this time; one on a mate problem counts only with a mate.
    fn take(&mut self, info: &Info, time: Duration) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let is_mate = matches!(info.score, Some(Score::Mates | Score::MateIn(_)));
        let counts = info.multipv.unwrap_or(1) == 1 && info.bound == Bound::Exact;
        let counts = counts && (self.problem.task == Task::Move || is_mate);
        let time = info.time_ms.map_or(time, Duration::from_millis);
        if let Some(&mv) = info.pv.first().filter(|_| counts)
            && self.changes.last().is_none_or(|(last, _)| *last != mv)
        {
            self.changes.push((mv, Stable { nodes: self.nodes, time }));
        }
    }

    /// The effort at the first report after which all first moves are right; `spent` if the last is not.
    fn stable(&self, spent: Stable, is_right: impl Fn(Move) -> bool) -> Stable {
        let right = self.changes.iter().rev().take_while(|(mv, _)| is_right(*mv)).last();
        right.map_or(spent, |(_, effort)| *effort)
    }
}

/// An engine that attempts problems.
pub struct Candidate<'m> {
    player: Player<'m>,
    control: TimeControl,
    slack: Duration,
    lacks_mate: bool,
}

impl<'m> Candidate<'m> {
    /// An engine of this name; its own time control takes precedence over `control`.
    pub fn new(
        (name, spec): (&'m str, &'m EngineSpec),
        control: TimeControl,
        (patience, slack): (Patience, Duration),
        cancel: &'m Cancel,
        log: Option<&'m TrafficLog>,
    ) -> Self {
        let player = Player { name, spec, patience, cancel, log, running: None };
        Self { player, control: spec.time_control.unwrap_or(control), slack, lacks_mate: false }
    }

    /// Puts a problem to the engine as a new game. After a fault its process is started anew.
    ///
    /// # Errors
    /// When the engine cannot be started, and on [`Cancel`].
    pub fn attempt(&mut self, problem: &Problem) -> Result<Attempt, PlayerError> {
        let none = |verdict| Attempt { verdict, line: Vec::new(), spent: Stable::default(), stable: None };
        if self.lacks_mate && problem.task == Task::Mate {
            return Ok(none(Verdict::NotImplemented));
        }
        self.player.driver()?;
        match self.answer(problem) {
            Ok(attempt) => {
                self.lacks_mate |= attempt.verdict == Verdict::NotImplemented;
                Ok(attempt)
            }
            Err(ClientError::Cancelled) => Err(self.player.cancelled()),
            Err(error) => {
                self.player.kill();
                Ok(none(Verdict::Fault(Both::of(error))))
            }
        }
    }

    /// Ends the process.
    pub fn dismiss(&mut self) {
        self.player.quit();
    }

    fn answer(&mut self, problem: &Problem) -> Result<Attempt, ClientError> {
        let (task, turn, patience) = (problem.task, problem.position().turn(), self.player.patience);
        let clock = GameClock::new(self.control, IncrementUse::Before);
        let mut request = go_request(&[clock; 2], turn);
        if task == Task::Mate {
            (request.clock, request.movetime_ms) = Default::default();
            let within = |time: Duration| MateLimit::WithinMs(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
            request.mate = Some(clock.budget().map_or(MateLimit::Unlimited, within));
        }
        let options = &self.player.spec.launch.options;
        // It runs, or this is not called.
        let Some(driver) = self.player.running.as_mut() else { return Err(ClientError::Cancelled) };
        let is_given = |(name, _): &(String, _)| name.eq_ignore_ascii_case(PV_INTERVAL);
        if driver.identity.option(PV_INTERVAL).is_some() && !options.iter().any(is_given) {
            driver.set_option(PV_INTERVAL, Some("0"))?;
        }
        driver.new_game(patience.ready)?;
        let began = driver.go(&format!("position {}", problem.start), &Command::Go(request).to_string())?;
        let limit = clock.budget().map_or(Duration::ZERO, |budget| budget + self.slack) + patience.hang;
        let mut trail = Trail { problem, changes: Vec::new(), nodes: 0 };
        let heard = match trail.hear(driver, began, limit) {
            // Mates are searched without end, by some engines whatever limit they are given.
            Err(ClientError::Silent(..)) if task == Task::Mate => {
                driver.send(&Command::Stop)?;
                trail.hear(driver, began, limit + patience.hang)
            }
            heard => heard,
        };
        let (heard, at) = heard?;
        driver.reported()?;
        let time = at.saturating_duration_since(began);
        let late = clock.budget().filter(|&budget| task == Task::Move && time > budget + self.slack);
        let mut attempt = judged(heard, &trail, time);
        if let Some(budget) = late {
            let (used, budget) = (time.as_millis(), budget.as_millis());
            let text = text!("{used} ms used of {budget}", "{budget} ミリ秒のところ {used} ミリ秒使いました");
            attempt.verdict = Verdict::Fault(Both::of(text));
        }
        attempt.stable = attempt.stable.filter(|_| attempt.verdict == Verdict::Solved);
        Ok(attempt)
    }
}

fn judged(heard: Heard, trail: &Trail<'_>, time: Duration) -> Attempt {
    let (problem, task, spent) = (trail.problem, trail.problem.task, Stable { nodes: trail.nodes, time });
    let (verdict, line) = match (heard.reply, heard.problem) {
        // Engines without `go mate` take it for a search.
        (Some(Reply::BestMove(_)), _) | (None, _) if task == Task::Mate => (Verdict::NotImplemented, Vec::new()),
        (Some(Reply::Checkmate(Checkmate::NotImplemented)), _) => (Verdict::NotImplemented, Vec::new()),
        (Some(Reply::BestMove(BestMove::Play { best, .. })), _) if !problem.position().is_legal(best) => {
            (illegal(&best), vec![best])
        }
        (Some(Reply::BestMove(BestMove::Play { best, .. })), _) => (verdict(problem.is_right(best)), vec![best]),
        (Some(Reply::Checkmate(Checkmate::Moves(line))), _) => (mate(problem, &line), line),
        (None, Some(error)) => (Verdict::Fault(Both::of(error)), Vec::new()),
        _ => (Verdict::Wrong, Vec::new()),
    };
    let stable = line.first().map(|&first| {
        let is_right = |mv| if task == Task::Mate { mv == first } else { problem.is_right(mv) };
        trail.stable(spent, is_right)
    });
    Attempt { verdict, line, spent, stable }
}

const fn verdict(is_right: bool) -> Verdict {
    if is_right { Verdict::Solved } else { Verdict::Wrong }
}

fn illegal(mv: &Move) -> Verdict {
    Verdict::Fault(Both::of(text!("illegal move {mv}", "{mv} は指せません")))
}

/// The judgement of a mating line: all moves legal, each of the attacker's a check, the last one mate.
fn mate(problem: &Problem, line: &[Move]) -> Verdict {
    let mut position = problem.position().clone();
    if let Some(mv) = line.iter().find(|&&mv| position.play(mv).is_err()) {
        return illegal(mv);
    }
    let is_mate = after_checks(problem.position(), line).is_some_and(|end| end.is_mate());
    verdict(is_mate && line.first().is_some_and(|&first| problem.is_right(first)))
}

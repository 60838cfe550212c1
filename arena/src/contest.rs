//! A match: its settings, and playing it on several threads.
//!
//! The games follow from the settings and, in a tournament by rounds, from the results of
//! the rounds before; a round begins when the one before is over. Workers take pair after
//! pair and send each finished game to the caller, who saves and shows it and may end
//! the match; nothing here writes or prints.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};
use enbu_files::{fnv1a, reason};
use enbu_language::{Both, messages};
use enbu_mate::OutOfMemory;
use enbu_usi::client::{Cancel, ClientError, EngineIdentity};
use parking_lot::Mutex;

use crate::adjudication::{Adjudication, FactFinder, Facts};
use crate::engine_spec::EngineSpec;
use crate::game::{GameSetup, play};
use crate::openings::Opening;
use crate::player::{Patience, Player, PlayerError, TrafficLog};
use crate::record::{Faults, GameRecord, by_color};
use crate::referee::Rules;
use crate::rounds::{Bracket, TIE_BREAKS, Tournament};
use crate::schedule::{OpeningOrder, Pair, Schedule, Scores};
use crate::time_control::{GameClock, IncrementUse, TimeControl};
use crate::watch::Spectators;

/// Everything that decides which games are played and how they are judged.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The engines; at least two.
    pub engines: Vec<EngineSpec>,
    /// Time control of the engines that have none of their own.
    pub time_control: TimeControl,
    /// When increments may be used.
    pub increment_use: IncrementUse,
    /// The pairings.
    pub format: Tournament,
    /// Pairs of games of each pairing, and in each meeting of a tournament by rounds.
    pub rounds: usize,
    /// Rounds of a Swiss tournament.
    pub swiss_rounds: usize,
    /// The openings; at least one.
    pub openings: Vec<Opening>,
    /// The order of the openings.
    pub order: OpeningOrder,
    /// The seed of that order.
    pub seed: u64,
    /// The pairs to play; see [`Schedule::new`].
    pub part: (u64, u64),
    /// The rules.
    pub rules: Rules,
    /// When games are ended early.
    pub adjudication: Adjudication,
    /// Treatment of positions that are won.
    pub facts: Facts,
    /// Forgiven time for each move.
    pub slack: Duration,
    /// Time limits of engines for everything but moves.
    pub patience: Patience,
    /// Games at once; at least 1.
    pub concurrency: usize,
    /// Lifetime of the engines' processes.
    pub processes: Processes,
    /// Those who watch the games.
    pub spectators: Spectators,
}

/// Lifetime of the process of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Processes {
    /// From game to game.
    Kept,
    /// For one game.
    Restarted,
}

messages! {
/// Reasons why a match cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ContestError {
    TooFewEngines => "a match needs at least two engines", "エンジンが2つ以上必要です";
    SameName(name: String) => "two engines are named `{name}`", "エンジンの名前 `{name}` が重なっています";
    NoOpening => "a match needs at least one opening", "開始局面が1つ以上必要です";
    Player(error: PlayerError) => "{error}", "{error}";
    Memory(#[from] error: OutOfMemory) => "{error}", "{error}";
    NoThread(reason: String) => "no thread for a game: {reason}", "対局のスレッドを作れません：{reason}";
    Cancelled => "interrupted", "中断しました";
}}

impl From<PlayerError> for ContestError {
    fn from(error: PlayerError) -> Self {
        if error.error == ClientError::Cancelled { Self::Cancelled } else { Self::Player(error) }
    }
}

/// An event of a match.
#[derive(Clone, Debug)]
pub enum MatchEvent {
    /// A game is over; with the remark about its end, if any.
    Game(Box<GameRecord>, Option<Both>),
    /// Output that belongs to no game: an engine that prints after `quit`, and its faults.
    UnsolicitedOutput(String, Faults),
}

/// Starts an engine, gives it its options and asks who it is and which options it has.
/// It is called `name` in messages.
pub fn identify(
    name: &str,
    spec: &EngineSpec,
    patience: Patience,
    cancel: &Cancel,
    log: Option<&TrafficLog>,
) -> Result<EngineIdentity, ContestError> {
    let mut player = Player { name, spec, patience, cancel, log, running: None };
    let identity = player.driver()?.identity.clone();
    player.quit();
    Ok(identity)
}

/// Starts every engine once, to see that it can be, and gives each a name of its own.
pub fn names(
    engines: &[EngineSpec],
    patience: Patience,
    cancel: &Cancel,
    log: Option<&TrafficLog>,
) -> Result<Vec<String>, ContestError> {
    let mut names: Vec<String> = Vec::new();
    for spec in engines {
        let called = spec.name.clone().unwrap_or_else(|| program_name(spec));
        let identity = identify(&called, spec, patience, cancel, log)?;
        let own = if identity.name.is_empty() { called.clone() } else { identity.name };
        match &spec.name {
            Some(given) if names.contains(given) => return Err(ContestError::SameName(given.clone())),
            Some(given) => names.push(given.clone()),
            None => names.push(unused(&own, &names, engines)),
        }
    }
    Ok(names)
}

/// A match that can be played: every engine was started once, and has a name.
#[derive(Debug)]
pub struct Contest {
    settings: MatchSettings,
    /// The names of the engines.
    pub names: Vec<String>,
    /// The name of the match in its games: a digest of the settings that decide the
    /// course of games. Their number, part and concurrency are not included.
    pub id: String,
}

impl Contest {
    /// Starts every engine once, to see that it can be and to learn its name.
    pub fn prepare(settings: MatchSettings, cancel: &Cancel, log: Option<&TrafficLog>) -> Result<Self, ContestError> {
        if settings.engines.len() < 2 {
            return Err(ContestError::TooFewEngines);
        }
        if settings.openings.is_empty() {
            return Err(ContestError::NoOpening);
        }
        let names = names(&settings.engines, settings.patience, cancel, log)?;
        let id = settings.id(&names);
        Ok(Self { settings, names, id })
    }

    /// Number of games in this part; those that break ties are not included.
    pub fn games(&self) -> usize {
        self.settings.schedule().games()
    }

    /// The rounds of a tournament whose pairings depend on the results.
    pub fn bracket(&self, scores: &Scores) -> Option<Bracket> {
        self.settings.schedule().bracket(scores, &self.names)
    }

    /// Plays the games that are not in `scores`, and calls `listener` after each.
    /// When it returns `Break`, the pairs in progress are finished and no others begun.
    /// When an engine cannot be started any more, and on `cancel`, the games in progress are given up.
    pub fn play(
        &self,
        mut scores: Scores,
        cancel: &Cancel,
        log: Option<&TrafficLog>,
        mut listener: impl FnMut(MatchEvent) -> ControlFlow<()>,
    ) -> Result<(), ContestError> {
        let schedule = self.settings.schedule();
        let stop = AtomicBool::new(false);
        while !stop.load(Ordering::Relaxed) && schedule.due(&scores).next().is_some() {
            let mut played = Vec::new();
            self.play_due(&schedule, &scores, &stop, cancel, log, |event| {
                if let MatchEvent::Game(game, _) = &event {
                    played.push((game.game, game.score1));
                }
                listener(event)
            })?;
            scores.extend(played);
        }
        Ok(())
    }

    /// Plays the pairs that are due.
    fn play_due(
        &self,
        schedule: &Schedule,
        done: &Scores,
        stop: &AtomicBool,
        cancel: &Cancel,
        log: Option<&TrafficLog>,
        mut listener: impl FnMut(MatchEvent) -> ControlFlow<()>,
    ) -> Result<(), ContestError> {
        let pairs = Mutex::new(schedule.due(done));
        let next = &|| if stop.load(Ordering::Relaxed) { None } else { pairs.lock().next() };
        let (sender, events) = unbounded();
        let mut result = Ok(());
        let finder = |_| (self.settings.facts == Facts::Decide).then(FactFinder::new).transpose();
        let finders: Vec<_> = (0..self.settings.concurrency.max(1)).map(finder).collect::<Result<_, _>>()?;
        thread::scope(|scope| {
            for (number, facts) in finders.into_iter().enumerate() {
                let sender = sender.clone();
                let worker = Worker { contest: self, cancel, log, done, sender, facts };
                let thread = thread::Builder::new().name("game".into());
                if let Err(error) = thread.spawn_scoped(scope, move || worker.run(next)) {
                    // Without the later ones fewer games are played at once.
                    if number == 0 {
                        result = Err(ContestError::NoThread(reason(&error).to_string()));
                    }
                    break;
                }
            }
            drop(sender);
            for message in events {
                match message {
                    Ok(event) => {
                        if listener(event).is_break() {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        // The failure of an engine explains more than the end of the other games.
                        if !matches!(result, Err(ContestError::Player(_))) {
                            result = Err(error.into());
                        }
                    }
                }
            }
        });
        result
    }
}

impl MatchSettings {
    /// Pairings and openings of all games.
    pub fn schedule(&self) -> Schedule {
        let (engines, openings) = (self.engines.len(), self.openings.len());
        let mut schedule = Schedule::new(engines, self.format, self.rounds, openings, self.order, self.seed, self.part);
        schedule.swiss_rounds = self.swiss_rounds;
        schedule
    }

    /// Returns true if some pairing plays more than one pair on each opening with limits
    /// that leave no room for chance.
    pub fn repeats_games(&self) -> bool {
        let is_deterministic = |engine| self.control_of(engine).is_deterministic();
        let tie_breaks = if self.format == Tournament::Knockout { TIE_BREAKS } else { 0 };
        self.rounds + tie_breaks > self.openings.len() && (0..self.engines.len()).all(is_deterministic)
    }

    /// The digest that games of one match share.
    fn id(&self, names: &[String]) -> String {
        let Self { time_control, increment_use, format, order, seed, rules, adjudication, slack, processes, .. } = self;
        let conditions = (time_control, increment_use, format, order, seed, rules, adjudication, slack, processes);
        let mut text = format!("{conditions:?}");
        if self.facts == Facts::Decide {
            text += " facts";
        }
        if self.format.depends_on_results() {
            // The points of a meeting decide the next pairings.
            text += &format!(" {}", self.rounds);
        }
        for (spec, name) in self.engines.iter().zip(names) {
            text += &format!("\n{name} {:?}", (&spec.launch.options, &spec.time_control, &spec.ponder));
        }
        for opening in &self.openings {
            text += &format!("\n{opening}");
        }
        format!("{:016x}", fnv1a(text.as_bytes()))
    }

    fn control_of(&self, engine: usize) -> TimeControl {
        self.engines[engine].time_control.unwrap_or(self.time_control)
    }
}

/// The file name of a program, for messages before it has said its own.
fn program_name(spec: &EngineSpec) -> String {
    let program = spec.launch.command.first().map_or("", String::as_str);
    Path::new(program).file_name().map_or_else(|| program.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// `name`, with a number after it if others have it.
fn unused(name: &str, taken: &[String], engines: &[EngineSpec]) -> String {
    let is_taken = |name: &String| taken.contains(name) || engines.iter().any(|spec| spec.name.as_ref() == Some(name));
    let numbered = (2..).map(|number| format!("{name} #{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// One thread of a match, with the engines that it runs.
struct Worker<'m> {
    contest: &'m Contest,
    cancel: &'m Cancel,
    log: Option<&'m TrafficLog>,
    done: &'m Scores,
    sender: Sender<Result<MatchEvent, PlayerError>>,
    facts: Option<FactFinder>,
}

impl<'m> Worker<'m> {
    fn run(mut self, next: impl Fn() -> Option<Pair>) {
        let settings = &self.contest.settings;
        let engines = settings.engines.iter().zip(&self.contest.names);
        let (patience, cancel, log) = (settings.patience, self.cancel, self.log);
        let player =
            |(spec, name): (&'m EngineSpec, &'m String)| Player { name, spec, patience, cancel, log, running: None };
        let mut players: Vec<Player<'m>> = engines.map(player).collect();
        while let Some(pair) = next() {
            if let Err(error) = self.play_pair(pair, &mut players) {
                self.send(Err(error));
                break;
            }
        }
        for player in &mut players {
            self.dismiss(player);
        }
    }

    /// The receiver lives as long as any worker.
    fn send(&self, message: Result<MatchEvent, PlayerError>) {
        let _ = self.sender.send(message);
    }

    fn dismiss(&self, player: &mut Player<'m>) {
        if self.cancel.is_cancelled() {
            return player.kill();
        }
        let faults = player.quit();
        if !faults.is_empty() {
            self.send(Ok(MatchEvent::UnsolicitedOutput(player.name.to_owned(), faults)));
        }
    }

    fn play_pair(&mut self, pair: Pair, players: &mut [Player<'m>]) -> Result<(), PlayerError> {
        // Only the two that play need memory.
        for (index, player) in players.iter_mut().enumerate() {
            if !pair.engines.contains(&index) {
                self.dismiss(player);
            }
        }
        let Ok([first, second]) = players.get_disjoint_mut(pair.engines) else { return Ok(()) };
        let Contest { settings, id, .. } = self.contest;
        let &MatchSettings { rules, adjudication, slack, ref spectators, .. } = settings;
        let opening = &settings.openings[pair.opening];
        let clock = |engine| GameClock::new(settings.control_of(engine), settings.increment_use);
        let first_color = opening.position().turn();
        // In the first game engine 1 moves first.
        for (number, engine1) in (2 * pair.number..).zip([first_color, !first_color]) {
            if self.done.contains_key(&number) {
                continue;
            }
            if settings.processes == Processes::Restarted {
                self.dismiss(first);
                self.dismiss(second);
            }
            let clocks = by_color(engine1, pair.engines.map(clock));
            let setup =
                GameSetup { match_id: id, opening, rules, adjudication, clocks, slack, engine1, number, spectators };
            let players = by_color(engine1, [&mut *first, &mut *second]);
            let (record, remark) = play(&setup, players, self.facts.as_mut())?;
            self.send(Ok(MatchEvent::Game(Box::new(record), remark)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_different() {
        let engines = [EngineSpec::from_words(["a", "name=E"]).unwrap(), EngineSpec::from_words(["b"]).unwrap()];
        assert_eq!(unused("E", &[], &engines), "E #2");
        assert_eq!(unused("E", &["E #2".to_owned()], &engines), "E #3");
        assert_eq!(unused("F", &[], &engines), "F");
    }
}

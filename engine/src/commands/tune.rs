//! `enbu tune`: better parameters of an engine, by games against itself.

mod args;
mod show;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use enbu_arena::openings::{self, Opening};
use enbu_arena::report::Tally;
use enbu_arena::spsa::{self, Conditions, State, Trial};
use enbu_arena::{
    Contest, ContestError, EngineSpec, GameRecord, MatchEvent, MatchSettings, OpeningOrder, Ponder, Processes,
    Schedule, Scores, Spectators, Tournament, TrafficLog, identify,
};
use enbu_usi::client::Cancel;

use super::failure::{INTERRUPTED, cancel_on_signal, named};
use super::game_args;
use super::progress::Progress;
use crate::terminal::notice as report;
pub(crate) use args::TuneArgs;

pub(crate) const EXAMPLES: &str = "Examples:
  cargo build --release --features tune
  enbu tune --engine self option.USI_Hash=16 --param lmr_base:100 --param lmr_divisor --tc nodes=20000
            --openings openings.sfen --iterations 2000 --pairs 4 --concurrency 4 --state lmr.json
  enbu tune --engine ./enbu-tune --param all --tc 2+0.02 --openings openings.sfen --iterations 20000
  enbu tune --show --state lmr.json

Parameters are spin options of the engine; a build with the feature `tune` declares those of our search. An
interrupted command, given again, continues where it stopped. A step should change the strength measurably; the
default is an eighth of the way from the start to the nearer end of the range.";

/// Most random openings; more pairs take them again.
const MAX_RANDOM_OPENINGS: u64 = 1000;

/// All pairs of a match.
const WHOLE: (u64, u64) = (0, 1);

pub(crate) fn run(args: &TuneArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    if args.show {
        let state = State::load(&args.state).map_err(io::Error::other)?;
        write!(out, "{}", show::table(&state))?;
        return Ok(ExitCode::SUCCESS);
    }
    let cancel = cancel_on_signal()?;
    match tune(args, &cancel, out) {
        Err(error)
            if matches!(error.get_ref().and_then(|error| error.downcast_ref()), Some(ContestError::Cancelled)) =>
        {
            report(format_args!("interrupted; the same command goes on (state in {})", args.state.display()));
            Ok(ExitCode::from(INTERRUPTED))
        }
        result => result.map(|()| ExitCode::SUCCESS),
    }
}

/// Plays and learns until all iterations are done, and prints the table of parameters.
fn tune(args: &TuneArgs, cancel: &Cancel, out: &mut impl Write) -> io::Result<()> {
    let log = game_args::traffic_log(args.log.as_deref())?;
    let (trials, beginning) = prepare(args, cancel, log.as_ref())?;
    let mut state = open_state(&args.state, beginning)?;
    let mut progress = if args.quiet { Progress::quiet() } else { Progress::new(state.plan.iterations) };
    if state.done > 0 {
        progress.notice(format_args!("going on with {}", args.state.display()));
    }
    progress.show(state.done, || show::line(&state));
    while let Some(trial) = state.trial() {
        let played = trials.play(&trial, cancel, log.as_ref(), &progress);
        let saved = played.and_then(|games| {
            state.learn(games);
            state.save(&args.state).map_err(|error| named(&args.state, &error))
        });
        if let Err(error) = saved {
            progress.finish();
            return Err(error);
        }
        progress.show(state.done, || show::line(&state));
    }
    progress.finish();
    write!(out, "{}", show::table(&state))
}

/// The common settings of all trials of a tuning.
struct Trials {
    /// The settings of every trial, but for its engines and openings.
    settings: MatchSettings,
    engine: EngineSpec,
    names: Vec<String>,
    openings: Vec<Opening>,
    schedule: Schedule,
}

/// Queries the engine's options; returns the trials and the first state.
fn prepare(args: &TuneArgs, cancel: &Cancel, log: Option<&TrafficLog>) -> io::Result<(Trials, State)> {
    let mut engine = args.engine()?;
    let plan = args.plan();
    let time_control = args.time_control(&engine)?;
    if args.openings.is_none() && engine.time_control.unwrap_or(time_control).is_deterministic() {
        report(game_args::repeated_games());
    }
    let patience = args.clock.patience();
    let name = engine.name.clone().unwrap_or_else(|| "the engine".to_owned());
    let identity = identify(&name, &engine, patience, cancel, log).map_err(io::Error::other)?;
    let parameters = spsa::select(&args.wanted, &identity.options, &engine.launch.options).map_err(io::Error::other)?;
    let names: Vec<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
    engine.launch.options.retain(|(option, _)| !names.iter().any(|name| name.eq_ignore_ascii_case(option)));
    let rules = args.rules.rules();
    let rounds = plan.iterations.saturating_mul(plan.pairs.into());
    let count = usize::try_from(rounds.min(MAX_RANDOM_OPENINGS)).unwrap_or(usize::MAX);
    let openings = game_args::openings(args.openings.as_deref(), rules, count, args.seed, cancel)?;
    let conditions = conditions(args, &engine, &identity.name, &openings)?;
    let state = State::new(parameters, plan, conditions).map_err(io::Error::other)?;
    let settings = MatchSettings {
        engines: Vec::new(),
        time_control,
        increment_use: args.clock.increment,
        format: Tournament::RoundRobin,
        rounds: plan.pairs as usize,
        swiss_rounds: 0,
        openings: Vec::new(),
        order: OpeningOrder::Sequential,
        seed: args.seed,
        part: WHOLE,
        rules,
        adjudication: args.rules.adjudication(),
        facts: args.rules.facts(),
        slack: args.clock.slack(),
        patience,
        concurrency: usize::from(args.concurrency),
        processes: Processes::Kept,
        spectators: Spectators::default(),
    };
    let rounds = usize::try_from(rounds).unwrap_or(usize::MAX);
    let order = OpeningOrder::Random;
    let schedule = Schedule::new(2, Tournament::RoundRobin, rounds, openings.len(), order, args.seed, WHOLE);
    Ok((Trials { settings, engine, names, openings, schedule }, state))
}

/// The conditions that a continued tuning must share, besides its plan.
fn conditions(args: &TuneArgs, engine: &EngineSpec, name: &str, openings: &[Opening]) -> io::Result<Conditions> {
    let common = args.time_control(engine)?;
    let options = engine.launch.options.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    });
    let ponder = (engine.ponder == Ponder::On).then(|| "ponder=on".to_owned());
    let options: Vec<String> = options.chain(ponder).collect();
    let pairs = [
        ("the engine", name.to_owned()),
        ("options", if options.is_empty() { "none".to_owned() } else { options.join(" ") }),
        ("the clock", args.clock.words(engine.time_control.unwrap_or(common))),
        ("the rules", args.rules.words()),
        ("openings", format!("{} ({:016x})", openings.len(), openings::digest(openings))),
    ];
    Ok(pairs.into_iter().map(|(what, value)| (what.to_owned(), value)).collect())
}

/// The state in the file if there is one, which must fit, or the beginning; it is saved
/// before any game is played, to see that it can be.
fn open_state(path: &Path, beginning: State) -> io::Result<State> {
    if path.exists() {
        let state = State::load(path).map_err(io::Error::other)?;
        let fits = state.check_fit(&beginning);
        fits.map_err(|misfit| io::Error::other(format!("{} does not fit: {misfit}", path.display())))?;
        return Ok(state);
    }
    beginning.save(path).map_err(|error| named(path, &error))?;
    Ok(beginning)
}

impl Trials {
    /// Plays a trial; its games seen from the side of `plus`.
    fn play(&self, trial: &Trial, cancel: &Cancel, log: Option<&TrafficLog>, progress: &Progress) -> io::Result<Tally> {
        let contest = Contest::prepare(self.settings(trial), cancel, log).map_err(io::Error::other)?;
        let mut games = Tally::default();
        let played = contest.play(Scores::new(), cancel, log, |news| {
            match news {
                MatchEvent::Game(game, _) => {
                    games.add(game.score1);
                    notice(progress, trial, &game);
                }
                MatchEvent::UnsolicitedOutput(name, faults) => {
                    for (fault, times) in faults.iter() {
                        progress.notice(format_args!("{name} after its last game: {fault} ({times})"));
                    }
                }
            }
            ControlFlow::Continue(())
        });
        played.map(|()| games).map_err(io::Error::other)
    }

    fn settings(&self, trial: &Trial) -> MatchSettings {
        let pairs = self.settings.rounds;
        let first = usize::try_from(trial.iteration).unwrap_or(usize::MAX).saturating_mul(pairs);
        let openings = self.schedule.pairs().skip(first).take(pairs).filter_map(|pair| self.openings.get(pair.opening));
        MatchSettings {
            engines: vec![self.side("plus", &trial.plus), self.side("minus", &trial.minus)],
            openings: openings.cloned().collect(),
            ..self.settings.clone()
        }
    }

    /// The engine with these values of the parameters.
    fn side(&self, name: &str, values: &[i64]) -> EngineSpec {
        let mut engine = EngineSpec { name: Some(name.to_owned()), ..self.engine.clone() };
        let options = self.names.iter().zip(values).map(|(name, value)| (name.clone(), Some(value.to_string())));
        engine.launch.options.extend(options);
        engine
    }
}

/// Prints a notice for a game with a remark.
fn notice(progress: &Progress, trial: &Trial, game: &GameRecord) {
    if !game.text.is_empty() && !game.reason.is_fact() {
        let (iteration, reason) = (trial.iteration + 1, game.reason);
        progress.notice(format_args!("iteration {iteration}, game {}: {reason}: {}", game.game, game.text));
    }
}

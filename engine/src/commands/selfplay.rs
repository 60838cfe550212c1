//! `enbu selfplay`: games to learn from.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use enbu_analysis::Curve;
use enbu_eval::{Evaluation, Evaluator};
use enbu_files::Existing;
use enbu_learn::export;
use enbu_learn::selfplay::{Progress, Run, RunError, Settings, Starts, Yardstick};
use enbu_learn::source::{self, Format};
use enbu_learn::{Filter, Loud, Statistics};
use enbu_movegen::Position;
use enbu_search::Solo;
use indicatif::ProgressBar;

use super::failure::{Force, check_writable, ended, go_on, stop_on_signal};
use super::progress::bar;
use super::shard::Shard;
use crate::terminal::notice;
use crate::{evaluation, machine};

pub(crate) const EXAMPLES: &str = "Examples:
  enbu selfplay --games 20000 --out data/selfplay/first
  enbu selfplay --games 200000 --nodes 2000 --seed 7 --threads 4 --out data/selfplay/second
  enbu selfplay --games 200000 --starts data/selfplay/first --seed 3 --out data/selfplay/third
  enbu selfplay --games 200000 --shard 2/3 --progress 60 --out data/selfplay/second
  enbu selfplay stats data/selfplay/first
  enbu selfplay shuffle data/selfplay/first --out data/first.psv
  enbu selfplay export data/selfplay/first --out data/first.hcpe --limit 1000000
  enbu selfplay merge data/selfplay/first data/selfplay/second --out data/both.games
  enbu selfplay merge data/selfplay/first data/selfplay/second --out data/both.archive
  enbu selfplay yardstick data/selfplay/first --nodes 50000 --out data/yardstick.games
  enbu selfplay stats data/yardstick.games --eval embedded --eval data/second.nnue
An interrupted command, given again, continues where it stopped. The extension of a file
names its format: .games (our own), .archive (the same in less than half the space,
scores rounded), .psv or .bin (PackedSfenValue), .hcpe, .pack; .tsv is for people and scripts, write only.";

#[derive(Args)]
pub(crate) struct SelfplayArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum Action {
    /// Count games and positions, and fit scores to results
    Stats {
        /// Files, or folders with files of games
        #[arg(required = true, value_name = "FILE|FOLDER")]
        sources: Vec<PathBuf>,
        /// Evaluations to compare by their loss against the scores: embedded, piece-square, or the file of a network
        #[arg(long, value_name = "EVAL")]
        eval: Vec<String>,
    },
    /// Write positions in random order, as PackedSfenValue
    Shuffle {
        /// Files, or folders with files of games
        #[arg(required = true, value_name = "FILE|FOLDER")]
        sources: Vec<PathBuf>,
        /// File to write, .psv or .bin
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        force: Force,
        /// Seed; the same seed gives the same order
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Memory to use, in MB
        #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
        memory: u64,
    },
    /// Search some of the positions deeply, to compare evaluations by
    Yardstick(YardstickArgs),
    /// Put games into one file
    Merge(ExportArgs),
    /// Write games or positions in any format
    Export(ExportArgs),
}

#[derive(Args)]
struct ExportArgs {
    /// Files, or folders with files of games
    #[arg(required = true, value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    /// File to write; its extension names the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Write no more positions than this (games are not cut)
    #[arg(long, value_name = "POSITIONS")]
    limit: Option<u64>,
}

#[derive(Args)]
struct YardstickArgs {
    /// Files, or folders with files of games
    #[arg(required = true, value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    yardstick: Yardstick,
    /// Evaluation: embedded, piece-square, or the file of a network
    #[arg(long, default_value = "embedded", value_name = "EVAL")]
    eval: String,
    /// Searches at the same time; default: one for each CPU
    #[arg(long)]
    threads: Option<usize>,
}

#[derive(Args)]
struct RunArgs {
    /// Folder for the files of games
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    /// Number of games
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Games in each file
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    games_per_file: u64,
    /// Evaluation: embedded (the strongest), piece-square, or the file of a network
    #[arg(long, default_value = "embedded", value_name = "EVAL")]
    eval: String,
    /// Make only part i of n of the files
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Games at the same time; default: one for each CPU
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    settings: Settings,
    /// Start half of the games from positions of these games, one random move later
    #[arg(long, value_name = "FILE|FOLDER")]
    starts: Vec<PathBuf>,
    /// Print the progress to standard error at this interval, even when it is not a terminal
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    progress: Option<u64>,
}

impl RunArgs {
    fn run(&self) -> io::Result<Run> {
        let evaluation = evaluation::named(&self.eval)?;
        Ok(Run {
            settings: self.settings,
            starts: self.starts()?,
            origin: origin(&evaluation)?,
            evaluation,
            games: self.games,
            games_per_file: self.games_per_file,
            part: self.shard.part(),
            folder: self.out.clone().unwrap_or_default(),
        })
    }

    /// The positions of earlier games; an error where the games hold none.
    fn starts(&self) -> io::Result<Option<Arc<Starts>>> {
        if self.starts.is_empty() {
            return Ok(None);
        }
        let files = source::files(&self.starts).map_err(io::Error::other)?;
        let starts = Starts::draw(&files, self.settings.seed, self.settings.opening_bound).map_err(io::Error::other)?;
        if starts.is_empty() {
            return Err(io::Error::other("--starts: no position of these games is within --opening-bound"));
        }
        Ok(Some(Arc::new(starts)))
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(machine::processors).max(1)
    }
}

pub(crate) fn run(args: &SelfplayArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    match &args.action {
        None => return play(&args.run, out),
        Some(Action::Stats { sources, eval }) => stats(sources, eval, out)?,
        Some(Action::Shuffle { sources, out: target, seed, memory, force }) => {
            check_writable(target, force.existing())?;
            let sources = source::files(sources).map_err(io::Error::other)?;
            let written = export::shuffle(&sources, target, *seed, *memory).map_err(io::Error::other)?;
            writeln!(out, "{written} positions written to {}", target.display())?;
        }
        Some(Action::Yardstick(args)) => return yardstick(args, out),
        Some(Action::Merge(args)) if !matches!(Format::of(&args.out), Some(Format::Games | Format::Archive)) => {
            return Err(io::Error::other(format!("{}: the name must end in .games or .archive", args.out.display())));
        }
        Some(Action::Merge(args) | Action::Export(args)) => {
            check_writable(&args.out, args.force.existing())?;
            let sources = source::files(&args.sources).map_err(io::Error::other)?;
            let limit = args.limit.unwrap_or(u64::MAX);
            let written = export::export(&sources, &args.out, limit).map_err(io::Error::other)?;
            writeln!(out, "{written} positions written to {}", args.out.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The program and an evaluation as text.
fn origin(evaluation: &Evaluation) -> io::Result<String> {
    Ok(format!("enbu={} eval={evaluation}:{:016x}", env!("CARGO_PKG_VERSION"), fingerprint(evaluation)?))
}

/// A digest of an evaluation: the hash of its values of fixed positions.
fn fingerprint(evaluation: &Evaluation) -> io::Result<u64> {
    let mut values = Vec::new();
    for position in super::bench::positions()? {
        values.extend(Evaluator::with(evaluation, &position).evaluate(&position).to_le_bytes());
    }
    Ok(enbu_files::fnv1a(&values))
}

fn stats(sources: &[PathBuf], evaluations: &[String], out: &mut impl Write) -> io::Result<()> {
    let evaluations: Vec<_> = evaluations.iter().map(|name| evaluation::named(name)).collect::<io::Result<_>>()?;
    let files = source::files(sources).map_err(io::Error::other)?;
    let mut statistics = Statistics::default();
    for path in &files {
        if matches!(Format::of(path), Some(Format::Games | Format::Archive | Format::Pack)) {
            let games = source::read_games(path).map_err(io::Error::other)?;
            games.iter().for_each(|game| statistics.add_game(game));
        }
        source::read(path, |sample| statistics.add(sample)).map_err(io::Error::other)?;
    }
    writeln!(out, "{statistics}")?;
    let Some(scale) = statistics.fitted_scale() else { return Ok(()) };
    for evaluation in evaluations {
        let loss = loss(&evaluation, Curve::new(scale.round() as i32), &files)?;
        writeln!(out, "loss of {evaluation}:{:016x} {loss:.5}", fingerprint(&evaluation)?)?;
    }
    Ok(())
}

/// The mean squared error of the share of points that an evaluation predicts against the
/// one that the scores predict by `curve`; positions to learn from, captures included.
fn loss(evaluation: &Evaluation, curve: Curve, files: &[PathBuf]) -> io::Result<f64> {
    let filter = Filter { captures: Loud::Keep, ..Filter::default() };
    let own = Curve::of(evaluation);
    let mut evaluator = Evaluator::with(evaluation, &Position::startpos());
    let (mut sum, mut positions) = (0.0, 0_u64);
    for path in files {
        source::read(path, |sample| {
            if filter.verdict(sample).is_none() {
                evaluator.reset(sample.position);
                let value = own.win_probability(evaluator.evaluate(sample.position));
                sum += (value - curve.win_probability(sample.score.into())).powi(2);
                positions += 1;
            }
        })
        .map_err(io::Error::other)?;
    }
    Ok(sum / positions.max(1) as f64)
}

fn yardstick(args: &YardstickArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    if Format::of(&args.yardstick.file) != Some(Format::Games) {
        return Err(io::Error::other(format!("{}: the name must end in .games", args.yardstick.file.display())));
    }
    check_writable(&args.yardstick.file, Existing::Replace)?;
    let cancelled = stop_on_signal()?;
    let evaluation = evaluation::named(&args.eval)?;
    let yardstick = Yardstick { origin: origin(&evaluation)?, evaluation, ..args.yardstick.clone() };
    let files = source::files(&args.sources).map_err(io::Error::other)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).stack_size(Solo::STACK_BYTES);
    let pool = pool.build().map_err(io::Error::other)?;
    let chosen = yardstick.choose(&files).map_err(io::Error::other)?;
    let bar = bar(Some(chosen.0.len() as u64), "positions {pos}/{len} {wide_bar} {eta}");
    let searched = pool.install(|| {
        yardstick.search(&chosen, |done| {
            bar.set_position(done);
            go_on(&cancelled)
        })
    });
    bar.finish_and_clear();
    let done = searched.map_err(io::Error::other)?;
    writeln!(out, "{done} of {} positions written to {}", chosen.0.len(), args.yardstick.file.display())?;
    ended(done >= chosen.0.len() as u64, out)
}

fn play(args: &RunArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let cancelled = stop_on_signal()?;
    let run = args.run()?;
    let (missing, standing) = run.missing().map_err(io::Error::other)?;
    let files = missing.len() as u64 + standing.files;
    let mut meter = Meter::new(args.progress.map(Duration::from_secs), standing, files);
    let result = run.play(&missing, args.threads(), |progress| {
        meter.add(progress);
        go_on(&cancelled)
    });
    meter.bar.finish_and_clear();
    result.map_err(|error: RunError| io::Error::other(error))?;
    writeln!(out, "{}", meter.line())?;
    ended(!cancelled.load(Ordering::Relaxed), out)
}

/// Counts and shows the progress.
struct Meter {
    bar: ProgressBar,
    interval: Option<Duration>,
    started: Instant,
    told: Instant,
    standing: Progress,
    done: Progress,
    files: u64,
}

impl Meter {
    fn new(interval: Option<Duration>, standing: Progress, files: u64) -> Self {
        let bar = bar(Some(files), "files {pos}/{len} {wide_bar} {msg} {eta}");
        bar.set_position(standing.files);
        let now = Instant::now();
        Self { bar, interval, started: now, told: now, standing, done: Progress::default(), files }
    }

    fn add(&mut self, progress: Progress) {
        self.done += progress;
        self.bar.set_position(self.standing.files + self.done.files);
        self.bar.set_message(format!("{} positions", self.standing.positions + self.done.positions));
        if self.interval.is_some_and(|interval| self.told.elapsed() >= interval) {
            self.told = Instant::now();
            notice(self.line());
        }
    }

    /// The totals and the speed of this run.
    fn line(&self) -> String {
        let Self { standing, done, files, .. } = self;
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        format!(
            "files {}/{files} games {} positions {}, this run: {:.0} positions/s {:.0} nodes/s {:.0} nodes/position",
            standing.files + done.files,
            standing.games + done.games,
            standing.positions + done.positions,
            done.positions as f64 / seconds,
            done.nodes as f64 / seconds,
            done.nodes as f64 / (done.positions as f64).max(1.0),
        )
    }
}

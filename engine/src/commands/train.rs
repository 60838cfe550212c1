//! `enbu train`: a network from games.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use enbu_arena::chart::{self, Panel, Series};
use enbu_files::{Existing, FileKind};
use enbu_learn::{
    Dataset, Filter, Foresight, KINDS, Kind, Plan, Point, Positions, Selection, Shape, ShapeError, Trainer, source,
};
use indicatif::ProgressBar;

use super::failure::{Force, INTERRUPTED, check_writable, go_on, named, stop_on_signal, usage, write_file};
use super::progress::bar;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu train data/selfplay/first --out data/first.nnue
  enbu train data/selfplay/first data/selfplay/second --out data/second.nnue --width 256 --epochs 15
             --checkpoint data/second.checkpoint --resume --chart data/second.svg
  enbu train data/second.psv --out data/tuned.nnue --start data/second.checkpoint --rate 0.0001
             --result-share 0.8 --epochs 2
  enbu train data/selfplay/first --shape kp --out data/nn.bin";

/// Interval between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(120);

#[derive(Args)]
pub(crate) struct TrainArgs {
    /// Files of games or positions, or folders with files of games
    #[arg(required = true, value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    /// File for the network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Name of the network, in its file
    #[arg(long, default_value = "enbu")]
    name: String,
    /// Architecture
    #[arg(long, default_value = KINDS[0].name, value_parser = kinds())]
    shape: Kind,
    /// Of deep: accumulator width of each side (L1), a multiple of 32 from 64 to 1024; default: 128
    #[arg(long)]
    width: Option<usize>,
    #[command(flatten)]
    plan: Plan,
    /// Centipawns of the sigmoid that turns scores into win rates; default: fitted to the data
    #[arg(long, value_name = "CP")]
    scale: Option<f64>,
    /// Share of the game result in the target; the rest is the score's
    #[arg(long, value_name = "SHARE", default_value_t = Plan::default().result_share[0])]
    result_share: f64,
    /// Share of the game result at the end; default: unchanged
    #[arg(long, value_name = "SHARE")]
    final_result_share: Option<f64>,
    /// Weight of the rest of the game in a score, from 0 (none) to 1 (only the result);
    /// scores of single positions stay
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    foresight: f64,
    /// Memory for positions, in MB; those that do not fit are read from a temporary file beside the
    /// network while others are trained on
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,
    /// Threads; default: one for each CPU
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    filter: Filter,
    /// One game in N is kept for validation
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..))]
    test_one_in: u64,
    /// Checkpoint file, written every two minutes and at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint if there is one
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Begin with the network of this checkpoint, or this network (.nnue), unless --resume finds a checkpoint
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Report the losses on these positions as well (see `enbu selfplay yardstick`)
    #[arg(long, value_name = "FILE")]
    yardstick: Option<PathBuf>,
    /// Draw the losses into this SVG file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// Finds architectures by their names.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    let names = KINDS.map(|kind| PossibleValue::new(kind.name).help(kind.about));
    PossibleValuesParser::new(names).map(|name| KINDS.into_iter().find(|kind| kind.name == name).unwrap_or(KINDS[0]))
}

impl TrainArgs {
    /// The scale given or fitted to the data, in whole centipawns as in the file.
    fn scale(&self, data: &Dataset) -> f64 {
        self.scale.or_else(|| data.fitted_scale()).unwrap_or(Plan::default().scale).round()
    }

    /// The treatment of files that exist; a training that continues has written its own before.
    fn existing(&self) -> Existing {
        if self.resume { Existing::Replace } else { self.force.existing() }
    }

    /// Fails if a file to write later cannot be written, or a file to begin with is missing.
    fn check_files(&self) -> io::Result<()> {
        let existing = self.existing();
        if let Some(path) = self.checkpoint.as_deref().filter(|path| existing == Existing::Keep && path.exists()) {
            let text = format!("{} exists; --force overwrites it, --resume continues from it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        let written = [Some(&self.out), self.checkpoint.as_ref(), self.chart.as_ref()];
        written.into_iter().flatten().try_for_each(|path| check_writable(path, existing))?;
        let Some(start) = &self.start else { return Ok(()) };
        enbu_files::open(start, FileKind::Network).map(drop).map_err(|error| named(start, &error))
    }

    /// The architecture and its size. Fails for a width of an architecture without a choice of it.
    fn shape(&self) -> io::Result<Shape> {
        self.shape.shape(self.width).map_err(|error| match error {
            ShapeError::Fixed => usage::<TrainArgs>("train", "--width is for --shape deep"),
            ShapeError::Range => io::Error::other(error),
        })
    }

    fn plan(&self, shape: Shape, scale: f64) -> Plan {
        let result_share = [self.result_share, self.final_result_share.unwrap_or(self.result_share)];
        Plan { shape, scale, result_share, ..self.plan.clone() }
    }
}

pub(crate) fn run(args: &TrainArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let shape = args.shape()?;
    args.check_files()?;
    let threads = args.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let cancelled = stop_on_signal()?;
    // Read first: a fault ends the command before it trains.
    let yardstick = args.yardstick.as_ref().map(|path| read_yardstick(path, args)).transpose()?;
    let (data, scale) = load(args, out)?;
    let plan = args.plan(shape, scale);
    let mut trainer = Trainer::new(plan.clone(), &data).map_err(io::Error::other)?;
    writeln!(out, "plan: {plan}")?;
    if let Some(start) = &args.start {
        trainer.start_from(start).map_err(io::Error::other)?;
    }
    if let Some(path) = args.checkpoint.as_deref().filter(|path| args.resume && path.exists()) {
        trainer.resume(path).map_err(io::Error::other)?;
        writeln!(out, "going on from batch {} of {}", trainer.batch(), trainer.batches())?;
    }
    out.flush()?;
    let mut watch = Watch::new(args, &trainer);
    let trained = pool.install(|| {
        trainer.run(|trainer, point| {
            watch.see(trainer, point);
            go_on(&cancelled)
        })
    });
    watch.bar.finish_and_clear();
    if let Some(path) = &args.checkpoint {
        trainer.save(path).map_err(io::Error::other)?;
    }
    trained?;
    draw(args, &plan, &trainer)?;
    writeln!(out, "{}", watch.rate())?;
    if trainer.batch() < trainer.batches() {
        writeln!(out, "interrupted at batch {} of {}", trainer.batch(), trainer.batches())?;
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let validation = pool.install(|| trainer.validation());
    writeln!(out, "{validation}")?;
    if let Some(yardstick) = yardstick {
        writeln!(out, "yardstick:\n{}", pool.install(|| trainer.losses(&yardstick)))?;
    }
    finish(args, &trainer, out)?;
    Ok(ExitCode::SUCCESS)
}

fn load(args: &TrainArgs, out: &mut impl Write) -> io::Result<(Dataset, f64)> {
    let files = source::files(&args.sources).map_err(io::Error::other)?;
    let selection = Selection {
        filter: args.filter,
        validation_one_in: args.test_one_in,
        memory: args.memory << 20,
        folder: enbu_files::folder(&args.out),
    };
    let mut data = Dataset::gather(&files, &selection).map_err(io::Error::other)?;
    let scale = args.scale(&data);
    data.label((args.foresight > 0.0).then_some(Foresight { share: args.foresight, scale }))?;
    let (shards, memory_mb) = (data.shards(), data.memory() >> 20);
    writeln!(out, "data: {} ({} files, shards: {shards}, {memory_mb} MB)", data.summary(), files.len())?;
    writeln!(out, "labels: foresight {} with scale {scale}, mark {:016x}", args.foresight, data.mark())?;
    Ok((data, scale))
}

fn read_yardstick(path: &Path, args: &TrainArgs) -> io::Result<Positions> {
    let positions = Positions::load(path, &args.filter).map_err(io::Error::other)?;
    if positions.is_empty() {
        return Err(io::Error::other(format!("{}: no position passes the filter", path.display())));
    }
    Ok(positions)
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("not a number from 0 to 1".to_owned()) }
}

/// Writes the network and prints its rounding error.
fn finish(args: &TrainArgs, trainer: &Trainer<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", trainer.rounding_error().map_err(io::Error::other)?)?;
    let bytes = trainer.network(&args.name).map_err(io::Error::other)?;
    write_file(&args.out, &bytes, args.existing())?;
    writeln!(out, "{} of {} bytes written to {}", args.shape.product, bytes.len(), args.out.display())
}

fn draw(args: &TrainArgs, plan: &Plan, trainer: &Trainer<'_>) -> io::Result<()> {
    let Some(path) = &args.chart else { return Ok(()) };
    write_file(path, loss_chart(&format!("{}: {plan}", args.name), trainer.curve()), args.existing())
}

/// The losses and the learning rate as an SVG picture.
fn loss_chart(title: &str, curve: &[Point]) -> String {
    let line = |name, color, value: fn(&Point) -> f64| {
        let points = curve.iter().map(|point| (point.batch as f64, value(point))).collect();
        Series { name, color, points }
    };
    let losses =
        vec![line("training", "#963", |point| point.training), line("testing", "#036", |point| point.validation)];
    let least = losses.iter().flat_map(|line| &line.points).map(|&(_, loss)| loss).reduce(f64::min).unwrap_or(0.0);
    let rates = vec![line("", "#036", |point| point.rate)];
    let panel = |title, series, range| Panel { title, series, marks: Vec::new(), range };
    let panels = [panel("loss", losses, (least, least + 1e-3)), panel("learning rate", rates, (0.0, 1e-6))];
    chart::draw(title, "batches", &panels)
}

/// Shows the progress of the training and saves checkpoints.
struct Watch<'a> {
    args: &'a TrainArgs,
    bar: ProgressBar,
    started: Instant,
    saved: Instant,
    positions: u64,
}

impl<'a> Watch<'a> {
    fn new(args: &'a TrainArgs, trainer: &Trainer<'_>) -> Self {
        let bar = bar(Some(trainer.batches()), "batches {pos}/{len} {wide_bar} {msg} {eta}");
        let now = Instant::now();
        Self { args, bar, started: now, saved: now, positions: 0 }
    }

    fn see(&mut self, trainer: &Trainer<'_>, point: Option<Point>) {
        self.positions += trainer.batch_size();
        self.bar.set_position(trainer.batch());
        if let Some(point) = point {
            self.bar.set_message(format!("loss {:.5} testing {:.5}", point.training, point.validation));
        }
        if let Some(path) = self.args.checkpoint.as_deref().filter(|_| self.saved.elapsed() >= CHECKPOINT_INTERVAL) {
            self.saved = Instant::now();
            // The last one, after the training, reports its errors.
            let _ = trainer.save(path);
        }
    }

    /// Positions, seconds and rate as text.
    fn rate(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        format!("{} positions in {seconds:.0} s, {:.0} positions/s", self.positions, self.positions as f64 / seconds)
    }
}

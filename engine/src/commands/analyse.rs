//! `enbu analyse`: the judgement of games, as pages, records and JSON.
//!
//! | file | contents |
//! |---|---|
//! | `units.rs` | the games of the inputs, one after the other |
//! | `product.rs` | the files of a game; results of earlier runs |
//! | `work.rs` | games side by side |
//! | `display.rs` | progress and totals |

mod display;
mod product;
mod units;
mod work;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use enbu_analysis::{Earlier, Limit, OpeningCache, Order, Scope, Settings, Thresholds};
use enbu_eval::Evaluation;
use enbu_files::Existing;
use enbu_kifu::{Format, ScoreStyle};
use enbu_language::Language;
use enbu_movegen::Color;

use super::choices::{Choice, SCORES, one_of, seconds, word};
use super::failure::{self, Force, check_writable, named, usage};
use super::inputs::{Target, extension, inputs};
use super::shard::Shard;
use crate::evaluation;
use crate::locale;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu analyse game.kif -o game.html                 a page to look at
  enbu analyse games/ -o report/ --nodes 200000      a folder: pages, and an index of them
  enbu analyse games/ -o report/ --format html,kif,csa --problems problems.tsv
  enbu analyse game.csa --depth 12 --multipv 3       JSON on standard output
  enbu analyse games/ -o report/ --shard 2/8         the second of eight machines
With a folder as output, an interrupted command, given again, continues where it stopped.";

#[derive(Args)]
pub(crate) struct AnalyseArgs {
    /// Records in any format, and folders; `-` or nothing is standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write to; default: standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Time for each position, in seconds [default: 1, without another limit]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds, conflicts_with_all = ["nodes", "depth"])]
    time: Option<Duration>,
    /// Nodes for each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Iterations for each position
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: Option<u32>,
    /// Best lines of each position
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    multipv: u16,
    /// The first move to judge
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    from: u32,
    /// The last move to judge
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..))]
    to: Option<u32>,
    /// The side whose moves are judged
    #[arg(long, default_value = "both", value_parser = one_of(SIDES))]
    side: JudgedSide,
    /// Analyse the variations too
    #[arg(long)]
    variations: bool,
    /// Search the positions of a game in their order, not from the end to the start
    #[arg(long)]
    forward: bool,
    /// Threads for each game
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Games side by side [default: one for each CPU, divided by the threads]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,
    /// Transposition table of each game, in MB [default: 1 to 8 for up to 20000 nodes, else 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: Option<u32>,
    /// Formats to write, separated by commas
    /// [default: by OUT's extension; html for a folder, json for standard output]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = one_of(KINDS))]
    format: Vec<Kind>,
    /// Evaluation: embedded (the strongest), piece-square, or the file of a network
    #[arg(long, default_value = "embedded", value_name = "EVAL")]
    eval: String,
    /// Nodes of the mate solver for each position; 0: none [default: those of --nodes, else 100000]
    #[arg(long, value_name = "NODES")]
    mate: Option<u64>,
    /// Least losses of win probability, in percent, of inaccuracies, mistakes and blunders
    #[arg(long, value_name = "PERCENT", default_value = "5,10,20")]
    thresholds: Thresholds,
    /// Plies of an even game whose positions are searched once for all games
    #[arg(long, value_name = "PLIES", default_value_t = 16, value_parser = clap::value_parser!(u16).range(0..=100))]
    book: u16,
    /// Write next-move problems from blunders and missed mates to this file
    #[arg(long, value_name = "FILE")]
    problems: Option<PathBuf>,
    /// Dialect of evaluations in comments of kif, ki2 and jkf
    #[arg(long, value_name = "DIALECT", default_value = "shogihome", value_parser = one_of(SCORES))]
    scores: ScoreStyle,
    /// Treatment of comments and scores that a record holds already
    #[arg(long, default_value = "replace", value_name = "TREATMENT", value_parser = one_of(EARLIER))]
    comments: Earlier,
    /// Analyse only part i of n of the games
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    #[command(flatten)]
    force: Force,
}

/// The side whose moves are judged; `None` for both.
type JudgedSide = Option<Color>;

const SIDES: &[Choice<JudgedSide>] =
    &[("black", "", Some(Color::Black)), ("white", "", Some(Color::White)), ("both", "", None)];

/// Treatments of comments and scores that a record holds already.
const EARLIER: &[Choice<Earlier>] = &[
    ("replace", "Replace those of an earlier analysis by Enbu, keep the others", Earlier::Replace),
    ("append", "Keep all, write the new ones after them", Earlier::Append),
    ("insert", "Keep all, write the new ones before them", Earlier::Insert),
    ("overwrite", "Remove all at every position that is judged", Earlier::Overwrite),
    ("none", "Keep all, write none", Earlier::Keep),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Html,
    Json,
    /// A record, and the extension of its files.
    Record(Format, &'static str),
}

const KINDS: &[Choice<Kind>] = &[
    ("html", "", Kind::Html),
    ("json", "", Kind::Json),
    ("kif", "", Kind::Record(Format::Kif, "kif")),
    ("kifu", "", Kind::Record(Format::Kif, "kifu")),
    ("ki2", "", Kind::Record(Format::Ki2, "ki2")),
    ("ki2u", "", Kind::Record(Format::Ki2, "ki2u")),
    ("csa", "", Kind::Record(Format::Csa, "csa")),
    ("jkf", "", Kind::Record(Format::Jkf, "jkf")),
];

impl Kind {
    fn of_extension(path: &Path) -> Option<Self> {
        let extension = extension(path)?;
        KINDS.iter().find(|kind| kind.0 == extension).map(|kind| kind.2)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Json => "json",
            Self::Record(_, extension) => extension,
        }
    }
}

/// A time of more than nothing.
fn some_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).and_then(|time| if time.is_zero() { Err("not more than 0".to_owned()) } else { Ok(time) })
}

impl AnalyseArgs {
    fn settings(&self) -> Settings {
        /// Nodes of a position for each MB of the table. Emptying a larger one for each
        /// game would take longer than the searches.
        const NODES_PER_MB: u64 = 2_500;
        const MOST_SMALL_MB: u64 = 8;
        const USUAL_MATE_NODES: u64 = 100_000;
        let limit = match (self.nodes, self.depth) {
            (Some(nodes), _) => Limit::Nodes(nodes),
            (None, Some(depth)) => Limit::Depth(depth),
            (None, None) => Limit::Time(self.time.unwrap_or(Duration::from_secs(1))),
        };
        let small_mb = self.nodes.map(|nodes| nodes.div_ceil(NODES_PER_MB)).filter(|&mb| mb <= MOST_SMALL_MB);
        let hash_mb = self.hash.map(u64::from).or(small_mb).unwrap_or(64);
        Settings {
            limit,
            multi_pv: self.multipv.into(),
            mate_nodes: self.mate.or(self.nodes).unwrap_or(USUAL_MATE_NODES),
            from: self.from as usize,
            to: self.to.map_or(usize::MAX, |to| to as usize),
            side: self.side,
            threads: self.threads.into(),
            hash_mb: usize::try_from(hash_mb).unwrap_or(usize::MAX),
            order: if self.forward { Order::FromStart } else { Order::FromEnd },
            scope: if self.variations { Scope::Variations } else { Scope::MainLine },
            book_plies: self.book.into(),
            thresholds: self.thresholds,
        }
    }

    fn jobs(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or(cores / usize::from(self.threads), usize::from).max(1)
    }

    fn kinds(&self, target: &Target) -> Result<Vec<Kind>, clap::Error> {
        let kinds = match target {
            _ if !self.format.is_empty() => self.format.clone(),
            Target::Stdout => vec![Kind::Json],
            Target::Folder(_) => vec![Kind::Html],
            Target::File(path) => vec![Kind::of_extension(path).unwrap_or(Kind::Html)],
        };
        if kinds.len() > 1 && !matches!(target, Target::Folder(_)) {
            return Err(usage::<Self>("analyse", "several formats need a folder: -o OUT/"));
        }
        Ok(kinds)
    }
}

/// The work on every game.
struct Job {
    args: AnalyseArgs,
    settings: Settings,
    /// Program and evaluation.
    engine: String,
    evaluation: Evaluation,
    kinds: Vec<Kind>,
    target: Target,
    pages: Option<Language>,
    openings: Arc<OpeningCache>,
    stop: Arc<AtomicBool>,
}

impl Job {
    /// The options of the output in one line, as the command line has them.
    fn output(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        let [scores, comments] = [word(SCORES, &self.args.scores), word(EARLIER, &self.args.comments)];
        let pages = self.pages.map_or("auto", Language::name);
        let (kinds, language) = (kinds.join(","), Language::current().name());
        format!("{kinds} --scores {scores} --comments {comments} --lang {pages} ({language})")
    }
}

/// Analyses the games that the arguments name.
pub(crate) fn run(args: AnalyseArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    // Several inputs or formats need a folder, and so does a name without an extension.
    let target = Target::of(args.output.as_ref(), |path| Kind::of_extension(path).is_some());
    let kinds = args.kinds(&target).map_err(io::Error::other)?;
    target.prepare(args.force.existing())?;
    let mut files = inputs(&args.inputs)?;
    files.retain(|input| !product::is_own(&input.path));
    let found = files.len();
    let folder = if let Target::Folder(folder) = &target { std::fs::canonicalize(folder).ok() } else { None };
    // An earlier run may have written them.
    let is_inside =
        |path: &Path, folder: &PathBuf| std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder));
    files.retain(|input| !folder.as_ref().is_some_and(|folder| is_inside(&input.path, folder)));
    if files.is_empty() {
        let folders: Vec<String> = args.inputs.iter().map(|path| path.display().to_string()).collect();
        let reason = if found > 0 { " outside the folder to write to" } else { "" };
        return Err(io::Error::other(format!("no records found in {}{reason}", folders.join(", "))));
    }
    if let Some(path) = &args.problems {
        // A run into a folder may continue an earlier one.
        let existing = if folder.is_some() { Existing::Replace } else { args.force.existing() };
        check_writable(path, existing)?;
    }
    let evaluation = evaluation::named(&args.eval)?;
    let job = Job {
        settings: args.settings(),
        engine: format!("Enbu {} ({evaluation})", env!("CARGO_PKG_VERSION")),
        evaluation,
        kinds,
        target,
        pages: locale::named_language(),
        args,
        openings: Arc::default(),
        stop: Arc::new(AtomicBool::new(false)),
    };
    let on_signal = Arc::clone(&job.stop);
    ctrlc::set_handler(move || {
        if on_signal.swap(true, Ordering::Relaxed) {
            // The second time nothing is waited for.
            std::process::exit(i32::from(failure::INTERRUPTED));
        }
    })
    .map_err(io::Error::other)?;
    let mut sink = work::Sink::new(&job, files.len());
    work::run(&job, &files, &mut sink, out)?;
    sink.finish(out)
}

/// Writes a file whole or not at all, with its folder.
fn write_file(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    make_folder_of(path)?;
    failure::write_file(path, bytes, existing)
}

/// Makes the folder of a file where there is none.
fn make_folder_of(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => std::fs::create_dir_all(folder).map_err(|error| named(folder, &error)),
        None => Ok(()),
    }
}

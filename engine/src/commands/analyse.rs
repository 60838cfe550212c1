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

use std::ffi::OsStr;
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
use enbu_language::{Language, pick, text};
use enbu_movegen::Color;

use super::choices::{Choice, SCORES, one_of, seconds, word};
use super::failure::{self, Force, check_writable, failed, named, usage};
use super::inputs::{Target, extension, inputs, listed, no_records};
use super::shard::Shard;
use crate::terminal::notice;
use crate::{evaluation, locale, machine, paths};

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu analyse game.kif                              a summary ‖ 結果の要約
  enbu analyse game.kif --open                       a page beside the record, in the browser ‖ 棋譜の隣にページを作り、ブラウザで開く
  enbu analyse game.kif -o game.html                 a page to look at ‖ 解析結果のページ
  enbu analyse games/ -o report/ --nodes 200000      a folder: pages, and an index of them ‖ フォルダ全体：対局ごとのページと索引
  enbu analyse games/ -o report/ --format html,kif,csa --problems problems.tsv
  enbu analyse game.csa --format json --multipv 3    JSON on standard output ‖ JSON を標準出力に
  enbu analyse games/ -o report/ --shard 2/8         the second of eight machines ‖ 8 台で分担するときの 2 台目
With a folder as output, an interrupted command, given again, continues where it stopped. ‖ 出力先がフォルダのとき、中断しても同じコマンドで続きから再開します。";

#[derive(Args)]
pub(crate) struct AnalyseArgs {
    /// Records in any format, and folders; `-` or nothing is standard input ‖ 棋譜（形式は問わない）やフォルダ。`-` または省略時は標準入力
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write to; default: standard output ‖ 書き出すファイルまたはフォルダ。省略時は標準出力
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Open the page in the browser; without -o it is written beside the record ‖ ページをブラウザで開く。-o がなければ棋譜の隣に書き出す
    #[arg(long)]
    open: bool,
    /// Time for each position, in seconds [default: 1, without another limit] ‖ 1局面あたりの時間（秒）[既定値：ほかの制限がなければ 1]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds, conflicts_with_all = ["nodes", "depth"])]
    time: Option<Duration>,
    /// Nodes for each position ‖ 1局面あたりの探索ノード数
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Depth of each position ‖ 1局面あたりの探索深さ
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: Option<u32>,
    /// Best lines of each position ‖ 1局面あたりの候補手の数
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    multipv: u16,
    /// The first move to judge ‖ 解析を始める手数
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    from: u32,
    /// The last move to judge ‖ 解析を終える手数
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..))]
    to: Option<u32>,
    /// The side whose moves are judged ‖ 解析する側（black：先手、white：後手、both：両方）
    #[arg(long, default_value = "both", value_parser = one_of(SIDES))]
    side: JudgedSide,
    /// Analyse the variations too ‖ 変化手順も解析する
    #[arg(long)]
    variations: bool,
    /// Search the positions of a game in their order, not from the end to the start ‖ 終局からではなく、初手から順に探索する
    #[arg(long)]
    forward: bool,
    /// Threads for each game ‖ 1局あたりのスレッド数
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Games side by side [default: one for each CPU, divided by the threads] ‖ 同時に解析する対局数 [既定値：CPU 数 ÷ スレッド数]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,
    /// Transposition table of each game, in MB [default: 1 to 8 for up to 20000 nodes, else 64] ‖ 1局あたりの置換表（MB）[既定値：20000 ノードまでは 1～8、それ以上は 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: Option<u32>,
    /// Formats to write, separated by commas [default: by OUT's extension; html for a folder, txt for standard output] ‖ 書き出す形式（カンマ区切り）[既定値：拡張子による。フォルダは html、標準出力は txt]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = one_of(KINDS))]
    format: Vec<Kind>,
    /// Evaluation: embedded (the strongest), piece-square, or the file of a network ‖ 評価関数：embedded（内蔵、最強）、piece-square（駒位置評価）、またはファイル名
    #[arg(long, default_value = "embedded", value_name = "EVAL")]
    eval: String,
    /// Nodes of the mate solver for each position; 0: none [default: those of --nodes, else 100000] ‖ 1局面あたりの詰み探索ノード数。0 はなし [既定値：--nodes の値、なければ 100000]
    #[arg(long, value_name = "NODES")]
    mate: Option<u64>,
    /// Least losses of win probability, in percent, of inaccuracies, mistakes and blunders ‖ 疑問手・悪手・大悪手とする勝率の低下（%）
    #[arg(long, value_name = "PERCENT", default_value = "5,10,20")]
    thresholds: Thresholds,
    /// Plies of an even game whose positions are searched once for all games ‖ 平手の初手から何手目までの局面を、全対局で1度だけ探索するか
    #[arg(long, value_name = "PLIES", default_value_t = 16, value_parser = clap::value_parser!(u16).range(0..=100))]
    book: u16,
    /// Write next-move problems from blunders and missed mates to this file; .json: for ShogiHome ‖ 大悪手と詰み逃しから次の一手問題を作り、このファイルに書く（.json なら ShogiHome の次の一手問題集）
    #[arg(long, value_name = "FILE")]
    problems: Option<PathBuf>,
    /// Dialect of evaluations in comments of kif, ki2 and jkf ‖ kif・ki2・jkf のコメントに書く評価値の書式
    #[arg(long, value_name = "DIALECT", default_value = "shogihome", value_parser = one_of(SCORES))]
    scores: ScoreStyle,
    /// Treatment of comments and scores that a record holds already ‖ 棋譜にすでにあるコメントと評価値の扱い
    #[arg(long, default_value = "replace", value_name = "TREATMENT", value_parser = one_of(EARLIER))]
    comments: Earlier,
    /// Analyse only part i of n of the games ‖ 全対局を n 個に分けた i 番目だけを解析する
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
    (
        "replace",
        "Replace those of an earlier analysis by Enbu, keep the others ‖ 以前の Enbu の解析を置き換え、ほかは残す",
        Earlier::Replace,
    ),
    ("append", "Keep all, write the new ones after them ‖ 全部残し、後に書き足す", Earlier::Append),
    ("insert", "Keep all, write the new ones before them ‖ 全部残し、前に書き足す", Earlier::Insert),
    (
        "overwrite",
        "Remove all at every position that is judged ‖ 解析した局面のものを全部消して書く",
        Earlier::Overwrite,
    ),
    ("none", "Keep all, write none ‖ 全部残し、何も書かない", Earlier::Keep),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Html,
    Json,
    /// A few lines for people.
    Text,
    /// A record, and the extension of its files.
    Record(Format, &'static str),
}

const KINDS: &[Choice<Kind>] = &[
    ("html", "", Kind::Html),
    ("json", "", Kind::Json),
    ("txt", "", Kind::Text),
    ("kif", "", Kind::Record(Format::Kif, "kif")),
    ("kifu", "", Kind::Record(Format::Kif, "kifu")),
    ("ki2", "", Kind::Record(Format::Ki2, "ki2")),
    ("ki2u", "", Kind::Record(Format::Ki2, "ki2u")),
    ("csa", "", Kind::Record(Format::Csa, "csa")),
    ("jkf", "", Kind::Record(Format::Jkf, "jkf")),
];

impl Kind {
    fn of_extension(path: &Path) -> Option<Self> {
        let extension = extension(path)?.to_ascii_lowercase();
        let name = if extension == "htm" { "html" } else { &extension };
        KINDS.iter().find(|kind| kind.0 == name).map(|kind| kind.2)
    }

    fn name(self) -> &'static str {
        word(KINDS, &self)
    }
}

/// A time of more than nothing.
fn some_seconds(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    if time.is_zero() {
        Err(pick("not more than 0", "0 より大きい値にしてください").to_owned())
    } else {
        Ok(time)
    }
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
        self.jobs.map_or(machine::processors() / usize::from(self.threads), usize::from).max(1)
    }

    fn kinds(&self, target: &Target) -> io::Result<Vec<Kind>> {
        let kinds = match target {
            _ if !self.format.is_empty() => self.format.clone(),
            Target::Stdout => vec![Kind::Text],
            Target::Folder(_) => vec![Kind::Html],
            Target::File(path) => vec![Kind::of_extension(path).ok_or_else(|| Self::unknown_extension(path))?],
        };
        if kinds.len() > 1 && !matches!(target, Target::Folder(_)) {
            let japanese = "複数の形式を書き出すには、フォルダを指定してください：-o OUT/";
            return Err(usage::<Self>("analyse", pick("several formats need a folder: -o OUT/", japanese)));
        }
        if self.open && !kinds.contains(&Kind::Html) {
            let japanese = "--open にはページが必要です：.html の名前かフォルダを指定してください";
            return Err(usage::<Self>("analyse", pick("--open needs a page: a name in .html, or a folder", japanese)));
        }
        Ok(kinds)
    }

    fn unknown_extension(path: &Path) -> io::Error {
        let known = KINDS.iter().map(|kind| kind.0).collect::<Vec<_>>().join(", ");
        let (path, extension) = (path.display(), path.extension().unwrap_or_default().display());
        let text = text!(
            "{path}: no format has the extension .{extension}; known are {known}; the name of a folder ends in /",
            "{path}：拡張子 .{extension} の形式はありません。使えるのは {known} です。フォルダの名前は / で終えてください"
        );
        usage::<Self>("analyse", text)
    }
}

/// The target where no name is given: beside the first input, or where that cannot be written
/// in the user's folder of documents.
fn beside(inputs: &[PathBuf]) -> Target {
    let first = inputs.first().map_or(Path::new("enbu"), PathBuf::as_path);
    let is_game = inputs.len() == 1 && first.is_file();
    let name = first.file_stem().filter(|_| is_game).or(first.file_name()).unwrap_or(OsStr::new("enbu"));
    let mut name = name.to_owned();
    name.push(if is_game { ".enbu.html" } else { ".enbu" });
    let place = |folder: &Path| folder.join(&name);
    let own = place(first.parent().unwrap_or(Path::new("")));
    let probe = if is_game { own.clone() } else { own.with_extension("enbu.html") };
    let path = if check_writable(&probe, Existing::Replace).is_ok() { own } else { place(&paths::documents()) };
    if is_game { Target::File(path) } else { Target::Folder(path) }
}

/// Shows a page in the browser.
fn open(page: &Path) {
    // Windows takes a relative name for an address.
    if let Err(error) = std::path::absolute(page).and_then(::open::that) {
        let page = page.display();
        notice(text!("enbu: {page} cannot be opened: {error}", "enbu: {page} を開けません：{error}"));
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
    /// The treatment of an output file that exists.
    existing: Existing,
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
    // Several inputs or formats need a folder, which a name without an extension is.
    let is_beside = args.open && args.output.is_none();
    let target = if is_beside {
        beside(&args.inputs)
    } else {
        Target::of(args.output.as_ref(), |path| path.extension().is_some())
    };
    let kinds = args.kinds(&target)?;
    let existing = if is_beside { Existing::Replace } else { args.force.existing() };
    target.prepare(existing)?;
    let mut files = inputs(&args.inputs)?;
    files.retain(|input| !product::is_own(&input.path));
    let found = files.len();
    let folder = if let Target::Folder(folder) = &target { std::fs::canonicalize(folder).ok() } else { None };
    // An earlier run may have written them.
    let is_inside =
        |path: &Path, folder: &PathBuf| std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder));
    files.retain(|input| !folder.as_ref().is_some_and(|folder| is_inside(&input.path, folder)));
    if files.is_empty() && found == 0 {
        return Err(no_records(&args.inputs));
    }
    if files.is_empty() {
        let folders = listed(&args.inputs);
        return Err(failed(text!(
            "no records found in {folders} outside the folder to write to",
            "{folders} には、書き出し先のフォルダの外に棋譜がありません"
        )));
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
        existing,
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

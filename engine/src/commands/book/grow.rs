//! `enbu book make self`: books grown by our own search.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use enbu_analysis::AnalystError;
use enbu_book::grow::{Searched, Tree, Verdict};
use enbu_eval::Evaluation;
use enbu_files::Existing;
use enbu_language::text;
use enbu_movegen::{Position, Setup};
use enbu_search::{BestMove, Limits, Listener, Options, Score, Solo};
use parking_lot::Mutex;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::files::{check_output, write_sorted};
use super::grow_log::{self, Contents, Header, Log, Settings, merge};
use crate::commands::failure::{Force, ended, failed, stop_on_signal};
use crate::commands::inputs::position;
use crate::commands::lines::{Line, Lines};
use crate::commands::progress::Progress;
use crate::commands::shard::Shard;
use crate::{evaluation, machine};

/// Value of a mate at once; one in `n` plies is `n` less.
const MATE_CP: i32 = 32_000;

/// Positions that all parts of a work have, for each part.
const TRUNK_PER_PART: u32 = 32;

/// Memory for sorting the book in the order of its format.
const SORT_BYTES: usize = 64 << 20;

#[derive(Args)]
pub(crate) struct GrowArgs {
    /// The book to write at the end and when interrupted: .db, .ybb, .bin (Apery) or .sbk ‖ 終了時と中断時に書き出す定跡：.db、.ybb、.bin（Apery）、.sbk
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Log of the searches; an existing one is continued [default: FILE.grow.jsonl] ‖ 探索の記録。すでにあれば続きから再開 [既定値：FILE.grow.jsonl]
    #[arg(long, value_name = "LOG")]
    state: Option<PathBuf>,
    /// Number of positions to search, those in the log included ‖ 探索する局面数（記録にある局面を含む）
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Moves that lose more centipawns against the best one are not written ‖ 最善手よりこの評価値を超えて損な指し手は書かない
    #[arg(long, value_name = "CP", default_value_t = 100)]
    keep: u32,
    /// Leave the depths of the searches out, so that BookDepthLimit lets all positions pass ‖ 探索の深さを書かない。BookDepthLimit の制限を受けなくなる
    #[arg(long)]
    no_depths: bool,
    /// Root as `startpos` or an SFEN, with `moves` or without; repeatable [default: startpos] ‖ 開始局面。`startpos` または SFEN、`moves` を続けてもよい。繰り返し可 [既定値：startpos]
    #[arg(long = "position", value_name = "POSITION")]
    roots: Vec<String>,
    #[command(flatten)]
    settings: Settings,
    /// Threads [default: one for each CPU] ‖ スレッド数 [既定値：CPU 数]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,
    /// Transposition table of each thread, in MB ‖ スレッドごとの置換表（MB）
    #[arg(long, value_name = "MB", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Evaluation: embedded (the strongest), piece-square, or the file of a network ‖ 評価関数：embedded（内蔵、最強）、piece-square（駒位置評価）、またはファイル名
    #[arg(long, default_value = "embedded", value_name = "EVAL")]
    eval: String,
    /// Grow only part i of n of the tree ‖ 定跡の木を n 個に分けた i 番目だけを育てる
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Put logs of parts together and search nothing; --state writes a log that can be continued ‖ 探索せず、分担した記録をまとめる。--state で続きを再開できる記録を書く
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = ["shard", "positions"])]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: &GrowArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    // A log makes an existing book a state of this work.
    let continues = args.merge.is_empty() && args.state_path().exists();
    check_output(&args.output, if continues { Existing::Replace } else { args.force.existing() })?;
    if args.merge.is_empty() { grow(args, out) } else { put_together(args, out) }
}

impl GrowArgs {
    fn header(&self, engine: String) -> io::Result<Header> {
        let parts = u32::try_from(self.shard.part().1).unwrap_or(u32::MAX);
        let texts = if self.roots.is_empty() { &["startpos".to_owned()][..] } else { &self.roots };
        let failed = |text, error| failed(text!("--position {text}: {error}", "--position {text}：{error}"));
        let root = |text: &String| position(text).map_err(|error| failed(text.clone(), error));
        let roots = texts.iter().map(root).collect::<io::Result<Vec<_>>>()?;
        Ok(Header {
            engine,
            settings: self.settings.clone(),
            trunk: if self.shard.is_whole() { 0 } else { parts.saturating_mul(TRUNK_PER_PART) },
            shard: self.shard.to_string(),
            roots: roots.iter().map(|position| position.to_setup().to_string()).collect(),
        })
    }

    fn state_path(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| {
            let mut name = OsString::from(&self.output);
            name.push(".grow.jsonl");
            name.into()
        })
    }

    fn jobs(&self) -> usize {
        self.jobs.map_or_else(machine::processors, usize::from).min(self.settings.batch.into()).max(1)
    }
}

/// The tree of a header, without positions.
fn tree(header: &Header) -> io::Result<Tree> {
    let roots: Option<Vec<Position>> =
        header.roots.iter().map(|sfen| Position::from_setup(&sfen.parse::<Setup>().ok()?).ok()).collect();
    let text = text!("a root of the log is not a position", "記録の開始局面が正しくありません");
    let roots = roots.ok_or_else(|| failed(text))?;
    Ok(Tree::new(roots, header.settings.plan))
}

/// Writes the book of a tree; returns the number of its positions.
fn write(args: &GrowArgs, tree: &Tree) -> io::Result<u64> {
    let pages = tree.pages(args.keep).into_iter().map(|mut page| {
        if args.no_depths {
            page.entries.iter_mut().for_each(|entry| entry.depth = None);
        }
        Ok(page)
    });
    write_sorted(&args.output, Existing::Replace, SORT_BYTES, pages)
}

fn put_together(args: &GrowArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut logs: Vec<Contents> = Vec::new();
    for path in &args.merge {
        let text = text!("{}: no log of a growing book", "{}：定跡の探索の記録ではありません", path.display());
        let contents = Contents::read(path)?.ok_or_else(|| failed(text))?;
        if let Some(first) = logs.first() {
            contents.header.whole().check(path, &first.header.whole())?;
        }
        logs.push(contents);
    }
    let Some(header) = logs.first().map(|log| log.header.whole()) else { return Ok(ExitCode::SUCCESS) };
    let mut tree = tree(&header)?;
    let lines = merge(&mut tree, logs);
    if let Some(state) = &args.state {
        let mut log = Log::open(state, &header, None)?;
        lines.chunks(header.settings.batch.max(1).into()).try_for_each(|batch| log.add(batch))?;
    }
    let positions = write(args, &tree)?;
    let logs = args.merge.len();
    writeln!(out, "{}", text!("{positions} positions of {logs} logs", "{positions} 局面（記録 {logs} 件）"))?;
    Ok(ExitCode::SUCCESS)
}

fn grow(args: &GrowArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let evaluation = evaluation::named(&args.eval)?;
    let header = args.header(format!("Enbu {} ({evaluation})", env!("CARGO_PKG_VERSION")))?;
    let path = args.state_path();
    let contents = Contents::read(&path)?;
    if let Some(contents) = &contents {
        contents.header.check(&path, &header)?;
    }
    let stop = stop_on_signal()?;
    let mut work = Work::new(args, header, evaluation)?;
    work.log = Some(Log::open(&path, &work.header, contents.as_ref())?);
    for batch in contents.iter().flat_map(|contents| &contents.batches) {
        work.divide_after_trunk();
        for line in batch {
            line.insert(&mut work.tree);
        }
    }
    let is_complete = work.grow(&stop)?;
    let positions = write(args, &work.tree)?;
    let value = |value| text!(", value {value}", "、評価値 {value}").to_string();
    let value = work.tree.value_cp().map_or_else(String::new, value);
    writeln!(out, "{}", text!("{positions} positions{value}", "{positions} 局面{value}"))?;
    ended(is_complete, out)
}

struct Work<'a> {
    args: &'a GrowArgs,
    header: Header,
    tree: Tree,
    /// A searcher for each thread of the pool.
    judges: Vec<Mutex<Solo>>,
    pool: ThreadPool,
    log: Option<Log>,
    is_divided: bool,
}

impl<'a> Work<'a> {
    fn new(args: &'a GrowArgs, header: Header, evaluation: Evaluation) -> io::Result<Self> {
        let judge = |_| Solo::new(args.hash as usize, evaluation.clone()).map(Mutex::new);
        let judges: Result<_, _> = (0..args.jobs()).map(judge).collect();
        let judges = judges.map_err(|error| io::Error::other(AnalystError::from(error)))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs()).stack_size(Solo::STACK_BYTES);
        let pool = pool.build().map_err(io::Error::other)?;
        let is_divided = args.shard.is_whole();
        Ok(Self { args, tree: tree(&header)?, header, judges, pool, log: None, is_divided })
    }

    /// Number of positions after which the batch ends at the latest.
    fn target(&self) -> usize {
        let all = self.args.positions as usize;
        if self.is_divided { all } else { all.min(self.header.trunk as usize) }
    }

    /// Leaves the rest of the tree to the other parts, once all parts have the trunk.
    fn divide_after_trunk(&mut self) {
        if !self.is_divided && self.tree.positions() >= self.header.trunk as usize {
            self.is_divided = true;
            self.tree.divide(|number| self.args.shard.contains(number));
        }
    }

    /// The verdicts on positions, in their order.
    fn search(&self, leaves: &[Position]) -> Vec<Verdict> {
        let judge = || self.judges.get(rayon::current_thread_index()?);
        let verdict = |leaf| judge().map(|judge| self.verdict(&mut judge.lock(), leaf));
        // One position at a time: searches take different times.
        self.pool.install(|| leaves.par_iter().with_max_len(1).filter_map(verdict).collect())
    }

    fn verdict(&self, judge: &mut Solo, position: &Position) -> Verdict {
        // The result must not depend on earlier searches.
        judge.new_game();
        let lines = Arc::new(Lines::default());
        let limits = Limits { nodes: Some(self.args.settings.nodes), ..Limits::default() };
        let options = Options { multi_pv: self.args.settings.multipv.into(), ..Options::default() };
        let best = judge.analyse(position, limits, options, Arc::clone(&lines) as Arc<dyn Listener>);
        let mut moves: Vec<Searched> = Vec::new();
        for Line { mv, score, depth } in lines.take() {
            // A rank of an iteration that was not completed may repeat an earlier one.
            if moves.iter().all(|earlier| earlier.mv != mv) {
                moves.push(Searched { mv, value_cp: centipawns(score), depth });
            }
        }
        Verdict { moves, value_cp: if best == BestMove::Win { MATE_CP } else { -MATE_CP } }
    }

    /// Grows the tree to its size; false if it was stopped before.
    fn grow(&mut self, stop: &AtomicBool) -> io::Result<bool> {
        let all = self.args.positions as usize;
        let mut progress = Progress::new(all as u64);
        loop {
            self.divide_after_trunk();
            let missing = self.target().saturating_sub(self.tree.positions());
            let leaves = self.tree.take_leaves(missing.min(self.args.settings.batch.into()));
            if leaves.is_empty() {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                progress.finish();
                return Ok(false);
            }
            let verdicts = self.search(&leaves);
            let searched = leaves.iter().zip(&verdicts);
            let lines: Vec<_> = searched.map(|(leaf, verdict)| grow_log::Line::new(leaf, verdict)).collect();
            self.log.as_mut().map_or(Ok(()), |log| log.add(&lines))?;
            for (leaf, verdict) in leaves.iter().zip(&verdicts) {
                self.tree.insert(leaf, verdict);
            }
            let done = self.tree.positions();
            progress.show(done as u64, || text!("{done} of {all} positions", "{done}/{all} 局面").to_string());
        }
        progress.finish();
        Ok(true)
    }
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::MateIn(plies) => MATE_CP - i32::from(plies),
        Score::MatedIn(plies) => i32::from(plies) - MATE_CP,
    }
}

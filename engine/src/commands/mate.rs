//! `enbu mate`: problems from the command line and from files.
//!
//! | file | contents |
//! |---|---|
//! | `problems.rs` | sources of problems |
//! | `report.rs` | output of results |
//! | `soundness.rs` | output of `--sound` |

mod problems;
mod report;
mod soundness;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::iter::Enumerate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use crossbeam_channel::{self as channel, Receiver, RecvTimeoutError, Sender};
use enbu_language::{pick, text};
use enbu_mate::{Limits, Progress, Refinement, Solver, Verdict};
use enbu_movegen::{Move, Position};
use indicatif::ProgressBar;
use parking_lot::Mutex;

use problems::{Problem, Problems};
use report::{Row, Solved, Totals};

use super::choices::{Choice, one_of, seconds};
use super::failure::{INTERRUPTED, stop_on_signal};
use super::progress::bar;
use crate::terminal::message;

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu mate \"7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1\"
  enbu mate problems.sfen --time 60 --hash 4096
  enbu mate problems.sfen --all --refine shortest --json";

#[derive(Args, Clone)]
pub(crate) struct MateArgs {
    /// Problems: SFENs; files with one SFEN a line (further tab-separated columns, blank
    /// lines and lines that begin with # are left out); records and diagrams as KIF, KI2,
    /// BOD, CSA, JKF, PGN or FEN; `-` for standard input ‖ 問題：SFEN、1行1局面の SFEN ファイル（タブ区切りの2列目以降、空行、# で始まる行は無視）、棋譜や図面（KIF・KI2・BOD・CSA・JKF・PGN・FEN）。`-` は標準入力
    #[arg(required = true, value_name = "SFEN|FILE")]
    problems: Vec<String>,
    /// The position after N moves of each record [default: its start; of an SFEN with moves: its end] ‖ 各棋譜の N 手目の局面を解く [既定値：開始局面。指し手付きの SFEN はその最終局面]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Problems to solve at the same time, each with an equal part of the memory ‖ 同時に解く問題数。メモリは等分する
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Memory for solving, in MB ‖ 詰み探索に使うメモリ（MB）
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Time for each problem, in seconds ‖ 1問あたりの制限時間（秒）
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Positions to search for each problem at most ‖ 1問あたりの探索局面数の上限
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Only mates of at most this many plies ‖ この手数以内の詰みだけを探す
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    plies: Option<u16>,
    /// Search for a shorter mate once there is one ‖ 詰みが見つかった後、より短い詰みを探す度合い
    #[arg(long, default_value = "affordable", value_parser = one_of(REFINEMENTS))]
    refine: Refinement,
    /// List every first move that mates ‖ 詰む初手をすべて表示
    #[arg(long)]
    all: bool,
    /// List other solutions and equally long defences along the main line, which is that of a
    /// record if it mates; --nodes applies to each of its moves [default: 1000000] ‖ 作意手順に沿って余詰などの別解と、同手数の変化（変同）を表示。棋譜の手順が詰むならそれを作意とする。--nodes は作意の1手ごとの上限 [既定値：1000000]
    #[arg(long)]
    sound: bool,
    /// Print one JSON object a problem ‖ 1問につき1つの JSON で表示
    #[arg(long)]
    json: bool,
}

/// Efforts for a shorter line.
const REFINEMENTS: &[Choice<Refinement>] = &[
    ("none", "None: the first line found ‖ 探さない（最初に見つけた手順）", Refinement::None),
    (
        "affordable",
        "As many nodes as the first mate took, at least a million ‖ 最初の詰みにかかったノード数まで（少なくとも 100 万）",
        Refinement::Affordable,
    ),
    ("shortest", "Until the shortest is proved ‖ 最短と証明できるまで", Refinement::Shortest),
];

/// Rows that may be solved ahead of the next one to print, for each thread.
const AHEAD: usize = 64;

/// Interval in which Ctrl-C is noticed.
const POLL: Duration = Duration::from_millis(100);

/// Messages of the solving threads to the printing one.
enum Event {
    Row(usize, Box<Row>),
    Status(String),
}

/// The problems and settings of the solving threads.
struct Job {
    args: MateArgs,
    problems: Mutex<Enumerate<Problems>>,
    progress: ProgressBar,
    stop: Arc<AtomicBool>,
}

/// Solves the problems one after the other and prints a row for each, in the order in which
/// they were given. Fails when one is left open or could not be read.
pub(crate) fn run(args: &MateArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut problems = problems::open(&args.problems, args.ply).map_err(io::Error::other)?;
    let mut threads = usize::from(args.threads);
    // No memory for idle threads; standard input may have its problems later.
    if !args.problems.iter().any(|argument| argument == "-") {
        let first: Vec<Problem> = problems.by_ref().take(threads).collect();
        threads = first.len().max(1);
        problems = Box::new(first.into_iter().chain(problems));
    }
    let solvers: Result<Vec<Solver>, _> = (0..threads).map(|_| Solver::new(args.hash as usize / threads)).collect();
    let job = Arc::new(Job {
        args: args.clone(),
        problems: Mutex::new(problems.enumerate()),
        progress: bar(None, "{pos} {elapsed} {wide_msg}"),
        stop: stop_on_signal()?,
    });
    let (sender, events) = channel::unbounded();
    let (permits, printed) = channel::bounded(threads * AHEAD);
    for (number, solver) in solvers.map_err(io::Error::other)?.into_iter().enumerate() {
        let (job, permits, sender) = (Arc::clone(&job), permits.clone(), sender.clone());
        match thread::Builder::new().name("mate".into()).spawn(move || work(&job, solver, &permits, &sender)) {
            Err(error) if number == 0 => return Err(error),
            // Fewer problems at once.
            Err(_) => break,
            Ok(_) => {}
        }
    }
    drop((sender, permits));
    let outcome = print(&job, out, &events, &printed);
    job.stop.store(true, Ordering::Relaxed);
    job.progress.finish_and_clear();
    outcome
}

/// Solves one problem after the other until there is none left, or no reader.
fn work(job: &Job, mut solver: Solver, permits: &Sender<()>, events: &Sender<Event>) {
    while permits.send(()).is_ok() && !job.stop.load(Ordering::Relaxed) {
        let next = job.problems.lock().next();
        let Some((number, Problem { name, position, given })) = next else { return };
        let outcome = position.and_then(|position| {
            let solve = || solved(job, &mut solver, &name, (position, &given), events);
            catch_unwind(AssertUnwindSafe(solve))
                .map_err(|_| pick("the solver failed", "解図に失敗しました").to_owned())
        });
        // The receiver is gone when the printing thread has ended.
        let _ = events.send(Event::Row(number, Box::new(Row { name, outcome })));
    }
}

/// Solves a position; its record continues with the moves beside it.
fn solved(
    job: &Job,
    solver: &mut Solver,
    name: &str,
    (position, given): (Position, &[Move]),
    events: &Sender<Event>,
) -> Solved {
    let (args, stop) = (&job.args, &*job.stop);
    solver.clear();
    let mut tell = |progress: &Progress| {
        if !job.progress.is_hidden() {
            let _ = events.send(Event::Status(status(name, progress)));
        }
    };
    let solution = solver.solve(&position, &limits(args), stop, &mut tell);
    let wanted = args.all && matches!(solution.verdict, Verdict::Mate(_));
    let first_moves = wanted.then(|| solver.first_moves(&position, &limits(args), stop, &mut tell));
    let counted = solver.count(&position, &solution, &limits(args), stop, &mut tell);
    let sound = args.sound.then(|| solver.examine(&position, given, &limits(args), stop, &mut tell)).flatten();
    Solved { position, solution, counted, first_moves, sound }
}

/// Prints rows as they come due, then the totals.
fn print(job: &Job, out: &mut impl Write, events: &Receiver<Event>, printed: &Receiver<()>) -> io::Result<ExitCode> {
    let (Job { progress, .. }, json, mut totals) = (job, job.args.json, Totals::default());
    let (mut waiting, mut due) = (BTreeMap::new(), 0);
    if !json {
        writeln!(out, "{}", report::HEADING)?;
    }
    loop {
        let event = events.recv_timeout(POLL);
        if job.stop.load(Ordering::Relaxed) {
            break;
        }
        match event {
            Ok(Event::Status(text)) => progress.set_message(message(&text)),
            Ok(Event::Row(number, row)) => drop(waiting.insert(number, row)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        while let Some(row) = waiting.remove(&due) {
            due += 1;
            totals.add(&row);
            progress.inc(1);
            progress.suspend(|| {
                if json {
                    writeln!(out, "{}", report::as_json(&row))?
                } else {
                    report::write_row(out, &row)?
                }
                out.flush()
            })?;
            let _ = printed.try_recv();
        }
    }
    if !json {
        writeln!(out, "{totals}")?;
    }
    Ok(match job.stop.load(Ordering::Relaxed) {
        true => ExitCode::from(INTERRUPTED),
        false if totals.open + totals.unread > 0 => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn limits(args: &MateArgs) -> Limits {
    let deadline = args.time.and_then(|time| Instant::now().checked_add(time));
    Limits { nodes: args.nodes, deadline, plies: args.plies, refinement: args.refine }
}

/// The state of the search of one problem.
fn status(name: &str, progress: &Progress) -> String {
    let found = progress.mate.as_ref().map_or_else(
        || text!("looking {} plies deep", "{} 手先を探索中", progress.line.len()).to_string(),
        |mate| text!("mate in {}", "{} 手詰", mate.plies).to_string(),
    );
    let (nodes, full) = (progress.nodes, progress.hash_permille / 10);
    text!("{name}: {found}, {nodes} nodes, table {full} % full", "{name}：{found}、{nodes} 局面、表 {full} %")
        .to_string()
}

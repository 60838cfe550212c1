//! `enbu mate`: problems from the command line and from files.
//!
//! | file | contents |
//! |---|---|
//! | `problems.rs` | sources of problems |
//! | `report.rs` | output of results |

mod problems;
mod report;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use enbu_mate::{Limits, Progress, Refinement, Solver, Verdict};
use indicatif::{ProgressBar, ProgressStyle};

use problems::Problem;
use report::{Solved, Totals};

use crate::terminal::message;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu mate \"7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1\"
  enbu mate problems.sfen --time 60 --hash 4096
  enbu mate problems.sfen --all --refine shortest --json";

/// The arguments of `enbu mate`.
#[derive(Args)]
pub(crate) struct MateArgs {
    /// Problems: SFENs; files with one SFEN a line (further tab-separated columns, blank
    /// lines and lines that begin with # are left out); records and diagrams as KIF, KI2,
    /// BOD, CSA, JKF, PGN or FEN; `-` for standard input
    #[arg(required = true, value_name = "SFEN|FILE")]
    problems: Vec<String>,
    /// The position after N moves of each record [default: its start; of an SFEN with moves: its end]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Problems to solve at the same time, each with an equal part of the memory
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Memory for solving, in MB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Time for each problem, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Positions to search for each problem at most
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Only mates of at most this many plies
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    plies: Option<u16>,
    /// Search for a shorter mate once there is one
    #[arg(long, value_enum, default_value_t = Refine::Affordable)]
    refine: Refine,
    /// List every first move that mates
    #[arg(long)]
    all: bool,
    /// Print one JSON object a problem
    #[arg(long)]
    json: bool,
}

/// Effort for a shorter line.
#[derive(Clone, Copy, ValueEnum)]
enum Refine {
    /// None: the first line found
    None,
    /// As many nodes as the first mate took, at least a million
    Affordable,
    /// Until the shortest is proved
    Shortest,
}

impl From<Refine> for Refinement {
    fn from(refine: Refine) -> Self {
        match refine {
            Refine::None => Self::None,
            Refine::Affordable => Self::Affordable,
            Refine::Shortest => Self::Shortest,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// Messages of the solving threads to the printing one.
enum Event {
    /// The results of the problem with this number.
    Solved(usize, Box<Solved>),
    /// The state of a search.
    Status(String),
}

/// Solves every problem and prints a row for each, in the order in which they were given.
/// Fails when one is left open.
pub(crate) fn run(args: &MateArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let problems = problems::read_all(&args.problems, args.ply).map_err(io::Error::other)?;
    let threads = usize::from(args.threads).clamp(1, problems.len().max(1));
    let megabytes = args.hash as usize / threads;
    let solvers: Result<Vec<Solver>, _> = (0..threads).map(|_| Solver::new(megabytes)).collect();
    let solvers = solvers.map_err(io::Error::other)?;
    let progress = progress(problems.len());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, events) = mpsc::channel();
    let mut running = 0;
    let outcome = thread::scope(|scope| {
        for mut solver in solvers {
            let sender = (!progress.is_hidden(), sender.clone());
            let (problems, next, stop) = (&problems, &next, &stop);
            let work = move || work(args, &mut solver, problems, next, stop, &sender);
            match thread::Builder::new().name("mate".into()).spawn_scoped(scope, work) {
                Ok(_) => running += 1,
                Err(error) if running == 0 => return Err(error),
                // Fewer problems at once.
                Err(_) => break,
            }
        }
        drop(sender);
        let outcome = print(args, &problems, &events, &progress, out);
        // No reader is left: unfinished problems are given up.
        stop.store(true, Ordering::Relaxed);
        outcome
    });
    progress.finish_and_clear();
    outcome
}

/// Solves one problem after the other until there is none left.
fn work(
    args: &MateArgs,
    solver: &mut Solver,
    problems: &[Problem],
    next: &AtomicUsize,
    stop: &AtomicBool,
    (watched, events): &(bool, Sender<Event>),
) {
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(problem) = problems.get(number) else { return };
        solver.clear();
        let mut tell = |progress: &Progress| {
            if *watched {
                // The receiver is gone when the printing thread has ended.
                let _ = events.send(Event::Status(status(&problem.name, progress)));
            }
        };
        let solution = solver.solve(&problem.position, &limits(args), stop, &mut tell);
        let wanted = args.all && matches!(solution.verdict, Verdict::Mate(_));
        let first_moves = wanted.then(|| solver.first_moves(&problem.position, &limits(args), stop, &mut tell));
        let counted = solver.count(&problem.position, &solution, &limits(args), stop, &mut tell);
        let _ = events.send(Event::Solved(number, Box::new(Solved { solution, counted, first_moves })));
    }
}

/// Prints rows as they come due, then the totals.
fn print(
    args: &MateArgs,
    problems: &[Problem],
    events: &mpsc::Receiver<Event>,
    progress: &ProgressBar,
    out: &mut impl Write,
) -> io::Result<ExitCode> {
    let mut totals = Totals::default();
    let mut waiting = BTreeMap::new();
    let mut due = problems.iter().enumerate().peekable();
    if !args.json {
        report::write_heading(out)?;
    }
    for event in events {
        match event {
            Event::Status(text) => progress.set_message(message(&text)),
            Event::Solved(number, solved) => {
                progress.inc(1);
                waiting.insert(number, solved);
            }
        }
        while let Some((number, problem)) = due.next_if(|(number, _)| waiting.contains_key(number)) {
            let Some(solved) = waiting.remove(&number) else { break };
            totals.add(&solved.solution);
            progress.suspend(|| {
                if args.json {
                    writeln!(out, "{}", report::as_json(problem, &solved))?;
                } else {
                    report::write_row(out, problem, &solved)?;
                }
                out.flush()
            })?;
        }
    }
    if let Some((_, problem)) = due.next() {
        return Err(io::Error::other(format!("the solver failed at problem {}", problem.name)));
    }
    if !args.json {
        writeln!(out, "{totals}")?;
    }
    Ok(if totals.open == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn limits(args: &MateArgs) -> Limits {
    let deadline = args.time.and_then(|time| Instant::now().checked_add(time));
    Limits { nodes: args.nodes, deadline, plies: args.plies, refinement: args.refine.into() }
}

/// A bar on standard error, where a person watches.
fn progress(problems: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos}/{len} {elapsed} {wide_msg}");
    ProgressBar::new(problems as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The state of the search of one problem.
fn status(name: &str, progress: &Progress) -> String {
    let found = progress.mate.as_ref().map_or_else(
        || format!("looking {} plies deep", progress.line.len()),
        |mate| format!("mate in {}", mate.plies),
    );
    format!("{name}: {found}, {} nodes, table {} % full", progress.nodes, progress.hash_permille / 10)
}

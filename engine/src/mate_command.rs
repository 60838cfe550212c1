//! `enbu mate`: problems from the command line and from files.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use enbu_mate::{FirstMove, Length, Limits, Progress, Refinement, Solution, Solver, Verdict};
use enbu_movegen::{Move, Position};
use serde_json::{Value, json};

use crate::console;

/// What `enbu mate` is told.
#[derive(Args)]
pub(crate) struct MateArgs {
    /// Problems: SFENs, or files with one SFEN a line (further tab-separated columns, blank
    /// lines and lines that begin with # are left out)
    #[arg(required = true, value_name = "SFEN|FILE")]
    problems: Vec<String>,
    /// Memory for the solver, in MB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Time for each problem, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Positions to search for each problem at most
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Look only for mates of at most so many plies
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    plies: Option<u16>,
    /// What to do once there is a mate
    #[arg(long, value_enum, default_value_t = Refine::Affordable)]
    refine: Refine,
    /// List every first move that mates
    #[arg(long)]
    all: bool,
    /// Print one JSON object a problem
    #[arg(long)]
    json: bool,
}

/// How much work a shorter line is worth.
#[derive(Clone, Copy, ValueEnum)]
enum Refine {
    /// None: the first line found
    None,
    /// As much again as the mate took to find, at least a million positions
    Affordable,
    /// All that it takes to know the shortest
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

/// A position to solve, and where it came from.
struct Problem {
    name: String,
    position: Position,
}

/// How the problems ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Each with a mate or the proof that there is none.
    AllSolved,
    /// Some ran out of their limits.
    SomeOpen,
}

/// Solves every problem in turn and prints a row for each.
pub(crate) fn run(args: &MateArgs, out: &mut impl Write) -> io::Result<Outcome> {
    let mut problems = Vec::new();
    for argument in &args.problems {
        read(argument, &mut problems).map_err(io::Error::other)?;
    }
    let mut solver = Solver::new(args.hash as usize).map_err(io::Error::other)?;
    let mut totals = Totals::default();
    if !args.json {
        let names = ("problem", "plies", "counted", "nodes", "seconds", "hash");
        let (problem, plies, counted, nodes, seconds, hash) = names;
        writeln!(out, "{problem:<24} {plies:>8} {counted:>8} {nodes:>12} {seconds:>9} {hash:>8}  line")?;
    }
    for (number, problem) in problems.iter().enumerate() {
        solver.clear();
        let mut status = Status::new(number, problems.len());
        let solution = solve(args, &mut solver, problem, &mut status);
        let first_moves = first_moves(args, &mut solver, problem, &solution, &mut status);
        status.clear();
        totals.add(&solution);
        if args.json {
            writeln!(out, "{}", as_json(problem, &solution, first_moves.as_deref()))?;
        } else {
            write_row(out, problem, &solution, first_moves.as_deref())?;
        }
        out.flush()?;
    }
    if !args.json {
        writeln!(out, "{totals}")?;
    }
    Ok(if totals.open == 0 { Outcome::AllSolved } else { Outcome::SomeOpen })
}

fn limits(args: &MateArgs) -> Limits {
    let deadline = args.time.and_then(|time| Instant::now().checked_add(time));
    Limits { nodes: args.nodes, deadline, plies: args.plies, refinement: args.refine.into() }
}

fn solve(args: &MateArgs, solver: &mut Solver, problem: &Problem, status: &mut Status) -> Solution {
    let stop = AtomicBool::new(false);
    solver.solve(&problem.position, &limits(args), &stop, &mut |progress| status.show(progress))
}

/// Every first move with its result, where `--all` asks for them and there is a mate.
fn first_moves(
    args: &MateArgs,
    solver: &mut Solver,
    problem: &Problem,
    solution: &Solution,
    status: &mut Status,
) -> Option<Vec<FirstMove>> {
    if !args.all || !matches!(solution.verdict, Verdict::Mate(_)) {
        return None;
    }
    let stop = AtomicBool::new(false);
    Some(solver.first_moves(&problem.position, &limits(args), &stop, &mut |progress| status.show(progress)))
}

/// Reads an argument: a file if there is one of that name, else an SFEN.
fn read(argument: &str, problems: &mut Vec<Problem>) -> Result<(), String> {
    if !Path::new(argument).is_file() {
        let position =
            console::position(Some(argument)).map_err(|error| format!("neither a file nor an SFEN: {error}"))?;
        problems.push(Problem { name: format!("{}", problems.len() + 1), position });
        return Ok(());
    }
    let text = fs::read_to_string(argument).map_err(|error| format!("{argument}: {error}"))?;
    let stem = Path::new(argument).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for (index, line) in text.lines().enumerate() {
        let sfen = line.split('\t').next().unwrap_or_default().trim();
        // The heading of a table.
        if sfen.is_empty() || sfen.starts_with('#') || sfen == "sfen" {
            continue;
        }
        let name = format!("{stem}:{}", index + 1);
        let position =
            console::position(Some(sfen)).map_err(|error| format!("{argument} line {}: {error}", index + 1))?;
        problems.push(Problem { name, position });
    }
    Ok(())
}

/// Progress on standard error, where a person watches.
struct Status {
    visible: bool,
    heading: String,
}

impl Status {
    fn new(number: usize, count: usize) -> Self {
        Self { visible: io::stderr().is_terminal(), heading: format!("{}/{count}", number + 1) }
    }

    fn show(&mut self, progress: &Progress) {
        if !self.visible {
            return;
        }
        let found = progress.mate.as_ref().map_or_else(
            || format!("looking {} plies deep", progress.line.len()),
            |mate| format!("mate in {}", mate.plies),
        );
        let (nodes, seconds) = (progress.nodes, progress.elapsed.as_secs());
        let text = format!("{}: {found}, {nodes} nodes, {seconds} s", self.heading);
        // Nothing depends on whether the status is seen.
        let _ = write!(io::stderr(), "\r{text:<79.79}");
        let _ = io::stderr().flush();
    }

    fn clear(&self) {
        if self.visible {
            let _ = write!(io::stderr(), "\r{:79}\r", "");
        }
    }
}

#[derive(Default)]
struct Totals {
    mates: u32,
    no_mates: u32,
    open: u32,
    nodes: u64,
    elapsed: Duration,
}

impl Totals {
    fn add(&mut self, solution: &Solution) {
        match solution.verdict {
            Verdict::Mate(_) => self.mates += 1,
            Verdict::NoMate => self.no_mates += 1,
            Verdict::Unknown => self.open += 1,
        }
        self.nodes += solution.nodes;
        self.elapsed += solution.elapsed;
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "mate {} nomate {} open {} nodes {} seconds {:.3}",
            self.mates,
            self.no_mates,
            self.open,
            self.nodes,
            self.elapsed.as_secs_f64()
        )
    }
}

/// The length: `13` when it is the shortest, `<=13` when there may be a shorter one.
fn length(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mate(mate) if mate.length == Length::Shortest => mate.plies.to_string(),
        Verdict::Mate(mate) => format!("<={}", mate.plies),
        Verdict::NoMate => "nomate".to_owned(),
        Verdict::Unknown => "open".to_owned(),
    }
}

/// The length of the line as problems count it.
fn conventional_length(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mate(mate) => mate.conventional_plies.to_string(),
        Verdict::NoMate | Verdict::Unknown => String::new(),
    }
}

fn line(moves: &[Move]) -> String {
    moves.iter().fold(String::new(), |mut text, mv| {
        let _ = write!(text, "{}{mv}", if text.is_empty() { "" } else { " " });
        text
    })
}

fn write_row(
    out: &mut impl Write,
    problem: &Problem,
    solution: &Solution,
    first_moves: Option<&[FirstMove]>,
) -> io::Result<()> {
    let moves = match &solution.verdict {
        Verdict::Mate(mate) => line(&mate.line),
        _ => String::new(),
    };
    let (nodes, seconds) = (solution.nodes, solution.elapsed.as_secs_f64());
    let hash = format!("{:.1}%", f64::from(solution.hash_permille) / 10.0);
    let name = &problem.name;
    let (length, counted) = (length(&solution.verdict), conventional_length(&solution.verdict));
    writeln!(out, "{name:<24} {length:>8} {counted:>8} {nodes:>12} {seconds:>9.3} {hash:>8}  {moves}")?;
    for first in first_moves.unwrap_or_default() {
        writeln!(out, "{:<24} {:>8} {:>40}  {}", "", length_of_first(first), "", first.mv)?;
    }
    Ok(())
}

fn length_of_first(first: &FirstMove) -> String {
    match first.plies {
        Some(plies) if first.length == Length::Shortest => plies.to_string(),
        Some(plies) => format!("<={plies}"),
        None if first.length == Length::Shortest => "nomate".to_owned(),
        None => "open".to_owned(),
    }
}

fn as_json(problem: &Problem, solution: &Solution, first_moves: Option<&[FirstMove]>) -> Value {
    let (verdict, mate) = match &solution.verdict {
        Verdict::Mate(mate) => ("mate", Some(mate)),
        Verdict::NoMate => ("nomate", None),
        Verdict::Unknown => ("open", None),
    };
    let text = |moves: &[Move]| moves.iter().map(Move::to_string).collect::<Vec<_>>();
    json!({
        "problem": problem.name,
        "sfen": problem.position.to_string(),
        "verdict": verdict,
        "plies": mate.map(|mate| mate.plies),
        "shortest": mate.map(|mate| mate.length == Length::Shortest),
        "conventional_plies": mate.map(|mate| mate.conventional_plies),
        "line": mate.map(|mate| text(&mate.line)),
        "nodes": solution.nodes,
        "nodes_to_verdict": solution.nodes_to_verdict,
        "seconds": solution.elapsed.as_secs_f64(),
        "seconds_to_verdict": solution.elapsed_to_verdict.as_secs_f64(),
        "hash_permille": solution.hash_permille,
        "first_moves": first_moves.map(|moves| moves.iter().map(|first| json!({
            "move": first.mv.to_string(),
            "mate": length_of_first(first),
        })).collect::<Vec<_>>()),
    })
}

//! Output of results: rows for people, JSON for programs.

use std::io::{self, Write};
use std::time::Duration;

use enbu_mate::{Counted, FirstMove, Length, Solution, Soundness, Verdict};
use enbu_movegen::Position;
use serde_json::{Value, json};

use super::soundness::{self, bound, line, words};

/// A problem with its results, or the reason why there are none.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) outcome: Result<Solved, String>,
}

pub(super) struct Solved {
    pub(super) position: Position,
    pub(super) solution: Solution,
    /// The conventional length of a mate.
    pub(super) counted: Option<Counted>,
    /// Every first move, with --all.
    pub(super) first_moves: Option<Vec<FirstMove>>,
    /// Other solutions, with --sound.
    pub(super) sound: Option<Soundness>,
}

pub(super) fn write_heading(out: &mut impl Write) -> io::Result<()> {
    let names = ("problem", "plies", "counted", "nodes", "seconds", "hash");
    let (problem, plies, counted, nodes, seconds, hash) = names;
    writeln!(out, "{problem:<24} {plies:>8} {counted:>8} {nodes:>12} {seconds:>9} {hash:>8}  line")
}

/// Sums over all problems.
#[derive(Default)]
pub(super) struct Totals {
    mates: u32,
    no_mates: u32,
    pub(super) open: u32,
    /// Problems that could not be read.
    pub(super) unread: u32,
    nodes: u64,
    elapsed: Duration,
}

impl Totals {
    pub(super) fn add(&mut self, row: &Row) {
        let Ok(Solved { solution, .. }) = &row.outcome else {
            self.unread += 1;
            return;
        };
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
        )?;
        if self.unread > 0 { write!(f, " errors {}", self.unread) } else { Ok(()) }
    }
}

/// The length of a mate, or the verdict.
fn length(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mate(mate) => bound(mate.plies, mate.length),
        Verdict::NoMate => "nomate".to_owned(),
        Verdict::Unknown => "open".to_owned(),
    }
}

pub(super) fn write_row(out: &mut impl Write, Row { name, outcome }: &Row) -> io::Result<()> {
    let solved = match outcome {
        Ok(solved) => solved,
        Err(reason) => return writeln!(out, "{name:<24} {:>8} {:>40}  {reason}", "error", ""),
    };
    let solution = &solved.solution;
    let moves = match &solution.verdict {
        Verdict::Mate(mate) => line(&mate.line),
        _ => String::new(),
    };
    let (nodes, seconds) = (solution.nodes, solution.elapsed.as_secs_f64());
    let hash = format!("{:.1}%", f64::from(solution.hash_permille) / 10.0);
    let counted = solved.counted.map(|counted| bound(counted.plies, counted.length)).unwrap_or_default();
    let length = length(&solution.verdict);
    writeln!(out, "{name:<24} {length:>8} {counted:>8} {nodes:>12} {seconds:>9.3} {hash:>8}  {moves}")?;
    for first in solved.first_moves.iter().flatten() {
        writeln!(out, "{:<24} {:>8} {:>40}  {}", "", length_of_first(first), "", first.mv)?;
    }
    solved.sound.iter().try_for_each(|sound| soundness::write(out, sound))
}

fn length_of_first(first: &FirstMove) -> String {
    match first.plies {
        Some(plies) => bound(plies, first.length),
        None if first.length == Length::Shortest => "nomate".to_owned(),
        None => "open".to_owned(),
    }
}

pub(super) fn as_json(Row { name, outcome }: &Row) -> Value {
    let solved = match outcome {
        Ok(solved) => solved,
        Err(reason) => return json!({ "problem": name, "verdict": "error", "error": reason }),
    };
    let solution = &solved.solution;
    let (verdict, mate) = match &solution.verdict {
        Verdict::Mate(mate) => ("mate", Some(mate)),
        Verdict::NoMate => ("nomate", None),
        Verdict::Unknown => ("open", None),
    };
    json!({
        "problem": name,
        "sfen": solved.position.to_string(),
        "verdict": verdict,
        "plies": mate.map(|mate| mate.plies),
        "shortest": mate.map(|mate| mate.length == Length::Shortest),
        "conventional_plies": solved.counted.map(|counted| counted.plies),
        "conventional_exact": solved.counted.map(|counted| counted.length == Length::Shortest),
        "line": mate.map(|mate| words(&mate.line)),
        "nodes": solution.nodes,
        "nodes_to_verdict": solution.nodes_to_verdict,
        "seconds": solution.elapsed.as_secs_f64(),
        "seconds_to_verdict": solution.elapsed_to_verdict.as_secs_f64(),
        "hash_permille": solution.hash_permille,
        "first_moves": solved.first_moves.as_ref().map(|moves| moves.iter().map(|first| json!({
            "move": first.mv.to_string(),
            "mate": length_of_first(first),
        })).collect::<Vec<_>>()),
        "sound": solved.sound.as_ref().map(soundness::as_json),
    })
}

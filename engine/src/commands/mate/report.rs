//! Output of results: rows for people, JSON for programs.

use std::io::{self, Write};
use std::time::Duration;

use enbu_language::{Words, left, pick, right, text};
use enbu_mate::{Counted, FirstMove, Length, Solution, Soundness, Verdict};
use enbu_movegen::Position;
use serde_json::{Value, json};

use super::soundness::{self, bound, words};
use crate::commands::moves::line;

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

/// The heading of the rows.
pub(super) const HEADING: Words = Words(
    "problem                     plies  counted        nodes   seconds     hash  line",
    "問題                         手数 無駄合除       局面数        秒   使用率  手順",
);

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
        let Self { mates, no_mates, open, unread, nodes, .. } = self;
        let seconds = self.elapsed.as_secs_f64();
        text!(
            "mate {mates} nomate {no_mates} open {open} nodes {nodes} seconds {seconds:.3}",
            "詰み {mates}、不詰 {no_mates}、未解決 {open}、探索局面 {nodes}、{seconds:.3} 秒"
        )
        .fmt(f)?;
        if *unread > 0 { text!(" errors {unread}", "、エラー {unread}").fmt(f) } else { Ok(()) }
    }
}

const NO_MATE: Words = Words("nomate", "不詰");
const OPEN: Words = Words("open", "未解決");

/// The length of a mate, or the verdict.
fn length(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mate(mate) => bound(mate.plies, mate.length),
        Verdict::NoMate => NO_MATE.to_string(),
        Verdict::Unknown => OPEN.to_string(),
    }
}

pub(super) fn write_row(out: &mut impl Write, Row { name, outcome }: &Row) -> io::Result<()> {
    let solved = match outcome {
        Ok(solved) => solved,
        Err(reason) => {
            let error = right(pick("error", "エラー"), 8);
            return writeln!(out, "{} {error} {:>40}  {reason}", left(name, 24), "");
        }
    };
    let solution = &solved.solution;
    let setup = solved.position.to_setup();
    let moves = match &solution.verdict {
        Verdict::Mate(mate) => line(&setup, &mate.line),
        _ => String::new(),
    };
    let (nodes, seconds) = (solution.nodes, solution.elapsed.as_secs_f64());
    let hash = format!("{:.1}%", f64::from(solution.hash_permille) / 10.0);
    let counted = solved.counted.map(|counted| bound(counted.plies, counted.length)).unwrap_or_default();
    let (name, length) = (left(name, 24), right(&length(&solution.verdict), 8));
    writeln!(out, "{name} {length} {counted:>8} {nodes:>12} {seconds:>9.3} {hash:>8}  {moves}")?;
    for first in solved.first_moves.iter().flatten() {
        let length = length_of_first(first).unwrap_or_else(|verdict| verdict.to_string());
        writeln!(out, "{:<24} {} {:>40}  {}", "", right(&length, 8), "", line(&setup, &[first.mv]))?;
    }
    solved.sound.iter().try_for_each(|sound| soundness::write(out, &setup, sound))
}

fn length_of_first(first: &FirstMove) -> Result<String, Words> {
    match first.plies {
        Some(plies) => Ok(bound(plies, first.length)),
        None if first.length == Length::Shortest => Err(NO_MATE),
        None => Err(OPEN),
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
            "mate": length_of_first(first).unwrap_or_else(|verdict| verdict.0.to_owned()),
        })).collect::<Vec<_>>()),
        "sound": solved.sound.as_ref().map(soundness::as_json),
    })
}

//! The results of suites as tables and as JSON. Times are left out where nothing else depends on time, so that equal
//! runs print equal results.

use enbu_arena::sign_test;
use enbu_arena::suite::{Attempt, Problem, Stable, Task, Verdict};
use enbu_language::{pick, text};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::moves::line;

/// An engine that takes part.
pub(super) struct Entrant {
    pub(super) name: String,
    /// Its limit in words.
    pub(super) limit: String,
    /// The limit is none of time.
    pub(super) is_deterministic: bool,
}

/// The results so far.
pub(super) struct Results<'s> {
    pub(super) engines: Vec<Entrant>,
    pub(super) rows: Vec<(&'s Problem, Vec<Attempt>)>,
}

/// The figures of an engine.
#[derive(Serialize)]
pub(super) struct Score<'r> {
    pub(super) name: &'r str,
    limit: &'r str,
    pub(super) solved: usize,
    /// Problems that it can attempt.
    problems: usize,
    /// Median over the solved problems.
    median_stable_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_stable_ms: Option<u64>,
    /// Nodes of all searches.
    nodes: u64,
    not_implemented: usize,
    pub(super) faults: usize,
}

/// The problems that only one of two engines solved, of those that both can attempt.
#[derive(Serialize)]
struct Comparison<'r> {
    first: &'r str,
    second: &'r str,
    only_first: u64,
    only_second: u64,
    p: f64,
}

impl Results<'_> {
    /// The attempts of an engine.
    fn of(&self, engine: usize) -> impl Iterator<Item = &Attempt> {
        self.rows.iter().filter_map(move |(_, attempts)| attempts.get(engine))
    }

    pub(super) fn scores(&self) -> Vec<Score<'_>> {
        self.engines.iter().enumerate().map(|(number, engine)| self.score(number, engine)).collect()
    }

    fn score<'r>(&'r self, number: usize, engine: &'r Entrant) -> Score<'r> {
        let count = |is_counted: fn(&Verdict) -> bool| self.of(number).filter(|one| is_counted(&one.verdict)).count();
        let not_implemented = count(|verdict| *verdict == Verdict::NotImplemented);
        let median = |value: fn(Stable) -> u64| {
            let mut values: Vec<u64> = self.of(number).filter_map(|attempt| attempt.stable).map(value).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied()
        };
        Score {
            name: &engine.name,
            limit: &engine.limit,
            solved: count(|verdict| *verdict == Verdict::Solved),
            problems: self.rows.len() - not_implemented,
            median_stable_nodes: median(|stable| stable.nodes),
            median_stable_ms: median(ms).filter(|_| !engine.is_deterministic),
            nodes: self.of(number).map(|attempt| attempt.spent.nodes).sum(),
            not_implemented,
            faults: count(|verdict| matches!(verdict, Verdict::Fault(_))),
        }
    }

    /// The first engine against each of the others.
    fn comparisons(&self) -> Vec<Comparison<'_>> {
        let Some((first, others)) = self.engines.split_first() else { return Vec::new() };
        let compare = |(number, second)| {
            let both = self.of(0).zip(self.of(number)).map(|(one, other)| [&one.verdict, &other.verdict]);
            let both: Vec<_> = both.filter(|both| !both.contains(&&Verdict::NotImplemented)).collect();
            let only =
                |solved| both.iter().filter(|both| both.map(|one| *one == Verdict::Solved) == solved).count() as u64;
            let (only_first, only_second) = (only([true, false]), only([false, true]));
            let (first, second): (&str, &Entrant) = (&first.name, second);
            Comparison { first, second: &second.name, only_first, only_second, p: sign_test(only_first, only_second) }
        };
        (1..).zip(others).map(compare).collect()
    }
}

fn ms(effort: Stable) -> u64 {
    u64::try_from(effort.time.as_millis()).unwrap_or(u64::MAX)
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Nodes, and the time where it counts.
fn effort(nodes: u64, ms: Option<u64>) -> String {
    let Some(ms) = ms else { return nodes.to_string() };
    text!("{nodes}, {ms} ms", "{nodes}、{ms} ミリ秒").to_string()
}

fn cell(problem: &Problem, attempt: &Attempt, engine: &Entrant) -> String {
    let verdict = match attempt.verdict {
        Verdict::Solved => pick("solved", "正解"),
        Verdict::Wrong => pick("wrong", "不正解"),
        Verdict::NotImplemented => pick("not implemented", "未対応"),
        Verdict::Fault(_) => pick("fault", "異常"),
    };
    let (first, plies) = (attempt.line.get(..1).unwrap_or_default(), attempt.line.len());
    let shown = match (line(&problem.position().to_setup(), first), problem.task) {
        (first, _) if first.is_empty() => first,
        (first, Task::Move) => format!(" {first}"),
        (first, Task::Mate) => text!(" {first} ({plies} plies)", " {first}（{plies}手）").to_string(),
    };
    let time = |stable| Some(ms(stable)).filter(|_| !engine.is_deterministic);
    let stable = attempt.stable.map(|stable| format!(" [{}]", effort(stable.nodes, time(stable))));
    format!("{verdict}{shown}{}", stable.unwrap_or_default())
}

/// A row for each problem, a row for each engine, and the comparisons.
pub(super) fn markdown(results: &Results<'_>) -> String {
    let names = results.engines.iter().map(|engine| engine.name.clone());
    let mut text = row([pick("problem", "問題").to_owned()].into_iter().chain(names));
    text += &row(vec!["---".to_owned(); results.engines.len() + 1]);
    for (problem, attempts) in &results.rows {
        let cells = attempts.iter().zip(&results.engines).map(|(attempt, engine)| cell(problem, attempt, engine));
        text += &row([problem.name.clone()].into_iter().chain(cells));
    }
    let titles = pick(
        ["engine", "limit", "solved", "of", "%", "to a stable answer (median)", "nodes", "not implemented", "faults"],
        ["エンジン", "制限", "正解", "問題数", "%", "正解が定まるまで（中央値）", "総ノード数", "未対応", "異常"],
    );
    text += &format!("\n{}|---|---|---:|---:|---:|---:|---:|---:|---:|\n", row(titles.map(str::to_owned)));
    let none = || "–".to_owned();
    for score in results.scores() {
        let percent = 100.0 * score.solved as f64 / score.problems as f64;
        text += &row([
            score.name.to_owned(),
            score.limit.to_owned(),
            score.solved.to_string(),
            score.problems.to_string(),
            if score.problems > 0 { format!("{percent:.1}") } else { none() },
            score.median_stable_nodes.map_or_else(none, |nodes| effort(nodes, score.median_stable_ms)),
            score.nodes.to_string(),
            score.not_implemented.to_string(),
            score.faults.to_string(),
        ]);
    }
    for Comparison { first, second, only_first, only_second, p } in results.comparisons() {
        let p = if p < 1e-4 { format!("{p:.0e}") } else { format!("{p:.4}") };
        text += &text!(
            "\n{first} against {second}: {only_first} problems solved by the first alone, {only_second} by the second alone; \
             sign test p = {p}\n",
            "\n{first} と {second}：前者だけの正解 {only_first} 問、後者だけの正解 {only_second} 問、符号検定 p = {p}\n"
        )
        .to_string();
    }
    text
}

fn attempt_json(attempt: &Attempt, engine: &Entrant) -> Value {
    let (verdict, fault) = match &attempt.verdict {
        Verdict::Solved => ("solved", None),
        Verdict::Wrong => ("wrong", None),
        Verdict::NotImplemented => ("not_implemented", None),
        Verdict::Fault(fault) => ("fault", Some(&fault.english)),
    };
    let time = |effort| Some(ms(effort)).filter(|_| !engine.is_deterministic);
    json!({
        "verdict": verdict,
        "fault": fault,
        "line": attempt.line.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "nodes": attempt.spent.nodes,
        "ms": time(attempt.spent),
        "stable_nodes": attempt.stable.map(|stable| stable.nodes),
        "stable_ms": attempt.stable.and_then(time),
    })
}

/// Engines, comparisons, and the attempts at each problem in the order of the engines.
pub(super) fn json(results: &Results<'_>) -> String {
    let problems = results.rows.iter().map(|(problem, attempts)| {
        let attempts = attempts.iter().zip(&results.engines).map(|(attempt, engine)| attempt_json(attempt, engine));
        json!({
            "name": problem.name,
            "sfen": problem.position().to_string(),
            "task": problem.task,
            "attempts": attempts.collect::<Vec<_>>(),
        })
    });
    let (engines, comparisons) = (results.scores(), results.comparisons());
    let problems = problems.collect::<Value>();
    format!("{:#}\n", json!({ "engines": engines, "comparisons": comparisons, "problems": problems }))
}

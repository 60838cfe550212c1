//! Suites: problems with known answers, put to engines.
//!
//! | form | a problem |
//! |---|---|
//! | lines | an SFEN, then `bm MOVES` (answers), `am MOVES` (wrong moves), `mate N` (plies) and `id NAME`, which `;` may end |
//! | columns | the SFEN and such words in columns between tabs; a `bm` is one answer with its line, as `enbu analyse` writes it |
//! | table | columns between tabs or commas under a heading of `sfen` and the names `bm`, `am`, `mate`, `id` |
//! | JSON | `shogihome-next-move`: the accepted candidates are the answers |
//!
//! Blank lines and those that begin with `#` are none; other columns and operations are left out.

mod attempt;

use std::fmt::Display;

use enbu_language::{Both, messages, text};
use enbu_movegen::{Move, Position};
use serde::{Deserialize, Serialize};

use crate::openings::{Opening, OpeningError};

pub use attempt::{Attempt, Candidate, Stable, Verdict};

/// The question of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// `go`: the best move.
    Move,
    /// `go mate`: a mate by checks.
    Mate,
}

/// A position with the answers to its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name, or its place in the file.
    pub name: String,
    /// Its question.
    pub task: Task,
    start: Opening,
    best: Vec<Move>,
    avoid: Vec<Move>,
}

messages! {
/// Reasons why a text is not a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ProblemError {
    Position(#[from] error: OpeningError) => "{error}", "{error}";
    Move(word: String) => "`{word}` is not a move here", "`{word}` はこの局面では指せません";
    Mate(word: String) => "mate: `{word}` is not a number of plies", "mate：`{word}` は手数ではありません";
    NoAnswer => "no bm, am or mate (--mate takes such lines for mate problems)", "bm、am、mate のどれもありません（--mate を付けると詰将棋として扱います）";
    Json(text: String) => "{text}", "{text}";
}}

/// The problems of a file, and its lines that are none.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The problems in their order.
    pub problems: Vec<Problem>,
    /// The faults, each with file, line and text.
    pub faults: Vec<Both>,
}

/// The words that name an operation.
const KEYS: [&str; 4] = ["bm", "am", "mate", "id"];

/// Longest text of a line in a message, in characters.
const MAX_SHOWN: usize = 40;

/// Operations with their words.
type Operations<'t> = Vec<(&'t str, Vec<&'t str>)>;

impl Suite {
    /// Reads a file; `bare` is the task of lines without an answer, which are faults without it.
    ///
    /// ```
    /// use enbu_arena::suite::{Suite, Task};
    /// let suite = Suite::read("startpos bm 7g7f 2g2f; id \"first\"\n9/9 b - bm 7g7f\n", "x.sfen", None);
    /// assert_eq!((suite.problems[0].name.as_str(), suite.problems[0].task), ("first", Task::Move));
    /// assert!(suite.faults[0].english.starts_with("x.sfen:2: position: sfen board: not nine ranks"));
    /// ```
    pub fn read(text: &str, file: &str, bare: Option<Task>) -> Self {
        let (text, mut suite) = (text.trim_start_matches('\u{feff}'), Self::default());
        if text.trim_start().starts_with('{') {
            suite.read_json(text, file);
            return suite;
        }
        let (mut heading, mut separator) = (Vec::new(), '\t');
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let of_heading =
                |line: &str| line.split_once(['\t', ',']).map_or(line, |(first, _)| first).trim() == "sfen";
            if of_heading(line) {
                separator = if line.contains('\t') { '\t' } else { ',' };
                heading = line.split(separator).map(unquoted).collect();
                continue;
            }
            let columns: Vec<&str> = line.split(separator).map(unquoted).collect();
            suite.add(format!("{file}:{number}"), line, problem(&columns, &heading, bare));
        }
        suite
    }

    fn add(&mut self, place: String, line: &str, problem: Result<Problem, ProblemError>) {
        match problem {
            Ok(problem) if problem.name.is_empty() => self.problems.push(Problem { name: place, ..problem }),
            Ok(problem) => self.problems.push(problem),
            Err(error) => {
                let shown: String = line.chars().take(MAX_SHOWN).collect();
                self.faults.push(Both::of(text!("{place}: {error}: `{shown}`", "{place}：{error}：`{shown}`")));
            }
        }
    }

    fn read_json(&mut self, text: &str, file: &str) {
        let wrong = |text: &dyn Display| ProblemError::Json(text.to_string());
        let collection: Collection = match serde_json::from_str(text) {
            Ok(collection) => collection,
            Err(error) => return self.add(format!("{file}:{}", error.line()), "", Err(wrong(&error))),
        };
        if (collection.format.as_str(), collection.version) != ("shogihome-next-move", 1) {
            let (format, version) = (&collection.format, collection.version);
            let text = text!(
                "not shogihome-next-move of version 1: {format} {version}",
                "shogihome-next-move のバージョン 1 ではありません：{format} {version}"
            );
            return self.add(file.to_owned(), "", Err(wrong(&text)));
        }
        for (number, problem) in (1..).zip(collection.problems) {
            let accepted = problem.candidates.iter().enumerate().filter(|(rank, one)| *rank == 0 || one.accepted);
            let best: Vec<&str> = accepted.map(|(_, one)| one.usi.as_str()).collect();
            let read = Problem::new(&problem.sfen, &vec![("bm", best)], None);
            self.add(format!("{file}#{number}"), &problem.sfen, read);
        }
    }
}

/// ShogiHome's next-move problems, as far as they are read.
#[derive(Deserialize)]
struct Collection {
    format: String,
    version: u32,
    problems: Vec<NextMove>,
}

#[derive(Deserialize)]
struct NextMove {
    sfen: String,
    candidates: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    usi: String,
    #[serde(default)]
    accepted: bool,
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// The problem of a line: columns under their names, or a position and operations.
fn problem(columns: &[&str], heading: &[&str], bare: Option<Task>) -> Result<Problem, ProblemError> {
    let (first, rest) = columns.split_first().map_or(("", columns), |(first, rest)| (*first, rest));
    let words: Vec<&str> = first.split_whitespace().collect();
    let (position, after) =
        words.split_at(words.iter().position(|word| KEYS.contains(&word.trim_end_matches(';'))).unwrap_or(words.len()));
    let mut all = operations(after);
    for (index, column) in rest.iter().enumerate() {
        match heading.get(index + 1) {
            Some(name) if KEYS.contains(name) => all.push((name, column.split_whitespace().collect())),
            Some(_) => {}
            // The words after the first are a line of play.
            None => all.extend(operations(&column.split_whitespace().take(2).collect::<Vec<_>>())),
        }
    }
    all.retain(|(key, words)| *key == "mate" || !words.is_empty());
    Problem::new(position.join(" ").trim_end_matches(';'), &all, bare)
}

fn operations<'t>(words: &[&'t str]) -> Operations<'t> {
    let (mut all, mut is_open): (Operations<'t>, _) = (Vec::new(), false);
    for word in words {
        let (bare, ends) = word.strip_suffix(';').map_or((*word, false), |bare| (bare, true));
        if KEYS.contains(&bare) {
            all.push((bare, Vec::new()));
            is_open = true;
        } else if let Some((_, words)) = all.last_mut().filter(|_| is_open && !bare.is_empty()) {
            words.push(bare);
        }
        is_open &= !ends;
    }
    all
}

impl Problem {
    fn new(position: &str, operations: &Operations<'_>, bare: Option<Task>) -> Result<Self, ProblemError> {
        let start: Opening = position.parse()?;
        let named =
            |key: &'static str| operations.iter().filter(move |(name, _)| *name == key).flat_map(|(_, words)| words);
        let moves = |key| {
            let legal = |word: &&str| word.parse().ok().filter(|&mv| start.position().is_legal(mv));
            let read = |word| legal(word).ok_or_else(|| ProblemError::Move(word.chars().take(MAX_SHOWN).collect()));
            named(key).map(read).collect::<Result<Vec<Move>, _>>()
        };
        let (best, avoid) = (moves("bm")?, moves("am")?);
        if let Some(word) = named("mate").find(|word| word.parse::<u32>().is_err()) {
            return Err(ProblemError::Mate(word.chars().take(MAX_SHOWN).collect()));
        }
        let task = match operations.iter().any(|(key, _)| *key == "mate") {
            true => Task::Mate,
            false if best.is_empty() && avoid.is_empty() => bare.ok_or(ProblemError::NoAnswer)?,
            false => Task::Move,
        };
        let name = unquoted(&named("id").copied().collect::<Vec<_>>().join(" ")).to_owned();
        Ok(Self { name, task, start, best, avoid })
    }

    /// The position.
    pub const fn position(&self) -> &Position {
        self.start.position()
    }

    /// Returns true for a right first move.
    pub fn is_right(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }
}

#[cfg(test)]
mod tests;

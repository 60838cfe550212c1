//! Openings: the start positions of the games of a match.
//!
//! A file has one opening a line: `startpos [moves ...]`, `sfen S [moves ...]`, a bare
//! SFEN, or any of these after the word `position`; `#` starts a comment, blank lines
//! are skipped. Every line must be playable and not yet over.

mod generate;

use std::fmt;
use std::str::FromStr;

use enbu_files::fnv1a;
use enbu_language::{messages, pick, text};
use enbu_movegen::{IllegalMove, Move, Position, PositionError, Setup};
use enbu_usi::{Command, PositionCommand};

pub use generate::{Candidate, GenerateError, Judge, RandomOpenings};

use crate::referee::{Reason, Referee, Rules};

/// A diagram and moves from it, all legal.
#[derive(Clone, Debug)]
pub struct Opening {
    setup: Setup,
    position: Position,
    moves: Vec<Move>,
}

messages! {
/// Reasons why a text is not an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum OpeningError {
    Syntax(text: String) => "{text}", "{text}";
    Position(#[from] error: PositionError) => "{error}", "{error}";
    Move(number: usize, illegal: IllegalMove) => "move {number}: {illegal}", "{number} 手目：{illegal}";
    Over(reason: Reason) => "the game is already over ({})", "すでに終局しています（{}）", reason.name();
}}

messages! {
/// Faults of a file of openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum OpeningsError {
    Line(line: usize, error: OpeningError) => "line {line}: {error}", "{line} 行目：{error}";
    Empty => "no opening in the file", "開始局面がありません";
}}

impl Opening {
    /// The start position of an even game, without moves.
    pub fn startpos() -> Self {
        Self { setup: Setup::startpos(), position: Position::startpos(), moves: Vec::new() }
    }

    /// Moves from a diagram.
    pub fn new(setup: Setup, moves: Vec<Move>) -> Result<Self, OpeningError> {
        let mut position = Position::from_setup(&setup)?;
        for (index, &mv) in moves.iter().enumerate() {
            position.play(mv).map_err(|error| OpeningError::Move(index + 1, error))?;
        }
        Ok(Self { setup, position, moves })
    }

    /// The diagram.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The moves from the diagram.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the moves, with its history.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The referee of a game that begins here.
    pub(crate) fn referee(&self, rules: Rules) -> Referee {
        Referee::new(&self.setup, self.position.clone(), self.moves.clone(), rules)
    }
}

impl PartialEq for Opening {
    fn eq(&self, other: &Self) -> bool {
        self.setup == other.setup && self.moves == other.moves
    }
}

impl Eq for Opening {}

impl FromStr for Opening {
    type Err = OpeningError;

    /// Reads one line of a file of openings, without comments.
    ///
    /// ```
    /// use enbu_arena::openings::Opening;
    /// let opening: Opening = "startpos moves 7g7f 3c3d".parse()?;
    /// assert_eq!(opening.moves().len(), 2);
    /// assert_eq!(opening.to_string(), "startpos moves 7g7f 3c3d");
    /// # Ok::<(), enbu_arena::openings::OpeningError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, OpeningError> {
        let text = text.trim();
        let text = text.strip_prefix("position ").unwrap_or(text);
        let parsed = Command::parse(&format!("position {text}"));
        match (parsed.command, parsed.problems.first()) {
            (Some(Command::Position(PositionCommand { setup, moves, tail: None })), None) => Self::new(setup, moves),
            (Some(Command::Position(PositionCommand { tail: Some(tail), .. })), _) => Err(OpeningError::Syntax(
                text!("`{tail}` is not a move", "`{tail}` は指し手ではありません").to_string(),
            )),
            (_, Some(problem)) => Err(OpeningError::Syntax(problem.to_string())),
            (_, None) => Err(OpeningError::Syntax(pick("no position", "局面がありません").to_owned())),
        }
    }
}

impl fmt::Display for Opening {
    /// `startpos moves ...` or `sfen ... moves ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = PositionCommand { setup: self.setup.clone(), moves: self.moves.clone(), tail: None };
        let text = command.to_string();
        f.write_str(text.strip_prefix("position ").unwrap_or(&text))
    }
}

/// A digest of a list of openings, equal on every machine and in every version.
pub fn digest(openings: &[Opening]) -> u64 {
    let text: String = openings.iter().map(|opening| format!("{opening}\n")).collect();
    fnv1a(text.as_bytes())
}

/// Reads a file of openings to be played under `rules`. Fails at the first line that is wrong; nothing is skipped.
///
/// ```
/// use enbu_arena::{Rules, openings};
/// let text = "# two openings\nstartpos moves 7g7f\n4k4/9/9/9/9/9/9/9/4K4 b 2P # bare\n";
/// assert_eq!(openings::read(text, Rules::default()).unwrap().len(), 2);
/// let error = openings::read("startpos moves 7g7e", Rules::default()).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: move 1: illegal move 7g7e: the piece does not move that way");
/// ```
pub fn read(text: &str, rules: Rules) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let checked = line.parse::<Opening>().and_then(|opening| match opening.referee(rules).ending() {
            Some(ending) => Err(OpeningError::Over(ending.reason)),
            None if !opening.position().has_legal_move() => Err(OpeningError::Over(Reason::Mate)),
            None => Ok(opening),
        });
        openings.push(checked.map_err(|error| OpeningsError::Line(index + 1, error))?);
    }
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_lists_apart() {
        let list = |text| read(text, Rules::default()).unwrap();
        let one = list("startpos\nstartpos moves 7g7f\n");
        assert_eq!(digest(&one), digest(&list("# first\nposition startpos\nstartpos moves 7g7f")));
        assert_ne!(digest(&one), digest(&one[..1]));
        assert_ne!(digest(&one), digest(&list("startpos moves 7g7f\nstartpos\n")));
        assert_eq!(digest(&[]), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        for line in [
            "startpos".to_owned(),
            "position startpos".to_owned(),
            format!("sfen {sfen}"),
            sfen.to_owned(),
            format!("position sfen {sfen} moves"),
            format!("{sfen} moves"),
            " startpos # comment moves 7g7f".to_owned(),
        ] {
            let read = read(&format!("\u{feff}\n{line}\r\n"), Rules::default());
            assert_eq!(read, Ok(vec![Opening::startpos()]), "{line}");
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        for (line, message) in [
            ("startpos moves 7g7f 7g7f", "line 2: move 2: illegal move 7g7f"),
            ("startpos moves 7g7f resign", "line 2: `resign` is not a move"),
            ("9/9/9 b -", "line 2: position: sfen board: not nine ranks in `9/9/9`"),
            ("4k4/4R4/9/9/9/9/9/9/4K4 b - 1", "line 2: opponent in check"),
            ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2", "line 2: the game is already over (mate)"),
            ("4k4/9/9/9/9/9/9/9/4K4 b - 321", "line 2: the game is already over (max_moves)"),
        ] {
            let error = read(&format!("startpos\n{line}\n"), Rules::default()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{line}: {error}");
        }
        assert_eq!(read("# nothing\n\n", Rules::default()), Err(OpeningsError::Empty));
    }
}

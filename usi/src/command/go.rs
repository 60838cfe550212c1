//! `go` and the clocks.

use std::fmt;

use enbu_movegen::{Color, Move};

use super::{CommandError, parse_perft, report};
use crate::reply::field;
use crate::token::{Words, unsigned};

/// Search time in milliseconds when every limit given was malformed: never an endless
/// search by mistake.
pub(super) const DEFAULT_MOVETIME_MS: u64 = 1000;

/// The clocks of a `go` or `ponderhit`. A part that was not sent is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Clock {
    /// `btime`: Black's remaining time in milliseconds.
    pub black_ms: Option<u64>,
    /// `wtime`: White's remaining time in milliseconds.
    pub white_ms: Option<u64>,
    /// `byoyomi`: milliseconds either side has for each move after its time ran out.
    pub byoyomi_ms: Option<u64>,
    /// `binc`: milliseconds Black gains for each move, usable in that move.
    pub black_increment_ms: Option<u64>,
    /// `winc`: milliseconds White gains for each move, usable in that move.
    pub white_increment_ms: Option<u64>,
}

/// Time limit of a mate search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MateLimit {
    /// Until the answer is known or `stop`.
    Unlimited,
    /// The given number of milliseconds.
    WithinMs(u64),
}

/// The parameters of a `go`. Without any limit the search runs until `stop`.
///
/// ```
/// use enbu_usi::{Command, GoRequest};
/// let request = GoRequest { depth: Some(5), ..GoRequest::default() };
/// assert_eq!(Command::parse("go depth 5").command, Some(Command::Go(request)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct GoRequest {
    /// `ponder`: search, and answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// `infinite`: search, and answer only after `stop`.
    pub infinite: bool,
    /// The clocks of the game.
    pub clock: Clock,
    /// `movetime`: search for this time in milliseconds, counted from `ponderhit` when pondering.
    pub movetime_ms: Option<u64>,
    /// `rtime N`: search a random time between N and 3N milliseconds.
    pub random_time_ms: Option<u64>,
    /// `nodes`: node limit.
    pub nodes: Option<u64>,
    /// `depth`: depth limit in plies.
    pub depth: Option<u32>,
    /// `mate`: look for a mate, answer with `checkmate`.
    pub mate: Option<MateLimit>,
    /// `searchmoves`: consider only these moves; empty for all.
    pub searchmoves: Vec<Move>,
    /// `perft`: do not search, count the move sequences of this depth in plies.
    pub perft: Option<u32>,
}

/// Every word with a meaning in `go`: none of them is taken for a missing value.
const KEYWORDS: &str = "ponder infinite btime wtime byoyomi binc winc movetime rtime nodes depth mate searchmoves perft \
     movestogo";

fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}

impl Clock {
    /// Returns `true` if no part was sent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Remaining time of `color` in milliseconds.
    pub const fn time_ms(&self, color: Color) -> Option<u64> {
        color.select([self.black_ms, self.white_ms])
    }

    /// Increment of `color` in milliseconds.
    pub const fn increment_ms(&self, color: Color) -> Option<u64> {
        color.select([self.black_increment_ms, self.white_increment_ms])
    }

    const fn parts(&mut self) -> [(&'static str, &mut Option<u64>); 5] {
        [
            ("btime", &mut self.black_ms),
            ("wtime", &mut self.white_ms),
            ("byoyomi", &mut self.byoyomi_ms),
            ("binc", &mut self.black_increment_ms),
            ("winc", &mut self.white_increment_ms),
        ]
    }

    /// Reads the times after `ponderhit`; `None` when there are none.
    pub(super) fn parse(words: &mut Words<'_>, problems: &mut Vec<CommandError>) -> Option<Self> {
        let mut clock = Self::default();
        let mut values = Values { command: "ponderhit", words, problems, refused: 0 };
        while let Some(word) = values.words.next() {
            values.read(word, &mut clock.parts());
        }
        if clock.is_empty() { None } else { Some(clock) }
    }
}

/// Reads values after keywords and notes the ones that are refused.
struct Values<'w, 'a> {
    command: &'static str,
    words: &'w mut Words<'a>,
    problems: &'w mut Vec<CommandError>,
    refused: usize,
}

impl<'a> Values<'_, 'a> {
    /// The word after a keyword, unless it is a keyword itself.
    fn word(&mut self) -> Option<&'a str> {
        self.words.next_as(|word| (!is_keyword(word)).then_some(word))
    }

    /// The whole number after `keyword`; negative ones count as 0.
    fn number(&mut self, keyword: &str) -> Option<u64> {
        let place = format!("{} {keyword}", self.command);
        let word = self.word();
        let value = word.and_then(unsigned);
        if value.is_none() {
            self.refused += 1;
            let problem = match word {
                Some(word) => CommandError::Number(place, word.to_owned()),
                None => CommandError::Missing(place, enbu_language::Words("value", "値")),
            };
            report(self.problems, problem);
        }
        value
    }

    /// Reads the value after `word` into the field of that keyword; false without such a field.
    fn read(&mut self, word: &str, fields: &mut [(&'static str, &mut Option<u64>)]) -> bool {
        let Some((keyword, field)) = fields.iter_mut().find(|(keyword, _)| *keyword == word) else { return false };
        **field = self.number(keyword).or(**field);
        true
    }
}

impl GoRequest {
    /// Returns `true` if the request holds any limit of the search.
    pub fn has_limit(&self) -> bool {
        !self.clock.is_empty()
            || self.movetime_ms.is_some()
            || self.random_time_ms.is_some()
            || self.nodes.is_some()
            || self.depth.is_some()
            || self.mate.is_some()
            || self.perft.is_some()
    }

    /// Returns `true` for a search until `stop`: `infinite`, or no limit.
    pub fn runs_until_stop(&self) -> bool {
        self.infinite || !self.has_limit()
    }

    /// Parses the words after `go`. Refused values are noted in `problems`.
    /// Fails when the depth of `perft` is refused, since no other `go` was meant.
    pub(super) fn parse(words: &mut Words<'_>, problems: &mut Vec<CommandError>) -> Result<Self, CommandError> {
        let mut request = Self::default();
        let mut values = Values { command: "go", words, problems, refused: 0 };
        while let Some(word) = values.words.next() {
            request.read(word, &mut values)?;
        }
        if values.refused > 0 && !request.has_limit() && !request.infinite {
            request.movetime_ms = Some(DEFAULT_MOVETIME_MS);
        }
        Ok(request)
    }

    /// The limits that are plain numbers, with their keywords.
    const fn numbers(&mut self) -> [(&'static str, &mut Option<u64>); 8] {
        let [black, white, byoyomi, black_increment, white_increment] = self.clock.parts();
        let movetime = ("movetime", &mut self.movetime_ms);
        let random_time = ("rtime", &mut self.random_time_ms);
        let nodes = ("nodes", &mut self.nodes);
        [black, white, byoyomi, black_increment, white_increment, movetime, random_time, nodes]
    }

    fn read(&mut self, word: &str, values: &mut Values<'_, '_>) -> Result<(), CommandError> {
        match word {
            _ if values.read(word, &mut self.numbers()) => {}
            "ponder" => self.ponder = true,
            "infinite" => self.infinite = true,
            "depth" => {
                let depth = values.number("depth").map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
                self.depth = depth.or(self.depth);
            }
            "mate" => self.mate = Some(read_mate(values)),
            "searchmoves" => self.read_moves(values),
            "perft" => self.perft = Some(parse_perft("go perft", values.words)?),
            // Unknown words, `movestogo` and its number among them, mean nothing.
            _ => {}
        }
        Ok(())
    }

    fn read_moves(&mut self, values: &mut Values<'_, '_>) {
        let mut number = 0;
        while let Some(word) = values.word() {
            number += 1;
            match word.parse() {
                Ok(mv) => self.searchmoves.push(mv),
                Err(_) => {
                    let (command, text) = ("go searchmoves", word.to_owned());
                    report(values.problems, CommandError::Move(command, text, number));
                }
            }
        }
    }
}

/// The limit of `go mate`; a malformed one must not become an endless search.
fn read_mate(values: &mut Values<'_, '_>) -> MateLimit {
    match values.words.peek() {
        Some("infinite") => {
            values.words.next();
            MateLimit::Unlimited
        }
        Some(word) if !is_keyword(word) => MateLimit::WithinMs(values.number("mate").unwrap_or(DEFAULT_MOVETIME_MS)),
        _ => MateLimit::Unlimited,
    }
}

impl fmt::Display for Clock {
    /// The parts that were sent, each with a blank before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut clock = *self;
        clock.parts().into_iter().try_for_each(|(keyword, value)| field(f, keyword, *value))
    }
}

impl fmt::Display for MateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("infinite"),
            Self::WithinMs(ms) => write!(f, "{ms}"),
        }
    }
}

impl fmt::Display for GoRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        self.clone().numbers().into_iter().try_for_each(|(keyword, value)| field(f, keyword, *value))?;
        field(f, "depth", self.depth)?;
        field(f, "mate", self.mate)?;
        field(f, "perft", self.perft)?;
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
            self.searchmoves.iter().try_for_each(|mv| write!(f, " {mv}"))?;
        }
        Ok(())
    }
}

//! Commands: the input lines from a GUI, a match runner or a console user.
//!
//! Reading is lenient in points on which clients differ and strict if a guess could lose a
//! game. Accepted beyond the protocol's text: runs of blanks, `\r`, a `position`
//! without the word `sfen`, without hands or move number, with `moves` and nothing
//! after it, or with the pseudo moves that records end in (`resign`, `rep_draw`);
//! `ponderhit` with times; words after a command that takes none. In `go`, words
//! that mean nothing are skipped one by one, a malformed value costs only itself.
//! A `position` is taken whole or not at all.
//!
//! Each [`Command`] prints as a line that reads as the same command.

mod go;

use std::fmt;

use enbu_language::{Words as Phrase, messages};
use enbu_movegen::{Move, Setup, SfenError};

pub use go::{Clock, GoRequest, MateLimit};

use crate::reply::{field, joined};
use crate::token::{Words, number, quote};

/// The deepest `perft` that is accepted, in plies: it bounds the recursion, and deeper
/// ones would not finish.
pub(crate) const MAX_PERFT_DEPTH: u32 = 20;

/// Maximum number of errors reported for one line.
const MAX_PROBLEMS: usize = 8;

/// A command to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `usi`: identify the engine and declare its options.
    Usi,
    /// `isready`: do all slow preparation, then answer `readyok`.
    IsReady,
    /// `setoption name N [value V]`.
    SetOption {
        /// The name as given; words are separated by one blank.
        name: String,
        /// The rest of the line after `value`; `None` without that word.
        value: Option<String>,
    },
    /// `usinewgame`: a new game begins.
    UsiNewGame,
    /// `position`: sets the position for the next `go`.
    Position(PositionCommand),
    /// `go`: start a search.
    Go(GoRequest),
    /// `stop`: end the search and answer.
    Stop,
    /// `ponderhit [times]`: the expected move was played.
    PonderHit(Option<Clock>),
    /// `gameover [result]`.
    GameOver(Option<GameResult>),
    /// `quit`.
    Quit,
    /// `help`: list the commands.
    Help,
    /// `side`: which side is to move?
    Side,
    /// `moves`: which moves are legal?
    Moves,
    /// `d`: show the position.
    Display,
    /// `eval`: show the static evaluation.
    Eval,
    /// `csa`: show the game as a CSA record.
    Csa,
    /// `perft N`: count move sequences of N plies.
    Perft(u32),
    /// `getoption [name]`: show the value of one option or of all.
    GetOption(Option<String>),
}

/// A starting diagram and the moves played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// The start position of the game.
    pub setup: Setup,
    /// The moves since; well-formed, legal or not.
    pub moves: Vec<Move>,
    /// The pseudo move that ended the list, if one did (`resign`).
    pub tail: Option<String>,
}

/// Result of a game for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum GameResult {
    /// The engine won.
    Win,
    /// The engine lost.
    Lose,
    /// A draw; also sent for games that were broken off.
    Draw,
}

messages! {
/// Error in a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum CommandError {
    Unknown(word: String) => "unknown command {}", "{} というコマンドはありません", quote(word);
    Missing(place: String, part: Phrase) => "{place}: {part} missing", "{place}：{part}がありません";
    Unexpected(command: &'static str, word: String, part: Phrase) =>
        "{command}: unexpected {}, {part} is needed", "{command}：{} の位置には{part}が必要です", quote(word);
    Number(place: String, word: String) => "{place}: {} is not a whole number", "{place}：{} は整数ではありません", quote(word);
    Depth(command: &'static str, word: String) =>
        "{command}: {} is out of range, 0 to {MAX_PERFT_DEPTH} is needed", "{command}：{} は範囲外です（0～{MAX_PERFT_DEPTH}）", quote(word);
    TooLong(bytes: usize) => "a line of more than {bytes} bytes was skipped", "{bytes} バイトを超える行を無視しました";
    Sfen(#[from] error: SfenError) => "position: {error}", "position：{error}";
    Move(command: &'static str, word: String, number: usize) =>
        "{command}: {} is not a move (move {number})", "{command}：{number} 手目の {} は指し手ではありません", quote(word);
}}

/// Result of parsing one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The command; `None` for a blank line or one that is refused.
    pub command: Option<Command>,
    /// The errors. With a command, the parts of it that were left out.
    pub problems: Vec<CommandError>,
}

impl From<CommandError> for Parsed {
    /// A line that is refused whole.
    fn from(problem: CommandError) -> Self {
        Self { command: None, problems: vec![problem] }
    }
}

impl Command {
    /// Reads one line.
    ///
    /// ```
    /// use enbu_usi::Command;
    /// assert_eq!(Command::parse("usi\r").command, Some(Command::Usi));
    /// let parsed = Command::parse("go depth 12x nodes 500");
    /// assert_eq!(parsed.problems[0].to_string(), "go depth: `12x` is not a whole number");
    /// assert_eq!(parsed.command.unwrap().to_string(), "go nodes 500");
    /// ```
    pub fn parse(line: &str) -> Parsed {
        let mut words = Words::new(line);
        let Some(word) = words.next() else {
            return Parsed { command: None, problems: Vec::new() };
        };
        let mut problems = Vec::new();
        match Self::parse_rest(word, &mut words, &mut problems) {
            Ok(command) => Parsed { command: Some(command), problems },
            Err(problem) => problem.into(),
        }
    }

    /// The commands of a console user, each with its meaning in English and Japanese.
    pub(crate) const HELP: &[(&str, &str, &str)] = &[
        (
            "position SFEN",
            "set the position: `startpos`, or `sfen ...`; then `moves ...`",
            "局面を設定（startpos または sfen …、続けて moves …）",
        ),
        (
            "go nodes N",
            "search; also `depth N`, `movetime MS`, `infinite`, `mate MS`",
            "探索（ほかに depth N、movetime ミリ秒、infinite、mate ミリ秒）",
        ),
        ("stop", "end the search", "探索を止める"),
        ("d", "show the position", "局面を表示"),
        ("moves", "list the legal moves", "合法手の一覧"),
        ("side", "show the side to move", "手番を表示"),
        ("eval", "show the static evaluation", "静的評価値を表示"),
        ("csa", "show the game as a CSA record", "棋譜を CSA 形式で表示"),
        ("perft N", "count the move sequences of N plies", "N手の手順を数える"),
        (
            "setoption name N",
            "set an option: `setoption name Threads value 2`",
            "オプションを設定（例：setoption name Threads value 2）",
        ),
        ("getoption", "show the values of all options", "全オプションの現在値"),
        ("quit", "end the program", "終了"),
    ];

    /// The commands that are one word.
    const WORDS: [(&str, Self); 11] = [
        ("usi", Self::Usi),
        ("isready", Self::IsReady),
        ("usinewgame", Self::UsiNewGame),
        ("stop", Self::Stop),
        ("quit", Self::Quit),
        ("help", Self::Help),
        ("side", Self::Side),
        ("moves", Self::Moves),
        ("d", Self::Display),
        ("eval", Self::Eval),
        ("csa", Self::Csa),
    ];

    fn parse_rest(word: &str, words: &mut Words<'_>, problems: &mut Vec<CommandError>) -> Result<Self, CommandError> {
        if let Some((_, command)) = Self::WORDS.into_iter().find(|(known, _)| *known == word) {
            return Ok(command);
        }
        Ok(match word {
            "setoption" => parse_set_option(words)?,
            "position" => Self::Position(PositionCommand::parse(words)?),
            "go" => Self::Go(GoRequest::parse(words, problems)?),
            "ponderhit" => Self::PonderHit(Clock::parse(words, problems)),
            "gameover" => Self::GameOver(words.next().and_then(|word| word.parse().ok())),
            "perft" => Self::Perft(parse_perft("perft", words)?),
            "getoption" => Self::GetOption(parse_get_option(words)),
            _ => return Err(CommandError::Unknown(word.to_owned())),
        })
    }
}

/// Adds an error, up to [`MAX_PROBLEMS`].
fn report(problems: &mut Vec<CommandError>, problem: CommandError) {
    if problems.len() < MAX_PROBLEMS {
        problems.push(problem);
    }
}

fn parse_set_option(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let missing = |text| CommandError::Missing("setoption".to_owned(), text);
    match words.next() {
        Some("name") => {}
        Some(word) => {
            return Err(CommandError::Unexpected("setoption", word.to_owned(), Phrase("the word name", " name ")));
        }
        None => return Err(missing(Phrase("the word name", " name "))),
    }
    let name = joined(words.take_while_peeked(|word| word != "value"));
    if name.is_empty() {
        return Err(missing(Phrase("the option's name", "オプション名")));
    }
    let value = words.next().map(|_value| words.rest().to_owned());
    Ok(Command::SetOption { name, value })
}

fn parse_get_option(words: &mut Words<'_>) -> Option<String> {
    // `getoption name X` is written by analogy with setoption.
    let mut words = words.clone();
    if words.peek() == Some("name") && words.clone().nth(1).is_some() {
        words.next();
    }
    let name = joined(words);
    if name.is_empty() { None } else { Some(name) }
}

fn parse_perft(command: &'static str, words: &mut Words<'_>) -> Result<u32, CommandError> {
    let word = words.next().ok_or_else(|| CommandError::Missing(command.to_owned(), Phrase("the depth", "深さ")))?;
    let depth = number(word).ok_or_else(|| CommandError::Number(format!("{command} depth"), word.to_owned()))?;
    let depth = u32::try_from(depth).ok().filter(|&depth| depth <= MAX_PERFT_DEPTH);
    depth.ok_or_else(|| CommandError::Depth(command, word.to_owned()))
}

/// The words with which records end a list of moves, and search lines too.
const PSEUDO_MOVES: [&str; 10] =
    ["resign", "rep_draw", "rep_win", "rep_lose", "rep_sup", "rep_inf", "draw", "timeout", "break", "win"];

impl PositionCommand {
    fn parse(words: &mut Words<'_>) -> Result<Self, CommandError> {
        const START: Phrase = Phrase("startpos or sfen", " startpos か sfen ");
        let unexpected = |word: &str, expected| Err(CommandError::Unexpected("position", word.to_owned(), expected));
        let setup = match words.peek() {
            Some(word @ ("startpos" | "sfen")) => {
                words.next();
                if word == "sfen" { parse_sfen(words)? } else { Setup::startpos() }
            }
            Some(board) if board.contains('/') => parse_sfen(words)?,
            Some(word) => return unexpected(word, START),
            None => return Err(CommandError::Missing("position".to_owned(), START)),
        };
        let (moves, tail) = match words.next() {
            Some("moves") => parse_moves(words)?,
            Some(word) => return unexpected(word, Phrase("moves or the end of the line", " moves か行末")),
            None => (Vec::new(), None),
        };
        Ok(Self { setup, moves, tail })
    }
}

/// Reads the fields of an SFEN up to `moves`.
fn parse_sfen(words: &mut Words<'_>) -> Result<Setup, CommandError> {
    let mut fields: Vec<&str> = words.take_while_peeked(|word| word != "moves").take(5).collect();
    // Without hands the move number is the third field.
    if let [_, _, last] = fields[..]
        && number(last).is_some()
    {
        fields.insert(2, "-");
    }
    Ok(fields.join(" ").parse()?)
}

fn parse_moves(words: &mut Words<'_>) -> Result<(Vec<Move>, Option<String>), CommandError> {
    let mut moves = Vec::new();
    for word in words {
        match word.parse() {
            Ok(mv) => moves.push(mv),
            Err(_) if PSEUDO_MOVES.contains(&word) => return Ok((moves, Some(word.to_owned()))),
            Err(_) => return Err(CommandError::Move("position", word.to_owned(), moves.len() + 1)),
        }
    }
    Ok((moves, None))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((word, _)) = Self::WORDS.iter().find(|(_, command)| command == self) {
            return f.write_str(word);
        }
        match self {
            Self::SetOption { name, value } => {
                write!(f, "setoption name {name}")?;
                field(f, "value", value.as_ref())
            }
            Self::Position(position) => position.fmt(f),
            Self::Go(request) => request.fmt(f),
            Self::PonderHit(clock) => {
                f.write_str("ponderhit")?;
                clock.iter().try_for_each(|clock| clock.fmt(f))
            }
            Self::GameOver(None) => f.write_str("gameover"),
            Self::GameOver(Some(result)) => write!(f, "gameover {result}"),
            Self::Perft(depth) => write!(f, "perft {depth}"),
            Self::GetOption(None) => f.write_str("getoption"),
            Self::GetOption(Some(name)) => write!(f, "getoption {name}"),
            // In the table.
            _ => Ok(()),
        }
    }
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.setup == Setup::startpos() {
            f.write_str("position startpos")?;
        } else {
            write!(f, "position sfen {}", self.setup)?;
        }
        if self.moves.is_empty() && self.tail.is_none() {
            return Ok(());
        }
        f.write_str(" moves")?;
        self.moves.iter().try_for_each(|mv| write!(f, " {mv}"))?;
        self.tail.iter().try_for_each(|tail| write!(f, " {tail}"))
    }
}

#[cfg(test)]
mod tests;

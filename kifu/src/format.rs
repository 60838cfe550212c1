//! Detection of formats, and one interface to all of them.
//!
//! Formats are detected from the content, never from file names:
//!
//! | content | format |
//! |---|---|
//! | `{` and a quote, or `{}`, also within `[` | JKF |
//! | a tag `[Sente "value"]` or, first of all, `[Black "value"]` | PSN, PSN2 |
//! | another tag `[Name "value"]`, or a move number with a dot | PGN |
//! | an address with a board, or USEN | SFEN/USI |
//! | `startpos`, a word with slashes, or a move such as `7g7f`, after `position`, `sfen` or `moves` | SFEN/USI |
//! | a version, `N+`, `$KEY:`, `PI`, `P1`, a side alone, `+7776FU`, `%TORYO` | CSA |
//! | numbered moves, or the line `手数----` | KIF |
//! | moves after marks such as `▲` | KI2 |
//! | a board between bars and no moves | BOD |
//! | headers of the KIF family and nothing else | KIF |

use std::fmt;
use std::str::FromStr;

use enbu_language::{pick, text};
use enbu_movegen::{Move, Setup};
use thiserror::Error;

use crate::board::Board;
use crate::encoding::{decode, lines, read_text};
use crate::error::{KifuError, Mode, Problem};
use crate::kakinoki::score::ScoreStyle;
use crate::kakinoki::{self, Notation, headers, moves, words};
use crate::reading::Reading;
use crate::record::Record;
use crate::{bod, csa, fen, jkf, line_writer, pgn, svg, usen, usi};

/// A format of records or positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// KIF: see [`kif`](crate::kif).
    Kif,
    /// KI2: see [`ki2`](crate::ki2).
    Ki2,
    /// Boards: see [`bod`].
    Bod,
    /// CSA: see [`csa`].
    Csa,
    /// Games, one a line: see [`usi`].
    Usi,
    /// Positions, one a line: see [`usi`].
    Sfen,
    /// Positions as FEN, one a line: see [`fen`].
    Fen,
    /// Games as commands of UCI, one a line: see [`usi::write_uci`].
    Uci,
    /// Games with variations for addresses of web pages, one a line.
    Usen,
    /// PGN: see [`pgn`].
    Pgn,
    /// PSN, as Shogidokoro writes it; read as PGN.
    Psn,
    /// PSN2, as MyShogi writes it; read as PGN.
    Psn2,
    /// JSON: see [`jkf`].
    Jkf,
    /// A picture; can only be written: see [`svg`].
    Svg,
}

/// Options of the writers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Evaluations in comments, for KIF, KI2 and JKF.
    pub scores: ScoreStyle,
    /// Version of CSA files.
    pub csa: csa::FileVersion,
    /// Ends of games in USI lines.
    pub ends: usi::Ends,
    /// The position to write where only one can be (BOD, SVG, SFEN and FEN): the
    /// one after this number of moves of the main line. `None` is the position after the
    /// last move for pictures and boards, the start position for lists.
    pub ply: Option<usize>,
    /// Look of pictures.
    pub diagram: svg::Style,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 14] = {
        use Format::*;
        [Kif, Ki2, Bod, Csa, Usi, Sfen, Fen, Uci, Usen, Pgn, Psn, Psn2, Jkf, Svg]
    };

    /// The name by which it is chosen, which is also the usual extension of its files.
    #[expect(clippy::indexing_slicing, reason = "one name for each variant")]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; Format::ALL.len()] =
            ["kif", "ki2", "bod", "csa", "usi", "sfen", "fen", "uci", "usen", "pgn", "psn", "psn2", "jkf", "svg"];
        NAMES[self as usize]
    }

    /// The format that files with this extension should have, without the dot.
    ///
    /// ```
    /// use enbu_kifu::Format;
    /// assert_eq!(Format::of_extension("KIFU"), Some(Format::Kif));
    /// assert_eq!(Format::of_extension("txt"), None);
    /// ```
    pub fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        match extension.as_str() {
            "kifu" => Some(Self::Kif),
            "ki2u" => Some(Self::Ki2),
            "json" => Some(Self::Jkf),
            name => Self::ALL.into_iter().find(|format| format.name() == name),
        }
    }

    /// The format of a text; `None` when it is none of ours.
    ///
    /// ```
    /// use enbu_kifu::Format;
    /// assert_eq!(Format::detect("V2.2\nPI\n+\n"), Some(Format::Csa));
    /// assert_eq!(Format::detect("▲７六歩 △３四歩"), Some(Format::Ki2));
    /// assert_eq!(Format::detect("prose"), None);
    /// ```
    pub fn detect(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if let Some(form) = psn_of_head(text) {
            return Some(form);
        }
        let object = text.strip_prefix('[').map_or(text, str::trim_start);
        if object.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}'])) {
            return Some(Self::Jkf);
        }
        let mut seen = None;
        let is_known = |(key, _): (&str, &str)| headers::is_known(key) || key.ends_with("の持駒");
        for line in lines(text).map(str::trim).filter(|line| !line.is_empty()) {
            match of_line(line) {
                Some(Self::Kif) => return Some(Self::Kif),
                // A board can have moves below it.
                Some(Self::Ki2) => seen = Some(Self::Ki2),
                Some(Self::Bod) => seen = seen.filter(|&seen| seen == Self::Ki2).or(Some(Self::Bod)),
                Some(format) if seen.is_none() => return Some(format),
                _ if seen.is_none() && headers::split(line).is_some_and(is_known) => seen = Some(Self::Kif),
                _ => {}
            }
        }
        seen
    }

    /// Returns true if a file of this format may hold several games or positions. Readers of
    /// the others take the first, or all as one game.
    pub const fn holds_games(self) -> bool {
        matches!(self, Self::Csa | Self::Usi | Self::Sfen | Self::Fen | Self::Uci | Self::Usen | Self::Pgn)
    }

    /// Returns true if this format shows one position of a game: see [`WriteOptions::ply`].
    pub const fn holds_a_position(self) -> bool {
        matches!(self, Self::Bod | Self::Sfen | Self::Fen | Self::Svg)
    }

    /// The format as a kind of text: lists of positions are read as games are.
    const fn kind(self) -> Self {
        match self {
            Self::Ki2 | Self::Bod => Self::Kif,
            Self::Sfen | Self::Fen | Self::Uci | Self::Usen => Self::Usi,
            Self::Psn | Self::Psn2 => Self::Pgn,
            other => other,
        }
    }

    /// Reads a text of this format. Where the content is clearly of another format,
    /// it is read as that one, with a warning.
    ///
    /// # Errors
    /// The error of the format's reader.
    pub fn read(self, text: &str, mode: Mode) -> Result<Reading, KifuError> {
        let found = Self::detect(text).filter(|found| found.kind() != self.kind());
        let Some(found) = found else { return self.read_as_told(text, mode) };
        let other = KifuError::new(Problem::OtherFormat(found.name()), 1, 1, "");
        if mode == Mode::Strict {
            return Err(other);
        }
        let mut reading = found.read_as_told(text, mode)?;
        reading.warnings.push(other);
        Ok(reading)
    }

    /// Reads a file of this format and any encoding; as [`read`](Self::read).
    ///
    /// # Errors
    /// The error of the format's reader.
    pub fn read_bytes(self, bytes: &[u8], mode: Mode) -> Result<Reading, KifuError> {
        read_text(&decode(bytes), mode, |text, mode| self.read(text, mode))
    }

    /// Returns true if content of the format `found` is usual in files of this format.
    pub fn reads_as(self, found: Self) -> bool {
        self.kind() == found.kind()
    }

    fn read_as_told(self, text: &str, mode: Mode) -> Result<Reading, KifuError> {
        match self {
            Self::Kif | Self::Ki2 | Self::Bod => kakinoki::read(text, mode),
            Self::Csa => csa::read(text, mode),
            Self::Usi | Self::Sfen | Self::Fen | Self::Uci | Self::Usen => usi::read(text, mode),
            Self::Pgn | Self::Psn | Self::Psn2 => pgn::read(text, mode),
            Self::Jkf => jkf::read(text, mode),
            Self::Svg => Err(KifuError::new(Problem::NoRecord, 1, 1, crate::lines::split_line(text).0)),
        }
    }

    /// Writes records in this format.
    pub fn write(self, records: &[Record], options: WriteOptions) -> String {
        match self {
            Self::Kif => line_writer::write_all(records, Notation::Numbered, options.scores),
            Self::Ki2 => line_writer::write_all(records, Notation::Free, options.scores),
            Self::Csa => csa::write_all(records, options.csa),
            Self::Usi => usi::write_all(records, options.ends),
            Self::Uci => each(records, |record| usi::write_uci(record) + "\n"),
            Self::Usen => each(records, |record| usen::write(record) + "\n"),
            Self::Pgn => pgn::write_all(records),
            Self::Psn => line_writer::write_all(records, Notation::Psn, options.scores),
            Self::Psn2 => line_writer::write_all(records, Notation::Psn2, options.scores),
            Self::Jkf => jkf::write_all(records, options.scores),
            Self::Sfen => each(records, |record| format!("{}\n", position(record, options.ply.unwrap_or(0)))),
            Self::Fen => each(records, |record| fen::write(&position(record, options.ply.unwrap_or(0))) + "\n"),
            Self::Bod => each(records, |record| bod::write(&position(record, options.ply.unwrap_or(usize::MAX)))),
            Self::Svg => each(records, |record| svg::write(record, options.ply, &options.diagram)),
        }
    }
}

fn each(records: &[Record], write: impl Fn(&Record) -> String) -> String {
    records.iter().map(write).collect()
}

/// The position after `ply` moves of the main line, or after all of them.
fn position(record: &Record, ply: usize) -> Setup {
    Board::after(record, ply).to_setup()
}

/// The form of PSN that a tag on the first line gives away: PGN never begins with a player.
fn psn_of_head(text: &str) -> Option<Format> {
    let name = text.strip_prefix('[')?.split([' ', '"']).next()?;
    let forms = [("Sente", Format::Psn), ("Gote", Format::Psn), ("Black", Format::Psn2)];
    forms.into_iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, form)| form)
}

/// The format that a line alone gives away.
fn of_line(line: &str) -> Option<Format> {
    let bytes = line.as_bytes();
    if line.starts_with("#KIF") || line.starts_with("手数--") {
        return Some(Format::Kif);
    }
    if line.starts_with("#KI2") || line.starts_with(|c| words::side_of_mark(c).is_some()) || moves::parse(line).is_ok()
    {
        return Some(Format::Ki2);
    }
    if line.starts_with('|') || headers::files(line).is_some() {
        return Some(Format::Bod);
    }
    if let Some((_, rest)) = words::number(line) {
        let after = rest.trim_start_matches(|c| words::is_blank(c) || matches!(c, '.' | '．'));
        let begins = moves::begins_move(after) || after.starts_with(|c: char| !c.is_ascii());
        return match rest.as_bytes() {
            [b'.', ..] if !begins => Some(Format::Pgn),
            _ if begins && after.len() < rest.len() => Some(Format::Kif),
            _ => is_position(line).then_some(Format::Usi),
        };
    }
    match bytes {
        [b'[', ..] if line.contains('"') => Some(Format::Pgn),
        [b'V', b'1'..=b'9', ..] | [b'N', b'+' | b'-', ..] | [b'P', b'I' | b'+' | b'-', ..] => Some(Format::Csa),
        [b'P', b'1'..=b'9', b'+' | b'-' | b' ', ..] | [b'+' | b'-'] => Some(Format::Csa),
        [b'+' | b'-', a, b, c, d, e, f, ..] if [a, b, c, d].into_iter().all(u8::is_ascii_digit) => {
            (e.is_ascii_uppercase() && f.is_ascii_uppercase()).then_some(Format::Csa)
        }
        [b'%', letter, ..] if letter.is_ascii_uppercase() || b"+-".contains(letter) => Some(Format::Csa),
        [b'$', ..] if line.contains(':') => Some(Format::Csa),
        [b'\'', ..] => Some(Format::Csa),
        _ => is_position(line).then_some(Format::Usi),
    }
}

/// Returns true if a line begins with a position of SFEN or USI, or with moves from the start.
fn is_position(line: &str) -> bool {
    if line.contains(['~', '_', '%', ':']) && (usen::in_line(line).is_some() || usen::line_of_address(line).is_some()) {
        return true;
    }
    let mut words = line.split_whitespace().skip_while(|&word| matches!(word, "position" | "sfen" | "fen" | "moves"));
    words.next().is_some_and(|word| {
        word == "startpos"
            || fen::is_other_board(word)
            || (word.is_ascii() && word.bytes().filter(|&byte| byte == b'/').count() >= 6)
            || word.parse::<Move>().is_ok()
    })
}

/// Reads a file of any format and any encoding.
///
/// # Errors
/// [`NoRecord`](Problem::NoRecord) when it is of no format, else the error of its reader.
///
/// ```
/// use enbu_kifu::{Format, Mode, read_any};
/// let (format, reading) = read_any(b"startpos moves 7g7f\n", Mode::Tolerant)?;
/// assert_eq!((format, reading.records.len()), (Format::Usi, 1));
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read_any(bytes: &[u8], mode: Mode) -> Result<(Format, Reading), KifuError> {
    let decoded = decode(bytes);
    let nothing = || KifuError::new(Problem::NoRecord, 1, 1, crate::lines::split_line(&decoded.text).0.trim());
    let format = Format::detect(&decoded.text).ok_or_else(nothing)?;
    let reading = read_text(&decoded, mode, |text, mode| format.read_as_told(text, mode))?;
    Ok((format, reading))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", text!(
    "unknown format `{0}`; known are {names}",
    "`{0}` という形式はありません（{names} から選びます）",
    .0,
    names = Format::ALL.map(Format::name).join(pick(", ", "、"))
))]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::of_extension(name).ok_or_else(|| UnknownFormat(name.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        for (text, format) in [
            ("{\"header\":{}}", Format::Jkf),
            ("{}", Format::Jkf),
            ("[\n {\"header\":{}}]", Format::Jkf),
            ("[Event \"x\"]\n", Format::Pgn),
            ("1. Pc4 *", Format::Pgn),
            ("   1 ７六歩(77)\n", Format::Kif),
            ("1 投了", Format::Kif),
            ("先手：甲\n", Format::Kif),
            ("先手：甲\n▲７六歩\n", Format::Ki2),
            ("# comment\n先手の持駒：なし\n|v香\n", Format::Bod),
            ("後手の持駒：なし\n| ・\n手数----\n", Format::Kif),
            ("'comment\nPI\n", Format::Csa),
            ("+7776FU", Format::Csa),
            ("startpos", Format::Usi),
            ("7g7f 3c3d", Format::Usi),
            ("moves P*5e", Format::Usi),
            ("後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+-----+\n| ・", Format::Bod),
            ("# list\nposition sfen 9/9/9/9/9/9/9/9/9 b - 1", Format::Usi),
            ("9/9/9/9/9/9/9/9/9[-] w 0 1", Format::Usi),
        ] {
            assert_eq!(Format::detect(text), Some(format), "{text}");
        }
        for text in ["", "\n", "prose", "これは棋譜ではありません。", "{comment", "12", "a: b"] {
            assert_eq!(Format::detect(text), None, "{text}");
        }
    }

    #[test]
    fn content_wins_over_what_was_said() {
        let csa = "V2.2\nPI\n+\n+7776FU\n";
        let reading = Format::Kif.read(csa, Mode::Tolerant).unwrap();
        assert_eq!((reading.records[0].moves().count(), reading.warnings.count()), (1, 1));
        assert!(Format::Kif.read(csa, Mode::Strict).is_err());
        assert_eq!(Format::Ki2.read("1 ７六歩(77)", Mode::Strict).unwrap().records.len(), 1);
    }
}

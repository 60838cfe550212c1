//! Games and positions as lines of SFEN and USI, one a line.
//!
//! The reader takes `[position] startpos|[sfen] SFEN|[fen] FEN [moves MOVES]`, with any
//! blanks between the words and with `#` lines between the games; hands in any
//! order, missing hands and move numbers; FEN by its bracket (see [`fen`]); moves
//! also as programs for chess variants write them (`c3c4`, `b2h8+`, `P@e5`).
//! Moves without a position begin at the start, with a warning.
//! Addresses of web pages that hold a position or game, and USEN in them, are read as well.
//! After the moves it accepts the words of ShogiGUI (`resign`, `rep_draw`, `draw`,
//! `timeout`, `break`, `win`) and its own `end=WORD winner=SIDE`. A line that cannot
//! be read is an error, and the lines around it are kept.
//!
//! The writer writes `startpos moves ...` or `sfen SFEN moves ...`, the main line only,
//! without the word `moves` where there are none; with [`Ends::Words`] also
//! `end=WORD winner=SIDE`:
//!
//! | WORD | meaning |
//! |---|---|
//! | `resign` `abort` `sennichite` `jishogi` `time_up` `mate` `no_mate` `max_moves` `error` | the obvious |
//! | `illegal_move` | the side to move fouled (after a foul that is the last move, its mover) |
//! | `illegal_action_black` `illegal_action_white` | that side fouled |
//! | `declaration_win` `declaration_draw` | by entering king |
//! | `win_by_default` `lose_by_default` | of the side to move |
//! | `other:TEXT` | any other word, blanks replaced by `_` |
//! | `unfinished` | no end is given |
//!
//! SIDE is `black`, `white`, `draw` or `none`.

use std::fmt::{self, Write as _};
use std::iter::Peekable;
use std::str::SplitWhitespace;

use enbu_movegen::{Move, Setup, SfenError};

use crate::end::{End, EndKind, GameResult};
use crate::error::{KifuError, Mode, Problem};
use crate::fen;
use crate::kakinoki::words::is_blank;
use crate::lines::{lines, offset_in};
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::Record;
use crate::terms::Naming;
use crate::track::Track;
use crate::usen;

/// Ends of games in written lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// Moves only.
    #[default]
    Omit,
    /// `end=WORD winner=SIDE` after the moves.
    Words,
}

type Words<'t> = Peekable<SplitWhitespace<'t>>;

/// Reads all lines of a text.
///
/// # Errors
/// In tolerant mode when no line could be read: the error of the first, or
/// [`NoRecord`](Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{Mode, usi};
/// let reading = usi::read("startpos moves 7g7f 3c3d resign\n", Mode::Strict)?;
/// assert_eq!(usi::write(&reading.records[0], usi::Ends::Words), "startpos moves 7g7f 3c3d end=resign winner=white");
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let mut report = Reporter::new(text, mode);
    let mut records = Vec::new();
    let lines = lines(text).map(|line| line.trim_matches(is_blank));
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let outcome = lines.try_for_each(|line| {
        let (record, outcome) = match usen::in_line(line) {
            Some(game) => usen::read(game),
            None => read_line(line, &mut report),
        };
        records.extend(record);
        outcome.or_else(|fault| report.error(fault))
    });
    report.finish(outcome, records)
}

/// The game of a line, also up to a fault.
fn read_line<'t>(line: &'t str, report: &mut Reporter<'t>) -> (Option<Record>, Step<'t>) {
    let address = usen::line_of_address(line);
    let text = address.as_deref().unwrap_or(line);
    let mut words = text.split_whitespace().peekable();
    // An address is decoded: its words are no parts of the text.
    let fault = |problem: Problem, part: &str| {
        let at = offset_in(line, part).and_then(|at| line.get(at..at + part.len()));
        Fault::new(problem, at.unwrap_or(line)).quoting(part)
    };
    let mut track = match read_position(text, &mut words, report, &fault) {
        Ok(setup) => Track::new(&setup),
        Err(fault) => return (None, Err(fault)),
    };
    let outcome = read_moves(&mut words, &mut track, report, &fault);
    let is_kept = outcome.is_ok() || track.is_begun();
    (is_kept.then_some(track.record), outcome)
}

/// Adds the moves and the end after the position; all that was added before an error stays.
fn read_moves<'t, 'w>(
    words: &mut Words<'w>,
    track: &mut Track<'w>,
    report: &mut Reporter<'t>,
    fault: &dyn Fn(Problem, &str) -> Fault<'t>,
) -> Step<'t> {
    words.next_if_eq(&"moves");
    let warn_of = |foul: Option<&str>, report: &mut Reporter<'t>| {
        foul.map_or(Ok(()), |word| report.warn(fault(Problem::IllegalMove, word)))
    };
    for word in words {
        if let Some(winner) = word.strip_prefix("winner=") {
            match GameResult::named(winner, Naming::Usi) {
                Some(result) => track.record.end_mut(track.at).into_iter().for_each(|end| end.result = result),
                None => report.warn(fault(Problem::ResultMismatch, word))?,
            }
            continue;
        }
        if track.is_ended() {
            return report.warn(fault(Problem::AfterEnd, word));
        }
        // Mostly a move: it is tried first.
        let mv: Option<Move> = word.parse().ok().or_else(|| fen::read_move(word));
        if let (None, Some(kind)) = (mv, end_of_word(word)) {
            if let Some(kind) = kind {
                warn_of(track.end(track.end_of(kind)), report)?;
            }
            continue;
        }
        let mv = mv.ok_or_else(|| fault(Problem::MoveSyntax, word))?;
        let passed_over = track.make(mv, word).map_err(|problem| fault(problem, word))?;
        warn_of(passed_over, report)?;
    }
    warn_of(track.foul.take(), report)
}

fn read_position<'t>(
    text: &str,
    words: &mut Words<'_>,
    report: &mut Reporter<'t>,
    fault: &dyn Fn(Problem, &str) -> Fault<'t>,
) -> Result<Setup, Fault<'t>> {
    words.next_if_eq(&"position");
    if words.next_if_eq(&"startpos").is_some() {
        return Ok(Setup::startpos());
    }
    words.next_if(|&word| matches!(word, "sfen" | "fen"));
    let start = words.peek().and_then(|word| text.get(offset_in(text, word)?..)).unwrap_or_default();
    let first = start.split_whitespace().find(|&word| word != "moves");
    if !words.peek().is_some_and(|word| word.contains('/')) && first.is_some_and(|word| word.parse::<Move>().is_ok()) {
        // Lists of openings have lines of moves alone.
        report.warn(fault(Problem::NoBoard, start))?;
        return Ok(Setup::startpos());
    }
    let is_field = |word: &&str| *word != "moves" && end_of_word(word).is_none();
    let mut fields: Vec<&str> = std::iter::from_fn(|| words.next_if(is_field)).collect();
    let wrong = |error: SfenError| match fen::is_other_board(start) {
        true => fault(Problem::OtherVariant, start),
        false => fault(Problem::Sfen(error), start),
    };
    if fields.first().is_some_and(|board| fen::is_fen(board)) {
        return fen::read(&fields.join(" ")).map_err(wrong);
    }
    if let Some(&extra) = fields.get(4) {
        let text = enbu_language::Words("text behind the position", "局面の後の余分な文字");
        report.warn(fault(Problem::OutOfPlace(text), extra))?;
        fields.truncate(4);
    }
    // A count of 1 is never written.
    let counts_one = |hands: &&&str| hands.split(|c: char| !c.is_ascii_digit()).any(|count| count == "1");
    if let Some(&hands) = fields.get(2).filter(counts_one) {
        report.warn(fault(Problem::HandSyntax, hands))?;
    }
    fields.join(" ").parse().map_err(wrong)
}

/// The end for a word; `Some(None)` for `unfinished`, `None` for an unknown word.
fn end_of_word(word: &str) -> Option<Option<EndKind>> {
    let own = word.strip_prefix("end=");
    let known = EndKind::named(own.unwrap_or(word), Naming::Usi);
    known.map(Some).or_else(|| match own? {
        "unfinished" => Some(None),
        "other:MATTA" => Some(Some(EndKind::TakeBack)),
        word => Some(Some(EndKind::Other(word.strip_prefix("other:").unwrap_or(word).to_owned()))),
    })
}

/// The end for a word of [`end_word`]; `None` for `unfinished`.
pub(crate) fn end_kind(word: &str) -> Option<EndKind> {
    end_of_word(&format!("end={word}")).flatten()
}

/// The word of an end: see the [module](self).
pub fn end_word(end: Option<&End>) -> String {
    let Some(end) = end else { return "unfinished".to_owned() };
    match &end.kind {
        EndKind::TakeBack => "other:MATTA".to_owned(),
        EndKind::Other(text) => {
            let clean: String =
                text.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
            format!("other:{clean}")
        }
        kind => kind.name(Naming::Usi).unwrap_or("error").to_owned(),
    }
}

/// The word of a result: `black`, `white`, `draw` or `none`.
pub fn winner_word(result: Option<GameResult>) -> &'static str {
    GameResult::name(result, Naming::Usi)
}

/// Writes the main line of a record as one line, without a line end.
pub fn write(record: &Record, ends: Ends) -> String {
    let setup = record.setup();
    let start = if *setup == Setup::startpos() { "startpos".to_owned() } else { format!("sfen {setup}") };
    let line = with_moves(start, record, |mv| mv);
    let end = record.end();
    match ends {
        Ends::Omit => line,
        Ends::Words => format!("{line} end={} winner={}", end_word(end), winner_word(end.and_then(|end| end.result))),
    }
}

/// Adds the moves of the main line, each as a text.
fn with_moves<T: fmt::Display>(mut line: String, record: &Record, text: impl Fn(Move) -> T) -> String {
    let mut word = " moves";
    for mv in record.moves() {
        let _ = write!(line, "{} {}", std::mem::take(&mut word), text(mv));
    }
    line
}

/// Writes several records, one a line.
pub fn write_all<'r>(records: impl IntoIterator<Item = &'r Record>, ends: Ends) -> String {
    records.into_iter().map(|record| write(record, ends) + "\n").collect()
}

/// Writes the main line of a record as a command of UCI, without a line end, as
/// programs for chess variants take it, in their colours and coordinates.
///
/// ```
/// use enbu_kifu::{Event, Record, usi};
/// use enbu_movegen::Setup;
/// let mut record = Record::new(Setup::startpos());
/// record.add(record.root(), Event::Move("7g7f".parse()?));
/// assert_eq!(usi::write_uci(&record), "position startpos moves c3c4");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn write_uci(record: &Record) -> String {
    let setup = record.setup();
    let start = if *setup == Setup::startpos() { "startpos".to_owned() } else { format!("fen {}", fen::write(setup)) };
    with_moves(format!("position {start}"), record, fen::write_move)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Event;

    #[track_caller]
    fn check(line: &str, written: &str, warnings: usize) {
        let reading = read(line, Mode::Tolerant).unwrap();
        assert_eq!(write(&reading.records[0], Ends::Words), written);
        assert_eq!((reading.warnings.count(), reading.errors.count()), (warnings, 0), "{reading:?}");
        assert_eq!(read(line, Mode::Strict).is_err(), warnings > 0);
    }

    #[test]
    fn lines_of_every_form() {
        const NONE: &str = "end=unfinished winner=none";
        check(" \tposition   startpos  moves  7g7f   3c3d \r\n", &format!("startpos moves 7g7f 3c3d {NONE}"), 0);
        check("7g7f 3c3d", &format!("startpos moves 7g7f 3c3d {NONE}"), 1);
        check("moves 7g7f", &format!("startpos moves 7g7f {NONE}"), 1);
        check("startpos moves", &format!("startpos {NONE}"), 0);
        check("9/9/9/9/9/9/9/9/9 b", &format!("sfen 9/9/9/9/9/9/9/9/9 b - 1 {NONE}"), 0);
        check("9/9/9/9/9/9/9/9/9 w 2pR 7 x y", &format!("sfen 9/9/9/9/9/9/9/9/9 w R2p 7 {NONE}"), 1);
        check("9/9/9/9/9/9/9/9/9 b 1P11p 1", &format!("sfen 9/9/9/9/9/9/9/9/9 b P11p 1 {NONE}"), 1);
        check("startpos resign", "startpos end=resign winner=white", 0);
        check("startpos moves 7g7f end=time_up winner=none", "startpos moves 7g7f end=time_up winner=none", 0);
        check("startpos moves 7g7f resign 3c3d", "startpos moves 7g7f end=resign winner=black", 1);
        check("startpos moves 5i5h 5a5b 5h5a 4a4b", &format!("startpos moves 5i5h 5a5b 5h5a 4a4b {NONE}"), 1);
        check("startpos end=other:foo_bar winner=draw", "startpos end=other:foo_bar winner=draw", 0);
    }

    #[test]
    fn lines_of_uci_are_read_and_written() {
        let line = "position fen 4k4/9/4P4/9/9/9/9/9/4K4[R] w - - 0 1 moves e7e8+ e9e8 R@e5";
        let reading = read(line, Mode::Strict).unwrap();
        assert_eq!(write(&reading.records[0], Ends::Omit), "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b R 1 moves 5c5b+ 5a5b R*5e");
        assert_eq!(write_uci(&reading.records[0]), line);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_told_with_its_place() {
        for (line, column, problem) in [
            ("startpos moves 7g7f xx", 21, Problem::MoveSyntax),
            ("startpos moves 7g7f 7g7f", 21, Problem::EmptyOrigin),
            ("startpos moves 3c3d", 16, Problem::OpponentsPiece),
        ] {
            let error = read(line, Mode::Strict).unwrap_err();
            assert_eq!((error.column, error.problem), (column, problem), "{line}");
        }
        for line in ["", "#", "moves", "9/9/9/9/9/9/9/9/9", "9/9/9/9/9/9/9/9/9 B - 1", "9/9 b - 1", "x"] {
            assert!(read(line, Mode::Tolerant).is_err(), "{line}");
        }
        let reading = read("startpos\nxx\n# comment\n9/9/9/9/9/9/9/9/9 b - 1\n", Mode::Tolerant).unwrap();
        assert_eq!((reading.records.len(), reading.errors.count()), (2, 1));
    }

    #[test]
    fn words_survive_reading() {
        for kind in EndKind::all() {
            for result in [None, Some(GameResult::Draw), Some(GameResult::WhiteWins)] {
                let mut record = Record::new(Setup::startpos());
                record.add(record.root(), Event::from(End { kind: kind.clone(), result }));
                let reading = read(&write(&record, Ends::Words), Mode::Strict).unwrap();
                assert_eq!(reading.records, [record]);
            }
        }
    }
}

//! Sources of problems: SFENs, lists of SFENs, game records and diagrams.
//!
//! Lists are read line by line, as problems are solved: their length costs no memory.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use enbu_files::{FileKind, Refusal, reason};
use enbu_kifu::{Board, KifuError, Mode, Record, read_any, usi};
use enbu_language::{pick, text};
use enbu_movegen::{Move, Position};

use crate::commands::failure::{failed, named};

/// Longest line of a list in bytes.
const LONGEST_LINE: usize = 1 << 16;

/// Bytes of a line after which its end is no longer looked for.
const ENDLESS_LINE: usize = 64 << 20;

/// Largest record or diagram in bytes: decoded it takes several times its size.
const LARGEST_RECORD: u64 = 16 << 20;

/// Lines of a file among which a list has an SFEN.
const FIRST_LINES: usize = 20;

/// A position to solve, or the reason why it could not be read, with its name.
pub(super) struct Problem {
    pub(super) name: String,
    pub(super) position: Result<Position, String>,
    /// The moves of the record from the position on: the solution of a problem.
    pub(super) given: Vec<Move>,
}

impl Problem {
    fn new(name: String, position: Result<Position, String>) -> Self {
        Self { name, position, given: Vec::new() }
    }
}

/// Problems, read as they are wanted.
pub(super) type Problems = Box<dyn Iterator<Item = Problem> + Send>;

/// The problems that the arguments name; `ply` chooses the position of records with moves.
/// Fails at the first argument that is neither a file nor an SFEN. What cannot be read in a file is
/// a [`Problem`] without a position.
pub(super) fn open(arguments: &[String], ply: Option<usize>) -> Result<Problems, String> {
    let sources = (1..).zip(arguments).map(|(number, argument)| source(number, argument, ply));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(sources.into_iter().flatten()))
}

/// The problems of an argument; a file is read when its first problem is wanted.
fn source(number: usize, argument: &str, ply: Option<usize>) -> Result<Problems, String> {
    let path = Path::new(argument).to_owned();
    if argument == "-" {
        return Ok(later("-".to_owned(), ply, || Ok(Box::new(BufReader::new(io::stdin())))));
    } else if path.is_dir() {
        let text = text!(
            "{argument} is a folder; name the files in it",
            "{argument} はフォルダです。ファイルを指定してください"
        );
        return Err(text.to_string());
    } else if path.exists() {
        enbu_files::open(&path, FileKind::Stream).map_err(|error| named(&path, &error).to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(later(name, ply, move || Ok(Box::new(BufReader::new(enbu_files::open(&path, FileKind::Stream)?)))));
    } else if !argument.contains(char::is_whitespace) && path.extension().is_some() {
        // No SFEN has an extension.
        return Err(text!("{argument}: no such file", "{argument}：ファイルがありません").to_string());
    }
    let wrong = |error| {
        text!(
            "`{argument}` is neither a file nor an SFEN: {error}",
            "`{argument}` はファイルでも SFEN でもありません：{error}"
        )
        .to_string()
    };
    let position = line(argument, ply).map_err(wrong)?;
    Ok(Box::new(std::iter::once(Problem::new(number.to_string(), Ok(position)))))
}

type Input = Box<dyn BufRead + Send>;

/// The problems of an input that is opened when the first is wanted.
fn later(name: String, ply: Option<usize>, open: impl FnOnce() -> io::Result<Input> + Send + 'static) -> Problems {
    let problems = move || {
        let problems = open().and_then(|input| problems_of(input, &name, ply));
        problems.unwrap_or_else(|error| broken(name, reason(&error).to_string()))
    };
    Box::new(std::iter::once_with(problems).flatten())
}

/// A source that cannot be read.
fn broken(name: String, reason: String) -> Problems {
    Box::new(std::iter::once(Problem::new(name, Err(reason))))
}

/// The problems of a list, which begins with an SFEN, or of records.
fn problems_of(mut input: Input, name: &str, ply: Option<usize>) -> io::Result<Problems> {
    let mut head = Vec::new();
    let mut columns = 0;
    while columns < FIRST_LINES && head.len() < LONGEST_LINE {
        let begin = head.len();
        if (&mut input).take(LONGEST_LINE as u64).read_until(b'\n', &mut head)? == 0 {
            break;
        }
        let Some(column) = column(head.get(begin..).unwrap_or_default()) else { continue };
        columns += 1;
        if usi::read(&column, Mode::Tolerant).is_ok() {
            let input = Box::new(Cursor::new(head).chain(input));
            return Ok(Box::new(list(input, name.to_owned(), ply)));
        }
    }
    input.take(LARGEST_RECORD).read_to_end(&mut head)?;
    let bytes = head.len() as u64;
    if bytes > LARGEST_RECORD {
        return Err(Refusal::Long { bytes, most: LARGEST_RECORD }.into());
    }
    Ok(records(&head, name, ply))
}

/// The first column of a line; `None` for blank lines, comments and the heading of a table.
fn column(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let column = text.trim_start_matches('\u{feff}').split('\t').next().unwrap_or_default().trim();
    (!column.is_empty() && !column.starts_with('#') && column != "sfen").then(|| column.to_owned())
}

/// The problems of a list of SFENs, read line by line.
fn list(mut input: Input, name: String, ply: Option<usize>) -> impl Iterator<Item = Problem> {
    // `None` at the end, and for a line without a problem within `Some`.
    let of_line = move |number: usize| {
        let mut bytes = Vec::new();
        let position = match read_line(&mut input, &mut bytes) {
            Ok(0) => return None,
            Ok(read) if read > LONGEST_LINE => {
                Err(text!("longer than {LONGEST_LINE} bytes", "{LONGEST_LINE} バイトを超えています").to_string())
            }
            Ok(_) => match column(&bytes) {
                Some(column) => line(&column, ply),
                None => return Some(None),
            },
            Err(error) => {
                input = Box::new(io::empty());
                Err(reason(&error).to_string())
            }
        };
        Some(Some(Problem::new(format!("{name}:{number}"), position)))
    };
    (1..).map_while(of_line).flatten()
}

/// Reads a line; the part beyond [`LONGEST_LINE`] is only counted.
fn read_line(input: &mut Input, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let mut next = |bytes: &mut Vec<u8>| input.take(1 + LONGEST_LINE as u64).read_until(b'\n', bytes);
    let mut read = next(bytes)?;
    while read > LONGEST_LINE && bytes.last() != Some(&b'\n') {
        if read > ENDLESS_LINE {
            let text = text!(
                "no end of the line in {ENDLESS_LINE} bytes; the rest is not read",
                "{ENDLESS_LINE} バイトの間に改行がないため、残りは読みません"
            );
            return Err(failed(text));
        }
        bytes.clear();
        match next(bytes)? {
            0 => break,
            count => read += count,
        }
    }
    Ok(read)
}

/// The position of one line: an SFEN, with or without moves after it.
fn line(text: &str, ply: Option<usize>) -> Result<Position, String> {
    let text_of = |error: &KifuError| error.to_string();
    let reading = usi::read(text, Mode::Tolerant).map_err(|error| text_of(&error))?;
    match (reading.errors.first(), reading.records.first()) {
        (Some(error), _) => Err(text_of(error)),
        (None, Some(record)) => after(record, ply.unwrap_or_else(|| record.moves().count())),
        (None, None) => Err(pick("no position", "局面がありません").to_owned()),
    }
}

/// Records of any format: each gives its start position, as problems with their solution
/// have it, or the position after `ply` moves.
fn records(bytes: &[u8], name: &str, ply: Option<usize>) -> Problems {
    let reading = match read_any(bytes, Mode::Tolerant) {
        Ok((_, reading)) => reading,
        Err(error) => return broken(name.to_owned(), error.to_string()),
    };
    let errors: Vec<String> = reading.errors.iter().map(ToString::to_string).collect();
    let errors = errors.into_iter().map(|error| Problem::new(name.to_owned(), Err(error)));
    let several = reading.records.len() > 1;
    let positions = (1..).zip(&reading.records).map(|(number, record)| {
        let name = if several { format!("{name}:{number}") } else { name.to_owned() };
        let given = record.moves().skip(ply.unwrap_or(0)).collect();
        Problem { given, ..Problem::new(name, after(record, ply.unwrap_or(0))) }
    });
    let problems: Vec<_> = positions.chain(errors).collect();
    Box::new(problems.into_iter())
}

/// The position after `plies` moves of the main line.
fn after(record: &Record, plies: usize) -> Result<Position, String> {
    let mut board = Board::new(record.setup());
    let mut played = 0;
    for mv in record.moves().take(plies) {
        board.play(mv).map_err(|problem| text!("move {}: {problem}", "{} 手目：{problem}", played + 1).to_string())?;
        played += 1;
    }
    if played < plies {
        let text = text!("it has {played} moves, not {plies}", "{played} 手までで、{plies} 手目はありません");
        return Err(text.to_string());
    }
    Position::from_setup(&board.to_setup()).map_err(|error| error.to_string())
}

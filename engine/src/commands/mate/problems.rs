//! Sources of problems: SFENs, lists of SFENs, game records and diagrams.

use std::io::Write as _;
use std::path::Path;

use crate::terminal;
use enbu_files::FileKind;
use enbu_kifu::{Board, KifuError, Mode, Record, encoding, read_any, usi};
use enbu_movegen::Position;

/// A position to solve, with its name.
pub(super) struct Problem {
    pub(super) name: String,
    pub(super) position: Position,
}

/// Reads the problems that the arguments name; `ply` chooses the position of records with moves.
///
/// # Errors
/// The first source that could not be read, with the reason.
pub(super) fn read_all(arguments: &[String], ply: Option<usize>) -> Result<Vec<Problem>, String> {
    let mut problems = Vec::new();
    for argument in arguments {
        read(argument, ply, &mut problems)?;
    }
    Ok(problems)
}

fn read(argument: &str, ply: Option<usize>, problems: &mut Vec<Problem>) -> Result<(), String> {
    let path = Path::new(argument);
    let (name, bytes) = if argument == "-" {
        let bytes = enbu_files::read_stdin(FileKind::Record).map_err(|error| format!("standard input: {error}"))?;
        ("-".to_owned(), bytes)
    } else if path.is_dir() {
        return Err(format!("{argument} is a folder; name the files in it"));
    } else if path.exists() {
        let bytes = enbu_files::read(path, FileKind::Record).map_err(|error| format!("{argument}: {error}"))?;
        (path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(), bytes)
    } else if is_file_name(argument) {
        return Err(format!("{argument}: no such file"));
    } else {
        let position =
            line(argument, ply).map_err(|error| format!("`{argument}` is neither a file nor an SFEN: {error}"))?;
        problems.push(Problem { name: format!("{}", problems.len() + 1), position });
        return Ok(());
    };
    let text = encoding::decode(&bytes).text;
    if is_list(&text) {
        list(&text, &name, ply, problems).map_err(|error| format!("{argument} {error}"))
    } else {
        records(&bytes, &name, ply, problems).map_err(|error| format!("{argument}: {error}"))
    }
}

/// Returns true for a word with an extension, which no SFEN has.
fn is_file_name(argument: &str) -> bool {
    !argument.contains(char::is_whitespace) && Path::new(argument).extension().is_some()
}

/// The lines of a list: number and first column. Blank lines, comments and the heading
/// of a table are left out.
fn columns(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let columns = text.lines().map(|line| line.split('\t').next().unwrap_or_default().trim());
    (1..).zip(columns).filter(|(_, column)| !column.is_empty() && !column.starts_with('#') && *column != "sfen")
}

/// Returns true for a list of SFENs: its first line is one.
fn is_list(text: &str) -> bool {
    columns(text).next().is_some_and(|(_, column)| usi::read(column, Mode::Tolerant).is_ok())
}

fn list(text: &str, name: &str, ply: Option<usize>, problems: &mut Vec<Problem>) -> Result<(), String> {
    for (number, column) in columns(text) {
        let position = line(column, ply).map_err(|error| format!("line {number}: {error}"))?;
        problems.push(Problem { name: format!("{name}:{number}"), position });
    }
    Ok(())
}

/// The position of one line: an SFEN, with or without moves after it.
fn line(text: &str, ply: Option<usize>) -> Result<Position, String> {
    let text_of = |error: &KifuError| error.to_string();
    let reading = usi::read(text, Mode::Tolerant).map_err(|error| text_of(&error))?;
    match (reading.errors.first(), reading.records.first()) {
        (Some(error), _) => Err(text_of(error)),
        (None, Some(record)) => after(record, ply.unwrap_or_else(|| record.moves().count())),
        (None, None) => Err("no position".to_owned()),
    }
}

/// Records of any format: each gives its start position, as problems with their solution
/// have it, or the position after `ply` moves.
fn records(bytes: &[u8], name: &str, ply: Option<usize>, problems: &mut Vec<Problem>) -> Result<(), String> {
    let (_, reading) = read_any(bytes, Mode::Tolerant).map_err(|error| error.to_string())?;
    for error in &reading.errors {
        // No stream is left if even this fails.
        let _ = writeln!(terminal::stderr(), "enbu: {name}: {error}");
    }
    let several = reading.records.len() > 1;
    for (number, record) in (1..).zip(&reading.records) {
        let name = if several { format!("{name}:{number}") } else { name.to_owned() };
        let position = after(record, ply.unwrap_or(0)).map_err(|error| format!("record {number}: {error}"))?;
        problems.push(Problem { name, position });
    }
    Ok(())
}

/// The position after `plies` moves of the main line.
fn after(record: &Record, plies: usize) -> Result<Position, String> {
    let mut board = Board::new(record.setup());
    let mut played = 0;
    for mv in record.moves().take(plies) {
        board.play(mv).map_err(|problem| format!("move {}: {problem}", played + 1))?;
        played += 1;
    }
    if played < plies {
        return Err(format!("it has {played} moves, not {plies}"));
    }
    Position::from_setup(&board.to_setup()).map_err(|error| error.to_string())
}

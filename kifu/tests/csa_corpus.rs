//! The corpus of CSA files against its table of expectations, and back again.

use std::fs;
use std::path::{Path, PathBuf};

use enbu_kifu::{EndKind, GameResult, Mode, Problems, Record, csa};
use enbu_movegen::{Color, Setup};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/records/csa")
}

/// The rows of `expected.tsv`: file, expect, start, moves, end, winner, games.
fn rows() -> Vec<Vec<String>> {
    let table = fs::read_to_string(corpus().join("expected.tsv")).unwrap();
    let rows: Vec<Vec<String>> =
        table.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert!(rows.len() >= 60, "{} rows", rows.len());
    rows
}

fn start_text(setup: &Setup) -> String {
    if *setup == Setup::startpos() { "startpos".to_owned() } else { setup.to_string() }
}

fn moves_text(record: &Record) -> String {
    let moves: Vec<String> = record.moves().map(|mv| mv.to_string()).collect();
    if moves.is_empty() { "-".to_owned() } else { moves.join(" ") }
}

fn end_text(record: &Record) -> String {
    let Some(end) = record.end() else { return "unfinished".to_owned() };
    match &end.kind {
        EndKind::Resign => "resign",
        EndKind::Abort => "abort",
        EndKind::Repetition => "sennichite",
        EndKind::Impasse => "jishogi",
        EndKind::TimeUp => "time_up",
        EndKind::IllegalMove => "illegal_move",
        EndKind::IllegalAction(Color::Black) => "illegal_action_black",
        EndKind::IllegalAction(Color::White) => "illegal_action_white",
        EndKind::DeclarationWin => "declaration_win",
        EndKind::DeclarationDraw => "declaration_draw",
        EndKind::Mate => "mate",
        EndKind::NoMate => "no_mate",
        EndKind::MaxMoves => "max_moves",
        EndKind::WinByDefault => "win_by_default",
        EndKind::LoseByDefault => "lose_by_default",
        EndKind::TakeBack => "other:MATTA",
        EndKind::Error => "error",
        EndKind::Other(word) => return format!("other:{word}"),
    }
    .to_owned()
}

fn winner_text(record: &Record) -> &'static str {
    match record.end().and_then(|end| end.result) {
        Some(GameResult::BlackWins) => "black",
        Some(GameResult::WhiteWins) => "white",
        Some(GameResult::Draw) => "draw",
        None => "none",
    }
}

fn joined(records: &[Record], text: impl Fn(&Record) -> String) -> String {
    records.iter().map(text).collect::<Vec<_>>().join(" | ")
}

#[test]
fn every_file_reads_as_the_table_says() {
    for row in rows() {
        let [file, _, expect, start, moves, end, winner, games, ..] = row.as_slice() else { panic!("{row:?}") };
        let bytes = fs::read(corpus().join(file)).unwrap();
        let reading = match csa::read_bytes(&bytes, Mode::Tolerant) {
            Ok(reading) => reading,
            Err(error) => {
                assert_eq!(expect, "error", "{file}: {error}");
                continue;
            }
        };
        assert_eq!(expect, "ok", "{file} was read");
        assert!(reading.errors.is_empty(), "{file}: {:?}", reading.errors);
        let records = &reading.records;
        assert_eq!(records.len().to_string(), *games, "{file}");
        assert_eq!(joined(records, |record| start_text(record.setup())), *start, "{file}");
        assert_eq!(joined(records, moves_text), *moves, "{file}");
        assert_eq!(joined(records, end_text), *end, "{file}");
        assert_eq!(joined(records, |record| winner_text(record).to_owned()), *winner, "{file}");
    }
}

#[test]
fn what_was_read_survives_being_written() {
    for row in rows().iter().filter(|row| row[2] == "ok") {
        let bytes = fs::read(corpus().join(&row[0])).unwrap();
        let reading = csa::read_bytes(&bytes, Mode::Tolerant).unwrap();
        let text = csa::write_all(&reading.records);
        let again = csa::read_bytes(text.as_bytes(), Mode::Strict)
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", row[0]));
        assert_eq!(again.records, reading.records, "{}\n{text}", row[0]);
        assert_eq!(csa::write_all(&again.records), text);
    }
}

/// Files that deviate from the specification without harm, and nothing else, are warned of.
#[test]
fn only_deviations_are_warned_of() {
    let odd = ["header-late", "header-timet", "rows-squeezed", "time-orphan", "seed-1999-sample.csa"];
    for row in rows().iter().filter(|row| row[2] == "ok") {
        let bytes = fs::read(corpus().join(&row[0])).unwrap();
        let warnings: Problems = csa::read_bytes(&bytes, Mode::Tolerant).unwrap().warnings;
        let expected = odd.iter().any(|name| row[0].starts_with(name)) && !row[0].starts_with("header-timet");
        assert_eq!(!warnings.is_empty(), expected, "{}: {warnings:?}", row[0]);
        assert_eq!(csa::read_bytes(&bytes, Mode::Strict).is_err(), expected, "{}", row[0]);
    }
}

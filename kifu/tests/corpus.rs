//! The corpus of record files against its tables of expectations, and back again.

use std::fs;
use std::path::{Path, PathBuf};

use enbu_kifu::csa::FileVersion;
use enbu_kifu::svg::{Letters, Style};
use enbu_kifu::{
    Format, Headers, KifuError, Mode, Problems, Reading, Record, ScoreStyle, WriteOptions, pgn, read_any, usi,
};
use enbu_movegen::{Color, Setup};

/// A folder of the corpus, how many files it has at least, and the formats in which it is
/// read and written.
pub(crate) const FOLDERS: [(&str, usize, Format, Format); 7] = [
    ("kif", 87, Format::Kif, Format::Kif),
    ("ki2", 46, Format::Ki2, Format::Ki2),
    ("bod", 17, Format::Bod, Format::Kif),
    ("sfen", 38, Format::Usi, Format::Usi),
    ("jkf", 28, Format::Jkf, Format::Jkf),
    ("pgn", 39, Format::Pgn, Format::Pgn),
    ("csa", 61, Format::Csa, Format::Csa),
];

pub(crate) const WITH_ENDS: WriteOptions = WriteOptions {
    ends: usi::Ends::Words,
    scores: ScoreStyle::ShogiHome,
    csa: FileVersion::V3_0,
    ply: None,
    diagram: Style { bottom: Color::Black, letters: Letters::Japanese, caption: None, marks: Vec::new() },
};

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/records")
}

/// The rows of `expected.tsv`: file, encoding, expect, start, moves, end, winner, games.
pub(crate) fn rows(folder: &str, at_least: usize) -> Vec<Vec<String>> {
    let table = fs::read_to_string(corpus().join(folder).join("expected.tsv")).unwrap();
    let rows: Vec<Vec<String>> =
        table.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert!(rows.len() >= at_least, "{folder}: {} rows", rows.len());
    rows
}

fn start_text(setup: &Setup) -> String {
    if *setup == Setup::startpos() { "startpos".to_owned() } else { setup.to_string() }
}

fn moves_text(record: &Record) -> String {
    let moves: Vec<String> = record.moves().map(|mv| mv.to_string()).collect();
    if moves.is_empty() { "-".to_owned() } else { moves.join(" ") }
}

fn joined(records: &[Record], text: impl Fn(&Record) -> String) -> String {
    records.iter().map(text).collect::<Vec<_>>().join(" | ")
}

/// The content of a reading in the form of the table; `error` where anything was damaged.
fn summary(reading: Result<Reading, KifuError>) -> Vec<String> {
    let reading = match reading {
        Ok(reading) if reading.errors.is_empty() => reading,
        _ => return vec!["error".to_owned()],
    };
    let records = &reading.records;
    vec![
        "ok".to_owned(),
        joined(records, |record| start_text(record.setup())),
        joined(records, moves_text),
        joined(records, |record| usi::end_word(record.end())),
        joined(records, |record| usi::winner_word(record.end().and_then(|end| end.result)).to_owned()),
        records.len().to_string(),
    ]
}

#[test]
fn every_file_reads_as_the_table_says() {
    let mut wrong = Vec::new();
    for (folder, at_least, read, _) in FOLDERS {
        for row in rows(folder, at_least) {
            let bytes = fs::read(corpus().join(folder).join(&row[0])).unwrap();
            let expected = if row[2] == "ok" { &row[2..8] } else { &row[2..3] };
            let reading = read.read_bytes(&bytes, Mode::Tolerant);
            let any = read_any(&bytes, Mode::Tolerant).map(|(_, reading)| reading);
            assert_eq!(
                summary(any),
                summary(read.read_bytes(&bytes, Mode::Tolerant)),
                "{folder}/{} by content",
                row[0]
            );
            let shown = format!("{reading:?}");
            let found = summary(reading);
            if found != expected {
                let shown: String = shown.chars().take(300).collect();
                wrong.push(format!("{folder}/{}\n  expected {expected:?}\n  found    {found:?}\n  {shown}", row[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Removes the content that KI2 cannot express.
fn without_times(record: &Record) -> Record {
    let mut record = record.clone();
    let nodes: Vec<_> = record.main_line().collect();
    for id in nodes {
        record.node_mut(id).time_ms = None;
    }
    record
}

#[test]
fn what_was_read_survives_being_written() {
    for (folder, at_least, read, write) in FOLDERS {
        for row in rows(folder, at_least).iter().filter(|row| row[2] == "ok") {
            let bytes = fs::read(corpus().join(folder).join(&row[0])).unwrap();
            let mut records = read.read_bytes(&bytes, Mode::Tolerant).unwrap().records;
            let text = write.write(&records, WITH_ENDS);
            let again = read.read_bytes(text.as_bytes(), Mode::Strict);
            let again = again.unwrap_or_else(|error| panic!("{folder}/{}: {error}\n{text}", row[0]));
            let mut read_again = again.records.clone();
            match folder {
                "ki2" => records = records.iter().map(without_times).collect(),
                // Export format sorts them.
                "pgn" => {
                    records.iter_mut().chain(&mut read_again).for_each(|record| record.headers = Headers::default())
                }
                _ => {}
            }
            assert_eq!(read_again, records, "{folder}/{}\n{text}", row[0]);
            assert_eq!(write.write(&again.records, WITH_ENDS), text);
        }
    }
}

/// Files that deviate from their format without harm, and nothing else, are warned of.
#[test]
fn only_deviations_are_warned_of() {
    let odd = ["header-late", "rows-squeezed", "time-orphan", "seed-1999-sample.csa"];
    for row in rows("csa", 61).iter().filter(|row| row[2] == "ok") {
        let bytes = fs::read(corpus().join("csa").join(&row[0])).unwrap();
        let warnings: Problems = Format::Csa.read_bytes(&bytes, Mode::Tolerant).unwrap().warnings;
        let expected = odd.iter().any(|name| row[0].starts_with(name));
        assert_eq!(!warnings.is_empty(), expected, "{}: {warnings:?}", row[0]);
        assert_eq!(Format::Csa.read_bytes(&bytes, Mode::Strict).is_err(), expected, "{}", row[0]);
    }
}

/// Export format is one for each game, byte for byte.
#[test]
fn canonical_games_are_written_as_they_stand() {
    let canonical: Vec<_> = rows("pgn", 39).into_iter().filter(|row| row[0].starts_with("canonical")).collect();
    assert!(canonical.len() >= 2);
    for row in canonical {
        let text = fs::read_to_string(corpus().join("pgn").join(&row[0])).unwrap();
        assert_eq!(pgn::write_all(&pgn::read(&text, Mode::Strict).unwrap().records), text, "{}", row[0]);
    }
}

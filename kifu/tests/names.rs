//! Names of openings, castles and tactics: games constructed from the definitions, and the
//! records of the corpus and of recorded sessions.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use enbu_kifu::names::{Named, add_opening};
use enbu_kifu::{Board, Event, Format, HeaderKey, Mode, Names, Record, read_any, usi};

use crate::corpus::{FOLDERS, corpus, rows};

fn table(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn game(line: &str) -> Record {
    usi::read(line, Mode::Strict).unwrap_or_else(|error| panic!("{line}: {error}")).records.remove(0)
}

/// Right names, wrong ones and missed ones of a kind.
#[derive(Debug, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Counts {
    fn take(&mut self, expected: &[String], found: &[String]) {
        let right = found.iter().filter(|name| expected.contains(name)).count();
        self.right += right;
        self.wrong += found.len() - right;
        self.missed += expected.iter().filter(|name| !found.contains(name)).count();
    }
}

/// The names in a cell, of which `-` is none.
fn cell(text: &str) -> Vec<String> {
    text.split(' ').filter(|name| *name != "-").map(str::to_owned).collect()
}

fn ja(named: impl IntoIterator<Item = Named>) -> Vec<String> {
    named.into_iter().map(|named| named.ja).collect()
}

#[test]
fn constructed_games_have_their_names() {
    let (mut counts, mut wrong) = (BTreeMap::<String, Counts>::new(), Vec::new());
    let mut seen = BTreeMap::<(String, String), [usize; 2]>::new();
    let rows = table("names.tsv");
    assert!(rows.len() >= 300);
    for row in &rows {
        let [kind, expected, near, side, line] = &row[..] else { panic!("{row:?}") };
        let record = game(line);
        let is_legal = |id| !matches!(record.node(id).event(), Event::Foul(_));
        assert!(record.main_line().all(is_legal), "a foul in {line}");
        assert!(Board::new(record.setup()).position().is_some(), "{line}");
        let names = Names::of(&record);
        let found = match kind.as_str() {
            "opening" => ja(names.opening),
            "castle" => ja(names.sides[usize::from(side == "white")].castles.last().cloned()),
            // The position before the move is made for it.
            _ => ja(names.tactics),
        };
        let expected = cell(expected);
        for (name, place) in expected.iter().map(|name| (name, 0)).chain((near != "-").then_some((near, 1))) {
            seen.entry((kind.clone(), name.clone())).or_default()[place] += 1;
        }
        counts.entry(kind.clone()).or_default().take(&expected, &found);
        if found != expected {
            wrong.push(format!("{row:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{counts:?}; {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (name, [positive, near]) in seen {
        assert!(positive >= 3 && near >= 1, "{name:?} has {positive} games and {near} near misses");
    }
}

#[test]
fn records_have_the_names_that_are_certain() {
    let table = table("names-records.tsv");
    let labels: HashMap<&str, &[String]> = table.iter().map(|row| (row[0].as_str(), &row[1..])).collect();
    let mut games: Vec<(String, Record)> = Vec::new();
    for (folder, least, ..) in FOLDERS {
        for row in rows(folder, least) {
            let bytes = fs::read(corpus().join(folder).join(&row[0])).unwrap();
            let records = read_any(&bytes, Mode::Tolerant).map(|(_, reading)| reading.records).unwrap_or_default();
            games.extend(records.into_iter().map(|record| (format!("{folder}/{}", row[0]), record)));
        }
    }
    let sessions = table.iter().filter(|row| row[5].starts_with("csa-sessions"));
    games.extend(sessions.map(|row| (row[5].clone(), game(&row[0]))));
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for (source, record) in &games {
        let line = usi::write(record, usi::Ends::Omit);
        let names = Names::of(record);
        let [black, white] = names.sides;
        let tactics = names.tactics.into_iter().map(|named| format!("{}@{}", named.ja, named.ply)).collect();
        let found = [ja(names.opening), ja(black.castles), ja(white.castles), tactics];
        for (at, found) in found.iter().enumerate() {
            let expected = labels.get(line.as_str()).map_or_else(Vec::new, |row| cell(&row[at]));
            counts.take(&expected, found);
            if *found != expected {
                wrong.push(format!("{source} {line}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{counts:?}; {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(games.len() >= 300 && counts.right >= 136, "{} games, {counts:?}", games.len());
}

#[test]
fn the_pages_define_every_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let pages = ["../docs/names.md", "../docs/names.ja.md"].map(read);
    let table = read("src/names/names.tsv");
    for (ja, en) in
        table.lines().skip(1).filter_map(|row| row.split_once('\t')?.1.rsplit_once('\t')?.0.split_once('\t'))
    {
        assert!(pages.iter().all(|page| page.contains(&format!("\n| {ja} | {en} | "))), "{ja}, {en}");
    }
}

#[test]
fn headers_are_added_where_there_are_none() {
    let line = "startpos moves 7g7f 3c3d 6g6f 8c8d 2h6h";
    for (format, header) in [
        (Format::Kif, "戦型：四間飛車\n"),
        (Format::Ki2, "戦型：四間飛車\n"),
        (Format::Jkf, "\"戦型\":\"四間飛車\""),
        (Format::Csa, "$OPENING:Fourth File Rook\n"),
        (Format::Pgn, "[Opening \"Fourth File Rook\"]"),
        (Format::Psn, "[Opening \"Fourth File Rook\"]"),
    ] {
        let mut record = game(line);
        add_opening(&mut record, format);
        let text = format.write(&[record], Default::default());
        assert!(text.contains(header), "{text}");
    }
    let mut record = game(line);
    record.headers.push(HeaderKey::Opening, "本人の言葉");
    add_opening(&mut record, Format::Kif);
    assert_eq!(record.headers.iter().count(), 1);
    let mut unnamed = game("startpos moves 7g7f 3c3d");
    add_opening(&mut unnamed, Format::Kif);
    assert!(unnamed.headers.is_empty());
}

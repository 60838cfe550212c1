//! A disk without room under every command that writes files.
//!
//! Each command is run with room for a part of its output. It must fail with the reason,
//! leave every file as a whole or not at all, and succeed when there is room again. Files
//! that grow (results, logs) hold whole lines but for the last. The records of `enbu csa`
//! are in `csa.rs`, a match with a full disk for its results only in `arena.rs`.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use enbu_tests::binary::enbu;
use enbu_tests::faults::{self, Fault};
use enbu_tests::files::below;
use enbu_tests::has_slow_rows;
use enbu_tests::positions::assert_legal;
use enbu_tests::session::Session;

/// A command, and the files that it writes.
struct Case {
    arguments: String,
    /// The arguments with which it goes on, if they differ.
    again: Option<String>,
    /// Files that grow line by line, or are replaced as a whole after each step.
    growing: &'static [&'static str],
}

impl Case {
    fn new(arguments: &str) -> Self {
        Self { arguments: arguments.to_owned(), again: None, growing: &[] }
    }
}

const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f end=resign winner=black\n\
                     startpos moves 7g7f 8c8d 2g2f end=resign winner=white\n";

const BOOK: &str = "#YANEURAOU-DB2016 1.00\n\
                    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
                    7g7f 3c3d 30 12 150\n2g2f none 25 10 90\n";

fn contest() -> String {
    let engine = format!("'{}' resigns", env!("CARGO_BIN_EXE_misbehaving"));
    format!(
        "match --engine {engine} name=a --engine {engine} name=b --tc depth=1 --games 4 --quiet --out out.jsonl --csa csa \
         --chart chart.svg --log lines.txt"
    )
}

fn tuning() -> String {
    let engine = format!("'{}'", env!("CARGO_BIN_EXE_tunable"));
    format!("tune --engine {engine} --param all --rate 0.1 --tc depth=1 --quiet --iterations 2")
}

/// The commands; the first ones write little and end soon.
fn cases() -> Vec<Case> {
    vec![
        Case::new("convert games.usi -o out.csa"),
        Case::new("book make games.usi -o out.db"),
        Case::new("book sort book.db -o out.db"),
        Case::new("analyse games.usi -o report --nodes 20 --problems out.sfen"),
        Case { again: Some(contest() + " --resume"), growing: &["out.jsonl", "lines.txt"], ..Case::new(&contest()) },
        Case::new("selfplay --games 2 --games-per-file 1 --nodes 5 --hash 1 --out games"),
        // One file a game: those written before the disk was full are whole, and stay.
        Case {
            again: Some("convert in -o out --to kif --force".to_owned()),
            ..Case::new("convert in -o out --to kif")
        },
        Case::new("convert games.usi -o out.pgn"),
        Case::new("book convert book.db -o out.ybb"),
        Case::new("book convert book.db -o out.bin"),
        Case::new("book merge book.db book.db -o out.db"),
        Case {
            growing: &["out.db.grow.jsonl"],
            ..Case::new(
                "book make self -o out.db --positions 9 --nodes 40 --eval piece-square --batch 4 --hash 1 --jobs 1",
            )
        },
        Case::new("openings random:4,2000 --count 2 --out out.sfen"),
        Case { growing: &["tune.json"], ..Case::new(&tuning()) },
        Case::new("selfplay merge played --out merged.games"),
        Case::new("selfplay export played --out merged.hcpe"),
        Case { again: Some(training() + " --resume"), growing: &["tiny.checkpoint"], ..Case::new(&training()) },
        Case::new("train played --shape kp --epochs 1 --batch 512 --scale 600 --name tiny --threads 1 --out nn.bin"),
    ]
}

fn training() -> String {
    let plan = "--epochs 1 --batch 512 --scale 600 --name tiny --threads 1";
    format!("train played {plan} --out tiny.nnue --checkpoint tiny.checkpoint --chart tiny.svg")
}

/// A folder with the inputs of all commands.
fn folder(case: &Case) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("games.usi"), GAMES).unwrap();
    fs::write(path("book.db"), BOOK).unwrap();
    fs::create_dir(path("in")).unwrap();
    fs::write(path("in/a.usi"), GAMES).unwrap();
    fs::write(path("in/b.usi"), GAMES).unwrap();
    if case.arguments.contains("played") {
        let played = run(folder.path(), "selfplay --games 4 --nodes 5 --hash 1 --out played", &[]).unwrap();
        assert!(played.status.success(), "{played:?}");
    }
    folder
}

/// Words of a command line in which quotes enclose one engine's command.
fn words(arguments: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut parts = arguments.split(' ').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let mut word = part.to_owned();
        // The program in quotes, and its fault.
        if part.starts_with('\'') && parts.peek().is_some_and(|next| *next == "resigns") {
            word = format!("{word} {}", parts.next().unwrap());
        }
        words.push(word);
    }
    words
}

fn run(folder: &Path, arguments: &str, faults: &[Fault]) -> Option<Output> {
    let mut command = Command::new(enbu());
    command.args(words(arguments)).current_dir(folder);
    if !faults.is_empty() && !faults::give(&mut command, faults) {
        return None;
    }
    Some(command.output().unwrap())
}

/// Returns `true` if a file is that of a run on a disk with room: the same bytes, or where
/// times differ about as many, with the same end. Files that grow may stop anywhere.
fn is_whole(name: &Path, found: &[u8], reference: &BTreeMap<PathBuf, Vec<u8>>, growing: &[&str]) -> bool {
    let Some(whole) = reference.get(name) else { return false };
    if growing.iter().any(|growing| Path::new(growing) == name) {
        return true;
    }
    found == whole || (found.len().abs_diff(whole.len()) <= 16 && found.last() == whole.last())
}

fn try_with_little_room(case: &Case) {
    let reference = folder(case);
    let before = below(reference.path());
    let output = run(reference.path(), &case.arguments, &[]).unwrap();
    assert!(output.status.success(), "{}: {output:?}", case.arguments);
    let reference = below(reference.path());
    let written: u64 =
        reference.iter().filter(|(name, _)| !before.contains_key(*name)).map(|(_, bytes)| bytes.len() as u64).sum();
    assert!(written > 0, "{} writes nothing", case.arguments);
    // Times in files that grow have more digits in one run than in another.
    let spare = if case.growing.is_empty() { 1 } else { 64 };
    let most = written.saturating_sub(spare);
    let rooms = if has_slow_rows() { vec![0, 1, written / 3, written / 2, most] } else { vec![0, written / 2] };
    let faults = rooms.into_iter().map(Fault::Disk).chain(has_slow_rows().then_some(Fault::Sync));
    for fault in faults {
        let full = folder(case);
        let Some(output) = run(full.path(), &case.arguments, &[fault]) else { return };
        let errors = String::from_utf8_lossy(&output.stderr);
        let told = format!("{} with {fault:?}: {}, {errors}", case.arguments, output.status);
        assert!(output.status.code().is_some_and(|code| code <= 1) && !errors.contains("panicked"), "{told}");
        if fault != Fault::Sync {
            // Room that is missing only for a log of lines costs nothing else.
            assert_eq!(output.status.code(), Some(1), "{told}");
            assert!(errors.contains("No space left on device"), "{told}");
        }
        for (name, bytes) in below(full.path()) {
            let whole = is_whole(&name, &bytes, &reference, case.growing);
            assert!(whole, "{told}: {} has {} bytes", name.display(), bytes.len());
        }
        let again = case.again.as_ref().unwrap_or(&case.arguments);
        let output = run(full.path(), again, &[]).unwrap();
        assert!(output.status.success(), "{told}; with room again: {output:?}");
        let found = below(full.path());
        let missing: Vec<_> = reference.keys().filter(|name| !found.contains_key(*name)).collect();
        assert!(
            missing.is_empty() && found.keys().all(|name| reference.contains_key(name)),
            "{told}: {missing:?} missing"
        );
    }
}

#[test]
fn a_full_disk_leaves_no_half_file() {
    for case in &cases()[..if has_slow_rows() { usize::MAX } else { 5 }.min(cases().len())] {
        try_with_little_room(case);
    }
}

#[test]
fn a_full_disk_does_not_end_a_session() {
    let folder = tempfile::tempdir().unwrap();
    for room in [0, 40, 200] {
        let Some(mut command) = faults::enbu([""; 0], &[Fault::Disk(room)]) else { return };
        let mut session = Session::spawn(&mut command);
        session.send("setoption name USI_Hash value 1");
        session.send(&format!("setoption name CsaLogDir value {}", folder.path().join("records").display()));
        session.send(&format!("setoption name DebugLogFile value {}", folder.path().join("lines.log").display()));
        session.send("isready");
        session.expect("readyok");
        session.send("usinewgame");
        session.send("position startpos");
        session.send("go nodes 200");
        assert_legal("startpos", &session.bestmove());
        let said = session.reply("gameover win");
        assert!(said.iter().any(|line| line.starts_with("info string error: game log: ")), "{said:?}");
        session.send("usinewgame");
        session.send("go nodes 200");
        assert_legal("startpos", &session.bestmove());
        session.send("quit");
        session.exits_cleanly();
        assert_eq!(fs::read_dir(folder.path().join("records")).unwrap().count(), 0, "half a record");
        fs::remove_file(folder.path().join("lines.log")).unwrap();
    }
}

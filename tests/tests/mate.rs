//! Mate problems: the solver against the table, and `go mate` against the clock and `stop`.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use enbu_kifu::{Encoding, Event, Format, Record, WriteOptions};
use enbu_mate::{Counted, Length, Limits, Refinement, Solver, Verdict};
use enbu_movegen::{Move, Position};
use enbu_tests::binary::enbu;
use enbu_tests::positions::{from_sfen, from_usi};
use enbu_tests::session::Session;
use enbu_tests::table::{Row, check_rows, rows};

/// The longest problems that are solved in every run.
const ALWAYS_PLIES: u64 = 11;

/// The longest problems whose lengths are known to be the shortest.
const EXACT_PLIES: u64 = 17;

/// Returns true if the row belongs to this run: all with an exact length when
/// `ENBU_SLOW_TESTS` is set.
fn selected(row: &Row) -> bool {
    let limit = if enbu_tests::has_slow_rows() { 21 } else { ALWAYS_PLIES };
    match row.text("mate_plies") {
        "nomate" => true,
        text => text.parse::<u64>().is_ok_and(|plies| plies <= limit),
    }
}

/// Replays a mate: legal moves, checks by the attacker, and no answer to the last.
fn mates(position: &Position, line: &[Move]) -> Result<(), String> {
    let mut board = position.clone();
    for (ply, &mv) in line.iter().enumerate() {
        if ply % 2 == 0 && !board.gives_check(mv) {
            return Err(format!("{mv} gives no check"));
        }
        board.play(mv).map_err(|error| error.to_string())?;
    }
    if board.is_mate() { Ok(()) } else { Err(format!("no mate after {line:?}")) }
}

thread_local! {
    /// One solver a thread: later rows meet a table that holds earlier ones.
    static SOLVER: RefCell<Solver> = RefCell::new(Solver::new(64).expect("memory"));
}

#[test]
fn problems_are_solved_with_the_shortest_mate() {
    check_rows("tsume.tsv", selected, |row| {
        let position = from_sfen(row.text("sfen"));
        let limits = Limits { refinement: Refinement::Shortest, ..Limits::default() };
        let solve = |solver: &RefCell<Solver>| {
            solver.borrow_mut().solve(&position, &limits, &AtomicBool::new(false), &mut |_| {}).verdict
        };
        match (SOLVER.with(solve), row.text("mate_plies")) {
            (Verdict::NoMate, "nomate") => Ok(()),
            (Verdict::Mate(mate), text) if text != "nomate" => {
                mates(&position, &mate.line)?;
                let known = row.number("mate_plies");
                let right = mate.length == Length::Shortest
                    && mate.line.len() == usize::from(mate.plies)
                    && (u64::from(mate.plies) == known || known > EXACT_PLIES && u64::from(mate.plies) < known);
                if right { Ok(()) } else { Err(format!("expected {known} plies, got {mate:?}")) }
            }
            (verdict, text) => Err(format!("expected {text}, got {verdict:?}")),
        }
    });
}

/// Compares the length without useless interpositions with the column `counted`.
fn check_count(row: &Row) -> Result<(), String> {
    let position = from_sfen(row.text("sfen"));
    let (limits, stop) = (Limits { refinement: Refinement::Shortest, ..Limits::default() }, AtomicBool::new(false));
    SOLVER.with_borrow_mut(|solver| {
        let solution = solver.solve(&position, &limits, &stop, &mut |_| {});
        let counted = solver.count(&position, &solution, &limits, &stop, &mut |_| {});
        let expected = row.number("counted");
        match counted {
            Some(Counted { plies, length: Length::Shortest }) if u64::from(plies) == expected => Ok(()),
            _ => Err(format!("expected {expected}, got {counted:?}")),
        }
    })
}

#[test]
fn lengths_are_counted_without_useless_interpositions() {
    check_rows("counted.tsv", |row| row.number("plies") <= 7 || enbu_tests::has_slow_rows(), check_count);
    let quick = |row: &Row| row.text("counted").parse().is_ok_and(|counted: u64| counted <= 5);
    check_rows(
        "tsume.tsv",
        |row| quick(row) || enbu_tests::has_slow_rows() && !row.text("counted").is_empty(),
        check_count,
    );
}

#[test]
fn go_mate_prints_lines_that_mate() {
    let mut session = Session::ready();
    let mut solved = 0;
    for row in rows("tsume.tsv").iter().filter(|row| row.text("mate_plies").parse().is_ok_and(|plies: u64| plies <= 9))
    {
        let sfen = row.text("sfen");
        session.send(&format!("position sfen {sfen}"));
        session.send("go mate 60000");
        let lines = session.until("checkmate");
        let answer = lines.last().and_then(|line| line.strip_prefix("checkmate ")).expect("an answer");
        let line: Vec<Move> =
            answer.split(' ').map(|text| text.parse().unwrap_or_else(|_| panic!("{answer}"))).collect();
        mates(&from_sfen(sfen), &line).unwrap_or_else(|error| panic!("{sfen}: {error}"));
        assert_eq!(line.len() as u64, row.number("mate_plies"), "{sfen}: {answer}");
        // The mate is reported once: last, with the length of its line and the counters of the end.
        let mates: Vec<&String> = lines.iter().filter(|line| line.contains(" score mate ")).collect();
        let [mate] = mates[..] else { panic!("{lines:?}") };
        assert_eq!(lines.iter().position(|line| line == mate), Some(lines.len() - 2), "{lines:?}");
        assert!(mate.contains(&format!(" score mate {} nodes ", line.len())) && mate.contains(" hashfull "), "{mate}");
        assert!(mate.ends_with(&format!(" pv {answer}")), "{mate} / {answer}");
        solved += 1;
    }
    assert!(solved > 20, "only {solved} problems");
}

#[test]
fn go_mate_refuses_searchmoves_and_is_answered() {
    let mut session = Session::ready();
    session.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    session.send("go mate 1000 searchmoves G*5b");
    let lines = session.until("checkmate");
    let [.., reason, answer] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(reason.starts_with("info string error: go mate: searchmoves"), "{reason}");
    assert_eq!(answer, "checkmate notimplemented");
    session.send("go mate 1000");
    assert_eq!(session.expect("checkmate"), "checkmate G*5b");
}

/// Too hard for a second: 69 plies.
fn hard() -> String {
    let rows = rows("tsume.tsv");
    let row = rows.iter().find(|row| row.text("mate_plies") == "published 69").expect("Zuko no. 1");
    format!("sfen {}", row.text("sfen"))
}

#[test]
fn go_mate_ends_at_stop_and_when_its_time_is_over() {
    let mut session = Session::ready();
    session.send(&format!("position {}", hard()));
    session.send("go mate infinite");
    session.silent_on("checkmate", Duration::from_millis(120));
    session.send("stop");
    assert_eq!(session.until("checkmate").last().map(String::as_str), Some("checkmate timeout"));
    session.send("go mate 200");
    let lines = session.until("checkmate");
    assert_eq!(lines.last().map(String::as_str), Some("checkmate timeout"));
    // The session is as good as new, and plays.
    session.send("position startpos moves 7g7f");
    session.send("go mate infinite");
    assert_eq!(session.until("checkmate").last().map(String::as_str), Some("checkmate nomate"));
    session.send("go nodes 100");
    session.until("bestmove");
}

#[test]
fn an_attacker_in_check_must_answer_it_and_may_mate_by_that() {
    for (sfen, answer) in [
        // The rook's check cannot be answered by a check.
        ("4k4/4g4/4P4/9/9/9/9/9/r3K3R b G 1", "nomate"),
        // Taking the rook uncovers the lance; after any other king move the rook interposes.
        ("3lkl3/3p1p3/9/9/3rK4/9/9/9/4L4 b - 1", "5e6e"),
    ] {
        let position = from_usi(&format!("sfen {sfen}"));
        assert!(position.in_check(), "{sfen}");
        let mut session = Session::ready();
        session.send(&format!("position sfen {sfen}"));
        session.send("go mate 10000");
        let lines = session.until("checkmate");
        assert_eq!(lines.last().map(String::as_str), Some(format!("checkmate {answer}").as_str()), "{sfen}");
    }
}

/// The output of `enbu mate`, and its exit code.
fn enbu_mate(arguments: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(enbu()).arg("mate").args(arguments).output().expect("the binary runs");
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn the_command_solves_a_file_and_says_in_its_exit_code_whether_all_is_settled() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("problems.sfen");
    let easy = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1";
    let problems = format!("# two problems\nsfen {easy}\tan easy one\n\n4k4/9/9/9/9/9/9/9/9 b G 1\n");
    std::fs::write(&file, problems).expect("a file");
    let file = file.to_str().expect("a path");
    let (text, code) = enbu_mate(&[file, "--hash", "16"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("S*2c 2b1c G*1d"), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("mate 1 nomate 1 open 0")), "{text}");
    let hard = hard();
    let (text, code) = enbu_mate(&[easy, &hard, "--nodes", "100", "--json"]);
    assert_eq!(code, Some(1), "{text}");
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(rows.iter().map(|row| row["verdict"].as_str()).collect::<Vec<_>>(), [Some("mate"), Some("open")]);
    assert_eq!(rows[0]["plies"], 3);
    let (_, code) = enbu_mate(&["no such file"]);
    assert_eq!(code, Some(1));
    let (_, code) = enbu_mate(&[]);
    assert_eq!(code, Some(2));
}

#[test]
fn the_command_lists_every_first_move_that_mates() {
    // Two golds: either square beside the pawn's head will do.
    let sfen = "3pkp3/3p1p3/4P4/9/9/9/9/9/9 b GS 1";
    let (text, code) = enbu_mate(&[sfen, "--all", "--json", "--refine", "shortest"]);
    assert_eq!(code, Some(0), "{text}");
    let row: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let mut position = from_sfen(sfen);
    let moves = row["first_moves"].as_array().expect("a list");
    assert_eq!(moves.len(), position.count_checks(), "{text}");
    for entry in moves {
        let mv: Move = entry["move"].as_str().expect("a move").parse().expect("a move");
        position.do_move(mv);
        let mates = !position.has_legal_move();
        position.undo_move();
        assert_eq!(entry["mate"] == "1", mates, "{text}");
    }
    assert!(moves.iter().filter(|entry| entry["mate"] == "1").count() >= 2, "{text}");
}

/// Three plies, with the solution as moves.
const EASY: &str = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1";
const EASY_LINE: [&str; 3] = ["S*2c", "2b1c", "G*1d"];

/// The rows that `enbu mate --json` prints.
fn json_rows(arguments: &[&str]) -> Vec<serde_json::Value> {
    let (text, code) = enbu_mate(&[arguments, &["--json", "--hash", "16"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {text}");
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn the_command_reads_records_and_diagrams_of_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut record = Record::new(EASY.parse().expect("an SFEN"));
    let mut at = record.root();
    for text in EASY_LINE {
        at = record.add(at, Event::Move(text.parse().expect("a move")));
    }
    for (name, format, encoding) in [
        ("p.kif", Format::Kif, Encoding::ShiftJis),
        ("p.kifu", Format::Kif, Encoding::Utf8),
        ("p.ki2", Format::Ki2, Encoding::ShiftJis),
        ("p.csa", Format::Csa, Encoding::Utf8),
        ("p.jkf", Format::Jkf, Encoding::Utf8),
        ("p.pgn", Format::Pgn, Encoding::Utf8),
    ] {
        let path = folder.path().join(name);
        let text = format.write(std::slice::from_ref(&record), WriteOptions::default());
        std::fs::write(&path, encoding.encode(&text).expect("it can be written so")).expect("a file");
        let path = path.to_str().expect("a path");
        let rows = json_rows(&[path]);
        assert_eq!((rows.len(), &rows[0]["plies"]), (1, &serde_json::json!(3)), "{name}: {rows:?}");
        assert_eq!(rows[0]["line"], serde_json::json!(EASY_LINE), "{name}");
        assert_eq!(rows[0]["problem"], "p", "{name}");
        let rows = json_rows(&[path, "--ply", "2"]);
        assert_eq!(rows[0]["line"], serde_json::json!(EASY_LINE[2..]), "{name}");
        let (_, code) = enbu_mate(&[path, "--ply", "4"]);
        assert_eq!(code, Some(1), "{name} has three moves");
    }
    let diagram = folder.path().join("d.bod");
    std::fs::write(
        &diagram,
        Format::Bod.write(&[Record::new(EASY.parse().expect("an SFEN"))], WriteOptions::default()),
    )
    .expect("a file");
    let rows = json_rows(&[diagram.to_str().expect("a path")]);
    assert_eq!(rows[0]["plies"], 3);
    // An SFEN with moves means the position after them.
    let rows = json_rows(&[&format!("sfen {EASY} moves {} {}", EASY_LINE[0], EASY_LINE[1])]);
    assert_eq!(rows[0]["line"], serde_json::json!(EASY_LINE[2..]));
}

#[test]
fn the_command_reads_standard_input() {
    let mut command = Command::new(enbu());
    let mut child = command
        .args(["mate", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(EASY.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("\"plies\":3"), "{text}");
}

#[test]
fn a_bad_line_costs_one_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.sfen");
    // The first line and the last are bad, and one is too long.
    let long = "9".repeat(1 << 17);
    std::fs::write(&file, format!("9/9 b - 1\n{EASY}\n\n{long}\n{EASY} moves 1a1b\n{EASY}\nx")).expect("a file");
    let file = file.to_str().expect("a path");
    for threads in ["1", "3"] {
        let (text, code) = enbu_mate(&[file, "--json", "--threads", threads]);
        let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        let told: Vec<_> = rows.iter().map(|row| (row["problem"].as_str(), row["verdict"].as_str())).collect();
        let row = |name, verdict| (Some(name), Some(verdict));
        let expected = [
            row("list:1", "error"),
            row("list:2", "mate"),
            row("list:4", "error"),
            row("list:5", "error"),
            row("list:6", "mate"),
            row("list:7", "error"),
        ];
        assert_eq!((&told[..], code), (&expected[..], Some(1)), "{text}");
        assert!(rows[2]["error"].as_str().is_some_and(|error| error.contains("65536 bytes")), "{text}");
    }
    let (text, code) = enbu_mate(&[file]);
    assert!(text.lines().last().is_some_and(|line| line.starts_with("mate 2 nomate 0 open 0 ")), "{text}");
    assert!(text.trim_end().ends_with(" errors 4") && code == Some(1), "{text}");
}

#[test]
fn a_line_without_end_ends_a_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.sfen");
    std::fs::write(&file, format!("{EASY}\n")).expect("a file");
    std::fs::File::options().append(true).open(&file).and_then(|file| file.set_len(100 << 20)).expect("a hole");
    let (text, code) = enbu_mate(&[file.to_str().expect("a path")]);
    assert!(text.contains("no end of the line in 67108864 bytes; the rest is not read"), "{text}");
    assert!(text.contains("mate 1 nomate 0 open 0 ") && code == Some(1), "{text}");
}

#[test]
fn rows_come_as_lines_arrive() {
    let mut child = Command::new(enbu())
        .args(["mate", "-", "--json", "--threads", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let (mut input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut rows = BufReader::new(output).lines();
    for number in 1..=3 {
        writeln!(input, "{EASY}").expect("it reads");
        let row = rows.next().expect("a row before the next line").expect("text");
        assert!(row.contains(&format!("\"problem\":\"-:{number}\"")), "{row}");
    }
    drop(input);
    assert!(rows.next().is_none());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn other_solutions_of_a_problem_are_classed() {
    let sound = "9/9/6P2/9/4B4/9/6R2/7k+p/9 b Grb3g4s4n4l16p 1";
    let (text, code) = enbu_mate(&[sound, EASY, "--sound", "--nodes", "100000"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("  sound 完全作, 3: G*3i 2h1i 3g1g\n"), "{text}");
    assert!(text.contains("     2 equal_defence 変同 : S*2c 2b3a\n"), "{text}");
    // The moves of a record are the solution in question: a longer one here.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.kifu");
    let mut record = Record::new("3nkl3/9/4G4/9/9/9/9/9/4K4 b B 1".parse().expect("an SFEN"));
    let mut at = record.root();
    for text in ["B*3c", "4a4b", "3c4b+"] {
        at = record.add(at, Event::Move(text.parse().expect("a move")));
    }
    std::fs::write(&file, Format::Kif.write(&[record], WriteOptions::default())).expect("a file");
    let sound = json_rows(&[file.to_str().expect("a path"), "--sound"])[0]["sound"].take();
    assert_eq!((&sound["given"], &sound["judgement"]), (&true.into(), &"flawed".into()), "{sound}");
    let flaws = sound["flaws"].as_array().expect("a list");
    assert!(flaws.iter().any(|flaw| flaw["kind"] == "shorter_mate" && flaw["ply"] == 1), "{sound}");
}

#[test]
fn problems_solved_at_the_same_time_are_told_in_their_order() {
    let sfens: Vec<String> = rows("tsume.tsv")
        .iter()
        .filter(|row| row.text("mate_plies").parse().is_ok_and(|plies: u64| plies <= 5))
        .map(|row| row.text("sfen").to_owned())
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.txt");
    std::fs::write(&file, sfens.join("\n")).expect("a file");
    let file = file.to_str().expect("a path");
    let told = |threads: &str| {
        let rows = json_rows(&[file, "--threads", threads]);
        rows.iter().map(|row| [&row["sfen"], &row["plies"], &row["line"]].map(ToString::to_string)).collect::<Vec<_>>()
    };
    let one = told("1");
    assert_eq!(one.len(), sfens.len());
    assert_eq!(told("4"), one);
}

#[test]
fn the_command_keeps_its_limits() {
    let hard = hard();
    for limit in [["--nodes", "1000"], ["--time", "0.2"]] {
        let (text, code) = enbu_mate(&[&hard, limit[0], limit[1], "--hash", "16"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.lines().last().is_some_and(|line| line.starts_with("mate 0 nomate 0 open 1")), "{text}");
    }
    // No mate within one ply, though one in three.
    let rows = json_rows(&[EASY, "--plies", "1"]);
    assert_eq!(rows[0]["verdict"], "nomate");
}

//! Faults from below: streams, threads, memory and clocks that fail under the binary.
//!
//! Play goes on with a legal move, or the process ends with a reason; it never hangs. The
//! faults of the disk are in `full_disk.rs`; single faults that came up earlier are in
//! `usi_session.rs` (readers that stop, suspension) and `networks.rs` (files).
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::faults::{self, Fault};
use enbu_tests::has_slow_rows;
use enbu_tests::installation::Installation;
use enbu_tests::invocation::Invocation;
use enbu_tests::networks;
use enbu_tests::positions::assert_legal;
use enbu_tests::session::{Session, patience};

const NO_ARGUMENTS: [&str; 0] = [];

/// The signal of `abort`, by which a process without memory ends.
const ABORTED: i32 = 6;

// --- streams ---

#[test]
fn streams_that_are_not_ready_lose_nothing() {
    for faults in [&[Fault::ShortOutput, Fault::BusyOutput][..], &[Fault::BusyInput], &[Fault::ShortOutput]] {
        let Some(mut command) = faults::enbu(NO_ARGUMENTS, faults) else { return };
        let mut session = Session::spawn(&mut command);
        session.send("setoption name USI_Hash value 1");
        session.send("usi");
        session.expect("usiok");
        session.send("isready");
        session.expect("readyok");
        session.send("go nodes 500");
        assert_legal("startpos", &session.bestmove());
        session.send("go infinite");
        session.send("stop");
        assert_legal("startpos", &session.bestmove());
        session.send("quit");
        session.exits_cleanly();
    }
}

/// The streams that are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    Input,
    Output,
    Both,
}

/// A process whose streams the test closes.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Process {
    fn start() -> Self {
        let mut command = Command::new(enbu());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, input, output }
    }

    /// Sends lines; a process that has ended takes none.
    fn send(&mut self, lines: &str) {
        let _ = self.input.as_mut().map(|input| input.write_all(format!("{lines}\n").as_bytes()));
    }

    fn wait_for(&mut self, word: &str) {
        let mut line = String::new();
        while !line.starts_with(word) {
            line.clear();
            let count = self.output.as_mut().unwrap().read_line(&mut line).unwrap();
            assert!(count > 0, "no `{word}`");
        }
    }

    /// Waits for the end, within [`patience`]; with the text on stderr.
    fn end(mut self) -> Option<(ExitStatus, String)> {
        let deadline = Instant::now() + patience();
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut errors).unwrap();
        Some((self.child.wait().unwrap(), errors))
    }
}

/// States of a session: the lines that lead to it, and the answer before it. A `perft` is
/// none of them: it goes on to its end for a script in a pipe, and writes nothing meanwhile.
const STATES: [(&str, &str); 11] = [
    ("go infinite", ""),
    ("isready", "readyok"),
    ("go ponder btime 0 wtime 0 byoyomi 100", ""),
    ("isready", ""),
    ("usi", ""),
    ("usi", "usiok"),
    ("go btime 0 wtime 0 byoyomi 200", ""),
    ("go mate 200", ""),
    ("go ponder btime 0 wtime 0 byoyomi 100\nponderhit", ""),
    ("go infinite\nstop", ""),
    ("go nodes 100", "bestmove"),
];

#[test]
fn closed_streams_end_the_process_in_every_state() {
    for (lines, answer) in &STATES[..if has_slow_rows() { STATES.len() } else { 4 }] {
        for closed in [Closed::Input, Closed::Output, Closed::Both] {
            let mut process = Process::start();
            process.send("setoption name USI_Hash value 1");
            process.send(lines);
            if !answer.is_empty() {
                process.wait_for(answer);
            }
            if closed != Closed::Input {
                process.output = None;
                // The loss is noticed by the next line that cannot be written.
                process.send("usi");
            }
            if closed != Closed::Output {
                process.input = None;
            }
            let case = format!("{closed:?} closed after {lines:?} {answer:?}");
            let (status, errors) = process.end().unwrap_or_else(|| panic!("{case}: it does not end"));
            assert!(matches!(status.code(), Some(0 | 1)) && errors.is_empty(), "{case}: {status}, {errors}");
            assert!(closed != Closed::Input || status.success(), "{case}: {status}");
        }
    }
}

// --- suspension and clocks ---

fn signal(session: &Session, name: &str) {
    let status = Command::new("kill").args([name, &session.id().to_string()]).status().unwrap();
    assert!(status.success());
}

// A suspended search by the clock: `usi_session.rs`.
#[test]
fn a_suspended_process_goes_on_in_every_state() {
    let mut session = Session::ready();
    let stops = [
        ("go infinite", "stop"),
        ("go ponder btime 0 wtime 0 byoyomi 50", "ponderhit"),
        ("go ponder btime 0 wtime 0 byoyomi 50", "stop"),
        ("usinewgame\nisready\ngo nodes 100", "stop"),
    ];
    for (begin, end) in stops {
        session.send(begin);
        for _ in 0..3 {
            signal(&session, "-STOP");
            thread::sleep(Duration::from_millis(40));
            signal(&session, "-CONT");
            thread::sleep(Duration::from_millis(5));
        }
        signal(&session, "-STOP");
        session.send(end);
        signal(&session, "-CONT");
        assert_legal("startpos", &session.bestmove());
        let late = session.reply("");
        assert!(late.iter().all(|line| !line.starts_with("bestmove")), "{begin}: {late:?}");
    }
    session.send("quit");
    session.exits_cleanly();
}

#[test]
fn the_time_of_day_does_not_matter() {
    let Some(mut command) = faults::enbu(NO_ARGUMENTS, &[Fault::Clock]) else { return };
    let mut session = Session::spawn(&mut command);
    session.send("setoption name USI_Hash value 1");
    session.send("isready");
    session.expect("readyok");
    for go in
        ["go btime 100 wtime 100 binc 50 winc 50", "go movetime 20", "go btime 0 wtime 0 byoyomi 50", "go mate 20"]
    {
        let began = Instant::now();
        session.send(go);
        session.expect(if go == "go mate 20" { "checkmate" } else { "bestmove" });
        // A wrong clock would add an hour, or end each search at once.
        assert!(began.elapsed() < patience(), "{go}");
    }
    session.send("quit");
    session.exits_cleanly();
}

// --- threads ---

/// Sends a game's commands, in one write, and reads to the end.
fn converse(faults: &[Fault], lines: &str) -> Option<(Vec<String>, ExitStatus, String)> {
    let mut session = Session::spawn(&mut faults::enbu(NO_ARGUMENTS, faults)?);
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.send_bytes(lines.as_bytes())));
    session.close_input();
    let (status, errors) = session.exit();
    Some((session.rest(), status, errors))
}

const GAME: &str = "setoption name USI_Hash value 1\nsetoption name Threads value 3\nusi\nisready\nposition startpos\n\
                    go nodes 300\ngo mate 50\nusinewgame\nposition startpos moves 7g7f\ngo nodes 300\n";

/// The answers that [`GAME`] is owed; each is checked.
fn assert_answered(lines: &[String], case: &str) {
    let is_answer =
        |line: &&String| ["usiok", "readyok", "bestmove", "checkmate"].contains(&line.split(' ').next().unwrap());
    let answers: Vec<&String> = lines.iter().filter(is_answer).collect();
    let words: Vec<&str> = answers.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(words, ["usiok", "readyok", "bestmove", "checkmate", "bestmove"], "{case}: {lines:?}");
    assert_legal_in_order(lines);
}

fn assert_legal_in_order(lines: &[String]) {
    let moves = lines.iter().filter_map(|line| line.strip_prefix("bestmove ")?.split(' ').next());
    ["startpos", "startpos moves 7g7f"].into_iter().zip(moves).for_each(|(position, mv)| assert_legal(position, mv));
}

#[test]
fn without_threads_it_plays_or_says_so() {
    for threads in 0..=if has_slow_rows() { 12 } else { 5 } {
        let case = format!("{threads} threads");
        let Some((lines, status, errors)) = converse(&[Fault::Threads(threads)], GAME) else { return };
        if status.success() {
            assert_answered(&lines, &case);
        } else {
            assert_eq!(status.code(), Some(1), "{case}: {status}");
            assert!(errors.starts_with("enbu: the system gives "), "{case}: {errors}");
            assert!(threads < 3, "{case}: {errors}");
        }
    }
}

/// Commands that start threads, and the files that they read.
fn threaded() -> Vec<Invocation> {
    let engine = format!("'{}' fine", env!("CARGO_BIN_EXE_misbehaving"));
    let contest = Invocation::new("match").with(&["--engine", &engine, "name=a", "--engine", &engine, "name=b"]);
    let books = Invocation::new("book").with(&["make", "games.usi", "-o", "a.db"]);
    let analysis = Invocation::new("analyse").with(&["games.usi", "-o", "a.json", "--nodes", "20", "--jobs", "2"]);
    for folder in [books.folder(), analysis.folder()] {
        fs::write(folder.join("games.usi"), "startpos moves 7g7f 3c3d\n").unwrap();
    }
    vec![
        contest.with(&["--tc", "depth=1", "--games", "2", "--concurrency", "2", "--quiet"]),
        Invocation::new("mate").with(&["4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "--threads", "2", "--hash", "2"]),
        analysis,
        books,
        Invocation::new("selfplay").with(&[
            "--games",
            "2",
            "--nodes",
            "5",
            "--hash",
            "1",
            "--out",
            "games",
            "--threads",
            "2",
        ]),
        Invocation::new("bench").with(&["--depth", "1"]),
        Invocation::new("openings").with(&["random:2,500", "--count", "1"]),
    ]
}

#[test]
fn commands_without_threads_end_with_a_reason() {
    for invocation in threaded() {
        for threads in [0, 1, 2].into_iter().take(if has_slow_rows() { 3 } else { 2 }) {
            let mut command = invocation.command();
            if !faults::give(&mut command, &[Fault::Threads(threads)]) {
                return;
            }
            let output = command.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            let case = format!("{command:?}, {threads} threads: {}, {errors}", output.status);
            assert!(matches!(output.status.code(), Some(0 | 1)) && !errors.contains("panicked"), "{case}");
            assert!(output.status.success() || errors.contains("enbu: "), "{case}");
        }
    }
}

// --- memory ---

/// Checks that a process without memory played on, or ended with that reason.
fn assert_played_or_ended(faults: &[Fault]) -> bool {
    let case = format!("{faults:?}");
    let Some((lines, status, errors)) = converse(faults, GAME) else { return false };
    if status.signal() == Some(ABORTED) {
        // The allocation that fails may be one of the C library, which ends with words of its own.
        let told = ["memory allocation of ", "out of memory"].iter().any(|reason| errors.contains(reason));
        assert!(told, "{case}: {errors}");
        assert_legal_in_order(&lines);
    } else {
        assert!(status.success(), "{case}: {status}, {errors}");
        assert_answered(&lines, &case);
    }
    true
}

#[test]
fn without_memory_it_plays_or_ends_with_a_reason() {
    let (last, step) = if has_slow_rows() { (20_000, 100) } else { (900, 300) };
    for number in (100..=last).step_by(step) {
        if !assert_played_or_ended(&[Fault::Allocation(number)]) {
            return;
        }
    }
    assert_played_or_ended(&[Fault::Allocations(100)]);
}

// --- files in use ---

#[test]
fn a_network_that_is_cut_or_replaced_in_use_changes_nothing_before_isready() {
    let installed = Installation::new();
    let path = installed.path("eval").join("nn.bin");
    let mut whole = Vec::new();
    networks::write("kp-256x2-32-32", &mut whole).unwrap();
    fs::write(&path, &whole).unwrap();
    let mut session = Session::spawn(&mut Command::new(installed.executable()));
    session.send("setoption name USI_Hash value 1");
    session.send("isready");
    assert!(session.until("readyok").iter().any(|line| line.contains("evaluation kp-256x2-32-32")));
    let damages: [&dyn Fn(); 4] = [
        &|| fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1000).unwrap(),
        &|| fs::write(&path, vec![0x55; whole.len()]).unwrap(),
        &|| fs::write(&path, "").unwrap(),
        &|| fs::remove_file(&path).unwrap(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        session.send("go infinite");
        session.expect("info depth");
        damage();
        session.send("stop");
        assert_legal("startpos", &session.bestmove());
        session.send("go nodes 200");
        assert_legal("startpos", &session.bestmove());
        session.send("isready");
        let said = session.until("readyok");
        let refused = said.iter().any(|line| line.starts_with("info string error: ") && line.contains("nn.bin"));
        assert_eq!(refused, number < 3, "{said:?}");
        session.send("go nodes 200");
        assert_legal("startpos", &session.bestmove());
        fs::write(&path, &whole).unwrap();
        session.send("isready");
        session.expect("readyok");
    }
    session.send("quit");
    session.exits_cleanly();
}

#[test]
fn a_book_that_is_cut_in_use_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!("#YANEURAOU-DB2016 1.00\nsfen {start}\n1g1f none 0 20 1\n");
    for on_the_fly in ["true", "false"] {
        fs::write(&path, &book).unwrap();
        let mut session = Session::ready();
        session.send(&format!("setoption name BookFile value {}", path.display()));
        session.send(&format!("setoption name BookOnTheFly value {on_the_fly}"));
        session.send("isready");
        session.expect("readyok");
        session.send("go nodes 50");
        assert_eq!(session.bestmove(), "1g1f");
        for cut in [book.len() - 5, 60, 10, 0] {
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(cut as u64).unwrap();
            session.send("go nodes 50");
            assert_legal("startpos", &session.bestmove());
        }
        session.send("quit");
        session.exits_cleanly();
    }
}

// --- disks that stand still ---

#[test]
fn a_book_on_a_disk_that_stands_still_blocks_neither_go_nor_stop_nor_quit() {
    if !has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let gate = folder.path().join("stopped");
    for (format, on_the_fly) in [("ybb", "false"), ("db", "true")] {
        let book = folder.path().join(format!("book.{format}"));
        let made = Command::new(enbu())
            .args(["book", "convert", "examples/books/enbu.ybb", "--output"])
            .arg(&book)
            .current_dir(workspace_root())
            .output();
        assert!(made.as_ref().is_ok_and(|made| made.status.success()), "{made:?}");
        let Some(mut command) = faults::enbu(NO_ARGUMENTS, &[]) else { return };
        // While the file exists, no read of another one returns.
        let mut session = Session::spawn(command.env("ENBU_FAULT_STOPPED", &gate));
        for (name, value) in [("USI_Hash", "1"), ("BookOnTheFly", on_the_fly), ("BookFile", &book.to_string_lossy())] {
            session.send(&format!("setoption name {name} value {value}"));
        }
        session.send("isready");
        session.expect("readyok");
        session.send("go nodes 500");
        let lines = session.until("bestmove");
        assert!(lines.iter().any(|line| line.contains("book: ") && line.contains("one of")), "{lines:?}");
        fs::write(&gate, "").expect("written");
        session.send("go byoyomi 300");
        let lines = session.until("bestmove");
        assert!(lines.iter().any(|line| line.ends_with("no answer in time; searching without it")), "{lines:?}");
        session.send("go infinite");
        session.send("stop");
        let lines = session.until("bestmove");
        assert!(lines.iter().any(|line| line.contains("the last look-up has not ended")), "{lines:?}");
        // It is asked again when it answers.
        fs::remove_file(&gate).expect("removed");
        let answers = std::iter::repeat_with(|| {
            session.send("go nodes 500");
            session.until("bestmove")
        });
        let hit = answers.take(1000).find(|lines| lines.iter().any(|line| line.contains("one of")));
        assert!(hit.is_some());
        fs::write(&gate, "").expect("written");
        session.send("go infinite");
        session.send("quit");
        session.exits_cleanly();
        fs::remove_file(&gate).expect("removed");
    }
}

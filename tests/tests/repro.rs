//! Same options and commands, same node counts.
//!
//! With one thread, after `usinewgame`, in a new process, and in debug and release builds.

use std::path::Path;
use std::process::Command;

use enbu_tests::binary::enbu;
#[cfg(not(debug_assertions))]
use enbu_tests::binary::{Profile, built};
use enbu_tests::positions::{MATSURI, STARTPOS};
use enbu_tests::session::Session;

/// The part of a search that does not depend on the clock: for each report depth, score,
/// nodes and line, then the answer.
fn searched(session: &mut Session, position: &str, limit: &str) -> Vec<String> {
    session.send(&format!("position {position}"));
    session.send(&format!("go {limit}"));
    let lines = session.until("bestmove");
    lines
        .iter()
        .filter(|line| line.starts_with("bestmove") || line.contains(" pv "))
        .map(|line| timeless(line))
        .collect()
}

/// The line without the words that depend on the clock.
fn timeless(line: &str) -> String {
    let mut kept = Vec::new();
    let mut words = line.split(' ');
    while let Some(word) = words.next() {
        if matches!(word, "time" | "nps") {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

fn one_thread(binary: &Path) -> Session {
    let mut session = Session::spawn(&mut Command::new(binary));
    session.send("setoption name Threads value 1");
    session.send("setoption name USI_Hash value 16");
    // Reports that come by the clock differ from run to run; all reports do not.
    session.send("setoption name PvInterval value 0");
    session.send("isready");
    session.until("readyok");
    session
}

fn game(session: &mut Session, limit: &str) -> Vec<Vec<String>> {
    session.send("usinewgame");
    [format!("sfen {STARTPOS}"), format!("sfen {MATSURI}"), "startpos moves 7g7f 3c3d 2g2f 8c8d".to_owned()]
        .iter()
        .map(|position| searched(session, position, limit))
        .collect()
}

#[test]
fn a_new_game_repeats_the_same_searches() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut session = one_thread(&enbu());
    for limit in ["nodes 30000", "depth 6"] {
        let first = game(&mut session, limit);
        assert_eq!(game(&mut session, limit), first);
        assert_eq!(game(&mut one_thread(&enbu()), limit), first, "in a new process");
    }
}

#[test]
fn a_new_game_forgets_other_searches() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut session = one_thread(&enbu());
    let first = game(&mut session, "nodes 20000");
    session.send("position startpos moves 2g2f 3c3d");
    session.send("go nodes 50000");
    session.bestmove();
    session.send("go infinite");
    session.send("stop");
    session.bestmove();
    assert_eq!(game(&mut session, "nodes 20000"), first);
}

/// Needs both builds of the binary, so only an optimised test program holds it.
#[cfg(not(debug_assertions))]
#[test]
fn debug_and_release_builds_search_the_same_nodes() {
    let debug = game(&mut one_thread(&built(Profile::Dev)), "nodes 3000");
    let release = game(&mut one_thread(&built(Profile::Release)), "nodes 3000");
    assert_eq!(debug, release);
}

#[test]
fn fixed_nodes_are_kept_to() {
    let mut session = one_thread(&enbu());
    for limit in [1_000_u64, 10_000] {
        let lines = searched(&mut session, "startpos", &format!("nodes {limit}"));
        let nodes =
            lines.iter().filter_map(|line| line.split_once(" nodes ")?.1.split(' ').next()?.parse::<u64>().ok());
        let most = nodes.max().expect("a report with nodes");
        assert!(most <= limit + limit / 10 + 100, "{most} nodes for a limit of {limit}");
    }
}

/// The signature that `enbu bench` ends with.
fn signature(binary: &Path, arguments: &[&str]) -> u64 {
    let output = Command::new(binary).arg("bench").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().last().unwrap_or_default();
    let number = last.strip_prefix("Bench: ").unwrap_or_else(|| panic!("the last line is `{last}`"));
    number.parse().unwrap()
}

#[cfg(not(debug_assertions))]
#[test]
fn debug_and_release_builds_have_the_same_signature() {
    assert_eq!(signature(&built(Profile::Dev), &SHALLOW), signature(&built(Profile::Release), &SHALLOW));
}

/// At its own depth, which `bench.sh --check` counts, the bench takes minutes with debug assertions.
const SHALLOW: [&str; 2] = ["--depth", "3"];

#[test]
fn the_bench_has_the_same_signature_each_time() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let first = signature(&enbu(), &SHALLOW);
    assert!(first > 1_000);
    assert_eq!(signature(&enbu(), &SHALLOW), first);
}

//! The life cycle of a session: starting, ending, and commands in an awkward order.
//!
//! One test a row of the contract; its number is in the comment.

use std::process::Command;
use std::thread;
use std::time::Duration;

use enbu_tests::binary::enbu;
use enbu_tests::has_slow_rows;
use enbu_tests::positions::{MOST_MOVES, assert_legal, from_usi};
use enbu_tests::session::Session;

/// White is mated in the corner: nothing is left to search.
const MATED: &str = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
/// Black has one legal move.
const ONE_MOVE: &str = "sfen 4k4/9/9/9/9/9/9/2g6/K8 b - 1";
/// Black mates with one move.
const MATE_IN_ONE: &str = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

/// Long enough for a wrong answer to show up, short enough for a test.
/// Time in which an answer that must not come would come: at once, or after a few iterations.
const A_WHILE: Duration = Duration::from_millis(120);

#[test]
fn the_positions_of_these_tests_are_what_they_say() {
    let count = |text| enbu_tests::positions::legal_moves(&from_usi(text)).len();
    assert_eq!(count(MATED), 0);
    assert!(from_usi(MATED).in_check());
    assert_eq!(count(ONE_MOVE), 1);
    let mut mated = from_usi(MATE_IN_ONE);
    mated.play("G*5b".parse().unwrap()).unwrap();
    assert!(mated.in_check() && enbu_tests::positions::legal_moves(&mated).is_empty());
}

// U01
#[test]
fn end_of_input_while_idle_ends_the_process() {
    let mut session = Session::ready();
    session.close_input();
    session.exits_cleanly();
}

// U02
#[test]
fn end_of_input_during_an_infinite_search_ends_the_process() {
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go infinite");
    session.expect("info");
    session.close_input();
    session.exits_cleanly();
}

// U03
#[test]
fn end_of_input_before_any_byte_ends_the_process() {
    let mut session = Session::start();
    session.close_input();
    session.exits_cleanly();
}

// U03
#[test]
fn a_last_line_without_line_end_is_still_answered() {
    let mut session = Session::start();
    session.send_bytes(b"usi");
    session.close_input();
    session.expect("usiok");
    session.exits_cleanly();
}

// U03
#[test]
fn a_script_in_a_pipe_gets_every_answer() {
    for (script, answers) in [
        ("usi\nisready\nposition startpos\ngo nodes 3000\n", &["usiok", "readyok", "bestmove"][..]),
        ("isready\ngo byoyomi 300", &["readyok", "bestmove"]),
        ("isready\nposition sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\ngo mate infinite\n", &["readyok", "checkmate G*5b"]),
        ("perft 3\nside\n", &["nodes 25470", "black"]),
        ("position startpos\ngo infinite\n", &["bestmove"]),
        ("isready\nquit\n", &["readyok"]),
    ] {
        let mut session = Session::start();
        session.send_bytes(format!("setoption name USI_Hash value 16\n{script}").as_bytes());
        session.close_input();
        for answer in answers {
            session.expect(answer);
        }
        session.exits_cleanly();
    }
}

// U04
#[test]
fn quit_ends_the_process_whatever_it_is_doing() {
    for busy in [
        "",
        "isready",
        "go infinite",
        "go ponder btime 60000 wtime 60000",
        "go mate infinite",
        "go btime 600000 wtime 600000",
    ] {
        let mut session = Session::start();
        session.send("setoption name USI_Hash value 16");
        session.send("position startpos moves 7g7f");
        session.send(busy);
        session.send("quit");
        session.exits_cleanly();
    }
}

// U05
#[test]
fn a_closed_output_ends_the_search_without_a_panic() {
    let mut session = Session::spawn_unread(&mut Command::new(enbu()));
    session.close_output();
    // The engine may notice at its first line and be gone before the next command.
    session.send_bytes(b"usi\nposition startpos\ngo infinite\n");
    let (status, errors) = session.exit();
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(!matches!(status.code(), Some(101 | 134)), "{status}");
}

// U06
#[cfg(unix)]
#[test]
fn a_closed_standard_error_has_no_effect() {
    let mut command = Command::new("sh");
    let mut session = Session::spawn(command.args(["-c", "exec \"$0\" 2>&-"]).arg(enbu()));
    session.send("usi");
    session.expect("usiok");
    session.send("setoption name USI_Hash value 16");
    session.send("go nodes 1000");
    assert_legal("startpos", &session.bestmove());
    session.send("quit");
    session.exits_cleanly();
}

// U07
#[test]
fn an_output_that_nobody_reads_for_a_while_loses_no_answer() {
    let mut session = Session::spawn_unread(&mut Command::new(enbu()));
    session.send("setoption name USI_Hash value 16");
    session.send("isready");
    session.send(&format!("position sfen {MOST_MOVES}"));
    // 593 moves are about 3 KiB: more lines than any pipe holds.
    session.send_bytes("moves\n".repeat(100).as_bytes());
    session.send("position startpos");
    session.send("go movetime 200");
    thread::sleep(Duration::from_millis(if has_slow_rows() { 10_000 } else { 600 }));
    session.read_output();
    assert_legal("startpos", &session.bestmove());
    session.send("quit");
    session.exits_cleanly();
}

// U08
#[cfg(unix)]
#[test]
fn a_search_that_was_suspended_ends_by_the_wall_clock() {
    let signal = |name: &str, id: u32| {
        let status = Command::new("kill").args([name, &id.to_string()]).status().unwrap();
        assert!(status.success());
    };
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go movetime 500");
    thread::sleep(Duration::from_millis(100));
    signal("-STOP", session.id());
    thread::sleep(Duration::from_millis(700));
    signal("-CONT", session.id());
    assert_legal("startpos", &session.bestmove());
}

// U09
#[test]
fn usi_is_answered_before_anything_is_loaded() {
    let mut session = Session::start();
    session.send("usi");
    let lines = session.until("usiok");
    assert!(lines.iter().any(|line| line.starts_with("id name ")));
    assert!(lines.iter().any(|line| line.starts_with("id author ")));
    assert!(
        lines.iter().all(|line| ["id ", "option ", "usiok"].iter().any(|word| line.starts_with(word))),
        "{lines:?}"
    );
}

// U10
#[test]
fn isready_is_answered_each_time() {
    let mut session = Session::start();
    session.send_bytes(b"setoption name USI_Hash value 16\nisready\nisready\nisready\n");
    for _ in 0..3 {
        session.expect("readyok");
    }
    session.send("usinewgame");
    session.send("go nodes 500");
    session.bestmove();
    session.send("gameover draw");
    session.send("isready");
    session.expect("readyok");
}

// U11
#[test]
fn go_works_before_any_other_command() {
    if !has_slow_rows() {
        return;
    }
    let mut session = Session::start();
    session.send("go nodes 1000");
    assert_legal("startpos", &session.bestmove());
}

// U12
#[test]
fn commands_for_a_search_that_does_not_run_do_nothing() {
    let mut session = Session::ready();
    for command in ["stop", "ponderhit", "gameover win", "gameover", "ponderhit btime 1000 wtime 1000"] {
        let lines = session.reply(command);
        assert!(lines.iter().all(|line| line.starts_with("info string")) && lines.len() <= 1, "{command}: {lines:?}");
    }
    session.send("stop");
    session.send("go infinite");
    session.silent_on("bestmove", A_WHILE);
    session.send("stop");
    session.bestmove();
}

// U13
#[test]
fn isready_is_answered_during_a_search_that_goes_on() {
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go infinite");
    session.send("isready");
    let lines = session.until("readyok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:?}");
    session.silent_on("bestmove", A_WHILE);
    session.send("stop");
    assert_legal("startpos", &session.bestmove());
}

// U14
#[test]
fn usi_is_answered_during_a_search_that_goes_on() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.send("usi");
    let lines = session.until("usiok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:?}");
    session.silent_on("bestmove", A_WHILE);
    session.send("stop");
    session.bestmove();
}

#[test]
fn analysis_reports_at_once_and_never_goes_silent() {
    if !has_slow_rows() {
        return;
    }
    let mut session = Session::start();
    session.send("setoption name PvInterval value 1000000");
    session.send("setoption name USI_Hash value 16");
    session.send("setoption name Threads value 1");
    session.send("isready");
    session.until("readyok");
    session.send("go infinite");
    session.expect("info depth 5");
    let beat = session.expect("info nodes");
    assert!(beat.contains(" nps ") && beat.contains(" hashfull ") && beat.contains(" time "), "{beat}");
    assert!(!beat.contains("currmove") && !beat.contains(" pv "), "{beat}");
    session.send("stop");
    session.bestmove();
    session.send("setoption name ShowCurrentMove value true");
    session.send("go");
    let beat = session.expect("info nodes");
    assert!(beat.contains(" currmove "), "{beat}");
    session.send("stop");
    session.bestmove();
    // In a game the interval holds, and the last line before the answer is a report.
    session.send("go nodes 20000");
    let mut lines = session.until("bestmove");
    lines.retain(|line| !line.starts_with("info string"));
    assert!(lines.len() == 2 && lines[0].contains(" pv "), "{lines:?}");
}

#[test]
fn ends_of_the_game_are_shown_before_they_are_answered() {
    const ENTERED: &str = "sfen +R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1";
    for (position, score, end, best) in [(MATED, "mate -0", "resign", "resign"), (ENTERED, "mate 1", "win", "win")] {
        let mut session = Session::ready();
        session.send(&format!("position {position}"));
        for go in ["go byoyomi 1000", "go infinite"] {
            session.send(go);
            let line = session.expect("info depth");
            assert!(line.contains(&format!(" score {score} ")) && line.ends_with(&format!(" pv {end}")), "{line}");
            if go == "go infinite" {
                session.silent_on("bestmove", A_WHILE);
                session.send("stop");
            }
            assert_eq!(session.bestmove(), best);
        }
    }
}

// U15
#[test]
fn a_position_sent_during_a_search_is_for_the_next_one() {
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go infinite");
    session.send(&format!("position {MATE_IN_ONE}"));
    session.send("stop");
    assert_legal("startpos", &session.bestmove());
    session.send("go nodes 5000");
    let next = session.bestmove();
    assert_legal(MATE_IN_ONE, &next);
}

// U16
#[test]
fn an_option_set_during_a_search_blocks_nothing() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.send("setoption name Threads value 2");
    session.send("setoption name USI_Hash value 8");
    session.send("setoption name MultiPV value 2");
    session.send("stop");
    session.bestmove();
    session.send("go infinite");
    session.send("setoption name Threads value 1");
    session.send("quit");
    session.exits_cleanly();
}

// U17
#[test]
fn go_during_a_search_ends_the_first_before_the_second() {
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go infinite");
    session.send(&format!("position {MATE_IN_ONE}"));
    session.send("go nodes 2000");
    assert_legal("startpos", &session.bestmove());
    assert_legal(MATE_IN_ONE, &session.bestmove());
    session.silent_on("bestmove", A_WHILE);
}

// U18
#[test]
fn a_new_game_during_a_search_ends_it_once() {
    for go in ["go infinite", "go ponder btime 10000 wtime 10000"] {
        let mut session = Session::ready();
        session.send(go);
        session.send("usinewgame");
        let answers = bestmoves(&session.reply("usinewgame"));
        assert!(answers <= 1, "{go}: {answers} answers");
        session.send("go nodes 500");
        assert_legal("startpos", &session.bestmove());
        session.silent_on("bestmove", A_WHILE);
    }
}

fn bestmoves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

// U19
#[test]
fn a_thousand_stops_give_one_answer() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.send_bytes("stop\n".repeat(1000).as_bytes());
    let lines = session.reply("");
    assert_eq!(bestmoves(&lines), 1, "{lines:?}");
    session.silent_on("bestmove", A_WHILE);
}

// U20
#[test]
fn two_hundred_searches_in_one_write_give_two_hundred_answers() {
    let mut session = Session::ready();
    session.send_bytes("position startpos\ngo infinite\nstop\n".repeat(200).as_bytes());
    for _ in 0..200 {
        let mv = session.bestmove();
        assert_legal("startpos", &mv);
    }
    session.silent_on("bestmove", A_WHILE);
}

// U21
#[test]
fn a_ponder_search_that_ends_by_itself_keeps_its_answer() {
    for position in ["startpos", ONE_MOVE, MATE_IN_ONE] {
        for limit in ["depth 1", "nodes 1", "btime 0 wtime 0 byoyomi 1", "movetime 1", ""] {
            let mut session = Session::ready();
            session.send(&format!("position {position}"));
            session.send(&format!("go ponder {limit}"));
            session.silent_on("bestmove", Duration::from_millis(60));
            session.send(if limit.is_empty() { "stop" } else { "ponderhit" });
            assert_legal(position, &session.bestmove());
        }
    }
}

// U22
#[test]
fn pondering_on_a_mated_position_waits_and_then_resigns() {
    for end in ["ponderhit", "stop"] {
        let mut session = Session::ready();
        session.send(&format!("position {MATED}"));
        session.send("go ponder btime 10000 wtime 10000");
        session.silent_on("bestmove", A_WHILE);
        session.send(end);
        assert_eq!(session.bestmove(), "resign");
    }
}

// U22
#[test]
fn an_infinite_search_of_a_mated_position_waits_for_stop() {
    let mut session = Session::ready();
    session.send(&format!("position {MATED}"));
    session.send("go infinite");
    session.silent_on("bestmove", A_WHILE);
    session.send("stop");
    assert_eq!(session.bestmove(), "resign");
}

// U23
#[test]
fn ponderhit_and_stop_together_give_one_answer() {
    let mut session = Session::ready();
    for delay in [0, 1, 2, 5, 10, 20] {
        for pair in ["ponderhit\nstop\n", "stop\nponderhit\n"] {
            session.send("position startpos moves 7g7f 3c3d");
            session.send("go ponder btime 60000 wtime 60000 byoyomi 5000");
            thread::sleep(Duration::from_millis(delay));
            session.send_bytes(pair.as_bytes());
            let lines = session.reply("");
            assert_eq!(bestmoves(&lines), 1, "{pair:?} after {delay} ms: {lines:?}");
        }
    }
    session.silent_on("bestmove", A_WHILE);
}

// U24
#[test]
fn gameover_ends_pondering_and_nothing_leaks_into_the_next_game() {
    let mut session = Session::ready();
    session.send("position startpos moves 7g7f 3c3d");
    session.send("go ponder btime 60000 wtime 60000");
    session.send("gameover win");
    assert_eq!(bestmoves(&session.reply("")), 1);
    session.send("usinewgame");
    session.send(&format!("position {MATE_IN_ONE}"));
    session.send("go nodes 2000");
    assert_legal(MATE_IN_ONE, &session.bestmove());
    session.silent_on("bestmove", A_WHILE);
}

// U25
#[test]
fn after_a_ponder_miss_the_answers_come_in_order() {
    let mut session = Session::ready();
    for _ in 0..5 {
        session.send("position startpos moves 7g7f 3c3d");
        session.send("go ponder btime 60000 wtime 60000");
        session.send_bytes(format!("stop\nposition {MATE_IN_ONE}\ngo nodes 2000\n").as_bytes());
        assert_legal("startpos moves 7g7f 3c3d", &session.bestmove());
        assert_legal(MATE_IN_ONE, &session.bestmove());
    }
    session.silent_on("bestmove", A_WHILE);
}

// U26
#[test]
fn a_second_ponderhit_is_ignored() {
    let mut session = Session::ready();
    session.send("position startpos");
    session.send("go ponder btime 0 wtime 0 byoyomi 300");
    session.send_bytes(b"ponderhit\nponderhit\n");
    assert_legal("startpos", &session.bestmove());
    session.silent_on("bestmove", A_WHILE);
}

#[test]
fn a_stopped_session_can_be_asked_a_hundred_times() {
    let mut session = Session::ready();
    for round in 0..100 {
        session.send("position startpos moves 2g2f");
        session.send("go infinite");
        if round % 3 == 0 {
            thread::sleep(Duration::from_millis(round % 7));
        }
        session.send("stop");
        assert_legal("startpos moves 2g2f", &session.bestmove());
    }
}

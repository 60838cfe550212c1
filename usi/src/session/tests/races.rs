//! Order and races: one answer for each `go`, at its time.

use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;
use enbu_movegen::Position;

use super::super::Timing;
use super::fake::{Behaviour, Call, Prepare, Rig, go_call, moves, mv, play};
use crate::{BestMove, Checkmate, Clock, Exit, Info, Outcome, Score};

const MATED: &str = "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";

#[test]
fn u12_stop_ponderhit_and_gameover_without_a_search_say_nothing() {
    let rig = Rig::new();
    rig.ready();
    rig.send("stop\nponderhit\nponderhit btime 5\ngameover\ngameover win\nstop");
    rig.expect_silence();
    rig.expect_no_call();
    let search = rig.go("go depth 1");
    rig.expect_silence();
    rig.expect_no_call();
    search.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn u13_isready_during_a_search_is_answered_and_the_search_goes_on() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go infinite");
    rig.send("isready\nisready");
    rig.expect(&["readyok", "readyok"]);
    rig.expect_no_call();
    search.events.info(Info { depth: Some(1), ..Info::default() });
    rig.expect(&["info depth 1"]);
}

#[test]
fn u14_usi_during_a_search_is_answered_and_the_search_goes_on() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go infinite");
    rig.send("usi");
    rig.expect(&["id name Fake 1", "id author tests", "option name USI_Hash type spin default 16 min 1 max 1024"]);
    rig.expect(&["usiok"]);
    search.events.notice("still here");
    rig.expect(&["info string still here"]);
    rig.expect_no_call();
}

#[test]
fn u15_a_position_during_a_search_concerns_the_next_go() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go depth 1");
    rig.send("position startpos moves 7g7f\nside");
    rig.expect(&["white"]);
    // 7g7f is legal only in the old position.
    search.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
    rig.send("go depth 2");
    let mut position = Position::startpos();
    position.play(mv("7g7f")).unwrap();
    rig.expect_calls(&[Call::Go("go depth 2".into(), position.to_string())]);
}

#[test]
fn u16_setoption_during_a_search_waits_for_its_answer() {
    let rig = Rig::answering("7g7f");
    rig.ready();
    rig.go("go infinite");
    rig.send("setoption name USI_Hash value 64\nsetoption name USI_Hash value 0\nsetoption name Nonsense value 1");
    rig.expect_silence();
    rig.expect_no_call();
    rig.send("stop");
    rig.expect(&["bestmove 7g7f"]);
    rig.expect(&[
        "info string error: setoption: option USI_Hash: `0` refused, a whole number from 1 to 1024 is needed",
        "info string unknown option `Nonsense`",
    ]);
    rig.expect_calls(&[Call::Stop, Call::Set("USI_Hash".into(), Some("64".into()))]);
    // The change is applied before the next search.
    rig.send("go depth 1");
    rig.expect_calls(&[Call::Prepare, go_call("go depth 1")]);
}

#[test]
fn u17_go_during_a_search_stops_it_first() {
    let rig = Rig::new();
    rig.ready();
    let first = rig.go("go infinite");
    rig.send("go depth 2\nisready");
    rig.expect_calls(&[Call::Stop]);
    first.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f", "readyok"]);
    rig.expect_calls(&[go_call("go depth 2")]);
    let second = rig.search();
    first.events.done(play("2g2f"));
    rig.expect_silence();
    second.events.done(play("2g2f"));
    rig.expect(&["bestmove 2g2f"]);
}

#[test]
fn u18_usinewgame_during_a_search_clears_only_after_its_answer() {
    for go in ["go infinite", "go ponder btime 1000", "go depth 30"] {
        let rig = Rig::new();
        rig.ready();
        let search = rig.go(go);
        rig.send("usinewgame\nisready");
        rig.expect_calls(&[Call::Stop]);
        rig.expect_no_call();
        search.events.done(play("7g7f"));
        rig.expect(&["bestmove 7g7f", "readyok"]);
        rig.expect_calls(&[Call::NewGame, Call::Prepare, Call::NewGame]);
    }
}

#[test]
fn u19_a_thousand_stops_get_one_answer() {
    let rig = Rig::answering("7g7f");
    rig.ready();
    rig.go("go infinite");
    rig.send(&"stop\n".repeat(1000));
    rig.expect(&["bestmove 7g7f"]);
    rig.expect_silence();
    rig.expect_calls(&[Call::Stop]);
    rig.expect_no_call();
}

#[test]
fn u20_two_hundred_searches_in_one_write_get_two_hundred_answers() {
    let rig = Rig::answering("7g7f");
    rig.ready();
    rig.send(&"position startpos\ngo infinite\nstop\n".repeat(200));
    for _ in 0..200 {
        rig.expect(&["bestmove 7g7f"]);
        rig.expect_calls(&[go_call("go infinite"), Call::Stop]);
    }
    rig.expect_silence();
}

#[test]
fn u21_a_search_that_ends_while_pondering_is_not_answered_before_the_hit() {
    for release in ["ponderhit", "stop", "gameover lose", "usinewgame"] {
        let rig = Rig::new();
        rig.ready();
        let search = rig.go("go ponder btime 1000 wtime 1000");
        search.events.info(Info { score: Some(Score::MateIn(3)), pv: moves("7g7f"), ..Info::default() });
        search.events.done(play("7g7f"));
        rig.expect(&["info score mate 3 pv 7g7f"]);
        rig.expect_silence();
        rig.send(release);
        rig.expect(&["bestmove 7g7f"]);
        rig.expect_silence();
        // The search was over: the engine hears neither of a hit nor of a stop.
        let calls = rig.calls_so_far();
        assert!(!calls.iter().any(|call| matches!(call, Call::PonderHit(_) | Call::Stop)), "{calls:?}");
    }
}

#[test]
fn an_infinite_search_is_not_answered_before_stop() {
    for go in ["go infinite", "go infinite depth 3"] {
        let rig = Rig::new();
        rig.ready();
        let search = rig.go(go);
        search.events.done(play("7g7f"));
        rig.expect_silence();
        rig.send("ponderhit\nisready");
        rig.expect(&["readyok"]);
        rig.send("stop");
        rig.expect(&["bestmove 7g7f"]);
        rig.expect_silence();
    }
}

#[test]
fn a_bare_go_is_answered_when_it_ends() {
    let rig = Rig::new();
    rig.ready();
    rig.go("go").events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn ponder_infinite_waits_for_the_hit_and_then_for_stop() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go ponder infinite");
    search.events.done(play("7g7f"));
    rig.send("ponderhit");
    rig.expect_silence();
    rig.send("stop");
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn u22_pondering_when_mated_waits_and_then_resigns() {
    let rig = Rig::new();
    rig.ready();
    rig.send(&format!("{MATED}\ngo ponder\nmoves"));
    assert_eq!(rig.line(), "", "no legal move");
    rig.search().events.done(Outcome::BestMove(BestMove::Resign));
    rig.expect_silence();
    rig.send("stop");
    rig.expect(&["bestmove resign"]);
}

#[test]
fn u23_ponderhit_and_stop_in_either_order_get_one_answer() {
    let hit_first = "ponderhit\nstop\n";
    let stop_first = "stop\nponderhit\n";
    for (lines, calls) in [(hit_first, &[Call::PonderHit(None), Call::Stop][..]), (stop_first, &[Call::Stop])] {
        let rig = Rig::answering("7g7f");
        rig.ready();
        rig.send(&format!("go ponder\n{lines}"));
        rig.expect(&["bestmove 7g7f"]);
        rig.expect_silence();
        rig.expect_calls(&[go_call("go ponder")]);
        rig.expect_calls(calls);
        rig.expect_no_call();
    }
}

#[test]
fn u24_gameover_while_pondering_answers_before_the_next_game() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go ponder");
    rig.send("gameover win\nisready\nusinewgame");
    rig.expect_calls(&[Call::Stop]);
    rig.expect_no_call();
    search.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f", "readyok"]);
    // The last game is forgotten before `readyok`: the clock may start right after
    // `usinewgame`.
    rig.expect_calls(&[Call::Prepare, Call::NewGame, Call::NewGame]);
    rig.expect_silence();
}

#[test]
fn stop_and_gameover_together_get_one_answer_before_readyok() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go btime 1000 wtime 1000");
    rig.send("stop\ngameover draw\nisready");
    rig.expect_calls(&[Call::Stop]);
    search.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f", "readyok"]);
    rig.expect_silence();
}

#[test]
fn u25_after_a_ponder_miss_the_old_answer_comes_first() {
    let rig = Rig::new();
    rig.ready();
    rig.send("position startpos moves 7g7f 3c3d\ngo ponder");
    let old = rig.search();
    rig.send("stop\nposition startpos moves 7g7f 8c8d\ngo depth 1");
    assert!(matches!(rig.call(), Call::Go(..)));
    rig.expect_calls(&[Call::Stop]);
    rig.expect_no_call();
    old.events.done(play("8h2b+"));
    rig.expect(&["bestmove 8h2b+"]);
    let new = rig.search();
    // Nothing of the old search is heard any more, not even while the new one runs.
    old.events.notice("late");
    new.events.done(play("2g2f"));
    rig.expect(&["bestmove 2g2f"]);
}

#[test]
fn u26_a_second_ponderhit_is_ignored() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go ponder btime 1000");
    rig.send("ponderhit\nponderhit\nponderhit btime 5");
    rig.expect_silence();
    rig.expect_calls(&[Call::PonderHit(None)]);
    rig.expect_no_call();
    search.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn ponderhit_hands_its_times_on() {
    let rig = Rig::new();
    rig.ready();
    let _search = rig.go("go ponder");
    rig.send("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000");
    rig.expect_calls(&[Call::PonderHit(Some(Clock {
        black_ms: Some(36_000),
        white_ms: Some(34_000),
        byoyomi_ms: None,
        black_increment_ms: Some(5000),
        white_increment_ms: Some(5000),
    }))]);
}

#[test]
fn lines_after_stop_wait_for_the_answer() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go infinite");
    rig.send("stop\nisready\nposition startpos moves 7g7f\nside");
    rig.expect_calls(&[Call::Stop]);
    search.events.info(Info { nodes: Some(5), ..Info::default() });
    search.events.done(play("7g7f"));
    rig.expect(&["info nodes 5", "bestmove 7g7f", "readyok", "white"]);
}

#[test]
fn u11_go_before_anything_else_prepares_and_searches_the_start_position() {
    let rig = Rig::new();
    rig.send("go depth 1");
    rig.expect_calls(&[Call::Prepare, go_call("go depth 1")]);
    rig.search().events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
    // Nothing has changed: the next one does not prepare.
    rig.go("go depth 2");
}

#[test]
fn u10_isready_again_and_again_is_answered_again_and_again() {
    let rig = Rig::new();
    rig.send("isready\nisready\nusinewgame\nisready");
    rig.expect(&["readyok", "readyok", "readyok"]);
    let isready = [Call::Prepare, Call::NewGame];
    rig.expect_calls(&[&isready[..], &isready[..], &[Call::NewGame][..], &isready[..]].concat());
}

#[test]
fn usinewgame_goes_back_to_the_start_position() {
    let rig = Rig::new();
    rig.send("position startpos moves 7g7f\nside\nusinewgame\nside");
    rig.expect(&["white", "black"]);
}

#[test]
fn a_mate_search_is_answered_with_checkmate() {
    let rig = Rig::answering("7g7f");
    rig.ready();
    let search = rig.go("go mate 1000");
    search.events.done(Outcome::Checkmate(Checkmate::NoMate));
    rig.expect(&["checkmate nomate"]);
    // Not even a wrong engine makes it a bestmove.
    rig.go("go mate infinite");
    rig.send("stop");
    let complaint = rig.line();
    assert!(complaint.starts_with("info string error: internal"), "{complaint}");
    rig.expect(&["checkmate timeout"]);
}

#[test]
fn the_clock_starts_when_the_line_arrives() {
    let rig = Rig::new();
    rig.ready();
    let before = std::time::Instant::now();
    let search = rig.go("go btime 1000 wtime 1000");
    assert!(before <= search.started && search.started <= std::time::Instant::now());
}

#[test]
fn only_legal_searchmoves_reach_the_engine() {
    let rig = Rig::new();
    rig.ready();
    rig.send("go depth 1 searchmoves 7g7f 7g7e 2g2f");
    rig.expect(&["info string error: go searchmoves: illegal move 7g7e"]);
    rig.expect_calls(&[go_call("go depth 1 searchmoves 7g7f 2g2f")]);
}

#[test]
fn u40_a_refused_position_keeps_the_old_one_and_go_is_still_answered() {
    let rig = Rig::answering("3c3d");
    rig.ready();
    rig.send("position startpos moves 7g7f\nposition startpos moves 7g7f 7f7d 3c3d\nside");
    let refusal = rig.line();
    assert!(refusal.starts_with("info string error: position: ") && refusal.contains("7f7d"), "{refusal}");
    assert!(refusal.ends_with("(move 2)"), "{refusal}");
    rig.expect(&["white"]);
    rig.send("go infinite\nstop");
    rig.expect(&["bestmove 3c3d"]);
}

#[test]
fn u43_long_games_are_read() {
    let rig = Rig::new();
    let shuffle = " 2h3h 8b7b 3h2h 7b8b".repeat(2500);
    rig.send(&format!("position startpos moves{shuffle}\nside"));
    rig.expect(&["black"]);
    // More than a megabyte, all of it legal.
    let longer = " 2h3h 8b7b 3h2h 7b8b".repeat(53_000);
    assert!(longer.len() > 1 << 20);
    rig.send(&format!("position startpos moves{longer} 7g7f\nside"));
    rig.expect(&["white"]);
}

#[test]
fn a_pseudo_move_at_the_end_is_told() {
    let rig = Rig::new();
    rig.send("position startpos moves 7g7f resign\nside");
    rig.expect(&["info string position: the moves end at resign", "white"]);
}

#[test]
fn without_usi_and_with_carriage_returns_it_works_too() {
    let rig = Rig::answering("7g7f");
    rig.send(
        "setoption name usi_hash value 32\r\nisready\r\nusinewgame\r\nposition startpos moves\r\ngo infinite\r\nstop\r",
    );
    rig.expect(&["readyok", "bestmove 7g7f"]);
    rig.send("quit\r");
    assert_eq!(rig.end(), (Exit::Quit, Vec::new()));
}

#[test]
fn a_late_answer_still_comes_after_quit() {
    let rig = Rig::with(Behaviour { on_stop: Some(play("7g7f")), ..Behaviour::default() });
    rig.ready();
    rig.send("go infinite\nquit");
    assert_eq!(rig.end(), (Exit::Quit, vec!["bestmove 7g7f".to_owned()]));
}

/// Searches that are late 30 ms after their clock began to run.
fn late() -> Behaviour {
    Behaviour { deadline: Some(Duration::from_millis(30)), ..Behaviour::default() }
}

const LATE: &str = "info string the search is late: the answer is its best move so far";

#[test]
fn a_late_search_is_answered_for() {
    let report = Info { depth: Some(1), pv: moves("2g2f"), ..Info::default() };
    let rig = Rig::with(Behaviour { report: Some(report), at_depth: Some(play("2g2f")), ..late() });
    rig.ready();
    let search = rig.go("go btime 1000 wtime 1000");
    rig.expect(&["info depth 1 pv 2g2f", LATE, "info depth 1 pv 2g2f", "bestmove 2g2f"]);
    rig.expect_calls(&[Call::Stop]);
    // No line waits for its end, and nothing of it is said any more.
    rig.send("usi\nposition startpos\ngo depth 1 btime 1000 wtime 1000");
    rig.search();
    search.events.info(Info { depth: Some(2), pv: moves("7g7f"), ..Info::default() });
    search.events.done(play("7g7f"));
    rig.expect(&["id name Fake 1", "id author tests", "option name USI_Hash type spin default 16 min 1 max 1024"]);
    rig.expect(&["usiok", "info depth 1 pv 2g2f", "bestmove 2g2f"]);
    // The one that ended at once is not late any more.
    thread::sleep(Duration::from_millis(40));
    rig.expect_silence();
}

#[test]
fn a_stop_is_answered_whatever_the_search_does() {
    let timing = Timing { patience: Duration::from_mins(2), ..Timing::default() };
    let known = BestMove::Play { best: mv("7g7f"), ponder: Some(mv("3c3d")) };
    let rig = Rig::with_timing(Behaviour { best_so_far: Some(known), ..Behaviour::default() }, timing);
    rig.ready();
    for (go, end) in [("go infinite", "stop"), ("go ponder", "gameover lose"), ("go nodes 5", "usinewgame")] {
        let search = rig.go(go);
        rig.send(&format!("{end}\nside"));
        rig.expect(&[LATE, "info depth 9 pv 7g7f", "bestmove 7g7f ponder 3c3d", "black"]);
        search.events.done(play("2g2f"));
        rig.expect_silence();
        rig.calls_so_far();
    }
    let search = rig.go("go mate infinite");
    rig.send("stop");
    rig.expect(&[LATE, "checkmate timeout"]);
    drop(search);
    rig.expect_silence();
}

#[test]
fn a_stop_is_answered_while_the_engine_prepares() {
    let (open, gate) = bounded(0);
    let timing = Timing { patience: Duration::from_mins(2), ..Timing::default() };
    let rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, timing);
    for (go, answer) in [("go infinite", "bestmove "), ("go mate infinite", "checkmate timeout")] {
        rig.send(&format!("setoption name USI_Hash value 64\n{go}"));
        rig.expect(&["info string loading"]);
        rig.send("stop\nside");
        let said = rig.line();
        assert!(said.starts_with(answer), "{said}");
        open.send(()).expect("it prepares");
        // No search begins, and the next one finds the engine prepared.
        rig.expect(&["black"]);
        rig.expect_silence();
        assert!(!rig.calls_so_far().iter().any(|call| matches!(call, Call::Go(..) | Call::Stop)));
        drop(rig.go("go depth 3"));
        rig.line();
        rig.line();
    }
}

#[test]
fn the_last_line_is_that_of_the_move_played() {
    let line = |rank, pv| Info { depth: Some(3), multipv: Some(rank), pv: moves(pv), ..Info::default() };
    let rig = Rig::new();
    rig.ready();
    // `LastWords` checks each answer; these are the lines that come again.
    for (texts, again) in [(false, None), (true, Some("info depth 3 multipv 1 pv 7g7f 3c3d"))] {
        let search = rig.go("go depth 3");
        search.events.info(line(2, "2g2f"));
        search.events.info(line(1, "7g7f 3c3d"));
        rig.expect(&["info depth 3 multipv 2 pv 2g2f", "info depth 3 multipv 1 pv 7g7f 3c3d"]);
        if texts {
            search.events.notice("a text");
            rig.expect(&["info string a text"]);
        }
        search.events.done(play("7g7f"));
        again.iter().for_each(|line| rig.expect(&[line]));
        rig.expect(&["bestmove 7g7f"]);
    }
    for best in ["2g2f", "5i5h"] {
        let search = rig.go("go depth 3");
        search.events.info(line(1, "7g7f 3c3d"));
        search.events.done(play(best));
        rig.expect(&["info depth 3 multipv 1 pv 7g7f 3c3d", &format!("bestmove {best}")]);
    }
    rig.go("go depth 3").events.done(Outcome::BestMove(BestMove::Win));
    rig.expect(&["bestmove win"]);
    rig.go("go depth 3").events.done(Outcome::BestMove(BestMove::Resign));
    rig.expect(&["bestmove resign"]);
}

#[test]
fn a_late_search_without_a_report_is_answered_by_a_legal_move() {
    let rig = Rig::with(late());
    rig.ready();
    let search = rig.go("go btime 1000 wtime 1000");
    assert_eq!(rig.line(), LATE);
    let best = rig.line();
    let best = best.strip_prefix("bestmove ").expect("an answer");
    assert!(Position::startpos().is_legal(mv(best)), "{best}");
    drop(search);
    rig.expect_silence();
}

#[test]
fn the_answer_of_a_late_search_is_the_best_that_it_knows() {
    let known = BestMove::Play { best: mv("7g7f"), ponder: Some(mv("3c3d")) };
    let illegal = BestMove::Play { best: mv("5a5b"), ponder: None };
    let cases = [
        (known, ["info depth 9 pv 7g7f", "bestmove 7g7f ponder 3c3d"]),
        (illegal, ["info depth 1 pv 2g2f", "bestmove 2g2f"]),
    ];
    for (best_so_far, expected) in cases {
        let report = Info { depth: Some(1), pv: moves("2g2f"), ..Info::default() };
        let rig = Rig::with(Behaviour { report: Some(report), best_so_far: Some(best_so_far), ..late() });
        rig.ready();
        let search = rig.go("go btime 1000 wtime 1000");
        rig.expect(&["info depth 1 pv 2g2f", LATE]);
        rig.expect(&expected);
        drop(search);
    }
}

#[test]
fn pondering_and_stopped_searches_become_late_as_well() {
    let rig = Rig::with(late());
    rig.ready();
    let search = rig.go("go ponder btime 1000 wtime 1000");
    rig.expect_silence();
    rig.send("ponderhit");
    assert_eq!(rig.line(), LATE);
    assert!(rig.line().starts_with("bestmove "));
    rig.expect_calls(&[Call::PonderHit(None), Call::Stop]);
    drop(search);
    let search = rig.go("go btime 1000 wtime 1000");
    rig.send("stop");
    assert_eq!(rig.line(), LATE);
    assert!(rig.line().starts_with("bestmove "));
    drop(search);
    rig.expect_silence();
}

#[test]
fn searches_that_no_clock_ends_are_never_late() {
    let rig = Rig::with(late());
    rig.ready();
    for go in [
        "go infinite btime 1000 wtime 1000",
        "go ponder btime 1000",
        "go nodes 5",
        "go btime 1000 mate 1000",
        "go btime 1000 movetime 9000",
    ] {
        let search = rig.go(go);
        thread::sleep(Duration::from_millis(40));
        rig.expect_silence();
        drop(search);
        rig.send("stop");
        rig.line();
        rig.line();
    }
}

#[test]
fn quit_ends_a_late_search_that_does_not() {
    let rig = Rig::with_timing(late(), Timing { limit: Duration::from_millis(100), ..Timing::default() });
    rig.ready();
    let search = rig.go("go btime 1000 wtime 1000");
    assert_eq!(rig.line(), LATE);
    rig.line();
    rig.send("quit");
    assert_eq!(rig.end().0, Exit::Quit);
    drop(search);
}

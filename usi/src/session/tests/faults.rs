//! Life cycle and faults: ends, broken pipes, broken engines.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, never, unbounded};

use super::super::Timing;
use super::fake::{Behaviour, Broken, Call, Prepare, Rig, Stdout, go_call, moves, play};
use crate::{BestMove, Checkmate, Exit, Info, Outcome};

/// Short timeouts for waits that must run out.
fn impatient() -> Timing {
    let ms = Duration::from_millis;
    Timing { patience: ms(20), limit: ms(40), flush: ms(20), drain: ms(20), ..Timing::default() }
}

#[test]
fn u01_u03_the_end_of_input_ends_the_session() {
    let mut rig = Rig::new();
    rig.close_input();
    assert_eq!(rig.end(), (Exit::Quit, Vec::new()));
    let mut rig = Rig::new();
    rig.send_bytes(b"side".to_vec());
    rig.close_input();
    assert_eq!(rig.end(), (Exit::Quit, vec!["black".to_owned()]));
}

#[test]
fn u02_the_end_of_input_stops_a_search_that_waits_for_a_command() {
    for go in ["go infinite", "go", "go ponder byoyomi 1000", "go infinite depth 3"] {
        let mut rig = Rig::answering("7g7f");
        rig.ready();
        rig.go(go);
        rig.close_input();
        assert_eq!(rig.end(), (Exit::Quit, vec!["bestmove 7g7f".to_owned()]), "{go}");
        rig.expect_calls(&[Call::Stop]);
    }
    // Also one that has already ended.
    let mut rig = Rig::new();
    rig.ready();
    rig.go("go infinite").events.done(play("7g7f"));
    rig.expect_silence();
    rig.close_input();
    assert_eq!(rig.end(), (Exit::Quit, vec!["bestmove 7g7f".to_owned()]));
}

#[test]
fn at_the_end_of_input_a_search_goes_on_to_its_end() {
    for go in ["go byoyomi 1000", "go nodes 5", "go depth 3"] {
        let mut rig = Rig::with_timing(Behaviour::default(), at_once());
        rig.ready();
        let search = rig.go(go);
        rig.close_input();
        search.events.info(Info { depth: Some(1), ..Info::default() });
        rig.expect(&["info depth 1"]);
        search.events.done(play("7g7f"));
        assert_eq!(rig.end(), (Exit::Quit, vec!["bestmove 7g7f".to_owned()]), "{go}");
        rig.expect_no_call();
    }
}

#[test]
fn before_the_end_of_input_every_line_is_served() {
    let (open, gate) = bounded(0);
    let mut rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, at_once());
    rig.send("isready\nside\ngo mate infinite\nperft 2");
    rig.close_input();
    rig.expect(&["info string loading"]);
    drop(open);
    rig.expect(&["readyok", "black"]);
    let search = rig.search();
    rig.expect(&["info string error: perft: a search is running"]);
    search.events.done(Outcome::Checkmate(Checkmate::NoMate));
    assert_eq!(rig.end(), (Exit::Quit, vec!["checkmate nomate".to_owned()]));
}

#[test]
fn lines_that_wait_are_bounded_in_size() {
    let (open, gate) = bounded(0);
    let rig = Rig::with(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() });
    rig.send("isready");
    rig.expect(&["info string loading"]);
    let line = format!("setoption name USI_Hash value {}", "0".repeat(8 << 10));
    for _ in 0..400 {
        rig.send(&line);
    }
    // 1 MB waits in the session, and a few lines in its input; the others are not read.
    while rig.unread() >= 300 {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(50));
    assert!(rig.unread() >= 200, "{} unread", rig.unread());
    drop(open);
    rig.expect(&["readyok"]);
    for _ in 0..400 {
        assert!(rig.line().starts_with("info string error: setoption: option USI_Hash: `0000"));
    }
    assert_eq!(rig.unread(), 0);
}

#[test]
fn a_search_that_cannot_be_stopped_is_not_heard_any_more() {
    let rig = Rig::with(Behaviour { broken: Some(Broken::Stop), ..Behaviour::default() });
    rig.ready();
    let first = rig.go("go infinite");
    rig.send("stop");
    rig.expect(&["info string error: internal: stop failed: broken"]);
    rig.expect(&["info string error: internal: the search ended without an answer"]);
    assert!(rig.line().starts_with("bestmove "));
    rig.expect_calls(&[Call::Stop]);
    let second = rig.go("go depth 1");
    first.events.notice("still here");
    first.events.done(play("2g2f"));
    rig.expect_silence();
    second.events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn only_quit_and_the_end_of_input_are_successes() {
    let code = |exit: Exit| format!("{:?}", ExitCode::from(exit));
    assert_eq!(code(Exit::Quit), format!("{:?}", ExitCode::SUCCESS));
    for exit in [Exit::OutputLost, Exit::NoThreads] {
        assert_eq!(code(exit), format!("{:?}", ExitCode::FAILURE));
    }
}

/// No waiting at all, but for the last lines.
fn at_once() -> Timing {
    let long = Duration::from_mins(2);
    Timing { patience: Duration::ZERO, limit: Duration::ZERO, flush: long, drain: long, ..Timing::default() }
}

#[test]
fn preparing_that_was_cut_short_is_not_enough_for_a_search() {
    let behaviour = Behaviour { prepare: Prepare::UntilCancelled, on_stop: Some(play("7g7f")), ..Behaviour::default() };
    let rig = Rig::with_timing(behaviour, Timing { limit: Duration::from_mins(2), ..impatient() });
    rig.send("isready\ngo infinite\nquit");
    rig.expect(&["readyok", "bestmove 7g7f"]);
    rig.expect_calls(&[Call::Prepare, Call::NewGame, Call::Prepare, go_call("go infinite"), Call::Stop]);
    assert_eq!(rig.end().0, Exit::Quit);
}

#[test]
fn u04_quit_does_not_wait_for_an_engine_that_does_not_answer() {
    for go in ["go infinite", "go ponder", "go mate infinite", "go depth 5"] {
        let rig = Rig::with_timing(Behaviour::default(), impatient());
        rig.ready();
        let search = rig.go(go);
        rig.send("quit");
        let (exit, lines) = rig.end();
        let answer = lines.last().map(|line| line.split(' ').next());
        assert_eq!(
            (exit, answer),
            (Exit::Quit, Some(Some(if go.contains("mate") { "checkmate" } else { "bestmove" })))
        );
        rig.expect_calls(&[Call::Stop]);
        drop(search);
    }
}

#[test]
fn u04_quit_alone_does_not_wait_for_preparing_as_quit_of_a_script_does() {
    let ms = Duration::from_millis;
    let timing = Timing { limit: Duration::from_mins(2), flush: ms(20), ..Timing::default() };
    let (open, gate) = bounded(0);
    let rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, timing);
    rig.send("isready");
    rig.expect(&["info string loading"]);
    thread::sleep(timing.patience * 2);
    rig.send("quit");
    assert_eq!(rig.end(), (Exit::Quit, Vec::new()));
    drop(open);
    let (open, gate) = bounded(0);
    let rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, timing);
    rig.send("isready\nquit");
    rig.expect(&["info string loading"]);
    thread::sleep(timing.patience * 2);
    drop(open);
    assert_eq!(rig.end(), (Exit::Quit, vec!["readyok".to_owned()]));
}

#[test]
fn u04_quit_cuts_preparing_short() {
    let behaviour = Behaviour { prepare: Prepare::UntilCancelled, ..Behaviour::default() };
    let rig = Rig::with_timing(behaviour, Timing { limit: Duration::from_mins(2), ..impatient() });
    rig.send("isready\nquit");
    assert_eq!(rig.end(), (Exit::Quit, vec!["readyok".to_owned()]));
}

#[test]
fn u04_quit_does_not_wait_for_preparing_that_cannot_be_cut() {
    let (_open, gate) = bounded(0);
    let rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, impatient());
    rig.send("isready\nside\nquit");
    rig.expect(&["info string loading"]);
    assert_eq!(rig.end(), (Exit::Quit, Vec::new()));
}

#[test]
fn what_came_before_quit_is_still_done() {
    let rig = Rig::new();
    rig.send("isready\nside\nperft 2\neval\nquit");
    let (exit, lines) = rig.end();
    assert_eq!((exit, &lines[..2]), (Exit::Quit, &["readyok".to_owned(), "black".to_owned()][..]));
    assert!(lines.contains(&"nodes 900".to_owned()));
    assert_eq!(lines.last().unwrap(), "value 7");
}

struct Closed;

impl Write for Closed {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn u05_when_nobody_reads_any_more_the_search_stops_and_the_session_ends() {
    let rig = Rig::start(Behaviour::default(), Timing::default(), Closed, never());
    rig.send("go infinite");
    let search = rig.search();
    search.events.info(Info { depth: Some(1), ..Info::default() });
    assert_eq!(rig.end().0, Exit::OutputLost);
    rig.expect_calls(&[Call::Prepare, go_call("go infinite"), Call::Stop]);
}

/// Writes only as often as it is allowed to.
struct Gated {
    gate: Receiver<()>,
    stdout: Stdout,
}

impl Write for Gated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A gate whose other end is gone is open.
        let _ = self.gate.recv();
        self.stdout.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn u07_a_reader_who_pauses_stops_neither_search_nor_session() {
    let (open, gate) = bounded(0);
    let (sender, lines) = unbounded();
    let stdout = Gated { gate, stdout: Stdout::new(sender) };
    let behaviour = Behaviour { on_stop: Some(play("7g7f")), ..Behaviour::default() };
    let rig = Rig::start(behaviour, Timing { flush: Duration::from_mins(2), ..Timing::default() }, stdout, lines);
    rig.send("go infinite");
    let search = rig.search();
    for depth in 0..100_000 {
        search.events.info(Info { depth: Some(depth), ..Info::default() });
    }
    rig.send("stop\nposition startpos moves 7g7f\nisready");
    rig.expect_calls(&[Call::Prepare, go_call("go infinite"), Call::Stop, Call::Prepare]);
    drop(open);
    rig.send("quit");
    let (exit, lines) = rig.end();
    assert_eq!(exit, Exit::Quit);
    // Old reports are gone; the newest and all answers have come, in their order.
    assert!(lines.len() < 10_000, "{}", lines.len());
    assert_eq!(lines[lines.len() - 3..], ["info depth 99999", "bestmove 7g7f", "readyok"]);
}

#[test]
fn u07_quit_does_not_wait_for_a_reader_who_does_not_read() {
    let (_open, gate) = bounded(0);
    let (sender, lines) = unbounded();
    let rig = Rig::start(Behaviour::default(), impatient(), Gated { gate, stdout: Stdout::new(sender) }, lines);
    rig.send("usi\nisready\nquit");
    assert_eq!(rig.end(), (Exit::Quit, Vec::new()));
}

#[test]
fn u27_a_search_that_dies_is_answered_with_the_best_move_so_far() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go depth 9");
    search.events.info(Info { pv: moves("2g2f 8c8d"), ..Info::default() });
    search.events.info(Info { multipv: Some(2), pv: moves("7g7f"), ..Info::default() });
    drop(search);
    rig.expect(&["info pv 2g2f 8c8d", "info multipv 2 pv 7g7f"]);
    rig.expect(&["info string error: internal: the search ended without an answer", "info pv 2g2f 8c8d"]);
    rig.expect(&["bestmove 2g2f"]);
    // The engine is usable afterwards.
    rig.go("go depth 1").events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn u27_a_search_that_dies_before_any_report_is_answered_with_a_legal_move() {
    let rig = Rig::new();
    rig.ready();
    drop(rig.go("go depth 9"));
    rig.line();
    let answer = rig.line();
    rig.send("moves");
    let legal = rig.line();
    let best = answer.strip_prefix("bestmove ").unwrap();
    assert!(legal.split(' ').any(|mv| mv == best), "{answer}");
    rig.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo depth 1");
    drop(rig.search());
    rig.line();
    rig.expect(&["bestmove resign"]);
}

#[test]
fn u27_a_pondering_search_that_dies_still_waits_for_the_hit() {
    let rig = Rig::new();
    rig.ready();
    drop(rig.go("go ponder"));
    rig.expect_silence();
    rig.send("ponderhit");
    rig.line();
    assert!(rig.line().starts_with("bestmove "));
}

#[test]
fn u27_a_go_that_panics_is_answered() {
    let rig = Rig::with(Behaviour { broken: Some(Broken::Go), ..Behaviour::default() });
    rig.ready();
    rig.send("go depth 1");
    rig.expect(&["info string error: internal: go failed: broken"]);
    rig.expect(&["info string error: internal: the search ended without an answer"]);
    assert!(rig.line().starts_with("bestmove "));
    rig.expect_silence();
}

#[test]
fn u27_a_stop_or_hit_that_panics_still_gets_an_answer() {
    for (broken, line, what) in [(Broken::Stop, "stop", "stop"), (Broken::PonderHit, "ponderhit", "ponderhit")] {
        let on_stop = Some(play("7g7f"));
        let rig = Rig::with(Behaviour { broken: Some(broken), on_stop, ..Behaviour::default() });
        rig.ready();
        let search = rig.go("go ponder");
        rig.send(line);
        assert_eq!(rig.line(), format!("info string error: internal: {what} failed: broken"));
        let answer = std::iter::repeat_with(|| rig.line()).find(|line| !line.starts_with("info string error"));
        assert!(answer.unwrap().starts_with("bestmove "));
        // A late outcome of the engine is not taken for an answer to the next go.
        search.events.done(play("2g2f"));
        rig.expect_silence();
    }
}

#[test]
fn u27_options_that_panic_do_not_keep_usiok_away() {
    let rig = Rig::with(Behaviour { broken: Some(Broken::Options), ..Behaviour::default() });
    rig.send("usi");
    rig.expect(&["id name Fake 1", "id author tests", "info string error: internal: options failed: broken", "usiok"]);
}

#[test]
fn u27_preparing_that_panics_is_told_and_readyok_still_said() {
    let rig = Rig::with(Behaviour { prepare: Prepare::Panics, ..Behaviour::default() });
    rig.send("isready");
    rig.expect(&["info string error: internal: no network", "readyok"]);
    rig.send("go depth 1");
    rig.expect(&["info string error: internal: no network"]);
    rig.search().events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn a_mate_leaves_if_all_of_it_is_legal() {
    let complaint = "info string error: internal: the search ended with checkmate 7g7f 7g7f, which is no answer here";
    for (line, expected) in
        [("7g7f 3c3d 8h2b+", &["checkmate 7g7f 3c3d 8h2b+"][..]), ("7g7f 7g7f", &[complaint, "checkmate timeout"])]
    {
        let rig = Rig::new();
        rig.ready();
        rig.go("go mate infinite").events.done(Outcome::Checkmate(Checkmate::Moves(moves(line))));
        rig.expect(expected);
    }
}

#[test]
fn an_illegal_move_never_leaves() {
    let rig = Rig::new();
    rig.ready();
    rig.go("go depth 1").events.done(play("7g7e"));
    let complaint = rig.line();
    assert!(complaint.starts_with("info string error: internal") && complaint.contains("7g7e"), "{complaint}");
    assert!(rig.line().starts_with("bestmove "));
    let ponder = Some("7g7f".parse().unwrap());
    let best = "7g7f".parse().unwrap();
    rig.go("go depth 2").events.done(Outcome::BestMove(BestMove::Play { best, ponder }));
    rig.expect(&["bestmove 7g7f"]);
}

#[test]
fn signs_of_life_come_while_preparing() {
    let (open, gate) = bounded(0);
    let keepalive = Duration::from_millis(5);
    let timing = Timing { keepalive, ..Timing::default() };
    let rig = Rig::with_timing(Behaviour { prepare: Prepare::For(gate), ..Behaviour::default() }, timing);
    let began = Instant::now();
    rig.send("isready");
    let alive = "info string still working";
    let signs = std::iter::repeat_with(|| rig.line()).filter(|line| line == alive);
    assert_eq!(signs.take(8).count(), 8);
    assert!(began.elapsed() >= keepalive * 8, "more often than once in the interval");
    drop(open);
    let next = std::iter::repeat_with(|| rig.line()).find(|line| line != alive && line != "info string loading");
    assert_eq!(next.unwrap(), "readyok");
}

#[test]
fn lines_wait_while_preparing_and_keep_their_order() {
    let (open, gate) = bounded(0);
    let rig = Rig::with(Behaviour { prepare: Prepare::For(gate), on_stop: Some(play("7g7f")), ..Behaviour::default() });
    rig.send("isready\nside\nposition startpos moves 7g7f\nside\nposition startpos\ngo infinite\nstop\nside");
    rig.expect(&["info string loading"]);
    drop(open);
    rig.expect(&["readyok", "black", "white", "bestmove 7g7f", "black"]);
}

#[test]
fn unknown_and_broken_lines_are_told_and_change_nothing() {
    let rig = Rig::new();
    rig.send_bytes(b"xyzzy\n\xff\xfe\n\n \t\r\nsetoption name Nonsense value 1\nsetoption\nside\n".to_vec());
    rig.expect(&["info string error: unknown command `xyzzy`"]);
    rig.expect(&["info string error: unknown command `\\u{fffd}\\u{fffd}`"]);
    rig.expect(&["info string unknown option `Nonsense`"]);
    rig.expect(&["info string error: setoption: the word name missing", "black"]);
    rig.expect_no_call();
}

#[test]
fn a_line_without_end_is_refused_and_the_next_one_read() {
    let rig = Rig::new();
    for _ in 0..17 {
        rig.send_bytes(vec![b'x'; 1 << 20]);
    }
    rig.send("\nside");
    rig.expect(&["info string error: a line of more than 16777216 bytes was skipped", "black"]);
}

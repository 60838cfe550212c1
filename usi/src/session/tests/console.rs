//! Questions a person or a match runner asks, and the CSA readouts.

use std::fs;

use super::fake::{Behaviour, Rig, log_to, moves, play};
use crate::{BestMove, CsaSettings, Info, Outcome, Rules, Score};

#[test]
fn side_and_moves_are_one_line_each() {
    let rig = Rig::new();
    rig.send("side\nmoves\nposition sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\nside\nmoves");
    rig.expect(&["black"]);
    let legal = rig.line();
    assert_eq!(legal.split(' ').count(), 30);
    assert!(legal.split(' ').any(|mv| mv == "7g7f"));
    rig.expect(&["white", ""]);
}

#[test]
fn the_display_follows_the_rules_of_the_options() {
    let rules = Rules { max_moves: 256, ..Rules::default() };
    let rig = Rig::with(Behaviour { rules, ..Behaviour::default() });
    rig.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 257\nd");
    let lines: Vec<String> = (0..17).map(|_| rig.line()).collect();
    assert_eq!(lines[9..12], ["P+00FU", "+", "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 257"]);
    assert!(lines[12].strip_prefix("key ").is_some_and(|key| key.len() == 16));
    assert_eq!(lines[13..], ["checkers -", "repetition none", "declaration lose", "max_moves draw"]);
}

#[test]
fn perft_counts_by_first_move_and_lines_after_it_wait() {
    let rig = Rig::new();
    for command in ["perft 2", "go perft 2"] {
        rig.send(&format!("{command}\nside"));
        let lines: Vec<String> = (0..30).map(|_| rig.line()).collect();
        assert!(lines.contains(&"7g7f: 30".to_owned()), "{lines:?}");
        rig.expect(&["nodes 900", "black"]);
    }
}

#[test]
fn stop_ends_a_perft() {
    let rig = Rig::new();
    rig.send("perft 20\nstop\nside");
    rig.expect(&["info string perft stopped", "black"]);
}

#[test]
fn eval_shows_what_the_engine_says() {
    let rig = Rig::new();
    rig.send("position startpos moves 7g7f\neval");
    assert!(rig.line().starts_with("material of "));
    rig.expect(&["value 7"]);
}

#[test]
fn eval_and_perft_are_refused_during_a_search() {
    let rig = Rig::new();
    rig.ready();
    let search = rig.go("go infinite");
    rig.send("eval\nperft 1");
    rig.expect(&["info string error: eval: a search is running", "info string error: perft: a search is running"]);
    search.events.notice("undisturbed");
    rig.expect(&["info string undisturbed"]);
}

#[test]
fn getoption_shows_one_or_all() {
    let rig = Rig::new();
    rig.send("getoption\nsetoption name USI_Hash value 64\ngetoption usi_hash\ngetoption Nonsense");
    rig.expect(&["USI_Hash 16", "USI_Hash 64", "info string error: getoption: unknown option `Nonsense`"]);
}

#[test]
fn more_pieces_than_a_set_are_told_once() {
    let rig = Rig::new();
    let position = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 20P 1";
    rig.send(&format!("{position}\n{position} moves P*9b\nside"));
    rig.expect(&["info string position: more pieces than a set: 20 of P (a set has 18)", "white"]);
}

#[test]
fn csa_shows_the_game_so_far() {
    let rig = Rig::new();
    rig.send("position startpos moves 7g7f 3c3d 8h2b+\ncsa\nside");
    let lines: Vec<String> = std::iter::repeat_with(|| rig.line()).take_while(|line| line != "white").collect();
    assert_eq!(lines[..2], ["'CSA encoding=UTF-8", "V3.0"]);
    assert_eq!(lines[lines.len() - 3..], ["+7776FU", "-3334FU", "+8822UM"]);
}

#[test]
fn each_search_is_read_out_before_its_last_report() {
    let csa = CsaSettings { readout: true, ..CsaSettings::default() };
    let rig = Rig::with(Behaviour { csa, ..Behaviour::default() });
    rig.ready();
    rig.send("position startpos moves 7g7f\ngo depth 2");
    let search = rig.search();
    search.events.info(Info { depth: Some(1), score: Some(Score::Cp(5)), pv: moves("8c8d"), ..Info::default() });
    let last = Info { depth: Some(2), score: Some(Score::Cp(30)), nodes: Some(99), ..Info::default() };
    search.events.info(Info { pv: moves("3c3d 8h2b+"), ..last });
    search.events.done(play("3c3d"));
    let report = "info depth 2 score cp 30 nodes 99 pv 3c3d 8h2b+";
    rig.expect(&["info depth 1 score cp 5 pv 8c8d", report]);
    rig.expect(&["info string '** -30 -3334FU +8822UM #99", report, "bestmove 3c3d"]);
}

#[test]
fn a_finished_game_is_written_with_the_engine_s_own_thoughts() {
    let dir = tempfile::tempdir().unwrap();
    let records = dir.path().join("games");
    let rig = Rig::with(Behaviour { csa: log_to(records.clone()), ..Behaviour::default() });
    rig.ready();
    rig.send("position startpos\ngo btime 1000 wtime 1000");
    let search = rig.search();
    search.events.info(Info { score: Some(Score::Cp(30)), pv: moves("7g7f 3c3d"), ..Info::default() });
    search.events.done(play("7g7f"));
    // The expected answer does not come: the move pondered on is not part of the game.
    rig.send("position startpos moves 7g7f 3c3d\ngo ponder");
    rig.search().events.done(play("2g2f"));
    rig.send("stop\nposition startpos moves 7g7f 8c8d\ngo btime 900 wtime 1000");
    rig.search().events.done(Outcome::BestMove(BestMove::Resign));
    rig.send("gameover lose\nisready");
    while rig.line() != "readyok" {}
    let files: Vec<_> = fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!(file.extension().unwrap(), "csa");
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('T')).collect();
    assert_eq!(lines[lines.len() - 4..], ["+7776FU", "'** 30 -3334FU", "-8384FU", "%TORYO"]);
    // The next game has its own record, and one in which the engine never moved has none.
    rig.send("usinewgame\nposition startpos\ngameover\nisready");
    while rig.line() != "readyok" {}
    assert_eq!(fs::read_dir(&records).unwrap().count(), 1);
}

#[test]
fn a_move_that_comes_after_the_end_is_not_logged() {
    let dir = tempfile::tempdir().unwrap();
    let on_stop = Some(play("2g2f"));
    let rig = Rig::with(Behaviour { csa: log_to(dir.path().to_owned()), on_stop, ..Behaviour::default() });
    rig.ready();
    rig.send("position startpos\ngo btime 1000 wtime 1000");
    rig.search().events.done(play("7g7f"));
    rig.expect(&["bestmove 7g7f"]);
    // As ShogiHome ends a game that a server has decided.
    rig.send("position startpos moves 7g7f 3c3d\ngo btime 900 wtime 1000");
    rig.search();
    rig.send("stop\ngameover draw\nisready");
    rig.expect(&["bestmove 2g2f"]);
    while rig.line() != "readyok" {}
    let file = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("-3334FU") && text.contains("%CHUDAN") && !text.contains("+2726FU"), "{text}");
}

#[test]
fn the_log_of_everything_begins_and_ends_with_its_option() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("traffic.log");
    let mut rig = Rig::with(Behaviour { traffic_log: Some(path.clone()), ..Behaviour::default() });
    for value in [5, 1000, 1001, 6] {
        rig.send(&format!("setoption name USI_Hash value {value}\ngetoption USI_Hash"));
        rig.expect(&[&format!("USI_Hash {value}")]);
    }
    rig.close_input();
    rig.end();
    let text = fs::read_to_string(path).unwrap();
    let heard: Vec<&str> = text.lines().filter_map(|line| line.split_once(" > ")).map(|(_, line)| line).collect();
    let setting = |value| format!("setoption name USI_Hash value {value}");
    let (begin, question) = ("received, < sent", "getoption USI_Hash");
    assert_eq!(heard, [begin, &setting(5), question, &setting(1000), begin, question]);
    assert!(text.ends_with(" < USI_Hash 6\n"), "{text}");
}

#[test]
fn a_position_with_too_many_pieces_is_remarked_on_once() {
    let rig = Rig::new();
    let odd = "position sfen 4k4/9/9/9/9/9/9/9/RRR1K4 b - 1";
    rig.send(&format!("{odd}\n{odd} moves 9i9h\nposition startpos\n{odd}"));
    let remark = "info string position: more pieces than a set: 3 of R (a set has 2)";
    rig.expect(&[remark, remark]);
    rig.expect_silence();
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let rig = Rig::with(Behaviour { csa: log_to(file.join("games")), ..Behaviour::default() });
    rig.ready();
    rig.go("go depth 1").events.done(play("7g7f"));
    rig.send("gameover win");
    rig.expect(&["bestmove 7g7f"]);
    assert!(rig.line().starts_with("info string error: game log: "));
}

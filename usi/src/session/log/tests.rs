//! The log, and the records it becomes.

use std::time::{Duration, Instant};

use enbu_kifu::{EndKind, Mode, Record, csa};
use enbu_movegen::{Color, EnteringKingRule, Move, Setup};

use super::game::{GameEnd, GameLog, Label, OwnMove};
use crate::command::GameResult;

fn moves(text: &str) -> Vec<Move> {
    text.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// The record of a log, read back without a warning.
fn read_back(log: &GameLog) -> Record {
    let text = log.to_csa();
    let reading = csa::read_bytes(text.as_bytes(), Mode::Strict).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(reading.records, [log.to_record()], "{text}");
    reading.records.into_iter().next().unwrap()
}

/// A move of the engine after so many milliseconds.
fn own(mv: Move, ms: u64) -> OwnMove<'static> {
    OwnMove { mv, elapsed: Duration::from_millis(ms), score_cp: None, pv: &[], nodes: None, stopped: None }
}

fn ended(log: &mut GameLog, end: GameEnd) -> (EndKind, Option<Color>) {
    log.end(end);
    let end = read_back(log).end().unwrap().clone();
    (end.kind, end.result.and_then(enbu_kifu::GameResult::winner))
}

/// A log of the moves from `sfen`, in which the engine made the last move.
fn log_of(sfen: &str, text: &str) -> GameLog {
    let setup: Setup = sfen.parse().unwrap();
    let mut log = GameLog::new(setup.clone());
    let (last, before) = moves(text).split_last().map(|(&last, before)| (last, before.to_vec())).unwrap();
    log.follow(&setup, &before);
    log.own_move(own(last, 1000));
    log
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[test]
fn a_game_keeps_what_was_thought_about_its_moves() {
    let start = Setup::startpos();
    let mut log = GameLog::new(start.clone());
    log.follow(&start, &[]);
    let line = moves("7g7f 3c3d");
    log.own_move(OwnMove { score_cp: Some(30), pv: &line, nodes: Some(5), ..own(line[0], 1234) });
    log.follow(&start, &moves("7g7f 3c3d"));
    log.own_move(own(moves("8h2b+")[0], 7));
    let known = "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n-3334FU\n";
    assert_eq!(log.to_csa(), format!("{known}+8822UM\nT0.007\n"));
    // The same position again does not take the move back.
    log.follow(&start, &moves("7g7f 3c3d"));
    assert_eq!(log.to_csa(), format!("{known}+8822UM\nT0.007\n"));
    log.end(GameEnd::Over(None));
    assert!(log.to_csa().contains("%CHUDAN\n"));
    // Another move than the one the engine named.
    log.follow(&start, &moves("7g7f 3c3d 2g2f"));
    assert_eq!(log.to_csa(), format!("{known}+2726FU\n"));
    // Taken back.
    log.follow(&start, &moves("7g7f"));
    assert_eq!(log.to_csa(), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n");
    // Another game.
    log.follow(&"4k4/9/9/9/9/9/9/9/4K4 b - 1".parse().unwrap(), &[]);
    assert!(!log.to_csa().contains("FU"));
}

#[test]
fn an_unconfirmed_move_is_only_confirmed_in_its_place() {
    let start = Setup::startpos();
    let mut log = GameLog::new(start.clone());
    log.own_move(own(moves("2g2f")[0], 9000));
    log.follow(&start, &moves("7g7f 3c3d 2g2f"));
    assert!(!log.to_csa().contains("T9"));
}

#[test]
fn a_line_that_does_not_begin_with_the_move_is_left_out() {
    let mut log = GameLog::new(Setup::startpos());
    let line = moves("2g2f 3c3d");
    log.own_move(OwnMove { score_cp: Some(-5), pv: &line, ..own(moves("7g7f")[0], 0) });
    assert!(log.to_csa().ends_with("+7776FU\nT0\n'** -5\n"));
}

#[test]
fn the_engine_and_the_rules_stand_in_the_headers() {
    let mut log = GameLog::new(Setup::startpos());
    log.set_label(Label {
        engine: Some("Enbu 1.0".to_owned()),
        entering_king: Some(EnteringKingRule::Csa24),
        max_moves: Some(256),
    });
    log.follow(&Setup::startpos(), &moves("7g7f"));
    log.own_move(own(moves("3c3d")[0], 0));
    let head = "'CSA encoding=UTF-8\nV3.0\nN-Enbu 1.0\n$MAX_MOVES:256\n$JISHOGI:24\nPI\n";
    assert!(log.to_csa().starts_with(head), "{}", log.to_csa());
    read_back(&log);
}

#[test]
fn ends_that_the_engine_knows() {
    let log = || log_of(START, "7g7f");
    assert_eq!(ended(&mut log(), GameEnd::Resign), (EndKind::Resign, Some(Color::Black)));
    assert_eq!(ended(&mut log(), GameEnd::Declaration), (EndKind::DeclarationWin, Some(Color::White)));
    // What came first stands.
    let mut log = log();
    log.end(GameEnd::Resign);
    assert_eq!(ended(&mut log, GameEnd::Over(Some(GameResult::Draw))), (EndKind::Resign, Some(Color::Black)));
}

#[test]
fn ends_that_the_position_shows() {
    let over = GameEnd::Over(Some(GameResult::Win));
    let mut mate = log_of("4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b");
    assert_eq!(ended(&mut mate, over), (EndKind::Mate, Some(Color::Black)));
    let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    assert_eq!(ended(&mut log_of(START, &shuffle), over), (EndKind::Repetition, None));
    let perpetual = "5h4h 4a5a 4h5h 5a4a ".repeat(3);
    let mut checked = log_of("5k3/9/9/9/9/9/9/4R4/8K b - 1", &format!("5h4h 4a5a 4h5h 5a4a {perpetual}"));
    assert_eq!(ended(&mut checked, over), (EndKind::IllegalAction(Color::Black), Some(Color::White)));
    let mut long = log_of(START, "7g7f 3c3d");
    long.set_label(Label { max_moves: Some(2), ..Label::default() });
    assert_eq!(ended(&mut long, GameEnd::Over(Some(GameResult::Draw))), (EndKind::MaxMoves, None));
}

#[test]
fn ends_of_which_only_the_result_is_known() {
    let log = || log_of(START, "7g7f");
    let over = |result| GameEnd::Over(Some(result));
    assert_eq!(ended(&mut log(), over(GameResult::Win)), (EndKind::Resign, Some(Color::Black)));
    assert_eq!(ended(&mut log(), over(GameResult::Lose)), (EndKind::Abort, Some(Color::White)));
    assert_eq!(ended(&mut log(), over(GameResult::Draw)), (EndKind::Abort, None));
    assert_eq!(ended(&mut log(), GameEnd::Over(None)), (EndKind::Abort, None));
}

#[test]
fn a_move_that_answers_the_end_of_the_game_is_dropped() {
    let now = Instant::now();
    let played = |stopped, over| {
        let mut log = log_of(START, "7g7f");
        log.follow(&START.parse().unwrap(), &moves("7g7f 3c3d"));
        log.own_move(OwnMove { stopped, ..own(moves("2g2f")[0], 5) });
        log.over(Some(GameResult::Draw), over);
        read_back(&log).moves().count()
    };
    let later = now + Duration::from_secs(2);
    assert_eq!(played(Some(now), now), 2);
    // A move that the engine was only hurried to play, and one that it played by itself.
    assert_eq!(played(Some(now), later), 3);
    assert_eq!(played(None, now), 3);
}

#[test]
fn a_move_after_a_repetition_is_dropped() {
    let start: Setup = START.parse().unwrap();
    let shuffle = moves(&"2h3h 8b7b 3h2h 7b8b ".repeat(3));
    let mut log = GameLog::new(start.clone());
    log.own_move(own(shuffle[0], 1));
    log.follow(&start, &shuffle);
    log.own_move(own(moves("7g7f")[0], 1));
    log.over(Some(GameResult::Draw), Instant::now());
    let record = read_back(&log);
    assert_eq!((record.moves().count(), &record.end().unwrap().kind), (12, &EndKind::Repetition));
}

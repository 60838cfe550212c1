//! The log, and the records it becomes.

use std::time::{Duration, Instant};

use enbu_kifu::csa::FileVersion;
use enbu_kifu::{Analysis, EndKind, Format, Mode, Record};
use enbu_movegen::{Color, EnteringKingRule, Move, Position, Setup};

use jiff::civil::{DateTime, date};

use super::Log;
use super::game::{Entry, GameEnd, GameLog, Label};
use crate::command::{Clock, GameResult, GoRequest};
use crate::reply::{BestMove, Info, Reply, Score};
use crate::session::search::Search;

fn moves(text: &str) -> Vec<Move> {
    text.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// The record of a log, read back without a warning.
fn read_back(log: &GameLog) -> Record {
    let text = log.to_csa(FileVersion::V3_0);
    let reading =
        Format::Csa.read_bytes(text.as_bytes(), Mode::Strict).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(reading.records, [log.to_record()], "{text}");
    reading.records.into_iter().next().unwrap()
}

fn time() -> DateTime {
    date(2026, 11, 20).at(12, 0, 5, 0)
}

/// A move of the engine after the given number of milliseconds.
fn own(mv: Move, ms: u64) -> Entry {
    Entry { mv, elapsed: Some(Duration::from_millis(ms)), analysis: None, stopped: None }
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
    let analysis = Analysis { score_cp: Some(30), pv: line[1..].to_vec(), nodes: Some(5), ..Analysis::default() };
    log.own_move(Entry { analysis: Some(analysis), ..own(line[0], 1234) });
    log.follow(&start, &moves("7g7f 3c3d"));
    log.own_move(own(moves("8h2b+")[0], 7));
    let known = "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n-3334FU\n";
    assert_eq!(log.to_csa(FileVersion::V3_0), format!("{known}+8822UM\nT0.007\n"));
    // The same position again does not take the move back.
    log.follow(&start, &moves("7g7f 3c3d"));
    assert_eq!(log.to_csa(FileVersion::V3_0), format!("{known}+8822UM\nT0.007\n"));
    log.end(GameEnd::Over(None));
    assert!(log.to_csa(FileVersion::V3_0).contains("%CHUDAN\n"));
    // Another move than the one the engine named.
    log.follow(&start, &moves("7g7f 3c3d 2g2f"));
    assert_eq!(log.to_csa(FileVersion::V3_0), format!("{known}+2726FU\n"));
    // Taken back.
    log.follow(&start, &moves("7g7f"));
    assert_eq!(log.to_csa(FileVersion::V3_0), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n");
    // Another game.
    log.follow(&"4k4/9/9/9/9/9/9/9/4K4 b - 1".parse().unwrap(), &[]);
    assert!(!log.to_csa(FileVersion::V3_0).contains("FU"));
}

#[test]
fn an_unconfirmed_move_is_only_confirmed_in_its_place() {
    let start = Setup::startpos();
    let mut log = GameLog::new(start.clone());
    log.own_move(own(moves("2g2f")[0], 9000));
    log.follow(&start, &moves("7g7f 3c3d 2g2f"));
    assert!(!log.to_csa(FileVersion::V3_0).contains("T9"));
}

#[test]
fn a_line_that_does_not_begin_with_the_move_is_left_out() {
    let mut search = Search::new(1, Position::startpos(), &GoRequest::default(), Instant::now());
    for (line, is_kept) in [("7g7f 3c3d", true), ("2g2f 3c3d", false)] {
        search.note(&Info { score: Some(Score::Cp(-5)), pv: moves(line), ..Info::default() });
        let mut log = Log::new(Setup::startpos());
        log.add_answer(&search, &Reply::BestMove(BestMove::Play { best: moves("7g7f")[0], ponder: None }));
        assert_eq!(log.game.to_csa(FileVersion::V3_0).contains("\n'** -5 -3334FU\n"), is_kept, "{line}");
    }
}

#[test]
fn the_engine_and_the_rules_stand_in_the_headers() {
    let mut log = GameLog::new(Setup::startpos());
    log.label = Label {
        engine: Some("Enbu 1.0".to_owned()),
        entering_king: Some(EnteringKingRule::Csa24),
        max_moves: Some(256),
        opponent: None,
    };
    log.follow(&Setup::startpos(), &moves("7g7f"));
    log.own_move(own(moves("3c3d")[0], 0));
    let head = "'CSA encoding=UTF-8\nV3.0\nN-Enbu 1.0\n$MAX_MOVES:256\n$JISHOGI:24\nPI\n";
    assert!(log.to_csa(FileVersion::V3_0).starts_with(head), "{}", log.to_csa(FileVersion::V3_0));
    read_back(&log);
}

#[test]
fn ends_that_the_engine_knows() {
    let log = || log_of(START, "7g7f");
    assert_eq!(ended(&mut log(), GameEnd::Resign), (EndKind::Resign, Some(Color::Black)));
    assert_eq!(ended(&mut log(), GameEnd::Declaration), (EndKind::DeclarationWin, Some(Color::White)));
    // The first one is kept.
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
    long.label = Label { max_moves: Some(2), ..Label::default() };
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
        log.own_move(Entry { stopped, ..own(moves("2g2f")[0], 5) });
        log.over(Some(GameResult::Draw), over, time());
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
    log.over(Some(GameResult::Draw), Instant::now(), time());
    let record = read_back(&log);
    assert_eq!((record.moves().count(), &record.end().unwrap().kind), (12, &EndKind::Repetition));
}

#[test]
fn names_times_and_clocks_are_in_the_headers() {
    let start: Setup = START.parse().unwrap();
    let mut log = GameLog::new(start.clone());
    log.label = Label { engine: Some("Enbu".into()), opponent: Some("相手".into()), ..Label::default() };
    log.start(time());
    log.follow(&start, &moves("7g7f"));
    let (main, byoyomi) = (Some(600_000), Some(10_000));
    let clock = Clock { black_ms: main, white_ms: main, byoyomi_ms: byoyomi, ..Clock::default() };
    log.note_go(&clock, time());
    log.own_move(own(moves("3c3d")[0], 0));
    log.over(None, Instant::now(), time());
    let head = "N+相手\nN-Enbu\n$START_TIME:2026/11/20 12:00:05\n$END_TIME:2026/11/20 12:00:05\n";
    let text = log.to_csa(FileVersion::V3_0);
    assert!(text.contains(&format!("{head}$TIME:600+10+0\nPI\n")), "{text}");
    let text = log.to_csa(FileVersion::V2_2);
    assert!(text.starts_with(&format!("V2.2\n{head}$TIME_LIMIT:00:10+10\nPI\n")), "{text}");
    read_back(&log);
}

#[test]
fn a_clock_that_is_not_known_is_left_out() {
    let start: Setup = START.parse().unwrap();
    let clock = Clock { black_ms: Some(595_000), white_ms: Some(600_000), ..Clock::default() };
    let clocks = |played: &str| {
        let mut log = GameLog::new(start.clone());
        log.follow(&start, &moves(played));
        log.note_go(&clock, time());
        let record = log.to_record();
        (record.rules.time.map(|time| time.map(|time| time.main_ms)), record.headers.is_empty())
    };
    assert_eq!(clocks(""), ([Some(595_000), Some(600_000)], false));
    // Black may have spent 5 s on the first move.
    assert_eq!(clocks("7g7f"), ([None, Some(600_000)], false));
    // A game that began before the engine was there.
    assert_eq!(clocks("7g7f 3c3d 2g2f"), ([None, None], true));
}

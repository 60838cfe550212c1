//! Whole analyses of small games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use enbu_eval::Evaluation;
use enbu_kifu::{Event, Format, Mode, Record, ScoreStyle, WriteOptions};
use enbu_language::Language;
use enbu_movegen::{Color, Move, Position};

use super::*;
use crate::report::{Score, Side};

/// Black mates in three plies: S*2c, 2b1c, G*1d.
const MATE_IN_3: &str = "7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS 1";

fn settings(nodes: u64) -> Settings {
    Settings { limit: Limit::Nodes(nodes), mate_nodes: 2000, hash_mb: 1, ..Settings::default() }
}

fn analyst(settings: &Settings) -> Analyst {
    Analyst::new(settings, &Evaluation::default(), "Enbu", Arc::default()).expect("a megabyte")
}

fn record(sfen: &str, moves: &str) -> Record {
    let mut record = Record::new(sfen.parse().expect("an SFEN"));
    let mut at = record.root();
    for text in moves.split_whitespace() {
        at = record.add(at, Event::Move(text.parse().expect("a move")));
    }
    record
}

fn start() -> String {
    enbu_movegen::Setup::startpos().to_string()
}

fn analysed(record: &Record, settings: &Settings) -> GameReport {
    analyse(record, &mut analyst(settings), &AtomicBool::new(false), &mut || {}).expect("a game")
}

#[test]
fn a_missed_mate_is_a_blunder_with_its_line() {
    let missed = analysed(&record(MATE_IN_3, "5i4i 2b3b"), &settings(200));
    let mv = &missed.moves[0];
    assert_eq!(mv.missed_mate.as_deref().map(|line| line.join(" ")).as_deref(), Some("S*2c 2b1c G*1d"));
    assert_eq!((mv.class, mv.first_choice), (Some(Class::Blunder), false));
    assert_eq!(missed.positions[0].score, Some(Score::Mate { winner: Side::Black, plies: 3 }));
    assert_eq!((missed.black.missed_mates, missed.black.classes[4]), (1, 1));
    let problem = &problems(&missed)[0].line;
    assert!(problem.starts_with(MATE_IN_3) && problem.contains("\tbm S*2c 2b1c G*1d\tam 5i4i\tmate "), "{problem}");

    let played = analysed(&record(MATE_IN_3, "S*2c 2b1c G*1d"), &settings(200));
    assert!(played.moves.iter().all(|mv| mv.missed_mate.is_none() && mv.class == Some(Class::Best)));
    assert_eq!(played.positions[3].score, Some(Score::Mate { winner: Side::Black, plies: 0 }));
    assert_eq!((played.black.accuracy, played.black.agreement), (Some(100.0), Some(1.0)));
}

#[test]
fn problems_name_every_mating_first_move_and_no_blunder_has_two_answers() {
    let both = "4k4/9/4+P4/9/9/9/9/9/4K4 b GS2r2b3g3s4n4l17p 1";
    let report = analysed(&record(both, "5i5h 5a4a"), &settings(200));
    let problem = &problems(&report)[0].line;
    let answers: Vec<&str> = problem.split('\t').filter_map(|field| field.strip_prefix("bm ")).collect();
    assert!(answers.contains(&"S*5b") && answers.contains(&"G*5b"), "{problem}");
    assert_eq!(answers.len(), report.moves[0].mating_moves.len(), "{problem}");

    // The rook can go to many squares; it stays and is taken.
    let report = analysed(&record("4k4/3plp3/9/4p4/4R4/9/9/9/4K4 b - 1", "5i4h 5d5e"), &settings(8000));
    assert_eq!(report.moves[0].class, Some(Class::Blunder), "{:?}", report.moves[0]);
    assert_eq!(problems(&report), [], "{:?} {:?}", report.moves[0], report.positions[0].lines);
    // Only one move wins the rook.
    let report = analysed(&record("3k5/9/9/9/4r4/9/9/9/2K1R4 b - 1", "7i7h 5e5i+"), &settings(2000));
    assert!(problems(&report)[0].line.contains("\tbm 5i5e"), "{:?}", report.moves[0]);
}

/// The first rule of ShogiHome's format that a problem breaks.
fn broken_rule(problem: &serde_json::Value) -> Option<&'static str> {
    let sfen = problem["sfen"].as_str().unwrap_or_default();
    let candidates = problem["candidates"].as_array()?;
    let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
    let black = position.turn() == Color::Black;
    let value = |of: &serde_json::Value| match (of["score"].as_i64(), of["mate"].as_i64()) {
        (Some(score), None) => Some(score),
        (None, Some(mate)) if mate != 0 => Some(mate.signum() * (1_000_000 - mate.abs())),
        _ => None,
    };
    let values: Option<Vec<i64>> = candidates.iter().map(value).collect();
    let values: Vec<i64> = values.into_iter().flatten().map(|value| if black { value } else { -value }).collect();
    let pv = |candidate: &serde_json::Value| -> Option<Vec<Move>> {
        candidate["pv"].as_array()?.iter().map(|mv| mv.as_str()?.parse().ok()).collect()
    };
    let is_played = |candidate: &serde_json::Value| {
        let mut at = position.clone();
        pv(candidate).is_some_and(|moves| moves.iter().all(|&mv| at.play(mv).is_ok()))
    };
    let previous = &problem["previousMove"];
    let leads_here = || {
        let mut at = Position::from_setup(&previous["sfen"].as_str()?.parse().ok()?).ok()?;
        at.play(previous["usi"].as_str()?.parse().ok()?).ok()?;
        Some(at.board_key() == position.board_key() && at.turn() == position.turn())
    };
    [
        (sfen.split(' ').count() == 4 && sfen.ends_with(" 1"), "four fields, numbered 1"),
        (candidates.len() >= 2, "two candidates"),
        (values.len() == candidates.len(), "score or mate"),
        (values.is_sorted_by(|one, other| one >= other), "falling order"),
        (candidates[0]["accepted"] == true, "the first is accepted"),
        (candidates.iter().all(|one| one["pv"][0] == one["usi"] && is_played(one)), "a line that begins with the move"),
        (
            candidates[0]["mate"].as_i64().is_some_and(|mate| mate.abs() == 1) || candidates[0]["pv"][1].is_string(),
            "a reply",
        ),
        (
            problem["actualMove"]["scoreSource"] == "research" && value(&problem["actualMove"]).is_some(),
            "the played move",
        ),
        (
            candidates.iter().all(|one| one["accepted"] != true || one["usi"] != problem["actualMove"]["usi"]),
            "a wrong move",
        ),
        (previous.is_null() || leads_here() == Some(true), "the move before"),
        (problem["source"]["ply"].as_u64() > Some(0) && problem["source"]["path"].is_string(), "the source"),
    ]
    .into_iter()
    .find_map(|(holds, rule)| (!holds).then_some(rule))
}

#[test]
fn collections_hold_what_shogihome_reads() {
    const BOTH: &str = "4k4/9/4+P4/9/9/9/9/9/4K4 b GS2r2b3g3s4n4l17p 1";
    const TURNED: &str = "4k4/9/9/9/9/9/4+p4/9/4K4 w 2R2B3G3S4N4L17Pgs 1";
    // The positions of the problems with their right moves and the mate by the first one.
    for (sfen, moves, expected) in [
        (MATE_IN_3, "5i4i 2b3b", &[(&["S*2c"][..], Some(3))][..]),
        (BOTH, "5i5h 5a4a", &[(&["G*5b", "S*5b"], Some(1))]),
        (TURNED, "5a5b 5i4i", &[(&["G*5h", "S*5h"], Some(-1))]),
        // Either rook may take the other.
        ("4k4/9/9/9/4r4/9/9/9/2K1R4 w - 9", "5a6a 7i7h 5e5i+", &[(&["5e5i+"], None), (&["5i5e"], None)]),
        // The rook can go to many squares; it stays and is taken.
        ("4k4/3plp3/9/4p4/4R4/9/9/9/4K4 b - 1", "5i4h 5d5e", &[]),
    ] {
        let limits = settings(8000);
        let report = analysed(&record(sfen, moves), &limits);
        let twice = [problems(&report), problems(&report)].concat();
        let text = collection(&twice, "a title", "2026-11-27T04:00:00+09:00", "Enbu", &limits, 600);
        let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&file["format"], &file["version"]), (&"shogihome-next-move".into(), &1.into()));
        assert_eq!(
            (&file["metadata"]["title"], &file["metadata"]["engine"]["multiPV"]),
            (&"a title".into(), &1.into())
        );
        assert_eq!(file["metadata"]["criteria"]["acceptableWinRateDiff"], 5.0);
        let listed = file["problems"].as_array().expect("a list");
        assert_eq!(listed.len(), expected.len(), "{sfen}: {text}");
        for (problem, (answers, mate)) in listed.iter().zip(expected) {
            assert_eq!(broken_rule(problem), None, "{sfen}: {problem:#}");
            let candidates = problem["candidates"].as_array().expect("a list");
            let right: Vec<&serde_json::Value> = candidates.iter().filter(|one| one["accepted"] == true).collect();
            assert!(answers.iter().all(|answer| right.iter().any(|one| one["usi"] == *answer)), "{sfen}: {problem:#}");
            let ply = problem["source"]["ply"].as_u64().expect("a number") as usize;
            let mv = &report.moves[ply - 1];
            assert!(mv.mating_moves.iter().all(|mv| right.iter().any(|one| one["usi"] == **mv)), "{sfen}: {problem:#}");
            let is_mate = |one: &&serde_json::Value| one["mate"].is_i64();
            assert!(mv.missed_mate.is_none() && right.len() == 1 || right.iter().all(is_mate), "{sfen}: {problem:#}");
            assert!(mate.is_none() || candidates[0]["mate"].as_i64() == *mate, "{sfen}: {problem:#}");
        }
    }
}

#[test]
fn a_longer_mate_by_the_played_move_is_not_missed() {
    // R*4c mates in five; B*6f too, in 25 plies, which only the search of every first move finds.
    let sfen = "+Bn1g3nl/3s2p2/4p1ks1/p2p3Pp/1Pp3S2/1n3L3/PKPPPP2P/1S2G4/LN5rL b RB3P2gp 71";
    let report = analysed(&record(sfen, "B*6f 3c2b"), &Settings { mate_nodes: 8000, ..settings(1000) });
    let mv = &report.moves[0];
    assert!(mv.mating_moves.iter().any(|mating| mating == "B*6f"), "{mv:?}");
    assert_eq!((&mv.missed_mate, problems(&report).len(), report.black.missed_mates), (&None, 0, 0), "{mv:?}");
}

#[test]
fn a_piece_given_away_is_a_blunder_and_decides_the_game() {
    // 8h3c+ gives a bishop for a pawn.
    let mut game = record(&start(), "7g7f 3c3d 8h3c+ 2a3c 2g2f 8c8d");
    let last = game.main_line().last().expect("moves");
    let end = enbu_kifu::End::new(enbu_kifu::EndKind::Resign, Color::Black);
    game.add(last, Event::from(end));
    let report = analysed(&game, &settings(3000));
    assert!(report.moves[2].class >= Some(Class::Mistake), "{:?}", report.moves[2]);
    assert_eq!((report.winner, report.deciding_ply), (Some(Side::White), Some(3)));
    assert!(report.moves[3].class <= Some(Class::Good));
}

#[test]
fn equal_runs_give_equal_reports_in_any_order_of_games() {
    let settings = settings(300);
    let games = [
        record(&start(), "7g7f 3c3d 2g2f 8c8d 2f2e"),
        record(&start(), "7g7f 8c8d 7i6h 3c3d"),
        record(&start(), "2g2f"),
    ];
    let mut one = analyst(&settings);
    let mut run = |game: &Record| analyse(game, &mut one, &AtomicBool::new(false), &mut || {}).expect("a game");
    let forwards: Vec<GameReport> = games.iter().map(&mut run).collect();
    let backwards: Vec<GameReport> = games.iter().rev().map(&mut run).collect();
    assert!(forwards.iter().eq(backwards.iter().rev()));
    assert!(games.iter().map(|game| analysed(game, &settings)).eq(forwards));
}

#[test]
fn reports_survive_their_json() {
    let report = analysed(&record(MATE_IN_3, "5i4i 2b3b"), &settings(100));
    assert_eq!(GameReport::from_json(&report.to_json()).expect("JSON"), report);
    assert!(GameReport::from_json(&report.to_json().replace("\"format\":1", "\"format\":0")).is_err());
}

#[test]
fn only_the_wanted_moves_are_judged() {
    let game = record(&start(), "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e");
    let settings = Settings { from: 3, to: 4, side: Some(Color::White), book_plies: 0, ..settings(100) };
    let report = analysed(&game, &settings);
    let scored: Vec<usize> = report.positions.iter().filter(|at| at.score.is_some()).map(|at| at.ply).collect();
    let judged: Vec<usize> = report.moves.iter().filter(|mv| mv.class.is_some()).map(|mv| mv.ply).collect();
    assert_eq!((scored, judged), (vec![2, 3, 4], vec![4]));
    assert_eq!((report.black.moves, report.white.moves), (0, 1));
}

#[test]
fn variations_are_searched_on_request() {
    let mut game = record(&start(), "7g7f 3c3d 2g2f");
    let first = game.main_line().next().expect("a move");
    let branch = game.add(first, Event::Move("8c8d".parse().expect("a move")));
    game.add(branch, Event::Move("2g2f".parse().expect("a move")));
    game.add(branch, Event::Move("7i6h".parse().expect("a move")));
    let main = analysed(&game, &settings(50));
    let shape = |report: &GameReport| -> Vec<(Option<usize>, usize, usize)> {
        report.variations.iter().map(|line| (line.parent, line.from, line.moves.len())).collect()
    };
    assert_eq!(shape(&main), [(None, 1, 2), (Some(0), 2, 1)]);
    assert!(main.variations.iter().all(|line| line.positions.iter().all(|at| at.score.is_none())));
    let all = analysed(&game, &Settings { scope: Scope::Variations, ..settings(50) });
    assert!(all.variations.iter().all(|line| line.moves.iter().all(|mv| mv.class.is_some())));
    let mut written = game.clone();
    annotate(&mut written, &all, annotation(Language::English, Format::Kif, Earlier::Replace));
    let analyses = |record: &Record, id| record.node(id).remarks().analyses.len();
    let third = written.children(branch).nth(1).expect("a variation");
    assert_eq!((analyses(&written, branch), analyses(&written, third), analyses(&written, first)), (1, 1, 1));
}

#[test]
fn annotated_records_keep_their_content_and_are_read_back() {
    let mut game = record(MATE_IN_3, "5i4i 2b3b 4i5i");
    let first = game.main_line().next().expect("a move");
    game.node_mut(first).remarks_mut().comments.push("a comment".to_owned());
    game.node_mut(first).time_ms = Some(2000);
    let report = analysed(&game, &settings(200));
    for language in [Language::Japanese, Language::English] {
        for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Jkf] {
            let mut written = game.clone();
            annotate(&mut written, &report, annotation(language, format, Earlier::Replace));
            let text = format.write(std::slice::from_ref(&written), WriteOptions::default());
            let reading = format.read(&text, Mode::Strict).expect("readable");
            let [read] = &reading.records[..] else { panic!("one record") };
            assert!(read.moves().eq(game.moves()), "{format}");
            // A score before the first move ends cshogi's reader of CSA with a memory fault.
            let of_start = read.node(read.root()).remarks().analyses.len();
            assert_eq!(of_start, usize::from(format != Format::Csa), "{format}");
            let id = read.main_line().next().expect("a move");
            let remarks = read.node(id).remarks();
            let analyses = &remarks.analyses;
            assert!(remarks.comments.contains(&"a comment".to_owned()), "{format}: {:?}", remarks.comments);
            assert_eq!(remarks.comments.len(), 3, "{format}: {:?}", remarks.comments);
            let expected = match report.positions[1].score {
                Some(Score::Cp(cp)) => cp,
                other => panic!("{other:?}"),
            };
            assert_eq!(analyses.len(), 1, "{format}");
            assert_eq!(analyses[0].score_cp, Some(expected), "{format}");
        }
    }
}

fn annotation(language: Language, format: Format, earlier: Earlier) -> Annotation {
    Annotation { language, format, earlier }
}

#[test]
fn a_second_analysis_with_equal_settings_changes_nothing() {
    let mut game = record(MATE_IN_3, "5i4i 2b3b 4i5i");
    let first = game.main_line().next().expect("a move");
    game.node_mut(first).remarks_mut().comments.push("a comment".to_owned());
    let report = analysed(&game, &settings(200));
    let report = GameReport { engine: "Enbu 0.0.0 (test)".to_owned(), ..report };
    for language in [Language::Japanese, Language::English] {
        for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Jkf] {
            for scores in [ScoreStyle::ShogiHome, ScoreStyle::ShogiGui, ScoreStyle::Floodgate] {
                let options = WriteOptions { scores, ..WriteOptions::default() };
                let write = |record: &Record| format.write(std::slice::from_ref(record), options.clone());
                let mut once = game.clone();
                annotate(&mut once, &report, annotation(language, format, Earlier::Replace));
                let text = write(&once);
                let mut again = format.read(&text, Mode::Strict).expect("readable").records.remove(0);
                annotate(&mut again, &report, annotation(language, format, Earlier::Replace));
                assert_eq!(write(&again), text, "{format} {scores:?}");
            }
        }
    }
}

#[test]
fn earlier_comments_are_treated_as_asked() {
    let mut game = record(MATE_IN_3, "5i4i 2b3b 4i5i");
    let first = game.main_line().next().expect("a move");
    game.node_mut(first).remarks_mut().comments.push("a comment".to_owned());
    let report = analysed(&game, &settings(200));
    let comments = |earlier| {
        let mut written = game.clone();
        annotate(&mut written, &report, annotation(Language::English, Format::Kif, earlier));
        let comments = written.node(first).remarks().comments.clone();
        (comments.len(), comments.iter().position(|line| line == "a comment"))
    };
    let expected = [
        (Earlier::Replace, (3, Some(0))),
        (Earlier::Append, (3, Some(0))),
        (Earlier::Insert, (3, Some(2))),
        (Earlier::Overwrite, (2, None)),
        (Earlier::Keep, (1, Some(0))),
    ];
    for (earlier, wanted) in expected {
        assert_eq!(comments(earlier), wanted, "{earlier:?}");
    }
}

#[test]
fn repetition_ends_a_game_as_a_draw() {
    let cycle = "5i5h 5a5b 5h5i 5b5a ".repeat(3);
    let report = analysed(&record("4k4/9/9/9/9/9/9/9/R3K4 b - 1", &cycle), &settings(100));
    assert_eq!(report.positions.last().and_then(|at| at.score), Some(Score::Cp(0)));
}

#[test]
fn positions_that_are_no_game_are_refused() {
    let errors = ["7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1", "4k4/9/9/9/9/9/9/9/4R3K b - 1"].map(|sfen| {
        let game = record(sfen, "");
        analyse(&game, &mut analyst(&settings(10)), &AtomicBool::new(false), &mut || {})
            .expect_err("no game")
            .to_string()
    });
    assert!(errors[0].contains("no black king"), "{}", errors[0]);
    assert!(errors[1].contains("cannot be played"), "{}", errors[1]);
}

#[test]
fn a_stopped_analysis_ends_before_the_next_position() {
    let stop = AtomicBool::new(false);
    let mut count = 0;
    let game = record(&start(), "7g7f 3c3d 2g2f");
    let result = analyse(&game, &mut analyst(&settings(10)), &stop, &mut || {
        count += 1;
        stop.store(count == 2, Ordering::Relaxed);
    });
    assert_eq!((result.err(), count), (Some(GameError::Interrupted), 2));
}

#[test]
fn a_mate_by_another_check_is_not_missed() {
    // G*2b mates at once; G*2c+ is none, but R1h1b+ first mates as well.
    let game = record("8k/9/7S1/9/9/9/9/1R7/4K4 b 2G 1", "G*2b");
    assert_eq!(analysed(&game, &settings(300)).black.missed_mates, 0);
}

#[test]
fn a_repeated_position_has_one_score_and_its_moves_one_class() {
    let bishop = "lnsg2snl/1r2k2b1/pppg1pppp/3pp4/9/2P3P2/PP1PPP1PP/1B3GSR1/LNS1K2NL b g 1";
    let quiet = "l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31";
    for (sfen, moves) in [
        (bishop, "8h5e 3a4b 5e8h 4b3a 3h3g"),
        (quiet, "5i5h 4a5a 5h5i 5a4a 5i6i 4a5a 6i5i 5a4a 5i5h"),
        (MATE_IN_3, "5i5h 2b3b 5h5i 3b2b S*2c 2b1c G*1d"),
        (&start(), "2h3h 8b7b 3h2h 7b8b 7g7f 3c3d"),
    ] {
        for order in [Order::FromEnd, Order::FromStart] {
            let report = analysed(&record(sfen, moves), &Settings { order, ..settings(2000) });
            let board = |at: usize| report.positions[at].sfen.rsplit_once(' ').expect("a number").0;
            for (one, other) in (0..report.positions.len())
                .flat_map(|one| (one + 1..report.positions.len()).map(move |other| (one, other)))
            {
                if board(one) != board(other) {
                    continue;
                }
                assert_eq!(report.positions[one].score, report.positions[other].score, "{sfen} {moves}: {one} {other}");
                if let (Some(first), Some(again)) = (report.moves.get(one), report.moves.get(other)) {
                    assert!(first.usi != again.usi || first.class == again.class, "{sfen} {moves}: {one} {other}");
                }
            }
            if sfen == bishop {
                let classes = report.moves[3..].iter().map(|mv| mv.class);
                assert!(classes.clone().all(|class| class < Some(Class::Mistake)), "{:?}", classes.collect::<Vec<_>>());
            }
        }
    }
}

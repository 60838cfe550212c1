//! Tests of whole searches.

pub(crate) mod fault;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use enbu_movegen::{EnteringKingRule, Move};
use parking_lot::Mutex;

use super::*;
use fault::{Fault, Place};

/// Remembers what it hears; panics on the first report if told to.
#[derive(Default)]
struct Ear {
    reports: Mutex<Vec<Report>>,
    notices: Mutex<Vec<String>>,
    answers: Mutex<Vec<BestMove>>,
    panics: AtomicBool,
}

impl Listener for Ear {
    fn report(&self, report: &Report) {
        assert!(!self.panics.load(Ordering::Relaxed), "a fault for the test");
        self.reports.lock().push(report.clone());
    }

    fn notice(&self, text: &str) {
        self.notices.lock().push(text.into());
    }

    fn finished(&self, best: &BestMove) {
        self.answers.lock().push(*best);
    }
}

fn position(sfen: &str) -> Position {
    Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable")
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search(engine: &mut Search, position: &Position, limits: Limits, options: Options) -> Arc<Ear> {
    let ear = Arc::new(Ear::default());
    engine.start(position, limits, options, Instant::now(), Arc::clone(&ear) as Arc<dyn Listener>);
    engine.wait();
    assert_eq!(ear.answers.lock().len(), 1);
    ear
}

const QUIET: &str = "l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31";

#[test]
fn the_same_search_visits_the_same_nodes() {
    let mut engine = Search::new().expect("a thread");
    let mut counts = Vec::new();
    for _ in 0..3 {
        engine.new_game();
        let ear = search(&mut engine, &position(QUIET), depth(6), Options::default());
        counts.push(ear.reports.lock().last().map(|report| report.progress.nodes));
    }
    assert!(counts[0].is_some_and(|nodes| nodes > 500));
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn several_threads_answer_once_with_a_legal_line() {
    let mut engine = Search::new().expect("a thread");
    for threads in [3, 2, 1, 4] {
        engine.set_threads(threads).expect("threads");
        assert_eq!(engine.threads(), threads);
        engine.new_game();
        let ear = search(&mut engine, &position(QUIET), depth(7), Options::default());
        let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
        let reports = ear.reports.lock();
        assert_eq!(reports.last().map(|report| report.pv[0]), Some(best));
        let mut line = position(QUIET);
        for &mv in &reports.last().expect("a report").pv {
            line.play(mv).expect("legal");
        }
    }
    // Stops come at any moment, also before a helper has begun.
    let ear = Arc::new(Ear::default());
    for _ in 0..50 {
        let listener = Arc::clone(&ear) as Arc<dyn Listener>;
        engine.start(&position(QUIET), Limits::default(), Options::default(), Instant::now(), listener);
        engine.stop();
        engine.wait();
    }
    assert_eq!(ear.answers.lock().len(), 50);
}

#[test]
fn a_panic_at_any_kind_of_node_loses_no_game() {
    let mut engine = Search::new().expect("a thread");
    engine.set_threads(2).expect("threads");
    let position = position(QUIET);
    for place in Place::EACH {
        for (role, after) in [(Role::Main, 0), (Role::Main, 1500), (Role::Helper(0), 0), (Role::Helper(0), 1500)] {
            let fault = Some(Fault { place, role, after });
            // Deep enough for the main thread to reach its fault whatever the helper finds for it.
            let depth_limit = if role == Role::Main { 20 } else { 7 };
            let ear = search(&mut engine, &position, Limits { fault, ..depth(depth_limit) }, Options::default());
            let answer = ear.answers.lock()[0];
            let legal = matches!(answer, BestMove::Play { best, .. } if position.is_legal(best));
            assert!(legal, "{fault:?}: {answer:?}");
            let notices = ear.notices.lock().len();
            // A helper may begin too late to reach its fault.
            assert!(notices <= 1 && (notices == 1 || role != Role::Main), "{fault:?}: {notices} notices");
            // The next search is as before.
            let ear = search(&mut engine, &position, depth(3), Options::default());
            assert!(ear.notices.lock().is_empty(), "{fault:?}");
        }
    }
}

#[test]
fn a_node_limit_holds_for_all_threads_together() {
    let mut engine = Search::new().expect("a thread");
    engine.set_threads(3).expect("threads");
    let limits = Limits { nodes: Some(60_000), ..Limits::default() };
    let ear = search(&mut engine, &position(QUIET), limits, Options::default());
    let nodes = ear.reports.lock().last().map_or(0, |report| report.progress.nodes);
    assert!((30_000..70_000).contains(&nodes), "{nodes}");
}

#[test]
fn a_draw_is_worth_what_the_options_say() {
    // Bare kings and one pawn each far apart: nothing happens before the limit of moves.
    let quiet = position("4k4/4p4/9/9/9/9/9/4P4/4K4 b - 1");
    let mut engine = Search::new().expect("a thread");
    for value in [-300, 0, 250] {
        engine.new_game();
        let options = Options { max_moves: 2, draw_values: [value, 7], ..Options::default() };
        let ear = search(&mut engine, &quiet, depth(4), options);
        assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::Cp(value)));
    }
}

#[test]
fn mates_are_found_and_their_length_is_told() {
    let mut engine = Search::new().expect("a thread");
    let ear = search(&mut engine, &position("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth(3), Options::default());
    assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::MateIn(1)));
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2";
    let ear = search(&mut engine, &position(mated), depth(3), Options::default());
    assert_eq!(*ear.answers.lock(), [BestMove::Resign]);
    assert_eq!(ear.reports.lock().last().map(|report| report.score), Some(Score::MatedIn(0)));
}

#[test]
fn every_reported_line_is_legal_and_lines_differ() {
    let mut engine = Search::new().expect("a thread");
    let options = Options { multi_pv: 3, ..Options::default() };
    let ear = search(&mut engine, &position(QUIET), depth(7), options);
    let reports = ear.reports.lock();
    assert!(reports.iter().any(|report| report.multi_pv == 3));
    for report in reports.iter() {
        let mut line = position(QUIET);
        for &mv in &report.pv {
            line.play(mv).expect("legal");
        }
    }
    let last =
        [1, 2, 3].map(|rank| reports.iter().rev().find(|report| report.multi_pv == rank).map(|report| report.pv[0]));
    assert!(last[0] != last[1] && last[1] != last[2] && last[0] != last[2]);
    let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
    assert_eq!(last[0], Some(best));
}

/// A middlegame full of mates and repetitions in reach ("matsuri").
const SHARP: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

#[test]
fn mates_in_one_do_not_fill_the_table() {
    let mut engine = Search::new().expect("a thread");
    for _ in 0..6 {
        let limits = Limits { nodes: Some(40_000), ..Limits::default() };
        search(&mut engine, &position(SHARP), limits, Options::default());
    }
    let values = engine.table.values();
    let mates = values.iter().filter(|(value, _)| *value == crate::value::mate_at(1)).count();
    assert!(values.len() > 30_000, "the table is full: {}", values.len());
    assert!(mates * 100 < values.len() * 6, "{mates} of {}", values.len());
}

/// Searches of `ENBU_TABLE_NODES` nodes, in as much table as leaves it full.
#[test]
#[expect(clippy::print_stdout, reason = "what `--nocapture` shows is the measurement")]
fn the_table_stays_healthy_along_a_game() {
    let nodes = std::env::var("ENBU_TABLE_NODES").map_or(100_000, |nodes| nodes.parse().expect("a number"));
    let mut engine = Search::new().expect("a thread");
    engine.set_hash_mb((nodes / 125_000).max(1) as usize).expect("a few megabytes");
    let mut game = position(SHARP);
    let mut full = Vec::new();
    // A given game: one that the search chose could run into a mate, before which trees are small.
    for mv in ["G*3c", "4c3d+", "S*2h", "9h2h", "3i2h+", "2i2h", "R*4h", "G*3h"] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        search(&mut engine, &game, limits, Options::default());
        game.play(mv.parse().expect("a move")).expect("legal");
        let values = engine.table.values();
        let mates = values.iter().filter(|(value, _)| *value == crate::value::mate_at(1)).count();
        println!("{mv}: {} entries, {mates} mates in one, hashfull {}", values.len(), engine.table.hashfull());
        assert!(mates * 100 < values.len() * 3, "{mates} of {}", values.len());
        full.push(engine.table.hashfull());
    }
    assert!(full.iter().all(|&later| later * 20 >= full[0] * 17), "{full:?}");
}

#[test]
fn no_value_lies_between_evaluations_and_repetitions() {
    let mut engine = Search::new().expect("a thread");
    engine.set_hash_mb(16).expect("sixteen megabytes");
    let limits = Limits { nodes: Some(150_000), ..Limits::default() };
    search(&mut engine, &position(SHARP), limits, Options::default());
    let halved = engine.table.values().into_iter().filter(|(value, _)| (12_000..27_000).contains(&value.abs()));
    assert_eq!(halved.collect::<Vec<_>>(), []);
}

#[test]
fn a_board_repeated_with_more_in_hand_decides_only_within_the_tree() {
    // The rook takes a pawn and comes back: the board of the start, a pawn more in hand.
    let mut game = position("4k4/9/9/9/9/9/7R1/9/4K4 w p 1");
    for mv in ["P*2h", "2g2h", "5a4a", "2h2e", "4a5a"] {
        game.play(mv.parse().expect("a move")).expect("legal");
    }
    let mut engine = Search::new().expect("a thread");
    let ear = search(&mut engine, &game, depth(5), Options::default());
    let scores: Vec<Score> = ear.reports.lock().iter().map(|report| report.score).collect();
    assert!(scores.iter().all(|score| matches!(score, Score::Cp(-20_000..=20_000))), "{scores:?}");
}

#[test]
fn root_moves_can_be_restricted() {
    let mut engine = Search::new().expect("a thread");
    let only: Move = "9g9f".parse().expect("a move");
    for (wanted, expected) in [(vec![only], Some(only)), (vec!["5a5b".parse().expect("a move")], None)] {
        let limits = Limits { root_moves: wanted, ..depth(3) };
        let ear = search(&mut engine, &position(QUIET), limits, Options::default());
        let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
        assert_eq!(expected.unwrap_or(best), best);
    }
}

#[test]
fn the_clock_is_given_a_value_only_of_the_same_game() {
    let mut engine = Search::new().expect("a thread");
    let mut game = position(QUIET);
    let ear = search(&mut engine, &game, depth(4), Options::default());
    let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
    let other = ["9g9f", "1g1f"].map(|mv| mv.parse().expect("a move")).into_iter().find(|&mv| mv != best);
    assert_eq!(engine.expected(&game), None);
    for (mv, is_given) in [(best, true), (other.expect("two moves"), false)] {
        let mut later = game.clone();
        later.play(mv).expect("legal");
        assert_eq!(engine.expected(&later), None);
        let mut replies = MoveList::new();
        later.legal_moves(&mut replies);
        later.play(replies[0]).expect("legal");
        assert_eq!(engine.expected(&later).is_some(), is_given, "{mv}");
    }
    // As many plies, but another game.
    game = Position::startpos();
    for mv in ["7g7f", "3c3d"] {
        game.play(mv.parse().expect("a move")).expect("legal");
    }
    assert_eq!(engine.expected(&game), None);
}

#[test]
fn a_won_declaration_is_declared_only_where_the_rule_knows_it() {
    let entered = position("+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1");
    let mut engine = Search::new().expect("a thread");
    for (rule, declares) in [(EnteringKingRule::Csa27, true), (EnteringKingRule::NoEnteringKing, false)] {
        let options = Options { entering_king: rule, ..Options::default() };
        let ear = search(&mut engine, &entered, depth(1), options);
        assert_eq!(ear.answers.lock()[0] == BestMove::Win, declares);
    }
}

#[test]
fn a_fault_in_a_search_still_yields_a_move() {
    let mut engine = Search::new().expect("a thread");
    let ear = Arc::new(Ear::default());
    ear.panics.store(true, Ordering::Relaxed);
    engine.start(&position(QUIET), depth(3), Options::default(), Instant::now(), Arc::clone(&ear) as Arc<dyn Listener>);
    engine.wait();
    assert!(matches!(ear.answers.lock()[..], [BestMove::Play { .. }]));
    assert_eq!(ear.notices.lock().len(), 1);
    search(&mut engine, &position(QUIET), depth(2), Options::default());
}

#[test]
fn stop_and_ponderhit_end_a_search_that_has_no_limit() {
    let mut engine = Search::new().expect("a thread");
    let ear = Arc::new(Ear::default());
    let listener = || Arc::clone(&ear) as Arc<dyn Listener>;
    engine.start(&position(QUIET), Limits::default(), Options::default(), Instant::now(), listener());
    engine.stop();
    engine.wait();
    let ponder = Limits { ponder: true, ..Limits::default() };
    engine.start(&position(QUIET), ponder, Options::default(), Instant::now(), listener());
    assert_eq!(ear.answers.lock().len(), 1);
    let clock = Clock { byoyomi: Duration::from_millis(20), ..Clock::default() };
    engine.ponderhit(Some(clock), Instant::now());
    engine.wait();
    assert_eq!(ear.answers.lock().len(), 2);
}

#[test]
fn a_search_with_far_more_threads_than_processors_waits_for_none_of_them() {
    let mut engine = Search::new().expect("a thread");
    engine.set_threads(if std::env::var_os("ENBU_SLOW_TESTS").is_some() { 200 } else { 40 }).expect("threads");
    let position = position(QUIET);
    for number in 0..10 {
        let ear = Arc::new(Ear::default());
        let listener = Arc::clone(&ear) as Arc<dyn Listener>;
        engine.start(&position, Limits::default(), Options::default(), Instant::now(), listener);
        if number % 2 == 0 {
            // The next one begins while helpers of this one still run, or have not begun.
            engine.stop();
            search(&mut engine, &position, depth(4), Options::default());
            assert_eq!(ear.answers.lock().len(), 1);
        }
    }
    // Helpers of old searches are gone before the table is cleared.
    engine.set_threads(1).expect("threads");
    engine.new_game();
    let again = search(&mut engine, &position, depth(6), Options::default());
    let fresh = search(&mut Search::new().expect("a thread"), &position, depth(6), Options::default());
    let nodes = |ear: &Ear| ear.reports.lock().last().map(|report| report.progress.nodes);
    assert_eq!(nodes(&again), nodes(&fresh));
}

#[test]
fn the_best_so_far_has_its_line_and_else_comes_from_the_table() {
    let mut engine = Search::new().expect("a thread");
    let position = position(QUIET);
    let ear = search(&mut engine, &position, depth(6), Options::default());
    let (best, report) = engine.best().expect("a search");
    assert_eq!(vec![best], *ear.answers.lock());
    assert_eq!(Some(&report.pv), ear.reports.lock().last().map(|report| &report.pv));
    /// Waits for its stop, as for a book on a disk that does not answer.
    struct Waiting;
    impl Listener for Waiting {
        fn known(&self, is_stopped: &dyn Fn() -> bool) -> Option<BestMove> {
            while !is_stopped() {
                std::thread::yield_now();
            }
            Some(BestMove::Resign)
        }
        fn report(&self, _: &Report) {}
        fn notice(&self, _: &str) {}
        fn finished(&self, best: &BestMove) {
            assert_eq!(*best, BestMove::Resign);
        }
    }
    engine.start(&position, Limits::default(), Options::default(), Instant::now(), Arc::new(Waiting));
    let known = engine.best().map(|(best, report)| (best, report.pv, report.progress.nodes));
    let BestMove::Play { best, .. } = ear.answers.lock()[0] else { panic!("no move") };
    assert_eq!(known, Some((BestMove::Play { best, ponder: None }, vec![best], 0)));
    engine.stop();
    engine.wait();
}

#[test]
fn a_hash_beyond_all_memory_is_refused_and_the_old_one_kept() {
    let mut engine = Search::new().expect("a thread");
    engine.set_hash_mb(3).expect("three megabytes");
    let error = engine.set_hash_mb(usize::MAX >> 20).expect_err("no machine has that");
    assert_eq!((error.kept_mb, engine.hash_mb()), (3, 3));
}

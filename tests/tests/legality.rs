//! `is_legal` and `gives_check` against the generated list, over every move that exists.

use std::collections::HashSet;

use enbu_movegen::{Move, MoveList, Position};
use enbu_tests::fewer;
use enbu_tests::positions::{Walk, from_sfen, legal_moves, samples, snapshot};

#[test]
fn a_move_is_legal_if_and_only_if_it_is_generated() {
    let mut legal = 0_usize;
    for sfen in samples() {
        let position = from_sfen(&sfen);
        let generated: HashSet<Move> = legal_moves(&position).into_iter().collect();
        for raw in 0..=u16::MAX {
            let Some(mv) = Move::from_raw(raw) else { continue };
            assert_eq!(position.is_legal(mv), generated.contains(&mv), "{sfen} {mv} ({raw:#06x})");
        }
        legal += generated.len();
    }
    assert!(legal > 300, "the samples have only {legal} legal moves");
}

#[test]
fn legality_holds_along_random_games() {
    for seed in 0..fewer(20) {
        let mut walk = Walk::new(seed);
        let mut position = Position::startpos();
        for ply in 0..200 {
            let Some(mv) = walk.choose(&position) else { break };
            if ply % 25 == 24 {
                let generated: HashSet<Move> = legal_moves(&position).into_iter().collect();
                for mv in (0..=u16::MAX).filter_map(Move::from_raw) {
                    assert_eq!(
                        position.is_legal(mv),
                        generated.contains(&mv),
                        "seed {seed}, {}, {mv}",
                        position.to_setup()
                    );
                }
            }
            position.do_move(mv);
        }
    }
}

#[test]
fn no_move_is_generated_twice() {
    for sfen in samples() {
        let moves = legal_moves(&from_sfen(&sfen));
        let distinct: HashSet<Move> = moves.iter().copied().collect();
        assert_eq!(moves.len(), distinct.len(), "{sfen}");
    }
}

#[test]
fn a_move_gives_check_if_and_only_if_the_opponent_is_then_in_check() {
    let mut checks = 0;
    for sfen in samples() {
        let mut position = from_sfen(&sfen);
        for mv in legal_moves(&position) {
            let announced = position.gives_check(mv);
            position.do_move(mv);
            assert_eq!(announced, position.in_check(), "{sfen} {mv}");
            position.undo_move();
            checks += usize::from(announced);
        }
    }
    assert!(checks > 100, "the samples have only {checks} checks");
}

/// The generated checks, each once, against the definition.
fn assert_checks_are_complete(position: &Position) -> usize {
    let mut list = MoveList::new();
    position.checks(&mut list);
    let generated: HashSet<Move> = list.iter().copied().collect();
    assert_eq!(generated.len(), list.len(), "{position} lists a check twice");
    assert_eq!(position.count_checks(), list.len(), "{position}");
    let defined: HashSet<Move> = legal_moves(position).into_iter().filter(|&mv| position.gives_check(mv)).collect();
    assert_eq!(generated, defined, "{position}");
    let squares = position.check_squares();
    let hits = |&mv: &Move| squares.is_some_and(|squares| squares.is_hit_by(position, mv));
    let told: HashSet<Move> = legal_moves(position).into_iter().filter(hits).collect();
    assert_eq!(told, defined, "{position}");
    defined.len()
}

#[test]
fn a_check_is_generated_if_and_only_if_a_legal_move_gives_check() {
    let mut checks: usize = samples().iter().map(|sfen| assert_checks_are_complete(&from_sfen(sfen))).sum();
    for seed in 100..100 + fewer(60) {
        let mut walk = Walk::new(seed);
        let mut position = Position::startpos();
        while let Some(mv) = walk.choose(&position).filter(|_| position.plies_played() < 300) {
            position.do_move(mv);
            checks += assert_checks_are_complete(&position);
        }
    }
    assert!(checks as u64 > fewer(20_000), "only {checks} checks");
}

#[test]
fn an_illegal_move_is_refused_and_changes_nothing() {
    for sfen in samples().iter().step_by(20) {
        let mut position = from_sfen(sfen);
        let before = snapshot(&position);
        for mv in (0..=u16::MAX).filter_map(Move::from_raw).step_by(97) {
            if position.is_legal(mv) {
                continue;
            }
            let error = position.play(mv).expect_err("an illegal move is played");
            let text = error.to_string();
            assert!(text.starts_with("illegal move ") && text.is_ascii(), "{text}");
            assert_eq!(position.history().count(), 0);
        }
        assert_eq!(snapshot(&position), before, "{sfen}");
    }
}

//! After any sequence of operations a position equals the one read from its own text.
//!
//! This is the one test that finds a stale pin, key or checker of any origin.

use enbu_movegen::{MoveParts, Position};
use enbu_tests::positions::{Step, Walk, from_sfen, reparsed, samples, snapshot};

#[derive(Default)]
struct Seen {
    nulls: usize,
    drops: usize,
    promotions: usize,
    captures: usize,
    checks: usize,
    undone: usize,
}

impl Seen {
    fn note(&mut self, position: &Position, step: Step) {
        match step {
            Step::Null => self.nulls += 1,
            Step::Move(mv) => {
                self.captures += usize::from(position.piece_at(mv.to()).is_some());
                self.checks += usize::from(position.gives_check(mv));
                match mv.parts() {
                    MoveParts::Drop { .. } => self.drops += 1,
                    MoveParts::Board { promote, .. } => self.promotions += usize::from(promote),
                }
            }
        }
    }
}

fn assert_reparses(position: &Position, origin: &str) {
    assert_eq!(snapshot(position), snapshot(&reparsed(position)), "{origin}");
}

/// Walks `steps` steps, now and then two back, comparing after each.
fn walk(mut position: Position, seed: u64, steps: usize, seen: &mut Seen) {
    let mut walk = Walk::new(seed);
    let mut path = Vec::new();
    let origin = format!("seed {seed} from {}", position.to_setup());
    for _ in 0..steps {
        let Some(step) = walk.step(&position) else { break };
        seen.note(&position, step);
        apply(&mut position, step);
        path.push(step);
        assert_reparses(&position, &format!("{origin} after {path:?}"));
        if walk.below(16) == 0 && path.len() >= 2 {
            for step in path.drain(path.len() - 2..).rev() {
                revert(&mut position, step);
                seen.undone += 1;
            }
            assert_reparses(&position, &format!("{origin} back at {path:?}"));
        }
    }
}

fn apply(position: &mut Position, step: Step) {
    match step {
        Step::Move(mv) => {
            position.do_move(mv);
        }
        Step::Null => position.do_null_move(),
    }
}

fn revert(position: &mut Position, step: Step) {
    match step {
        Step::Move(_) => {
            position.undo_move();
        }
        Step::Null => position.undo_null_move(),
    }
}

#[test]
fn incremental_state_equals_the_reparsed_position() {
    let mut seen = Seen::default();
    for seed in 0..enbu_tests::fewer(60) {
        walk(Position::startpos(), seed, 200, &mut seen);
    }
    for (index, sfen) in samples().iter().enumerate() {
        walk(from_sfen(sfen), 1000 + index as u64, 12, &mut seen);
    }
    let Seen { nulls, drops, promotions, captures, checks, undone } = seen;
    for (what, times) in [
        ("null moves", nulls),
        ("drops", drops),
        ("promotions", promotions),
        ("captures", captures),
        ("checks", checks),
        ("moves taken back", undone),
    ] {
        assert!(times >= 200, "only {times} {what} were tried");
    }
}

#[test]
fn every_child_of_every_sample_equals_the_reparsed_position() {
    for sfen in samples() {
        let mut position = from_sfen(&sfen);
        for mv in enbu_tests::positions::legal_moves(&position) {
            position.do_move(mv);
            assert_reparses(&position, &format!("{sfen} {mv}"));
            position.undo_move();
        }
    }
}

#[test]
fn the_key_depends_on_hands_and_turn_but_not_on_the_move_number() {
    let key = |sfen: &str| from_sfen(sfen).key();
    let base = key("4k4/9/9/9/9/9/9/9/4K4 b Pp 1");
    assert_eq!(base, key("4k4/9/9/9/9/9/9/9/4K4 b Pp 77"));
    assert_ne!(base, key("4k4/9/9/9/9/9/9/9/4K4 w Pp 1"));
    assert_ne!(base, key("4k4/9/9/9/9/9/9/9/4K4 b 2P 1"));
    assert_ne!(base, key("4k4/9/9/9/9/9/9/9/4K4 b 2p 1"));
    assert_ne!(base, key("4k4/9/9/9/9/9/9/9/4K4 b Pl 1"));
}

#[test]
fn transpositions_have_one_key() {
    let by_pawn = enbu_tests::positions::from_usi("startpos moves 7g7f 3c3d 2g2f 8c8d");
    let by_rook_pawn = enbu_tests::positions::from_usi("startpos moves 2g2f 8c8d 7g7f 3c3d");
    assert_eq!(by_pawn.key(), by_rook_pawn.key());
}

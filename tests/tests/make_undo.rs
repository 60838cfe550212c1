//! Doing and undoing moves leaves no trace.

use enbu_movegen::Position;
use enbu_tests::positions::{Step, Walk, from_sfen, legal_moves, samples, snapshot};

#[test]
fn undoing_a_move_restores_the_position() {
    for sfen in samples() {
        let mut position = from_sfen(&sfen);
        let before = snapshot(&position);
        for mv in legal_moves(&position) {
            let announced = position.key_after(mv);
            position.do_move(mv);
            assert_eq!(position.key(), announced, "{sfen} {mv}");
            assert_eq!(position.undo_move(), Some(mv), "{sfen} {mv}");
        }
        assert_eq!(snapshot(&position), before, "{sfen}");
        assert_eq!(position.undo_move(), None, "{sfen}");
    }
}

#[test]
fn undoing_a_null_move_restores_the_position() {
    for sfen in samples() {
        let mut position = from_sfen(&sfen);
        if position.in_check() {
            continue;
        }
        let before = snapshot(&position);
        let (turn, announced) = (position.turn(), position.key_after_null_move());
        position.do_null_move();
        assert_eq!((position.turn(), position.key()), (!turn, announced), "{sfen}");
        position.undo_null_move();
        assert_eq!(snapshot(&position), before, "{sfen}");
    }
}

#[test]
fn board_key_and_hand_are_known_before_the_move_is_made() {
    for sfen in samples() {
        let mut position = from_sfen(&sfen);
        for mv in legal_moves(&position) {
            let (mover, board_key, hand) = (position.turn(), position.board_key_after(mv), position.hand_after(mv));
            position.do_move(mv);
            assert_eq!((board_key, hand), (position.board_key(), position.hand(mover)), "{sfen} {mv}");
            position.undo_move();
        }
    }
}

#[test]
fn a_random_game_can_be_taken_back_to_its_start() {
    for seed in 0..40 {
        let mut walk = Walk::new(seed);
        let mut position = Position::startpos();
        let mut path: Vec<(String, Step)> = Vec::new();
        for _ in 0..150 {
            let Some(step) = walk.step(&position) else { break };
            path.push((snapshot(&position), step));
            match step {
                Step::Move(mv) => {
                    position.do_move(mv);
                }
                Step::Null => position.do_null_move(),
            }
        }
        for (before, step) in path.into_iter().rev() {
            match step {
                Step::Move(mv) => assert_eq!(position.undo_move(), Some(mv), "seed {seed}"),
                Step::Null => position.undo_null_move(),
            }
            assert_eq!(snapshot(&position), before, "seed {seed}, taking back {step:?}");
        }
    }
}

#[test]
fn playing_checks_the_move_and_does_the_same() {
    for seed in 0..10 {
        let mut walk = Walk::new(seed);
        let (mut checked, mut unchecked) = (Position::startpos(), Position::startpos());
        let mut moves = Vec::new();
        while let Some(mv) = walk.choose(&checked).filter(|_| moves.len() < 200) {
            let delta = checked.play(mv).unwrap();
            assert_eq!(format!("{delta:?}"), format!("{:?}", unchecked.do_move(mv)), "seed {seed} {mv}");
            moves.push(mv);
        }
        assert_eq!(snapshot(&checked), snapshot(&unchecked), "seed {seed}");
        assert_eq!(checked.history().collect::<Vec<_>>(), moves, "seed {seed}");
        assert_eq!(usize::from(checked.ply()), moves.len() + 1, "seed {seed}");
    }
}

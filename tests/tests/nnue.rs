//! Networks of every shape against the values that YaneuraOu has for the same files.

use std::sync::Arc;

use enbu_eval::nnue::own::{self, Attacks};
use enbu_eval::nnue::{Network, Simd};
use enbu_eval::{Evaluation, Evaluator};
use enbu_movegen::{Color, MoveList, Position};
use enbu_tests::networks::{self, SHAPES, former, write};
use enbu_tests::positions::from_sfen;
use enbu_tests::table::{Row, rows};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The scale of the values in the tables.
const SCALE: i32 = 16;

fn bytes(shape: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(shape, &mut bytes).unwrap();
    bytes
}

fn network(bytes: &[u8], simd: Simd) -> Network {
    Network::from_bytes(bytes, simd).unwrap_or_else(|error| panic!("{error}"))
}

fn evaluation(network: Network) -> Evaluation {
    Evaluation::Network { network: Arc::new(network), scale: SCALE }
}

/// The largest networks take too long to write without optimisation.
fn is_too_large(shape: &str) -> bool {
    cfg!(debug_assertions) && ["768x2", "1024", "1536"].iter().any(|width| shape.contains(width))
}

fn number(row: &Row, column: &str) -> i32 {
    row.text(column).parse().unwrap()
}

/// Both numbers of a row, from an evaluator at its position.
fn check(evaluator: &mut Evaluator, position: &Position, row: &Row, context: &str) {
    let sfen = row.text("sfen");
    assert_eq!(evaluator.raw(position), Some(number(row, "raw")), "{context}: raw of {sfen}");
    assert_eq!(evaluator.evaluate(position), number(row, "value").clamp(-20_000, 20_000), "{context}: {sfen}");
}

/// Plays `plies` random moves and takes some back on the way, looking at some of the
/// positions with `evaluator`; ends where it began.
fn wander(evaluator: &mut Evaluator, position: &mut Position, plies: usize, random: &mut Xoshiro256PlusPlus) {
    let mut made = 0;
    for _ in 0..plies {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() || made > 0 && random.random_range(0..4) == 0 {
            if made == 0 {
                break;
            }
            position.undo_move();
            evaluator.pop();
            made -= 1;
        } else {
            let delta = position.do_move(moves[random.random_range(0..moves.len())]);
            evaluator.push(position, &delta);
            made += 1;
        }
        if random.random_range(0..3) == 0 {
            evaluator.raw(position);
        }
    }
    for _ in 0..made {
        position.undo_move();
        evaluator.pop();
    }
}

/// Every row of the shape's table, on every path: fresh; after random play; and by one
/// evaluator that goes from position to position.
fn agrees(shape: &str) {
    let bytes = bytes(shape);
    let table = rows(&format!("networks/{shape}.tsv"));
    for simd in Simd::all() {
        let network = network(&bytes, simd);
        assert_eq!(network.shape().to_string(), shape);
        assert!(network.hashes_agree());
        let evaluation = evaluation(network);
        let context = format!("{shape} {}", simd.name());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        let mut traveller = Evaluator::with(&evaluation, &Position::startpos());
        for row in &table {
            let mut position = from_sfen(row.text("sfen"));
            check(&mut Evaluator::with(&evaluation, &position), &position, row, &context);
            traveller.reset(&position);
            wander(&mut traveller, &mut position, 60, &mut random);
            check(&mut traveller, &position, row, &format!("{context} after play"));
        }
    }
}

#[test]
fn halfkp_256_agrees_with_yaneuraou() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    agrees("halfkp-256x2-32-32");
}

#[test]
fn every_shape_agrees_with_yaneuraou() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let is_tested_alone = |shape: &&str| *shape == "halfkp-256x2-32-32";
    for shape in SHAPES.into_iter().filter(|shape| !is_tested_alone(shape) && !is_too_large(shape)) {
        agrees(shape);
    }
}

/// Along random games, an incrementally updated evaluator gives the values of a refreshed one.
fn updates_equal_fresh_values(shape: &str) {
    let bytes = bytes(shape);
    for simd in Simd::all() {
        let evaluation = evaluation(network(&bytes, simd));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(60);
        for _ in 0..if enbu_tests::has_slow_rows() { 6 } else { 2 } {
            let mut position = Position::startpos();
            let mut evaluator = Evaluator::with(&evaluation, &position);
            for _ in 0..200 {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let delta = position.do_move(moves[random.random_range(0..moves.len())]);
                evaluator.push(&position, &delta);
                if random.random_range(0..3) == 0 {
                    let fresh = Evaluator::with(&evaluation, &position).raw(&position);
                    assert_eq!(evaluator.raw(&position), fresh, "{shape} {} {position:?}", simd.name());
                }
            }
        }
    }
}

#[test]
fn games_are_followed_move_by_move() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    for shape in [
        "halfkpvm-256x2-32-32",
        "halfkahm1-256x2-32-32",
        "kp-256x2-32-32",
        "sfnn-ka2-256-8-32-hand16-k9k9-progress4",
        "enbu-128",
        "enbu-96-b3",
        "enbu-1024",
        "enbu-64-b2-attacks",
        "enbu-96-attacks",
        "enbu-96-attacks-16-32",
        "enbu-256-attacks-16-32",
    ] {
        updates_equal_fresh_values(shape);
    }
}

/// The values along random games do not depend on the kernels.
#[test]
fn every_path_has_the_same_values_of_the_embedded_network() {
    every_path_has_the_same_values(|simd| enbu_eval::nnue::embedded::load(simd).unwrap().unwrap());
}

#[test]
fn every_path_has_the_same_values_of_networks_with_hidden_layers() {
    every_path_has_the_same_values(|simd| network(&bytes("enbu-96-attacks-16-32"), simd));
    every_path_has_the_same_values(|simd| network(&bytes("enbu-256-attacks-16-32"), simd));
}

fn every_path_has_the_same_values(network: impl Fn(Simd) -> Network) {
    let evaluations: Vec<Evaluation> = Simd::all().into_iter().map(|simd| evaluation(network(simd))).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(61);
    let mut left = 10_000;
    while left > 0 {
        let mut position = Position::startpos();
        let mut evaluators: Vec<_> = evaluations.iter().map(|each| Evaluator::with(each, &position)).collect();
        for _ in 0..250 {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() || left == 0 {
                break;
            }
            left -= 1;
            let delta = position.do_move(moves[random.random_range(0..moves.len())]);
            evaluators.iter_mut().for_each(|evaluator| evaluator.push(&position, &delta));
            let values: Vec<_> = evaluators.iter_mut().map(|evaluator| evaluator.raw(&position)).collect();
            assert!(values.iter().all(|&value| value.is_some() && value == values[0]), "{values:?} {position:?}");
        }
    }
}

#[test]
fn own_networks_see_both_sides_alike_and_mirror_images_alike() {
    for shape in ["enbu-64-b4", "enbu-64-attacks", "enbu-64-attacks-16-32"] {
        sees_both_sides_alike(&evaluation(network(&bytes(shape), Simd::best())));
    }
}

fn sees_both_sides_alike(evaluation: &Evaluation) {
    for sfen in ["l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", "4k4/9/9/9/9/9/9/9/9 b G2p 1"]
    {
        let setup = from_sfen(sfen).to_setup();
        let raw = |position: &Position| Evaluator::with(evaluation, position).raw(position);
        let (position, flipped) = (from_sfen(sfen), Position::from_setup(&setup.flipped()).unwrap());
        assert_eq!(raw(&position), raw(&flipped), "{sfen}");
        let board = sfen.split(' ').next().unwrap();
        let mirrored: Vec<String> = board.split('/').map(mirror_rank).collect();
        let mirrored = from_sfen(&sfen.replace(board, &mirrored.join("/")));
        // On file 5 a king is on neither half.
        if setup.board[enbu_movegen::Square::S51].is_none() {
            assert_eq!(raw(&position), raw(&mirrored), "{sfen}");
        }
    }
}

/// One rank of an SFEN from right to left.
fn mirror_rank(rank: &str) -> String {
    let mut pieces = Vec::new();
    let mut promoted = false;
    for letter in rank.chars() {
        match letter {
            '+' => promoted = true,
            letter => {
                pieces.push(if std::mem::take(&mut promoted) { format!("+{letter}") } else { letter.to_string() });
            }
        }
    }
    pieces.reverse();
    pieces.concat()
}

/// Compares values with those of a formula, by the active inputs of the side to move and the other
/// side, on random games; pieces are the inputs before those from attacks.
fn check_formula(file: &[u8], formula: impl Fn(&Position, [&[u16]; 2]) -> i32) {
    let evaluation = evaluation(Network::from_bytes(file, Simd::best()).unwrap());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(62);
    let mut values = Vec::new();
    for _ in 0..4 {
        let mut position = Position::startpos();
        let mut evaluator = Evaluator::with(&evaluation, &position);
        for _ in 0..200 {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let delta = position.do_move(moves[random.random_range(0..moves.len())]);
            evaluator.push(&position, &delta);
            let mut views = Color::ALL.map(|color| {
                let mut inputs = Vec::new();
                own::inputs(&position, color, |input| inputs.push(input));
                inputs
            });
            Attacks::of(&position).inputs(&position, |color, input| views[color].push(own::INPUTS as u16 + input));
            let value = evaluator.evaluate(&position);
            let inputs = [position.turn(), !position.turn()].map(|color| &*views[color]);
            assert_eq!(value, formula(&position, inputs), "{position:?}");
            values.push(value);
        }
    }
    values.sort_unstable();
    assert!(values[0] < -200 && values[values.len() - 1] > 200, "{values:?}");
}

/// The formulas of the formats in plain integers.
#[test]
fn the_values_of_our_networks_are_those_of_their_formulas() {
    let deep = networks::deep(96);
    check_formula(&deep.encode(), |_, inputs| networks::deep_value(&deep, inputs));
    for (buckets, attack_rows) in [(3, 0), (2, own::ATTACK_INPUTS)] {
        let former = former::random(64, buckets, attack_rows);
        check_formula(&former.encode(), |position, inputs| {
            let of_pieces = inputs.map(|inputs| inputs.partition_point(|&input| usize::from(input) < own::INPUTS));
            let known =
                [0, 1].map(|side| if attack_rows > 0 { inputs[side] } else { &inputs[side][..of_pieces[side]] });
            let held =
                Color::ALL.iter().flat_map(|&color| position.hand(color).iter()).map(|(_, n)| u32::from(n)).sum();
            former::value(&former, known, held)
        });
    }
}

/// By hand: weights of pawns and kings only, one sum, one output.
#[test]
fn the_value_of_an_own_network_is_its_formula() {
    let mut parts = former::Parts {
        name: "formula".into(),
        scale: 400,
        bucket_step: 1,
        biases: vec![0; 64],
        weights: vec![0; 2344 * 64],
        attack_weights: Vec::new(),
        output_weights: vec![0; 128],
        output_biases: vec![1000],
    };
    // The side to move's first sum is 10 for each own pawn, 5 for each enemy king.
    for square in 0..81 {
        parts.weights[square * 64] = 10;
        parts.weights[(1172 + 7 * 81 + square) * 64] = 5;
    }
    parts.output_weights[0] = 100;
    parts.output_weights[64] = -50;
    let network = Network::from_bytes(&parts.encode(), Simd::best()).unwrap();
    let evaluation = Evaluation::Network { network: Arc::new(network), scale: 1 };
    let position = from_sfen("lnsgkgsnl/1r5b1/pppp1pppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b P 1");
    let mut evaluator = Evaluator::with(&evaluation, &position);
    let (own, enemy) = (9 * 10 + 5, 8 * 10 + 5);
    let raw = (own * own * 100 - enemy * enemy * 50) / 255 + 1000;
    assert_eq!(evaluator.raw(&position), Some(raw));
    assert_eq!(evaluator.evaluate(&position), raw * 400 / (255 * 64));
}

//! Perft: the number of move sequences of each length, against three independent generators.
//!
//! `ENBU_PERFT_NODES=20000000000 cargo test --release -p enbu-tests perft::` counts every row.

use enbu_movegen::perft::{divide, perft};
use enbu_movegen::{Position, Setup};
use enbu_tests::positions::{from_sfen, samples};
use enbu_tests::table::{self, Row, equal};

/// Rows up to this many nodes always run; debug builds check every move against a
/// re-parsed position and take much longer for each.
const ALWAYS_NODES: u64 = if cfg!(debug_assertions) { 300_000 } else { 100_000_000 };

/// Nodes of the largest count with slow rows: all but the seventh ply of the start position.
const SLOW_NODES: u64 = 10_000_000_000;

fn selected(row: &Row) -> bool {
    let most = if enbu_tests::has_slow_rows() { SLOW_NODES } else { ALWAYS_NODES };
    row.number("nodes") <= enbu_tests::number("ENBU_PERFT_NODES").unwrap_or(most)
}

fn depth(row: &Row) -> u32 {
    u32::try_from(row.number("depth")).unwrap()
}

fn count(row: &Row) -> Result<(), String> {
    let sfen = row.text("sfen");
    let mut position = from_sfen(sfen);
    equal(sfen, perft(&mut position, depth(row)), row.number("nodes"))
}

#[test]
fn collected_positions() {
    table::check_rows("perft.tsv", selected, count);
}

#[test]
fn random_positions() {
    table::check_rows("perft-random.tsv", selected, count);
}

#[test]
fn colour_flipped_positions_have_the_same_perft() {
    let small = |row: &Row| row.number("nodes") <= ALWAYS_NODES.min(1_000_000);
    for table in ["perft.tsv", "perft-random.tsv"] {
        table::check_rows(table, small, |row| {
            let setup: Setup = row.text("sfen").parse().map_err(|error| format!("{error}"))?;
            let flipped = setup.flipped();
            let mut position = Position::from_setup(&flipped).map_err(|error| format!("{flipped}: {error}"))?;
            equal(&flipped.to_string(), perft(&mut position, depth(row)), row.number("nodes"))
        });
    }
}

#[test]
fn divide_splits_perft_by_first_move() {
    for sfen in samples().iter().step_by(10) {
        let mut position = from_sfen(sfen);
        let total = perft(&mut position, 2);
        let parts: Vec<_> = divide(&mut position, 2).collect();
        let moves = perft(&mut position, 1);
        assert_eq!(parts.iter().map(|&(_, nodes)| nodes).sum::<u64>(), total, "{sfen}");
        assert_eq!(parts.len() as u64, moves, "{sfen}");
        for (mv, nodes) in parts {
            let mut child = position.clone();
            child.play(mv).unwrap();
            assert_eq!(perft(&mut child, 1), nodes, "{sfen} {mv}");
        }
    }
}

#[test]
fn depth_zero_is_one_node() {
    assert_eq!(perft(&mut Position::startpos(), 0), 1);
}

//! Speed of mate searches: `cargo bench --bench mate [NAME]` in `bench/parts`.
//!
//! A search tests for a mate in one at every node, and nearly always there is none: the
//! latency of `None` in ordinary positions matters most. Compare two builds with
//! `--save-baseline` and `--baseline`, on an idle machine.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use enbu_mate::{Limits, Refinement, Solver, mate_in_one};
use enbu_movegen::{Move, MoveList, Position, Setup};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    mates_in_one(&mut criterion);
    bounded_searches(&mut criterion);
    criterion.final_summary();
}

/// Positions of games, from the opening to the endgame, without a mate in one.
const QUIET: &[(&str, &str)] = &[
    ("startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    ("opening", "ln1ggk1nl/1r1s2sb1/pp1ppp1pp/2p3p2/9/P3P4/BPPP1PPPP/3SR1S2/LN1GKG1NL w - 16"),
    ("move 33", "l2gkgb1l/4rs3/ppns1pnp1/2ppp1p1P/P6P1/2PP2P2/BPN1PPN2/3S1SGR1/L2GK3L b P 33"),
    ("move 39", "l2gk1sn1/1sr2g1b1/n1p2pp2/1p1p5/L1P1p2pl/5PPPp/1PNPP4/1BS1GSGRP/3K4L b Pnp 39"),
    ("move 55", "l1g2ks1+R/3s2g2/p2ppp1p1/2pn2p2/3S1n2p/P2PP1PP1/L1P5P/1BK2S3/5G1+b1 b GNLPrnl2p 55"),
    ("move 66", "l+B2kg2+P/r2g1bs2/2n5p/pp1s1pp2/3pp1gNP/PP7/2SPPPPR1/5SG2/L3K3L w 2NL3P 66"),
    ("move 77", "l2gkg2l/3s1b3/pr2ppn+Pp/2pp5/P4P2P/1pPGSN3/B2PPn+n2/8R/L3K3L b 2S2Pg2p 77"),
    ("matsuri", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"),
];

/// Positions with a mate in one or three.
const MATES: &[(&str, &str)] = &[
    ("in 1, drop", "lns+R4l/1p1pS4/p1p1ppB1p/4k1p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2G3Pnp 53"),
    ("in 1, move", "1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l1gN1+b3/4P1P2/N2PKPS1P/2+p1G2R1/L1+r3sNL w Pbp 60"),
    ("in 3", "l1+R5l/2pS5/p2pp+P1pp/2k3p2/2N4P1/PP2R1P1P/2+pPP1N2/2GSG1bs1/LN1K4L b 2GSNPbp 73"),
];

fn position(sfen: &str) -> Position {
    let setup: Setup = sfen.parse().expect("an SFEN");
    Position::from_setup(&setup).expect("playable")
}

/// Baseline without tables: tries each check.
fn by_trying(position: &mut Position, checks: &mut MoveList) -> Option<Move> {
    checks.clear();
    position.checks(checks);
    checks.into_iter().find(|&mv| {
        position.do_move(mv);
        let mated = !position.has_legal_move();
        position.undo_move();
        mated
    })
}

fn mates_in_one(criterion: &mut Criterion) {
    for (title, positions) in [("mate in one: none", QUIET), ("mate in one: near", MATES)] {
        let mut group = criterion.benchmark_group(title);
        for &(name, sfen) in positions {
            let mut position = position(sfen);
            group.bench_function(BenchmarkId::new("sets", name), |bencher| {
                bencher.iter(|| mate_in_one(black_box(&position)));
            });
            let mut checks = MoveList::new();
            group.bench_function(BenchmarkId::new("trying", name), |bencher| {
                bencher.iter(|| by_trying(black_box(&mut position), &mut checks));
            });
        }
    }
}

/// A solver call with a node limit, as at the root of a search.
fn bounded_searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    let mut solver = Solver::new(16).expect("memory");
    for nodes in [100, 1000, 10_000] {
        group.throughput(Throughput::Elements(nodes));
        let position = position("8l/1R2S1kgr/3pp2p1/p2nlpp1p/5ns2/2+BPl3P/1PNK1PP2/1GGS2S2/5G1NL b B3P3p 1");
        let limits = Limits { nodes: Some(nodes), refinement: Refinement::None, ..Limits::default() };
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
            bencher.iter(|| {
                solver.clear();
                solver.solve(black_box(&position), &limits, &AtomicBool::new(false), &mut |_| {}).verdict
            });
        });
    }
}

//! The measured positions: see `tests/data` and `engine/src/commands/bench_positions.sfen`.

use enbu_movegen::{Move, MoveList, Position};

/// A position with the name of its measurements.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) position: Position,
}

/// A pawn drop that gives check, for the uchifuzume test.
pub(crate) struct PawnDrop {
    pub(crate) name: &'static str,
    pub(crate) position: Position,
    pub(crate) drop: Move,
}

const QUIET: &[(&str, &str)] = &[
    ("startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    ("matsuri", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"),
    ("opening", "ln1ggk1nl/1r1s2sb1/pp1ppp1pp/2p3p2/9/P3P4/BPPP1PPPP/3SR1S2/LN1GKG1NL w - 16"),
    ("middle game", "l2gk1sn1/1sr2g1b1/n1p2pp2/1p1p5/L1P1p2pl/5PPPp/1PNPP4/1BS1GSGRP/3K4L b Pnp 39"),
    ("drop-rich", "l2rkl+R1l/3gg4/4pp1pp/p8/7P1/2G2P3/P+bS3P1P/5S3/3GK2+bS w S3N4Pnl4p 76"),
    ("entering kings", "1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210"),
    ("widest", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"),
];

const IN_CHECK: &[(&str, &str)] = &[
    ("many answers", "2g6/3s+Nkr2/1p2pp3/+BP1p5/p8/N2NKP1nP/P1P1P1+l1l/2S2R2+s/1s2G1+p2 w 2GL4Pbl2p 110"),
    ("one answer", "1n5ns/l1grg1+S1l/p1ppp4/8p/1p1P1pppk/P5P1P/1PP1GPRP1/L1S1b2KL/1N1+b3NS w Gp 82"),
    ("double check", "2p2S2l/l3R1ks1/ppnp5/r1N2+bp1p/PgP1Ps1P1/3G2P1P/NPNP3g1/5+p2L/Lg3+s1K1 w Pb2p 186"),
];

/// One piece of each kind in hand and nothing but kings on the board: the moves are drops.
const DROPS: &[(&str, &str)] = &[
    ("one kind", "4k4/9/9/9/9/9/9/9/4K4 b P 1"),
    ("seven kinds", "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLP 1"),
    ("seven kinds, nifu", "4k4/9/9/p1p1p1p1p/9/P1P1P1P1P/9/9/4K4 b RBGSNLP 1"),
];

const PAWN_DROPS: &[(&str, &str, &str)] = &[
    ("mate", "5rknb/ls2g3l/p1npp1Gpp/1pp6/3PPP2P/6pP1/PPPn2S2/4GRK2/B2S3NL b GSLPp 95", "P*3b"),
    ("mate, pinned defender", "7nk/7g1/9/5B1N1/9/9/9/9/4K4 b P 1", "P*1b"),
    ("taken", "lr1+R1skn1/5g2l/2s1gp2p/ppp6/7P1/P3pP3/LPG1G1N1P/3NPS2K/1NS5L b B5Pbp 101", "P*3b"),
    ("evaded", "2gk1g1n1/1r3s3/lp3p2b/p3S2Sl/3n4p/4P4/P1+B5P/2SK4L/LN2R2N1 b G6Pg5p 83", "P*6b"),
];

/// Positions without check.
pub(crate) fn quiet() -> Vec<Named> {
    let positions = named(QUIET);
    positions.iter().for_each(|named| assert!(!named.position.in_check(), "{}", named.name));
    positions
}

/// Positions with the side to move in check.
pub(crate) fn in_check() -> Vec<Named> {
    let positions = named(IN_CHECK);
    positions.iter().for_each(|named| assert!(named.position.in_check(), "{}", named.name));
    positions
}

/// Positions whose moves are almost all drops.
pub(crate) fn drops() -> Vec<Named> {
    named(DROPS)
}

/// Pawn drops in front of the king: mates, which are illegal, and plain checks.
pub(crate) fn pawn_drops() -> Vec<PawnDrop> {
    let parse = |&(name, sfen, drop): &(&'static str, &str, &str)| {
        let drop = PawnDrop { name, position: position(sfen), drop: drop.parse().expect("a move") };
        assert_eq!(drop.position.is_legal(drop.drop), !name.starts_with("mate"), "{name}");
        drop
    };
    PAWN_DROPS.iter().map(parse).collect()
}

/// Every legal move of `position`.
pub(crate) fn legal_moves(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
}

fn named(table: &[(&'static str, &str)]) -> Vec<Named> {
    table.iter().map(|&(name, sfen)| Named { name, position: position(sfen) }).collect()
}

fn position(sfen: &str) -> Position {
    Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable")
}

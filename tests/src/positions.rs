//! Positions in the notation of the tests, and snapshots that compare them.

use enbu_movegen::{Color, Move, MoveList, Piece, Position, Setup, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::table;

/// The start position in SFEN.
pub const STARTPOS: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// A middle game with many pieces in hand, known as matsuri; White to move.
pub const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
/// The most legal moves that a set of pieces allows: 593.
pub const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";

/// The position of an SFEN.
///
/// # Panics
/// If the text is refused.
pub fn from_sfen(sfen: &str) -> Position {
    let setup: Setup = sfen.parse().unwrap_or_else(|error| panic!("{sfen}: {error}"));
    Position::from_setup(&setup).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// The position after `startpos [moves ...]` or `sfen ... [moves ...]`, with its history.
///
/// # Panics
/// If the text is no position or a move is illegal.
pub fn from_usi(text: &str) -> Position {
    let (base, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut position = match base.strip_prefix("sfen ") {
        Some(sfen) => from_sfen(sfen),
        None => {
            assert_eq!(base, "startpos", "neither `startpos` nor `sfen ...`");
            Position::startpos()
        }
    };
    for text in moves.split_whitespace() {
        let mv: Move = text.parse().unwrap_or_else(|error| panic!("{error}"));
        position.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    position
}

/// The legal moves, in the order of their packed bits.
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let mut moves = list.to_vec();
    moves.sort_by_key(|mv| mv.raw());
    moves
}

/// Checks that `mv`, a move of a `bestmove` line, is legal in the position of a
/// `position` command.
///
/// # Panics
/// If one of them cannot be read or the move is illegal.
pub fn assert_legal(position: &str, mv: &str) {
    let position = from_usi(position);
    let mv = mv.parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(position.is_legal(mv), "{mv} is not legal in {}", position.to_setup());
}

/// Everything that a position reports about itself: two positions are equal if and only
/// if their snapshots are.
pub fn snapshot(position: &Position) -> String {
    let checkers: Vec<Square> = position.checkers().into_iter().collect();
    let pinned: Vec<Square> = position.pinned().into_iter().collect();
    let moves: Vec<(Move, bool)> = legal_moves(position).into_iter().map(|mv| (mv, position.gives_check(mv))).collect();
    let board: Vec<Option<Piece>> = Square::ALL.into_iter().map(|square| position.piece_at(square)).collect();
    format!(
        "{}\nkey {:016x}\ncheckers {checkers:?}, in check: {}\npinned {pinned:?}\nkings {:?}\nhands {:?}\nmoves {moves:?}\nboard {board:?}",
        position.to_setup(),
        position.key(),
        position.in_check(),
        Color::ALL.map(|color| position.king(color)),
        Color::ALL.map(|color| position.hand(color)),
    )
}

/// The position read again from the text that it prints.
///
/// # Panics
/// If its own text is refused.
pub fn reparsed(position: &Position) -> Position {
    from_sfen(&position.to_setup().to_string())
}

/// Every distinct position of the two perft tables, as SFEN.
pub fn samples() -> Vec<String> {
    let mut sfens: Vec<String> = Vec::new();
    for table in ["perft.tsv", "perft-random.tsv"] {
        sfens.extend(table::rows(table).iter().map(|row| row.text("sfen").to_owned()));
    }
    sfens.sort();
    sfens.dedup();
    sfens
}

/// One step of a random walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A legal move.
    Move(Move),
    /// The turn passes.
    Null,
}

/// Random steps from a position, the same for the same seed.
///
/// Drops and promotions, which uniform choice makes rare or crowds out by turns, are
/// each preferred in a quarter of the steps; one step in eight is a null move where
/// the side to move is not in check.
#[derive(Debug)]
pub struct Walk {
    random: Xoshiro256PlusPlus,
}

impl Walk {
    /// A walk whose choices follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// A step in `position`, or `None` where there is no legal move.
    pub fn step(&mut self, position: &Position) -> Option<Step> {
        if self.random.random_range(0..8) == 0 && !position.in_check() {
            return Some(Step::Null);
        }
        self.choose(position).map(Step::Move)
    }

    /// A legal move in `position`, or `None` where there is none.
    pub fn choose(&mut self, position: &Position) -> Option<Move> {
        let moves = legal_moves(position);
        let preferred: Vec<Move> = match self.random.random_range(0..4) {
            0 => moves.iter().copied().filter(|mv| mv.is_drop()).collect(),
            1 => moves.iter().copied().filter(|mv| mv.is_promotion()).collect(),
            2 => moves.iter().copied().filter(|mv| position.piece_at(mv.to()).is_some()).collect(),
            _ => Vec::new(),
        };
        let pool = if preferred.is_empty() { &moves } else { &preferred };
        pool.choose(&mut self.random).copied()
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }
}

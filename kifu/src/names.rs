//! Names of openings, castles and tactics, found by rules.
//!
//! The rules are definitions of the field. Nothing is searched, and games that no rule fits have no
//! name.
//!
//! - An opening is named in even games from the usual position: the first row of the table that a
//!   side reaches in its first moves.
//! - A castle is named when a move of its side completes it; pieces that are left over from a
//!   larger castle make no new one.
//!
//! ```
//! use enbu_kifu::{Mode, Names, usi};
//! let game = usi::read("startpos moves 7g7f 3c3d 6g6f 8c8d 2h6h\n", Mode::Strict)?;
//! let opening = Names::of(&game.records[0]).opening;
//! assert_eq!(opening.map(|named| (named.ja, named.ply)), Some(("四間飛車".to_owned(), 5)));
//! # Ok::<(), enbu_kifu::KifuError>(())
//! ```

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

mod rule;
mod tactics;

use enbu_movegen::{Color, Move, PieceType, Setup, Square};
use once_cell::sync::Lazy;
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::format::Format;
use crate::header::HeaderKey;
use crate::record::Record;
use rule::{Facts, Moment, Rule};
use tactics::Pair;

/// A name with its place in the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The name in Japanese books and records.
    pub ja: String,
    /// The name in English.
    pub en: String,
    /// Number of the move that completes it; 0 for the start position.
    pub ply: usize,
}

/// Names of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideNames {
    /// Its opening.
    pub opening: Option<Named>,
    /// Its castles in the order of the moves.
    pub castles: Vec<Named>,
}

/// Names of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Opening of the game.
    pub opening: Option<Named>,
    /// Those of Black and of White.
    pub sides: [SideNames; 2],
    /// Tactics of the moves.
    pub tactics: Vec<Named>,
}

impl Named {
    fn new(&(ja, en): &Pair, ply: usize) -> Self {
        Self { ja: ja.to_owned(), en: en.to_owned(), ply }
    }
}

const TABLE: &str = include_str!("names/names.tsv");
/// Openings, those of few early moves first, then those of both sides.
static OPENINGS: Lazy<Vec<(Pair, Rule)>> = Lazy::new(|| rows("opening"));
/// Castles, the more special ones first.
static CASTLES: Lazy<Vec<(Pair, Rule)>> = Lazy::new(|| rows("castle"));
/// The king on its first square when the fight begins.
const SITTING_KING: Pair = ("居玉", "Sitting King");

fn rows(kind: &str) -> Vec<(Pair, Rule)> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t').skip_while(|cell| *cell == kind);
        Some(((cells.next()?, cells.next()?), Rule::parse(cells.next()?)?))
    };
    TABLE.lines().filter(|line| line.split('\t').next() == Some(kind)).filter_map(row).collect()
}

/// Number of moves by which openings are named.
const OPENING_MOVES: usize = 60;
/// Number of moves within which a ranging rook goes to its file.
const SWING_MOVES: usize = 30;

impl Names {
    /// The names of a record's main line.
    pub fn of(record: &Record) -> Self {
        let game = opening_moments(record);
        let mut names = Self::default();
        if *record.setup() == Setup::startpos() {
            let reached = |side| {
                let mut rows = OPENINGS.iter().enumerate();
                rows.find_map(|(place, (name, rule))| Some((place, Named::new(name, rule.reached(&game, side)?))))
            };
            let openings = Color::ALL.map(reached);
            names.opening = openings.iter().flatten().min_by_key(|(place, _)| *place).map(|(_, named)| named.clone());
            names.sides =
                openings.map(|opening| SideNames { opening: opening.map(|(_, named)| named), castles: Vec::new() });
        }
        names.add_castles_and_tactics(record, game.last().map_or_else(Default::default, |last| last.facts));
        names
    }

    fn add_castles_and_tactics(&mut self, record: &Record, facts: [Facts; 2]) {
        let mut board = Board::new(record.setup());
        let mut moment = Moment { board: board.to_setup().board, facts };
        for side in Color::ALL {
            let castle = CASTLES.iter().find(|(_, rule)| rule.holds(&moment, side));
            self.sides[side].castles.extend(castle.map(|(name, _)| Named::new(name, 0)));
        }
        let mut is_fought = false;
        for (ply, mv) in (1..).zip(record.moves()) {
            let side = board.turn();
            let taken = board.piece_at(mv.to()).map(|piece| piece.kind.unpromoted());
            if board.play(mv).is_err() {
                break;
            }
            moment.board = board.to_setup().board;
            self.tactics.extend(tactics::of_move(&board, mv, side).map(|name| Named::new(name, ply)));
            if let Some((name, rule)) = CASTLES.iter().find(|(_, rule)| rule.holds(&moment, side))
                && !mv.is_drop()
                && rule.wants(mv.to().relative(side))
                && self.sides[side].castles.iter().all(|known| known.ja != name.0)
            {
                self.sides[side].castles.push(Named::new(name, ply));
            }
            if !is_fought && taken.is_some_and(|kind| !matches!(kind, PieceType::Pawn | PieceType::Bishop)) {
                is_fought = true;
                for side in Color::ALL.into_iter().filter(|&side| moment.has(side, PieceType::King, Square::S59)) {
                    let castles = &mut self.sides[side].castles;
                    castles.extend(castles.is_empty().then(|| Named::new(&SITTING_KING, ply)));
                }
            }
        }
    }
}

/// The positions of the opening, the start position included.
fn opening_moments(record: &Record) -> Vec<Moment> {
    let mut board = Board::new(record.setup());
    let mut moment = Moment { board: board.to_setup().board, facts: Default::default() };
    moment.facts[Color::Black].add_if(true, "black");
    let mut game = vec![moment.clone()];
    for (ply, mv) in (1..=OPENING_MOVES).zip(record.moves()) {
        let (side, before) = (board.turn(), moment.clone());
        if board.play(mv).is_err() {
            break;
        }
        moment.board = board.to_setup().board;
        moment.facts[side] = facts_after(&before, &moment, side, mv, ply);
        game.push(moment.clone());
    }
    for known in &mut game {
        for (facts, end) in known.facts.iter_mut().zip(moment.facts) {
            facts.add_if(end.has("strays"), "strays");
            facts.add_if(end.has("settled") && !end.has("ranging") && !end.has("strays"), "static");
        }
    }
    game
}

/// The facts of a side after its move. A rook that ranges goes to its file in the opening, before
/// its pawn has moved and before the king has gone to that side.
fn facts_after(before: &Moment, after: &Moment, side: Color, mv: Move, ply: usize) -> Facts {
    let mut facts = before.facts[side];
    let to = mv.to().relative(side);
    let takes_bishop = before.board[mv.to()].is_some_and(|piece| piece.kind.unpromoted() == PieceType::Bishop);
    facts.add_if(takes_bishop, "bishop");
    let is_first = mv.from().map(|from| from.relative(side)) == Some(Square::S88) && to == Square::S22;
    facts.add_if(takes_bishop && is_first && before.has(side, PieceType::Bishop, Square::S88), "took");
    if ply > SWING_MOVES {
        return facts;
    }
    let king_is_on_right = |moment: &Moment| {
        Square::ALL.into_iter().any(|square| square.file() <= 5 && moment.has(side, PieceType::King, square))
    };
    let has_moved_pawn = |moment: &Moment| !moment.has(side, PieceType::Pawn, Square::S27);
    let is_rook = to.rank() >= 7 && !mv.is_drop() && after.has(side, PieceType::Rook, to);
    if is_rook && to.file() >= 5 && !facts.has("ranging") {
        let is_usual = to.rank() >= 8 && king_is_on_right(before) && !has_moved_pawn(before) && !facts.has("strays");
        facts.add_if(is_usual, "ranging");
        facts.add_if(is_usual, &format!("swung{}", to.file()));
        facts.add_if(!is_usual, "strays");
    }
    let is_short = [Square::S38, Square::S48].into_iter().any(|square| after.has(side, PieceType::Rook, square));
    facts.add_if(is_rook && to.file() < 5 && facts.has("ranging"), "strays");
    facts.add_if(has_moved_pawn(after) || is_short || !king_is_on_right(after), "settled");
    facts
}

/// Adds a header with the name of the opening, in the language of a format, where there is none.
pub fn add_opening(record: &mut Record, format: Format) {
    if record.headers.value(&HeaderKey::Opening).is_none()
        && let Some(Named { ja, en, .. }) = Names::of(record).opening
    {
        let is_japanese = matches!(format, Format::Kif | Format::Ki2 | Format::Jkf);
        record.headers.push(HeaderKey::Opening, if is_japanese { ja } else { en });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_read() {
        assert_eq!(OPENINGS.len() + CASTLES.len(), TABLE.lines().count() - 1);
        for text in ["K", "K28x", "X28", "K20", "swung", "@x K28", "unknown", "K28 / ?", "K28 > ~"] {
            assert!(Rule::parse(text).is_none(), "{text}");
        }
    }
}

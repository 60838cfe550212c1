//! Evaluation of a lonely king: a slope that leads to the mate.
//!
//! No network has learned such positions: games end before. Its values are high and flat there, and
//! a search too shallow to see the mate wanders for hundreds of moves.

use enbu_eval::piece_value::{in_hand, on_board};
use enbu_movegen::attacks::by_kings;
use enbu_movegen::{Attacked, Bitboard, Color, PieceType, Position, Square};

use crate::value::Value;

/// Worth of such a position before its details: above the evaluations of games.
const WON: Value = 12_000;
/// Share of the material that counts beside the squares.
const MATERIAL: Value = 4;

/// The side that is chased has at most this many pieces beside its king.
const COMPANY: u32 = 2;

/// The value of a position in which one side has hardly more than its king and the other can win,
/// for the side to move; `None` elsewhere.
///
/// The chaser gains by material, by squares that it takes from the king, and by pieces and its own
/// king near to it.
///
/// No change of the signature, since games end before. Both sides with 20 000 nodes a move, the 21
/// endings of `tests/data/won.tsv` are won in 3 to 91 plies; without this, nine pawns in hand were not
/// in 320. At 5000 nodes nine pawns still fail now and then, and at 20 000 so do contested endings
/// such as three golds and pawns against gold and silver.
#[inline]
pub(crate) fn value(position: &Position) -> Option<Value> {
    let is_lonely = |side: &Color| position.by_color(*side).count() <= 1 + COMPANY;
    let chased = Color::ALL.into_iter().filter(is_lonely).find_map(|side| slope(position, !side))?;
    Some(chased * if position.turn() == Color::Black { 1 } else { -1 })
}

/// The value for Black of a position in which `chaser` wins.
#[cold]
fn slope(position: &Position, chaser: Color) -> Option<Value> {
    let king = position.king(!chaser)?;
    let (material, _) = army(position, chaser);
    let (opposing, company) = army(position, !chaser);
    if company > COMPANY || material <= 2 * opposing {
        return None;
    }
    let weight = |kind| if kind == PieceType::King { 16 } else { 4 };
    // Below zero: a drop shall gain by the squares that it takes, not by another piece on the board.
    let far = |from: Square| Some(distance(from, king) * weight(position.piece_at(from)?.kind));
    let far: Value = position.by_color(chaser).into_iter().filter_map(far).sum();
    // Squares that the king reaches in three moves.
    let held = Attacked::by(position, chaser).all;
    let reached = (0..3).fold(Bitboard::of(king), |reached, _| reached | by_kings(reached).without(held));
    let value = WON + (material - opposing) / MATERIAL - far - 6 * reached.count() as Value;
    Some(if chaser == Color::Black { value } else { -value })
}

/// Value and number of the pieces of one side but its king, on the board and in hand.
fn army(position: &Position, side: Color) -> (Value, u32) {
    let board = position.by_color(side).into_iter().filter_map(|from| position.piece_at(from));
    let board = board.filter(|piece| piece.kind != PieceType::King).map(|piece| (on_board(piece.kind), 1));
    let hand = position.hand(side).iter().map(|(piece, count)| (in_hand(piece) * Value::from(count), count.into()));
    board.chain(hand).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn distance(one: Square, other: Square) -> Value {
    one.file().abs_diff(other.file()).max(one.rank().abs_diff(other.rank())).into()
}

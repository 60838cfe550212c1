//! Illegal moves and the rules they break.

use enbu_language::{messages, text};

use crate::moves::Move;

/// Error: the move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!("illegal move {mv}: {reason}", "{mv} は指せません：{reason}"))]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The rule that forbids it.
    pub reason: IllegalReason,
}

messages! {
/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum IllegalReason {
    NoPiece => "no piece of the side to move on the origin", "移動元に手番側の駒がありません";
    NotInHand => "the piece is not in hand", "その駒は持駒にありません";
    Occupied => "the destination is occupied", "移動先に駒があります";
    Unreachable => "the piece does not move that way", "駒がそのようには動けません";
    Promotion => "the piece cannot promote there", "そこでは成れません";
    DeadSquare => "the piece could never move again", "行き所のない駒になります";
    Nifu => "two pawns on one file (nifu)", "二歩です";
    Uchifuzume => "a pawn drop may not mate (uchifuzume)", "打ち歩詰めです";
    KingInCheck => "the own king would be in check", "自玉に王手がかかったままになります";
}}

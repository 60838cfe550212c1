//! Moves as books in English have them.

use enbu_movegen::{Color, Move, MoveParts, Piece, PieceType};

use crate::board::{Board, digits, may_promote};

/// The letters of a piece: `P`, `+R`.
pub(crate) fn piece(kind: PieceType) -> String {
    format!("{}{}", if kind.is_promoted() { "+" } else { "" }, kind.letter())
}

/// The text of a move with the mark of its side, such as `▲P-76`, `▲Bx22+`, `△S*45` or `▲G69-78`.
///
/// ```
/// use enbu_kifu::{Board, western};
/// use enbu_movegen::Setup;
/// assert_eq!(western::move_text(&Board::new(&Setup::startpos()), "6i7h".parse()?), "▲G-78");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn move_text(board: &Board, mv: Move) -> String {
    let mark = if board.turn() == Color::Black { '▲' } else { '△' };
    let (from, to, promote) = match mv.parts() {
        MoveParts::Drop { piece: held, to } => return format!("{mark}{}*{}", piece(held.piece_type()), digits(to)),
        MoveParts::Board { from, to, promote } => (from, to, promote),
    };
    let moved = board.piece_at(from).unwrap_or(Piece::new(board.turn(), PieceType::Pawn));
    let is_alone = board.origins(moved, to).into_iter().count() < 2;
    let origin = if is_alone { String::new() } else { digits(from) };
    let sign = if board.piece_at(to).is_some() { 'x' } else { '-' };
    let declined = if may_promote(moved, from, to) { "=" } else { "" };
    format!("{mark}{}{origin}{sign}{}{}", piece(moved.kind), digits(to), if promote { "+" } else { declined })
}

//! Counting the leaves of the game tree, the yardstick of a move generator.

use crate::{Move, MoveList, Position};

/// Number of move sequences of `depth` plies from here (1 for depth 0).
///
/// The last ply is counted, not played: sets of moves are summed up.
///
/// ```
/// use enbu_movegen::{Position, perft::perft};
/// assert_eq!(perft(&mut Position::startpos(), 3), 25_470);
/// ```
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let mut nodes = 0;
            for mv in &moves {
                position.do_move(mv);
                nodes += perft(position, depth - 1);
                position.undo_move();
            }
            nodes
        }
    }
}

/// [`perft`] split by first move, in generation order.
pub fn divide(position: &mut Position, depth: u32) -> impl Iterator<Item = (Move, u64)> + '_ {
    let mut moves = MoveList::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    let moves: Vec<Move> = moves.into_iter().collect();
    moves.into_iter().map(move |mv| {
        position.do_move(mv);
        let nodes = perft(position, depth - 1);
        position.undo_move();
        (mv, nodes)
    })
}

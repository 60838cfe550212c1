//! Perft: leaf counts of the game tree, the standard test of a move generator.

use enbu_isa::multiversion;

use crate::generate::Scope;
use crate::move_list::MoveList;
use crate::moves::Move;
use crate::position::Position;

/// Treatment of the moves of the last ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastPly {
    /// Bulk counting: the sizes of the move sets are summed, no move is generated.
    Count,
    /// Every move is written to a list, whose length is counted: the least a search
    /// needs, and the measure of most generators.
    List,
}

/// Number of legal move sequences of `depth` plies (1 for depth 0).
///
/// ```
/// use enbu_movegen::{Position, perft::perft};
/// assert_eq!(perft(&mut Position::startpos(), 3), 25_470);
/// ```
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    perft_with(position, depth, LastPly::Count)
}

multiversion! {
    /// [`perft`] with a choice of the treatment of the last ply.
    pub fn perft_with(position: &mut Position, depth: u32, last_ply: LastPly) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == 1 && last_ply == LastPly::Count {
            let mut count = 0;
            position.for_each_set(Scope::All, |set| count += set.len() as u64);
            return count;
        }
        let mut moves = MoveList::new();
        position.for_each_set(Scope::All, |set| set.for_each(|mv| moves.push(mv)));
        if depth == 1 {
            return moves.len() as u64;
        }
        let mut nodes = 0;
        for mv in &moves {
            position.do_move_inline(mv);
            nodes += perft_with(position, depth - 1, last_ply);
            position.undo_move_inline();
        }
        nodes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_count_the_same() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ] {
            let mut position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            for depth in 0..=3 {
                let counted = perft(&mut position, depth);
                assert_eq!(counted, perft_with(&mut position, depth, LastPly::List));
                if depth > 0 {
                    assert_eq!(counted, divide(&mut position, depth).map(|(_, nodes)| nodes).sum());
                }
            }
        }
    }
}

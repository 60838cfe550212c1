//! Vote of the threads on the move to play.
//!
//! Every thread votes for its best move, the stronger the deeper it searched and the higher its
//! value: `(value - lowest value + 14) * depth` (Stockfish). The move with most votes is played,
//! from the thread that gave it most.

use enbu_movegen::Move;

use crate::root_move::Vote;
use crate::value::MATE_BOUND;

/// Added to every difference of values, so that no vote is empty.
const LEAST: i64 = 14;

/// The vote whose move is played; the first is the main thread's, which wins ties.
pub(crate) fn choose(votes: &[Vote]) -> Option<&Vote> {
    let main = votes.first()?;
    // A proved mate needs no majority: the shortest is played.
    let mates = votes.iter().filter(|vote| vote.value >= MATE_BOUND);
    if let Some(shortest) = mates.reduce(|best, other| if other.value > best.value { other } else { best }) {
        return Some(shortest);
    }
    let lowest = votes.iter().map(|vote| vote.value).min()?;
    let weight = |vote: &Vote| (i64::from(vote.value - lowest) + LEAST) * i64::from(vote.depth);
    let sum = |mv: Move| -> i64 { votes.iter().filter(|vote| vote.root_move.mv == mv).map(weight).sum() };
    let strength = |vote: &Vote| (sum(vote.root_move.mv), weight(vote));
    Some(votes.iter().skip(1).fold(main, |best, other| if strength(other) > strength(best) { other } else { best }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root_move::RootMove;
    use crate::value::Value;
    use crate::value::mate_at;

    fn vote(mv: &str, value: Value, depth: i32) -> Vote {
        Vote { root_move: RootMove::new(mv.parse().expect("a move")), value, depth }
    }

    fn chosen(votes: &[Vote]) -> String {
        choose(votes).expect("a vote").root_move.mv.to_string()
    }

    #[test]
    fn most_votes_win_and_the_main_thread_wins_ties() {
        let two = [vote("7g7f", 30, 10), vote("2g2f", 30, 10)];
        assert_eq!(chosen(&two), "7g7f");
        let three = [vote("7g7f", 30, 10), vote("2g2f", 28, 10), vote("2g2f", 27, 10)];
        assert_eq!(chosen(&three), "2g2f");
        let deeper = [vote("7g7f", 30, 10), vote("2g2f", 30, 12)];
        assert_eq!(chosen(&deeper), "2g2f");
    }

    #[test]
    fn a_mate_needs_no_majority() {
        let mate = [vote("7g7f", 900, 20), vote("7g7f", 900, 20), vote("2g2f", mate_at(5), 8)];
        assert_eq!(chosen(&mate), "2g2f");
    }
}

//! Vote of the threads on the move to play.
//!
//! Every thread votes for its best move, the stronger the deeper it searched and
//! the better it thinks of it: `(value - lowest value + 14) * depth` (Stockfish). The
//! move with most votes is played, from the thread that gave it most.

use enbu_movegen::Move;

use crate::root_move::Candidate;
use crate::value::MATE_BOUND;

/// Added to every difference of values, so that no vote is empty.
const LEAST: i64 = 14;

/// The candidate to play; the first is the main thread's, which wins ties.
pub(crate) fn choose(candidates: &[Candidate]) -> Option<&Candidate> {
    let main = candidates.first()?;
    // A proved mate needs no majority: the shortest is played.
    let mate = candidates.iter().filter(|candidate| candidate.value >= MATE_BOUND);
    if let Some(shortest) = mate.reduce(|best, other| if other.value > best.value { other } else { best }) {
        return Some(shortest);
    }
    let lowest = candidates.iter().map(|candidate| candidate.value).min()?;
    let weight = |candidate: &Candidate| (i64::from(candidate.value - lowest) + LEAST) * i64::from(candidate.depth);
    let votes =
        |mv: Move| -> i64 { candidates.iter().filter(|candidate| candidate.root_move.mv == mv).map(weight).sum() };
    Some(candidates.iter().skip(1).fold(main, |best, other| {
        let strength = |candidate: &Candidate| (votes(candidate.root_move.mv), weight(candidate));
        if strength(other) > strength(best) { other } else { best }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root_move::RootMove;
    use crate::value::Value;
    use crate::value::mate_at;

    fn candidate(mv: &str, value: Value, depth: i32) -> Candidate {
        Candidate { root_move: RootMove::new(mv.parse().expect("a move")), value, depth }
    }

    fn chosen(candidates: &[Candidate]) -> String {
        choose(candidates).expect("a candidate").root_move.mv.to_string()
    }

    #[test]
    fn most_votes_win_and_the_main_thread_wins_ties() {
        let two = [candidate("7g7f", 30, 10), candidate("2g2f", 30, 10)];
        assert_eq!(chosen(&two), "7g7f");
        let three = [candidate("7g7f", 30, 10), candidate("2g2f", 28, 10), candidate("2g2f", 27, 10)];
        assert_eq!(chosen(&three), "2g2f");
        let deeper = [candidate("7g7f", 30, 10), candidate("2g2f", 30, 12)];
        assert_eq!(chosen(&deeper), "2g2f");
    }

    #[test]
    fn a_mate_needs_no_majority() {
        let mate = [candidate("7g7f", 900, 20), candidate("7g7f", 900, 20), candidate("2g2f", mate_at(5), 8)];
        assert_eq!(chosen(&mate), "2g2f");
    }
}

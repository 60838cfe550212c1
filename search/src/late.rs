//! Late moves of a node that are not searched.
//!
//! Each rule is one function. The matches that judged it are beside its numbers in
//! [`params`](crate::params).

use enbu_eval::piece_value::exchange;
use enbu_movegen::PieceType;

use crate::node::{Candidate, Node, Trend};
use crate::value::Value;
use crate::worker::Worker;
use crate::{params, see};

impl Worker<'_> {
    /// Returns true if no quiet move but a check is worth a search, however high its history:
    /// even unreduced it is futile. The others are then not generated.
    ///
    /// Last test, with mates in one asked for after reverse futility: -2 ± 33 (400 games, 10 000
    /// nodes), 0 ± 54 (137 games, 100 000 nodes); checks that lose much left out as well, -20 ± 34
    /// (400 games, 10 000 nodes), -9 ± 45 (202 games, 100 000 nodes).
    pub(crate) fn only_checks_count(&self, node: &Node, alpha: Value) -> bool {
        !node.follows && node.eval().is_some_and(|eval| is_futile(node.depth.max(1), eval, alpha))
    }

    /// Returns true if a late move hardly reaches alpha; `shallow` is the depth at which it would
    /// be searched. Evasions, too: not from a mate, which the caller excludes.
    ///
    /// Last test: late evasions pruned against none, +15 ± 17 (T2).
    pub(crate) fn is_useless(&self, node: &Node, candidate: &Candidate, alpha: Value, shallow: i32) -> bool {
        let Candidate { number, victim, checks, history, .. } = *candidate;
        match victim {
            _ if node.follows || checks => false,
            None => {
                is_late(node.depth, number, node.trend)
                    || has_bad_history(shallow, history)
                    || node.eval().is_some_and(|eval| is_futile(shallow, eval, alpha))
            }
            Some(victim) => node.eval().is_some_and(|eval| is_futile_capture(shallow, eval, victim, history, alpha)),
        }
    }

    /// Returns true if the exchange that a late move begins loses too much for its depth (SEE
    /// pruning, as in Stockfish): for captures `margin depth`, for quiet moves `margin depth^2`.
    pub(crate) fn loses_too_much(&self, node: &Node, candidate: &Candidate, shallow: i32) -> bool {
        let (depth, margin) = match candidate.victim {
            Some(_) if candidate.gains => return false,
            Some(_) => (node.depth, params::see_capture_margin()),
            None if node.follows => return false,
            None => (shallow, params::see_quiet_margin() * shallow),
        };
        depth <= params::see_depth() && !see::reaches(&self.position, candidate.mv, -margin * depth)
    }
}

/// Late move pruning, also move-count pruning: after this many moves of a node at low depth, quiet
/// moves that ordering puts last are not searched. (Stockfish.)
///
/// `number > (count + depth^2) / 2`, twice as many while the evaluation improves.
#[inline]
pub(crate) fn is_late(depth: i32, number: usize, trend: Trend) -> bool {
    let count = (params::late_move_count() + depth * depth) * (1 + trend.as_int()) / 2;
    depth <= params::late_move_depth() && number as i32 > count
}

/// Futility pruning: at low depth a quiet move hardly lifts a value so far below alpha. (Schaeffer
/// 1986; at several depths, Heinz 1998.)
#[inline]
fn is_futile(depth: i32, eval: Value, alpha: Value) -> bool {
    depth <= params::futility_depth() && eval + params::futility_base() + params::futility_margin() * depth <= alpha
}

/// Futility pruning of captures: at low depth even the piece taken does not lift a value so far
/// below alpha. (Stockfish.)
#[inline]
fn is_futile_capture(depth: i32, eval: Value, victim: PieceType, history: i32, alpha: Value) -> bool {
    let margin = params::capture_futility_base() + params::capture_futility_margin() * depth;
    let gain = exchange(victim) + history / params::capture_futility_history();
    depth <= params::capture_futility_depth() && eval + margin + gain <= alpha
}

/// History pruning: at low depth, a quiet move that hardly ever was good. (Letouzey, Fruit 2005.)
#[inline]
fn has_bad_history(depth: i32, history: i32) -> bool {
    depth <= params::history_pruning_depth() && history < -params::history_pruning_margin() * depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_is_futile_only_where_its_victim_does_not_reach_alpha() {
        let margin = params::capture_futility_base() + params::capture_futility_margin();
        let (victim, unit) = (PieceType::Silver, params::capture_futility_history());
        let alpha = margin + exchange(victim);
        assert!(is_futile_capture(1, 0, victim, 0, alpha));
        assert!(!is_futile_capture(1, 0, PieceType::Gold, 0, alpha), "the victim counts");
        assert!(!is_futile_capture(1, 0, victim, unit, alpha), "and so does the history");
        assert!(!is_futile_capture(2, 0, victim, 0, alpha), "deeper, more may happen");
        assert!(!is_futile_capture(params::capture_futility_depth() + 1, 0, PieceType::Pawn, 0, 20_000));
    }
}

//! When a node or a move need not be searched in full.

use crate::params;
use crate::value::{DECIDED, Value, is_ordinary};

/// Trend of the static evaluation along the line of play. While it rises, pruning from above
/// is then safer, from below less so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// Better than at the side's own move before.
    Improving,
    /// Not better.
    Falling,
}

impl Trend {
    /// From the evaluations now and at the side's own move before (where known).
    #[inline]
    pub(crate) fn of(now: Option<Value>, before: Option<Value>) -> Self {
        match (now, before) {
            (Some(now), Some(before)) if now > before => Self::Improving,
            _ => Self::Falling,
        }
    }

    /// 1 if improving, else 0.
    #[inline]
    pub(crate) fn as_int(self) -> i32 {
        i32::from(self == Self::Improving)
    }
}

/// Reverse futility: at low depth, a position so far above beta that no quiet
/// loss brings it below is not searched. (Stockfish and others; `eval - margin *
/// depth >= beta`.)
#[inline]
pub(crate) fn reverse_futility(depth: i32, eval: Value, beta: Value, trend: Trend) -> Option<Value> {
    let margin = params::reverse_futility_margin() * (depth - trend.as_int());
    let safe = depth <= params::reverse_futility_depth() && eval - margin >= beta && is_ordinary(beta);
    // Halfway between: the margin was only assumed.
    safe.then(|| (eval + beta) / 2)
}

/// Razoring: at low depth, a position so far below alpha is only searched for
/// captures.
#[inline]
pub(crate) fn is_hopeless(depth: i32, eval: Value, alpha: Value) -> bool {
    depth <= params::razoring_depth()
        && eval + params::razoring_base() + params::razoring_margin() * depth * depth < alpha
        && is_ordinary(alpha)
}

/// Null move pruning: if passing still leaves the opponent unable to come below
/// beta, a real move surely would. Zugzwang hardly exists in shogi, so no
/// verification is done. (Donninger 1993.)
///
/// Returns the depth for the search after the pass, or `None` when it should not
/// be tried: at low depth, below beta, or when only mates are at stake.
#[inline]
pub(crate) fn null_move_depth(depth: i32, eval: Value, beta: Value) -> Option<i32> {
    let worthwhile = depth >= params::null_move_depth() && eval >= beta && beta > -DECIDED;
    let surplus = ((eval - beta) / params::null_move_eval_divisor()).min(3);
    worthwhile.then(|| depth - params::null_move_base() - depth / params::null_move_depth_divisor() - surplus)
}

/// ProbCut: the value that a capture must reach in a shallow search for the node
/// to be cut without a full one; `None` where it is not tried. (Buro 1995.)
#[inline]
pub(crate) fn probable_cut(depth: i32, beta: Value, trend: Trend) -> Option<Value> {
    let target = beta + params::probcut_margin() - params::probcut_improving() * trend.as_int();
    (depth >= params::probcut_depth() && target < DECIDED && beta > -DECIDED).then_some(target)
}

/// Hindsight: a node that was reached by a reduced search is searched deeper when its
/// evaluation contradicts the reduction, less deeply when it confirms it. Returns the
/// change of depth in plies. (Stockfish.)
///
/// `eval` is the node's evaluation, `before` that of the node before, both for their
/// sides to move: their sum is the loss by the move between them.
#[inline]
pub(crate) fn hindsight(depth: i32, reduction: i32, eval: Value, before: Value) -> i32 {
    let deeper = reduction >= params::hindsight_deeper() && eval <= -before;
    let gain = eval + before;
    let shallower = reduction >= params::hindsight_shallower() && depth >= 2 && gain > params::hindsight_gain();
    i32::from(deeper) - i32::from(shallower)
}

/// Internal iterative reduction: without a move from the table the order is poor,
/// and the search is cheaper a ply less deep. (Rasmussen 2020.)
#[inline]
pub(crate) fn is_worth_less_without_table_move(depth: i32) -> bool {
    depth >= params::iir_depth()
}

/// Late move pruning: after this many moves of a node at low depth, quiet moves
/// that ordering puts last are not searched.
#[inline]
pub(crate) fn is_late(depth: i32, number: usize, trend: Trend) -> bool {
    let count = (params::late_move_count() + depth * depth) * (1 + trend.as_int()) / 2;
    depth <= params::late_move_depth() && number as i32 > count
}

/// Futility: at low depth a quiet move hardly lifts a value so far below alpha.
#[inline]
pub(crate) fn is_futile(depth: i32, eval: Value, alpha: Value) -> bool {
    depth <= params::futility_depth() && eval + params::futility_base() + params::futility_margin() * depth <= alpha
}

/// Futility of captures: at low depth even the piece taken does not lift a value so far
/// below alpha. `gain` is that piece's exchange value. (Stockfish.)
#[inline]
pub(crate) fn is_futile_capture(depth: i32, eval: Value, gain: Value, history: i32, alpha: Value) -> bool {
    let margin = params::capture_futility_base() + params::capture_futility_margin() * depth;
    depth <= params::capture_futility_depth() && eval + margin + gain + history / 16 <= alpha
}

/// History pruning: at low depth, a quiet move that hardly ever was good.
#[inline]
pub(crate) fn has_bad_history(depth: i32, history: i32) -> bool {
    depth <= params::history_pruning_depth() && history < -params::history_pruning_margin() * depth
}

/// Largest loss in the exchange that a quiet move begins for it still to be
/// searched, in exchange units; `None` at depths where every move is.
#[inline]
pub(crate) fn quiet_loss(depth: i32) -> Option<Value> {
    (depth <= params::see_depth()).then_some(params::see_quiet_margin() * depth * depth)
}

/// Largest loss of a capture, like [`quiet_loss`].
#[inline]
pub(crate) fn capture_loss(depth: i32) -> Option<Value> {
    (depth <= params::see_depth()).then_some(params::see_capture_margin() * depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_is_futile_only_where_its_victim_does_not_reach_alpha() {
        let margin = params::capture_futility_base() + params::capture_futility_margin();
        assert!(is_futile_capture(1, 0, 500, 0, margin + 500));
        assert!(!is_futile_capture(1, 0, 501, 0, margin + 500), "the victim counts");
        assert!(!is_futile_capture(1, 0, 500, 16, margin + 500), "and so does the history");
        assert!(!is_futile_capture(2, 0, 500, 0, margin + 500), "deeper, more may happen");
        assert!(!is_futile_capture(params::capture_futility_depth() + 1, 0, 0, 0, 20_000));
    }
}

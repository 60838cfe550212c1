//! Depth of the search of a node or a move: reductions.
//!
//! Each rule is one function. The matches that judged it are beside its numbers in
//! [`params`](crate::params).

use crate::node::{Candidate, Node, NodeKind};
use crate::params;
use crate::value::Value;
use crate::worker::Worker;

/// Reductions are counted in these parts of a ply.
pub(crate) const PLY: i32 = 1024;

/// `1024 ln n` for `n` below 64; 0 for 0.
static LN: [i32; 64] = {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        table[n] = (1024.0 * ln(n as f64)) as i32;
        n += 1;
    }
    table
};

/// The natural logarithm for `x >= 1`, by `ln x = 2 artanh((x - 1) / (x + 1))`.
const fn ln(x: f64) -> f64 {
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut n) = (ratio, 0.0, 1);
    while n < 2000 {
        sum += power / n as f64;
        power *= ratio * ratio;
        n += 2;
    }
    2.0 * sum
}

impl Worker<'_> {
    /// Late move reduction: a move late in the order is searched less deeply first, and again at
    /// full depth if it beats alpha all the same. In parts of a [`PLY`].
    ///
    /// Formula: `base + ln(depth) ln(number) / divisor - slope number`, the common form since Fruit,
    /// with Stockfish's slope and conditions; constants are ours.
    pub(crate) fn reduction(&self, node: &Node, candidate: &Candidate) -> i32 {
        let number = candidate.number.min(63);
        let product = LN[node.depth.clamp(0, 63) as usize] * LN[number] / 1024;
        let mut reduction = params::lmr_base() + product * 1024 / params::lmr_divisor();
        reduction -= params::lmr_number() * number as i32;
        reduction -= (candidate.history - params::lmr_history_offset()) * PLY / params::lmr_history_divisor();
        reduction -= i32::from(node.was_pv) * params::lmr_pv();
        reduction -= i32::from(node.kind == NodeKind::Pv) * params::lmr_open();
        if node.kind == NodeKind::Cut {
            reduction += params::lmr_cut() + i32::from(node.table_move().is_none()) * params::lmr_no_table_move();
        }
        reduction += (1 - node.trend.as_int()) * params::lmr_falling();
        reduction += i32::from(node.table_captures) * params::lmr_table_capture();
        // Where the siblings' children failed high often, the moves here rarely matter.
        let cutoffs = i32::from(self.frame(node.ply + 1).cutoffs);
        reduction += i32::from(cutoffs >= params::lmr_cutoff_count()) * params::lmr_cutoffs();
        reduction -= i32::from(candidate.victim.is_some()) * params::lmr_capture();
        reduction -= i32::from(candidate.checks) * params::lmr_check();
        reduction.max(0)
    }
}

/// Change of depth, in plies, of the search that follows a reduced one with `value` above alpha:
/// deeper if that is far above the `best` of the moves before, less deep if it is hardly better.
/// (Stockfish.)
#[inline]
pub(crate) fn research_depth(value: Value, best: Value) -> i32 {
    i32::from(value > best + params::lmr_deeper()) - i32::from(value < best + params::lmr_shallower())
}

/// Hindsight: a node that was reached by a reduced search is searched deeper if its evaluation
/// contradicts the reduction, less deeply if it confirms it. Returns the change of depth in plies.
/// (Stockfish.)
///
/// `eval` is the node's evaluation, `before` its parent's, both for their sides to move: their sum
/// is the loss by the move between them.
#[inline]
pub(crate) fn hindsight(depth: i32, reduction: i32, eval: Value, before: Value) -> i32 {
    let deeper = reduction >= params::hindsight_deeper() && eval <= -before;
    let gain = eval + before;
    let shallower = reduction >= params::hindsight_shallower() && depth >= 2 && gain > params::hindsight_gain();
    i32::from(deeper) - i32::from(shallower)
}

/// Internal iterative reduction: without a move from the table the order is poor, and a search that
/// is a ply less deep finds one at lower cost. (Rasmussen 2020.)
#[inline]
pub(crate) fn iir_applies(node: &Node) -> bool {
    node.kind != NodeKind::All && node.table_move().is_none() && node.depth >= params::iir_depth()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_better_is_searched_deeper() {
        assert_eq!(research_depth(500, 100), 1);
        assert_eq!(research_depth(130, 100), 0);
        assert_eq!(research_depth(101, 100), -1);
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for (n, &value) in LN.iter().enumerate().skip(1) {
            assert_eq!(value, (1024.0 * (n as f64).ln()) as i32, "{n}");
        }
    }
}

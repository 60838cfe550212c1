//! When a node need not be searched in full.

use crate::params;
use crate::value::{MATE_BOUND, Value};

/// Null move pruning: if passing still leaves the opponent unable to come below
/// beta, a real move surely would. Zugzwang hardly exists in shogi, so no
/// verification is done. (Donninger 1993.)
///
/// Returns the depth for the search after the pass, or `None` when it should not
/// be tried: at low depth, below beta, or when only mates are at stake.
#[inline]
pub(crate) fn null_move_depth(depth: i32, eval: Value, beta: Value) -> Option<i32> {
    let worthwhile = depth >= params::NULL_MOVE_DEPTH && eval >= beta && beta > -MATE_BOUND;
    worthwhile.then(|| depth - params::NULL_MOVE_BASE - depth / params::NULL_MOVE_DEPTH_DIVISOR)
}

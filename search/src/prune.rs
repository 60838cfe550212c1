//! When a node need not be searched in full.

use crate::params;
use crate::value::{MATE_BOUND, REPETITION_WIN, Value};

/// Reverse futility: at low depth, a position so far above beta that no quiet
/// loss brings it below is not searched. (Stockfish and others; `eval - margin *
/// depth >= beta`.)
#[inline]
pub(crate) fn reverse_futility(depth: i32, eval: Value, beta: Value) -> Option<Value> {
    let margin = params::REVERSE_FUTILITY_MARGIN * depth;
    let safe = depth <= params::REVERSE_FUTILITY_DEPTH && eval - margin >= beta && beta.abs() < REPETITION_WIN;
    // Halfway between: the margin was only assumed.
    safe.then(|| (eval + beta) / 2)
}

/// Late move pruning: after this many moves of a node at low depth, quiet moves
/// that ordering puts last are not searched.
#[inline]
pub(crate) fn is_late(depth: i32, number: usize) -> bool {
    depth <= params::LATE_MOVE_DEPTH && number as i32 > params::LATE_MOVE_COUNT + depth * depth
}

/// Futility: at low depth a quiet move hardly lifts a value so far below alpha.
#[inline]
pub(crate) fn is_futile(depth: i32, eval: Value, alpha: Value) -> bool {
    depth <= params::FUTILITY_DEPTH && eval + params::FUTILITY_BASE + params::FUTILITY_MARGIN * depth <= alpha
}

/// How much a move may lose in the exchange it begins and still be searched, in
/// exchange units; `None` at depths where every move is.
#[inline]
pub(crate) fn see_threshold(depth: i32, quiet: bool) -> Option<Value> {
    (depth <= params::SEE_DEPTH).then_some(if quiet {
        -params::SEE_QUIET_MARGIN * depth * depth
    } else {
        -params::SEE_CAPTURE_MARGIN * depth
    })
}

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

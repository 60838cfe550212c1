//! When a move is searched deeper than its siblings.

use crate::params;
use crate::report::Bound;
use crate::tt::Entry;
use crate::value::{Value, is_ordinary};

/// A test whether the table's move is the only good one: the others are searched
/// at `depth` against a null window just below `beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SingularTest {
    /// Bound that another move must reach for the table move not to be singular.
    pub(crate) beta: Value,
    /// Depth of their search, in plies.
    pub(crate) depth: i32,
}

/// Singular extension: whether to test the table's move for it. Its entry must be
/// a lower bound from a search nearly as deep as this one. (Anantharaman,
/// Campbell and Hsu 1988; in this form in Stockfish.)
#[inline]
pub(crate) fn singular_test(depth: i32, entry: &Entry) -> Option<SingularTest> {
    let reliable = depth >= params::singular_depth()
        && entry.depth >= depth - 3
        && entry.bound != Bound::Upper
        && is_ordinary(entry.value);
    reliable
        .then(|| SingularTest { beta: entry.value - params::singular_margin() * depth / 16, depth: (depth - 1) / 2 })
}

/// By how many plies to extend a move that passed the test with `value`: two if
/// all others are far below.
#[inline]
pub(crate) fn singular(value: Value, test: SingularTest) -> i32 {
    1 + i32::from(value < test.beta - params::singular_double_margin())
}

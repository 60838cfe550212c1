//! Moves that are searched deeper than their siblings.

use enbu_movegen::Move;

use crate::node::{Candidate, Node, NodeKind};
use crate::params;
use crate::report::Bound;
use crate::tt::Entry;
use crate::value::{Value, is_ordinary};
use crate::worker::Worker;

/// Extension of a move, or a cutoff by its test.
pub(crate) enum Extension {
    /// The move is searched this many plies deeper (less deeply below zero).
    By(i32),
    /// The node is not searched: this is its value.
    Cut(Value),
}

/// A test of the table's move for singularity: the others are searched at `depth` against a null
/// window just below `beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SingularTest {
    /// Bound that another move must reach for the table move not to be singular.
    beta: Value,
    /// Depth of their search, in plies.
    depth: i32,
}

impl Worker<'_> {
    /// Singular extension: the table's move is searched deeper if no other one comes near its
    /// value; two plies deeper if all others are far below. (Anantharaman, Campbell and Hsu 1988; in
    /// this form in Stockfish.)
    ///
    /// Multi-cut: if the others reach beta even so, the node is cut. (Björnsson and Marsland 1998.)
    pub(crate) fn extension(&mut self, node: &Node, candidate: &Candidate, beta: Value) -> Extension {
        let is_tested = node.ply < 2 * self.root_depth && node.excluded.is_none();
        let entry = node.entry.filter(|entry| is_tested && entry.mv == Some(candidate.mv));
        let Some((entry, test)) = entry.and_then(|entry| Some((entry, singular_test(node.depth, &entry)?))) else {
            return Extension::By(0);
        };
        let others = self.search_others(node, candidate.mv, test);
        if others < test.beta {
            let is_double = node.kind != NodeKind::Pv && others < test.beta - params::singular_double_margin();
            Extension::By(1 + i32::from(is_double))
        } else if others >= beta && is_ordinary(others) {
            Extension::Cut(others)
        } else if entry.value >= beta || node.kind == NodeKind::Cut {
            Extension::By(-params::singular_negative())
        } else {
            Extension::By(0)
        }
    }

    /// Searches all moves of the node but `mv`, against a null window below the test's bound.
    fn search_others(&mut self, node: &Node, mv: Move, test: SingularTest) -> Value {
        self.frame_mut(node.ply).excluded = Some(mv);
        let value = self.node(node.kind.closed(), test.beta - 1, test.beta, test.depth, node.ply);
        self.frame_mut(node.ply).excluded = None;
        value
    }
}

/// The test of a node's table move, if its entry is a lower bound from nearly as deep a search.
#[inline]
fn singular_test(depth: i32, entry: &Entry) -> Option<SingularTest> {
    let is_reliable = depth >= params::singular_depth()
        && entry.depth >= depth - params::singular_entry()
        && entry.bound != Bound::Upper
        && is_ordinary(entry.value);
    let beta = entry.value - params::singular_margin() * depth / 16;
    is_reliable.then_some(SingularTest { beta, depth: (depth - 1) / 2 })
}

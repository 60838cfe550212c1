//! Moves that are searched deeper than their siblings.

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

impl Worker<'_> {
    /// Singular extension: the table's move is searched deeper if no other one comes near its
    /// value; two plies deeper if all others are far below. (Anantharaman, Campbell and Hsu 1988; in
    /// this form in Stockfish.)
    ///
    /// Multi-cut: if the others reach beta even so, the node is cut. (Björnsson and Marsland 1998.)
    pub(crate) fn extension(&mut self, node: &Node, candidate: &Candidate, beta: Value) -> Extension {
        // A lower bound from nearly as deep a search.
        let is_reliable = |entry: &Entry| {
            entry.mv == Some(candidate.mv)
                && entry.depth >= node.depth - params::singular_entry()
                && entry.bound != Bound::Upper
                && is_ordinary(entry.value)
        };
        let is_tested =
            node.depth >= params::singular_depth() && node.ply < 2 * self.root_depth && node.excluded.is_none();
        let Some(entry) = node.entry.filter(|entry| is_tested && is_reliable(entry)) else { return Extension::By(0) };
        // If another move reaches this, the table's is not singular.
        let bound = entry.value - params::singular_margin() * node.depth / 16;
        self.frame_mut(node.ply).excluded = entry.mv;
        let others = self.node(node.kind.closed(), bound - 1, bound, (node.depth - 1) / 2, node.ply);
        self.frame_mut(node.ply).excluded = None;
        if others < bound {
            let is_double = node.kind != NodeKind::Pv && others < bound - params::singular_double_margin();
            Extension::By(1 + i32::from(is_double))
        } else if others >= beta && is_ordinary(others) {
            Extension::Cut(others)
        } else if entry.value >= beta || node.kind == NodeKind::Cut {
            Extension::By(-params::singular_negative())
        } else {
            Extension::By(0)
        }
    }
}

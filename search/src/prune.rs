//! Nodes that are pruned before their moves are searched.
//!
//! Each rule is one function: condition, formula and origin. The matches that judged it are beside
//! its numbers in [`params`](crate::params).

use crate::node::{Judgement, Node, NodeKind};
use crate::params;
use crate::picker::{self, Wanted};
use crate::report::Bound;
use crate::see;
use crate::tt::Entry;
use crate::value::{DECIDED, Value, is_ordinary};
use crate::worker::Worker;

impl Worker<'_> {
    /// Value of a node that is pruned before any of its moves is made.
    ///
    /// The cheapest rule first: at or above beta by its evaluation, the node gains nothing from a
    /// mate in one.
    pub(crate) fn cut_early(&mut self, node: &Node, alpha: Value, beta: Value, judged: Judgement) -> Option<Value> {
        let eval = judged.refined;
        if let Some(value) = reverse_futility(node, eval, beta) {
            if node.entry.is_none() {
                self.keep_eval(&judged, node.ply, node.kind);
            }
            return Some(value);
        }
        self.razor(node, eval, alpha, beta)
            .or_else(|| if node.entry.is_none() { self.mate_at_once(node.ply) } else { None })
            .or_else(|| self.null_move(node, eval, beta))
            .or_else(|| self.probcut(node, beta))
    }

    /// Razoring: a position so far below alpha at low depth that only captures may reach it is
    /// searched by quiescence alone. (Birmingham and Kent 1977; the form is Stockfish's.)
    ///
    /// `eval + base + margin depth^2 < alpha`
    fn razor(&mut self, node: &Node, eval: Value, alpha: Value, beta: Value) -> Option<Value> {
        let margin = params::razoring_base() + params::razoring_margin() * node.depth * node.depth;
        if node.depth > params::razoring_depth() || eval + margin >= alpha || !is_ordinary(alpha) {
            return None;
        }
        Some(self.quiescence(node.kind, alpha, beta, node.ply)).filter(|&value| value <= alpha)
    }

    /// Null-move pruning: if the value stays at or above beta even after a pass, a real move surely
    /// keeps it there. At cut nodes only, whose value is expected to reach beta. Zugzwang hardly
    /// exists in shogi, so no verification is done. (Donninger 1993.)
    fn null_move(&mut self, node: &Node, eval: Value, beta: Value) -> Option<Value> {
        let passed = self.position.plies_played() > 0 && self.position.last_move().is_none();
        if node.kind != NodeKind::Cut
            || passed
            || node.depth < params::null_move_depth()
            || eval < beta
            || beta <= -DECIDED
            || node.eval()? < beta - params::null_move_slack() * node.depth
        {
            return None;
        }
        let surplus = ((eval - beta) / params::null_move_eval_divisor()).min(params::null_move_eval_limit());
        let reduction = params::null_move_base() + node.depth / params::null_move_depth_divisor() + surplus;
        let frame = self.frame_mut(node.ply);
        (frame.arrival, frame.quiet) = (None, None);
        let keys = frame.keys;
        let child = self.frame_mut(node.ply + 1);
        (child.on_last_pv, child.keys) = (false, keys);
        self.position.do_null_move();
        let value = -self.node(NodeKind::All, -beta, 1 - beta, node.depth - reduction, node.ply + 1);
        self.position.undo_null_move();
        self.frame_mut(node.ply).anchor = self.frame(node.ply + 1).anchor;
        // A mate found after a pass is not proved; the bound is.
        (!self.stopped && value >= beta).then_some(if value >= DECIDED { beta } else { value })
    }

    /// ProbCut: a capture that reaches a bound above beta in a shallow search cuts the node
    /// without a full one. (Buro 1995; with captures, Stockfish.)
    fn probcut(&mut self, node: &Node, beta: Value) -> Option<Value> {
        let target = beta + params::probcut_margin() - params::probcut_improving() * node.trend.as_int();
        if node.depth < params::probcut_depth() || target >= DECIDED || beta <= -DECIDED {
            return None;
        }
        // The table knows nearly as deep a search that stays below.
        let is_refuted = |entry: Entry| entry.depth >= node.depth - params::probcut_entry() && entry.value < target;
        if node.entry.is_some_and(is_refuted) {
            return None;
        }
        let (depth, ply) = (node.depth - params::probcut_reduction(), node.ply);
        let needed = target - node.eval()?;
        let table_move = node
            .table_move()
            .filter(|&mv| self.position.piece_at(mv.to()).is_some() && see::reaches(&self.position, mv, needed));
        let mut picker = self.picker(Wanted::Gaining(needed.max(0)), table_move, node.line);
        let mut found = None;
        while let Some(mv) = picker::next(&mut picker, &self.position, self.memory, &self.job.table, &mut self.moves) {
            self.make(mv, ply, None);
            let mut value = -self.quiescence(node.kind.child(), -target, 1 - target, ply + 1);
            if value >= target && depth > 0 {
                value = -self.node(node.kind.child(), -target, 1 - target, depth, ply + 1);
            }
            self.unmake();
            if self.stopped {
                break;
            }
            if value >= target {
                let (bound, on_pv) = (Bound::Lower, node.was_pv);
                let entry = Entry { mv: Some(mv), value, eval: node.stored(), depth: depth + 1, bound, on_pv };
                self.frame_mut(ply).anchor = self.frame(ply + 1).anchor;
                self.store(ply, entry);
                found = Some(value);
                break;
            }
        }
        picker.close(&mut self.moves);
        found
    }
}

/// Reverse futility, or static null-move pruning: a position so far above beta at low depth that
/// no quiet loss brings it below. (Futility pruning, Schaeffer 1986, from the other side; the form is
/// Stockfish's.)
///
/// `eval - margin depth >= beta`; returns the mean of both, since the margin is only assumed.
#[inline]
fn reverse_futility(node: &Node, eval: Value, beta: Value) -> Option<Value> {
    let margin = params::reverse_futility_margin() * (node.depth - node.trend.as_int());
    let is_safe = node.depth <= params::reverse_futility_depth() && eval - margin >= beta && is_ordinary(beta);
    (is_safe && !node.was_pv).then(|| (eval + beta) / 2)
}

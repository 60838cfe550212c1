//! An inner node of the tree: principal variation search.

use enbu_movegen::{Move, PieceType};

use crate::extend::Extension;
use crate::limits::Moves;
use crate::node::{Best, Candidate, Effort, Node, NodeKind, Trend};
use crate::picker::{self, Picker, Plan, Wanted};
use crate::report::Bound;
use crate::tt::Entry;
use crate::update::FailedMoves;
use crate::value::{DECIDED, INFINITE, Value, mate_at, mated_at};
use crate::worker::{Anchor, Frame, Worker};
use crate::{late, params, reduce};

/// Outcome of the search of a node's moves.
enum Outcome {
    /// The value at the requested depth.
    Searched(Best),
    /// A bound from a shallower search, which is not stored.
    Cut(Value),
}

impl Worker<'_> {
    /// The value of the position for its side to move, searched `depth` plies deep
    /// within the window `alpha..beta`.
    pub(crate) fn node(&mut self, kind: NodeKind, mut alpha: Value, mut beta: Value, depth: i32, ply: usize) -> Value {
        if depth <= 0 {
            return self.quiescence(kind, alpha, beta, ply);
        }
        #[cfg(test)]
        self.fail_at(crate::search::tests::fault::Place::of(kind));
        if let Some(value) = self.enter(ply) {
            return value;
        }
        // Mate distance: no line from here beats a mate that is already shorter.
        alpha = alpha.max(mated_at(ply));
        beta = beta.min(mate_at(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let excluded = self.frame(ply).excluded;
        // While this one is on its way: a quarter to a third of all waiting for the table was for it.
        if kind == NodeKind::Cut && depth >= params::null_move_depth() {
            self.job.table.prefetch(self.position.key_after_null_move());
        }
        let entry = self.job.table.probe(self.position.key(), ply);
        let may_cut = !kind.is_pv() && excluded.is_none();
        if let Some(entry) = entry.filter(|entry| may_cut && entry.decides(depth, alpha, beta)) {
            return entry.value;
        }
        // `cut_early` tests for mate in one after reverse futility.
        if entry.is_none()
            && !may_cut
            && let Some(value) = self.mate_at_once(ply)
        {
            return value;
        }
        let entry = entry.map(|entry| Entry { mv: entry.mv.filter(|&mv| self.position.is_legal(mv)), ..entry });
        if let Some(mv) = entry.and_then(|entry| entry.mv) {
            self.job.table.prefetch(self.position.key_after(mv));
        }
        let judged = self.judge(entry.as_ref(), ply);
        let eval = judged.map(|judged| judged.eval);
        let was_pv = kind.is_pv() || entry.is_some_and(|entry| entry.on_pv);
        let trend = Trend::of(eval, self.eval_before(ply));
        let frame = self.frame_mut(ply);
        frame.eval = eval;
        frame.was_pv = was_pv;
        self.frame_mut(ply + 1).killers = Default::default();
        self.frame_mut(ply + 2).cutoffs = 0;
        let table_captures =
            entry.and_then(|entry| entry.mv).is_some_and(|mv| self.position.piece_at(mv.to()).is_some());
        let line = self.line(ply);
        let follows = kind.is_pv() && self.frame(ply).on_last_pv;
        let mut node = Node { kind, depth, ply, line, entry, judged, trend, was_pv, table_captures, follows, excluded };
        if let (Some(eval), Some(before), None) = (eval, ply.checked_sub(1), excluded) {
            let Frame { eval: theirs, quiet, reduction, .. } = *self.frame(before);
            if let Some(theirs) = theirs {
                node.depth += reduce::hindsight(depth, reduction, eval, theirs);
                self.reward_difference(quiet, -(eval + theirs));
            }
        }
        let early = judged.filter(|_| may_cut).and_then(|judged| self.cut_early(&node, alpha, beta, judged));
        if let Some(value) = early {
            return value;
        }
        if self.stopped {
            return 0;
        }
        node.depth -= i32::from(reduce::iir_applies(&node));
        let outcome = self.search_moves(&node, alpha, beta);
        if self.stopped {
            return 0;
        }
        let best = match outcome {
            Outcome::Searched(best) => best,
            Outcome::Cut(value) => return value,
        };
        if excluded.is_some() {
            return best.value;
        }
        self.conclude(&node, &best, alpha, beta);
        best.value
    }

    /// Stores the result of a node searched within `alpha..beta`: in the table, and for
    /// later evaluations.
    pub(crate) fn conclude(&mut self, node: &Node, best: &Best, alpha: Value, beta: Value) {
        let bound = match best.value {
            value if value >= beta => Bound::Lower,
            value if node.kind.is_pv() && value > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.learn_error(node, best, bound);
        let Node { depth, ply, .. } = *node;
        // If nothing beats alpha, the move before may have been the better one. (Stockfish.)
        let inherits = bound == Bound::Upper && depth > params::inherited_pv_depth();
        let was_pv = node.was_pv || inherits && ply.checked_sub(1).is_some_and(|before| self.frame(before).was_pv);
        let entry = Entry { mv: best.mv, value: best.value, eval: node.stored(), depth, bound, on_pv: was_pv };
        self.store(ply, entry);
    }

    /// The root as a node of the principal variation, whose table move is `first`.
    pub(crate) fn root_node_at(&mut self, depth: i32, first: Move) -> Node {
        let judged = self.judge(None, 0);
        let entry = Entry {
            mv: Some(first),
            value: 0,
            eval: judged.map(|judged| judged.stored),
            depth: 0,
            bound: Bound::Upper,
            on_pv: true,
        };
        self.frame_mut(1).killers = Default::default();
        self.frame_mut(2).cutoffs = 0;
        self.frame_mut(0).was_pv = true;
        Node {
            kind: NodeKind::Pv,
            depth,
            ply: 0,
            line: self.line(0),
            entry: Some(entry),
            judged,
            trend: Trend::Improving,
            was_pv: true,
            table_captures: self.position.piece_at(first.to()).is_some(),
            follows: true,
            excluded: None,
        }
    }

    /// Reduction of root move number `number`, in plies.
    pub(crate) fn root_reduction(&self, root: &Node, mv: Move, number: usize, picker: &Picker) -> i32 {
        if number == 1 || root.depth < params::lmr_depth() {
            return 0;
        }
        let reduction = self.reduction(root, &self.candidate_move(mv, number, picker));
        (reduction / reduce::PLY).min(root.depth - 2).max(0)
    }

    /// Searches the moves of a node and updates the histories.
    fn search_moves(&mut self, node: &Node, mut alpha: Value, beta: Value) -> Outcome {
        let Node { kind, depth, ply, line, .. } = *node;
        let (mut best, mut anchor) = (Best { value: -INFINITE, mv: None }, Anchor::None);
        let mut picker = self.picker_of(node, self.job.options.moves);
        picker.least_good = -params::good_quiet_margin() * depth.max(1);
        let mut tried = FailedMoves::new();
        let mut number = 0;
        loop {
            if best.value > -DECIDED && self.only_checks_count(node, alpha) {
                picker.only_quiet_checks(&mut self.moves);
            }
            let Some(mv) = picker::next(&mut picker, &self.position, self.memory, &self.job.table, &mut self.moves)
            else {
                break;
            };
            if Some(mv) == node.excluded || self.overlooks(mv) {
                continue;
            }
            number += 1;
            let candidate = self.candidate_move(mv, number, &picker);
            let mut reduction = if number == 1 { 0 } else { self.reduction(node, &candidate) };
            if best.value > -DECIDED {
                if !node.follows && late::is_late(depth, number, node.trend) {
                    picker.skips_quiets = true;
                }
                let shallow = if node.eval().is_some() { (depth - reduction / reduce::PLY).max(1) } else { depth };
                if self.is_useless(node, &candidate, alpha, shallow) {
                    // The quiet moves after it are useless, too: their histories are worse.
                    if picker.history.is_some() {
                        picker.only_quiet_checks(&mut self.moves);
                    }
                    continue;
                }
                if self.loses_too_much(node, &candidate, shallow) {
                    continue;
                }
            }
            let extension = match self.extension(node, &candidate, beta) {
                Extension::By(plies) => plies,
                Extension::Cut(value) => {
                    picker.close(&mut self.moves);
                    return Outcome::Cut(value);
                }
            };
            if self.stopped {
                break;
            }
            let quiet = picker.quiet_key(&self.position, mv);
            self.make(mv, ply, quiet);
            self.frame_mut(ply).number = number;
            let new_depth = depth - 1 + extension;
            if depth < params::lmr_depth() {
                reduction = 0;
            }
            let reduced = (new_depth - reduction / reduce::PLY).clamp(1.min(new_depth), new_depth.max(1));
            let effort = Effort { number, depth: new_depth, reduced, best: best.value };
            let value = self.search_child(kind, alpha, beta, effort, ply);
            self.unmake();
            if self.stopped {
                break;
            }
            let below = self.frame(ply + 1).anchor;
            anchor = anchor.min(below);
            if let Some(key) = quiet.filter(|_| value > alpha && number > 1 && reduced < new_depth) {
                self.reward_surprise(key, effort, line);
            }
            if value > best.value {
                best.value = value;
                if value > alpha {
                    best.mv = Some(mv);
                    if kind.is_pv() {
                        self.set_pv(ply, mv);
                    }
                    if value >= beta {
                        anchor = below;
                        self.frame_mut(ply).cutoffs += u16::from(extension < 2 || kind.is_pv());
                        break;
                    }
                    alpha = value;
                }
            }
            tried.push(mv, &self.position, best.mv);
        }
        self.frame_mut(ply).anchor = anchor;
        if number == 0 && !self.stopped {
            // A side without a legal move has lost, in check or not; without the excluded move the
            // node just fails low, and a level that overlooked all moves keeps the evaluation.
            best.value = match node.eval() {
                _ if node.excluded.is_some() => alpha,
                Some(eval) if self.job.options.level.is_some() => eval,
                _ => mated_at(ply),
            };
        }
        if !self.stopped {
            if let Some(mv) = best.mv {
                self.reward(mv, &tried, node, &picker);
            }
            self.judge_last_move(node, &best);
        }
        picker.close(&mut self.moves);
        Outcome::Searched(best)
    }

    pub(crate) fn picker_of(&self, node: &Node, which: Moves) -> Picker {
        let (table_move, killers) = (node.table_move(), self.frame(node.ply).killers);
        let plan = Plan { wanted: Wanted::All, which, table_move, killers, line: node.line };
        Picker::new(&self.position, plan, &self.moves)
    }

    /// Facts about move number `number`, the last of `picker`. Of the first, which is never reduced or
    /// pruned, only those that cost nothing.
    fn candidate_move(&self, mv: Move, number: usize, picker: &Picker) -> Candidate {
        let victim = self.position.piece_at(mv.to()).map(|piece| piece.kind);
        if number == 1 {
            return Candidate { mv, number, victim, checks: false, history: 0, gains: false };
        }
        let check_squares = picker.check_squares(&self.position);
        let checks = check_squares.is_some_and(|squares| squares.is_hit_by(&self.position, mv));
        let history = picker.history.unwrap_or_else(|| self.history_of(mv, victim, picker));
        Candidate { mv, number, victim, checks, history, gains: picker.knows_gain() }
    }

    /// History of a quiet move or a capture.
    fn history_of(&self, mv: Move, victim: Option<PieceType>, picker: &Picker) -> i32 {
        match victim {
            Some(victim) => self.memory.moves.capture(&self.position, mv, victim),
            None => picker.known(&self.position, self.memory).of(&self.position, mv),
        }
    }

    /// The value of the move just made: a null window first, wider if it surprises.
    pub(crate) fn search_child(
        &mut self,
        kind: NodeKind,
        alpha: Value,
        beta: Value,
        effort: Effort,
        ply: usize,
    ) -> Value {
        let Effort { number, mut depth, reduced, best } = effort;
        if number == 1 && kind.is_pv() {
            return -self.node(NodeKind::Pv, -beta, -alpha, depth, ply + 1);
        }
        let mut known = None;
        if reduced < depth {
            self.frame_mut(ply).reduction = depth - reduced;
            let value = -self.node(NodeKind::Cut, -alpha - 1, -alpha, reduced, ply + 1);
            self.frame_mut(ply).reduction = 0;
            if value <= alpha || self.stopped {
                return value;
            }
            depth += reduce::research_depth(value, best);
            known = (depth <= reduced).then_some(value);
        }
        let value = known.unwrap_or_else(|| -self.node(kind.child(), -alpha - 1, -alpha, depth, ply + 1));
        if kind.is_pv() && value > alpha && !self.stopped {
            return -self.node(NodeKind::Pv, -beta, -alpha, depth, ply + 1);
        }
        value
    }
}

//! Updates of histories and corrections after the search of a node.

use enbu_movegen::Move;

use crate::failed_moves::FailedMoves;
use crate::history::{Line, Place};
use crate::node::{Best, Effort, Node};
use crate::params;
use crate::report::Bound;
use crate::value::{Value, is_ordinary};
use crate::worker::{Frame, Judgement, Worker};

/// By how much a search `depth` plies deep moves a history entry.
fn bonus(depth: i32) -> i32 {
    let bonus = params::history_bonus() * depth + params::history_bonus_square() * depth * depth;
    bonus.min(params::history_bonus_limit())
}

impl Worker<'_> {
    /// Rewards the best move, which beat alpha, and blames those tried before it.
    pub(crate) fn reward(&mut self, mv: Move, tried: &FailedMoves, node: &Node) {
        let depth = node.depth;
        let bonus = bonus(depth);
        let histories = &mut self.memory.moves;
        match self.position.piece_at(mv.to()) {
            Some(victim) => histories.adjust_capture(&self.position, mv, victim.kind, bonus),
            None => {
                self.frames[node.ply + Self::LOOKBACK].killers.add(mv);
                histories.adjust_quiet(Place::of(&self.position, mv), node.line, bonus);
                for mv in tried.quiets.iter() {
                    histories.adjust_quiet(Place::of(&self.position, mv), node.line, -bonus);
                }
            }
        }
        for mv in tried.captures.iter() {
            if let Some(victim) = self.position.piece_at(mv.to()) {
                histories.adjust_capture(&self.position, mv, victim.kind, -bonus);
            }
        }
    }

    /// Rewards a late quiet move that beat alpha although it was searched less deeply.
    pub(crate) fn reward_surprise(&mut self, mv: Move, effort: Effort, line: Line) {
        let place = Place::of(&self.position, mv);
        self.memory.moves.adjust_quiet(place, line, bonus(effort.depth));
    }

    /// Rewards the opponent's last move, if it is quiet, after a fail low of this node.
    pub(crate) fn reward_last_move(&mut self, node: &Node) {
        let Some(before) = node.ply.checked_sub(1).filter(|_| node.excluded.is_none()) else { return };
        if let Some(place) = self.frame(before).quiet {
            let line = self.line(before);
            self.memory.moves.adjust_quiet(place, line, bonus(node.depth) * params::history_fail_low() / 64);
        }
    }

    /// Blames the opponent's last move, if it is quiet and was the first of its node, where
    /// a move of this node refutes it. (Stockfish.)
    pub(crate) fn blame_last_move(&mut self, node: &Node) {
        let Some(before) = node.ply.checked_sub(1).filter(|_| node.excluded.is_none()) else { return };
        let Frame { quiet, number, .. } = *self.frame(before);
        if let Some(place) = quiet.filter(|_| number == 1) {
            let line = self.line(before);
            self.memory.moves.adjust_quiet(place, line, -bonus(node.depth) * params::history_refuted() / 64);
        }
    }

    /// Rewards the last move, if it is quiet, by its gain in the evaluation: the sum
    /// of the evaluations before and after it, each for its side to move. (Stockfish.)
    pub(crate) fn reward_difference(&mut self, place: Option<Place>, gain: Value) {
        if let Some(place) = place {
            self.memory.moves.adjust_main(place, gain.clamp(-300, 300) * params::eval_difference() / 16);
        }
    }

    /// Updates the corrections by the error of the evaluation, where the bound shows it.
    pub(crate) fn learn_error(&mut self, node: &Node, best: &Best, bound: Bound) {
        let Some(Judgement { eval, slots, .. }) = node.judged else { return };
        let loud = best.mv.is_some_and(|mv| self.position.piece_at(mv.to()).is_some());
        let telling = match bound {
            Bound::Exact => true,
            Bound::Lower => best.value > eval,
            Bound::Upper => best.value < eval,
        };
        if !loud && telling && is_ordinary(best.value) {
            self.memory.corrections.note(slots, best.value - eval, node.depth);
            // Where attacks are inputs there is nothing to learn: only chance would pass the limit.
            if bound == Bound::Exact && !self.job.evaluation.sees_attacks() {
                let hanging = &mut self.memory.hanging;
                let corrected = hanging.correction(&self.position);
                hanging.note(&self.position, best.value - eval + corrected);
            }
        }
    }
}

//! Updates of histories and corrections after the search of a node.

use enbu_movegen::{Move, Position};

use crate::history::{Line, QuietKey};
use crate::node::{Best, Effort, Judgement, Node};
use crate::params;
use crate::picker::Picker;
use crate::report::Bound;
use crate::value::{Value, is_ordinary};
use crate::worker::{Frame, Worker};

/// Moves of a node that were searched without success: the first 32 quiet ones and 16 captures.
pub(crate) struct FailedMoves {
    moves: [Option<Move>; 48],
    quiets: usize,
    captures: usize,
}

impl FailedMoves {
    pub(crate) fn new() -> Self {
        Self { moves: [None; 48], quiets: 0, captures: 0 }
    }

    /// Adds `mv`, a move of `position`, unless it is the `best` so far.
    pub(crate) fn push(&mut self, mv: Move, position: &Position, best: Option<Move>) {
        let at = self.quiets + self.captures;
        let (count, limit) = match position.piece_at(mv.to()) {
            None => (&mut self.quiets, 32),
            Some(_) => (&mut self.captures, 16),
        };
        if best != Some(mv) && *count < limit {
            *count += 1;
            self.moves[at] = Some(mv);
        }
    }
}

/// Change of a history entry by a search `depth` plies deep.
fn bonus(depth: i32) -> i32 {
    let bonus = params::history_bonus() * depth + params::history_bonus_square() * depth * depth;
    bonus.min(params::history_bonus_limit())
}

impl Worker<'_> {
    /// Rewards the best move, which beat alpha, and lowers those tried before it: captures always,
    /// quiet ones if the best is quiet.
    pub(crate) fn reward(&mut self, best: Move, tried: &FailedMoves, node: &Node, picker: &Picker) {
        let bonus = bonus(node.depth);
        let is_quiet = self.position.piece_at(best.to()).is_none();
        if is_quiet {
            self.frame_mut(node.ply).killers.add(best);
        }
        let histories = &mut self.memory.moves;
        let failed = tried.moves.iter().map_while(|&mv| Some((mv?, -bonus)));
        for (mv, bonus) in [(best, bonus)].into_iter().chain(failed) {
            if let Some(victim) = self.position.piece_at(mv.to()) {
                histories.adjust_capture(&self.position, mv, victim.kind, bonus);
            } else if is_quiet && let Some(key) = picker.quiet_key(&self.position, mv) {
                histories.adjust_quiet(key, node.line, bonus);
            }
        }
    }

    /// Rewards a late quiet move that beat alpha although it was searched less deeply.
    pub(crate) fn reward_surprise(&mut self, key: QuietKey, effort: Effort, line: Line) {
        self.memory.moves.adjust_quiet(key, line, bonus(effort.depth));
    }

    /// Judges the opponent's last move, if it is quiet, by the result of this node: a bonus after a
    /// fail low, a malus after a refutation if it was the first move of its node. (Stockfish.)
    pub(crate) fn judge_last_move(&mut self, node: &Node, best: &Best) {
        let Some(before) = node.ply.checked_sub(1).filter(|_| node.excluded.is_none()) else { return };
        let Frame { quiet, number, .. } = *self.frame(before);
        let change = match best.mv {
            None => bonus(node.depth) * params::history_fail_low() / 64,
            Some(_) if number == 1 => -bonus(node.depth) * params::history_refuted() / 64,
            Some(_) => return,
        };
        if let Some(key) = quiet {
            let line = self.line(before);
            self.memory.moves.adjust_quiet(key, line, change);
        }
    }

    /// Rewards the last move, if it is quiet, by its gain in the evaluation: the sum
    /// of the evaluations before and after it, each for its side to move. (Stockfish.)
    pub(crate) fn reward_difference(&mut self, key: Option<QuietKey>, gain: Value) {
        if let Some(key) = key {
            let limit = params::eval_difference_limit();
            self.memory.moves.adjust_main(key, gain.clamp(-limit, limit) * params::eval_difference() / 16);
        }
    }

    /// Updates the corrections by the error of the evaluation, if the bound shows it.
    pub(crate) fn learn_error(&mut self, node: &Node, best: &Best, bound: Bound) {
        let Some(Judgement { eval, slots, .. }) = node.judged else { return };
        let loud = best.mv.is_some_and(|mv| self.position.piece_at(mv.to()).is_some());
        let telling = match bound {
            Bound::Exact => true,
            Bound::Lower => best.value > eval,
            Bound::Upper => best.value < eval,
        };
        if !loud && telling && is_ordinary(best.value) {
            self.job.corrections.note(slots, best.value - eval, node.depth);
            // With attacks as inputs there is nothing to learn: only chance would pass the limit.
            if bound == Bound::Exact && !self.job.evaluation.sees_attacks() {
                let hanging = &mut self.memory.hanging;
                let corrected = hanging.correction(&self.position);
                hanging.note(&self.position, best.value - eval + corrected);
            }
        }
    }
}

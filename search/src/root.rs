//! The root: iterative deepening, aspiration windows, MultiPV.

use std::ops::Range;

use enbu_movegen::{Declaration, EnteringKingRule, Move};

use crate::clock::doubt;
use crate::limits::{Lines, Moves};
use crate::node::{Best, Effort, NodeKind};
use crate::report::{BestMove, Bound, LineEnd, Report};
use crate::root_move::{RootMove, Vote, settle};
use crate::shared::Role;
use crate::update::FailedMoves;
use crate::value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, Score, Value, mate_at, mated_at};
use crate::vote::choose;
use crate::worker::{Anchor, Worker};
use crate::{params, picker};

/// The deepest iteration, in plies.
const DEEPEST: i32 = MAX_PLY as i32 - 1;

/// With a single legal move, this deep is enough to have a reply to ponder on.
const FORCED_MOVE_DEPTH: i32 = 6;

impl Worker<'_> {
    /// Searches until a limit or a stop, as main thread, and returns the answer.
    pub(crate) fn run(&mut self) -> BestMove {
        let answer = self.answer_without_search();
        let lines = self.gate.lines;
        let searched = self.job.options.level.map_or(lines, |level| lines.max(level.lines()));
        let searched = searched.clamp(1, self.root_moves.len().max(1));
        let completed = if answer.is_none() { self.deepen(searched) } else { 0 };
        let helpers = self.job.control.end_helpers();
        if answer.is_none() {
            // Under a limit of depth the line of that depth is reported, not one of another thread.
            if searched == 1 && self.job.limits.depth.is_none() {
                self.adopt_vote(helpers, completed);
            }
            // The move that a level chooses is reported as the best one.
            let played = self.chosen();
            self.root_moves[..=played].rotate_right(1);
            if lines > 0 {
                self.report_last(lines);
            }
        }
        if lines > 0 {
            self.job.listener.totals(&self.progress());
        }
        answer.unwrap_or_else(|| self.answer(0))
    }

    /// Searches as helper `index` until the main thread ends; votes after each iteration.
    pub(crate) fn help(&mut self, index: usize) {
        if self.answer_without_search().is_none() {
            let completed = self.deepen(1);
            self.job.control.set_vote(index, self.vote(completed));
        }
    }

    /// Vote for the best root move after `completed` iterations; `None` before its first value.
    fn vote(&self, completed: i32) -> Option<Vote> {
        let root_move = self.root_moves.first()?;
        Some(Vote { root_move: root_move.clone(), value: root_move.known_value()?, depth: completed })
    }

    /// Puts the move first for which all threads together vote.
    fn adopt_vote(&mut self, helpers: Vec<Vote>, completed: i32) {
        let votes = self.vote(completed).into_iter().chain(helpers);
        let votes: Vec<Vote> = votes.filter(|vote| vote.depth > 0).collect();
        let Some(Vote { root_move, value, .. }) = choose(&votes).filter(|_| votes.len() > 1) else { return };
        if let Some(at) = self.root_moves.iter().position(|own| own.mv == root_move.mv) {
            self.root_moves[..=at].rotate_right(1);
            self.root_moves[0] = RootMove { value: Some(*value), ..root_move.clone() };
        }
    }

    /// Iterative deepening of the `searched` best lines; returns the number of completed iterations.
    fn deepen(&mut self, searched: usize) -> i32 {
        let deepest = self.job.limits.depth.map_or(DEEPEST, |depth| depth.clamp(1, DEEPEST as u32) as i32);
        // Every other helper is a ply ahead, so that not all search the same tree.
        let first = match self.role {
            Role::Helper(index) if index % 2 == 0 => 2.min(deepest),
            _ => 1,
        };
        let mut completed = 0;
        let mut changes = 0.0;
        self.frame_mut(0).eval = self.judge(None, 0).map(|judgement| judgement.eval);
        for depth in first..=deepest {
            let before = self.root_moves[0].value;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
            }
            self.root_depth = depth as usize;
            self.last_pv.clear();
            self.last_pv.extend_from_slice(self.root_moves[0].line());
            self.frame_mut(0).on_last_pv = true;
            for line in 0..searched {
                self.selective_depth = 0;
                self.aspirate(line, depth);
                if self.stopped {
                    if line == 0 {
                        settle(&mut self.root_moves);
                    }
                    return completed;
                }
                self.report_when_due(0..line + 1);
            }
            completed = depth;
            if let Role::Helper(index) = self.role {
                self.job.control.set_vote(index, self.vote(completed));
                continue;
            }
            if self.gate.lines > 0 {
                let played = self.chosen();
                *self.job.control.best.lock() = Some((self.answer(played), self.line_report(played, 0)));
            }
            changes = changes / 2.0 + self.job.control.take_changes();
            if depth == deepest || self.ends_after(depth, changes, before) {
                break;
            }
        }
        completed
    }

    /// No legal move, a won declaration, or a won try.
    fn answer_without_search(&self) -> Option<BestMove> {
        let rule = self.job.options.entering_king;
        let (best, value) = if self.root_moves.is_empty() {
            (BestMove::Resign, mated_at(0))
        } else if self.position.declaration(rule) != Declaration::Win {
            return None;
        } else if rule == EnteringKingRule::Try {
            (BestMove::Play { best: self.position.try_move()?, ponder: None }, mate_at(1))
        } else {
            (BestMove::Win, mate_at(1))
        };
        if self.gate.lines > 0 {
            self.report_decided(best, value);
        }
        Some(best)
    }

    /// Reports an answer that needs no search.
    fn report_decided(&self, best: BestMove, value: Value) {
        let plies = (MATE - value.abs()) as u32;
        let (pv, end) = match best {
            BestMove::Play { best, .. } => (vec![best], None),
            BestMove::Win => (Vec::new(), Some(LineEnd::Win)),
            BestMove::Resign => (Vec::new(), Some(LineEnd::Resign)),
        };
        self.job.listener.report(&Report {
            depth: plies,
            selective_depth: plies,
            multi_pv: 1,
            score: Score::from_value(value),
            bound: Bound::Exact,
            progress: self.progress(),
            pv,
            end,
        });
    }

    /// Returns true if the clock, a soft limit, a forced move or a confirmed mate ends the search. The
    /// best move has changed `changes` times, fewer the longer ago; `before` is the value of the
    /// iteration before, for this move or another.
    fn ends_after(&self, depth: i32, changes: f64, before: Option<Value>) -> bool {
        if self.job.limits.soft_nodes.is_some_and(|nodes| self.all_nodes() >= nodes) {
            return true;
        }
        let control = &self.job.control;
        let best = &self.root_moves[0];
        let value = best.value.unwrap_or_default();
        if control.is_on_the_clock() && self.job.limits.movetime.is_none() {
            let forced = self.root_moves.len() == 1 && depth >= FORCED_MOVE_DEPTH;
            // Searches deeper than the mate confirmed it: it cannot get shorter.
            let mated = value.abs() >= MATE_BOUND && depth > MATE - value.abs() + 6;
            if forced || mated {
                return true;
            }
        }
        // Not from the earlier value of this move: one that has just become best has none.
        let before = before.unwrap_or(value);
        let drop = (before + self.job.expected.unwrap_or(before)) / 2 - value;
        let effort = best.nodes as f64 / self.nodes.max(1) as f64;
        control.ends_after_iteration(doubt(changes, drop, effort))
    }

    /// Searches line number `line` around its last value, wider when that fails.
    fn aspirate(&mut self, line: usize, depth: i32) {
        let mut width = params::aspiration_window();
        let is_narrow = |guess: &Value| depth >= params::aspiration_depth() && guess.abs() < MATE_BOUND;
        let (mut alpha, mut beta) = match self.root_moves[line].previous.filter(is_narrow) {
            Some(guess) => (guess - width, guess + width),
            None => (-INFINITE, INFINITE),
        };
        loop {
            let value = self.root_node(alpha, beta, depth, line);
            self.root_moves[line..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
            if self.stopped {
                break;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - width).max(-INFINITE);
            } else if value >= beta {
                beta = (value + width).min(INFINITE);
            } else {
                break;
            }
            if line == 0 {
                self.report_when_due(0..1);
            }
            width *= 2;
        }
        self.root_moves[..=line].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
    }

    /// Searches the root moves from `line` on.
    fn root_node(&mut self, mut alpha: Value, beta: Value, depth: i32, line: usize) -> Value {
        #[cfg(test)]
        self.fail_at(crate::search::tests::fault::Place::Root);
        let original_alpha = alpha;
        let node = self.root_node_at(depth, self.root_moves[line].mv);
        let mut picker = self.picker_of(&node, Moves::All);
        let mut tried = FailedMoves::new();
        let (mut best, mut anchor) = (Best { value: -INFINITE, mv: None }, Anchor::None);
        let mut number = 0;
        let order: Vec<Move> = self.root_moves[line..].iter().map(|root_move| root_move.mv).collect();
        while let Some(mv) = picker::next(&mut picker, &self.position, self.memory, &self.job.table, &mut self.moves) {
            // The lines before this one, and moves that the user left out.
            let Some(index) = index_of(&order, mv).map(|index| line + index) else { continue };
            self.root_move = Some(mv);
            number += 1;
            let reduction = self.root_reduction(&node, mv, number, &picker);
            let before = self.nodes;
            let quiet = picker.quiet_key(&self.position, mv);
            self.make(mv, 0, quiet);
            let effort = Effort { number, depth: depth - 1, reduced: depth - 1 - reduction, best: best.value };
            let value = self.search_child(NodeKind::Pv, alpha, beta, effort, 0);
            self.unmake();
            self.root_moves[index].nodes += self.nodes - before;
            if self.stopped {
                break;
            }
            anchor = anchor.min(self.frame(1).anchor);
            if number == 1 || value > alpha {
                self.set_pv(0, mv);
                let root_move = &mut self.root_moves[index];
                root_move.value = Some(value);
                root_move.depth = depth;
                root_move.bound = match value {
                    value if value >= beta => Bound::Lower,
                    value if value > alpha => Bound::Exact,
                    _ => Bound::Upper,
                };
                root_move.selective_depth = self.selective_depth;
                root_move.pv.clone_from(&self.pv[0]);
            } else {
                // Keeps its place in the order after those with a value.
                self.root_moves[index].value = None;
            }
            best.value = best.value.max(value);
            if value > alpha {
                alpha = value;
                best.mv = Some(mv);
                if line == 0 && number > 1 {
                    self.job.control.count_change();
                }
                if value >= beta {
                    break;
                }
                // The first iteration reports its first move, for a line at once even while the
                // system provides the table's pages; later ones each new best.
                let is_news = if depth == 1 { number == 1 } else { number > 1 };
                if line == 0 && is_news && self.gate.is_due(self.job.started.elapsed()) {
                    self.report_line(index, 0);
                }
            }
            tried.push(mv, &self.position, best.mv);
        }
        if let Some(mv) = best.mv.filter(|_| !self.stopped) {
            self.reward(mv, &tried, &node, &picker);
        }
        picker.close(&mut self.moves);
        self.frame_mut(0).anchor = anchor;
        if !self.stopped && line == 0 {
            self.conclude(&node, &best, original_alpha, beta);
        }
        best.value
    }

    /// Newest score of the first root move; of a root decided without a visit, a mate or a won
    /// declaration.
    pub(crate) fn score(&self) -> Score {
        let value = self.root_moves.first().map(RootMove::known_value);
        match value {
            None => Score::MatedIn(0),
            Some(None) if self.nodes == 0 => Score::MateIn(1),
            Some(value) => Score::from_value(value.unwrap_or_default()),
        }
    }

    /// Reports these of the best lines, if the last report was long enough ago.
    fn report_when_due(&mut self, ranks: Range<usize>) {
        if self.gate.is_due(self.job.started.elapsed()) {
            for rank in ranks {
                self.report_line(rank, rank);
            }
        }
    }

    /// Reports the lines as the search leaves them, the best one last and with the last
    /// counters: match runners and many GUIs take the last line before the answer.
    fn report_last(&mut self, lines: usize) {
        for rank in (1..lines).rev() {
            self.report_line(rank, rank);
        }
        let report = self.line_report(0, 0);
        if self.gate.passes_at_end(&report) {
            self.job.listener.report(&report);
        }
    }

    /// Reports the root move at `index` as the line with this rank, unless that is known or
    /// without a value.
    fn report_line(&mut self, index: usize, rank: usize) {
        if rank >= self.gate.lines || rank > 0 && self.root_moves[index].known_value().is_none() {
            return;
        }
        let report = self.line_report(index, rank);
        if self.gate.passes(&report) {
            self.job.listener.report(&report);
        }
    }

    /// The report of the root move at `index` as the line with this rank.
    fn line_report(&self, index: usize, rank: usize) -> Report {
        let root_move = &self.root_moves[index];
        // A line not yet reached in a stopped iteration keeps its last value.
        let (value, bound) = match root_move.value {
            Some(value) => (value, root_move.bound),
            None => (root_move.previous.unwrap_or_default(), Bound::Exact),
        };
        let (pv, end) = self.finished_line(root_move.line());
        Report {
            depth: root_move.depth as u32,
            selective_depth: root_move.selective_depth.max(root_move.depth as usize) as u32,
            multi_pv: rank + 1,
            score: Score::from_value(value),
            bound,
            progress: self.progress(),
            pv,
            end,
        }
    }

    /// Index of the root move to play: the first, unless a level chooses.
    fn chosen(&self) -> usize {
        let Some(level) = self.job.options.level else { return 0 };
        let values: Vec<Value> = self.root_moves.iter().take(level.lines()).map_while(RootMove::known_value).collect();
        level.choose(self.position.key(), &values)
    }

    /// The answer with the root move at `index`, unless it is hopeless.
    fn answer(&self, index: usize) -> BestMove {
        let best = &self.root_moves[index];
        let hopeless = best.settled_value().is_some_and(|value| value <= -self.job.options.resign_value);
        if hopeless && self.job.options.resign_value < MATE {
            return BestMove::Resign;
        }
        BestMove::Play { best: best.mv, ponder: best.pv.get(1).copied().or_else(|| self.reply_from_table(best.mv)) }
    }

    /// A line and its end, on request continued by moves from the table.
    fn finished_line(&self, line: &[Move]) -> (Vec<Move>, Option<LineEnd>) {
        let (mut position, mut out) = (self.position.clone(), line.to_vec());
        if line.iter().any(|&mv| position.play(mv).is_err()) {
            return (out, None);
        }
        loop {
            match self.ending(&position, out.len()) {
                // A try is a move.
                Some((LineEnd::Win, _)) if self.job.options.entering_king == EnteringKingRule::Try => {
                    out.extend(position.try_move());
                    return (out, None);
                }
                Some((end, _)) => return (out, Some(end)),
                None => {}
            }
            let known = self.job.table.probe(position.key(), out.len()).and_then(|entry| entry.mv);
            let wanted = self.job.options.lines == Lines::Continued && out.len() < MAX_PLY;
            let Some(mv) = known.filter(|&mv| wanted && position.play(mv).is_ok()) else { return (out, None) };
            out.push(mv);
        }
    }

    /// The move stored for the position after `mv`.
    fn reply_from_table(&self, mv: Move) -> Option<Move> {
        let mut position = self.position.clone();
        position.play(mv).ok()?;
        let reply = self.job.table.probe(position.key(), 1)?.mv?;
        position.is_legal(reply).then_some(reply)
    }
}

/// Index of `mv` in `order`. A chunk is compared as a whole, which the compiler turns into
/// vectors: in searches of 100 nodes the search for root moves took 3 % of the time.
fn index_of(order: &[Move], mv: Move) -> Option<usize> {
    const CHUNK: usize = 16;
    let holds = |chunk: &[Move]| chunk.iter().fold(false, |found, &other| found | (other == mv));
    let chunk = order.chunks(CHUNK).position(holds)? * CHUNK;
    Some(chunk + order[chunk..].iter().position(|&other| other == mv)?)
}

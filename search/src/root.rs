//! The root: iterative deepening, aspiration windows, MultiPV.

use std::time::Duration;

use enbu_movegen::{Declaration, EnteringKingRule, Move, MoveList, Position};

use crate::node::Pv;
use crate::value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, Value, mated_at};
use crate::worker::Worker;
use crate::{BestMove, Bound, Report, Score, params, reduce};

/// A legal move at the root and what is known about it.
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Its value in the running iteration; `-INFINITE` where it did not beat alpha.
    value: Value,
    /// Its value in the last iteration that gave it one.
    previous: Value,
    pv: Vec<Move>,
    selective_depth: usize,
}

impl RootMove {
    /// The legal moves among `wanted`, or all legal moves if there is none.
    pub(crate) fn all(position: &Position, wanted: &[Move]) -> Vec<Self> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let restricted = legal.iter().any(|mv| wanted.contains(mv));
        legal
            .into_iter()
            .filter(|mv| !restricted || wanted.contains(mv))
            .map(|mv| Self { mv, value: -INFINITE, previous: -INFINITE, pv: vec![mv], selective_depth: 0 })
            .collect()
    }
}

/// The deepest iteration, in plies.
const DEEPEST: i32 = MAX_PLY as i32 - 1;

/// With a single legal move, this deep is enough to have a reply to ponder on.
const FORCED_MOVE_DEPTH: i32 = 6;

impl Worker<'_> {
    /// Searches until a limit or a stop, and says what to play.
    pub(crate) fn run(&mut self) -> BestMove {
        if let Some(answer) = self.answer_without_search() {
            return answer;
        }
        let lines = self.job.options.multi_pv.clamp(1, self.root_moves.len());
        let deepest = self.job.limits.depth.map_or(DEEPEST, |depth| depth.clamp(1, DEEPEST as u32) as i32);
        let mut last_report = Duration::ZERO;
        let mut completed = 0;
        for depth in 1..=deepest {
            let previous_best = self.root_moves[0].mv;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
            }
            self.root_depth = depth as usize;
            for line in 0..lines {
                self.selective_depth = 0;
                self.aspirate(line, depth);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                break;
            }
            completed = depth;
            self.job.control.set_best(self.answer());
            let elapsed = self.job.started.elapsed();
            let last = depth == deepest || self.ends_after(depth, previous_best);
            if !last && elapsed >= last_report + self.job.options.report_interval {
                last_report = elapsed;
                self.report(lines, depth);
            }
            if last {
                break;
            }
        }
        self.report(lines, completed.max(1));
        self.answer()
    }

    /// No legal move, a won declaration, or a won try.
    fn answer_without_search(&self) -> Option<BestMove> {
        let rule = self.job.options.entering_king;
        if self.root_moves.is_empty() {
            self.job.listener.report(&Report {
                depth: 1,
                selective_depth: 1,
                multi_pv: 1,
                score: Score::from_value(mated_at(0)),
                bound: Bound::Exact,
                nodes: self.nodes,
                elapsed: self.job.started.elapsed(),
                hashfull: 0,
                pv: Vec::new(),
            });
            return Some(BestMove::Resign);
        }
        if self.position.declaration(rule) != Declaration::Win {
            return None;
        }
        match rule {
            EnteringKingRule::Try => self.position.try_move().map(|best| BestMove::Play { best, ponder: None }),
            _ => Some(BestMove::Win),
        }
    }

    /// Whether the clock, a soft limit, or the lack of anything to think about, ends the
    /// search.
    fn ends_after(&self, depth: i32, previous_best: Move) -> bool {
        if self.job.limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes) {
            return true;
        }
        let control = &self.job.control;
        let best = &self.root_moves[0];
        if control.is_on_the_clock() && self.job.limits.movetime.is_none() {
            let forced = self.root_moves.len() == 1 && depth >= FORCED_MOVE_DEPTH;
            // A mate that deeper searches confirmed cannot get shorter.
            let mated = best.value.abs() >= MATE_BOUND && depth > MATE - best.value.abs() + 6;
            if forced || mated {
                return true;
            }
        }
        let scale = if best.mv == previous_best { 0.8 } else { 1.2 };
        control.ends_after_iteration(scale)
    }

    /// Searches line number `line` around its last value, wider when that fails.
    fn aspirate(&mut self, line: usize, depth: i32) {
        let guess = self.root_moves[line].previous;
        let mut width = params::aspiration_window();
        let narrow = depth >= params::aspiration_depth() && guess.abs() < MATE_BOUND;
        let (mut alpha, mut beta) = if narrow {
            ((guess - width).max(-INFINITE), (guess + width).min(INFINITE))
        } else {
            (-INFINITE, INFINITE)
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
            width *= 2;
        }
        self.root_moves[..=line].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
    }

    /// Searches the root moves from `line` on.
    fn root_node(&mut self, mut alpha: Value, beta: Value, depth: i32, line: usize) -> Value {
        let in_check = self.position.in_check();
        let mut best = -INFINITE;
        for index in line..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let number = index - line + 1;
            let calm = self.position.piece_at(mv.to()).is_none() && !in_check && !self.position.gives_check(mv);
            let reduction = if calm && number > 1 && depth >= params::lmr_depth() {
                (reduce::late_move(depth, number) / reduce::PLY).min(depth - 2)
            } else {
                0
            };
            self.make(mv, 0);
            let value = self.search_child::<Pv>(alpha, beta, depth - 1, depth - 1 - reduction, 0, number);
            self.unmake();
            if self.stopped {
                return best;
            }
            if number == 1 || value > alpha {
                self.set_pv(0, mv);
                let root_move = &mut self.root_moves[index];
                root_move.value = value;
                root_move.selective_depth = self.selective_depth;
                root_move.pv.clone_from(&self.pv[0]);
            } else {
                // Keeps its place in the order behind those that have a value.
                self.root_moves[index].value = -INFINITE;
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                if value >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Reports every line as it stands.
    fn report(&self, lines: usize, depth: i32) {
        for (index, root_move) in self.root_moves.iter().take(lines).enumerate() {
            // A line not yet reached in a stopped iteration keeps its last value.
            let (value, depth) = match root_move.value {
                value if value > -INFINITE => (value, depth),
                _ => (root_move.previous, depth - 1),
            };
            if value == -INFINITE && index > 0 {
                continue;
            }
            self.job.listener.report(&Report {
                depth: depth.max(1) as u32,
                selective_depth: (root_move.selective_depth as u32).max(1),
                multi_pv: index + 1,
                score: Score::from_value(if value == -INFINITE { 0 } else { value }),
                bound: Bound::Exact,
                nodes: self.nodes,
                elapsed: self.job.started.elapsed(),
                hashfull: self.job.table.hashfull(),
                pv: root_move.pv.clone(),
            });
        }
    }

    /// The move to play: the first root move, unless it is hopeless.
    fn answer(&self) -> BestMove {
        let best = &self.root_moves[0];
        let value = if best.value > -INFINITE { best.value } else { best.previous };
        let hopeless = value > -INFINITE && value <= -self.job.options.resign_value;
        if hopeless && self.job.options.resign_value < MATE {
            return BestMove::Resign;
        }
        BestMove::Play { best: best.mv, ponder: best.pv.get(1).copied().or_else(|| self.reply_from_table(best.mv)) }
    }

    /// The move stored for the position after `mv`, when the line ended there.
    fn reply_from_table(&self, mv: Move) -> Option<Move> {
        let mut position = self.position.clone();
        position.play(mv).ok()?;
        let reply = self.job.table.probe(position.key(), 1)?.mv?;
        position.is_legal(reply).then_some(reply)
    }
}

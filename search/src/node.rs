//! An inner node of the tree: principal variation search.

use enbu_movegen::Move;

use crate::picker::{Picker, Wanted};
use crate::tt::Entry;
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, Value, mate_at, mated_at};
use crate::worker::Worker;
use crate::{Bound, params, prune, reduce, see};

/// What kind of node is searched, known to the compiler.
pub(crate) trait NodeKind {
    /// Whether the window is open: the value may become the root's value.
    const PV: bool;
}

/// A node with an open window.
pub(crate) struct Pv;
/// A node that only has to show on which side of a bound its value lies.
pub(crate) struct NonPv;

impl NodeKind for Pv {
    const PV: bool = true;
}

impl NodeKind for NonPv {
    const PV: bool = false;
}

/// What the table says at a node.
pub(crate) struct Known {
    pub(crate) mv: Option<Move>,
    /// A value that ends the node.
    pub(crate) cut: Option<Value>,
    pub(crate) eval: Option<Value>,
}

/// Where a fail-soft search stands.
struct Best {
    value: Value,
    mv: Option<Move>,
}

impl Worker<'_> {
    /// The value of the position for its side to move, searched `depth` plies deep
    /// within the window `alpha..beta`.
    pub(crate) fn node<N: NodeKind>(&mut self, mut alpha: Value, mut beta: Value, depth: i32, ply: usize) -> Value {
        if depth <= 0 {
            return self.quiescence::<N>(alpha, beta, ply);
        }
        self.pv[ply].clear();
        if self.must_leave() {
            return 0;
        }
        self.selective_depth = self.selective_depth.max(ply);
        if let Some(value) = self.decided_value(ply) {
            return value;
        }
        if ply >= MAX_PLY {
            return self.evaluate();
        }
        // Mate distance: no line from here beats a mate that is already shorter.
        alpha = alpha.max(mated_at(ply));
        beta = beta.min(mate_at(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let known = self.look_up::<N>(alpha, beta, depth, ply);
        if let Some(value) = known.cut {
            return value;
        }
        let in_check = self.position.in_check();
        let eval = if in_check { None } else { Some(known.eval.unwrap_or_else(|| self.evaluate())) };
        if let Some(value) = eval.filter(|_| !N::PV).and_then(|eval| prune::reverse_futility(depth, eval, beta)) {
            return value;
        }
        if let Some(value) = eval.and_then(|eval| self.try_null_move::<N>(eval, beta, depth, ply)) {
            return value;
        }
        let best = self.search_moves::<N>(alpha, beta, depth, ply, known.mv, eval);
        if self.stopped {
            return 0;
        }
        let bound = match best.value {
            value if value >= beta => Bound::Lower,
            value if N::PV && value > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry { mv: best.mv, value: best.value, eval, depth, bound };
        self.job.table.store(self.position.key(), ply, entry);
        best.value
    }

    /// Asks the table; its move is checked for legality.
    pub(crate) fn look_up<N: NodeKind>(&self, alpha: Value, beta: Value, depth: i32, ply: usize) -> Known {
        let Some(entry) = self.job.table.probe(self.position.key(), ply) else {
            return Known { mv: None, cut: None, eval: None };
        };
        let decides = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= beta,
            Bound::Upper => entry.value <= alpha,
        };
        Known {
            mv: entry.mv.filter(|&mv| self.position.is_legal(mv)),
            cut: (!N::PV && entry.depth >= depth && decides).then_some(entry.value),
            eval: entry.eval,
        }
    }

    /// Passes and sees whether the opponent can do anything about it.
    fn try_null_move<N: NodeKind>(&mut self, eval: Value, beta: Value, depth: i32, ply: usize) -> Option<Value> {
        if N::PV || self.position.plies_played() > 0 && self.position.last_move().is_none() {
            return None;
        }
        let reduced = prune::null_move_depth(depth, eval, beta)?;
        self.position.do_null_move();
        let value = -self.node::<NonPv>(-beta, 1 - beta, reduced, ply + 1);
        self.position.undo_null_move();
        // A mate found after a pass is not proved; the bound is.
        (!self.stopped && value >= beta).then_some(if value >= MATE_BOUND { beta } else { value })
    }

    /// Searches the moves of a node and updates what will order them next time.
    fn search_moves<N: NodeKind>(
        &mut self,
        mut alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
        table_move: Option<Move>,
        eval: Option<Value>,
    ) -> Best {
        let in_check = self.position.in_check();
        let mut best = Best { value: -INFINITE, mv: None };
        let mut picker = Picker::new(&self.position, Wanted::All, table_move, self.killers[ply], &self.moves);
        let mut quiets: [Option<Move>; 32] = [None; 32];
        let mut number = 0;
        let mut quiet_count = 0;
        while let Some(mv) = picker.next(&self.position, self.histories, &mut self.moves) {
            number += 1;
            self.job.table.prefetch(self.position.key_after(mv));
            let quiet = self.position.piece_at(mv.to()).is_none();
            let checks = self.position.gives_check(mv);
            let calm = quiet && !in_check && !checks;
            if best.value > -MATE_BOUND && self.is_pruned(mv, depth, alpha, eval, number, calm) {
                continue;
            }
            let reduction = if calm && number > 1 && depth >= params::LMR_DEPTH {
                let history = self.histories.quiet(self.position.turn(), mv);
                (reduce::late_move(depth, number) - history / params::LMR_HISTORY_DIVISOR - i32::from(N::PV))
                    .clamp(0, depth - 1)
            } else {
                0
            };
            self.make(mv);
            let extension = i32::from(checks);
            let value = self.search_child::<N>(alpha, beta, depth - 1 + extension, reduction, ply, number);
            self.unmake();
            if self.stopped {
                break;
            }
            if value > best.value {
                best.value = value;
                if value > alpha {
                    best.mv = Some(mv);
                    if N::PV {
                        self.set_pv(ply, mv);
                    }
                    if value >= beta {
                        self.reward(mv, quiet, &quiets[..quiet_count], depth, ply);
                        break;
                    }
                    alpha = value;
                }
            }
            if quiet && quiet_count < quiets.len() {
                quiets[quiet_count] = Some(mv);
                quiet_count += 1;
            }
        }
        picker.close(&mut self.moves);
        if number == 0 {
            // No legal move loses, in check or not.
            best.value = mated_at(ply);
        }
        best
    }

    /// Whether a move other than the first good one is not worth searching.
    fn is_pruned(&self, mv: Move, depth: i32, alpha: Value, eval: Option<Value>, number: usize, calm: bool) -> bool {
        let Some(eval) = eval else { return false };
        if calm && (prune::is_late(depth, number) || prune::is_futile(depth, eval, alpha)) {
            return true;
        }
        let quiet = self.position.piece_at(mv.to()).is_none();
        prune::see_threshold(depth, quiet).is_some_and(|threshold| !see::reaches(&self.position, mv, threshold))
    }

    /// The value of the move just made: a null window first, wider if it surprises.
    pub(crate) fn search_child<N: NodeKind>(
        &mut self,
        alpha: Value,
        beta: Value,
        depth: i32,
        reduction: i32,
        ply: usize,
        number: usize,
    ) -> Value {
        if number == 1 && N::PV {
            return -self.node::<Pv>(-beta, -alpha, depth, ply + 1);
        }
        let mut value = -self.node::<NonPv>(-alpha - 1, -alpha, depth - reduction, ply + 1);
        if value > alpha && reduction > 0 {
            value = -self.node::<NonPv>(-alpha - 1, -alpha, depth, ply + 1);
        }
        if N::PV && value > alpha && !self.stopped {
            value = -self.node::<Pv>(-beta, -alpha, depth, ply + 1);
        }
        value
    }

    /// After a cut: remembers the quiet move that caused it.
    fn reward(&mut self, mv: Move, quiet: bool, tried: &[Option<Move>], depth: i32, ply: usize) {
        if quiet {
            self.killers[ply].add(mv);
            self.histories.update(self.position.turn(), mv, tried.iter().flatten().copied(), depth);
        }
    }
}

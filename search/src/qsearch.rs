//! Quiescence: captures are played out before a position is judged.

use crate::Bound;
use crate::node::NodeKind;
use crate::picker::{Picker, Wanted};
use crate::tt::Entry;
use crate::value::{INFINITE, MAX_PLY, Value, mated_at};
use crate::worker::Worker;

impl Worker<'_> {
    /// The value of the position once no capture gains anything; in check all
    /// evasions are searched.
    pub(crate) fn quiescence<N: NodeKind>(&mut self, mut alpha: Value, beta: Value, ply: usize) -> Value {
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
        let known = self.look_up::<N>(alpha, beta, 0, ply);
        if let Some(value) = known.cut {
            return value;
        }
        let in_check = self.position.in_check();
        let eval = if in_check { None } else { Some(known.eval.unwrap_or_else(|| self.evaluate())) };
        let mut best = eval.unwrap_or(-INFINITE);
        if best >= beta {
            return best;
        }
        let original_alpha = alpha;
        alpha = alpha.max(best);
        let mut best_move = None;
        let mut picker = Picker::new(&self.position, Wanted::Tactical, known.mv, self.killers[ply], &self.moves);
        while let Some(mv) = picker.next(&self.position, self.histories, &mut self.moves) {
            self.job.table.prefetch(self.position.key_after(mv));
            self.make(mv);
            let value = -self.quiescence::<N>(-beta, -alpha, ply + 1);
            self.unmake();
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.set_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        picker.close(&mut self.moves);
        if self.stopped {
            return 0;
        }
        if best == -INFINITE {
            return mated_at(ply);
        }
        let bound = match best {
            value if value >= beta => Bound::Lower,
            value if N::PV && value > original_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry { mv: best_move, value: best, eval, depth: 0, bound };
        self.job.table.store(self.position.key(), ply, entry);
        best
    }
}

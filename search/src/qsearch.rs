//! Quiescence search: captures are played out before a position is evaluated.

use enbu_eval::piece_value::exchange;
use enbu_movegen::{Move, Square};

use crate::history::Line;
use crate::node::NodeKind;
use crate::picker::{self, Picker, Plan, Wanted};
use crate::report::Bound;
use crate::tt::Entry;
use crate::value::{DECIDED, INFINITE, Value, mated_at};
use crate::worker::{Anchor, Worker};
use crate::{params, see};

/// Prospect of a move in quiescence, after one that is not lost.
enum Prospect {
    Hopeless,
    /// A gain of material and nothing else, in exchange units.
    Gain(Value),
    /// May win more than material.
    Forcing,
}

impl Worker<'_> {
    /// The value of the position once no capture gains anything; in check, evasions are
    /// searched until one is not lost, then those that gain material.
    pub(crate) fn quiescence(&mut self, kind: NodeKind, mut alpha: Value, beta: Value, ply: usize) -> Value {
        #[cfg(test)]
        self.fail_at(crate::search::tests::fault::Place::Quiescence);
        if let Some(value) = self.enter(ply) {
            return value;
        }
        let entry = self.job.table.probe(self.position.key(), ply);
        if let Some(entry) = entry.filter(|entry| !kind.is_pv() && entry.decides(0, alpha, beta)) {
            return entry.value;
        }
        let was_pv = kind.is_pv() || entry.is_some_and(|entry| entry.on_pv);
        let known = self.judge(entry.as_ref(), ply);
        let mut best = known.map_or(-INFINITE, |known| known.refined);
        if best >= beta {
            if let (Some(known), None) = (&known, &entry) {
                self.keep_eval(known, ply, kind);
            }
            return best;
        }
        // Only after standing pat: at or above beta, a mate adds nothing.
        if entry.is_none()
            && let Some(value) = self.mate_at_once(ply)
        {
            return value;
        }
        alpha = alpha.max(best);
        let futile = best + params::quiescence_margin();
        let mut best_move = None;
        let table_move = entry.and_then(|entry| entry.mv).filter(|&mv| self.position.is_legal(mv));
        let mut picker = self.picker(Wanted::Gaining(0), table_move, self.line(ply));
        let recapture = self.position.last_move().map(Move::to);
        let (mut number, mut anchor) = (0, Anchor::None);
        while let Some(mv) = picker::next(&mut picker, &self.position, self.memory, &self.job.table, &mut self.moves) {
            if self.overlooks(mv) {
                continue;
            }
            if best > -DECIDED {
                number += 1;
                match self.prospect(mv, number, recapture) {
                    Prospect::Hopeless => continue,
                    // Even with its victim, the capture does not reach alpha.
                    Prospect::Gain(gain) if futile + gain <= alpha => {
                        best = best.max(futile + gain);
                        continue;
                    }
                    Prospect::Gain(_) | Prospect::Forcing => {}
                }
            }
            self.make(mv, ply, None);
            let value = -self.quiescence(kind, -beta, -alpha, ply + 1);
            self.unmake();
            if self.stopped {
                break;
            }
            let below = self.frame(ply + 1).anchor;
            anchor = anchor.min(below);
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if kind.is_pv() {
                        self.set_pv(ply, mv);
                    }
                    if value >= beta {
                        anchor = below;
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
        // Never exact: quiescence leaves out too many moves.
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let stored =
            Entry { mv: best_move, value: best, eval: known.map(|known| known.stored), depth: 0, bound, on_pv: was_pv };
        self.frame_mut(ply).anchor = anchor;
        self.store(ply, stored);
        best
    }

    /// A picker for the node, without killers.
    pub(crate) fn picker(&self, wanted: Wanted, table_move: Option<Move>, line: Line) -> Picker {
        let plan = Plan { wanted, which: self.job.options.moves, table_move, killers: Default::default(), line };
        Picker::new(&self.position, plan, &self.moves)
    }

    /// The prospect of move number `number`, counted from 1, in quiescence.
    fn prospect(&self, mv: Move, number: i32, recapture: Option<Square>) -> Prospect {
        let victim = self.position.piece_at(mv.to());
        if self.position.in_check() {
            // Once an evasion holds, quiet ones and ones that lose material add little.
            // (Stockfish.)
            let wins = victim.is_some() && see::reaches(&self.position, mv, 0);
            return if wins { Prospect::Forcing } else { Prospect::Hopeless };
        }
        // After a few captures only recaptures and checks. (Stockfish.)
        let checks = self.position.gives_check(mv);
        if number > params::quiescence_moves() && Some(mv.to()) != recapture && !checks {
            return Prospect::Hopeless;
        }
        if mv.is_promotion() || checks {
            return Prospect::Forcing;
        }
        Prospect::Gain(victim.map_or(0, |taken| exchange(taken.kind)))
    }
}

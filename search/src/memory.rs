//! Memory of a search thread from one search to the next.

use enbu_eval::{Evaluation, Evaluator};
use enbu_movegen::Position;

use crate::hanging::Hanging;
use crate::history::Histories;

/// Memory of a search thread from one search to the next.
pub(crate) struct Memory {
    pub(crate) moves: Histories,
    pub(crate) hanging: Hanging,
    /// Kept for its allocation, which takes time, and for the sums it keeps.
    pub(crate) evaluator: Evaluator,
    /// Set by the first search after a clear.
    used: bool,
}

impl Memory {
    pub(crate) fn new() -> Self {
        let evaluator = Evaluator::new(&Position::startpos());
        Self { moves: Histories::new(), hanging: Hanging::new(), evaluator, used: false }
    }

    /// Makes the evaluator ready for a search of `position`.
    pub(crate) fn prepare(&mut self, evaluation: &Evaluation, position: &Position) {
        self.used = true;
        if self.evaluator.is_of(evaluation) {
            self.evaluator.reset(position);
        } else {
            self.evaluator = Evaluator::with(evaluation, position);
            self.hanging.clear();
        }
    }

    /// Prepares the first search: touches the pages of all tables, and makes the evaluator.
    pub(crate) fn warm(&mut self, evaluation: &Evaluation) {
        self.moves.touch();
        self.prepare(evaluation, &Position::startpos());
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.used) {
            self.moves.clear();
            self.hanging.clear();
        }
    }
}

//! Memory of a search thread from one search to the next.

use enbu_eval::Evaluator;
use enbu_movegen::Position;

use crate::correction::Corrections;
use crate::hanging::Hanging;
use crate::history::Histories;
use crate::job::Job;

/// Memory of a search thread from one search to the next.
pub(crate) struct Memory {
    pub(crate) moves: Histories,
    pub(crate) corrections: Corrections,
    pub(crate) hanging: Hanging,
    /// Kept for its memory, which takes time to make, and for the
    /// values it remembers.
    pub(crate) evaluator: Evaluator,
    /// Set by the first search after a clear.
    used: bool,
}

impl Memory {
    pub(crate) fn new() -> Self {
        let evaluator = Evaluator::new(&Position::startpos());
        Self {
            moves: Histories::new(),
            corrections: Corrections::new(),
            hanging: Hanging::new(),
            evaluator,
            used: false,
        }
    }

    /// Makes the evaluator ready for `job`.
    pub(crate) fn prepare(&mut self, job: &Job) {
        self.used = true;
        if self.evaluator.is_of(&job.evaluation) {
            self.evaluator.reset(&job.position);
        } else {
            self.evaluator = Evaluator::with(&job.evaluation, &job.position);
            self.hanging.clear();
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.used) {
            self.moves.clear();
            self.corrections.clear();
            self.hanging.clear();
        }
    }
}

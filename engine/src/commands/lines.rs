//! The best moves of a search, as its reports name them.

use enbu_movegen::Move;
use enbu_search::{BestMove, Listener, Report, Score};
use parking_lot::Mutex;

/// A best move with its score.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Line {
    pub(in crate::commands) mv: Move,
    pub(in crate::commands) score: Score,
    pub(in crate::commands) depth: u32,
}

/// Keeps the last report of each line.
#[derive(Default)]
pub(in crate::commands) struct Lines(Mutex<Vec<Line>>);

impl Lines {
    /// The lines so far, best first; none are left.
    pub(in crate::commands) fn take(&self) -> Vec<Line> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Listener for Lines {
    fn report(&self, report: &Report) {
        let Some(&mv) = report.pv.first() else { return };
        let line = Line { mv, score: report.score, depth: report.depth };
        let mut lines = self.0.lock();
        // A rank is first reported after the ones before it.
        match lines.get_mut(report.multi_pv - 1) {
            Some(known) => *known = line,
            None => lines.push(line),
        }
    }

    fn notice(&self, _: &str) {}

    fn finished(&self, _: &BestMove) {}
}

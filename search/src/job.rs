//! One search, and the role of a thread in it.

use std::sync::Arc;
use std::time::Instant;

use enbu_eval::Evaluation;
use enbu_movegen::Position;

use crate::clock::Budget;
use crate::limits::{Clock, Limits, Options};
use crate::report::Listener;
use crate::shared::Control;
use crate::tt::Table;

/// One search: position, limits and the state shared by its threads.
pub(crate) struct Job {
    pub(crate) position: Position,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    pub(crate) evaluation: Evaluation,
    pub(crate) started: Instant,
    pub(crate) table: Arc<Table>,
    pub(crate) control: Control,
    pub(crate) listener: Arc<dyn Listener>,
}

impl Job {
    /// Time for the move: the fixed one, else by `clock`.
    pub(crate) fn budget(&self, clock: Option<&Clock>) -> Option<Budget> {
        let (timing, ply) = (&self.options.timing, self.position.ply());
        let fixed = self.limits.movetime.map(|movetime| Budget::fixed(movetime, timing));
        fixed.or_else(|| Some(Budget::new(clock?, timing, ply)))
    }
}

/// Role of a thread in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Watches the limits, reports and answers.
    Main,
    /// Searches the same position so that the main thread finds more in the table.
    /// Helpers count from 0.
    Helper(usize),
}

impl Role {
    /// The main thread's is 0.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Main => 0,
            Self::Helper(index) => index + 1,
        }
    }
}

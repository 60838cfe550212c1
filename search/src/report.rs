//! What leaves a search.

use std::time::Duration;

use enbu_movegen::Move;

use crate::Score;

/// What is known after an iteration (or a part of it that changed the best line).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Completed depth, in plies.
    pub depth: u32,
    /// Deepest ply reached, quiescence included.
    pub selective_depth: u32,
    /// Which line this is, from 1.
    pub multi_pv: usize,
    /// What it is worth, for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Positions visited so far.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the transposition table is with entries of this search, in permille.
    pub hashfull: u32,
    /// The line, every move legal after the ones before; empty only when the
    /// side to move has none.
    pub pv: Vec<Move>,
}

/// How a score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the search's score.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// The answer of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMove {
    /// Play this move.
    Play {
        /// A legal move.
        best: Move,
        /// The expected reply, legal after `best`.
        ponder: Option<Move>,
    },
    /// Declare a win by entering king.
    Win,
    /// Resign: no legal move, or hopeless.
    Resign,
}

/// Hears what a search finds; called from the search's threads.
pub trait Listener: Send + Sync {
    /// News; never after [`finished`](Self::finished).
    fn report(&self, report: &Report);
    /// Something a user should know, ASCII.
    fn notice(&self, text: &str);
    /// The answer, exactly once for each start.
    fn finished(&self, best: &BestMove);
}

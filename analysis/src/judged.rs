//! The judgement of one position.

use enbu_movegen::Move;

use crate::report::Score;

/// Judgement of a position, from Black's view.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judged {
    /// The lines, the best first; none where the game is over.
    pub(crate) lines: Vec<Line>,
    /// Score of a position where the game is over.
    pub(crate) over: Option<Score>,
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// The line of the mate solver.
    pub(crate) mate: Option<Vec<Move>>,
    /// All first moves that mate, with their lines, where the played one does not.
    pub(crate) mates: Vec<Line>,
    /// The second-best move, where the played one may make a problem.
    pub(crate) second: Option<Line>,
}

/// A line and its score.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) score: Score,
    pub(crate) moves: Vec<Move>,
    /// The line ends in a declaration.
    pub(crate) declares: bool,
}

impl Judged {
    /// Score of the position.
    pub(crate) fn score(&self) -> Option<Score> {
        self.over.or_else(|| self.lines.first().map(|line| line.score))
    }

    /// First move of the best line.
    pub(crate) fn first_choice(&self) -> Option<Move> {
        self.lines.first().and_then(|line| line.moves.first().copied())
    }
}

//! Data of an inner node.

use enbu_movegen::{Move, PieceType};

use crate::correction::Slots;
use crate::history::Line;
use crate::tt::Entry;
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// The window is open: the value may become the root's value.
    Pv,
    /// The window is null, and a move is expected to reach beta.
    Cut,
    /// The window is null, and all moves are expected to fail.
    All,
}

impl NodeKind {
    #[inline(always)]
    pub(crate) fn is_pv(self) -> bool {
        self == Self::Pv
    }

    /// Kind of its children when searched with a null window and full depth.
    #[inline(always)]
    pub(crate) fn child(self) -> Self {
        if self == Self::Cut { Self::All } else { Self::Cut }
    }

    /// Kind of the node when searched with a null window.
    #[inline(always)]
    pub(crate) fn closed(self) -> Self {
        if self == Self::Cut { Self::Cut } else { Self::All }
    }
}

/// State of a node before its moves are searched.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) depth: i32,
    pub(crate) ply: usize,
    pub(crate) line: Line,
    /// Entry of the transposition table; its move is legal.
    pub(crate) entry: Option<Entry>,
    /// The static evaluations; `None` in check.
    pub(crate) judged: Option<Judgement>,
    pub(crate) trend: Trend,
    /// The table knows the node from a principal variation.
    pub(crate) was_pv: bool,
    /// The table's move is a capture.
    pub(crate) table_captures: bool,
    /// The node is on the best line of the last iteration: no quiet move of it is pruned
    /// (Stockfish).
    pub(crate) follows: bool,
    pub(crate) excluded: Option<Move>,
}

impl Node {
    pub(crate) fn table_move(&self) -> Option<Move> {
        self.entry.and_then(|entry| entry.mv)
    }

    /// The corrected static evaluation; `None` in check.
    #[inline]
    pub(crate) fn eval(&self) -> Option<Value> {
        self.judged.map(|judged| judged.eval)
    }

    /// The static evaluation that the table keeps; `None` in check.
    pub(crate) fn stored(&self) -> Option<Value> {
        self.judged.map(|judged| judged.stored)
    }
}

/// Best move and value of a fail-soft search so far.
pub(crate) struct Best {
    pub(crate) value: Value,
    pub(crate) mv: Option<Move>,
}

/// Static evaluations of a position.
#[derive(Clone, Copy)]
pub(crate) struct Judgement {
    /// Output of the evaluator, corrected by hanging pieces: the table keeps both together, since
    /// finding such pieces takes two thirds of the instructions of a small network.
    pub(crate) stored: Value,
    /// `stored` plus the other corrections.
    pub(crate) eval: Value,
    /// Tightened by the bound of the table.
    pub(crate) refined: Value,
    /// Entries of the corrections, which will learn the error of `eval`.
    pub(crate) slots: Slots,
}

/// Trend of the static evaluation along the line of play. While it rises, pruning from above
/// is safer, from below less so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// Better than at the side's own move before.
    Improving,
    Falling,
}

impl Trend {
    /// From the evaluations now and at the side's own move before, if known.
    #[inline]
    pub(crate) fn of(now: Option<Value>, before: Option<Value>) -> Self {
        match (now, before) {
            (Some(now), Some(before)) if now > before => Self::Improving,
            _ => Self::Falling,
        }
    }

    /// 1 if improving, else 0.
    #[inline]
    pub(crate) fn as_int(self) -> i32 {
        i32::from(self == Self::Improving)
    }
}

/// A move before its search.
pub(crate) struct Candidate {
    pub(crate) mv: Move,
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) victim: Option<PieceType>,
    pub(crate) checks: bool,
    pub(crate) history: i32,
    /// The exchange that it begins is known not to lose.
    pub(crate) gains: bool,
}

/// Depths at which a move is searched.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Its place in the order, counted from 1.
    pub(crate) number: usize,
    /// Plies below it.
    pub(crate) depth: i32,
    /// Plies below it in a first, shallower search; no less than `depth` for none.
    pub(crate) reduced: i32,
    /// The best value of the moves before it.
    pub(crate) best: Value,
}

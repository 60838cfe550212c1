//! Limits of a search, and the options that it depends on.

use std::time::Duration;

use enbu_movegen::{EnteringKingRule, Move};

use crate::level::Level;

/// The clock as the side to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clock {
    /// Main time left.
    pub time: Duration,
    /// Time for each move on top of it, which does not add up.
    pub byoyomi: Duration,
    /// Time added for each move (Fischer); available before the move.
    pub increment: Duration,
}

/// When a search ends. Without any limit it runs until it is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Play by this clock.
    pub clock: Option<Clock>,
    /// Think exactly this long.
    pub movetime: Option<Duration>,
    /// Complete this many iterations, at least 1.
    pub depth: Option<u32>,
    /// Visit no more than this many positions.
    pub nodes: Option<u64>,
    /// Begin no further iteration once this many positions have been visited.
    pub soft_nodes: Option<u64>,
    /// Do not count time until [`ponderhit`](crate::Search::ponderhit).
    pub ponder: bool,
    /// Consider only these root moves; empty, or none of them legal: all.
    pub root_moves: Vec<Move>,
    /// A panic for a test.
    #[cfg(test)]
    pub(crate) fault: Option<crate::search::tests::fault::Fault>,
}

/// Set of moves that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// All but pawns, bishops and rooks that could promote and do not, and lances that
    /// stay unpromoted on the second rank: nothing but avoiding mate by a dropped pawn
    /// is ever gained by them.
    Sensible,
    /// Every legal move.
    All,
}

/// Length of the lines that are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// As far as the search followed them.
    AsSearched,
    /// Lines that end early are continued by moves from the table.
    Continued,
}

/// Settings of the time management, in milliseconds or percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Margin kept at the end of a planned think, in ms.
    pub network_delay_ms: u32,
    /// Margin kept at the hard limit, in ms.
    pub network_delay2_ms: u32,
    /// Think at least this long when the clock allows it, in ms.
    pub minimum_thinking_time_ms: u32,
    /// Scales the planned time, in percent.
    pub slow_mover: u32,
    /// Think up to just below the next full second, because the clock counts
    /// whole seconds.
    pub rounding: Rounding,
    /// Thinking on the opponent's time is on (more time may be spent then).
    pub ponder: bool,
}

/// Rounding of thinking time to full seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Stop when planned.
    Exact,
    /// Stop just before the next full second has passed.
    UpToFullSecond,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            network_delay_ms: 120,
            network_delay2_ms: 1120,
            minimum_thinking_time_ms: 1,
            slow_mover: 100,
            rounding: Rounding::UpToFullSecond,
            ponder: false,
        }
    }
}

/// Options of a search, apart from the position and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of best lines to find, at least 1.
    pub multi_pv: usize,
    /// The rule by which a win may be declared.
    pub entering_king: EnteringKingRule,
    /// The game is drawn after this many moves; 0: no limit.
    pub max_moves: u32,
    /// Settings of the time management.
    pub timing: Timing,
    /// Least time between reports of one search, the last ones excepted.
    pub report_interval: Duration,
    /// After this long without a report the counters are reported; `None`: never.
    pub heartbeat: Option<Duration>,
    /// Value of a draw for the searching side when it is Black and when it is
    /// White, in centipawns.
    pub draw_values: [i32; 2],
    /// Set of moves that are searched.
    pub moves: Moves,
    /// Length of the lines that are reported.
    pub lines: Lines,
    /// Play below full strength; `None`: play as well as possible.
    pub level: Option<Level>,
    /// Resign when the value falls to minus this, in centipawns.
    pub resign_value: i32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            entering_king: EnteringKingRule::default(),
            max_moves: 0,
            timing: Timing::default(),
            report_interval: Duration::ZERO,
            heartbeat: None,
            draw_values: [0, 0],
            moves: Moves::Sensible,
            lines: Lines::AsSearched,
            level: None,
            resign_value: i32::MAX,
        }
    }
}

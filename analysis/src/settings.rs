//! Settings of an analysis.

use std::fmt;
use std::time::Duration;

use enbu_movegen::Color;

use crate::class::Thresholds;

/// Limit of the search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// This long.
    Time(Duration),
    /// At most this number of nodes.
    Nodes(u64),
    /// This number of iterations.
    Depth(u32),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => write!(f, "time={}", time.as_secs_f64()),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

/// Order in which the positions of a game are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the last to the first: the table then holds the consequences of a move when
    /// the position before it is searched.
    FromEnd,
    /// From the first to the last.
    FromStart,
}

/// The lines of a record that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The main line.
    MainLine,
    /// The main line and the variations.
    Variations,
}

/// Settings of an analysis. Equal settings, evaluation and program give equal judgements
/// with a limit of nodes or depth and one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Limit of each position.
    pub limit: Limit,
    /// Number of best lines of each position.
    pub multi_pv: usize,
    /// Nodes of the mate solver for each position; 0: none.
    pub mate_nodes: u64,
    /// The first move to judge, from 1.
    pub from: usize,
    /// The last move to judge.
    pub to: usize,
    /// The side whose moves are judged; `None`: both.
    pub side: Option<Color>,
    /// Threads of each search.
    pub threads: usize,
    /// Transposition table of each game in megabytes (2^20 bytes).
    pub hash_mb: usize,
    /// Order of the positions.
    pub order: Order,
    /// The lines that are searched.
    pub scope: Scope,
    /// Positions of an even game up to this ply are searched apart from their game, and
    /// once for all games.
    pub book_plies: usize,
    /// Thresholds of the classes.
    pub thresholds: Thresholds,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limit: Limit::Time(Duration::from_secs(1)),
            multi_pv: 1,
            mate_nodes: 100_000,
            from: 1,
            to: usize::MAX,
            side: None,
            threads: 1,
            hash_mb: 64,
            order: Order::FromEnd,
            scope: Scope::MainLine,
            book_plies: 16,
            thresholds: Thresholds::default(),
        }
    }
}

impl Settings {
    /// Returns true if moves of `color` are judged.
    pub(crate) fn judges(&self, color: Color) -> bool {
        self.side.is_none_or(|side| side == color)
    }
}

impl fmt::Display for Settings {
    /// One line with every setting, by which results are recognised.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.side.map_or("both", |side| if side == Color::Black { "black" } else { "white" });
        let to = if self.to == usize::MAX { "end".to_owned() } else { self.to.to_string() };
        let order = if self.order == Order::FromEnd { "end" } else { "start" };
        let scope = if self.scope == Scope::MainLine { "main" } else { "all" };
        let Self { limit, multi_pv, mate_nodes, from, threads, hash_mb, book_plies, thresholds, .. } = self;
        write!(
            f,
            "{limit} multipv={multi_pv} mate={mate_nodes} moves={from}-{to} side={side} threads={threads} \
             hash={hash_mb} order={order} lines={scope} book={book_plies} thresholds={thresholds}"
        )
    }
}

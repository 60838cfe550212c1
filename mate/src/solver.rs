//! The public solver: from a position to a verdict with its line.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use enbu_language::text;
use enbu_movegen::{Move, MoveList, Position};

use crate::child::Count;
use crate::cycles::Cycles;
use crate::dfpn::Search;
use crate::line;
use crate::overseer::{CHEAP_NODES, Limits, Mate, Overseer, Progress, Refinement};
use crate::plies::{ANY, Length, Plies};
use crate::table::Table;

/// A mate solver with a transposition table of fixed size.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use enbu_mate::{Limits, Solver, Verdict};
/// use enbu_movegen::{Position, Setup};
/// let setup: Setup = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1".parse()?;
/// let position = Position::from_setup(&setup)?;
/// let solution = Solver::new(1)?.solve(&position, &Limits::default(), &AtomicBool::new(false), &mut |_| {});
/// let Verdict::Mate(mate) = solution.verdict else { panic!("there is a mate") };
/// assert_eq!(mate.line, ["S*2c".parse()?, "2b1c".parse()?, "G*1d".parse()?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    pub(crate) table: Table,
    pub(crate) cycles: Cycles,
}

/// Error: the table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!("not enough memory for a mate table of {megabytes} MB", "詰み探索の表（{megabytes} MB）のメモリが足りません"))]
pub struct OutOfMemory {
    /// The requested size in MB.
    pub megabytes: usize,
}

/// Length of a mate without useless interpositions, by the best play of both sides: see
/// `docs/mates.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Proven bound.
    pub plies: u16,
    /// Precision of `plies`.
    pub length: Length,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move mates.
    Mate(Mate),
    /// No mate by consecutive checks exists (within [`Limits::plies`], if given).
    NoMate,
    /// Undecided: the limits or `stop` ended the search.
    Unknown,
}

/// A first move of the attacker and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The move, a check.
    pub mv: Move,
    /// Bound on the length of the mate by this move, itself included; `None`: no mate is
    /// known.
    pub plies: Option<u16>,
    /// [`Length::Shortest`] if `plies` is exact, or if it is proven that there is no mate.
    pub length: Length,
}

/// Result and statistics of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The result.
    pub verdict: Verdict,
    /// Nodes searched.
    pub nodes: u64,
    /// Nodes up to the first proof or disproof.
    pub nodes_to_verdict: u64,
    /// Time of the search.
    pub elapsed: Duration,
    /// Time up to the first proof or disproof.
    pub elapsed_to_verdict: Duration,
    /// Occupancy of the table at the end, in 1/1000.
    pub hash_permille: u32,
}

/// Share of the memory for path-dependent results, as a divisor.
const CYCLES_SHARE: usize = 8;

impl Solver {
    /// A solver with `megabytes` MB of memory, at least 1.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the allocation fails.
    pub fn new(megabytes: usize) -> Result<Self, OutOfMemory> {
        let bytes = megabytes.max(1).saturating_mul(1 << 20);
        let share = bytes / CYCLES_SHARE;
        match (Table::new(bytes - share), Cycles::new(share)) {
            (Some(table), Some(cycles)) => Ok(Self { table, cycles }),
            _ => Err(OutOfMemory { megabytes }),
        }
    }

    /// Searches for a mate by the side to move. Equal sequences of calls after
    /// [`clear`](Self::clear) give equal results.
    ///
    /// Returns soon after `stop` is set. `report` is called about twice a second and for
    /// every mate found.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress),
    ) -> Solution {
        let mut board = position.without_history();
        let mut overseer = Overseer::new(limits, stop, report);
        let mut search = self.search(&mut board, Count::Every);
        let value = search.prove(limits.plies.map_or(ANY, odd), &mut overseer);
        let (nodes_to_verdict, elapsed_to_verdict) = (search.nodes, overseer.started.elapsed());
        let verdict = if value.is_mate() {
            match refined(&mut search, value.plies, limits, &mut overseer) {
                Some(mate) => Verdict::Mate(mate),
                None => Verdict::Unknown,
            }
        } else if value.is_refuted() {
            Verdict::NoMate
        } else {
            Verdict::Unknown
        };
        let nodes = search.nodes;
        Solution {
            verdict,
            nodes,
            nodes_to_verdict,
            elapsed: overseer.started.elapsed(),
            elapsed_to_verdict,
            hash_permille: self.table.permille(),
        }
    }

    /// Searches every first move separately, to find all solutions of a problem. The
    /// limits of nodes and plies apply to each move, the deadline to all together.
    pub fn first_moves(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress),
    ) -> Vec<FirstMove> {
        let mut board = position.without_history();
        let mut overseer = Overseer::new(&Limits { nodes: None, ..limits.clone() }, stop, report);
        let mut search = self.search(&mut board, Count::Every);
        let mut checks = MoveList::new();
        search.position.checks(&mut checks);
        let first = |mv| first_move(&mut search, mv, limits, &mut overseer);
        let mut found: Vec<FirstMove> = checks.into_iter().map(first).collect();
        found.sort_by_key(|first| (first.plies.is_none(), first.plies, first.length == Length::Shortest));
        found
    }

    /// Counts the mate of a solution without useless interpositions; `None` if it has none.
    /// The limits of nodes and time apply to the count alone, and [`Refinement`] as it does
    /// after the first proof.
    pub fn count(
        &mut self,
        position: &Position,
        solution: &Solution,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress),
    ) -> Option<Counted> {
        let Verdict::Mate(mate) = &solution.verdict else { return None };
        let mut board = position.without_history();
        let mut overseer = Overseer::new(limits, stop, report);
        overseer.has_mate = true;
        let mut search = self.search(&mut board, Count::Conventional);
        Some(counted(&mut search, mate.plies, overseer.until(limits.refinement.nodes(solution.nodes))))
    }

    /// A search for a mate by the side to move of `board`.
    pub(crate) fn search<'a>(&'a mut self, board: &'a mut Position, count: Count) -> Search<'a> {
        self.cycles.clear();
        let attacker = board.turn();
        Search::new(board, attacker, &mut self.table, &mut self.cycles, count)
    }

    /// Clears the tables: the next search is independent of earlier ones.
    pub fn clear(&mut self) {
        self.table.clear();
        self.cycles.clear();
    }
}

/// The greatest odd number up to `plies`, at least 1: a mate ends with the attacker's move.
fn odd(plies: u16) -> Plies {
    if plies == 0 { 1 } else { (plies - 1) | 1 }.min(ANY - 1)
}

/// The conventional length of a mate within `plies` plies.
pub(crate) fn counted(search: &mut Search<'_>, plies: Plies, overseer: &mut Overseer<'_>) -> Counted {
    let mut counted = Counted { plies, length: Length::AtMost };
    while let Some(shorter) = counted.plies.checked_sub(2) {
        let value = search.prove(shorter, overseer);
        if value.is_refuted() {
            break;
        }
        if !value.is_mate() {
            return counted;
        }
        counted.plies = value.plies;
    }
    Counted { length: Length::Shortest, ..counted }
}

/// The line of a proven mate, shortened as far as the limits allow.
fn refined(search: &mut Search<'_>, within: Plies, limits: &Limits, overseer: &mut Overseer<'_>) -> Option<Mate> {
    let mut mate = None;
    let mut plies = within;
    let until = search.nodes.saturating_add(limits.refinement.nodes(search.nodes));
    let mut length = Length::AtMost;
    loop {
        if let Some((line, bound)) = line::of(search, plies, length, overseer.until(u64::MAX)) {
            plies = bound;
            // The line of a proof may be shorter than the proof.
            length = if plies == 1 { Length::Shortest } else { length };
            let found = Mate { line, plies, length };
            if mate.as_ref().is_none_or(|known: &Mate| known.line != found.line) {
                overseer.found(search.nodes, search.table, &found);
            }
            mate = Some(found);
        }
        if length == Length::Shortest || search.nodes >= until || mate.is_none() {
            return mate;
        }
        let value = search.prove(plies - 2, overseer.until(until));
        if value.is_mate() {
            plies = value.plies;
        } else if value.is_refuted() {
            length = Length::Shortest;
        } else {
            return mate;
        }
    }
}

/// The result of a first move, refined as far as the limits allow.
fn first_move(search: &mut Search<'_>, mv: Move, limits: &Limits, overseer: &mut Overseer<'_>) -> FirstMove {
    let started = search.nodes;
    let nodes = |nodes: u64| started.saturating_add(limits.nodes.unwrap_or(u64::MAX).min(nodes));
    search.position.do_move(mv);
    let mut within = limits.plies.map_or(ANY, |plies| odd(plies) - 1);
    let mut found = FirstMove { mv, plies: None, length: Length::AtMost };
    let mut until = nodes(u64::MAX);
    loop {
        let value = search.prove(within, overseer.until(until));
        if value.is_mate() {
            found.plies = Some(value.plies + 1);
            within = value.plies.saturating_sub(2);
            let spent = search.nodes - started;
            until = match limits.refinement {
                Refinement::None => search.nodes,
                Refinement::Affordable => until.min(nodes(spent + spent.max(CHEAP_NODES))),
                Refinement::Shortest => until,
            };
        } else if value.is_refuted() {
            found.length = Length::Shortest;
        }
        if found.plies == Some(1) {
            found.length = Length::Shortest;
        }
        if !value.is_mate() || found.length == Length::Shortest || search.nodes >= until {
            search.position.undo_move();
            return found;
        }
    }
}

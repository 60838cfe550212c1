//! The solver as others see it: a position goes in, a verdict with its line comes out.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use enbu_movegen::{Move, MoveList, Position};

use crate::cycles::Cycles;
use crate::dfpn::{Control, Search, Snapshot};
use crate::line;
use crate::plies::{ANY, Length, Plies};
use crate::table::Table;

/// Finds mates, and remembers what it found within a fixed amount of memory.
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
    table: Table,
    cycles: Cycles,
}

/// There is not enough memory for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// What was asked for.
    pub megabytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for a mate table of {} MB", self.megabytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// How much work a shorter line is worth once a mate is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Refinement {
    /// None: the first proof's line.
    None,
    /// As much again as the proof took, and always what a short problem needs.
    #[default]
    Affordable,
    /// Whatever it takes to know the shortest.
    Shortest,
}

/// What bounds a search. The default is no bound at all.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Positions to search at most.
    pub nodes: Option<u64>,
    /// When to end.
    pub deadline: Option<Instant>,
    /// Look only for mates of at most so many plies. `NoMate` then means: none that short.
    pub plies: Option<u16>,
    /// What to do after the first proof.
    pub refinement: Refinement,
}

/// How a search goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions searched.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the table is, in 1/1000.
    pub hash_permille: u32,
    /// The mate found so far, if there is one; a shorter one is then looked for.
    pub mate: Option<Mate>,
    /// The line that is being looked at; empty once there is a mate.
    pub line: Vec<Move>,
}

/// A mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate {
    /// The line, attacker first, up to and including the mating move. It is legal, each
    /// of the attacker's moves gives check, and the last one mates.
    pub line: Vec<Move>,
    /// Proven: the attacker mates within so many plies whatever the defender does.
    pub plies: u16,
    /// Whether that is the least.
    pub length: Length,
    /// The length of the line as problems count it: without interpositions that are
    /// taken at once by the checking piece and only put the mate off.
    pub conventional_plies: u16,
}

/// What is known about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move mates.
    Mate(Mate),
    /// It does not, whatever it does (by checks, within [`Limits::plies`] if given).
    NoMate,
    /// The limits or `stop` came first.
    Unknown,
}

/// A first move of the attacker, and what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The move, a check.
    pub mv: Move,
    /// With this move first there is a mate within so many plies, itself included;
    /// `None`: no mate is known.
    pub plies: Option<u16>,
    /// Whether that is the last word: the least number of plies, or no mate at all.
    pub length: Length,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What was found.
    pub verdict: Verdict,
    /// Positions searched.
    pub nodes: u64,
    /// Positions searched up to the first proof or disproof.
    pub nodes_to_verdict: u64,
    /// Time it took.
    pub elapsed: Duration,
    /// Time up to the first proof or disproof.
    pub elapsed_to_verdict: Duration,
    /// How full the table was at the end, in 1/1000.
    pub hash_permille: u32,
}

/// The part of the memory that holds results on one path, as a divisor.
const CYCLES_SHARE: usize = 8;

/// How often progress is told.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Nodes that a search for a shorter line may always take under [`Refinement::Affordable`].
const CHEAP_NODES: u64 = 1_000_000;

/// Nodes that may always be spent on finding out which interpositions of a line are
/// useless; an eighth of what the mate took is allowed besides.
const COUNTING_NODES: u64 = 500;

impl Solver {
    /// A solver with so many megabytes of memory, 1 at least.
    ///
    /// # Errors
    /// [`OutOfMemory`] when the system does not give it.
    pub fn new(megabytes: usize) -> Result<Self, OutOfMemory> {
        let bytes = megabytes.max(1).saturating_mul(1 << 20);
        let share = bytes / CYCLES_SHARE;
        match (Table::new(bytes - share), Cycles::new(share)) {
            (Some(table), Some(cycles)) => Ok(Self { table, cycles }),
            _ => Err(OutOfMemory { megabytes }),
        }
    }

    /// Looks for a mate by the side to move. Sets of equal calls after
    /// [`clear`](Self::clear) give equal answers.
    ///
    /// Returns soon after `stop` is set. `tell` hears how it goes about twice a second,
    /// and of every mate found before the last.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Progress),
    ) -> Solution {
        let mut board = position.without_history();
        let attacker = board.turn();
        let start_ply = board.plies_played();
        let mut overseer = Overseer::new(limits, stop, start_ply, tell);
        self.cycles.clear();
        let mut search = Search::new(&mut board, attacker, &mut self.table, &mut self.cycles);
        let within = limits.plies.map_or(ANY, odd);
        let value = search.prove(within, &mut overseer);
        let (nodes_to_verdict, elapsed_to_verdict) = (search.nodes, overseer.started.elapsed());
        let verdict = if value.is_mate() {
            match refined(&mut search, value.plies, limits, &mut overseer) {
                Some(mate) => Verdict::Mate(mate),
                None => Verdict::Unknown,
            }
        } else if value.is_no_mate() && value.reliance.is_none() {
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

    /// Looks at every first move by itself: all that mate are solutions, not only the
    /// best. The limits of nodes and plies hold for each move, the deadline for all.
    pub fn first_moves(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Progress),
    ) -> Vec<FirstMove> {
        let mut board = position.without_history();
        let attacker = board.turn();
        let mut overseer = Overseer::new(limits, stop, board.plies_played(), tell);
        self.cycles.clear();
        let mut search = Search::new(&mut board, attacker, &mut self.table, &mut self.cycles);
        let mut checks = MoveList::new();
        search.position.checks(&mut checks);
        let first = |mv| first_move(&mut search, mv, limits, &mut overseer);
        let mut found: Vec<FirstMove> = checks.into_iter().map(first).collect();
        found.sort_by_key(|first| (first.plies.is_none(), first.plies, first.length == Length::Shortest));
        found
    }

    /// Forgets everything: the next search does not depend on earlier ones.
    pub fn clear(&mut self) {
        self.table.clear();
        self.cycles.clear();
    }
}

/// The greatest odd number up to `plies`: the attacker makes the last move.
fn odd(plies: u16) -> Plies {
    if plies == 0 { 1 } else { (plies - 1) | 1 }.min(ANY - 1)
}

/// The line of a proven mate, and shorter ones as far as the limits allow.
fn refined(search: &mut Search<'_>, within: Plies, limits: &Limits, overseer: &mut Overseer<'_>) -> Option<Mate> {
    let mut mate = None;
    let mut plies = within;
    let budget = match limits.refinement {
        Refinement::None => 0,
        Refinement::Affordable => search.nodes.max(CHEAP_NODES),
        Refinement::Shortest => u64::MAX,
    };
    let until = search.nodes.saturating_add(budget);
    let mut length = if plies == 1 { Length::Shortest } else { Length::AtMost };
    loop {
        if let Some(line) = line::of(search, plies, length, overseer) {
            let until = search.nodes + search.nodes / 8 + COUNTING_NODES;
            let conventional_plies = line::conventional_plies(search, &line, &mut overseer.until(until));
            let found = Mate { line, plies, length, conventional_plies };
            overseer.found(search, &found);
            mate = Some(found);
        }
        if length == Length::Shortest || search.nodes >= until || mate.is_none() {
            return mate;
        }
        let value = search.prove(plies - 2, &mut overseer.until(until));
        if value.is_mate() {
            plies = value.plies;
            if plies == 1 {
                length = Length::Shortest;
            }
        } else if value.is_no_mate() && value.reliance.is_none() {
            length = Length::Shortest;
        } else {
            return mate;
        }
    }
}

/// What a first move leads to, refined as far as the limits allow.
fn first_move(search: &mut Search<'_>, mv: Move, limits: &Limits, overseer: &mut Overseer<'_>) -> FirstMove {
    let started = search.nodes;
    let nodes = |nodes: u64| started.saturating_add(limits.nodes.unwrap_or(u64::MAX).min(nodes));
    overseer.nodes = u64::MAX;
    search.position.do_move(mv);
    let mut within = limits.plies.map_or(ANY, |plies| odd(plies) - 1);
    let mut found = FirstMove { mv, plies: None, length: Length::AtMost };
    let mut until = nodes(u64::MAX);
    loop {
        let value = search.prove(within, &mut overseer.until(until));
        if value.is_mate() {
            found.plies = Some(value.plies + 1);
            within = match value.plies {
                0 => 0,
                plies => plies - 2,
            };
            let spent = search.nodes - started;
            until = match limits.refinement {
                Refinement::None => search.nodes,
                Refinement::Affordable => until.min(nodes(spent + spent.max(CHEAP_NODES))),
                Refinement::Shortest => until,
            };
        } else if value.is_no_mate() && value.reliance.is_none() {
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

/// Watches over limits, and tells how the search goes.
pub(crate) struct Overseer<'a> {
    started: Instant,
    nodes: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Moves of the position before the search.
    start_ply: usize,
    tell: &'a mut dyn FnMut(&Progress),
    next_report: Duration,
    has_mate: bool,
}

impl<'a> Overseer<'a> {
    fn new(limits: &Limits, stop: &'a AtomicBool, start_ply: usize, tell: &'a mut dyn FnMut(&Progress)) -> Self {
        Self {
            started: Instant::now(),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            deadline: limits.deadline,
            stop,
            start_ply,
            tell,
            next_report: REPORT_INTERVAL,
            has_mate: false,
        }
    }

    /// The same with a limit of nodes on top.
    fn until(&mut self, nodes: u64) -> Until<'_, 'a> {
        Until { nodes, overseer: self }
    }

    fn found(&mut self, search: &Search<'_>, mate: &Mate) {
        self.has_mate = true;
        (self.tell)(&Progress {
            nodes: search.nodes,
            elapsed: self.started.elapsed(),
            hash_permille: search.table.permille(),
            mate: Some(mate.clone()),
            line: Vec::new(),
        });
    }
}

/// How many nodes pass between two looks at the clock, minus one.
const CLOCK_MASK: u64 = 0xff;

impl Control for Overseer<'_> {
    fn ends(&mut self, search: &Snapshot<'_>) -> bool {
        if search.nodes >= self.nodes || self.stop.load(Ordering::Relaxed) {
            return true;
        }
        if search.nodes & CLOCK_MASK != 0 {
            return false;
        }
        let elapsed = self.started.elapsed();
        if elapsed >= self.next_report {
            self.next_report = elapsed + REPORT_INTERVAL;
            let line =
                if self.has_mate { Vec::new() } else { search.position.history().skip(self.start_ply).collect() };
            let (nodes, hash_permille) = (search.nodes, search.hash_permille);
            (self.tell)(&Progress { nodes, elapsed, hash_permille, mate: None, line });
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// An overseer with a limit of nodes on top.
struct Until<'a, 'b> {
    nodes: u64,
    overseer: &'a mut Overseer<'b>,
}

impl Control for Until<'_, '_> {
    fn ends(&mut self, search: &Snapshot<'_>) -> bool {
        search.nodes >= self.nodes || self.overseer.ends(search)
    }
}

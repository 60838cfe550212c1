//! State owned by one search thread.

use std::sync::atomic::Ordering;

use enbu_mate::mate_in_one;
use enbu_movegen::{Cycle, Declaration, EnteringKingRule, Move, Position, Ruling};

use crate::chase;
use crate::correction::Slots;
use crate::history::{Arrival, Killers, Line, QuietKey};
use crate::keys::Keys;
use crate::level::Level;
use crate::memory::Memory;
use crate::node::{Judgement, NodeKind};
use crate::report::{Bound, LineEnd, Progress, ReportGate};
use crate::root_move::RootMove;
use crate::scored::Scored;
use crate::shared::{Job, Role};
use crate::tt::Entry;
use crate::value::{DECIDED, MAX_PLY, Value, is_ordinary, mate_at, mated_at, repetition_win_at};

/// A draw is worth less than any decided game.
const MAX_DRAW_VALUE: Value = DECIDED - 1;

/// Positions visited between two reads of the clock.
const POLL_INTERVAL: u64 = 256;

/// The earliest position that a value depends on by a decisive repetition, in order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Anchor {
    Game,
    /// The one at this ply of the line.
    Ply(usize),
    /// There is no such repetition.
    #[default]
    None,
}

/// Stack entry of one ply of the line being searched.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The corrected static evaluation; `None` in check.
    pub(crate) eval: Option<Value>,
    /// The node is on the best line of the last iteration.
    pub(crate) on_last_pv: bool,
    /// The move being searched; `None` after a null move.
    pub(crate) arrival: Option<Arrival>,
    /// History key of the move being searched; `None` unless it is quiet.
    pub(crate) quiet: Option<QuietKey>,
    /// The move that a test for singularity leaves out.
    pub(crate) excluded: Option<Move>,
    pub(crate) killers: Killers,
    /// Fail highs at this ply since the node two plies before was entered.
    pub(crate) cutoffs: u16,
    /// Number of that move in the order of its node, from 1.
    pub(crate) number: usize,
    /// Reduction of the search of the move, in plies.
    pub(crate) reduction: i32,
    /// The table knows the node from a principal variation.
    pub(crate) was_pv: bool,
    /// Keys of the position in histories and corrections.
    pub(crate) keys: Keys,
    /// Earliest position on which the value of the node depends, once it is returned.
    pub(crate) anchor: Anchor,
}

/// A search thread's state while it works on one job.
pub(crate) struct Worker<'a> {
    pub(crate) job: &'a Job,
    pub(crate) role: Role,
    pub(crate) memory: &'a mut Memory,
    pub(crate) position: Position,
    /// The moves of all open nodes, one node after the other.
    pub(crate) moves: Vec<Scored>,
    /// One for each ply, [`LOOKBACK`](Self::LOOKBACK) of them before the root.
    pub(crate) frames: Vec<Frame>,
    pub(crate) root_depth: usize,
    /// `pv[ply]`: the best line found from that ply on.
    pub(crate) pv: Vec<Vec<Move>>,
    pub(crate) root_moves: Vec<RootMove>,
    pub(crate) root_move: Option<Move>,
    pub(crate) gate: ReportGate,
    /// The best line of the last iteration.
    pub(crate) last_pv: Vec<Move>,
    pub(crate) nodes: u64,
    pub(crate) selective_depth: usize,
    pub(crate) stopped: bool,
    next_poll: u64,
    node_limit: u64,
    /// Rule of declarations, tested only with a king in or near the zone.
    entering_king: EnteringKingRule,
    /// Boards of the game at which a fourth occurrence may end it.
    third_boards: Vec<u64>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(job: &'a Job, role: Role, memory: &'a mut Memory) -> Self {
        let level_nodes = job.options.level.map(Level::nodes);
        memory.prepare(&job.evaluation, &job.position);
        let root_moves = RootMove::all(&job.position, &job.limits.root_moves);
        let lines = match role {
            Role::Main => job.options.multi_pv.clamp(1, root_moves.len().max(1)),
            Role::Helper(_) => 0,
        };
        let mut frames = vec![Frame::default(); MAX_PLY + Self::LOOKBACK + 2];
        frames[Self::LOOKBACK].keys = Keys::of(&job.position);
        Self {
            job,
            role,
            memory,
            position: job.position.clone(),
            moves: Vec::with_capacity(8192),
            frames,
            root_depth: 0,
            pv: vec![Vec::new(); MAX_PLY + 2],
            root_moves,
            root_move: None,
            gate: ReportGate::new(&job.options, lines, job.started.elapsed()),
            last_pv: Vec::new(),
            nodes: 0,
            selective_depth: 0,
            stopped: false,
            next_poll: 0,
            node_limit: job.limits.nodes.into_iter().chain(level_nodes).min().unwrap_or(u64::MAX),
            entering_king: job.options.entering_king,
            third_boards: job.position.third_boards(),
        }
    }

    /// Frames before the root's.
    pub(crate) const LOOKBACK: usize = 4;

    #[inline]
    pub(crate) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + Self::LOOKBACK]
    }

    #[inline]
    pub(crate) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + Self::LOOKBACK]
    }

    /// The moves that led to the node at `ply`.
    #[inline]
    pub(crate) fn line(&self, ply: usize) -> Line {
        let at = ply + Self::LOOKBACK;
        let arrival = |plies: usize| self.frames[at - plies].arrival;
        Line::new([arrival(1), arrival(2), arrival(4)], self.frames[at].keys)
    }

    /// The evaluation at the own move before the one at `ply`, or, if that was in check,
    /// at the one before.
    #[inline]
    pub(crate) fn eval_before(&self, ply: usize) -> Option<Value> {
        let at = ply + Self::LOOKBACK;
        self.frames[at - 2].eval.or(self.frames[at - 4].eval)
    }

    /// Static evaluations of the present position; `None` in check.
    #[inline]
    pub(crate) fn judge(&mut self, entry: Option<&Entry>, ply: usize) -> Option<Judgement> {
        if self.position.in_check() {
            return None;
        }
        // First, so that the loads overlap with the computation of the evaluation.
        debug_assert_eq!(self.frame(ply).keys, Keys::of(&self.position));
        let slots = Slots::of(&self.position, self.frame(ply).keys, self.line(ply));
        let correction = self.job.corrections.of(slots);
        let known = entry.and_then(|entry| entry.eval);
        let stored = known.unwrap_or_else(|| self.evaluate() + self.memory.hanging.correction(&self.position));
        let eval = stored + correction;
        // Halved or compared with a margin, a mate would yield a value that no search found.
        let bounding = entry.filter(|entry| is_ordinary(entry.value));
        let refined = bounding.map_or(eval, |entry| match entry.bound {
            Bound::Exact => entry.value,
            Bound::Lower => entry.value.max(eval),
            Bound::Upper => entry.value.min(eval),
        });
        Some(Judgement { stored, eval, refined, slots })
    }

    /// Stores an evaluation that cut a node without an entry, as a lower bound: at the next visit it
    /// is not computed again.
    ///
    /// Last test, of the nodes outside quiescence, with entries aged faster (`tt`): -2 ± 34 (400
    /// games, 10 000 nodes).
    #[inline]
    pub(crate) fn keep_eval(&self, judged: &Judgement, ply: usize, kind: NodeKind) {
        let (value, eval, on_pv) = (judged.refined, Some(judged.stored), kind.is_pv());
        let entry = Entry { mv: None, value, eval, depth: 0, bound: Bound::Lower, on_pv };
        self.job.table.store(self.position.key(), ply, entry);
    }

    /// Stores the result of the node at `ply`. Of a decided value that depends on a repetition of a
    /// position before the node, which other paths to the node need not have, only the move is kept,
    /// with a bound that always holds. Ordinary values that depend on one are stored, as those that
    /// depend on draws are.
    ///
    /// Last test, against ordinary ones kept out as well: +147 ± 112 (50 games, 400 000 nodes).
    #[inline]
    pub(crate) fn store(&self, ply: usize, entry: Entry) {
        let entry = if self.frame(ply).anchor < Anchor::Ply(ply) && !is_ordinary(entry.value) {
            Entry { value: mated_at(ply), bound: Bound::Lower, depth: 0, ..entry }
        } else {
            entry
        };
        self.job.table.store(self.position.key(), ply, entry);
    }

    /// Value of a mate in one, `None` without one; called for nodes without an entry. The mate is not
    /// stored: finding it again costs a fourth of a usual node, and every seventh entry was such a
    /// mate.
    #[inline]
    pub(crate) fn mate_at_once(&mut self, ply: usize) -> Option<Value> {
        if self.position.in_check() {
            return None;
        }
        let mv = mate_in_one(&self.position).filter(|&mv| !self.overlooks(mv))?;
        self.pv[ply].push(mv);
        Some(mate_at(ply + 1))
    }

    /// Returns true if a player of the level does not see `mv`.
    #[inline]
    pub(crate) fn overlooks(&self, mv: Move) -> bool {
        let level = self.job.options.level;
        level.is_some_and(|level| !self.position.in_check() && level.overlooks(self.position.key(), mv))
    }

    /// Makes a move and counts its node. `quiet` is its key if it is quiet and its node an inner one.
    #[inline]
    pub(crate) fn make(&mut self, mv: Move, ply: usize, quiet: Option<QuietKey>) {
        let delta = self.position.do_move(mv);
        let follows = self.frame(ply).on_last_pv && self.last_pv.get(ply) == Some(&mv);
        let keys = self.frame(ply).keys.after(&delta);
        let child = self.frame_mut(ply + 1);
        child.on_last_pv = follows;
        child.keys = keys;
        let frame = &mut self.frames[ply + Self::LOOKBACK];
        frame.quiet = quiet;
        frame.arrival = Some(Arrival::from(&delta));
        self.memory.evaluator.push(&self.position, &delta);
        self.nodes += 1;
    }

    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.position.undo_move();
        self.memory.evaluator.pop();
    }

    /// Begins a node. Returns its value if it is not searched: after a stop, at the end of the game,
    /// and at the deepest ply.
    #[inline]
    pub(crate) fn enter(&mut self, ply: usize) -> Option<Value> {
        self.pv[ply].clear();
        if self.nodes >= self.next_poll && !self.stopped {
            self.poll();
        }
        if self.stopped {
            return Some(0);
        }
        self.selective_depth = self.selective_depth.max(ply);
        self.decided_value(ply).or_else(|| (ply >= MAX_PLY).then(|| self.evaluate()))
    }

    /// Checks the limits and schedules the next check.
    fn poll(&mut self) {
        let control = &self.job.control;
        control.set_count(self.role.index(), self.nodes);
        let limit = self.node_limit.saturating_sub(control.all_nodes() - self.nodes);
        self.stopped = self.nodes >= limit
            || match self.role {
                Role::Main => self.job.must_stop(),
                Role::Helper(_) => control.over.load(Ordering::Relaxed),
            };
        self.next_poll = (self.nodes + POLL_INTERVAL).min(limit.max(self.nodes + 1));
        if self.gate.beats(|| self.job.started.elapsed()) {
            self.job.listener.progress(&self.progress());
        }
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            nodes: self.all_nodes(),
            elapsed: self.job.started.elapsed(),
            hashfull: self.job.table.hashfull(),
            root_move: self.root_move,
        }
    }

    /// Positions visited by all threads of the search.
    pub(crate) fn all_nodes(&self) -> u64 {
        let control = &self.job.control;
        control.set_count(self.role.index(), self.nodes);
        control.all_nodes()
    }

    /// The value of a node that ends the game or need not be searched: repetition,
    /// limit of moves, declaration.
    pub(crate) fn decided_value(&mut self, ply: usize) -> Option<Value> {
        self.frame_mut(ply).anchor = Anchor::None;
        match self.position.max_moves(self.job.options.max_moves) {
            Ruling::None => {}
            Ruling::Draw => return Some(self.draw_value()),
            Ruling::Win(_) => return Some(mated_at(ply)),
        }
        let (end, anchor) = self.ending(&self.position, ply)?;
        let value = match end {
            LineEnd::Win => return Some(mate_at(ply + 1)),
            LineEnd::Resign => return Some(mated_at(ply)),
            LineEnd::Repetition(Cycle::Draw) => return Some(self.draw_value()),
            LineEnd::Repetition(Cycle::Win | Cycle::Superior) => repetition_win_at(ply),
            LineEnd::Repetition(Cycle::Loss | Cycle::Inferior) => -repetition_win_at(ply),
        };
        self.frame_mut(ply).anchor = anchor;
        Some(value)
    }

    /// The end of a line at `position`, `ply` plies after the root: the fourth occurrence, which ends
    /// the game, a declaration, or a repetition within the line. Positions before the root count at
    /// the fourth occurrence only (Stockfish): until then both sides may still leave the loop.
    ///
    /// Last test, against 16 plies back across the root: +40 ± 47 (+109 =5 -86 of 200 games, 100 000 nodes).
    pub(crate) fn ending(&self, position: &Position, ply: usize) -> Option<(LineEnd, Anchor)> {
        if self.third_boards.contains(&position.board_key())
            && let Some(cycle) = position.final_cycle()
        {
            return Some((LineEnd::Repetition(cycle), Anchor::Game));
        }
        if self.can_declare(position) {
            return Some((LineEnd::Win, Anchor::None));
        }
        let (cycle, distance) = position.cycle(ply)?;
        Some((LineEnd::Repetition(cycle), Anchor::Ply(ply - distance)))
    }

    /// Value of a draw for the side to move: the searching side's preference, or
    /// the opposite.
    fn draw_value(&self) -> Value {
        let searching = self.job.position.turn();
        let value = self.job.options.draw_values[searching].clamp(-MAX_DRAW_VALUE, MAX_DRAW_VALUE);
        if self.position.turn() == searching { value } else { -value }
    }

    /// Returns true if the side to move can end the game with a won declaration (or try).
    fn can_declare(&self, position: &Position) -> bool {
        let us = position.turn();
        let near = position.king(us).is_some_and(|king| king.relative_rank(us) <= 3);
        near && position.declaration(self.entering_king) == Declaration::Win
    }

    #[inline]
    pub(crate) fn evaluate(&mut self) -> Value {
        chase::value(&self.position).unwrap_or_else(|| self.memory.evaluator.evaluate(&self.position))
    }

    /// Notes that `mv` followed by the line of the next ply is best at `ply`.
    pub(crate) fn set_pv(&mut self, ply: usize, mv: Move) {
        let (here, below) = self.pv.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(mv);
        here[ply].extend_from_slice(&below[0]);
    }
}

//! The search: depth-first proof-number search (df-pn, Nagai 1999) on an explicit
//! stack, so that its depth costs heap, not call stack, and it can stop anywhere.
//!
//! At every node the side to move wants one move to succeed: a check that mates, or
//! an answer after which there is no mate. `phi` is what is left to prove that one
//! does (its proof number for the attacker, its disproof number for the defender),
//! `delta` what is left to prove that all fail. `phi` is the least over the moves.
//!
//! `delta` would be the sum, which counts one position reached by several moves
//! several times and explodes in long problems. For the attacker's moves it is the
//! largest plus one for every other open move (weak proof-number search, Ueda et al.
//! 2008, the idea of Okabe's branch numbers), which no transposition can inflate. For
//! the defender's moves, where drops on one square wait for each other, it is the sum:
//! measured on the table of problems, half the nodes of either the largest or the sum
//! on both sides.
//!
//! A node whose children were seen nearer to the root may chase its own numbers in a
//! circle. When no new position has been searched for long, the thresholds of such
//! nodes grow until one is (threshold control, Kishimoto 2010). Done always it
//! exhausts every circle on every path that leads to it.

use enbu_movegen::{Color, Hand, Move, MoveList, Position};

use crate::child::{Child, Stage};
use crate::cycles::{Cycles, Path, Reliance, mix};
use crate::hands;
use crate::plies::{Plies, after_move, beyond, with_move};
use crate::table::{Known, Numbers, Question, Table};
use crate::value::{INFINITE, Role, Value};

/// How deep a line may go. "No mate" that relies on this limit is never final.
pub(crate) const MAX_DEPTH: usize = 6000;

/// How much longer a child is searched than its best sibling's number asks for, as a
/// divisor of that number: fewer returns to a node that is entered again at once
/// (the 1 + epsilon trick, Pawlewicz and Lew 2007).
const PATIENCE: u32 = 3;

/// After so many nodes without a new position the search is taken to chase its own numbers.
const STALE_NODES: u64 = 1 << 14;

/// Decides when a search ends before it has its answer.
pub(crate) trait Control {
    /// Called at every node with the number of nodes so far; `true` ends the search.
    fn ends(&mut self, search: &Snapshot<'_>) -> bool;
}

/// What a running search shows.
pub(crate) struct Snapshot<'a> {
    /// Positions searched so far.
    pub(crate) nodes: u64,
    /// How full the table is, in 1/1000.
    pub(crate) hash_permille: u32,
    /// The position now searched, with the moves that led to it.
    pub(crate) position: &'a Position,
}

/// Where the search gives a node back to its parent.
#[derive(Clone, Copy)]
struct Thresholds {
    phi: u32,
    delta: u32,
}

/// A node of the present line.
struct Frame {
    role: Role,
    question: Question,
    thresholds: Thresholds,
    /// Where its children begin.
    first_child: usize,
    /// The child that is being searched, counted from the first.
    current: usize,
    entered_at: u64,
    /// The chase counter before this node.
    chases: u32,
}

/// The state of a node as its children have it.
enum Summary {
    /// A move succeeds.
    Succeeds,
    /// All moves fail.
    Fails,
    /// Neither is known.
    Open {
        phi: u32,
        delta: u32,
        /// The child to search next.
        best: usize,
        /// Its limits.
        limits: Thresholds,
    },
}

/// One search: a position, and what is remembered about it.
pub(crate) struct Search<'a> {
    pub(crate) position: &'a mut Position,
    pub(crate) table: &'a mut Table,
    cycles: &'a mut Cycles,
    attacker: Color,
    /// Tells searches apart that could mistake each other's entries.
    salt: u64,
    path: Path,
    frames: Vec<Frame>,
    children: Vec<Child>,
    list: MoveList,
    pub(crate) nodes: u64,
    /// Nodes of the present line that may chase their own numbers; 0 when a new
    /// position was found below them.
    chases: u32,
    /// How many nodes there were when a new position was last searched.
    last_new: u64,
    ended: bool,
}

impl<'a> Search<'a> {
    /// A search in which `attacker` mates. The position is given back as it was.
    pub(crate) fn new(
        position: &'a mut Position,
        attacker: Color,
        table: &'a mut Table,
        cycles: &'a mut Cycles,
    ) -> Self {
        Self {
            salt: salt(position, attacker),
            position,
            table,
            cycles,
            attacker,
            path: Path::new(),
            frames: Vec::new(),
            children: Vec::new(),
            list: MoveList::new(),
            nodes: 0,
            chases: 0,
            last_new: 0,
            ended: false,
        }
    }

    /// A search of another position with the same attacker that shares what is remembered.
    pub(crate) fn aside<'b>(&'b mut self, position: &'b mut Position) -> Search<'b> {
        let mut aside = Search::new(position, self.attacker, self.table, self.cycles);
        aside.nodes = self.nodes;
        aside.last_new = self.nodes;
        aside
    }

    /// Who is to move.
    pub(crate) fn role(&self) -> Role {
        if self.position.turn() == self.attacker { Role::Attacker } else { Role::Defender }
    }

    fn question(&self, within: Plies) -> Question {
        Question { key: self.position.board_key() ^ self.salt, hand: self.position.hand(self.attacker), within }
    }

    /// What is known about the present position without a search.
    pub(crate) fn look(&mut self, within: Plies) -> Value {
        let (role, question) = (self.role(), self.question(within));
        let known = self.remembered(question);
        known.unwrap_or_else(|| crate::expand::first_value(self.position, role, within))
    }

    /// Searches the present position until it is known whether there is a mate within
    /// so many plies, or until `control` ends it: then the value is open.
    pub(crate) fn prove(&mut self, within: Plies, control: &mut dyn Control) -> Value {
        self.ended = false;
        self.chases = 0;
        let free = Thresholds { phi: INFINITE, delta: INFINITE };
        if let Some(value) = self.enter(within, free) {
            return value;
        }
        loop {
            let summary = self.summarise();
            match summary {
                Summary::Open { best, limits, .. } if !self.ended && self.goes_on(&summary) => {
                    let (mv, within) = self.descend(best);
                    self.position.do_move(mv);
                    match self.enter(within, limits) {
                        Some(value) => {
                            self.position.undo_move();
                            self.take_over(best, value);
                        }
                        None => {
                            let position = &*self.position;
                            let hash_permille = self.table.permille();
                            self.ended = control.ends(&Snapshot { nodes: self.nodes, hash_permille, position });
                        }
                    }
                }
                _ => {
                    let value = self.leave(&summary);
                    if self.frames.is_empty() {
                        return value;
                    }
                    self.position.undo_move();
                    self.take_over(self.top().current, value);
                }
            }
        }
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn top_children(&self) -> &[Child] {
        &self.children[self.top().first_child..]
    }

    /// Turns to a child of the top node: its move, and within how many plies it must mate.
    fn descend(&mut self, at: usize) -> (Move, Plies) {
        let top = self.frames.len() - 1;
        self.frames[top].current = at;
        (self.top_children()[at].mv, after_move(self.top().question.within))
    }

    /// Whether the top node is searched further. A node that may be chasing its own
    /// numbers gets higher thresholds until it has seen something new.
    fn goes_on(&mut self, summary: &Summary) -> bool {
        let &Summary::Open { phi, delta, .. } = summary else { return false };
        let chasing = self.chases > 0 && self.nodes - self.last_new > STALE_NODES;
        let at = self.frames.len() - 1;
        let thresholds = &mut self.frames[at].thresholds;
        if chasing {
            thresholds.phi = thresholds.phi.max(phi + 1);
            thresholds.delta = thresholds.delta.max(delta + 1);
        }
        phi < thresholds.phi && delta < thresholds.delta
    }

    /// Opens the present position as a new top node, unless its value is known.
    fn enter(&mut self, within: Plies, thresholds: Thresholds) -> Option<Value> {
        let question = self.question(within);
        let role = self.role();
        let known = self.table.look_up(question);
        match known {
            Known::Mate { hand, within } => return Some(Value::mate(within, hand)),
            Known::NoMate { hand, below } => return Some(Value::no_mate(below, hand, Reliance::NONE)),
            Known::Open(_) | Known::Nothing => {}
        }
        if within <= 1 {
            return Some(crate::expand::first_value(self.position, role, within));
        }
        self.nodes += 1;
        let chases = self.chases;
        if known == Known::Nothing {
            self.chases = 0;
            self.last_new = self.nodes;
        }
        self.path.push(question.key, question.hand);
        let first_child = self.children.len();
        self.frames.push(Frame { role, question, thresholds, first_child, current: 0, entered_at: self.nodes, chases });
        self.expand();
        if self.chases_itself() {
            self.chases += 1;
        }
        None
    }

    /// Whether a child was seen at this depth or nearer to the root: it may lead back.
    fn chases_itself(&self) -> bool {
        let depth = self.frames.len() - 1;
        self.top_children().iter().any(|child| {
            child.stage == Stage::Valued && child.value.seen_at.is_some_and(|seen| usize::from(seen) <= depth)
        })
    }

    /// Lists the moves of the top node and values them until one succeeds.
    fn expand(&mut self) {
        let (role, first) = (self.top().role, self.top().first_child);
        self.list.clear();
        match role {
            Role::Attacker => self.position.checks(&mut self.list),
            Role::Defender => self.position.legal_moves(&mut self.list),
        }
        let (position, salt, hand) = (&*self.position, self.salt, self.top().question.hand);
        self.children.extend(self.list.into_iter().map(|mv| Child {
            mv,
            key: position.board_key_after(mv) ^ salt,
            hand: if role == Role::Attacker { position.hand_after(mv) } else { hand },
            stage: Stage::New,
            next: None,
            value: Value::fresh(1, 1),
        }));
        self.table.fetch(self.children[first..].iter().map(|child| child.key));
        crate::expand::let_wait(&mut self.children[first..], role, self.position);
        for at in 0..self.children.len() - first {
            if self.children[first + at].stage != Stage::New {
                continue;
            }
            self.evaluate(at);
            if self.children[first + at].value.to_succeed(role) == 0 {
                break;
            }
        }
    }

    /// Values a child, and those that wait for it as long as each fails.
    fn evaluate(&mut self, at: usize) {
        let (role, first, within) = {
            let top = self.top();
            (top.role, top.first_child, after_move(top.question.within))
        };
        let mut at = first + at;
        loop {
            let Child { mv, key, hand, .. } = self.children[at];
            let value = self.remembered(Question { key, hand, within }).unwrap_or_else(|| {
                self.position.do_move(mv);
                let value = crate::expand::first_value(self.position, !role, within);
                self.position.undo_move();
                value
            });
            self.children[at].stage = Stage::Valued;
            self.children[at].value = value;
            match self.children[at].next {
                Some(next) if value.to_fail(role) == 0 => at = first + usize::from(next),
                _ => return,
            }
        }
    }

    /// Gives a child its new value.
    fn take_over(&mut self, at: usize, value: Value) {
        let (role, first) = (self.top().role, self.top().first_child);
        let child = &mut self.children[first + at];
        child.value = value;
        if let (0, Some(next)) = (value.to_fail(role), child.next)
            && self.children[first + usize::from(next)].stage == Stage::Waits
        {
            self.evaluate(usize::from(next));
        }
    }

    /// What is known about the answer to a question that follows on the path.
    fn remembered(&self, question: Question) -> Option<Value> {
        let Question { key, hand, within } = question;
        if let Some(depth) = self.path.earlier(key, hand) {
            return Some(Value::no_mate(beyond(within), hand, Reliance::on(depth)));
        }
        if self.path.len() >= MAX_DEPTH {
            return Some(Value::no_mate(beyond(within), hand, Reliance::Limit));
        }
        match self.table.look_up(question) {
            Known::Mate { hand, within } => Some(Value::mate(within, hand)),
            Known::NoMate { hand, below } => Some(Value::no_mate(below, hand, Reliance::NONE)),
            // At the horizon the answer costs no more than the numbers.
            Known::Open(numbers) if within > 1 => {
                let cycle = if numbers.may_cycle { self.cycles.look_up(&self.path, key, hand, within) } else { None };
                let cycle = cycle.map(|reliance| Value::no_mate(beyond(within), hand, reliance));
                Some(cycle.unwrap_or(Value::open(numbers)))
            }
            Known::Open(_) | Known::Nothing => None,
        }
    }

    /// What the children of the top node say about it.
    fn summarise(&self) -> Summary {
        let Frame { role, thresholds, .. } = *self.top();
        let (mut best, mut least, mut second, mut most, mut open) = (0, INFINITE, INFINITE, 0, 0);
        let (mut sum, mut fail_of_best) = (0_u32, 0);
        for (at, child) in self.top_children().iter().enumerate().filter(|(_, child)| child.stage == Stage::Valued) {
            let (succeed, fail) = (child.value.to_succeed(role), child.value.to_fail(role));
            if succeed == 0 {
                return Summary::Succeeds;
            }
            if fail == 0 {
                continue;
            }
            open += 1;
            most = most.max(fail);
            sum = (sum + fail).min(INFINITE - 1);
            if succeed < least || succeed == least && fail > fail_of_best {
                second = least;
                (best, least, fail_of_best) = (at, succeed, fail);
            } else if succeed < second {
                second = succeed;
            }
        }
        if open == 0 {
            return Summary::Fails;
        }
        let (delta, others) = match role {
            Role::Attacker => (most + (open - 1), open - 1),
            Role::Defender => (sum, sum - fail_of_best),
        };
        let limits = Thresholds {
            phi: thresholds.delta.saturating_sub(others),
            delta: thresholds.phi.min(second.saturating_add(1 + second / PATIENCE)),
        };
        Summary::Open { phi: least, delta: delta.min(INFINITE - 1), best, limits }
    }

    /// Closes the top node: notes what is known, and returns it for the parent.
    fn leave(&mut self, summary: &Summary) -> Value {
        let depth = self.frames.len() - 1;
        let value = match summary {
            Summary::Succeeds => self.value_of_success(),
            Summary::Fails => self.value_of_failure(),
            &Summary::Open { phi, delta, .. } => {
                let (pn, dn) = match self.top().role {
                    Role::Attacker => (phi, delta),
                    Role::Defender => (delta, phi),
                };
                Value { seen_at: Some(depth as u16), ..Value::fresh(pn, dn) }
            }
        };
        let value = self.discharged(value, depth);
        self.path.pop();
        if let Some(frame) = self.frames.pop() {
            self.close(&frame, value, depth as u16);
        }
        value
    }

    /// Forgets the children of a node that was left, and remembers its value.
    fn close(&mut self, frame: &Frame, value: Value, depth: u16) {
        self.children.truncate(frame.first_child);
        self.chases = self.chases.min(frame.chases);
        self.note(frame, value, depth);
    }

    /// Frees a "no mate" from relying on this node or deeper ones.
    fn discharged(&self, value: Value, depth: usize) -> Value {
        Value { reliance: value.reliance.discharged_at(depth), ..value }
    }

    fn note(&mut self, frame: &Frame, value: Value, depth: u16) {
        let effort = self.nodes - frame.entered_at + 1;
        let Question { key, hand, .. } = frame.question;
        if value.is_mate() {
            self.table.note_mate(key, value.hand, value.plies, effort, depth);
        } else if !value.is_no_mate() {
            let numbers = Numbers { pn: value.pn, dn: value.dn, depth, may_cycle: false };
            self.table.note_numbers(frame.question, numbers, effort);
        } else if value.reliance.is_none() {
            self.table.note_no_mate(key, value.hand, value.plies, effort, depth);
        } else {
            self.cycles.note(&self.path, key, hand, value.plies, value.reliance);
            self.table.note_cycle(frame.question, depth);
        }
    }

    /// The value of the top node when a move succeeds.
    fn value_of_success(&self) -> Value {
        let role = self.top().role;
        let succeeding = self
            .top_children()
            .iter()
            .filter(|child| child.stage == Stage::Valued && child.value.to_succeed(role) == 0);
        match role {
            Role::Attacker => {
                let Some(child) = succeeding.min_by_key(|child| child.value.plies) else { return Value::fresh(1, 1) };
                let hand = hands::before_attack(self.position, child.mv, child.value.hand);
                Value::mate(with_move(child.value.plies), hand)
            }
            Role::Defender => {
                let Some(child) = succeeding.max_by_key(|child| (child.value.reliance.shallowest(), child.value.plies))
                else {
                    return Value::fresh(1, 1);
                };
                let reliance = child.value.reliance;
                let hand = if reliance.is_none() {
                    hands::intersection(child.value.hand, hands::all(self.position))
                } else {
                    self.top().question.hand
                };
                Value::no_mate(with_move(child.value.plies), hand, reliance)
            }
        }
    }

    /// The value of the top node when every move fails.
    fn value_of_failure(&self) -> Value {
        let children = self.top_children().iter();
        match self.top().role {
            Role::Attacker => {
                let reliance = children.clone().fold(Reliance::NONE, |all, child| all.and(child.value.reliance));
                let below = children.clone().map(|child| with_move(child.value.plies)).min();
                let below = below.unwrap_or(crate::plies::NEVER);
                if !reliance.is_none() {
                    return Value::no_mate(below, self.top().question.hand, reliance);
                }
                let refuted = children.fold(hands::all(self.position), |hand, child| {
                    hands::intersection(hand, hands::before_attack(self.position, child.mv, child.value.hand))
                });
                Value::no_mate(below, hands::keep_checks_away(self.position, refuted), Reliance::NONE)
            }
            Role::Defender => {
                let within = children.clone().map(|child| with_move(child.value.plies)).max().unwrap_or(0);
                let hand = children.fold(Hand::EMPTY, |hand, child| hands::union(hand, child.value.hand));
                Value::mate(within, hands::keep_blocks_away(self.position, hand))
            }
        }
    }
}

/// A number made of what a search never changes but another search may: who attacks,
/// and how many pieces of each kind there are. With it the board and the attacker's
/// hand say what the defender holds.
fn salt(position: &Position, attacker: Color) -> u64 {
    let setup = position.to_setup();
    let counts = enbu_movegen::HandPiece::ALL.into_iter().map(|piece| u64::from(setup.count(piece.piece_type())));
    counts.fold(attacker as u64, |salt, count| mix(salt ^ count))
}

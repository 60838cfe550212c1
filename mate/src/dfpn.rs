//! Depth-first proof-number search (df-pn, Nagai 1999) on an explicit stack: depth costs
//! heap instead of call stack, and the search can stop at any node.
//!
//! At every node the side to move needs one successful move: a check that mates, or an
//! answer that refutes the mate. `phi` is the effort left to prove that one succeeds
//! (the proof number for the attacker, the disproof number for the defender), `delta`
//! the effort left to prove that all fail. `phi` is the minimum over the moves.
//!
//! `delta` would be the sum, but a position reached by several moves is then counted
//! several times (double counting), which explodes in long problems. For the attacker's
//! moves it is the maximum plus one for each other open move (weak proof-number search,
//! Ueda et al. 2008, after Okabe's branch numbers), which no transposition can inflate.
//! For the defender's moves, where drops on one square wait for each other, it is the
//! sum: measured on the table of problems, this mix needs half the nodes of the maximum
//! or the sum on both sides.
//!
//! A node with children that were visited nearer to the root may depend on its own
//! numbers through a cycle, and be re-entered without progress. After a long time
//! without a new position the thresholds of such nodes grow until one is found
//! (threshold control, Kishimoto 2010). Applied always, it would exhaust every cycle on
//! every path to it.

use enbu_movegen::{Color, Hand, Move, MoveList, Position};

use crate::child::{Child, Count, Stage, Step, key_after_interposition};
use crate::cycles::{Cycles, Path, Reliance, mix};
use crate::hands;
use crate::overseer::Overseer;
use crate::plies::{ANY, NEVER, Plies, beyond};
use crate::table::{Known, Numbers, Question, Table};
use crate::value::{INFINITE, Role, Value};

/// Maximal depth of the stack. A disproof that relies on it is never final.
pub(crate) const MAX_DEPTH: usize = 6000;

/// Divisor of the margin added to a child's threshold over its best sibling's number:
/// fewer switches between siblings of similar numbers (the 1 + epsilon trick, Pawlewicz
/// and Lew 2007).
const PATIENCE: u32 = 3;

/// Number of nodes without a new position after which thresholds grow.
const STALE_NODES: u64 = 1 << 14;

/// Numbers at which the search of a node returns to its parent.
#[derive(Clone, Copy)]
struct Thresholds {
    phi: u32,
    delta: u32,
}

struct Frame {
    role: Role,
    question: Question,
    thresholds: Thresholds,
    /// Index of its first child in the shared list.
    first_child: usize,
    /// The child being searched, relative to the first.
    current: usize,
    /// Node count at entry, for the effort of its table entry.
    entered_at: u64,
    /// [`Search::chases`] before this node.
    chases: u32,
}

/// State of a node from the values of its children.
enum Summary {
    Succeeds,
    Fails,
    /// Neither is proven.
    Open {
        phi: u32,
        delta: u32,
        /// The child to search next.
        best: usize,
        /// Thresholds of that child.
        limits: Thresholds,
    },
}

/// One search: a position, its stack, and the tables shared with other searches.
pub(crate) struct Search<'a> {
    pub(crate) position: &'a mut Position,
    pub(crate) table: &'a mut Table,
    cycles: &'a mut Cycles,
    attacker: Color,
    pub(crate) count: Count,
    /// Distinguishes entries of searches with equal boards and hands: see [`salt`].
    pub(crate) salt: u64,
    path: Path,
    frames: Vec<Frame>,
    pub(crate) children: Vec<Child>,
    list: MoveList,
    pub(crate) nodes: u64,
    /// Number of nodes on the stack that may depend on themselves through a cycle, since
    /// the last new position below them.
    chases: u32,
    /// Node count at the last new position.
    last_new: u64,
    ended: bool,
    /// Positions, without the salt, from which no mate counts.
    avoided: Vec<(u64, Hand)>,
}

impl<'a> Search<'a> {
    /// A search for a mate by `attacker`. The position is unchanged after each call.
    pub(crate) fn new(
        position: &'a mut Position,
        attacker: Color,
        table: &'a mut Table,
        cycles: &'a mut Cycles,
        count: Count,
    ) -> Self {
        Self {
            count,
            salt: mix(salt(position, attacker) ^ count as u64),
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
            avoided: Vec::new(),
        }
    }

    /// A search of the current position for a mate that avoids `places`.
    pub(crate) fn avoiding(&mut self, places: Vec<(u64, Hand)>) -> Search<'_> {
        let mut search = Search::new(self.position, self.attacker, self.table, self.cycles, self.count);
        search.salt = places.iter().fold(search.salt, |salt, (key, hand)| mix(salt ^ key ^ u64::from(hand.raw())));
        (search.nodes, search.last_new, search.avoided) = (self.nodes, self.nodes, places);
        search
    }

    /// The current position for [`avoiding`](Self::avoiding).
    pub(crate) fn place(&self) -> (u64, Hand) {
        let Question { key, hand, .. } = self.question(ANY);
        (key ^ self.salt, hand)
    }

    /// Role of the side to move.
    pub(crate) fn role(&self) -> Role {
        if self.position.turn() == self.attacker { Role::Attacker } else { Role::Defender }
    }

    fn question(&self, within: Plies) -> Question {
        let interposed = self.interposed().map_or(0, key_after_interposition);
        let key = self.position.board_key() ^ self.salt ^ interposed;
        Question { key, hand: self.position.hand(self.attacker), within }
    }

    /// Stores that the current position is a mate within `plies` plies.
    pub(crate) fn note_bound(&mut self, plies: Plies) {
        let Question { key, hand, .. } = self.question(plies);
        self.table.note_final(key, Value::mate(plies, hand), 0, 0);
    }

    /// The value of the current position without a search: from path, tables or the first
    /// estimate.
    pub(crate) fn look(&mut self, within: Plies) -> Value {
        self.remembered(self.question(within)).unwrap_or_else(|| self.estimate(within))
    }

    /// Searches the current position until a mate within `within` plies is proven or
    /// disproven, or the overseer ends the search: the value is then open.
    pub(crate) fn prove(&mut self, within: Plies, overseer: &mut Overseer<'_>) -> Value {
        self.ended = false;
        self.chases = 0;
        let free = Thresholds { phi: INFINITE, delta: INFINITE };
        if let Some(value) = self.enter(within, free) {
            return value;
        }
        // Each turn of the loop either descends to the best child or closes the top node;
        // the recursion of the published algorithm is the stack `frames`.
        loop {
            let summary = self.summarise();
            match summary {
                Summary::Open { best, limits, .. } if !self.ended && self.goes_on(&summary) => {
                    let within = self.descend(best);
                    match self.enter(within, limits) {
                        Some(value) => {
                            self.ascend();
                            self.take_over(best, value);
                        }
                        None => self.ended = overseer.ends(self.nodes, self.table, self.position),
                    }
                }
                _ => {
                    let value = self.leave(&summary);
                    if self.frames.is_empty() {
                        return value;
                    }
                    self.ascend();
                    self.take_over(self.top().current, value);
                }
            }
        }
    }

    /// Bound on the length of the top node.
    pub(crate) fn within(&self) -> Plies {
        self.top().question.within
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn top_children(&self) -> &[Child] {
        &self.children[self.top().first_child..]
    }

    /// Moves to a child of the top node; returns its bound on the length.
    fn descend(&mut self, at: usize) -> Plies {
        let top = self.frames.len() - 1;
        self.frames[top].current = at;
        let Child { mv, step, .. } = self.top_children()[at];
        self.play(mv, step);
        step.after(self.top().question.within)
    }

    /// Returns from the current child to the top node.
    fn ascend(&mut self) {
        self.take_back(self.top_children()[self.top().current].step);
    }

    pub(crate) fn play(&mut self, mv: Move, step: Step) {
        self.position.do_move(mv);
        if let Some(piece) = step.returned() {
            self.position.hand_over(self.attacker, piece);
        }
    }

    pub(crate) fn take_back(&mut self, step: Step) {
        if let Some(piece) = step.returned() {
            self.position.hand_over(!self.attacker, piece);
        }
        self.position.undo_move();
    }

    /// Returns true if the top node is below its thresholds. In a suspected cycle the
    /// thresholds are raised first, so that the node continues to its next new position.
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

    /// Pushes the current position as the new top node, unless its value is known.
    fn enter(&mut self, within: Plies, thresholds: Thresholds) -> Option<Value> {
        let question = self.question(within);
        let role = self.role();
        let known = self.table.look_up(question);
        if let Known::Final(value) = known {
            return Some(value);
        }
        if within <= 1 || self.count == Count::Conventional && self.frames.is_empty() {
            let value = self.estimate(within);
            if value.is_mate() || value.is_no_mate() {
                return Some(value);
            }
        }
        self.nodes += 1;
        // A new position is progress: the cycle counter starts again below it.
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

    /// Returns true if a child was visited at this depth or nearer to the root: it may lead
    /// back to this node.
    fn chases_itself(&self) -> bool {
        let depth = self.frames.len() - 1;
        self.top_children().iter().any(|child| {
            child.stage == Stage::Valued && child.value.seen_at.is_some_and(|seen| usize::from(seen) <= depth)
        })
    }

    /// Generates the moves of the top node and evaluates them until one succeeds.
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
            step: Step::Counts,
            stage: Stage::New,
            next: None,
            value: Value::fresh(1, 1),
        }));
        let returns = self.count_steps(first);
        // All first slots are loaded before the first lookup: their cache misses overlap.
        self.table.fetch(self.children[first..].iter().map(|child| child.key));
        crate::expand::let_wait(&mut self.children[first..], role, self.position);
        self.children.extend(returns);
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

    /// Evaluates a child; if it fails, also the sibling that waits for it, and so on.
    fn evaluate(&mut self, at: usize) {
        let (role, first, within) = {
            let top = self.top();
            (top.role, top.first_child, top.question.within)
        };
        let mut at = first + at;
        loop {
            let Child { mv, key, hand, step, .. } = self.children[at];
            let within = step.after(within);
            let value = self.remembered(Question { key, hand, within }).unwrap_or_else(|| {
                self.play(mv, step);
                let value = self.estimate(within);
                self.take_back(step);
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

    /// Updates a child; if it fails, the sibling that waits for it is evaluated.
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

    /// The known value of a position that would follow on the path: a repetition, the depth
    /// limit, or a table entry.
    fn remembered(&self, question: Question) -> Option<Value> {
        let Question { key, hand, within } = question;
        let is_avoided = |&(avoided, larger): &(u64, Hand)| avoided == key ^ self.salt && larger.dominates(hand);
        if !self.avoided.is_empty() && self.avoided.iter().any(is_avoided) {
            return Some(Value::no_mate(NEVER, hand, Reliance::NONE));
        }
        if let Some(depth) = self.path.earlier(key, hand) {
            return Some(Value::no_mate(beyond(within), hand, Reliance::on(depth)));
        }
        if self.path.len() >= MAX_DEPTH {
            return Some(Value::no_mate(beyond(within), hand, Reliance::Limit));
        }
        match self.table.look_up(question) {
            Known::Final(value) => Some(value),
            // At the horizon the estimate costs no more than a lookup: no stored numbers.
            Known::Open(numbers) if within > 1 || self.count == Count::Conventional => {
                let cycle = if numbers.may_cycle { self.cycles.look_up(&self.path, key, hand, within) } else { None };
                let cycle = cycle.map(|reliance| Value::no_mate(beyond(within), hand, reliance));
                let open = Value { seen_at: Some(numbers.depth), ..Value::fresh(numbers.pn, numbers.dn) };
                Some(cycle.unwrap_or(open))
            }
            Known::Open(_) | Known::Nothing => None,
        }
    }

    /// Combines the values of the top node's children.
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
        // `others`: the part of `delta` due to the siblings of the best child.
        let (delta, others) = match role {
            Role::Attacker => (most + (open - 1), open - 1),
            Role::Defender => (sum, sum - fail_of_best),
        };
        // From the child's view phi and delta swap. It is searched until this node's delta
        // exceeds its threshold, or until its number exceeds that of the second-best
        // sibling by the margin.
        let limits = Thresholds {
            phi: thresholds.delta.saturating_sub(others),
            delta: thresholds.phi.min(second.saturating_add(1 + second / PATIENCE)),
        };
        Summary::Open { phi: least, delta: delta.min(INFINITE - 1), best, limits }
    }

    /// Pops the top node, stores its value and returns it for the parent.
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
        let value = Value { reliance: value.reliance.discharged_at(depth), ..value };
        self.path.pop();
        if let Some(frame) = self.frames.pop() {
            self.children.truncate(frame.first_child);
            self.chases = self.chases.min(frame.chases);
            self.note(&frame, value, depth as u16);
        }
        value
    }

    /// Stores a value: in the table, or in `cycles` if it relies on the path.
    fn note(&mut self, frame: &Frame, value: Value, depth: u16) {
        let effort = self.nodes - frame.entered_at + 1;
        let Question { key, hand, .. } = frame.question;
        if value.is_mate() || value.is_refuted() {
            self.table.note_final(key, value, effort, depth);
        } else if !value.is_no_mate() {
            let numbers = Numbers { pn: value.pn, dn: value.dn, depth, may_cycle: false };
            self.table.note_numbers(frame.question, numbers, effort);
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
            // The shortest known mate.
            Role::Attacker => succeeding.min_by_key(|child| child.plies_before()).map_or(Value::fresh(1, 1), |child| {
                Value::mate(child.plies_before(), child.hand_before(self.position))
            }),
            // The disproof with the least reliance on the path, then the strongest bound.
            Role::Defender => {
                let strength = |child: &&Child| (child.value.reliance.shallowest(), child.plies_before());
                let Some(child) = succeeding.max_by_key(strength) else { return Value::fresh(1, 1) };
                let reliance = child.value.reliance;
                let hand = if reliance.is_none() {
                    hands::intersection(child.value.hand, hands::all(self.position))
                } else {
                    self.top().question.hand
                };
                Value::no_mate(child.plies_before(), hand, reliance)
            }
        }
    }

    /// The value of the top node when every move fails.
    fn value_of_failure(&self) -> Value {
        let children = self.top_children().iter();
        match self.top().role {
            Role::Attacker => {
                let reliance = children.clone().fold(Reliance::NONE, |all, child| all.and(child.value.reliance));
                let below = children.clone().map(Child::plies_before).chain(self.excluded_below()).min();
                let below = below.unwrap_or(NEVER);
                // A disproof that relies on the path holds for this hand only.
                if !reliance.is_none() {
                    return Value::no_mate(below, self.top().question.hand, reliance);
                }
                let refuted = children.fold(hands::all(self.position), |hand, child| {
                    hands::intersection(hand, child.hand_before(self.position))
                });
                Value::no_mate(below, hands::keep_checks_away(self.position, refuted), Reliance::NONE)
            }
            Role::Defender => {
                let within = children.clone().map(Child::plies_before).max().unwrap_or(0);
                let hand = children.fold(Hand::EMPTY, |hand, child| hands::union(hand, child.value.hand));
                Value::mate(within, hands::keep_blocks_away(self.position, hand))
            }
        }
    }

    /// The least length of a mate by the answers that [`expand`](Self::expand) left out.
    fn excluded_below(&self) -> Option<Plies> {
        let within = self.top().question.within;
        (within < Step::Answers.plies() && self.interposed().is_some()).then(|| beyond(within))
    }
}

/// Hash of the constants of a search: the attacker and the number of pieces of each kind.
/// With them, board and attacker's hand determine the defender's hand, so that entries of
/// different problems cannot be confused.
fn salt(position: &Position, attacker: Color) -> u64 {
    let setup = position.to_setup();
    let counts = enbu_movegen::HandPiece::ALL.into_iter().map(|piece| u64::from(setup.count(piece.piece_type())));
    counts.fold(attacker as u64, |salt, count| mix(salt ^ count))
}

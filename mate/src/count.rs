//! The count of plies: every move, or all but useless interpositions (mudaai).
//!
//! The conventional count is the length of the shortest mate under one more rule: when the
//! defender has dropped a piece between checker and king, the attacker may take it with
//! the checker, with check, or with any piece if that mates at once, and hand it back;
//! neither move counts. An interposition thus counts where the captured piece makes the rest
//! of the mate shorter or possible.
//! The attacker minimises, the defender maximises, over all defences; a check that can only
//! be answered by useless interpositions mates.
//!
//! Since a larger hand never harms the attacker, a mate under this rule is one without it,
//! and its conventional length is at most the other.
//!
//! In the search, the position after such a drop has a key of its own and the length of
//! the position before it: the drop costs nothing, an ordinary answer two plies, and the
//! returned capture nothing. No length is then negative.

use enbu_movegen::rays::between;
use enbu_movegen::{Move, MoveList, MoveSet, Position, Scope, Square};

use crate::child::{Child, Count, Stage, Step, key_after_interposition};
use crate::dfpn::Search;
use crate::expand::first_value;
use crate::overseer::Overseer;
use crate::plies::Plies;
use crate::value::{Role, Value};

/// Plies of a mate in one after an interposition: both moves count.
const ANSWER_PLIES: Plies = 2;

/// Horizon of a first estimate that is not to cut off: useless interpositions may follow.
const OPEN_HORIZON: Plies = 3;

impl Search<'_> {
    /// The square of the defender's last move if it may be a useless interposition.
    pub(crate) fn interposed(&self) -> Option<Square> {
        if self.count == Count::Every || self.role() == Role::Defender {
            return None;
        }
        self.position.last_move().filter(|mv| mv.is_drop()).map(Move::to)
    }

    /// Role of a move of the current position in the count.
    fn step(&self, mv: Move) -> Step {
        match self.role() {
            Role::Defender if self.count == Count::Conventional && mv.is_drop() => Step::Interposes,
            Role::Attacker if self.interposed().is_some() => Step::Answers,
            _ => Step::Counts,
        }
    }

    /// Plies that a move of the current position counts.
    pub(crate) fn cost(&self, mv: Move) -> Plies {
        self.step(mv).plies()
    }

    /// Sets the roles of the new children from `first` on; returns the attacker's captures
    /// that hand an interposition back. Moves beyond the bound on the length are removed.
    pub(crate) fn count_steps(&mut self, first: usize) -> Vec<Child> {
        if self.count == Count::Every {
            return Vec::new();
        }
        let Some(square) = self.interposed() else {
            for at in first..self.children.len() {
                let step = self.step(self.children[at].mv);
                let child = &mut self.children[at];
                child.step = step;
                if step == Step::Interposes {
                    child.key ^= key_after_interposition(child.mv.to());
                }
            }
            return Vec::new();
        };
        let checks = self.children[first..].iter_mut();
        checks.for_each(|child| child.step = Step::Answers);
        let returns = self.returns(square, self.children[first..].iter().map(|child| child.mv));
        if self.within() < Step::Answers.plies() {
            self.children.truncate(first);
        }
        returns
    }

    /// First value of the current position.
    pub(crate) fn estimate(&mut self, within: Plies) -> Value {
        let role = self.role();
        if self.count == Count::Every {
            return first_value(self.position, role, within);
        }
        let interposed = self.interposed();
        let horizon = match role {
            Role::Defender if within > 0 || has_move_on_board(self.position) => within,
            _ => OPEN_HORIZON,
        };
        let value = first_value(self.position, role, horizon);
        match interposed {
            Some(_) if value.is_mate() && within < ANSWER_PLIES => Value::fresh(1, 1),
            Some(_) if value.is_mate() => Value::mate(ANSWER_PLIES, value.hand),
            _ => value,
        }
    }

    /// The capture of a useless interposition, the last move, and the bound on the plies after
    /// it; `None` if the piece cannot be handed back within `within` plies.
    pub(crate) fn returned(&mut self, within: Plies, overseer: &mut Overseer<'_>) -> Option<(Move, Plies)> {
        let square = self.interposed()?;
        let mut checks = MoveList::new();
        self.position.checks(&mut checks);
        self.returns(square, checks.into_iter()).into_iter().find_map(|child| {
            self.play(child.mv, child.step);
            let value = self.prove(child.step.after(within), overseer);
            self.take_back(child.step);
            value.is_mate().then_some((child.mv, value.plies))
        })
    }

    /// The captures among `checks` that hand an interposition on `square` back.
    fn returns(&self, square: Square, checks: impl Iterator<Item = Move>) -> Vec<Child> {
        let (position, attacker) = (&*self.position, self.position.turn());
        let Some((king, piece)) = position.king(!attacker).zip(position.last_move().and_then(Move::dropped)) else {
            return Vec::new();
        };
        // Only the checker captures along the line that it checks on.
        let is_checker = |mv: Move| mv.from().is_some_and(|from| between(king, from).contains(square));
        let child = |mv| Child {
            mv,
            key: position.board_key_after(mv) ^ self.salt,
            hand: position.hand(attacker),
            step: if is_checker(mv) { Step::Returns(piece) } else { Step::Mates(piece) },
            stage: Stage::New,
            next: None,
            value: Value::fresh(1, 1),
        };
        checks.filter(|mv| mv.to() == square).map(child).collect()
    }
}

/// Returns true if the side to move has a move that is no drop.
fn has_move_on_board(position: &Position) -> bool {
    let mut any = false;
    position.for_each_set(Scope::All, |set| any |= !matches!(set, MoveSet::Drops { .. }) && !set.is_empty());
    any
}

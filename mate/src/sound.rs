//! Soundness of problems: other solutions along the main line and the best defences.
//!
//! Lengths are conventional ones (see [`count`](crate::count)). Each question is bounded by
//! nodes; what stays undecided is reported as such.

use std::sync::atomic::AtomicBool;

use enbu_movegen::rays::between;
use enbu_movegen::{Hand, Move, MoveList, Position};

use crate::child::Count;
use crate::dfpn::Search;
use crate::line;
use crate::overseer::{Limits, Overseer, Progress};
use crate::plies::{ANY, Length, Plies, after};
use crate::solver::{Counted, Solver, counted};
use crate::value::Value;

/// Nodes of a question if the limits name none.
const QUESTION_NODES: u64 = 1_000_000;

/// Lines of equally long defences that are examined.
const MOST_LINES: usize = 16;

/// Result of a test for soundness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Soundness {
    /// The main line.
    pub line: Vec<Move>,
    /// Origin of the main line.
    pub origin: Origin,
    /// Length of the problem.
    pub counted: Counted,
    /// Pieces in the attacker's hand at the end of the main line.
    pub left: Hand,
    /// The flaws, and what stays open.
    pub flaws: Vec<Flaw>,
}

/// Origin of a main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Given with the problem.
    Given,
    /// Found by the solver.
    Found,
}

/// Judgement of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// No flaw, except permitted ones.
    Sound,
    /// A flaw.
    Flawed,
    /// No flaw is known, but the limits left questions open.
    Open,
}

/// A move that competes with the one of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The moves before it.
    pub before: Vec<Move>,
    /// The move.
    pub mv: Move,
    /// Kind of the flaw.
    pub kind: FlawKind,
    /// Length of the mate by this move, itself included, if there is one.
    pub mate: Option<Counted>,
}

/// Kind of a [`Flaw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Hayazume: the attacker mates sooner.
    Shorter,
    /// Yozume: another move of the attacker mates as well.
    Other,
    /// Yozume by another order of moves: each mate by it rejoins the line.
    Transposition,
    /// Ukai: each mate by it rejoins the line, later.
    Detour,
    /// The attacker may promote or not.
    Promotion,
    /// The attacker may drop the piece at another distance.
    Distance,
    /// Another mate by the last move, which is permitted.
    LastMove,
    /// Hendo: another defence lasts as long.
    EqualDefence,
    /// Hencho: another defence lasts longer than the given line.
    LongerDefence,
    /// A defence that refutes the given line.
    Refutation,
    /// Undecided.
    Open,
}

impl Soundness {
    /// The judgement.
    pub fn judgement(&self) -> Judgement {
        let is_flaw = |flaw: &Flaw| !matches!(flaw.kind, FlawKind::Open | FlawKind::LastMove);
        let is_open =
            self.counted.length == Length::AtMost || self.flaws.iter().any(|flaw| flaw.kind == FlawKind::Open);
        if self.left != Hand::EMPTY || self.flaws.iter().any(is_flaw) {
            Judgement::Flawed
        } else if is_open {
            Judgement::Open
        } else {
            Judgement::Sound
        }
    }
}

impl Solver {
    /// Tests a problem for soundness, with the solution `given` if that is one.
    /// `None` if no mate is found. The limit of nodes applies to each question, a million if
    /// there is none, and the deadline to all together.
    pub fn examine(
        &mut self,
        position: &Position,
        given: &[Move],
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress),
    ) -> Option<Soundness> {
        let root = position.without_history();
        let mut board = root.clone();
        let overseer = Overseer::new(&Limits { nodes: None, ..limits.clone() }, stop, report);
        let search = self.search(&mut board, Count::Conventional);
        let nodes = limits.nodes.unwrap_or(QUESTION_NODES);
        let mut examiner = Examiner { search, overseer, nodes, flaws: Vec::new() };
        let value = examiner.ask(ANY);
        if !value.is_mate() {
            return None;
        }
        let counted = examiner.with_limit(|search, overseer| counted(search, value.plies, overseer));
        let (mut main, origin) = if examiner.is_solution(given, &root) {
            (given.to_vec(), Origin::Given)
        } else {
            (examiner.line(counted.plies)?, Origin::Found)
        };
        // Of equally long defences the one without pieces left is the solution.
        for _ in 0..MOST_LINES {
            examiner.flaws.clear();
            let better = examiner.examine_all(&main, &root);
            match better.filter(|_| origin == Origin::Found) {
                Some(better) => main = better,
                None => break,
            }
        }
        Some(Soundness { origin, counted, left: left(&root, &main), flaws: examiner.flaws, line: main })
    }
}

struct Examiner<'s> {
    search: Search<'s>,
    overseer: Overseer<'s>,
    nodes: u64,
    flaws: Vec<Flaw>,
}

impl<'s> Examiner<'s> {
    /// The answer to one question, within its limit of nodes.
    fn with_limit<T>(&mut self, question: impl FnOnce(&mut Search<'s>, &mut Overseer<'s>) -> T) -> T {
        let until = self.search.nodes.saturating_add(self.nodes);
        question(&mut self.search, self.overseer.until(until))
    }

    fn ask(&mut self, within: Plies) -> Value {
        self.with_limit(|search, overseer| search.prove(within, overseer))
    }

    /// Returns true if the moves mate by checks, but for useless interpositions at the end.
    fn is_solution(&mut self, given: &[Move], root: &Position) -> bool {
        if line::after_checks(root, given).is_none() {
            return false;
        }
        for &mv in given {
            self.search.position.do_move(mv);
        }
        let value = self.ask(0);
        for _ in given {
            self.search.position.undo_move();
        }
        value.is_mate()
    }

    /// The conventional line of a mate of the current position.
    fn line(&mut self, within: Plies) -> Option<Vec<Move>> {
        self.with_limit(|search, overseer| Some(line::of(search, within, Length::Shortest, overseer)?.0))
    }

    /// Examines the main line and the lines of equally long defences. Returns such a line that
    /// leaves no pieces where the main line does.
    fn examine_all(&mut self, main: &[Move], root: &Position) -> Option<Vec<Move>> {
        let main_leaves = left(root, main) != Hand::EMPTY;
        let mut lines = vec![(main.to_vec(), 0)];
        let mut at = 0;
        while let Some((line, from)) = lines.get(at).cloned() {
            for (other, from) in self.examine_line(&line, from) {
                let leaves = left(root, &other) != Hand::EMPTY;
                if main_leaves && !leaves {
                    return Some(other);
                }
                let equal = Flaw {
                    before: other[..from - 1].to_vec(),
                    mv: other[from - 1],
                    kind: FlawKind::EqualDefence,
                    mate: None,
                };
                // Pieces left make it the lesser defence.
                if leaves == main_leaves && !self.flaws.contains(&equal) {
                    self.flaws.push(equal);
                    if lines.len() < MOST_LINES {
                        lines.push((other, from));
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// Examines a line from its move `from` on. Returns the lines of equally long defences, with
    /// the number of moves up to the defence.
    fn examine_line(&mut self, line: &[Move], from: usize) -> Vec<(Vec<Move>, usize)> {
        let mut equal = Vec::new();
        for at in 0..line.len() {
            if at >= from && at % 2 == 0 {
                self.attacks(line, at);
            } else if at >= from {
                self.defences(line, at, &mut equal);
            }
            self.search.position.do_move(line[at]);
        }
        for _ in line {
            self.search.position.undo_move();
        }
        equal
    }

    fn note(&mut self, line: &[Move], at: usize, mv: Move, kind: FlawKind, mate: Option<Counted>) {
        self.flaws.push(Flaw { before: line[..at].to_vec(), mv, kind, mate });
    }

    /// Tests the attacker's other moves at a place of the line.
    fn attacks(&mut self, line: &[Move], at: usize) {
        let mut checks = MoveList::new();
        self.search.position.checks(&mut checks);
        for mv in checks.into_iter().filter(|&mv| mv != line[at]) {
            self.search.position.do_move(mv);
            let found = self.attack(line, at, mv);
            self.search.position.undo_move();
            if let Some((kind, mate)) = found {
                self.note(line, at, mv, kind, mate);
            }
        }
    }

    /// Kind and length of the attacker's move `mv`, which has been made; `None` if it does not
    /// mate.
    fn attack(&mut self, line: &[Move], at: usize, mv: Move) -> Option<(FlawKind, Option<Counted>)> {
        let rest = (line.len() - at) as Plies;
        if let Some(shorter) = rest.checked_sub(3) {
            let value = self.ask(shorter);
            if value.is_mate() {
                return Some((FlawKind::Shorter, Some(Counted { plies: value.plies + 1, length: Length::AtMost })));
            } else if !value.is_no_mate() {
                return Some((FlawKind::Open, None));
            }
        }
        let value = self.ask(ANY);
        if !value.is_mate() {
            return (!value.is_refuted()).then_some((FlawKind::Open, None));
        }
        let length = if value.plies + 1 == rest { Length::Shortest } else { Length::AtMost };
        let mate = Counted { plies: value.plies + 1, length };
        Some((self.kind(line, at, mv, mate), Some(mate)))
    }

    /// Kind of a mate that is not shorter than the line.
    fn kind(&mut self, line: &[Move], at: usize, mv: Move, mate: Counted) -> FlawKind {
        let king = self.search.position.king(self.search.position.turn());
        let is_far = |near: Move, far: Move| king.is_some_and(|king| between(king, far.to()).contains(near.to()));
        let own = line[at];
        if at + 1 == line.len() {
            FlawKind::LastMove
        } else if (mv.from(), mv.to()) == (own.from(), own.to()) && !mv.is_drop() {
            FlawKind::Promotion
        } else if mv.is_drop() && mv.dropped() == own.dropped() && (is_far(mv, own) || is_far(own, mv)) {
            FlawKind::Distance
        } else if !self.rejoins(line, at) {
            FlawKind::Other
        } else if mate.length == Length::Shortest {
            FlawKind::Transposition
        } else {
            FlawKind::Detour
        }
    }

    /// Returns true if no mate of the current position avoids the positions of the line, which
    /// it left after `at` moves.
    fn rejoins(&mut self, line: &[Move], at: usize) -> bool {
        let mv = self.search.position.undo_move();
        for _ in 0..at {
            self.search.position.undo_move();
        }
        let mut positions = Vec::new();
        for &own in line {
            positions.push(self.search.place());
            self.search.position.do_move(own);
        }
        for _ in at..line.len() {
            self.search.position.undo_move();
        }
        if let Some(mv) = mv {
            self.search.position.do_move(mv);
        }
        self.with_limit(|search, overseer| {
            let mut avoiding = search.avoiding(positions);
            let value = avoiding.prove(ANY, overseer);
            search.nodes = avoiding.nodes;
            value.is_refuted()
        })
    }

    /// Tests the defender's other moves at a place of the line.
    fn defences(&mut self, line: &[Move], at: usize, equal: &mut Vec<(Vec<Move>, usize)>) {
        let rest = (line.len() - at) as Plies;
        let mut answers = MoveList::new();
        self.search.position.legal_moves(&mut answers);
        for mv in answers.into_iter().filter(|&mv| mv != line[at]) {
            let cost = self.search.cost(mv);
            self.search.position.do_move(mv);
            let found = self.defence(after(rest, cost));
            self.search.position.undo_move();
            match found {
                Defence::Shorter => {}
                Defence::Equal(rest) => equal.push(([&line[..at], &[mv], &rest].concat(), at + 1)),
                Defence::Flaw(kind) => self.note(line, at, mv, kind, None),
            }
        }
    }

    /// The defence that has been made, where the line lasts `within` plies.
    fn defence(&mut self, within: Plies) -> Defence {
        let value = self.ask(within);
        if value.is_no_mate() {
            return Defence::Flaw(match self.ask(ANY) {
                longer if longer.is_mate() => FlawKind::LongerDefence,
                longer if longer.is_refuted() => FlawKind::Refutation,
                _ => FlawKind::Open,
            });
        }
        let open = Defence::Flaw(FlawKind::Open);
        if !value.is_mate() {
            return open;
        }
        if let Some(shorter) = within.checked_sub(2) {
            let value = self.ask(shorter);
            if value.is_mate() {
                return Defence::Shorter;
            } else if !value.is_no_mate() {
                return open;
            }
        }
        if self.with_limit(|search, overseer| search.returned(within, overseer)).is_some() {
            return Defence::Shorter;
        }
        self.line(within).map_or(open, Defence::Equal)
    }
}

/// A defence beside that of the line.
enum Defence {
    /// It is mated sooner, or useless.
    Shorter,
    /// It lasts as long; the moves after it.
    Equal(Vec<Move>),
    Flaw(FlawKind),
}

/// The attacker's hand at the end of a line.
fn left(root: &Position, line: &[Move]) -> Hand {
    let mut board = root.without_history();
    let attacker = board.turn();
    for &mv in line {
        board.do_move(mv);
    }
    board.hand(attacker)
}

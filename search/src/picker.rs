//! Move picker: the moves of a node in stages, so that a cutoff saves the rest.
//!
//! | stage | moves |
//! |---|---|
//! | table | the move stored for this position |
//! | good captures | by victim, as long as the exchange does not lose |
//! | killers | quiet moves that cut at this ply before |
//! | quiets | checks that lose little first, then by history, threats and rescues |
//! | bad captures | captures that lose the exchange |
//! | bad quiets | quiet moves with a history that the node puts off |
//!
//! In check all evasions are ordered at once.

use std::cell::OnceCell;

use enbu_eval::piece_value::{exchange, on_board};
use enbu_isa::multiversion;
use enbu_movegen::PieceType::{self, Pawn, ProPawn};
use enbu_movegen::{Attacked, Bitboard, CheckSquares, Move, MoveSet, Position, Scope, Square};

use crate::history::{Killers, Known, Line, QuietKey};
use crate::limits::Moves;
use crate::memory::Memory;
use crate::quiets::Quiets;
use crate::scored::Scored;
use crate::threat::Threats;
use crate::tt::Table;
use crate::value::Value;
use crate::{params, see};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    GenerateCaptures,
    GoodCaptures,
    Killer(usize),
    GenerateQuiets,
    Quiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    Done,
}

/// Set of moves that a picker hands out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Every legal move.
    All,
    /// Captures whose exchange gains at least this, in exchange units; in check every legal move.
    Gaining(Value),
}

impl Wanted {
    /// The exchange that a good capture gains at least.
    #[inline(always)]
    fn threshold(self) -> Value {
        match self {
            Self::All => 0,
            Self::Gaining(least) => least,
        }
    }
}

multiversion! {
    /// The next move of `picker`, each wanted one once. `position` is the node's.
    ///
    /// The entry of `table` for the position after it is prefetched before anything else is asked of the
    /// move: with those of the null move and of the table move, known before a node is judged, 2 to 3 %
    /// more nodes a second (`docs/evidence.md`, "Memory").
    pub(crate) fn next(
        picker: &mut Picker, position: &Position, memory: &Memory, table: &Table, moves: &mut Vec<Scored>
    ) -> Option<Move> = Picker::next_inline;
}

// Functions of their own: inlined into `next`, the compiler would hoist the parts that their loops have
// in common at the beginning of every call of it.
multiversion! {
    fn captures(picker: &mut Picker, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) =
        Picker::generate_captures;
}

multiversion! {
    fn quiets(picker: &mut Picker, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) =
        Picker::generate_quiets;
}

multiversion! {
    fn evasions(picker: &mut Picker, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) =
        Picker::generate_evasions;
}

/// The moves of a node that a picker hands out, and their context.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) wanted: Wanted,
    pub(crate) which: Moves,
    /// The first move; legal.
    pub(crate) table_move: Option<Move>,
    pub(crate) killers: Killers,
    pub(crate) line: Line,
}

/// Hands out the moves of one node. They are on a stack that all nodes of a thread share, from
/// `start` on; [`close`](Self::close) removes them.
pub(crate) struct Picker {
    pub(crate) plan: Plan,
    stage: Stage,
    killers: [Option<Move>; 2],
    /// The squares from which the moves give check, found on first use: most nodes that fail high
    /// do so before, by a table move or a capture.
    check_squares: OnceCell<Option<CheckSquares>>,
    /// The squares that the opponent attacks, found on first use.
    theirs: OnceCell<Attacked>,
    start: usize,
    /// Bad captures are kept at `start..bad_end`.
    bad_end: usize,
    current: usize,
    /// Moves taken since the last generation.
    picked: usize,
    /// Set once the node has seen enough quiet moves: no more are handed out (in check: every
    /// evasion).
    pub(crate) skips_quiets: bool,
    /// Set once no quiet moves but checks may reach alpha.
    only_checks: bool,
    /// Quiet moves with a lower score are handed out after the bad captures.
    pub(crate) least_good: i32,
    /// Start of the bad quiet moves, once the first was seen.
    bad_quiets: Option<usize>,
    /// History of the last move with its merit, if it is a quiet one that was ordered by it.
    pub(crate) history: Option<i32>,
}

/// Number of moves that are found one by one; the rest are sorted on demand.
const PICKED_SINGLY: usize = 12;

impl Picker {
    /// A picker for `position`, whose moves follow those on the stack `moves`.
    pub(crate) fn new(position: &Position, plan: Plan, moves: &[Scored]) -> Self {
        let is_wanted =
            |mv: &Move| plan.wanted == Wanted::All || position.in_check() || position.piece_at(mv.to()).is_some();
        Self {
            plan: Plan { table_move: plan.table_move.filter(is_wanted), ..plan },
            stage: Stage::Table,
            killers: plan.killers.0,
            check_squares: OnceCell::new(),
            theirs: OnceCell::new(),
            start: moves.len(),
            bad_end: moves.len(),
            current: moves.len(),
            picked: 0,
            skips_quiets: false,
            only_checks: false,
            least_good: i32::MIN,
            bad_quiets: None,
            history: None,
        }
    }

    /// The squares from which moves of `position`, the node's, give check; `None` without an enemy
    /// king.
    #[inline]
    pub(crate) fn check_squares(&self, position: &Position) -> Option<&CheckSquares> {
        self.check_squares.get_or_init(|| position.check_squares()).as_ref()
    }

    /// The squares that the opponent attacks in `position`, the node's.
    #[inline(always)]
    fn theirs(&self, position: &Position) -> &Attacked {
        self.theirs.get_or_init(|| Attacked::by(position, !position.turn()))
    }

    /// The key of `mv` in `position`, the node's, if it is quiet.
    pub(crate) fn quiet_key(&self, position: &Position, mv: Move) -> Option<QuietKey> {
        position.piece_at(mv.to()).is_none().then(|| QuietKey::of(position, mv, self.theirs(position).all))
    }

    /// History of the quiet moves of `position`, the node's.
    #[inline(always)]
    pub(crate) fn known<'a>(&self, position: &Position, memory: &'a Memory) -> Known<'a> {
        memory.moves.after(position.turn(), self.plan.line, self.theirs(position).all)
    }

    /// Returns true if the last move is a capture whose exchange is known not to lose.
    pub(crate) fn knows_gain(&self) -> bool {
        self.stage == Stage::GoodCaptures
    }

    /// Hands out no more quiet moves but checks (in check: every evasion).
    pub(crate) fn only_quiet_checks(&mut self, moves: &mut Vec<Scored>) {
        if !self.only_checks && matches!(self.stage, Stage::Quiets | Stage::BadQuiets) {
            self.keep_checks(moves);
        }
        self.only_checks = true;
    }

    /// Removes the moves from `current` on that do not check.
    fn keep_checks(&mut self, moves: &mut Vec<Scored>) {
        let mut kept = self.current;
        for index in self.current..moves.len() {
            if moves[index].is_check() {
                moves[kept] = moves[index];
                kept += 1;
            }
        }
        moves.truncate(kept);
    }

    /// Removes this node's moves from the shared stack.
    pub(crate) fn close(self, moves: &mut Vec<Scored>) {
        moves.truncate(self.start);
    }

    #[inline(always)]
    fn next_inline(
        &mut self,
        position: &Position,
        memory: &Memory,
        table: &Table,
        moves: &mut Vec<Scored>,
    ) -> Option<Move> {
        let found = |mv| {
            table.prefetch(position.key_after(mv));
            mv
        };
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = if position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    if self.plan.table_move.is_some() {
                        return self.plan.table_move.map(found);
                    }
                }
                Stage::GenerateCaptures => {
                    captures(self, position, memory, moves);
                    self.stage = Stage::GoodCaptures;
                }
                // The exchange is computed only for moves that are reached: most nodes fail high before.
                Stage::GoodCaptures => match self.take_best(moves).and_then(Scored::mv).map(found) {
                    Some(mv) if see::reaches(position, mv, self.plan.wanted.threshold()) => return Some(mv),
                    Some(mv) => self.keep_bad(mv, moves),
                    None if self.plan.wanted != Wanted::All => self.stage = Stage::Done,
                    None => self.stage = Stage::Killer(0),
                },
                Stage::Killer(_) | Stage::GenerateQuiets if self.skips_quiets => self.begin_bad_captures(),
                Stage::Killer(index) => {
                    self.stage = if index == 0 { Stage::Killer(1) } else { Stage::GenerateQuiets };
                    let killer = self.killers[index]
                        .filter(|&mv| Some(mv) != self.plan.table_move && position.piece_at(mv.to()).is_none());
                    match killer {
                        Some(mv) if position.is_legal(mv) => return Some(found(mv)),
                        _ => self.killers[index] = None,
                    }
                }
                Stage::GenerateQuiets => {
                    quiets(self, position, memory, moves);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets if self.skips_quiets => self.begin_bad_captures(),
                Stage::Quiets => match self.take_best(moves) {
                    Some(best) if best.score() < self.least_good => {
                        self.put_back();
                        self.bad_quiets = Some(self.current);
                        self.begin_bad_captures();
                    }
                    // Handed out as a killer already.
                    Some(best) if self.killers.contains(&best.mv()) => {}
                    Some(best) => return self.hand_out(best).map(found),
                    None => self.begin_bad_captures(),
                },
                Stage::BadCaptures if self.current < self.bad_end => {
                    self.current += 1;
                    self.history = None;
                    return moves[self.current - 1].mv().map(found);
                }
                Stage::BadCaptures if self.bad_quiets.is_some() => {
                    self.current = self.bad_quiets?;
                    self.stage = Stage::BadQuiets;
                    if self.only_checks {
                        self.keep_checks(moves);
                    }
                }
                Stage::BadQuiets if self.skips_quiets => self.stage = Stage::Done,
                Stage::BadQuiets => match self.take_best(moves) {
                    Some(best) if self.killers.contains(&best.mv()) => {}
                    Some(best) => return self.hand_out(best).map(found),
                    None => self.stage = Stage::Done,
                },
                Stage::GenerateEvasions => {
                    evasions(self, position, memory, moves);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.take_best(moves) {
                    None => self.stage = Stage::Done,
                    Some(best) => return best.mv().map(found),
                },
                Stage::BadCaptures | Stage::Done => return None,
            }
        }
    }

    /// The move of `best`, whose history is kept.
    #[inline(always)]
    fn hand_out(&mut self, best: Scored) -> Option<Move> {
        self.history = Some(best.history());
        best.mv()
    }

    fn begin_bad_captures(&mut self) {
        self.current = self.start;
        self.stage = Stage::BadCaptures;
    }

    /// Pushes the captures, the table move excepted.
    #[inline(always)]
    fn generate_captures(&mut self, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) {
        self.generate(position, Scope::Captures, moves, |mv| capture_order(position, memory, mv));
    }

    /// Pushes all moves, the table move excepted, with captures before all others.
    #[inline(always)]
    fn generate_evasions(&mut self, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) {
        let known = self.known(position, memory);
        self.generate(position, Scope::All, moves, |mv| match position.piece_at(mv.to()) {
            Some(_) => (1 << 20) + capture_order(position, memory, mv),
            None => known.of(position, mv),
        });
    }

    /// Pushes the quiet moves, the table move excepted, with checks that lose little
    /// before all others.
    #[inline(always)]
    fn generate_quiets(&mut self, position: &Position, memory: &Memory, moves: &mut Vec<Scored>) {
        self.current = moves.len();
        self.picked = 0;
        let Plan { which, table_move, .. } = self.plan;
        let (theirs, known) = (self.theirs(position), self.known(position, memory));
        known.prefetch();
        let check_squares = self.check_squares(position);
        let (threats, non_check_targets) = match self.only_checks {
            true => (Threats::NONE, Bitboard::EMPTY),
            false => (Threats::new(position, theirs), Bitboard::ALL),
        };
        let threats = &threats;
        let mut quiets = Quiets { position, moves, table_move, non_check_targets };
        let checking = |kind, from| check_squares.map_or(Bitboard::EMPTY, |squares| squares.squares(kind, from));
        position.for_each_set(Scope::Quiets, |set| match searched(which, position, set) {
            MoveSet::Drops { piece, to } => {
                let kind = piece.piece_type();
                let sums = || {
                    let sums = known.drops(piece).sums();
                    move |to: Square| i32::from(sums[usize::from(theirs.all.contains(to))][to])
                };
                quiets.push(to, checking(kind, None), || threats.of_drops(kind), |to| Move::drop(piece, to), sums);
            }
            MoveSet::Piece { from, plain, promote } => {
                let Some(kind) = position.piece_at(from).map(|piece| piece.kind) else { return };
                let purpose = |kind| move || threats.of_piece(position, kind, from);
                let scores = |promotes, kind| {
                    move || {
                        let row = known.moves(from, promotes, kind);
                        move |to| row.of(to)
                    }
                };
                let promoted = kind.promoted().unwrap_or(kind);
                let checks = checking(promoted, Some(from));
                let score = scores(true, promoted);
                quiets.push(promote, checks, purpose(promoted), |to| Move::promotion(from, to), score);
                let score = scores(false, kind);
                quiets.push(plain, checking(kind, Some(from)), purpose(kind), |to| Move::board(from, to), score);
            }
            MoveSet::Pawns { color, plain, promote } => {
                let from = |to| MoveSet::pawn_origin(color, to);
                let checking =
                    |placed| check_squares.map_or(Bitboard::EMPTY, |squares| squares.pawn_squares(position, placed));
                let purpose = |placed| move || threats.of_pawns(placed);
                let score = || |to| known.moves(from(to), true, ProPawn).of(to);
                quiets.push(promote, checking(ProPawn), purpose(ProPawn), |to| Move::promotion(from(to), to), score);
                let score = || |to| known.moves(from(to), false, Pawn).of(to);
                quiets.push(plain, checking(Pawn), purpose(Pawn), |to| Move::board(from(to), to), score);
            }
        });
    }

    /// Pushes the moves in `scope`, the table move excepted.
    #[inline(always)]
    fn generate(&mut self, position: &Position, scope: Scope, moves: &mut Vec<Scored>, order: impl Fn(Move) -> i32) {
        self.current = moves.len();
        self.picked = 0;
        let Plan { which, table_move, .. } = self.plan;
        position.for_each_set(scope, |set| {
            searched(which, position, set).for_each(|mv| {
                if Some(mv) != table_move {
                    moves.push(Scored::new(mv, order(mv), moves.len()));
                }
            });
        });
    }

    /// Takes the best of the moves from `current` on.
    #[inline(always)]
    fn take_best(&mut self, moves: &mut [Scored]) -> Option<Scored> {
        let rest = moves.get_mut(self.current..)?;
        if self.picked < PICKED_SINGLY {
            // Without branches, which would be mispredicted: the largest, then where it is, eight at a time.
            let best = rest.iter().fold(i64::MIN, |best, scored| best.max(scored.0));
            let is_best = |scored: &Scored| scored.0 == best;
            let (eights, _) = rest.as_chunks::<8>();
            let before =
                8 * eights.iter().take_while(|eight| !eight.iter().fold(false, |any, one| any | is_best(one))).count();
            let index = before + rest[before..].iter().position(is_best)?;
            rest.swap(0, index);
        } else if self.picked == PICKED_SINGLY {
            rest.sort_unstable_by_key(|scored| std::cmp::Reverse(scored.0));
        }
        let best = *rest.first()?;
        self.picked += 1;
        self.current += 1;
        Some(best)
    }

    /// Undoes the last [`take_best`](Self::take_best).
    fn put_back(&mut self) {
        self.picked -= 1;
        self.current -= 1;
    }

    /// Moves the capture just taken to the front part, for the last stage.
    fn keep_bad(&mut self, mv: Move, moves: &mut [Scored]) {
        if self.plan.wanted == Wanted::All {
            moves[self.bad_end] = Scored::new(mv, 0, 0);
            self.bad_end += 1;
        }
    }
}

/// The moves of `set` that are searched: the sensible ones do not forgo a harmless promotion.
#[inline(always)]
fn searched(which: Moves, position: &Position, set: MoveSet) -> MoveSet {
    match set {
        _ if which == Moves::All => set,
        MoveSet::Pawns { color, plain, promote } => MoveSet::Pawns { color, plain: plain.without(promote), promote },
        MoveSet::Piece { from, plain, promote } if !promote.is_empty() => {
            let Some(piece) = position.piece_at(from) else { return set };
            let useless = match piece.kind {
                PieceType::Bishop | PieceType::Rook => promote,
                PieceType::Lance => promote & Bitboard::farthest_ranks(piece.color, 2),
                _ => Bitboard::EMPTY,
            };
            MoveSet::Piece { from, plain: plain.without(useless), promote }
        }
        _ => set,
    }
}

/// Most valuable victim first, then capture history, then the least valuable attacker.
#[inline(always)]
fn capture_order(position: &Position, memory: &Memory, mv: Move) -> i32 {
    let attacker = mv.from().and_then(|from| position.piece_at(from)).map_or(0, |piece| on_board(piece.kind));
    let promotion = if mv.is_promotion() { 8 } else { 0 };
    let Some(victim) = position.piece_at(mv.to()) else { return promotion - attacker };
    let history = memory.moves.capture(position, mv, victim.kind);
    16 * exchange(victim.kind) - attacker + promotion + history * params::capture_history_weight() / 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::MoveList;

    fn plan(table_move: Option<Move>) -> Plan {
        let (killers, line) = Default::default();
        Plan { wanted: Wanted::All, which: Moves::All, table_move, killers, line }
    }

    fn table() -> Table {
        Table::new(1, 1).expect("memory")
    }

    fn picked(position: &Position, wanted: Wanted, table_move: Option<Move>) -> Vec<Move> {
        let (memory, table, mut moves) = (Memory::new(), table(), Vec::new());
        let mut killers = Killers::default();
        let mut list = MoveList::new();
        position.moves_in(Scope::Quiets, &mut list);
        list.iter().rev().take(3).for_each(|&mv| killers.add(mv));
        let mut picker = Picker::new(position, Plan { wanted, killers, ..plan(table_move) }, &moves);
        let mut out = Vec::new();
        while let Some(mv) = next(&mut picker, position, &memory, &table, &mut moves) {
            out.push(mv);
        }
        picker.close(&mut moves);
        assert!(moves.is_empty());
        out
    }

    #[test]
    fn every_legal_move_comes_exactly_once() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/9/4r4/9/9/9/9/4K4 b GN2P 1",
        ] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            let mut list = MoveList::new();
            position.legal_moves(&mut list);
            let mut expected: Vec<u16> = list.iter().map(|mv| mv.raw()).collect();
            expected.sort_unstable();
            for table_move in [None, list.first().copied(), list.last().copied()] {
                let order = picked(&position, Wanted::All, table_move);
                assert!(table_move.is_none() || order.first().copied() == table_move);
                let mut got: Vec<u16> = order.iter().map(|mv| mv.raw()).collect();
                got.sort_unstable();
                assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn of_the_quiet_moves_only_checks_come_once_they_are_asked_for() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        for sfen in [sfen, "4k4/9/9/3r5/9/9/9/9/4K4 b GN2P 1", "3gk4/9/4P4/9/9/9/9/4L4/4K4 b RGSN 1"] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            let all = picked(&position, Wanted::All, None);
            for (asked, least_good) in (0..all.len()).flat_map(|asked| [(asked, i32::MIN), (asked, 1)]) {
                let (memory, table, mut moves) = (Memory::new(), table(), Vec::new());
                let mut picker = Picker::new(&position, plan(None), &moves);
                picker.least_good = least_good;
                let mut out = Vec::new();
                loop {
                    if out.len() == asked {
                        picker.only_quiet_checks(&mut moves);
                    }
                    let Some(mv) = next(&mut picker, &position, &memory, &table, &mut moves) else { break };
                    out.push(mv);
                }
                let wanted = |mv: &Move| position.piece_at(mv.to()).is_some() || position.gives_check(*mv);
                assert!(out.iter().skip(asked).all(wanted), "{sfen} after {asked}");
                assert!(all.iter().filter(|&mv| wanted(mv)).all(|mv| out.contains(mv)), "{sfen} after {asked}");
            }
        }
    }

    #[test]
    fn senseless_moves_are_left_out_only_when_asked() {
        let position = Position::from_setup(&"4k4/1P7/L1S6/5B3/9/9/9/9/4K3R b - 1".parse().expect("an SFEN"));
        let position = position.expect("playable");
        let mut moves = Vec::new();
        let mut count = |which| {
            let (memory, table) = (Memory::new(), table());
            let mut picker = Picker::new(&position, Plan { which, ..plan(None) }, &moves);
            let mut out = Vec::new();
            while let Some(mv) = next(&mut picker, &position, &memory, &table, &mut moves) {
                out.push(mv.to_string());
            }
            picker.close(&mut moves);
            out
        };
        let (all, sensible) = (count(Moves::All), count(Moves::Sensible));
        let left_out: Vec<&String> = all.iter().filter(|mv| !sensible.contains(mv)).collect();
        assert!(left_out.iter().all(|mv| all.contains(&format!("{mv}+"))), "{left_out:?}");
        assert!(left_out.contains(&&"9c9b".to_string()) && left_out.contains(&&"4d3c".to_string()));
        assert!(sensible.contains(&"7c7b".to_string()), "a silver may well stay what it is");
    }

    #[test]
    fn quiescence_sees_no_losing_captures() {
        let sfen = "4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1";
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        assert_eq!(picked(&position, Wanted::Gaining(0), None), []);
    }
}

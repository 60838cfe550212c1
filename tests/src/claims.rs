//! A referee for the reasons of mistakes: each claim is replayed by legal moves alone.
//!
//! Nothing here is shared with the code that finds the facts: exchanges are searched over all
//! legal captures with all choices of promotion, attacks over all legal answers, and material
//! is counted on the boards before and after. Mates up to five plies are searched
//! exhaustively, longer ones by a mate solver of its own whose lines are replayed.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use enbu_analysis::{Fact, GameReport, MoveReport, PositionReport, Reason};
use enbu_eval::piece_value::{exchange, on_board};
use enbu_mate::{Limits, Solver, Verdict};
use enbu_movegen::attacks::attacks;
use enbu_movegen::{
    Bitboard, Color, Declaration, EnteringKingRule, Move, MoveList, PieceType, Position, Ruling, Square,
};

/// Material that is worth a word: a pawn.
const PAWN: i32 = exchange(PieceType::Pawn);

/// Plies of the lines whose material is claimed.
const HORIZON: usize = 8;

/// Nodes of the solver for one mate.
const NODES: u64 = 500_000;

/// Kinds of pieces, sorted: what one side takes, and the other.
type Pieces = (Vec<PieceType>, Vec<PieceType>);

/// A mistake with what the report says of it.
struct Claim<'r> {
    before: Position,
    played: Move,
    after: Position,
    best: Vec<Move>,
    best_mate: Vec<Move>,
    answer: Vec<Move>,
    answer_mate: Vec<Move>,
    reason: &'r Reason,
    rule: EnteringKingRule,
}

/// Checks every reason of the main line of a report; returns the false ones.
///
/// # Panics
/// If the report is no game.
pub fn false_reasons(report: &GameReport, rule: EnteringKingRule) -> Vec<String> {
    let setup = report.positions[0].sfen.parse().expect("an SFEN");
    let mut position = Position::from_setup(&setup).expect("playable");
    let mut found = Vec::new();
    for (index, mv) in report.moves.iter().enumerate() {
        let before = position.clone();
        let played = mv.usi.parse().expect("a move");
        position.play(played).expect("a legal move");
        let Some(reason) = &mv.reason else { continue };
        let [best, answer] = [index, index + 1].map(|at| &report.positions[at]);
        let claim = Claim {
            before,
            played,
            after: position.clone(),
            best: line(best),
            best_mate: mate_of(best),
            answer: line(answer),
            answer_mate: mate_of(answer),
            reason,
            rule,
        };
        if let Err(error) = claim.check(mv) {
            found.push(format!("{} {}: {reason:?}: {error}", best.sfen, mv.usi));
        }
    }
    found
}

fn line(report: &PositionReport) -> Vec<Move> {
    let moves = report.lines.first().map(|line| &line.moves[..]).unwrap_or_default();
    moves.iter().map(|text| text.parse().expect("a move")).collect()
}

fn mate_of(report: &PositionReport) -> Vec<Move> {
    report.mate.iter().flatten().map(|text| text.parse().expect("a move")).collect()
}

/// The kinds of these names.
fn kinds(names: &[String]) -> Vec<PieceType> {
    let kind = |name: &String| PieceType::ALL.into_iter().find(|&kind| english(kind) == name).expect("a piece");
    names.iter().map(kind).collect()
}

/// The English name of a piece.
pub fn english(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "pawn",
        PieceType::Lance => "lance",
        PieceType::Knight => "knight",
        PieceType::Silver => "silver",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Gold => "gold",
        PieceType::King => "king",
        PieceType::ProPawn => "tokin",
        PieceType::ProLance => "promoted lance",
        PieceType::ProKnight => "promoted knight",
        PieceType::ProSilver => "promoted silver",
        PieceType::Horse => "horse",
        PieceType::Dragon => "dragon",
    }
}

type Checked = Result<(), String>;

fn must(holds: bool, claim: &str) -> Checked {
    if holds { Ok(()) } else { Err(format!("not true: {claim}")) }
}

impl Claim<'_> {
    fn check(&self, mv: &MoveReport) -> Checked {
        let Reason { ja, en, .. } = self.reason;
        must(ja.ends_with('。') && en.ends_with('.') && !format!("{ja}{en}").contains(['{', '}']), "sentences")?;
        must(mv.class >= Some(enbu_analysis::Class::Inaccuracy) || mv.missed_mate.is_some(), "a mistake")?;
        let Some(by) = &self.reason.by else { return self.check_rule() };
        let by: Move = by.parse().map_err(|error| format!("{error}"))?;
        use Fact::*;
        match self.reason.fact {
            PerpetualCheck | Repetition | MissedDeclaration | AllowsDeclaration => Err("a move".to_owned()),
            MissedMate => self.check_mate(&self.before, by, &self.best_mate),
            AllowsMate => self.check_mate(&self.after, by, &self.answer_mate),
            IgnoresMateThreat => {
                self.check_mate(&self.after, by, &self.answer_mate)?;
                must(passed(&self.before).is_some_and(|position| mates(&position)), "a mate after a pass")
            }
            LosesPiece => self.check_capture(&self.after, by, &self.answer),
            IgnoresThreat => {
                self.check_capture(&self.after, by, &self.answer)?;
                let gains = |position: &Position| is_legal(position, by) && gain_of(position, by) >= PAWN;
                must(passed(&self.before).is_some_and(|position| gains(&position)), "a threat before the move")?;
                must(!gains(&played(&self.before, self.best[0])), "the best move parries it")
            }
            Unguards => {
                self.check_capture(&self.after, by, &self.answer)?;
                let from = self.played.from().ok_or("a move on the board")?;
                must(reach(&self.before, from).contains(by.to()), "it protected the square")?;
                must(!reach(&self.after, self.played.to()).contains(by.to()), "it protects the square no longer")
            }
            BetterCapture => self.check_capture(&self.before, by, &self.best),
            AllowsAttack => self.check_attack(&self.after, by, &self.answer),
            MissedAttack => self.check_attack(&self.before, by, &self.best),
            AllowsPromotion => {
                self.check_promotion(&self.after, by, &self.answer)?;
                let after_best = played(&self.before, self.best[0]);
                must(!(is_legal(&after_best, by) && is_safe(&after_best, by)), "the best move prevents it")
            }
            MissedPromotion => self.check_promotion(&self.before, by, &self.best),
            PromotionChoice => {
                must(by == self.best[0] && is_legal(&self.before, by), "the best move")?;
                let same = (by.from(), by.to()) == (self.played.from(), self.played.to());
                must(same && by.is_promotion() != self.played.is_promotion(), "the other choice")?;
                let kind = self.before.piece_at(by.from().ok_or("a move on the board")?).map(|piece| piece.kind);
                let loses_moves = !matches!(kind, Some(PieceType::Pawn | PieceType::Bishop | PieceType::Rook));
                must(by.is_promotion() || loses_moves, "a promotion that costs moves")
            }
            LetsKingEnter => {
                let us = self.after.turn();
                let zone = Bitboard::zone(us);
                let king = self.after.king(us).expect("a king");
                must(by == self.answer[0] && by.from() == Some(king) && is_legal(&self.after, by), "a king's answer")?;
                must(!zone.contains(king) && zone.contains(by.to()), "it enters")?;
                must(!is_legal(&played(&self.before, self.best[0]), by), "the best move prevents it")
            }
            AllowsMateThreat => {
                must(by == self.answer[0] && is_safe(&self.after, by), "a safe answer")?;
                must(threatens(&self.after, by), "a mate after the answer and a pass")
            }
            MissedMateThreat => {
                must(by == self.best[0] && is_safe(&self.before, by), "a safe best move")?;
                must(threatens(&self.before, by), "a mate after the best move and a pass")
            }
            LineLoses => {
                let line: Vec<Move> = std::iter::once(self.played).chain(self.answer.iter().copied()).collect();
                must(by == self.answer[0], "the answer")?;
                self.check_line(&line, true)
            }
            LineWins => {
                must(by == self.best[0], "the best move")?;
                self.check_line(&self.best, false)
            }
        }
    }

    fn check_rule(&self) -> Checked {
        let declares = |position: &Position| position.declaration(self.rule) == Declaration::Win;
        let ruling = self.after.repetition();
        match self.reason.fact {
            Fact::PerpetualCheck => must(ruling == Ruling::Win(self.after.turn()), "a lost repetition"),
            Fact::Repetition => must(ruling == Ruling::Draw, "a drawn repetition"),
            Fact::MissedDeclaration => must(declares(&self.before), "a declaration before"),
            Fact::AllowsDeclaration => must(declares(&self.after), "a declaration after"),
            _ => Err("no move".to_owned()),
        }
    }

    fn check_mate(&self, position: &Position, by: Move, line: &[Move]) -> Checked {
        must(line.first() == Some(&by) && is_mate_line(position, line), "the line mates")?;
        let Some(plies) = self.reason.plies else { return must(is_mated(&played(position, by), None), "a mate") };
        must(is_mated(&played(position, by), Some(plies - 1)), "a mate of that length")?;
        must(plies == 1 || !mates_within(position, plies - 2), "no shorter mate")
    }

    fn check_capture(&self, position: &Position, by: Move, line: &[Move]) -> Checked {
        must(line.first() == Some(&by) && is_legal(position, by), "the first move of the line")?;
        must(position.piece_at(by.to()).is_some(), "a capture")?;
        let (mut gain, mut outcomes) = exchange_after(position, by);
        if by.to() == self.played.to() && self.reason.fact != Fact::BetterCapture {
            gain -= balance(&self.after, self.before.turn()) - balance(&self.before, self.before.turn());
            let taken = self.before.piece_at(by.to()).map(|piece| piece.kind);
            outcomes = outcomes
                .into_iter()
                .map(|(ours, theirs)| cancelled(ours, [theirs, taken.into_iter().collect()].concat()))
                .collect();
        }
        must(gain >= PAWN, "a gain")?;
        must(
            outcomes.contains(&self.pieces(position.turn())?),
            &format!("the exchange, which is one of {outcomes:?}"),
        )?;
        let after = played(position, by);
        let is_free = captures(&after, by.to()).is_empty() && self.reason.given.is_empty();
        must(is_free == self.reason.free, "taken back or not")
    }

    /// The pieces that `winner` takes and gives. A promoted one was on the board before.
    fn pieces(&self, winner: Color) -> Result<Pieces, String> {
        let (pieces, given) = (kinds(&self.reason.pieces), kinds(&self.reason.given));
        for (side, kinds) in [(!winner, &pieces), (winner, &given)] {
            for kind in kinds.iter().filter(|kind| kind.is_promoted()) {
                must(!self.before.pieces(side, *kind).is_empty(), &format!("a {kind:?} on the board"))?;
            }
        }
        Ok(cancelled(pieces, given))
    }

    fn check_attack(&self, position: &Position, by: Move, line: &[Move]) -> Checked {
        must(line.first() == Some(&by) && is_legal(position, by), "the first move of the line")?;
        let after = played(position, by);
        let prey = self.attacked_pieces(&after, by.to())?;
        for answer in legal(&after) {
            let theirs = played(&after, answer);
            let cost = balance(&theirs, after.turn()) - balance(&after, after.turn());
            let goals: Vec<Square> = if answer.to() == by.to() {
                vec![by.to()]
            } else {
                prey.iter().map(|&at| if answer.from() == Some(at) { answer.to() } else { at }).collect()
            };
            let moves = goals.into_iter().flat_map(|goal| captures(&theirs, goal));
            let best = moves.map(|mv| gain_of(&theirs, mv)).max().unwrap_or(i32::MIN / 2);
            must(best - cost >= PAWN, &format!("no answer saves all: {answer}"))?;
        }
        Ok(())
    }

    /// The squares of the attacked pieces of the kinds that the reason names, at least as many.
    fn attacked_pieces(&self, after: &Position, from: Square) -> Result<Vec<Square>, String> {
        let them = after.by_color(after.turn());
        let direct = reach(after, from) & them;
        let piece = after.piece_at(from).expect("the piece that moved");
        let through = attacks(piece.kind, piece.color, from, after.occupied().without(direct)) & them;
        let pieces = kinds(&self.reason.pieces);
        let names_king = pieces.first() == Some(&PieceType::King);
        must(names_king == direct.contains(after.king(after.turn()).expect("a king")), "check or not")?;
        let mut squares: Vec<Square> = Vec::new();
        for kind in PieceType::ALL.into_iter().filter(|kind| *kind != PieceType::King && pieces.contains(kind)) {
            let attacked: Vec<Square> = ((direct | through) & after.by_kind(kind)).into_iter().collect();
            let named = pieces.iter().filter(|&&piece| piece == kind).count();
            must(named <= attacked.len(), &format!("it attacks {named} of {kind:?}"))?;
            squares.extend(attacked);
        }
        must(!squares.is_empty(), "pieces")?;
        Ok(squares)
    }

    fn check_promotion(&self, position: &Position, by: Move, line: &[Move]) -> Checked {
        must(line.first() == Some(&by) && is_legal(position, by) && by.is_promotion(), "a promotion")?;
        must(is_safe(position, by), "the piece is safe")
    }

    /// Material along a line that the side to move begins, and loses or wins by it.
    fn check_line(&self, line: &[Move], is_loss: bool) -> Checked {
        let (us, mut position) = (self.before.turn(), self.before.clone());
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for &mv in line.iter().take(HORIZON) {
            let taken = position.piece_at(mv.to()).map(|piece| piece.kind);
            if position.turn() == us {
                ours.extend(taken)
            } else {
                theirs.extend(taken)
            }
            position.play(mv).map_err(|error| error.to_string())?;
        }
        let last = position.last_move().expect("a move").to();
        let (rest, outcomes) = best_exchange(&position, last);
        let is_ours = position.turn() == us;
        let gain = balance(&position, us) - balance(&self.before, us) + if is_ours { rest } else { -rest };
        must(if is_loss { -gain } else { gain } >= PAWN, "a gain")?;
        let outcomes: BTreeSet<Pieces> = outcomes
            .into_iter()
            .map(|(mover, other)| {
                let (more_ours, more_theirs) = if is_ours { (mover, other) } else { (other, mover) };
                let (ours, theirs) = ([ours.clone(), more_ours].concat(), [theirs.clone(), more_theirs].concat());
                if is_loss { cancelled(theirs, ours) } else { cancelled(ours, theirs) }
            })
            .collect();
        must(
            outcomes.contains(&self.pieces(if is_loss { !us } else { us })?),
            &format!("the material, which is one of {outcomes:?}"),
        )
    }
}

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.into_iter().collect()
}

fn is_legal(position: &Position, mv: Move) -> bool {
    legal(position).contains(&mv)
}

fn played(position: &Position, mv: Move) -> Position {
    let mut after = position.without_history();
    after.play(mv).expect("a legal move");
    after
}

fn passed(position: &Position) -> Option<Position> {
    if position.in_check() {
        return None;
    }
    let mut setup = position.to_setup();
    setup.turn = !setup.turn;
    Position::from_setup(&setup).ok()
}

/// The squares that the piece on `from` attacks.
fn reach(position: &Position, from: Square) -> Bitboard {
    let piece = position.piece_at(from).expect("a piece");
    attacks(piece.kind, piece.color, from, position.occupied())
}

fn captures(position: &Position, square: Square) -> Vec<Move> {
    let is_theirs = position.piece_at(square).is_some_and(|piece| piece.color != position.turn());
    legal(position).into_iter().filter(|mv| is_theirs && mv.to() == square).collect()
}

/// Value of a side's pieces on the board and in hand, less the other's. A drop changes nothing, a
/// capture its [`exchange`] value.
fn balance(position: &Position, side: Color) -> i32 {
    let setup = position.to_setup();
    let sign = |color| if color == side { 1 } else { -1 };
    let half = |kind: PieceType| if kind == PieceType::King { 0 } else { exchange(kind.unpromoted()) / 2 };
    let value = |kind: PieceType| half(kind) + on_board(kind) - on_board(kind.unpromoted());
    let board: i32 = setup.board.iter().flatten().map(|piece| sign(piece.color) * value(piece.kind)).sum();
    let hand = |color: Color| {
        let pieces = setup.hands[color].iter();
        pieces.map(|(piece, count)| i32::from(count) * half(piece.piece_type())).sum::<i32>()
    };
    board + hand(side) - hand(!side)
}

fn gain_of(position: &Position, mv: Move) -> i32 {
    exchange_after(position, mv).0
}

/// Gain of the exchange that `mv` begins, and all its outcomes by best play.
fn exchange_after(position: &Position, mv: Move) -> (i32, BTreeSet<Pieces>) {
    let us = position.turn();
    let after = played(position, mv);
    let own = balance(&after, us) - balance(position, us);
    let taken = position.piece_at(mv.to()).map(|piece| piece.kind);
    let (gain, outcomes) = best_exchange(&after, mv.to());
    let added = |(theirs, ours): Pieces| cancelled([ours, taken.into_iter().collect()].concat(), theirs);
    (own - gain, outcomes.into_iter().map(added).collect())
}

/// The best that the side to move has by captures on `square`, none included.
fn best_exchange(position: &Position, square: Square) -> (i32, BTreeSet<Pieces>) {
    let mut best = (0, BTreeSet::from([(Vec::new(), Vec::new())]));
    for mv in captures(position, square) {
        let found = exchange_after(position, mv);
        if found.0 > best.0 {
            best = found;
        } else if found.0 == best.0 {
            best.1.extend(found.1);
        }
    }
    best
}

/// Both lists unpromoted and sorted, without equal pieces on both.
fn cancelled(ours: Vec<PieceType>, theirs: Vec<PieceType>) -> Pieces {
    let [mut ours, mut theirs] =
        [ours, theirs].map(|kinds| kinds.into_iter().map(PieceType::unpromoted).collect::<Vec<_>>());
    ours.retain(|kind| match theirs.iter().position(|other| other == kind) {
        Some(at) => {
            theirs.remove(at);
            false
        }
        None => true,
    });
    let order = |kind: &PieceType| *kind as u8;
    ours.sort_by_key(order);
    theirs.sort_by_key(order);
    (ours, theirs)
}

/// Returns true if no exchange on the square of `mv` costs its gain.
fn is_safe(position: &Position, mv: Move) -> bool {
    best_exchange(&played(position, mv), mv.to()).0 <= 0
}

fn threatens(position: &Position, mv: Move) -> bool {
    passed(&played(position, mv)).is_some_and(|position| mates(&position))
}

/// Returns true if the side to move mates by checks.
fn mates(position: &Position) -> bool {
    mates_within(position, 5) || solved(position, None)
}

/// Returns true if it mates within `plies`.
fn mates_within(position: &Position, plies: u16) -> bool {
    if plies > 5 {
        return solved(position, Some(plies));
    }
    let checks = legal(position).into_iter().filter(|&mv| position.gives_check(mv));
    checks.into_iter().any(|mv| is_mated(&played(position, mv), Some(plies - 1)))
}

/// Returns true if the side to move, in check, is mated within `plies`, or at all.
fn is_mated(position: &Position, plies: Option<u16>) -> bool {
    if !position.in_check() {
        return false;
    }
    let rest = |position: &Position| match plies {
        None => solved(position, None),
        Some(0) => false,
        Some(plies) => mates_within(position, plies - 1),
    };
    legal(position).into_iter().all(|answer| rest(&played(position, answer)))
}

fn solved(position: &Position, plies: Option<u16>) -> bool {
    let limits = Limits { nodes: Some(NODES), plies, ..Limits::default() };
    let mut solver = Solver::new(16).expect("16 MB");
    let solution = solver.solve(position, &limits, &AtomicBool::new(false), &mut |_| {});
    matches!(solution.verdict, Verdict::Mate(mate) if is_mate_line(position, &mate.line))
}

/// Returns true for a line of checks and answers that ends in a mate.
fn is_mate_line(position: &Position, line: &[Move]) -> bool {
    let mut board = position.without_history();
    let checks = |(ply, &mv): (usize, &Move)| (ply % 2 == 1 || board.gives_check(mv)) && board.play(mv).is_ok();
    line.iter().enumerate().all(checks) && board.is_mate()
}

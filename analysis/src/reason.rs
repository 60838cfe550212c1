//! Reasons of mistakes: one sentence each, made of a fact that a replay confirms.
//!
//! A fact is certain: the mate solver proved it, or it follows from the rules by all legal
//! answers, or it is the material of a line of the report. A mistake without one gets no
//! sentence. Material counts as a reason only where the best line keeps at least a pawn more
//! than the played move with its answer.

mod sentence;
mod trade;

use enbu_eval::piece_value::exchange;
use enbu_mate::Verdict;
use enbu_movegen::{Bitboard, Declaration, EnteringKingRule, Move, PieceType, Position, Ruling};

use crate::analyst::Analyst;
use crate::fact::{Fact, Reason};
use crate::report::{GameReport, MoveReport, PositionReport, parsed};
use trade::{Taken, WORTH};

/// Adds the reasons of all mistakes to a report.
///
/// [`analyse`](crate::analyse) does so; a report without reasons has the same lines.
pub fn explain(report: &mut GameReport, rule: EnteringKingRule, analyst: &mut Analyst) {
    let GameReport { positions, moves, variations, .. } = report;
    let variations = variations.iter_mut().map(|line| (&line.positions, &mut line.moves));
    std::iter::once((&*positions, moves)).chain(variations).for_each(|line| explain_line(line, rule, analyst));
}

type ReportLine<'r> = (&'r Vec<PositionReport>, &'r mut Vec<MoveReport>);

fn explain_line((positions, moves): ReportLine<'_>, rule: EnteringKingRule, analyst: &mut Analyst) {
    let setup = positions.first().and_then(|position| position.sfen.parse().ok());
    let Some(mut before) = setup.and_then(|setup| Position::from_setup(&setup).ok()) else { return };
    for (mv, reports) in moves.iter_mut().zip(positions.windows(2)) {
        let (Ok(played), [known, later]) = (mv.usi.parse(), reports) else { return };
        let mut after = before.clone();
        if after.play(played).is_err() {
            return;
        }
        if mv.is_mistake() {
            let found = by_rules(&before, &after, rule)
                .or_else(|| Mistake::new([&before, &after], played, [known, later])?.reason(analyst));
            mv.reason = found.map(|reason| sentence::added(reason, &before, played));
        }
        before = after;
    }
}

/// Facts that the rules give.
fn by_rules(before: &Position, after: &Position, rule: EnteringKingRule) -> Option<Reason> {
    let wins = |position: &Position| rule != EnteringKingRule::Try && position.declaration(rule) == Declaration::Win;
    let fact = match after.repetition() {
        Ruling::Draw => Fact::Repetition,
        Ruling::Win(winner) if winner == after.turn() => Fact::PerpetualCheck,
        _ if wins(before) => Fact::MissedDeclaration,
        _ if wins(after) => Fact::AllowsDeclaration,
        _ => return None,
    };
    Some(Reason::new(fact, None))
}

/// A mistake with the lines of the positions before and after it.
struct Mistake<'a> {
    before: &'a Position,
    played: Move,
    after: &'a Position,
    /// The best answer to it.
    answer: Option<Move>,
    best: Move,
    after_best: Position,
    /// The lines that begin with the best move and with the played one.
    lines: [Vec<Move>; 2],
    /// The mates that the solver found before and after the move.
    mates: [Vec<Move>; 2],
}

impl<'a> Mistake<'a> {
    fn new([before, after]: [&'a Position; 2], played: Move, reports: [&PositionReport; 2]) -> Option<Self> {
        let [line, mut rest] =
            reports.map(|report| report.lines.first().map_or(Vec::new(), |line| parsed(&line.moves)));
        let (best, mut after_best) = (*line.first()?, before.clone());
        after_best.play(best).ok()?;
        let answer = rest.first().copied().filter(|&mv| after.is_legal(mv));
        rest.insert(0, played);
        let mates = reports.map(|report| parsed(report.mate.as_deref().unwrap_or_default()));
        Some(Self { before, played, after, answer, best, after_best, lines: [line, rest], mates })
    }

    /// The first fact in the order of precedence.
    fn reason(&self, analyst: &mut Analyst) -> Option<Reason> {
        let [kept, left] = self.lines.each_ref().map(|line| trade::along(self.before, line));
        let costs = kept.gain - left.gain >= WORTH;
        self.by_mates(analyst)
            .or_else(|| self.answer.filter(|_| costs).and_then(|by| self.by_loss(by)))
            .or_else(|| if costs { self.by_gain() } else { None })
            .or_else(|| self.by_promotion())
            .or_else(|| self.by_mate_threat(analyst))
            .or_else(|| if costs { self.by_lines(kept, left) } else { None })
    }

    fn by_mates(&self, analyst: &mut Analyst) -> Option<Reason> {
        let mut is_shortest = |position, plies: u16| {
            plies == 1 || analyst.quick_verdict(position, Some(plies.saturating_sub(2))) == Some(Verdict::NoMate)
        };
        let mut mate = |fact, position, line: &[Move]| {
            let plies = u16::try_from(line.len()).ok().filter(|&plies| is_shortest(position, plies));
            Some(Reason { plies, ..Reason::new(fact, *line.first()?) })
        };
        let [missed, allowed] = &self.mates;
        let missed = mate(Fact::MissedMate, self.before, missed);
        let allowed = missed.or_else(|| mate(Fact::AllowsMate, self.after, allowed))?;
        let was_threat = allowed.fact == Fact::AllowsMate && is_threat(self.before, analyst);
        Some(if was_threat { Reason { fact: Fact::IgnoresMateThreat, ..allowed } } else { allowed })
    }

    /// Pieces that the answer wins.
    fn by_loss(&self, by: Move) -> Option<Reason> {
        let fresh = self.played.is_promotion().then(|| self.played.to());
        let mut found = trade::exchange_by(self.after, by, fresh.as_slice());
        if by.to() == self.played.to() {
            // The exchange began with the mistake.
            found.gain -= trade::gain(self.before, self.played);
            found.given.extend(trade::victim(self.before, self.played));
        }
        let Some(loss) = exchanged(Fact::LosesPiece, self.after, by, found) else {
            return attacked(Fact::AllowsAttack, self.after, by);
        };
        let gains = |position: &Position| position.is_legal(by) && trade::exchange_by(position, by, &[]).gain >= WORTH;
        let was_threat = passed(self.before).is_some_and(|position| gains(&position));
        let fact = match by.to() {
            square if square == self.played.to() => Fact::LosesPiece,
            _ if was_threat && !gains(&self.after_best) => Fact::IgnoresThreat,
            square if !was_threat && trade::unguards(self.before, self.after, self.played, square) => Fact::Unguards,
            _ => Fact::LosesPiece,
        };
        Some(Reason { fact, ..loss })
    }

    /// Pieces that the best move would have won.
    fn by_gain(&self) -> Option<Reason> {
        let by = self.best;
        let found = trade::exchange_by(self.before, by, &[]);
        let capture = exchanged(Fact::BetterCapture, self.before, by, found).filter(|_| by.to() != self.played.to());
        capture.or_else(|| attacked(Fact::MissedAttack, self.before, by))
    }

    /// Promotions, and a king that enters.
    fn by_promotion(&self) -> Option<Reason> {
        let best = self.best;
        let is_same_piece = best.from().is_some() && (best.from(), best.to()) == (self.played.from(), self.played.to());
        // A pawn, bishop or rook loses nothing by its promotion, whatever a short search finds.
        let is_choice = best.is_promotion() || !is_great(self.before, best);
        if is_same_piece && best != self.played && is_choice {
            return Some(Reason::new(Fact::PromotionChoice, best));
        }
        let found = match self.answer {
            Some(by) if promotes(self.after, by) && !promotes(&self.after_best, by) => (Fact::AllowsPromotion, by),
            Some(by) if enters(self.after, by) && !self.after_best.is_legal(by) => (Fact::LetsKingEnter, by),
            _ if promotes(self.before, best) => (Fact::MissedPromotion, best),
            _ => return None,
        };
        Some(Reason::new(found.0, found.1))
    }

    fn by_mate_threat(&self, analyst: &mut Analyst) -> Option<Reason> {
        let mut threatens = |position: &Position, mv: Move| {
            let mut after = position.clone();
            let is_safe = after.play(mv).is_ok() && is_safe(position, mv);
            is_safe && is_threat(&after, analyst)
        };
        if let Some(by) = self.answer.filter(|&by| threatens(self.after, by)) {
            return (!threatens(&self.after_best, by)).then(|| Reason::new(Fact::AllowsMateThreat, by));
        }
        let is_missed = threatens(self.before, self.best) && !threatens(self.before, self.played);
        is_missed.then(|| Reason::new(Fact::MissedMateThreat, self.best))
    }

    /// Material that is lost along the line of the mistake, or won along the best one.
    fn by_lines(&self, kept: Taken, left: Taken) -> Option<Reason> {
        const SHOWN: usize = 2;
        let reason = |fact, by, gain, pieces: Vec<PieceType>, given: Vec<PieceType>| {
            let is_short = !pieces.is_empty() && pieces.len() <= SHOWN && given.len() <= SHOWN;
            (gain >= WORTH && is_short).then(|| with(Reason::new(fact, by), &pieces, &given))
        };
        let [won, lost] = [kept, left].map(Taken::without_equals);
        let loss = self.answer.and_then(|by| reason(Fact::LineLoses, by, -lost.gain, lost.given, lost.taken));
        loss.or_else(|| reason(Fact::LineWins, self.best, won.gain, won.taken, won.given))
    }
}

/// The position after a pass; `None` in check.
fn passed(position: &Position) -> Option<Position> {
    let mut position = (!position.in_check()).then(|| position.clone())?;
    position.do_null_move();
    Some(position)
}

/// Returns true if the side not to move mates after a pass.
fn is_threat(position: &Position, analyst: &mut Analyst) -> bool {
    passed(position).is_some_and(|after| matches!(analyst.quick_verdict(&after, None), Some(Verdict::Mate(_))))
}

/// A capture of the side to move by which it wins more than it gives.
fn exchanged(fact: Fact, position: &Position, by: Move, found: Taken) -> Option<Reason> {
    trade::victim(position, by)?;
    let value = |kinds: &[PieceType]| kinds.iter().map(|&kind| exchange(kind)).sum::<i32>();
    let Taken { gain, taken: pieces, given } = found.without_equals();
    // Where the pieces are worth no more, the gain is that of a promotion.
    if gain < WORTH || value(&pieces) <= value(&given) {
        return None;
    }
    let mut after = position.clone();
    after.play(by).ok()?;
    let free = given.is_empty() && trade::captures(&after, by.to()).is_empty();
    Some(Reason { free, ..with(Reason::new(fact, by), &pieces, &given) })
}

/// A move of the side to move whose piece wins one of those that it attacks.
fn attacked(fact: Fact, position: &Position, by: Move) -> Option<Reason> {
    let pieces = trade::attack_by(position, by);
    (!pieces.is_empty()).then(|| with(Reason::new(fact, by), &pieces, &[]))
}

/// Returns true if no exchange on the square of `mv` costs its gain.
fn is_safe(position: &Position, mv: Move) -> bool {
    trade::exchange_by(position, mv, &[]).gain >= trade::gain(position, mv)
}

/// Returns true if `mv` moves a pawn, a bishop or a rook.
fn is_great(position: &Position, mv: Move) -> bool {
    let kind = mv.from().and_then(|from| position.piece_at(from)).map(|piece| piece.kind);
    matches!(kind, Some(PieceType::Pawn | PieceType::Bishop | PieceType::Rook))
}

/// Returns true if `mv` legally makes a tokin, a horse or a dragon that is safe.
fn promotes(position: &Position, mv: Move) -> bool {
    mv.is_promotion() && is_great(position, mv) && position.is_legal(mv) && is_safe(position, mv)
}

/// Returns true if `mv` brings the king into its promotion zone.
fn enters(position: &Position, mv: Move) -> bool {
    let (zone, king) = (Bitboard::zone(position.turn()), position.king(position.turn()));
    mv.from() == king && zone.contains(mv.to()) && !king.is_some_and(|king| zone.contains(king))
}

/// A reason with its pieces.
fn with(reason: Reason, pieces: &[PieceType], given: &[PieceType]) -> Reason {
    let names = |kinds: &[PieceType]| kinds.iter().map(|&kind| sentence::name(kind).1.to_owned()).collect();
    Reason { pieces: names(pieces), given: names(given), ..reason }
}

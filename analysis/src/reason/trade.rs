//! Captures on one square, attacks that win a piece, material along a line: all by legal moves.
//!
//! Gains are [`exchange`] values of the pieces that are taken, and the rise of those that
//! promote, from the view of the side that begins.

use enbu_eval::piece_value::{exchange, on_board};
use enbu_movegen::attacks::attacks;
use enbu_movegen::{Bitboard, Color, Move, MoveList, PieceType, Position, Square};

/// Least gain that is worth a word: a pawn.
pub(super) const WORTH: i32 = exchange(PieceType::Pawn);

/// Plies of a line whose material counts.
pub(super) const HORIZON: usize = 8;

/// Pieces that a side takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// The gain of the side that begins.
    pub(super) gain: i32,
    pub(super) taken: Vec<PieceType>,
    pub(super) given: Vec<PieceType>,
}

impl Taken {
    /// Strikes equal pieces off both lists.
    pub(super) fn without_equals(mut self) -> Self {
        self.taken.retain(|&piece| {
            let equal = self.given.iter().position(|&other| other == piece);
            equal.map(|at| self.given.remove(at)).is_none()
        });
        self
    }
}

/// The piece that `mv` takes.
pub(super) fn victim(position: &Position, mv: Move) -> Option<PieceType> {
    position.piece_at(mv.to()).map(|piece| piece.kind)
}

/// Gain of `mv` before any answer.
pub(super) fn gain(position: &Position, mv: Move) -> i32 {
    let kind = mv.from().and_then(|from| position.piece_at(from)).map(|piece| piece.kind);
    let rise = |kind: PieceType| kind.promoted().map_or(0, |promoted| on_board(promoted) - on_board(kind));
    let promotion = kind.filter(|_| mv.is_promotion()).map_or(0, rise);
    promotion + victim(position, mv).map_or(0, exchange)
}

/// The legal captures of the side to move on `square`, by the cheapest piece first. A piece
/// that can promote does: that never gains less.
pub(super) fn captures(position: &Position, square: Square) -> Vec<Move> {
    let us = position.turn();
    if position.piece_at(square).is_none_or(|piece| piece.color == us) {
        return Vec::new();
    }
    let mut origins: Vec<Square> = position.attackers(square, us, position.occupied()).into_iter().collect();
    origins.sort_by_key(|&from| position.piece_at(from).map_or(0, |piece| exchange(piece.kind)));
    let legal = |mv: &Move| position.is_legal(*mv);
    let of = |from| [Move::promotion(from, square), Move::board(from, square)].into_iter().find(legal);
    origins.into_iter().filter_map(of).collect()
}

/// The captures on the destination of `mv` that begin with it, by the best play of both
/// sides, each of which may stop. A piece on a `fresh` square has just promoted.
pub(super) fn exchange_by(position: &Position, mv: Move, fresh: &[Square]) -> Taken {
    begun_by(&mut position.clone(), mv, fresh, i32::MIN)
}

/// Like [`exchange_by`]; a gain of at most `floor` may be too high.
fn begun_by(position: &mut Position, mv: Move, fresh: &[Square], floor: i32) -> Taken {
    let enough = gain(position, mv).saturating_sub(floor);
    answered(position, mv, fresh, |after, fresh| best_capture(after, mv.to(), fresh, enough))
}

/// The captures of `mv` and of the `answer` to it. Pieces on `fresh` squares have promoted since the
/// count began: they are lost as what they were.
fn answered(
    position: &mut Position,
    mv: Move,
    fresh: &[Square],
    answer: impl FnOnce(&mut Position, &[Square]) -> Taken,
) -> Taken {
    let is_fresh = |square: Square| fresh.contains(&square);
    let (own, taken) = (gain(position, mv), victim(position, mv));
    let taken = taken.map(|kind| if is_fresh(mv.to()) { kind.unpromoted() } else { kind });
    let mut still: Vec<Square> = fresh.iter().copied().filter(|&at| at != mv.to() && Some(at) != mv.from()).collect();
    still.extend((mv.is_promotion() || mv.from().is_some_and(is_fresh)).then(|| mv.to()));
    position.do_move(mv);
    let answer = answer(position, &still);
    position.undo_move();
    let taken = taken.into_iter().chain(answer.given).collect();
    Taken { gain: own - answer.gain, taken, given: answer.taken }
}

/// The best exchange on `square` of the side to move, or none; one that gains `enough` ends
/// the search.
fn best_capture(position: &mut Position, square: Square, fresh: &[Square], enough: i32) -> Taken {
    let mut best = Taken::default();
    for mv in captures(position, square) {
        if best.gain >= enough {
            break;
        }
        let found = begun_by(position, mv, fresh, best.gain);
        if found.gain > best.gain {
            best = found;
        }
    }
    best
}

/// Material of a line up to the [`HORIZON`], captures on its last square included.
pub(super) fn along(position: &Position, moves: &[Move]) -> Taken {
    fn rest(position: &mut Position, moves: &[Move], fresh: &[Square], last: Option<Square>) -> Taken {
        match moves.split_first() {
            Some((&mv, moves)) if position.is_legal(mv) => {
                answered(position, mv, fresh, |after, fresh| rest(after, moves, fresh, Some(mv.to())))
            }
            _ => last.map(|square| best_capture(position, square, fresh, i32::MAX)).unwrap_or_default(),
        }
    }
    rest(&mut position.clone(), moves.get(..HORIZON).unwrap_or(moves), &[], None)
}

/// The pieces that `mv` attacks, at least one of which is then won, whatever the answer; a king
/// among them, which is in check, comes first. Empty if an answer saves all.
pub(super) fn attack_by(position: &Position, mv: Move) -> Vec<PieceType> {
    let (us, them, from) = (position.turn(), !position.turn(), mv.to());
    let mut after = position.clone();
    after.do_move(mv);
    let kind = |square: &Square| after.piece_at(*square).map(|piece| piece.kind);
    let Some(attacker) = kind(&from) else { return Vec::new() };
    let reach = |occupied| attacks(attacker, us, from, occupied) & after.by_color(them);
    let direct = reach(after.occupied());
    let through = reach(after.occupied().without(direct)).without(direct);
    let king = direct & after.by_kind(PieceType::King);
    let is_prey = |&square: &Square| is_prey(&after, from, attacker, square, them);
    let prey: Vec<Square> = direct.without(king).into_iter().filter(is_prey).collect();
    let all = [prey.clone(), through.into_iter().filter(is_prey).collect()].concat();
    let mut board = after.clone();
    let mut is_won = |squares: &[Square]| !squares.is_empty() && wins_one(&mut board, from, squares);
    let targets =
        [prey, all].into_iter().find(|squares| is_won(squares)).map(|won| [king.into_iter().collect(), won].concat());
    targets.unwrap_or_default().iter().filter_map(kind).collect()
}

/// Returns true if the piece on `from` gains by taking on `square`: nothing protects it, or it
/// is worth more. Squares that many pieces attack are left out: their exchanges take too long.
fn is_prey(position: &Position, from: Square, kind: PieceType, square: Square, them: Color) -> bool {
    let value = position.piece_at(square).map_or(0, |piece| exchange(piece.kind));
    let occupied = position.occupied().without(Bitboard::of(from));
    let [guards, attackers] = [them, !them].map(|side| position.attackers(square, side, occupied).count());
    guards + attackers <= 8 && (value - exchange(kind) >= WORTH || value >= WORTH && guards == 0)
}

/// Returns true if after every answer one of `prey`, or what took the piece on `from`, can be
/// taken with a gain beyond that of the answer.
fn wins_one(position: &mut Position, from: Square, prey: &[Square]) -> bool {
    let mut answers = MoveList::new();
    position.legal_moves(&mut answers);
    !answers.is_empty() && answers.into_iter().all(|answer| wins_after(position, answer, from, prey))
}

fn wins_after(position: &mut Position, answer: Move, from: Square, prey: &[Square]) -> bool {
    let needed = WORTH + gain(position, answer);
    position.do_move(answer);
    let moves: Vec<Move> = if answer.to() == from {
        captures(position, from)
    } else {
        let now = |&square: &Square| if answer.from() == Some(square) { answer.to() } else { square };
        prey.iter().map(now).flat_map(|square| captures(position, square)).collect()
    };
    let wins = moves.into_iter().any(|mv| begun_by(position, mv, &[], i32::MIN).gain >= needed);
    position.undo_move();
    wins
}

/// Returns true if the piece that `mv` moves protects `square` before the move and not after it.
pub(super) fn unguards(before: &Position, after: &Position, mv: Move, square: Square) -> bool {
    let protects =
        |position: &Position, from| position.attackers(square, before.turn(), position.occupied()).contains(from);
    mv.from().is_some_and(|from| protects(before, from)) && !protects(after, mv.to())
}

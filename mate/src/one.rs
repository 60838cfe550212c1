//! Mate in one move: exact, and cheap where there is none.
//!
//! Every legal check is a candidate. Most fall to one set operation: a king that
//! has a flight square which the move does not newly attack is not mated. What is
//! left is tried on the board, so the answer is exact: discovered checks, double
//! checks, pinned defenders, checks given while in check, and uchifuzume (the
//! generator lists no such drop).

use enbu_movegen::attacks::{attacks, king};
use enbu_movegen::{Bitboard, Move, MoveParts, PieceType, Position, Square, sliders};

/// A move that mates at once, if there is one.
///
/// The answer is exact: `None` means that no legal move mates.
///
/// ```
/// use enbu_mate::mate_in_one;
/// use enbu_movegen::{Position, Setup};
/// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/9 b G 1".parse().expect("an SFEN");
/// let position = Position::from_setup(&setup).expect("playable");
/// assert_eq!(mate_in_one(&position), Some("G*5b".parse().expect("a move")));
/// ```
pub fn mate_in_one(position: &Position) -> Option<Move> {
    let net = Net::new(position)?;
    let mut found = None;
    let mut board = None;
    position.for_each_check_set(|set| {
        set.for_each(|mv| {
            if found.is_none() && net.may_mate(position, mv) {
                let board = board.get_or_insert_with(|| position.without_history());
                if mates(board, mv) {
                    found = Some(mv);
                }
            }
        });
    });
    found
}

/// [`mate_in_one`] on a board that may be moved on.
pub(crate) fn mate_in_one_on(position: &mut Position, checks: &[Move]) -> Option<Move> {
    let net = Net::new(position)?;
    checks.iter().copied().find(|&mv| net.may_mate(position, mv) && mates(position, mv))
}

/// Whether the legal check `mv` mates.
fn mates(position: &mut Position, mv: Move) -> bool {
    position.do_move(mv);
    let mated = !position.has_legal_move();
    position.undo_move();
    mated
}

/// The king to mate and where it may still step.
struct Net {
    king: Square,
    /// Squares next to the king that hold no piece of its side and are not attacked.
    flights: Bitboard,
}

impl Net {
    #[inline]
    fn new(position: &Position) -> Option<Self> {
        let us = position.turn();
        let target = position.king(!us)?;
        let occupied = position.occupied().without(Bitboard::of(target));
        let steps = king(target).without(position.by_color(!us));
        let flights = steps.into_iter().filter(|&square| !position.is_attacked(square, us, occupied)).collect();
        Some(Self { king: target, flights })
    }

    /// Whether every flight square is attacked by the moved piece or lies on a line
    /// that the move opens: without that a check is no mate.
    fn may_mate(&self, position: &Position, mv: Move) -> bool {
        if self.flights.is_empty() {
            return true;
        }
        let us = position.turn();
        let occupied = position.occupied().without(Bitboard::of(self.king));
        match mv.parts() {
            MoveParts::Drop { piece, to } => {
                self.flights.without(attacks(piece.piece_type(), us, to, occupied)).is_empty()
            }
            MoveParts::Board { from, to, promote } => {
                let Some(moved) = position.piece_at(from) else { return false };
                let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
                let occupied = occupied.without(Bitboard::of(from)) | Bitboard::of(to);
                let left = self.flights.without(attacks(placed, us, to, occupied));
                left.without(lines(from)).is_empty()
            }
        }
    }
}

/// All squares that share a rank, file or diagonal with `square`.
fn lines(square: Square) -> Bitboard {
    attacks(PieceType::Rook, enbu_movegen::Color::Black, square, Bitboard::EMPTY)
        | sliders::bishop(square, Bitboard::EMPTY)
}

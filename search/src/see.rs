//! Static exchange evaluation: the result of all captures on one square.

use enbu_eval::piece_value::{exchange, on_board};
use enbu_isa::multiversion;
use enbu_movegen::{Bitboard, Color, Move, MoveParts, PieceType, Position, Square};

use crate::value::Value;

/// The order in which attackers are spent, in that of [`PieceType`]: pawn, lance, knight, these three
/// promoted, silver, promoted silver, gold, bishop, rook, horse, dragon, king.
const RANKS: [u8; PieceType::COUNT] = [0, 1, 2, 6, 9, 10, 8, 13, 3, 4, 5, 7, 11, 12];

/// Returns true if the exchange that `mv` begins gains at least `threshold` (an
/// [`exchange`] value: the loss of one side on the board and the gain of the other in
/// hand).
///
/// Promotion by the first move counts; promotions and pins further on do not.
#[inline]
pub(crate) fn reaches(position: &Position, mv: Move, threshold: Value) -> bool {
    let to = mv.to();
    let mut balance = position.piece_at(to).map_or(0, |taken| exchange(taken.kind)) - threshold;
    let mut occupied = position.occupied() | Bitboard::of(to);
    let at_risk = match mv.parts() {
        MoveParts::Drop { piece, .. } => piece.piece_type(),
        MoveParts::Board { from, promote, .. } => {
            occupied = occupied.without(Bitboard::of(from));
            let kind = position.piece_at(from).map_or(PieceType::Pawn, |piece| piece.kind);
            match kind.promoted() {
                Some(promoted) if promote => {
                    balance += on_board(promoted) - on_board(kind);
                    promoted
                }
                _ => kind,
            }
        }
    };
    // A fifth are decided here: the move gains too little even unanswered, or enough even if its
    // piece is lost for nothing.
    balance >= 0 && (balance >= exchange(at_risk) || holds(position, to, occupied, at_risk, balance))
}

multiversion! {
    /// Returns true if the side to move in `position`, whose piece of kind `at_risk` has moved to
    /// `to`, keeps a balance of at least 0 when both sides take there in turn. `balance` is the
    /// amount it has beyond its goal, and less than the piece is worth.
    fn holds(position: &Position, to: Square, occupied: Bitboard, at_risk: PieceType, balance: Value) -> bool {
        let (mut occupied, mut at_risk, mut balance) = (occupied, at_risk, balance);
        let us = position.turn();
        // `balance` is kept from the view of the side that has just moved. The side to move must
        // bring it below zero.
        let mut side = !us;
        loop {
            balance -= exchange(at_risk);
            if balance >= 0 {
                // Even losing the last piece leaves the mover content.
                return side != us;
            }
            let Some((from, kind)) = cheapest(position, to, side, occupied) else { return side != us };
            occupied = occupied.without(Bitboard::of(from));
            // A king may take last only.
            if kind == PieceType::King && position.attackers(to, !side, occupied).intersects(occupied) {
                return side != us;
            }
            at_risk = kind;
            balance = -balance - 1;
            side = !side;
        }
    }
}

/// The cheapest piece of `side` that can still take on `to`.
#[inline(always)]
fn cheapest(position: &Position, to: Square, side: Color, occupied: Bitboard) -> Option<(Square, PieceType)> {
    let attackers = position.attackers(to, side, occupied) & occupied;
    // One or two of them: fewer than kinds of pieces.
    let ranked = attackers.into_iter().filter_map(|from| position.piece_at(from).map(|piece| (from, piece.kind)));
    ranked.min_by_key(|&(_, kind)| RANKS[kind])
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::PieceType::{Gold, Pawn, ProPawn, Rook, Silver};

    /// The gain of the exchange, by trying every threshold that matters.
    fn gain(sfen: &str, mv: &str) -> Value {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        let mv: Move = mv.parse().expect("a move");
        assert!(position.is_legal(mv));
        let (mut low, mut high): (Value, Value) = (-20_000, 20_000);
        while low < high {
            let middle = (low + high + 1).div_euclid(2);
            if reaches(&position, mv, middle) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    #[test]
    fn exchanges_are_counted_to_their_end() {
        let e = exchange;
        let free = "4k4/9/9/4p4/9/9/9/4R4/4K4 b - 1";
        assert_eq!(gain(free, "5h5d"), e(Pawn));
        let guarded = "4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1";
        assert_eq!(gain(guarded, "5h5d"), e(Pawn) - e(Rook));
        let backed_up = "4k4/9/4g4/4p4/9/9/4L4/4R4/4K4 b - 1";
        // The gold does better not to take back.
        assert_eq!(gain(backed_up, "5g5d"), e(Pawn));
        let worth_it = "4k4/9/4l4/4p4/9/9/4R4/9/4K4 b - 1";
        assert_eq!(gain(worth_it, "5g5d"), e(Pawn) - e(Rook));
        let dropped = "4k4/9/4g4/9/9/9/9/9/4K4 b S 1";
        assert_eq!(gain(dropped, "S*5d"), -e(Silver));
        let drop_safe = "4k4/9/9/9/9/9/9/9/4K4 b S 1";
        assert_eq!(gain(drop_safe, "S*5e"), 0);
    }

    #[test]
    fn a_king_does_not_take_what_is_guarded() {
        let e = exchange;
        assert_eq!(gain("9/4k4/9/4G4/9/9/9/9/4K4 b - 1", "5d5c"), -e(Gold));
        assert_eq!(gain("9/4k4/9/4G4/9/9/9/4R4/4K4 b - 1", "5d5c"), 0);
    }

    #[test]
    fn promotion_by_the_first_move_counts() {
        let gain = gain("8k/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+");
        assert_eq!(gain, on_board(ProPawn) - on_board(Pawn));
    }
}

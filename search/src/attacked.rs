//! The squares that one side attacks, and by which pieces.

use enbu_eval::piece_value::exchange;
use enbu_movegen::{Bitboard, Color, PieceType, Position, Square, attacks, sliders};

use crate::value::Value;

/// Kinds of attackers, cheapest first; a promoted minor piece counts as a gold, a horse as a
/// bishop, a dragon as a rook.
const ATTACKERS: [PieceType; 8] = [
    PieceType::Pawn,
    PieceType::ProPawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Gold,
    PieceType::Bishop,
    PieceType::Rook,
];

/// The squares that the pieces of one side attack.
pub(crate) struct Attacked {
    color: Color,
    pub(crate) by_pawns: Bitboard,
    /// By pieces cheaper than a gold.
    pub(crate) by_light: Bitboard,
    /// By any piece, the king included.
    pub(crate) all: Bitboard,
}

impl Attacked {
    /// The squares that pieces of `color` attack.
    #[inline(always)]
    pub(crate) fn by(position: &Position, color: Color) -> Self {
        use PieceType::{Bishop, Dragon, Horse, King, Knight, Lance, Pawn, ProPawn, Rook, Silver};
        // A loop and not a fold, which is compiled apart and without the vectors of its caller.
        #[inline(always)]
        fn from_each(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
            let mut set = Bitboard::EMPTY;
            for from in pieces {
                set |= attacks(from);
            }
            set
        }
        let occupied = position.occupied();
        let of = |kind| position.pieces(color, kind);
        let (horses, dragons, tokins) = (of(Horse), of(Dragon), of(ProPawn));
        let by_pawns = of(Pawn).forward(color);
        let by_light = by_pawns
            | from_each(of(Lance), |from| sliders::lance(color, from, occupied))
            | attacks::by_knights(color, of(Knight))
            | attacks::by_silvers(color, of(Silver))
            | if tokins.is_empty() { tokins } else { attacks::by_golds(color, tokins) };
        let all = by_light
            | attacks::by_golds(color, position.golds() & position.by_color(color))
            | attacks::by_kings(of(King) | horses | dragons)
            | from_each(of(Bishop) | horses, |from| sliders::bishop(from, occupied))
            | from_each(of(Rook) | dragons, |from| sliders::rook(from, occupied));
        Self { color, by_pawns, by_light, all }
    }

    /// The exchange value of the cheapest attacker of `square` in `position`, `None` if no piece
    /// but the king attacks it.
    #[inline]
    pub(crate) fn cheapest(&self, position: &Position, square: Square) -> Option<Value> {
        use PieceType::{Bishop, Dragon, Gold, Horse, Pawn, Rook};
        if self.by_pawns.contains(square) {
            return Some(exchange(Pawn));
        }
        let attackers = position.attackers(square, self.color, position.occupied());
        let of = |kind| position.by_kind(kind);
        let found = ATTACKERS.into_iter().find(|&kind| {
            let pieces = match kind {
                Gold => position.golds(),
                Bishop => of(Bishop) | of(Horse),
                Rook => of(Rook) | of(Dragon),
                kind => of(kind),
            };
            pieces.intersects(attackers)
        });
        found.map(exchange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacked_squares_are_those_with_an_attacker() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/+R8/9/3+b1+p3/9/1L3+S3/9/2+n6/4K3+l b - 1",
        ] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            for color in Color::ALL {
                let attacked = Attacked::by(&position, color);
                for square in Square::ALL {
                    let expected = position.is_attacked(square, color, position.occupied());
                    assert_eq!(attacked.all.contains(square), expected, "{sfen} {square} {color:?}");
                }
            }
        }
    }

    #[test]
    fn attackers_are_listed_from_the_cheapest() {
        assert!(ATTACKERS.is_sorted_by_key(|&kind| exchange(kind)));
        let position =
            Position::from_setup(&"4k4/9/9/9/4s4/4P4/3G5/9/4R3K b - 1".parse().expect("an SFEN")).expect("playable");
        let attacked = Attacked::by(&position, Color::Black);
        assert_eq!(attacked.cheapest(&position, Square::S55), Some(exchange(PieceType::Pawn)));
        assert_eq!(attacked.cheapest(&position, Square::S56), Some(exchange(PieceType::Gold)));
        assert_eq!(attacked.cheapest(&position, Square::S58), Some(exchange(PieceType::Rook)));
        assert_eq!(attacked.cheapest(&position, Square::S18), None, "only the king");
    }
}

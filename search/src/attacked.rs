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
    /// By each of [`ATTACKERS`].
    by: [Bitboard; ATTACKERS.len()],
    /// By any piece, the king included.
    pub(crate) all: Bitboard,
}

impl Attacked {
    /// The squares that pieces of `color` attack.
    #[inline(always)]
    pub(crate) fn by(position: &Position, color: Color) -> Self {
        use PieceType::{Bishop, Dragon, Horse, King, Knight, Lance, Pawn, ProPawn, Rook, Silver};
        #[inline(always)]
        fn from_each(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
            pieces.into_iter().fold(Bitboard::EMPTY, |set, from| set | attacks(from))
        }
        let occupied = position.occupied();
        let of = |kind| position.pieces(color, kind);
        let gold = |pieces| from_each(pieces, |from| attacks::gold(color, from));
        let (horses, dragons, tokins) = (of(Horse), of(Dragon), of(ProPawn));
        let by = [
            of(Pawn).forward(color),
            gold(tokins),
            from_each(of(Lance), |from| sliders::lance(color, from, occupied)),
            from_each(of(Knight), |from| attacks::knight(color, from)),
            from_each(of(Silver), |from| attacks::silver(color, from)),
            gold((position.golds() & position.by_color(color)).without(tokins)),
            from_each(of(Bishop) | horses, |from| sliders::bishop(from, occupied)) | from_each(horses, attacks::king),
            from_each(of(Rook) | dragons, |from| sliders::rook(from, occupied)) | from_each(dragons, attacks::king),
        ];
        let all = by.iter().fold(from_each(of(King), attacks::king), |all, &set| all | set);
        Self { by, all }
    }

    /// The squares that pawns attack.
    pub(crate) fn by_pawns(&self) -> Bitboard {
        self.by[0]
    }

    /// The exchange value of the cheapest attacker of `square`, `None` if only a king attacks it.
    #[inline]
    pub(crate) fn cheapest(&self, square: Square) -> Option<Value> {
        ATTACKERS.into_iter().zip(self.by).find(|(_, set)| set.contains(square)).map(|(kind, _)| exchange(kind))
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
        assert_eq!(attacked.cheapest(Square::S55), Some(exchange(PieceType::Pawn)));
        assert_eq!(attacked.cheapest(Square::S56), Some(exchange(PieceType::Gold)));
        assert_eq!(attacked.cheapest(Square::S58), Some(exchange(PieceType::Rook)));
        assert_eq!(attacked.cheapest(Square::S18), None, "only the king");
    }
}

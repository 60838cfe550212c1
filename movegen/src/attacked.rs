//! The squares that one side attacks.

use crate::attacks::{by_golds, by_kings, by_knights, by_silvers};
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType::{Bishop, Dragon, Horse, King, Knight, Lance, Pawn, ProPawn, Rook, Silver};
use crate::position::Position;
use crate::sliders;
use crate::square::Square;

/// The squares that the pieces of one side attack.
pub struct Attacked {
    /// By pawns.
    pub by_pawns: Bitboard,
    /// By pawns, promoted or not, lances, knights and silvers.
    pub by_light: Bitboard,
    /// By any piece, the king included.
    pub all: Bitboard,
}

impl Attacked {
    /// The squares that pieces of `color` attack.
    ///
    /// ```
    /// use enbu_movegen::{Attacked, Color, Position, Square};
    /// let attacked = Attacked::by(&Position::startpos(), Color::Black);
    /// assert!(attacked.by_pawns.contains(Square::S56) && !attacked.by_pawns.contains(Square::S57));
    /// assert!(attacked.all.contains(Square::S58));
    /// ```
    #[inline(always)]
    pub fn by(position: &Position, color: Color) -> Self {
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
            | by_knights(color, of(Knight))
            | by_silvers(color, of(Silver))
            | if tokins.is_empty() { tokins } else { by_golds(color, tokins) };
        let all = by_light
            | by_golds(color, position.golds() & position.by_color(color))
            | by_kings(of(King) | horses | dragons)
            | from_each(of(Bishop) | horses, |from| sliders::bishop(from, occupied))
            | from_each(of(Rook) | dragons, |from| sliders::rook(from, occupied));
        Self { by_pawns, by_light, all }
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
}

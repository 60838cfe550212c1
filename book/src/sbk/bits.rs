//! The bits of a move.

#![cfg_attr(
    not(test),
    expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")
)]

use enbu_movegen::{Color, HandPiece, Move, MoveParts, PieceType, Setup, Square};

const PROMOTED: u32 = 8;
const KING: u32 = 8;
/// The flag of a white piece, which only the moved piece has.
const WHITE: u32 = 16;

/// The number of a piece.
fn number(kind: PieceType) -> u32 {
    let piece = kind.unpromoted().hand_piece();
    let number = (1..).zip(HandPiece::PACKED_ORDER).find(|&(_, other)| piece == Some(other));
    number.map_or(KING, |(number, _)| number + if kind.is_promoted() { PROMOTED } else { 0 })
}

fn place(square: Square) -> u32 {
    u32::from(square.rank()) | u32::from(square.file()) << 4
}

fn square(bits: u32) -> Option<Square> {
    Square::new((bits >> 4 & 15) as u8, (bits & 15) as u8)
}

/// The move of these bits; `None` for invalid ones. Captured piece and side are ignored.
pub(super) fn decode(bits: u32) -> Option<Move> {
    let to = square(bits >> 8)?;
    if bits & 0xff == 0 {
        // ShogiHome leaves out the flag of white pieces.
        let piece = HandPiece::PACKED_ORDER.get((bits >> 24 & 15).checked_sub(1)? as usize)?;
        return Some(Move::drop(*piece, to));
    }
    let from = square(bits).filter(|&from| from != to)?;
    Some(if bits >> 19 & 1 == 1 { Move::promotion(from, to) } else { Move::board(from, to) })
}

/// The bits of a move in a position.
pub(super) fn encode(mv: Move, setup: &Setup) -> u32 {
    // White's move, and the flag of a white piece.
    let side = if setup.turn == Color::White { 1 << 31 | WHITE << 24 } else { 0 };
    let to = mv.to();
    match mv.parts() {
        MoveParts::Drop { piece, .. } => side | number(piece.piece_type()) << 24 | place(to) << 8,
        MoveParts::Board { from, promote, .. } => {
            let piece = |square: Square| setup.board[square].map_or(0, |piece| number(piece.kind));
            side | piece(from) << 24 | piece(to) << 20 | u32::from(promote) << 19 | place(to) << 8 | place(from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_survives() {
        let setup = Setup::startpos();
        for raw in 0..=u16::MAX {
            if let Some(mv) = Move::from_raw(raw) {
                assert_eq!(decode(encode(mv, &setup)), Some(mv), "{mv}");
            }
        }
        for bits in [0, 0x7f, 0xff77, 0x7700, 0x0800_7700, 0x7777] {
            assert_eq!(decode(bits), None, "{bits:#x}");
        }
    }

    #[test]
    fn bits_name_the_pieces() {
        let setup: Setup = "4k4/9/9/9/9/9/7+p1/7B1/4K4 b - 1".parse().expect("an SFEN");
        let capture = encode("2h2g".parse().expect("a move"), &setup);
        assert_eq!(capture, 6 << 24 | 9 << 20 | 0x27 << 8 | 0x28);
        let white = Setup { turn: Color::White, ..setup };
        let promotion = encode("2g2h+".parse().expect("a move"), &white);
        assert_eq!(promotion, 1 << 31 | 25 << 24 | 6 << 20 | 1 << 19 | 0x28 << 8 | 0x27);
        assert_eq!(encode("G*5e".parse().expect("a move"), &white), 1 << 31 | 21 << 24 | 0x55 << 8);
    }
}

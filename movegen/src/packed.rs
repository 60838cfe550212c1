//! Positions in 256 bits, and Apery's moves in 16, as files of other programs hold them.
//!
//! Two dialects of one idea: side to move (1 bit), the squares of both kings (7 bits
//! each, 81: none), the other 79 squares in index order and then the pieces in hand,
//! each as a prefix code, low bits first. A set of pieces always takes 256 bits: the
//! extra bits of a piece over an empty square are equal on the board and in hand.
//!
//! | | PackedSfen (YaneuraOu) | HuffmanCodedPos (Apery) |
//! |---|---|---|
//! | empty | `0` | `0` |
//! | pawn, lance | `01`, `0011` | the same |
//! | knight, silver | `1011`, `0111` | `0111`, `1011` |
//! | gold, bishop, rook | `01111`, `011111`, `111111` | the same |
//! | then (gold: colour only) | promotion, colour | colour, promotion |
//! | in hand | the code without its low bit, 0 (not gold), colour | see `HCP_HAND` |
//! | missing pieces | as in hand, with 1 for the 0; gold as a white silver | none |

use std::sync::LazyLock;

use enbu_language::messages;

use crate::color::Color;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, Piece, PieceType};
use crate::setup::Setup;
use crate::square::Square;

/// Bits of a packed position.
const BITS: usize = 256;
/// The square of a missing king.
const NO_SQUARE: u16 = 81;

messages! {
/// The reason why a diagram cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum PackError {
    SeveralKings(color: Color) => "{0:?} has several kings", "{0}の玉が 2 枚以上あります", color.name();
    TooLong =>
        "more than 256 bits are needed: there are more pieces than a set has, or a king is missing",
        "256 ビットに収まりません：駒が一組より多いか、玉がありません";
    TooFew => "there are fewer pieces than a set has, which this format cannot hold", "駒が一組より少ない局面は、この形式では表せません";
}}

messages! {
/// The reason why bits are not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum UnpackError {
    King(square: u16) => "a king is on square {square} of 81", "玉が 81 マスの外（{square}）にあります";
    SameSquare(square: Square) => "both kings are on {0}", "両方の玉が {0} にあります", square.name();
    Code(bit: usize) => "the bits from {bit} on are not the code of a piece", "{bit} ビット目からが駒の符号ではありません";
    TooLong => "the pieces take more than 256 bits", "駒の符号が 256 ビットを超えています";
    HandFull => "there are too many pieces in hand", "持駒が多すぎます";
}}

/// A prefix code: its bits, the first one lowest, and their number.
#[derive(Clone, Copy)]
struct Code {
    bits: u16,
    length: u32,
}

impl Code {
    const fn new(bits: u16, length: u32) -> Self {
        Self { bits, length }
    }

    const fn then(self, bit: bool) -> Self {
        Self { bits: self.bits | (bit as u16) << self.length, length: self.length + 1 }
    }
}

/// The meanings of codes, by their first eight bits, and their lengths; `None` means no piece.
type Table<T> = [Option<(Option<T>, u32)>; 256];

struct Tables {
    board: Table<Piece>,
    hand: Table<(Color, HandPiece)>,
}

/// The two codings.
///
/// ```
/// use enbu_movegen::{Packing, Setup};
/// let packed = Packing::Sfen.pack(&Setup::startpos()).expect("a set of pieces");
/// assert_eq!(Packing::Sfen.unpack(&packed), Ok(Setup::startpos()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// YaneuraOu's PackedSfen, which may lack pieces.
    Sfen,
    /// Apery's HuffmanCodedPos.
    Hcp,
}

const EMPTY: Code = Code::new(0, 1);

/// Codes of Apery for black pieces in hand in the order of [`HandPiece`]: pawn, lance, knight,
/// silver, bishop, rook, gold; the highest bit is the colour.
const HCP_HAND: [Code; 7] = [
    Code::new(0, 3),
    Code::new(0b1, 5),
    Code::new(0b11, 5),
    Code::new(0b101, 5),
    Code::new(0b1_1111, 7),
    Code::new(0b11_1111, 7),
    Code::new(0b111, 5),
];

/// A piece off the board in YaneuraOu's coding: the low bit that says "not empty" is left out.
fn held_code(piece: HandPiece, missing: bool, color: Color) -> Code {
    let Code { bits, length } = Packing::Sfen.kind(piece.piece_type());
    let code = Code::new(bits >> 1, length - 1);
    let code = if piece == HandPiece::Gold { code } else { code.then(missing) };
    code.then(color == Color::White)
}

impl Packing {
    /// The code of a kind without promotion and colour.
    fn kind(self, kind: PieceType) -> Code {
        match (kind.unpromoted(), self) {
            (PieceType::Lance, _) => Code::new(0x03, 4),
            (PieceType::Knight, Self::Sfen) | (PieceType::Silver, Self::Hcp) => Code::new(0x0b, 4),
            (PieceType::Silver, Self::Sfen) | (PieceType::Knight, Self::Hcp) => Code::new(0x07, 4),
            (PieceType::Gold, _) => Code::new(0x0f, 5),
            (PieceType::Bishop, _) => Code::new(0x1f, 6),
            (PieceType::Rook, _) => Code::new(0x3f, 6),
            _ => Code::new(0x01, 2),
        }
    }

    fn board(self, piece: Piece) -> Code {
        let (code, is_white, is_promoted) =
            (self.kind(piece.kind), piece.color == Color::White, piece.kind.is_promoted());
        match (piece.kind, self) {
            (PieceType::Gold, _) => code.then(is_white),
            (_, Self::Sfen) => code.then(is_promoted).then(is_white),
            (_, Self::Hcp) => code.then(is_white).then(is_promoted),
        }
    }

    fn hand(self, color: Color, piece: HandPiece) -> Code {
        let Self::Hcp = self else { return held_code(piece, false, color) };
        let Code { bits, length } = HCP_HAND[piece];
        Code::new(bits | (color as u16) << (length - 1), length)
    }

    /// The code of a piece that is not in play, if there is one.
    fn missing(self, piece: HandPiece) -> Option<Code> {
        let missing = match piece {
            HandPiece::Gold => held_code(HandPiece::Silver, true, Color::White),
            other => held_code(other, true, Color::Black),
        };
        (self == Self::Sfen).then_some(missing)
    }

    fn tables(self) -> &'static Tables {
        static TABLES: [LazyLock<Tables>; 2] =
            [LazyLock::new(|| Tables::of(Packing::Sfen)), LazyLock::new(|| Tables::of(Packing::Hcp))];
        &TABLES[self as usize]
    }
}

impl Tables {
    fn of(coding: Packing) -> Self {
        let mut tables = Self { board: [None; 256], hand: [None; 256] };
        enter(&mut tables.board, EMPTY, None);
        for color in Color::ALL {
            for kind in PieceType::ALL.into_iter().filter(|&kind| kind != PieceType::King) {
                let piece = Piece::new(color, kind);
                enter(&mut tables.board, coding.board(piece), Some(piece));
            }
            for piece in HandPiece::ALL {
                enter(&mut tables.hand, coding.hand(color, piece), Some((color, piece)));
            }
        }
        for code in HandPiece::ALL.into_iter().filter_map(|piece| coding.missing(piece)) {
            enter(&mut tables.hand, code, None);
        }
        tables
    }
}

/// Enters a code under every byte that begins with it.
fn enter<T: Copy>(table: &mut Table<T>, code: Code, meaning: Option<T>) {
    for byte in (usize::from(code.bits)..256).step_by(1 << code.length) {
        table[byte] = Some((meaning, code.length));
    }
}

/// Writes consecutive codes.
#[derive(Default)]
struct Writer {
    bytes: [u8; 32],
    at: usize,
}

impl Writer {
    fn put(&mut self, code: Code) -> Result<(), PackError> {
        for bit in 0..code.length {
            let byte = self.bytes.get_mut(self.at / 8).ok_or(PackError::TooLong)?;
            *byte |= ((code.bits >> bit & 1) as u8) << (self.at % 8);
            self.at += 1;
        }
        Ok(())
    }
}

/// Reads consecutive codes.
struct Reader<'a> {
    bytes: &'a [u8; 32],
    at: usize,
}

impl Reader<'_> {
    /// The next eight bits; zeros after the end.
    fn byte(&self) -> usize {
        let at = |index: usize| u16::from(self.bytes.get(index).copied().unwrap_or(0));
        usize::from((at(self.at / 8) | at(self.at / 8 + 1) << 8) >> (self.at % 8) & 0xff)
    }

    fn number(&mut self, bits: u32) -> u16 {
        let number = self.byte() & ((1 << bits) - 1);
        self.at += bits as usize;
        number as u16
    }

    fn code<T: Copy>(&mut self, table: &Table<T>) -> Result<Option<T>, UnpackError> {
        let (meaning, length) = table[self.byte()].ok_or(UnpackError::Code(self.at))?;
        self.at += length as usize;
        if self.at > BITS { Err(UnpackError::TooLong) } else { Ok(meaning) }
    }

    fn king(&mut self) -> Result<Option<Square>, UnpackError> {
        match self.number(7) {
            NO_SQUARE => Ok(None),
            number => Square::from_index(number.into()).map(Some).ok_or(UnpackError::King(number)),
        }
    }
}

impl Packing {
    /// Packs a diagram; its ply is not kept.
    ///
    /// # Errors
    /// [`PackError`] when there are not one king of each side and a set of pieces.
    pub fn pack(self, setup: &Setup) -> Result<[u8; 32], PackError> {
        let mut writer = Writer::default();
        writer.put(Code::new(setup.turn as u16, 1))?;
        for color in Color::ALL {
            let king = Some(Piece::new(color, PieceType::King));
            let mut kings = Square::ALL.into_iter().filter(|&square| setup.board[square] == king);
            let square = kings.next().map_or(NO_SQUARE, |square| square as u16);
            if kings.next().is_some() {
                return Err(PackError::SeveralKings(color));
            }
            writer.put(Code::new(square, 7))?;
        }
        for square in Square::ALL {
            match setup.board[square] {
                None => writer.put(EMPTY)?,
                Some(Piece { kind: PieceType::King, .. }) => {}
                Some(piece) => writer.put(self.board(piece))?,
            }
        }
        for color in Color::ALL {
            for piece in HandPiece::PACKED_ORDER {
                for _ in 0..setup.hands[color].count(piece) {
                    writer.put(self.hand(color, piece))?;
                }
            }
        }
        for piece in HandPiece::PACKED_ORDER {
            let missing = u32::from(piece.set_count()).saturating_sub(setup.count(piece.piece_type()));
            for _ in 0..missing {
                writer.put(self.missing(piece).ok_or(PackError::TooFew)?)?;
            }
        }
        Ok(writer.bytes)
    }

    /// The diagram; its ply is 1.
    ///
    /// # Errors
    /// [`UnpackError`] with the first fault.
    pub fn unpack(self, bytes: &[u8; 32]) -> Result<Setup, UnpackError> {
        let tables = self.tables();
        let mut reader = Reader { bytes, at: 0 };
        let mut setup = Setup::empty();
        setup.turn = if reader.number(1) == 0 { Color::Black } else { Color::White };
        for color in Color::ALL {
            if let Some(square) = reader.king()? {
                if setup.board[square].is_some() {
                    return Err(UnpackError::SameSquare(square));
                }
                setup.board[square] = Some(Piece::new(color, PieceType::King));
            }
        }
        for square in Square::ALL {
            if setup.board[square].is_none() {
                setup.board[square] = reader.code(&tables.board)?;
            }
        }
        // The rest of the set follows and ends with the last bit. In files that leave out
        // missing pieces, zeros must not be taken for more pawns than there can be.
        let on_board = setup.board.iter().flatten().filter(|piece| piece.kind != PieceType::King).count();
        let mut left = 38_usize.saturating_sub(on_board);
        while left > 0 && reader.at < BITS {
            left -= 1;
            if let Some((color, piece)) = reader.code(&tables.hand)? {
                let hand = &mut setup.hands[color];
                *hand = hand.with_count(piece, hand.count(piece).saturating_add(1)).ok_or(UnpackError::HandFull)?;
            }
        }
        Ok(setup)
    }
}

/// A move in Apery's 16 bits: destination, origin (81 and more: a drop), promotion.
///
/// ```
/// use enbu_movegen::{apery_move, from_apery_move};
/// let mv = "8h2b+".parse()?;
/// assert_eq!(from_apery_move(apery_move(mv)), Some(mv));
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn apery_move(mv: Move) -> u16 {
    let to = mv.to() as u16;
    match mv.parts() {
        MoveParts::Board { from, promote, .. } => to | (from as u16) << 7 | u16::from(promote) << 14,
        MoveParts::Drop { piece, .. } => to | (81 + piece as u16) << 7,
    }
}

/// The inverse of [`apery_move`]; `None` for other bits.
pub fn from_apery_move(raw: u16) -> Option<Move> {
    let to = Square::from_index(usize::from(raw & 0x7f))?;
    let promotes = raw >> 14 & 1 == 1;
    let origin = usize::from(raw >> 7 & 0x7f);
    if raw >> 15 != 0 {
        return None;
    }
    match Square::from_index(origin) {
        Some(from) if from == to => None,
        Some(from) if promotes => Some(Move::promotion(from, to)),
        Some(from) => Some(Move::board(from, to)),
        None if promotes => None,
        None => HandPiece::ALL.get(origin - Square::COUNT).map(|&piece| Move::drop(piece, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [&str; 5] = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1",
        "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1",
        "4k4/2+n+l+s+p3/9/9/4+R4/9/2+N+L+S+P3/4+b4/4K4 b RB2G2S2N2L16P2g 1",
    ];

    fn setup(sfen: &str) -> Setup {
        sfen.parse().expect("an SFEN")
    }

    #[test]
    fn packed_positions_are_unpacked_in_both_dialects() {
        for sample in SAMPLES {
            let setup = setup(sample);
            assert_eq!(
                Packing::Sfen.pack(&setup).map(|packed| Packing::Sfen.unpack(&packed)),
                Ok(Ok(setup.clone())),
                "{sample}"
            );
            let hcp = Packing::Hcp.pack(&setup);
            let full = HandPiece::ALL.iter().all(|&piece| setup.count(piece.piece_type()) == piece.set_count().into());
            match hcp {
                Ok(hcp) => assert_eq!(Packing::Hcp.unpack(&hcp), Ok(setup), "{sample}"),
                Err(error) => assert!(error == PackError::TooFew && !full, "{sample}"),
            }
        }
    }

    #[test]
    fn a_full_set_takes_every_bit() {
        for sample in SAMPLES {
            let setup = setup(sample);
            let mut writer = Writer::default();
            let hands = Color::ALL.iter().flat_map(|&color| setup.hands[color].iter().map(move |held| (color, held)));
            for (color, (piece, count)) in hands {
                (0..count).for_each(|_| writer.put(Packing::Sfen.hand(color, piece)).expect("room"));
            }
            for piece in setup.board.iter().flatten().filter(|piece| piece.kind != PieceType::King) {
                writer.put(Packing::Sfen.board(*piece)).expect("room");
            }
            let men = setup.board.iter().flatten().count();
            let missing: usize = HandPiece::ALL
                .iter()
                .map(|&piece| {
                    let missing = u32::from(piece.set_count()) - setup.count(piece.piece_type());
                    missing as usize * Packing::Sfen.missing(piece).map_or(0, |code| code.length as usize)
                })
                .sum();
            assert_eq!(1 + 14 + (81 - men) + writer.at + missing, BITS, "{sample}");
        }
    }

    /// The start position with White to move, packed by cshogi.
    #[test]
    fn the_start_position_has_the_known_bytes() {
        let mut start = Setup::startpos();
        start.turn = Color::White;
        let sfen = [
            89, 164, 81, 34, 12, 235, 103, 34, 126, 150, 83, 34, 28, 175, 68, 120, 36, 194, 43, 17, 158, 83, 34, 28,
            235, 111, 34, 62, 150, 81, 34, 12,
        ];
        assert_eq!(Packing::Sfen.pack(&start), Ok(sfen));
        let hcp = [
            89, 164, 73, 33, 12, 215, 87, 33, 126, 142, 77, 33, 44, 175, 66, 120, 20, 194, 171, 16, 158, 77, 33, 44,
            215, 95, 33, 62, 142, 73, 33, 12,
        ];
        assert_eq!(Packing::Hcp.pack(&start), Ok(hcp));
    }

    #[test]
    fn handicaps_survive() {
        for sfen in [
            "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        ] {
            let setup = setup(sfen);
            assert_eq!(
                Packing::Sfen.pack(&setup).map(|packed| Packing::Sfen.unpack(&packed)),
                Ok(Ok(setup.clone())),
                "{sfen}"
            );
        }
        let lance = setup("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        assert_eq!(Packing::Hcp.pack(&lance), Err(PackError::TooFew));
    }

    #[test]
    fn positions_that_do_not_fit_are_refused() {
        let many = setup("4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L20P 1");
        assert_eq!(Packing::Sfen.pack(&many), Err(PackError::TooLong));
        let problem = setup("7nl/7k1/6p2/9/6N2/9/9/9/9 b GS2r2b3g3s2n3l17p 1");
        assert_eq!(Packing::Sfen.pack(&problem), Err(PackError::TooLong));
        let kings = setup("4k4/9/9/9/9/9/9/9/3KK4 w 2R2B4G4S4N4L18P 1");
        assert_eq!(Packing::Sfen.pack(&kings), Err(PackError::SeveralKings(Color::Black)));
    }

    #[test]
    fn no_bits_cause_a_panic() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut errors = 0;
        for _ in 0..20_000 {
            let mut bytes = [0; 32];
            for byte in &mut bytes {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *byte = (state >> 32) as u8;
            }
            errors += usize::from(Packing::Sfen.unpack(&bytes).is_err());
            errors += usize::from(Packing::Hcp.unpack(&bytes).is_err());
        }
        assert!(errors > 10_000);
    }

    #[test]
    fn every_move_survives_the_coding_of_apery() {
        let mut moves = 0;
        for raw in 0..=u16::MAX {
            if let Some(mv) = Move::from_raw(raw) {
                assert_eq!(from_apery_move(apery_move(mv)), Some(mv));
                moves += 1;
            }
        }
        assert_eq!((0..=u16::MAX).filter_map(from_apery_move).count(), moves);
    }
}

//! Piece types, pieces with a side, and pieces in hand.

use enbu_language::pick;

use crate::color::Color;

/// Kind of a piece on the board, promotion included.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is its own name")]
pub enum PieceType {
    Pawn,
    Lance,
    Knight,
    Silver,
    Bishop,
    Rook,
    Gold,
    King,
    /// Promoted pawn (tokin).
    ProPawn,
    ProLance,
    ProKnight,
    ProSilver,
    /// Promoted bishop.
    Horse,
    /// Promoted rook.
    Dragon,
}

impl PieceType {
    /// Number of piece types.
    pub const COUNT: usize = 14;

    /// Every type in discriminant order.
    #[rustfmt::skip]
    pub const ALL: [Self; 14] = [
        Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Bishop, Self::Rook, Self::Gold, Self::King,
        Self::ProPawn, Self::ProLance, Self::ProKnight, Self::ProSilver, Self::Horse, Self::Dragon,
    ];

    /// The type after promotion, or `None` for gold, king and promoted types.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        PROMOTED[self as usize]
    }

    /// The type without promotion; unpromoted types are returned unchanged.
    #[inline]
    pub const fn unpromoted(self) -> Self {
        UNPROMOTED[self as usize]
    }

    /// Returns true for a promoted type.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > Self::King as u8
    }

    /// The piece in hand after a capture, or `None` for a king.
    #[inline]
    pub const fn hand_piece(self) -> Option<HandPiece> {
        HELD[self as usize]
    }

    /// The SFEN letter of the unpromoted type, upper case.
    pub const fn letter(self) -> char {
        LETTERS[self.unpromoted() as usize] as char
    }

    /// The unpromoted type with the given upper-case SFEN letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let mut index = 0;
        while index < LETTERS.len() {
            if LETTERS[index] as char == letter {
                return Some(Self::ALL[index]);
            }
            index += 1;
        }
        None
    }
}

/// SFEN letters in discriminant order.
const LETTERS: [u8; 8] = *b"PLNSBRGK";

// Tables instead of `match`, which compiles to an indirect jump on the piece type: the
// branch target is mispredicted often.

const PROMOTED: [Option<PieceType>; PieceType::COUNT] = {
    let mut table = [None; PieceType::COUNT];
    table[PieceType::Pawn as usize] = Some(PieceType::ProPawn);
    table[PieceType::Lance as usize] = Some(PieceType::ProLance);
    table[PieceType::Knight as usize] = Some(PieceType::ProKnight);
    table[PieceType::Silver as usize] = Some(PieceType::ProSilver);
    table[PieceType::Bishop as usize] = Some(PieceType::Horse);
    table[PieceType::Rook as usize] = Some(PieceType::Dragon);
    table
};

const UNPROMOTED: [PieceType; PieceType::COUNT] = {
    let mut table = PieceType::ALL;
    let mut index = 0;
    while index < PieceType::COUNT {
        if let Some(promoted) = PROMOTED[index] {
            table[promoted as usize] = PieceType::ALL[index];
        }
        index += 1;
    }
    table
};

const HELD: [Option<HandPiece>; PieceType::COUNT] = {
    let mut table = [None; PieceType::COUNT];
    let mut index = 0;
    while index < HandPiece::COUNT {
        let kind = HandPiece::ALL[index].piece_type();
        table[kind as usize] = Some(HandPiece::ALL[index]);
        if let Some(promoted) = kind.promoted() {
            table[promoted as usize] = Some(HandPiece::ALL[index]);
        }
        index += 1;
    }
    table
};

/// A piece on the board: its side and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Its side.
    pub color: Color,
    /// Its type.
    pub kind: PieceType,
}

impl Piece {
    /// The piece of `color` and `kind`.
    #[inline]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        Self { color, kind }
    }
}

/// Kind of a piece in hand.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is its own name")]
pub enum HandPiece {
    Pawn,
    Lance,
    Knight,
    Silver,
    Bishop,
    Rook,
    Gold,
}

impl HandPiece {
    /// Its name in the language of the process: the letter of SFEN or the kanji.
    pub fn name(self) -> char {
        pick(self.piece_type().letter(), ['歩', '香', '桂', '銀', '角', '飛', '金'][self as usize])
    }

    /// Number of kinds.
    pub const COUNT: usize = 7;

    /// Every kind in discriminant order.
    #[rustfmt::skip]
    pub const ALL: [Self; 7] = [
        Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Bishop, Self::Rook, Self::Gold,
    ];

    /// Every kind in the order of YaneuraOu's packed positions, of Apery's keys and of the
    /// numbers in `.sbk` files: P, L, N, S, G, B, R.
    #[rustfmt::skip]
    pub const PACKED_ORDER: [Self; 7] = [
        Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Gold, Self::Bishop, Self::Rook,
    ];

    /// Every kind in the order that SFEN writes hands: R, B, G, S, N, L, P.
    #[rustfmt::skip]
    pub const SFEN_ORDER: [Self; 7] = [
        Self::Rook, Self::Bishop, Self::Gold, Self::Silver, Self::Knight, Self::Lance, Self::Pawn,
    ];

    /// The type on the board after a drop.
    #[inline]
    pub const fn piece_type(self) -> PieceType {
        match self {
            Self::Pawn => PieceType::Pawn,
            Self::Lance => PieceType::Lance,
            Self::Knight => PieceType::Knight,
            Self::Silver => PieceType::Silver,
            Self::Bishop => PieceType::Bishop,
            Self::Rook => PieceType::Rook,
            Self::Gold => PieceType::Gold,
        }
    }

    /// Number of pieces of this kind in a shogi set, both sides together.
    pub const fn set_count(self) -> u8 {
        match self {
            Self::Pawn => 18,
            Self::Bishop | Self::Rook => 2,
            _ => 4,
        }
    }
}

index_by!(PieceType, 14);

index_by!(HandPiece, 7);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_and_letters_are_inverse() {
        for kind in PieceType::ALL {
            if let Some(promoted) = kind.promoted() {
                assert!(promoted.is_promoted() && !kind.is_promoted());
                assert_eq!(promoted.unpromoted(), kind);
                assert_eq!(promoted.hand_piece(), kind.hand_piece());
            }
            assert_eq!(PieceType::from_letter(kind.letter()), Some(kind.unpromoted()));
        }
        for piece in HandPiece::ALL {
            assert_eq!(piece.piece_type().hand_piece(), Some(piece));
            assert_eq!(piece as u8, piece.piece_type() as u8);
        }
        assert_eq!(PieceType::King.hand_piece(), None);
    }

    #[test]
    fn an_optional_piece_takes_two_bytes() {
        assert_eq!(size_of::<Option<Piece>>(), 2);
    }
}

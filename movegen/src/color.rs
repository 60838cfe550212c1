//! The sides, Black and White.

use std::ops::Not;

use enbu_language::pick;

/// A side: Black (sente) plays towards rank 1, White (gote) towards rank 9.
///
/// In handicap games White gives the odds and moves first.
#[repr(u8)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Sente; drawn at the bottom, upper case in SFEN, `+` in CSA.
    #[default]
    Black,
    /// Gote; drawn at the top, lower case in SFEN, `-` in CSA.
    White,
}

impl Color {
    /// Both sides, Black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// The value for this side, of those for Black and White.
    #[inline]
    pub const fn select<T: Copy>(self, [black, white]: [T; 2]) -> T {
        match self {
            Self::Black => black,
            Self::White => white,
        }
    }

    /// Its name in the language of the process.
    pub fn name(self) -> &'static str {
        pick(["Black", "White"], ["先手", "後手"])[self]
    }
}

impl Not for Color {
    type Output = Self;

    /// The other side.
    #[inline]
    fn not(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

index_by!(Color, 2);

//! The 81 squares.

#![expect(unsafe_code, reason = "one unchecked constructor, with its proof")]

use std::fmt;

use enbu_language::pick;

use crate::color::Color;

/// A square, named by file (1 to 9 from Black's right) and rank (1 to 9 from
/// White's side): `S76` is 7f in USI.
///
/// The discriminant is `9 * (file - 1) + (rank - 1)`, so that a file is nine adjacent
/// bits of a [`Bitboard`](crate::Bitboard). An enum of 81 variants
/// indexes `[T; 81]` without a bounds check.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "each variant is its own name")]
pub enum Square {
    S11, S12, S13, S14, S15, S16, S17, S18, S19,
    S21, S22, S23, S24, S25, S26, S27, S28, S29,
    S31, S32, S33, S34, S35, S36, S37, S38, S39,
    S41, S42, S43, S44, S45, S46, S47, S48, S49,
    S51, S52, S53, S54, S55, S56, S57, S58, S59,
    S61, S62, S63, S64, S65, S66, S67, S68, S69,
    S71, S72, S73, S74, S75, S76, S77, S78, S79,
    S81, S82, S83, S84, S85, S86, S87, S88, S89,
    S91, S92, S93, S94, S95, S96, S97, S98, S99,
}

impl Square {
    /// Number of squares on the board.
    pub const COUNT: usize = 81;

    /// Every square in index order (file 1 from rank 1 to 9, then file 2, ...).
    #[rustfmt::skip]
    pub const ALL: [Self; 81] = [
        Self::S11, Self::S12, Self::S13, Self::S14, Self::S15, Self::S16, Self::S17, Self::S18, Self::S19,
        Self::S21, Self::S22, Self::S23, Self::S24, Self::S25, Self::S26, Self::S27, Self::S28, Self::S29,
        Self::S31, Self::S32, Self::S33, Self::S34, Self::S35, Self::S36, Self::S37, Self::S38, Self::S39,
        Self::S41, Self::S42, Self::S43, Self::S44, Self::S45, Self::S46, Self::S47, Self::S48, Self::S49,
        Self::S51, Self::S52, Self::S53, Self::S54, Self::S55, Self::S56, Self::S57, Self::S58, Self::S59,
        Self::S61, Self::S62, Self::S63, Self::S64, Self::S65, Self::S66, Self::S67, Self::S68, Self::S69,
        Self::S71, Self::S72, Self::S73, Self::S74, Self::S75, Self::S76, Self::S77, Self::S78, Self::S79,
        Self::S81, Self::S82, Self::S83, Self::S84, Self::S85, Self::S86, Self::S87, Self::S88, Self::S89,
        Self::S91, Self::S92, Self::S93, Self::S94, Self::S95, Self::S96, Self::S97, Self::S98, Self::S99,
    ];

    /// The square with the given index, or `None` above 80.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
    }

    /// The square with the given index.
    ///
    /// # Safety
    /// `index` must be below 81.
    #[inline]
    pub(crate) const unsafe fn from_index_unchecked(index: u8) -> Self {
        debug_assert!(index < 81);
        // SAFETY: `Square` is `repr(u8)` with exactly the discriminants 0 to 80,
        // and the caller promises that `index` is one of them.
        unsafe { std::mem::transmute(index) }
    }

    /// The square on `file` and `rank`, each from 1 to 9, or `None` outside.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file >= 1 && file <= 9 && rank >= 1 && rank <= 9 {
            Some(Self::ALL[9 * (file as usize - 1) + (rank as usize - 1)])
        } else {
            None
        }
    }

    /// `9 * (file - 1) + (rank - 1)`, from 0 to 80.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// File, from 1 (Black's right) to 9.
    #[inline]
    pub const fn file(self) -> u8 {
        self as u8 / 9 + 1
    }

    /// Rank, from 1 (White's back rank) to 9 (Black's back rank).
    #[inline]
    pub const fn rank(self) -> u8 {
        self as u8 % 9 + 1
    }

    /// Rank from the view of `color`: 1 is the rank farthest from its side.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::Black => self.rank(),
            Color::White => 10 - self.rank(),
        }
    }

    /// The square after a rotation of the board by 180 degrees.
    #[inline]
    pub const fn rotated(self) -> Self {
        Self::ALL[80 - self as usize]
    }

    /// The mirror image: same rank, files counted from the other side.
    #[inline]
    pub const fn mirrored(self) -> Self {
        Self::ALL[(8 - self as usize / 9) * 9 + self as usize % 9]
    }

    /// The square from the view of `color`: itself for Black, [`rotated`](Self::rotated) for White.
    #[inline]
    pub const fn relative(self, color: Color) -> Self {
        match color {
            Color::Black => self,
            Color::White => self.rotated(),
        }
    }

    /// The square `files` to the left and `ranks` towards rank 9, or `None` off the board.
    #[inline]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if file < 1 || rank < 1 {
            return None;
        }
        Self::new(file as u8, rank as u8)
    }

    /// Its name in the language of the process: `7f` or `７六`.
    pub fn name(self) -> String {
        let of = |digits: &str, number: u8| digits.chars().nth(usize::from(number) - 1).unwrap_or_default();
        let kanji = [of("１２３４５６７８９", self.file()), of("一二三四五六七八九", self.rank())];
        pick(self.to_string(), kanji.iter().collect())
    }

    /// File digit and rank letter in USI notation.
    pub(crate) const fn usi(self) -> [u8; 2] {
        [b'0' + self.file(), b'a' - 1 + self.rank()]
    }

    /// Parses a USI square such as `7f`: file digit, then rank letter `a` to `i`.
    pub const fn from_usi(text: [u8; 2]) -> Option<Self> {
        Self::new(text[0].wrapping_sub(b'0'), text[1].wrapping_sub(b'a').wrapping_add(1))
    }
}

impl fmt::Display for Square {
    /// USI notation, for example `7f`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.usi()).unwrap_or_default())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

index_by!(Square, 81);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_file_and_rank_agree() {
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(Square::from_index(index), Some(square));
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
            assert_eq!(square.rotated().rotated(), square);
            assert_eq!(square.mirrored().mirrored(), square);
            assert_eq!(square.mirrored().file(), 10 - square.file());
            let text = square.to_string().into_bytes();
            assert_eq!(Square::from_usi([text[0], text[1]]), Some(square));
        }
        assert_eq!(Square::from_index(81), None);
        assert_eq!(Square::new(0, 5), None);
        assert_eq!(Square::new(5, 10), None);
        assert_eq!(Square::from_usi(*b"7j"), None);
        assert_eq!(Square::from_usi(*b"0a"), None);
    }
}

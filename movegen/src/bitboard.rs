//! Sets of squares.

#![expect(unsafe_code, reason = "converts bit numbers below 81 to squares; each use has its proof")]

use std::fmt;
use std::ops::Not;

use crate::color::Color;
use crate::square::Square;

/// A set of squares.
///
/// Files 1 to 7 are bits 0 to 62 of the low word, files 8 and 9 are bits 0 to 17
/// of the high word: no file straddles the words, so operations along a file need one
/// `u64` only. Invariant: bit 63 of the low word and bits 18 and up of the high word
/// are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C, align(16))]
pub struct Bitboard {
    lo: u64,
    hi: u64,
}

const LO: u64 = (1 << 63) - 1;
const HI: u64 = (1 << 18) - 1;
/// Bits of rank 1 in the low and high word.
const RANK1_LO: u64 = 1 | 1 << 9 | 1 << 18 | 1 << 27 | 1 << 36 | 1 << 45 | 1 << 54;
const RANK1_HI: u64 = 1 | 1 << 9;

const SQUARES: [Bitboard; 81] = sets(1, 1);
const FILES: [Bitboard; 81] = sets(0x1ff, 9);

/// For each square `bits` from the first square of its group of `size` on, which divides a file.
const fn sets(bits: u128, size: usize) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0;
    while index < 81 {
        // The high word begins with square 63.
        table[index] = Bitboard::from_wide(bits << (index / size * size + index / 63));
        index += 1;
    }
    table
}

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self { lo: 0, hi: 0 };
    /// All 81 squares.
    pub const ALL: Self = Self { lo: LO, hi: HI };

    /// The set of one square.
    #[inline(always)]
    pub const fn of(square: Square) -> Self {
        SQUARES[square as usize]
    }

    /// The nine squares of `square`'s file.
    #[inline(always)]
    pub const fn file_of(square: Square) -> Self {
        FILES[square as usize]
    }

    /// The nine squares of a rank, 1 to 9; other numbers give the empty set.
    #[inline(always)]
    pub const fn rank(rank: u8) -> Self {
        if rank < 1 || rank > 9 {
            return Self::EMPTY;
        }
        Self { lo: RANK1_LO << (rank - 1), hi: RANK1_HI << (rank - 1) }
    }

    /// The `count` ranks farthest from `color`'s side, 0 to 9.
    #[inline(always)]
    pub const fn farthest_ranks(color: Color, count: u8) -> Self {
        let mut set = Self::EMPTY;
        let mut n = 1;
        while n <= count && n <= 9 {
            set = set.or(Self::rank(match color {
                Color::Black => n,
                Color::White => 10 - n,
            }));
            n += 1;
        }
        set
    }

    /// The promotion zone of `color`: the three ranks farthest from its side.
    #[inline(always)]
    pub const fn zone(color: Color) -> Self {
        const ZONES: [Bitboard; 2] =
            [Bitboard::farthest_ranks(Color::Black, 3), Bitboard::farthest_ranks(Color::White, 3)];
        ZONES[color as usize]
    }

    /// Returns true if the set has no square.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.lo | self.hi == 0
    }

    /// Returns true if `square` is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.intersects(Self::of(square))
    }

    /// Returns true if the sets share a square.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        (self.lo & other.lo) | (self.hi & other.hi) != 0
    }

    /// Number of squares, 0 to 81.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.lo.count_ones() + self.hi.count_ones()
    }

    /// Returns true if the set has two or more squares. Cheaper than [`count`](Self::count).
    #[inline(always)]
    pub const fn has_several(self) -> bool {
        if self.lo == 0 { self.hi & self.hi.wrapping_sub(1) != 0 } else { (self.lo & (self.lo - 1)) | self.hi != 0 }
    }

    /// The square with the lowest index, or `None` if the set is empty.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        let index = if self.lo != 0 {
            self.lo.trailing_zeros()
        } else if self.hi != 0 {
            63 + self.hi.trailing_zeros()
        } else {
            return None;
        };
        // SAFETY: bit 63 of `lo` and bits 18 and up of `hi` are zero in every
        // `Bitboard`, so the index is at most 62 or at most 63 + 17 = 80.
        Some(unsafe { Square::from_index_unchecked(index as u8) })
    }

    /// The union, as a `const fn`.
    #[inline(always)]
    pub const fn or(self, other: Self) -> Self {
        Self { lo: self.lo | other.lo, hi: self.hi | other.hi }
    }

    /// The difference: the squares of this set that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self { lo: self.lo & !other.lo, hi: self.hi & !other.hi }
    }

    /// The set with every square moved one rank in `color`'s direction of play;
    /// squares on the last rank fall off.
    #[inline(always)]
    #[must_use]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => Self { lo: (self.lo & !RANK1_LO) >> 1, hi: (self.hi & !RANK1_HI) >> 1 },
            Color::White => Self { lo: (self.lo & !(RANK1_LO << 8)) << 1, hi: (self.hi & !(RANK1_HI << 8)) << 1 },
        }
    }

    /// The squares beside those of the set, one file to either side.
    #[inline(always)]
    #[must_use]
    pub const fn sideways(self) -> Self {
        let up = Self { lo: self.lo << 9 & LO, hi: (self.hi << 9 | self.lo >> 54) & HI };
        let down = Self { lo: self.lo >> 9 | (self.hi & 0x1ff) << 54, hi: self.hi >> 9 };
        up.or(down)
    }

    /// All squares of the files on which this set has no square.
    ///
    /// One subtraction per word tests all its files at once (borrow trick; idea: Qugiy,
    /// WCSC31). From the top bit of each file (rank 9) the lower eight bits of the set
    /// are subtracted: the top bit survives if and only if they are all zero, and no
    /// borrow leaves the file. A second subtraction spreads the surviving top bits over
    /// their files.
    #[inline(always)]
    #[must_use]
    pub const fn free_files(self) -> Self {
        const fn free(word: u64, rank1: u64) -> u64 {
            let top = rank1 << 8;
            // `!word`: a square on rank 9 itself also occupies its file.
            let kept = (top.wrapping_sub(word & !top)) & !word & top;
            // `top - bottom` sets the eight bits below the top bit.
            kept | kept.wrapping_sub(kept >> 8)
        }
        Self { lo: free(self.lo, RANK1_LO), hi: free(self.hi, RANK1_HI) }
    }

    /// Both words as one number; square 63 is bit 64.
    #[inline(always)]
    pub(crate) const fn to_wide(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }

    /// The inverse of [`to_wide`](Self::to_wide); bits without a square are cleared.
    #[inline(always)]
    pub(crate) const fn from_wide(wide: u128) -> Self {
        Self { lo: wide as u64 & LO, hi: (wide >> 64) as u64 & HI }
    }

    /// Low word (files 1 to 7) and high word (files 8 and 9).
    #[inline(always)]
    pub const fn words(self) -> (u64, u64) {
        (self.lo, self.hi)
    }

    /// The word that contains `square`'s file.
    #[inline(always)]
    pub(crate) const fn word_of(self, square: Square) -> u64 {
        if (square as u8) < 63 { self.lo } else { self.hi }
    }

    /// The set with `word` as the word of `square`'s file and the other word zero.
    #[inline(always)]
    pub(crate) const fn from_word_of(square: Square, word: u64) -> Self {
        if (square as u8) < 63 { Self { lo: word & LO, hi: 0 } } else { Self { lo: 0, hi: word & HI } }
    }
}

/// Implements an operator, which works word by word, and its assignment.
macro_rules! by_words {
    ($operator:ident, $function:ident, $assignment:ident, $assign:ident, $sign:tt) => {
        impl std::ops::$operator for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self { lo: self.lo $sign other.lo, hi: self.hi $sign other.hi }
            }
        }

        impl std::ops::$assignment for Bitboard {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = *self $sign other;
            }
        }
    };
}

by_words!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
by_words!(BitOr, bitor, BitOrAssign, bitor_assign, |);
by_words!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { lo: self.lo ^ LO, hi: self.hi ^ HI }
    }
}

/// Iterator over the squares of a set in index order.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        if self.0.lo != 0 {
            self.0.lo &= self.0.lo - 1;
        } else {
            self.0.hi &= self.0.hi - 1;
        }
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

impl fmt::Debug for Bitboard {
    /// Nine rows as Black sees the board, `*` for a square in the set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            for file in (1..=9).rev() {
                let inside = Square::new(file, rank).is_some_and(|square| self.contains(square));
                f.write_str(if inside { " *" } else { " ." })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations_agree_with_lists_of_squares() {
        let odd: Bitboard = Square::ALL.into_iter().filter(|square| square.index() % 2 == 1).collect();
        let third: Bitboard = Square::ALL.into_iter().filter(|square| square.index() % 3 == 0).collect();
        for square in Square::ALL {
            let (a, b) = (square.index() % 2 == 1, square.index() % 3 == 0);
            assert_eq!((odd & third).contains(square), a && b);
            assert_eq!((odd | third).contains(square), a || b);
            assert_eq!((odd ^ third).contains(square), a != b);
            assert_eq!(odd.without(third).contains(square), a && !b);
            assert_eq!((!odd).contains(square), !a);
        }
        assert_eq!(odd.into_iter().count(), 40);
        assert_eq!(odd.count(), 40);
        assert_eq!((!Bitboard::EMPTY), Bitboard::ALL);
        assert_eq!(Bitboard::from_wide(odd.to_wide()), odd);
        assert_eq!(odd.into_iter().collect::<Bitboard>(), odd);
    }

    #[test]
    fn forward_drops_the_last_rank() {
        for square in Square::ALL {
            for (color, step) in [(Color::Black, -1), (Color::White, 1)] {
                let expected = square.offset(0, step).map_or(Bitboard::EMPTY, Bitboard::of);
                assert_eq!(Bitboard::of(square).forward(color), expected);
            }
        }
    }

    #[test]
    fn free_files_are_those_without_a_square() {
        for a in Square::ALL {
            for b in Square::ALL {
                let set = Bitboard::of(a) | Bitboard::of(b);
                let plain: Bitboard =
                    Square::ALL.into_iter().filter(|s| s.file() != a.file() && s.file() != b.file()).collect();
                assert_eq!(set.free_files(), plain, "{a} {b}");
            }
        }
        assert_eq!(Bitboard::EMPTY.free_files(), Bitboard::ALL);
    }

    #[test]
    fn several_means_two_or_more() {
        for a in Square::ALL {
            assert!(!Bitboard::of(a).has_several());
            for b in Square::ALL {
                assert_eq!((Bitboard::of(a) | Bitboard::of(b)).has_several(), a != b);
            }
        }
        assert!(!Bitboard::EMPTY.has_several());
    }
}

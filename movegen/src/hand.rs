//! Pieces in hand, packed into one word.

use std::fmt;

use crate::piece::HandPiece;

/// Counts of the pieces in hand of one side.
///
/// One field per kind with a guard bit above it, so that "at least the count of every
/// kind" is one subtraction and a mask ([`dominates`](Self::dominates)): a borrow out
/// of a field sets its guard bit.
///
/// | kind | pawn | lance | knight | silver | bishop | rook | gold |
/// |---|---|---|---|---|---|---|---|
/// | first bit | 0 | 6 | 11 | 16 | 20 | 24 | 28 |
/// | maximum | 31 | 15 | 15 | 7 | 7 | 7 | 7 |
///
/// The fields are wider than a shogi set needs, for composed diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u32);

const SHIFT: [u32; 7] = [0, 6, 11, 16, 20, 24, 28];
const MAX: [u8; 7] = [31, 15, 15, 7, 7, 7, 7];
const GUARDS: u32 = 1 << 5 | 1 << 10 | 1 << 15 | 1 << 19 | 1 << 23 | 1 << 27 | 1 << 31;

impl Hand {
    /// The empty hand.
    pub const EMPTY: Self = Self(0);

    /// The maximal count of `piece`.
    #[inline]
    pub const fn max(piece: HandPiece) -> u8 {
        MAX[piece as usize]
    }

    /// The count of `piece`.
    #[inline]
    pub const fn count(self, piece: HandPiece) -> u8 {
        (self.0 >> SHIFT[piece as usize]) as u8 & MAX[piece as usize]
    }

    /// Returns true if `piece` is in hand.
    #[inline]
    pub const fn has(self, piece: HandPiece) -> bool {
        self.0 & (MAX[piece as usize] as u32) << SHIFT[piece as usize] != 0
    }

    /// Returns true if no piece is in hand.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The hand with one more of `piece`; unchanged if the field is full.
    #[inline]
    #[must_use]
    pub const fn with(self, piece: HandPiece) -> Self {
        let sum = self.0 + (1 << SHIFT[piece as usize]);
        if sum & GUARDS == 0 { Self(sum) } else { self }
    }

    /// The hand with one less of `piece`; unchanged if there is none.
    #[inline]
    #[must_use]
    pub const fn without(self, piece: HandPiece) -> Self {
        if self.has(piece) { Self(self.0 - (1 << SHIFT[piece as usize])) } else { self }
    }

    /// The hand with `count` of `piece`, or `None` above [`max`](Self::max).
    #[must_use]
    pub const fn with_count(self, piece: HandPiece, count: u8) -> Option<Self> {
        if count > MAX[piece as usize] {
            return None;
        }
        let field = (MAX[piece as usize] as u32) << SHIFT[piece as usize];
        Some(Self(self.0 & !field | (count as u32) << SHIFT[piece as usize]))
    }

    /// Returns true if the count of every kind is at least that of `other`.
    #[inline]
    pub const fn dominates(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) & GUARDS == 0
    }

    /// The packed word, laid out as in the table of [`Hand`].
    #[inline]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// The hand with these bits, the inverse of [`raw`](Self::raw); guard bits are dropped.
    #[inline]
    pub const fn from_raw(raw: u32) -> Self {
        Self(raw & !GUARDS)
    }

    /// The kinds in hand with their counts, in discriminant order.
    pub fn iter(self) -> impl Iterator<Item = (HandPiece, u8)> {
        HandPiece::ALL.into_iter().map(move |piece| (piece, self.count(piece))).filter(|&(_, count)| count > 0)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_independent_and_saturate() {
        for piece in HandPiece::ALL {
            let mut hand = Hand::EMPTY;
            for count in 0..=Hand::max(piece) {
                assert_eq!(hand.count(piece), count);
                assert_eq!(hand.has(piece), count > 0);
                assert_eq!(Hand::EMPTY.with_count(piece, count), Some(hand));
                for other in HandPiece::ALL {
                    assert!(other == piece || hand.count(other) == 0);
                }
                let more = hand.with(piece);
                assert_eq!(more.count(piece), (count + 1).min(Hand::max(piece)));
                if more != hand {
                    assert_eq!(more.without(piece), hand);
                }
                hand = more;
            }
            assert_eq!(Hand::EMPTY.without(piece), Hand::EMPTY);
            assert_eq!(Hand::EMPTY.with_count(piece, Hand::max(piece) + 1), None);
        }
    }

    #[test]
    fn dominance_is_at_least_as_many_of_every_kind() {
        let mut hands = vec![Hand::EMPTY];
        for piece in HandPiece::ALL {
            let bases = hands.clone();
            for count in [1, 2, Hand::max(piece)] {
                hands.extend(bases.iter().filter_map(|hand| hand.with_count(piece, count)));
            }
            hands.truncate(400);
        }
        for &a in &hands {
            for &b in &hands {
                let plain = HandPiece::ALL.into_iter().all(|piece| a.count(piece) >= b.count(piece));
                assert_eq!(a.dominates(b), plain, "{a:?} {b:?}");
            }
        }
    }
}

//! Moves with their scores.

use enbu_movegen::Move;

/// Score of a quiet check that loses little: more than any history.
pub(crate) const CHECK_BONUS: i32 = 1 << 18;

const CHECK: i64 = 1 << 16;

/// A move and its rank in one number: the best of many is the largest, found without branches. From
/// above: the score (32 bits), the position in the list (15 bits, inverted: of equal scores the first
/// generated wins), the mark of a quiet check, the move's bits (16).
#[derive(Clone, Copy)]
pub(crate) struct Scored(pub(crate) i64);

impl Scored {
    /// A move after `before` others in the list.
    #[inline(always)]
    pub(crate) fn new(mv: Move, score: i32, before: usize) -> Self {
        Self(i64::from(score) << 32 | i64::from(!(before as u16) & 0x7fff) << 17 | i64::from(mv.raw()))
    }

    #[inline(always)]
    pub(crate) fn mark_check(&mut self) {
        self.0 |= CHECK;
    }

    #[inline(always)]
    pub(crate) fn is_check(self) -> bool {
        self.0 & CHECK != 0
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, merit: i32) {
        self.0 += i64::from(merit) << 32;
    }

    /// The score without the bonus of a check: the history of a quiet move and its merit.
    #[inline(always)]
    pub(crate) fn history(self) -> i32 {
        let score = self.score();
        if score > CHECK_BONUS / 2 { score - CHECK_BONUS } else { score }
    }

    #[inline(always)]
    pub(crate) fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    #[inline(always)]
    pub(crate) fn is(self, mv: Move) -> bool {
        self.0 as u16 == mv.raw()
    }

    /// The move: never `None`.
    #[inline(always)]
    pub(crate) fn mv(self) -> Option<Move> {
        Move::from_raw(self.0 as u16)
    }
}

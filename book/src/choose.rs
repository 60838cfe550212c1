//! The choice of a move among those of a book, by the rules that users know from YaneuraOu.
//!
//! | rule | option of YaneuraOu | effect |
//! |---|---|---|
//! | [`Rules::is_narrow`] | `NarrowBook` | moves with less than a tenth of the games are left out |
//! | [`Rules::min_depth`] | `BookDepthLimit` | no book move if the best one was searched less deeply |
//! | [`Rules::eval_diff_cp`] | `BookEvalDiff` | moves that lose more against the best one are left out |
//! | [`Rules::eval_limits_cp`] | `BookEvalBlackLimit`, `BookEvalWhiteLimit` | moves with a lower value are left out |
//! | [`Rules::weight`] | `ConsiderBookMoveCount` | the rest has equal chances, or chances in proportion to the counts |
//!
//! The best move is the one with the highest value, and of equal ones the first. A value
//! that the book does not give counts as 0, as in YaneuraOu; an absent depth passes every
//! limit, because most books without depths were made by people.

use std::cmp::Reverse;
use std::fmt;

use enbu_movegen::{Color, Move};
use rand::{Rng, RngExt};

use crate::page::Entry;

/// Least share of the games that a move of a narrow book has: one in ten.
const NARROW_ONE_IN: u128 = 10;

/// Chances of the moves that the other rules leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Equal chances.
    Equal,
    /// Chances in proportion to the counts of the book.
    Counts,
}

/// Rules for the choice of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Largest loss against the best move, in centipawns.
    pub eval_diff_cp: i32,
    /// Lowest value of a move of Black and of White, in centipawns from the mover's view.
    pub eval_limits_cp: [i32; 2],
    /// Least depth of the best move; 0: no limit.
    pub min_depth: u32,
    /// Moves with less than a tenth of the games are left out.
    pub is_narrow: bool,
    /// Chances of the moves that are left.
    pub weight: Weight,
}

/// The reason why no move of a position may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Refusal {
    /// The best move was not searched deeply enough.
    Depth { mv: Move, depth: u32, limit: u32 },
    /// The best move has too low a value.
    Value { mv: Move, value_cp: i32, side: Color, limit_cp: i32 },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth { mv, depth, limit } => write!(f, "depth {depth} of {mv} is below BookDepthLimit {limit}"),
            Self::Value { mv, value_cp, side, limit_cp } => {
                let option = if *side == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
                write!(f, "value {value_cp} of {mv} is below {option} {limit_cp}")
            }
        }
    }
}

/// The value of an entry in centipawns; 0 where the book gives none.
fn value_cp(entry: &Entry) -> i32 {
    entry.value.unwrap_or(0)
}

/// The number of games of an entry; 1 where the book gives none.
fn count(entry: &Entry) -> u128 {
    u128::from(entry.count.unwrap_or(1))
}

/// The entries from the best one down: by value, equal ones in the order of the book.
pub fn best_first<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<&'e Entry> {
    let mut sorted: Vec<&Entry> = entries.into_iter().collect();
    sorted.sort_by_key(|entry| Reverse(value_cp(entry)));
    sorted
}

impl Rules {
    /// The moves that `side` may play of these legal ones, best first.
    ///
    /// ```
    /// use enbu_book::choose::{Rules, Weight};
    /// use enbu_book::Entry;
    /// use enbu_movegen::Color;
    /// let entry = |mv: &str, value| Entry { value: Some(value), ..Entry::new(mv.parse().expect("a move")) };
    /// let entries = [entry("7g7f", 40), entry("2g2f", 55), entry("9g9f", -20)];
    /// let rules =
    ///     Rules { eval_diff_cp: 30, eval_limits_cp: [0, -140], min_depth: 16, is_narrow: false, weight: Weight::Equal };
    /// let kept = rules.select(&entries, Color::Black).unwrap();
    /// assert_eq!(kept, [&entries[1], &entries[0]]);
    /// ```
    pub fn select<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry>,
        side: Color,
    ) -> Result<Vec<&'e Entry>, Refusal> {
        let mut kept = best_first(entries);
        if self.is_narrow {
            let games: u128 = kept.iter().map(|entry| count(entry)).sum();
            kept.retain(|entry| count(entry) * NARROW_ONE_IN >= games);
        }
        let Some(&best) = kept.first() else { return Ok(kept) };
        self.check(best, side)?;
        let limit = value_cp(best).saturating_sub(self.eval_diff_cp).max(side.select(self.eval_limits_cp));
        kept.retain(|entry| value_cp(entry) >= limit);
        Ok(kept)
    }

    /// Refuses even the best move where there is a reason to.
    fn check(&self, best: &Entry, side: Color) -> Result<(), Refusal> {
        let (limit, limit_cp) = (self.min_depth, side.select(self.eval_limits_cp));
        if let Some(depth) = best.depth.filter(|&depth| depth < limit) {
            return Err(Refusal::Depth { mv: best.mv, depth, limit });
        }
        let value_cp = value_cp(best);
        if value_cp < limit_cp { Err(Refusal::Value { mv: best.mv, value_cp, side, limit_cp }) } else { Ok(()) }
    }

    /// Index of the move to play; `None` if there is none.
    pub fn draw(&self, kept: &[&Entry], random: &mut impl Rng) -> Option<usize> {
        let games: u128 = kept.iter().map(|entry| count(entry)).sum();
        if kept.is_empty() {
            return None;
        }
        if self.weight == Weight::Equal || games == 0 {
            return Some(random.random_range(0..kept.len()));
        }
        let mut left = random.random_range(0..games);
        kept.iter().position(|entry| {
            let weight = count(entry);
            let is_drawn = left < weight;
            left = left.saturating_sub(weight);
            is_drawn
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    const RULES: Rules =
        Rules { eval_diff_cp: 30, eval_limits_cp: [0, -140], min_depth: 16, is_narrow: false, weight: Weight::Equal };

    fn entry(mv: &str, value: i32, depth: u32, count: u64) -> Entry {
        let mv = mv.parse().expect("a move");
        Entry { value: Some(value), depth: Some(depth), count: Some(count), ..Entry::new(mv) }
    }

    fn moves(selection: &Result<Vec<&Entry>, Refusal>) -> Vec<String> {
        selection.iter().flatten().map(|entry| entry.mv.to_string()).collect()
    }

    #[test]
    fn values_far_below_the_best_one_are_left_out() {
        let entries = [entry("7g7f", 20, 16, 1), entry("2g2f", 50, 16, 1), entry("1g1f", 19, 99, 9)];
        assert_eq!(moves(&RULES.select(&entries, Color::Black)), ["2g2f", "7g7f"]);
        let all = Rules { eval_diff_cp: 99_999, ..RULES };
        assert_eq!(moves(&all.select(&entries, Color::Black)), ["2g2f", "7g7f", "1g1f"]);
        let high = Rules { eval_limits_cp: [40, 40], ..all };
        assert_eq!(moves(&high.select(&entries, Color::Black)), ["2g2f"]);
    }

    #[test]
    fn each_side_has_its_limit() {
        let entries = [entry("7g7f", -20, 16, 1)];
        assert_eq!(moves(&RULES.select(&entries, Color::White)), ["7g7f"]);
        let refused = RULES.select(&entries, Color::Black);
        let text = refused.err().map(|refusal| refusal.to_string());
        assert_eq!(text.as_deref(), Some("value -20 of 7g7f is below BookEvalBlackLimit 0"));
    }

    #[test]
    fn the_depth_of_the_best_move_decides_and_an_absent_one_passes() {
        let entries = [entry("7g7f", 0, 40, 1), entry("2g2f", 50, 15, 1)];
        let refused = RULES.select(&entries, Color::Black);
        let text = refused.err().map(|refusal| refusal.to_string());
        assert_eq!(text.as_deref(), Some("depth 15 of 2g2f is below BookDepthLimit 16"));
        assert_eq!(moves(&Rules { min_depth: 0, ..RULES }.select(&entries, Color::Black)), ["2g2f"]);
        let unknown = [Entry::new("7g7f".parse().expect("a move"))];
        assert_eq!(moves(&RULES.select(&unknown, Color::Black)), ["7g7f"]);
    }

    #[test]
    fn a_narrow_book_leaves_rare_moves_out() {
        let entries = [entry("7g7f", 0, 16, 91), entry("2g2f", 0, 16, 9), entry("9g9f", 500, 0, 0)];
        assert!(RULES.select(&entries, Color::Black).is_err());
        let narrow = Rules { is_narrow: true, ..RULES };
        assert_eq!(moves(&narrow.select(&entries, Color::Black)), ["7g7f"]);
        let tenth = [entry("7g7f", 0, 16, 9), entry("2g2f", 0, 16, 1)];
        assert_eq!(moves(&narrow.select(&tenth, Color::Black)), ["7g7f", "2g2f"]);
    }

    #[test]
    fn chances_are_equal_or_follow_the_counts() {
        let entries = [entry("7g7f", 0, 16, 30), entry("2g2f", 0, 16, 10), entry("1g1f", 0, 16, 0)];
        let kept: Vec<&Entry> = entries.iter().collect();
        let drawn = |rules: Rules, kept: &[&Entry]| {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
            let mut times = [0; 3];
            for _ in 0..4000 {
                times[rules.draw(kept, &mut random).expect("a move")] += 1;
            }
            times
        };
        assert!(drawn(RULES, &kept).iter().all(|times| (1200..1470).contains(times)));
        let counted = drawn(Rules { weight: Weight::Counts, ..RULES }, &kept);
        assert!((2850..3150).contains(&counted[0]) && counted[2] == 0, "{counted:?}");
        let unplayed = [&entries[2], &entries[2], &entries[2]];
        assert!(drawn(Rules { weight: Weight::Counts, ..RULES }, &unplayed).iter().all(|&times| times > 1200));
        assert_eq!(RULES.draw(&[], &mut Xoshiro256PlusPlus::seed_from_u64(7)), None);
    }

    #[test]
    fn huge_numbers_do_not_overflow() {
        let entries = [entry("7g7f", i32::MAX, u32::MAX, u64::MAX), entry("2g2f", i32::MIN, 0, u64::MAX)];
        let rules = Rules { eval_diff_cp: i32::MAX, eval_limits_cp: [i32::MIN; 2], weight: Weight::Counts, ..RULES };
        let kept = rules.select(&entries, Color::Black).expect("moves");
        assert!(rules.draw(&kept, &mut Xoshiro256PlusPlus::seed_from_u64(1)).is_some());
    }
}

//! Playing below full strength.
//!
//! A weak player sees little, overlooks moves, and does not always like the best of those he sees.
//! So a level
//!
//! 1. bounds the positions visited for a move: long lines and quiet defences are missed;
//! 2. overlooks moves with some chance, within its lines, too: a beginner leaves a piece where it is
//!    taken, and hopes for moves that have an answer. Ways out of check are never overlooked;
//! 3. considers the best few lines only, more of them the weaker it is: no move is played without
//!    any reason;
//! 4. plays the most attractive of the moves that it sees: the value of a move, and some
//!    Gumbel-distributed noise, by which the chances of two moves are as
//!    `exp(difference / temperature)`. That is Luce's model of choice (1959), which fits human
//!    choices among moves (Regan and Haworth 2011, for chess).
//!
//! Mates that are not overlooked are played, and walked into only if everything better was
//! overlooked. `docs/strength.md` has the value of the steps in games.

use enbu_movegen::Move;
use rand::distr::Open01;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::value::{MATE_BOUND, Value};

/// A strength from 0, a beginner, to 19; above that there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    number: u8,
    seed: u64,
}

impl Level {
    /// The highest limited level.
    pub const HIGHEST: u8 = 19;

    /// Level `number`, whose choices follow from `seed` and the position alone; `None`
    /// for numbers above [`HIGHEST`](Self::HIGHEST): full strength.
    ///
    /// ```
    /// use enbu_search::Level;
    /// assert!(Level::new(3, 1).is_some() && Level::new(20, 1).is_none());
    /// ```
    pub fn new(number: u8, seed: u64) -> Option<Self> {
        (number <= Self::HIGHEST).then_some(Self { number, seed })
    }

    /// 1 at level 0, down by a 22nd a level: steps of 100 Elo.
    fn weakness(self) -> f64 {
        1.0 - f64::from(self.number) / 22.0
    }

    /// Positions visited for a move: 2000 at level 0, enough to see each move and its consequences;
    /// 1.08 times the number for each level more.
    pub(crate) fn nodes(self) -> u64 {
        (10_000.0 * 0.2_f64.powf(self.weakness())) as u64
    }

    /// Lines among which to choose: 25 at level 0, 4 at level 19.
    pub(crate) fn lines(self) -> usize {
        (3.0 * 8.2_f64.powf(self.weakness())).round() as usize
    }

    /// The chance that a move is overlooked, out of 2^32: 0.8 at level 0, 0.11 at level 19.
    fn blindness(self) -> u32 {
        (0.8 * self.weakness() * f64::from(u32::MAX)) as u32
    }

    /// Softmax temperature in centipawns, the difference that makes a move e times as likely: 500 at
    /// level 0, 31 at level 19.
    fn temperature(self) -> f64 {
        20.0 * 25.0_f64.powf(self.weakness())
    }

    fn chance(self, key: u64) -> SplitMix64 {
        SplitMix64::seed_from_u64(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key)
    }

    /// Returns true if `mv` is overlooked in the position with this key, inside a line.
    pub(crate) fn overlooks(self, key: u64, mv: Move) -> bool {
        self.chance(key ^ u64::from(mv.raw()) << 32).next_u32() < self.blindness()
    }

    /// Index of the line, best first, to play in the position with this key. One of them is always
    /// seen.
    pub(crate) fn choose(self, key: u64, values: &[Value]) -> usize {
        let mut chance = self.chance(key);
        let attention: Vec<u32> = values.iter().map(|_| chance.random()).collect();
        let needed = attention.iter().copied().max().unwrap_or_default().min(self.blindness());
        let mut appeal = |(&value, attention): (&Value, u32)| {
            let mood: f64 = chance.sample(Open01);
            let noise = if value.abs() < MATE_BOUND { -self.temperature() * (-mood.ln()).ln() } else { 0.0 };
            (attention >= needed, f64::from(value) + noise)
        };
        let appeals = values.iter().zip(attention).map(&mut appeal).enumerate();
        appeals.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{mate_at, mated_at};

    /// Of 2000 positions with these values, in how many a level plays that line.
    fn plays(number: u8, values: &[Value], line: usize) -> usize {
        let level = Level::new(number, 7).expect("a level");
        (0..2000).filter(|&key| level.choose(key, values) == line).count()
    }

    #[test]
    fn levels_look_further_and_choose_better_as_they_rise() {
        let levels: Vec<Level> = (0..=Level::HIGHEST).filter_map(|number| Level::new(number, 7)).collect();
        assert_eq!(levels.len(), 20);
        let lines: Vec<usize> = levels.iter().map(|level| level.lines()).collect();
        assert!((lines[0], lines[19]) == (25, 4) && lines.is_sorted_by(|one, next| one >= next), "{lines:?}");
        assert!(levels.windows(2).all(|pair| pair[0].nodes() < pair[1].nodes()));
        for values in [&[0, -30, -60][..], &[400, 0, -20, -20], &[mate_at(5), 900, 800, 800, 700, 700, 600, 600]] {
            let best: Vec<usize> = (0..=Level::HIGHEST).step_by(3).map(|number| plays(number, values, 0)).collect();
            assert!(best.is_sorted(), "{values:?}: {best:?}");
        }
        assert!(plays(19, &[0, -200, -200], 0) > 1700);
    }

    #[test]
    fn the_better_of_two_lines_is_likelier_by_luces_rule() {
        for number in [0, 8, 16] {
            let level = Level::new(number, 7).expect("a level");
            let (temperature, blindness) = (level.temperature(), f64::from(level.blindness()) / f64::from(u32::MAX));
            // Both seen: by their values; else the one that is easier to see.
            let both = (1.0 - blindness) * (1.0 - blindness);
            let expected = both / (1.0 + (-100.0 / temperature).exp()) + (1.0 - both) / 2.0;
            let share = plays(number, &[150, 50], 0) as f64 / 2000.0;
            assert!((share - expected).abs() < 0.04, "level {number}: {share}, expected {expected}");
        }
    }

    #[test]
    fn kings_are_not_given_away_while_something_else_is_seen() {
        let values = [30, 10, 0, -40, -90, -200, -300, -400, mated_at(2), mated_at(2)];
        // Eight moves overlooked and one of the two seen, or seen best: about one in twelve.
        let mated = plays(0, &values, 8) + plays(0, &values, 9);
        assert!((80..250).contains(&mated), "{mated}");
        assert!(plays(10, &values, 8) + plays(10, &values, 9) < 10);
    }

    #[test]
    fn the_seed_decides() {
        let choices = |seed| -> Vec<usize> {
            let level = Level::new(0, seed).expect("a level");
            (0..50).map(|key| level.choose(key, &[0, -5, -9])).collect()
        };
        assert_eq!(choices(3), choices(3));
        assert_ne!(choices(3), choices(4));
    }
}

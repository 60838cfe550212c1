//! Playing below full strength.
//!
//! A weak player sees little, overlooks moves, and does not always like the best of those he sees.
//! So a level
//!
//! 1. bounds the positions visited for a move: long lines and quiet defences are missed;
//! 2. considers the best few lines only, more of them the weaker it is: no move is played without
//!    any reason;
//! 3. overlooks each of these with some chance, the best one too: a beginner takes back a rook most
//!    of the time, not always;
//! 4. plays the most attractive one of the rest: the value of a move, and some Gumbel-distributed
//!    noise, by which the chances of two moves are as `exp(difference / temperature)`. That is Luce's
//!    model of choice (1959), which fits human choices among moves (Regan and Haworth 2011, for
//!    chess).
//!
//! Mates that are not overlooked are played, and walked into only if everything better was
//! overlooked. `docs/strength.md` has the value of the steps in games.

use rand::distr::Open01;
use rand::{RngExt, SeedableRng};
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

    /// Positions visited for a move: 2000 at level 0, enough to see each move and its consequences;
    /// 1.2 times the number for each level more.
    pub(crate) fn nodes(self) -> u64 {
        (2000.0 * 1.2_f64.powi(self.number.into())) as u64
    }

    /// Lines among which to choose: 24 at level 0, 3 at level 19.
    pub(crate) fn lines(self) -> usize {
        (24.0 * 0.9_f64.powi(self.number.into())).round() as usize
    }

    /// The chance that a move is overlooked: 0.76 at level 0, none at full strength.
    fn blindness(self) -> f64 {
        // 1 at level 0, 0 at a level 20.
        let weakness = 1.0 - f64::from(self.number) / f64::from(Self::HIGHEST + 1);
        0.76 * weakness * weakness.sqrt()
    }

    /// Softmax temperature in centipawns, the difference that makes a move e times as likely: 250 at
    /// level 0, 14 at level 19.
    fn temperature(self) -> f64 {
        250.0 * 0.86_f64.powi(self.number.into())
    }

    /// Index of the line, best first, to play in the position with this key. If all are overlooked,
    /// the choice is among all.
    pub(crate) fn choose(self, key: u64, values: &[Value]) -> usize {
        let mut chance = SplitMix64::seed_from_u64(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key);
        let mut best = (0, (false, f64::MIN));
        for (index, &value) in values.iter().enumerate() {
            let (attention, mood): (f64, f64) = (chance.sample(Open01), chance.sample(Open01));
            let noise = if value.abs() < MATE_BOUND { -self.temperature() * (-mood.ln()).ln() } else { 0.0 };
            let appeal = (attention >= self.blindness(), f64::from(value) + noise);
            if appeal > best.1 {
                best = (index, appeal);
            }
        }
        best.0
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
        assert!((lines[0], lines[19]) == (24, 3) && lines.is_sorted_by(|one, next| one >= next), "{lines:?}");
        assert!(levels.windows(2).all(|pair| pair[0].nodes() < pair[1].nodes()));
        for values in [&[0, -30, -60][..], &[400, 0, -20, -20], &[mate_at(5), 900, 800, 800, 700, 700, 600, 600]] {
            let best: Vec<usize> = (0..=Level::HIGHEST).step_by(3).map(|number| plays(number, values, 0)).collect();
            assert!(best.is_sorted(), "{values:?}: {best:?}");
        }
        assert!(plays(19, &[0, -200, -200], 0) > 1950);
    }

    #[test]
    fn the_better_of_two_lines_is_likelier_by_luces_rule() {
        for number in [0, 8, 16] {
            let level = Level::new(number, 7).expect("a level");
            let (temperature, blindness) = (level.temperature(), level.blindness());
            // Both seen or both overlooked: by their values; else the one that is seen.
            let first = 1.0 / (1.0 + (-100.0 / temperature).exp());
            let one_seen = (1.0 - blindness) * blindness;
            let expected = (1.0 - 2.0 * one_seen) * first + one_seen;
            let share = plays(number, &[150, 50], 0) as f64 / 2000.0;
            assert!((share - expected).abs() < 0.04, "level {number}: {share}, expected {expected}");
        }
    }

    #[test]
    fn kings_are_not_given_away_while_something_else_is_seen() {
        let values = [30, 10, 0, -40, -90, -200, -300, -400, mated_at(2), mated_at(2)];
        // Eight moves overlooked and one of the two seen: about one in twenty.
        let mated = plays(0, &values, 8) + plays(0, &values, 9);
        assert!((20..180).contains(&mated), "{mated}");
        assert_eq!(plays(10, &values, 8) + plays(10, &values, 9), 0);
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

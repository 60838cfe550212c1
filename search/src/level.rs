//! Playing below full strength.
//!
//! A weak player sees little and does not always play what he likes best. So a level
//! bounds the positions visited for a move, and picks among the best lines with a
//! random tolerance that shrinks as the level rises. A search with few nodes misses
//! what people miss: long lines, quiet defences, distant mates.

use crate::value::Value;

/// A strength from 0, which hardly looks ahead, to 19; above that there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    number: u8,
    seed: u64,
}

/// Lines among which a level chooses.
pub(crate) const LINES: usize = 4;

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

    /// Positions visited for a move: 30 at level 0, about 1.6 times as many for each
    /// level more.
    pub(crate) fn nodes(self) -> u64 {
        (30.0 * 1.6_f64.powi(self.number.into())) as u64
    }

    /// By how many centipawns a move may look worse and still be played now and then.
    fn tolerance(self) -> Value {
        Value::from(20 - self.number) * 8
    }

    /// Which of the lines, best first, to play in the position with this key.
    pub(crate) fn choose(self, key: u64, values: &[Value]) -> usize {
        let mut state = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key;
        let mut liking =
            |value: Value| value.saturating_add((next(&mut state) % (self.tolerance() as u64 + 1)) as Value);
        let mut best = (0, Value::MIN);
        for (index, &value) in values.iter().enumerate() {
            let liked = liking(value);
            if liked > best.1 {
                best = (index, liked);
            }
        }
        best.0
    }
}

/// The next number of a SplitMix64 sequence (Steele, Lea and Flood 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_look_further_and_choose_better_as_they_rise() {
        let levels: Vec<Level> = (0..=Level::HIGHEST).filter_map(|number| Level::new(number, 7)).collect();
        assert_eq!(levels.len(), 20);
        assert!(levels.windows(2).all(|pair| pair[0].nodes() < pair[1].nodes()));
        let mistakes = |level: Level| (0..2000).filter(|&key| level.choose(key, &[0, -30, -60]) != 0).count();
        assert!(mistakes(levels[0]) > mistakes(levels[10]) && mistakes(levels[10]) > mistakes(levels[19]));
        assert_eq!(mistakes(levels[19]), 0);
    }

    #[test]
    fn what_is_far_worse_is_never_played_and_the_seed_decides() {
        let level = Level::new(0, 1).expect("a level");
        assert!((0..2000).all(|key| level.choose(key, &[0, -400]) == 0));
        let choices = |seed| -> Vec<usize> {
            let level = Level::new(0, seed).expect("a level");
            (0..50).map(|key| level.choose(key, &[0, -5, -9])).collect()
        };
        assert_eq!(choices(3), choices(3));
        assert_ne!(choices(3), choices(4));
    }
}

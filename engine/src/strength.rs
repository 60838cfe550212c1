//! Strength as a number: the scale of `USI_Elo`.
//!
//! The differences are measured by games of each level against the one two below it
//! (`docs/strength.md` has the table with its bounds). Odd levels are interpolated, those
//! above 16 extrapolated by 120 a level. The origin is a convention: level 0 is 500.
//! Numbers of other programs or of people are on other scales.

use std::ops::RangeInclusive;

/// Elo of each level, from 0 to the highest.
const ELO: [i64; 20] =
    [500, 620, 740, 850, 950, 1070, 1190, 1320, 1460, 1610, 1760, 1880, 1990, 2130, 2270, 2380, 2500, 2620, 2740, 2860];

pub(crate) const RANGE: RangeInclusive<i64> = {
    let [weakest, .., strongest] = ELO;
    weakest..=strongest
};

/// Default of `USI_Elo`, which has no effect until `USI_LimitStrength` is on.
pub(crate) const DEFAULT: i64 = 1500;

/// The level whose strength is nearest to `elo`; of two equally near the weaker one.
pub(crate) fn level(elo: i64) -> u8 {
    let nearest = ELO.iter().enumerate().min_by_key(|(_, level)| level.abs_diff(elo));
    nearest.and_then(|(level, _)| u8::try_from(level).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use enbu_search::Level;

    use super::*;

    #[test]
    fn every_level_has_its_number_and_each_number_a_level() {
        assert_eq!(ELO.len(), usize::from(Level::HIGHEST) + 1);
        assert!(ELO.is_sorted_by(|weaker, stronger| weaker < stronger));
        for (number, &elo) in ELO.iter().enumerate() {
            assert_eq!(usize::from(level(elo)), number);
            assert_eq!(usize::from(level(elo + 1)), number);
        }
        assert_eq!((level(0), level(i64::MAX)), (0, Level::HIGHEST));
        assert!(RANGE.contains(&DEFAULT));
    }
}

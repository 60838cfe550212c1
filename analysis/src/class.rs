//! Classes of moves, by the loss in win probability.

use std::fmt;
use std::str::FromStr;

use enbu_language::text;
use serde::{Deserialize, Serialize};

/// Class of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The first choice of the search, or a move without loss.
    Best,
    /// A loss below the threshold of inaccuracies.
    Good,
    /// A questionable move (疑問手).
    Inaccuracy,
    /// A bad move (悪手).
    Mistake,
    /// A very bad move (大悪手).
    Blunder,
}

impl Class {
    /// Every class, the best first.
    pub const ALL: [Self; 5] = [Self::Best, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// Its names in JSON and in Japanese records.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Best => ("best", "最善手"),
            Self::Good => ("good", "ほぼ最善"),
            Self::Inaccuracy => ("inaccuracy", "疑問手"),
            Self::Mistake => ("mistake", "悪手"),
            Self::Blunder => ("blunder", "大悪手"),
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// Its name as Japanese players use it.
    pub const fn japanese(self) -> &'static str {
        self.names().1
    }
}

/// Least losses of win probability, in percent, of inaccuracies, mistakes and blunders.
///
/// | class | loss |
/// |---|---|
/// | best | none, or the first choice of the search |
/// | good | below 5 % |
/// | inaccuracy | 5 % or more |
/// | mistake | 10 % or more |
/// | blunder | 20 % or more |
///
/// ```
/// use enbu_analysis::{Class, Thresholds};
/// let thresholds: Thresholds = "4,8,16".parse()?;
/// assert_eq!(thresholds.class(0.08), Class::Mistake);
/// assert!("8,4,16".parse::<Thresholds>().is_err());
/// # Ok::<(), enbu_analysis::ParseThresholdsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    inaccuracy: f64,
    mistake: f64,
    blunder: f64,
}

/// A loss below this counts as none.
const NO_LOSS: f64 = 0.0005;

impl Default for Thresholds {
    fn default() -> Self {
        Self { inaccuracy: 5.0, mistake: 10.0, blunder: 20.0 }
    }
}

impl Thresholds {
    /// The class of a loss of win probability, 0 to 1.
    pub fn class(&self, loss: f64) -> Class {
        // A loss of exactly the threshold must not depend on rounding.
        let percent = loss * 100.0 + 1e-9;
        match percent {
            _ if loss < NO_LOSS => Class::Best,
            _ if percent < self.inaccuracy => Class::Good,
            _ if percent < self.mistake => Class::Inaccuracy,
            _ if percent < self.blunder => Class::Mistake,
            _ => Class::Blunder,
        }
    }

    /// Least loss of an inaccuracy, 0 to 1.
    pub(crate) fn least(&self) -> f64 {
        self.inaccuracy / 100.0
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.inaccuracy, self.mistake, self.blunder)
    }
}

/// Text that is not three rising percentages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!(
    "not three rising percentages from 0 to 100, such as 5,10,20",
    "0～100 の百分率を小さい順に 3 つ指定してください（例：5,10,20）"
))]
pub struct ParseThresholdsError;

impl FromStr for Thresholds {
    type Err = ParseThresholdsError;

    fn from_str(text: &str) -> Result<Self, ParseThresholdsError> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[inaccuracy, mistake, blunder])
                if 0.0 < inaccuracy && inaccuracy < mistake && mistake < blunder && blunder <= 100.0 =>
            {
                Ok(Self { inaccuracy, mistake, blunder })
            }
            _ => Err(ParseThresholdsError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_begin_their_class() {
        let thresholds = Thresholds::default();
        let classes = [0.0, 0.001, 0.0499, 0.05, 0.1, 0.1999, 0.2, 1.0].map(|loss| thresholds.class(loss));
        let [best, good, inaccuracy, mistake, blunder] = Class::ALL;
        assert_eq!(classes, [best, good, good, inaccuracy, mistake, mistake, blunder, blunder]);
        assert_eq!(thresholds.to_string().parse(), Ok(thresholds));
        for text in ["", "1", "1,2", "3,2,1", "1,2,101", "a,b,c", "0,1,2", "NaN,NaN,NaN"] {
            assert!(text.parse::<Thresholds>().is_err(), "{text}");
        }
    }
}

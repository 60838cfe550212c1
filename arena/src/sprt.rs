//! Statistics of games played in pairs: Elo, normalised Elo, the sequential test.
//!
//! Two games on one opening with colours swapped are one observation: their common
//! score `s` is one of 0, 1/4, 1/2, 3/4, 1 (a *pentanomial* distribution), which
//! removes the influence of the opening and the first move. With `n` pairs of mean
//! score `mu` and variance `var`:
//!
//! * Elo `= -400 log10(1/mu - 1)`; its 95 % interval by the delta method;
//! * normalised Elo `= (mu - 1/2) / sqrt(2 var) * 800 / ln 10`, which does not depend
//!   on the share of draws;
//! * LOS, the likelihood that the first engine is the stronger one,
//!   `= Phi((mu - 1/2) / sqrt(var / n))`;
//! * the log-likelihood ratio of the generalised SPRT (Van den Bergh) in its normal
//!   approximation `LLR = (s1 - s0) (2 mu - s0 - s1) n / (2 var)`, where `s0` and `s1`
//!   are the scores that the two hypotheses expect.
//!
//! Empty cells count as 1/1000 of a pair, so that no variance is zero.

use std::f64::consts::{LN_10, SQRT_2};

use enbu_language::messages;
use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval, in standard deviations.
pub(crate) const Z_95: f64 = 1.959_964;

/// Count of an empty cell of the distribution, in pairs.
const EMPTY_CELL: f64 = 1e-3;

/// Points of normalised Elo for one standard deviation of a single game.
const POINTS_PER_SIGMA: f64 = 800.0 / LN_10;

/// Pairs before the first decision.
///
/// With a handful of pairs the variance that was seen is unreliable: two pairs with
/// equal scores have none at all, and a test that divides by it would stop at once.
/// In simulations of tests at 5 %, deciding from the second pair on accepts the wrong
/// hypothesis in 10 % (H1) and 30 % (H0) of the runs; from the 64th on in 5 % to 6 %.
const MIN_PAIRS: u64 = 64;

/// Numbers of pairs with 0, 1/2, 1, 3/2 and 2 points for the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// A value and the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Half the width of the interval around it.
    pub half_width: f64,
}

/// Unit of a difference in strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EloModel {
    /// Elo of the mean score.
    Logistic,
    /// Elo in units of the standard deviation of a game.
    Normalised,
}

/// A sequential probability ratio test of "`elo0` stronger" against "`elo1` stronger".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The difference under the null hypothesis.
    pub elo0: f64,
    /// The difference under the alternative.
    pub elo1: f64,
    /// Rate of wrong acceptance of the alternative, above 0 and below 1/2.
    pub alpha: f64,
    /// Rate of wrong acceptance of the null hypothesis, above 0 and below 1/2.
    pub beta: f64,
    /// Unit of the differences.
    pub model: EloModel,
}

messages! {
/// Invalid parameters of a test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum SprtError {
    Bounds(low: f64, high: f64) =>
        "SPRT bounds [{low}, {high}]: the first must be below the second", "SPRT の範囲 [{low}, {high}]：前の値を後の値より小さくしてください";
    Rate(rate: f64) =>
        "SPRT error rate {rate}: above 0 and below 0.5 is needed", "SPRT の誤り率 {rate}：0 より大きく 0.5 より小さくしてください";
}}

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Decision {
    /// `elo0` or less is accepted.
    H0,
    /// `elo1` or more is accepted.
    H1,
}

impl Pentanomial {
    /// Counts a pair in which the first engine made `halves` half points (0 to 4).
    pub const fn add(&mut self, halves: u8) {
        let cell = if halves > 4 { 4 } else { halves };
        self.0[cell as usize] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs, mean and variance of the pair scores in 0..=1.
    fn moments(&self) -> [f64; 3] {
        let counts = self.0.map(|count| if count == 0 { EMPTY_CELL } else { count as f64 });
        let pairs: f64 = counts.iter().sum();
        let score = |cell: usize| cell as f64 / 4.0;
        let cells = || counts.iter().enumerate();
        let mean = cells().map(|(cell, count)| count * score(cell)).sum::<f64>() / pairs;
        let variance = cells().map(|(cell, count)| count * (score(cell) - mean).powi(2)).sum::<f64>() / pairs;
        [pairs, mean, variance]
    }

    /// Lead of the first engine, in Elo.
    ///
    /// ```
    /// use enbu_arena::Pentanomial;
    /// let even = Pentanomial([10, 20, 40, 20, 10]).elo();
    /// assert!(even.value.abs() < 1e-9 && (even.half_width - 37.3).abs() < 0.01);
    /// ```
    pub fn elo(&self) -> Estimate {
        let [pairs, mean, variance] = self.moments();
        let slope = 400.0 / LN_10 / (mean * (1.0 - mean)).max(1e-9);
        Estimate { value: elo_of_score(mean), half_width: Z_95 * (variance / pairs).sqrt() * slope }
    }

    /// Lead of the first engine, in normalised Elo.
    pub fn normalised_elo(&self) -> Estimate {
        let [pairs, mean, variance] = self.moments();
        let value = (mean - 0.5) / (2.0 * variance).sqrt() * POINTS_PER_SIGMA;
        Estimate { value, half_width: Z_95 * POINTS_PER_SIGMA / (2.0 * pairs).sqrt() }
    }

    /// The likelihood that the first engine is the stronger one, 0 to 1; 1/2 before
    /// any pair.
    pub fn los(&self) -> f64 {
        let [pairs, mean, variance] = self.moments();
        normal_cdf((mean - 0.5) / (variance / pairs).sqrt())
    }
}

/// The Elo difference at which `score` (0 to 1) is expected.
fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(1e-9, 1.0 - 1e-9);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The score (0 to 1) that is expected at an Elo difference.
fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The sign test: the probability that fair coins fall as unevenly as `first` to `second`, or more so.
///
/// ```
/// use enbu_arena::sign_test;
/// assert_eq!((sign_test(0, 0), sign_test(5, 5)), (1.0, 1.0));
/// assert!((sign_test(0, 5) - 0.0625).abs() < 1e-12);
/// ```
pub fn sign_test(first: u64, second: u64) -> f64 {
    let (fewer, all) = (first.min(second), first + second);
    // Logarithms: a coefficient and the power of two may each leave the range.
    let (mut coefficient, mut tail) = (-(all as f64) * std::f64::consts::LN_2, 0.0);
    for count in 0..=fewer {
        tail += f64::exp(coefficient);
        coefficient += ((all - count) as f64 / (count + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

/// The normal distribution function, by its Taylor series around 0 (Marsaglia 2004);
/// exact to about 1e-15.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (std::f64::consts::PI.sqrt() * SQRT_2)
}

impl Sprt {
    /// A test.
    ///
    /// ```
    /// use enbu_arena::{EloModel, Sprt};
    /// let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap();
    /// assert!((sprt.bounds().1 - 2.944).abs() < 1e-3);
    /// assert!(Sprt::new(5.0, 5.0, 0.05, 0.05, EloModel::Logistic).is_err());
    /// ```
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Bounds(elo0, elo1));
        }
        for rate in [alpha, beta] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::Rate(rate));
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// The log-likelihood ratios at which the null hypothesis and the alternative are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of the pairs; 0 before the second pair.
    pub fn llr(&self, seen: &Pentanomial) -> f64 {
        let [pairs, mean, variance] = seen.moments();
        if seen.pairs() < 2 || variance <= 0.0 {
            return 0.0;
        }
        let expected = |elo: f64| match self.model {
            EloModel::Logistic => score_of_elo(elo),
            EloModel::Normalised => 0.5 + elo / POINTS_PER_SIGMA * (2.0 * variance).sqrt(),
        };
        let (s0, s1) = (expected(self.elo0), expected(self.elo1));
        (s1 - s0) * (2.0 * mean - s0 - s1) * pairs / (2.0 * variance)
    }

    /// The outcome; `None` while the test is undecided, and before 64 pairs.
    pub fn decision(&self, seen: &Pentanomial) -> Option<Decision> {
        if seen.pairs() < MIN_PAIRS {
            return None;
        }
        let (lower, upper) = self.bounds();
        match self.llr(seen) {
            llr if llr >= upper => Some(Decision::H1),
            llr if llr <= lower => Some(Decision::H0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn scores_and_elo_are_inverse() {
        for elo in [-800.0, -20.0, 0.0, 5.0, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.0, 0.158_655_253_931_457),
            (1.959_963_984_540_054, 0.975),
            (-3.0, 0.001_349_898_031_630_1),
            (6.0, 0.999_999_999_013_412),
            (40.0, 1.0),
            (-40.0, 0.0),
        ] {
            assert!((normal_cdf(x) - p).abs() < 1e-12, "{x}: {}", normal_cdf(x));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (elo0, elo1, alpha, beta) in
            [(5.0, 0.0, 0.05, 0.05), (f64::NAN, 1.0, 0.05, 0.05), (0.0, 5.0, 0.0, 0.05), (0.0, 5.0, 0.05, 0.5)]
        {
            assert!(Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic).is_err());
        }
    }

    #[test]
    fn equal_first_pairs_decide_nothing() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let seen = Pentanomial([0, 0, 0, 0, 3]);
        assert!(sprt.llr(&seen) > sprt.bounds().1, "the ratio alone would stop the test");
        assert_eq!(sprt.decision(&seen), None);
    }

    /// A pair of engines whose true difference is known.
    struct Truth {
        cumulative: [f64; 5],
    }

    impl Truth {
        /// Games that are drawn with probability `drawn` and otherwise won with the
        /// probability that makes the mean `score`. On one opening in `uneven` the
        /// side that moves first wins with either engine; pairs remove that effect.
        fn new(score: f64, drawn: f64, uneven: f64) -> Self {
            let win = score - drawn / 2.0;
            let loss = 1.0 - drawn - win;
            let even =
                [loss * loss, 2.0 * loss * drawn, 2.0 * loss * win + drawn * drawn, 2.0 * win * drawn, win * win];
            let split = [0.0, 0.0, 1.0, 0.0, 0.0];
            let mut sum = 0.0;
            let cumulative = std::array::from_fn(|cell| {
                sum += (1.0 - uneven) * even[cell] + uneven * split[cell];
                sum
            });
            Self { cumulative }
        }

        /// The mean score of a pair.
        fn mean(&self) -> f64 {
            1.0 - self.cumulative[..4].iter().sum::<f64>() / 4.0
        }

        /// The variance of the score of a pair.
        fn variance(&self) -> f64 {
            let mut before = 0.0;
            let cells = self.cumulative.iter().enumerate().map(|(cell, &sum)| {
                let p = sum - std::mem::replace(&mut before, sum);
                p * (cell as f64 / 4.0 - self.mean()).powi(2)
            });
            cells.sum()
        }

        fn pair(&self, random: &mut Xoshiro256PlusPlus) -> u8 {
            let point: f64 = random.random();
            self.cumulative.iter().take(4).filter(|&&sum| point >= sum).count() as u8
        }
    }

    const RUNS: u32 = 500;

    /// Of [`RUNS`] tests, how many decide wrongly.
    fn wrong(sprt: &Sprt, truth: &Truth, right: Decision, seed: u64) -> u32 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut wrong = 0;
        for _ in 0..RUNS {
            let mut seen = Pentanomial::default();
            let decision = loop {
                seen.add(truth.pair(&mut random));
                if let Some(decision) = sprt.decision(&seen) {
                    break decision;
                }
            };
            wrong += u32::from(decision != right);
        }
        wrong
    }

    /// The most wrong decisions that `rate` allows, with three standard deviations to spare.
    fn allowed(rate: f64) -> u32 {
        let runs = f64::from(RUNS);
        (runs * rate + 3.0 * (runs * rate * (1.0 - rate)).sqrt()) as u32
    }

    #[test]
    fn simulated_tests_keep_their_error_rates() {
        // Draws and uneven openings as in shogi, as in chess, and in the extreme.
        for (drawn, uneven) in [(0.02, 0.0), (0.02, 0.3), (0.5, 0.2), (0.0, 0.0)] {
            for (elo0, elo1, alpha, beta) in [(0.0, 30.0, 0.05, 0.05), (-25.0, 0.0, 0.05, 0.1)] {
                let sprt = Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic).unwrap();
                // Half of the openings decide nothing, so the rest must be clearer.
                let at = |elo: f64| Truth::new(0.5 + (score_of_elo(elo) - 0.5) / (1.0 - uneven), drawn, uneven);
                let seed = (drawn * 100.0) as u64 + elo1 as u64;
                let false_h1 = wrong(&sprt, &at(elo0), Decision::H0, seed);
                let false_h0 = wrong(&sprt, &at(elo1), Decision::H1, seed + 1);
                assert!(false_h1 <= allowed(alpha), "{drawn} {uneven} [{elo0}, {elo1}]: {false_h1} false H1");
                assert!(false_h0 <= allowed(beta), "{drawn} {uneven} [{elo0}, {elo1}]: {false_h0} false H0");
                // A test that never errs would be one that cannot fail.
                assert!(false_h1 + false_h0 > RUNS / 50, "{drawn} {uneven}: {false_h1} + {false_h0}");
            }
        }
    }

    #[test]
    fn simulated_normalised_tests_keep_their_error_rates() {
        let sprt = Sprt::new(0.0, 30.0, 0.05, 0.05, EloModel::Normalised).unwrap();
        let (drawn, uneven) = (0.3, 0.2);
        let even = Truth::new(0.5, drawn, uneven);
        let score = 0.5 + 30.0 / POINTS_PER_SIGMA * (2.0 * even.variance()).sqrt() / (1.0 - uneven);
        let better = Truth::new(score, drawn, uneven);
        assert!(wrong(&sprt, &even, Decision::H0, 5) <= allowed(0.05));
        assert!(wrong(&sprt, &better, Decision::H1, 6) <= allowed(0.05));
    }

    #[test]
    fn intervals_hold_the_truth_nineteen_times_in_twenty() {
        let truth = Truth::new(0.56, 0.1, 0.2);
        let elo = elo_of_score(truth.mean());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut held = 0;
        for _ in 0..2000 {
            let mut seen = Pentanomial::default();
            for _ in 0..200 {
                seen.add(truth.pair(&mut random));
            }
            let estimate = seen.elo();
            held += u32::from((estimate.value - elo).abs() <= estimate.half_width);
        }
        assert!((1860..=1940).contains(&held), "{held}");
    }
}

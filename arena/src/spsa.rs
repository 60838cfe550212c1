//! Tuning by simultaneous perturbation (SPSA): which values play best.
//!
//! | module | contents |
//! |---|---|
//! | here | the method: the next values to play, the step after a result |
//! | [`parameter`] | selection of options of an engine |
//! | [`state`] | the file from which a tuning is continued |
//!
//! Every iteration draws a sign for each parameter, plays the values moved by those
//! signs against the values moved the other way, and moves all of them towards the side
//! that won. One match thus measures every parameter at once, whatever
//! their number; a single match is mostly noise, and the average over many is the
//! slope of playing strength.
//!
//! Gains follow J. C. Spall, *Multivariate Stochastic Approximation Using a Simultaneous
//! Perturbation Gradient Approximation* (IEEE Transactions on Automatic Control 37(3),
//! 1992), with the exponents of his *Implementation of the Simultaneous Perturbation
//! Algorithm for Stochastic Optimization* (1998) and the scaling by final values that
//! fishtest, the test framework of Stockfish, made usual for engines. With `N` pairs of
//! games in all, of which `k` is the present one, counted from 1:
//!
//! ```text
//! c(k) = step * (N / k)^0.101                              perturbation of a value
//! R(k) = rate * ((A + N) / (A + k))^0.602 * (k / N)^0.202  gain of a game, A = N / 10
//! value += sign * R(k) * c(k) * (games won - games lost)
//! ```
//!
//! so that the last pair is played with `step` and learnt from with `rate * step` a game.
//!
//! ```
//! use enbu_arena::report::Tally;
//! use enbu_arena::spsa::{Conditions, Parameter, Plan, State};
//! let margin = Parameter { name: "margin".to_owned(), start: 120, min: 40, max: 300, step: 10.0 };
//! let plan = Plan { iterations: 2, pairs: 1, seed: 7, rate: 0.002 };
//! let mut state = State::new(vec![margin], plan, Conditions::new()).unwrap();
//! while let Some(trial) = state.trial() {
//!     assert_eq!(trial.plus.len(), 1);
//!     // Here the games are played: the side with the higher value won both.
//!     let (won, lost) = if trial.plus > trial.minus { (2, 0) } else { (0, 2) };
//!     state.learn(Tally { won, drawn: 0, lost });
//! }
//! assert!(state.values[0] > 120.0);
//! ```

pub mod parameter;
pub mod state;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::report::Tally;

pub use parameter::{MIN_STEP, Parameter, ParameterError, Wanted, select};
pub use state::{Conditions, Misfit, State, StateError};

/// Exponent by which gains fall (alpha): Spall's value for a number of iterations that is not
/// without end.
const GAIN_DECAY: f64 = 0.602;

/// Exponent by which perturbations shrink (gamma), from the same source.
const STEP_DECAY: f64 = 0.101;

/// The share of all pairs by which the fall of the gains is put off (A / N): without it
/// the first few games would throw the values about.
const STABILITY: f64 = 0.1;

/// Length and step sizes of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Number of iterations; at least 1.
    pub iterations: u64,
    /// Pairs of games played with the same perturbation; at least 1.
    pub pairs: u32,
    /// The seed of perturbations and roundings.
    pub seed: u64,
    /// By which part of a step a game won moves a value at the end; above 0, at most 1.
    pub rate: f64,
}

impl Plan {
    fn check(&self, parameters: &[Parameter]) -> Result<(), PlanError> {
        if parameters.is_empty() {
            return Err(PlanError::NoParameter);
        }
        parameters.iter().try_for_each(Parameter::check)?;
        if self.iterations == 0 || self.pairs == 0 {
            return Err(PlanError::NoGames);
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return Err(PlanError::Rate);
        }
        Ok(())
    }
}

/// Reasons why nothing can be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum PlanError {
    #[error("nothing to tune")]
    NoParameter,
    /// A parameter that cannot be tuned.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("at least one iteration of at least one pair is needed")]
    NoGames,
    #[error("a rate above 0 and not above 1 is needed")]
    Rate,
}

/// Two sets of values to play against each other, in the order of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Number of the iteration, from 0.
    pub iteration: u64,
    /// The values moved by the signs that were drawn.
    pub plus: Vec<i64>,
    /// The values moved the other way.
    pub minus: Vec<i64>,
}

impl State {
    /// The next trial; `None` when all iterations are done.
    ///
    /// Engines take whole numbers, so both sides are rounded, up or down by chance such
    /// that on average each value is played as it is: rounding to the nearest would
    /// hide all that is smaller than one from a parameter with small steps. The chance
    /// is the same for both sides. Their distance is then right on average too, varies
    /// as little as it can, and is never 0 where it should be 1 or more.
    pub fn trial(&self) -> Option<Trial> {
        (self.done < self.plan.iterations).then(|| {
            let sides = self.draws().into_iter().zip(&self.parameters).zip(&self.values);
            let (plus, minus) = sides
                .map(|(((sign, dither), parameter), value)| {
                    let offset = sign * self.perturbation(parameter.step);
                    let played = |value: f64| parameter.clamp((parameter.limit(value) + dither).floor() as i64);
                    (played(value + offset), played(value - offset))
                })
                .unzip();
            Trial { iteration: self.done, plus, minus }
        })
    }

    /// Moves the values towards the side of the last [`trial`](Self::trial) that won more of the
    /// `games`, which are seen from the side of [`Trial::plus`]. Does not move them when all
    /// iterations are done.
    pub fn learn(&mut self, games: Tally) {
        self.step(games.won.cast_signed() - games.lost.cast_signed());
        self.games += games;
    }

    fn step(&mut self, won_minus_lost: i64) {
        if self.done >= self.plan.iterations {
            return;
        }
        let gain = self.gain() * won_minus_lost as f64;
        for (index, (sign, _)) in self.draws().into_iter().enumerate() {
            let parameter = &self.parameters[index];
            let moved = self.values[index] + sign * gain * self.perturbation(parameter.step);
            self.values[index] = parameter.limit(moved);
        }
        self.done += 1;
    }

    /// All pairs, and the number of the first one of this iteration, from 1.
    fn progress(&self) -> (f64, f64) {
        let pairs = f64::from(self.plan.pairs);
        (self.plan.iterations as f64 * pairs, self.done as f64 * pairs + 1.0)
    }

    /// Perturbation of a value with this step in this iteration: c(k).
    fn perturbation(&self, step: f64) -> f64 {
        let (all, now) = self.progress();
        step * (all / now).powf(STEP_DECAY)
    }

    /// By which part of its perturbation one game won moves a value: R(k).
    fn gain(&self) -> f64 {
        let (all, now) = self.progress();
        let put_off = STABILITY * all;
        let fall = ((put_off + all) / (put_off + now)).powf(GAIN_DECAY);
        self.plan.rate * fall * (now / all).powf(2.0 * STEP_DECAY)
    }

    /// The chances of this iteration for each parameter: the sign, 1 or -1, and a number from 0 to
    /// below 1, by which both values are rounded up if their fractions reach above 1 minus it. They
    /// follow from the seed and the iteration's number alone, so that an interrupted tuning ends
    /// like any other.
    fn draws(&self) -> Vec<(f64, f64)> {
        let key = Xoshiro256PlusPlus::seed_from_u64(self.plan.seed).next_u64();
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(key ^ self.done);
        let draw = |_: &Parameter| (if chance.random::<bool>() { 1.0 } else { -1.0 }, chance.random());
        self.parameters.iter().map(draw).collect()
    }
}

#[cfg(test)]
mod tests;

//! What is to be trained, and how.

use std::f64::consts::PI;
use std::fmt;

use crate::dataset::Dataset;
use crate::shape::Shape;

/// A plan of training. Together with the data it decides the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The network.
    pub shape: Shape,
    /// Decides the first numbers and the order of positions.
    pub seed: u64,
    /// How often each position is seen.
    pub epochs: u64,
    /// Positions for each step.
    pub batch: usize,
    /// Parts of a batch that can be worked on at the same time; the sums of
    /// floating-point numbers depend on it.
    pub slices: usize,
    /// Learning rate at its highest.
    pub rate: f64,
    /// Learning rate at the end, which a half wave of a cosine leads to.
    pub final_rate: f64,
    /// Weight decay (AdamW).
    pub decay: f64,
    /// Centipawns: a score s is taken for a share of points of 1 / (1 + e^(-s / scale)).
    pub scale: f64,
    /// What is learnt is a mixture of result and score: the share of the result at the
    /// beginning and at the end.
    pub result_share: [f64; 2],
    /// The last part of the training, in which numbers are rounded as in the file.
    pub rounded_share: f64,
}

/// Steps in which the learning rate rises to its highest.
const WARM_UP: u64 = 200;

impl Default for Plan {
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            seed: 1,
            epochs: 6,
            batch: 16_384,
            slices: 4,
            rate: 1e-3,
            final_rate: 1e-5,
            decay: 0.01,
            scale: 400.0,
            result_share: [0.0, 0.0],
            rounded_share: 0.1,
        }
    }
}

/// Why a plan is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A number is out of range.
    #[error("{0} is out of range")]
    Range(&'static str),
    /// There is nothing to learn from or to test with.
    #[error("there are {training} positions to train on and {validation} to test with; some of each are needed")]
    Data {
        /// For training.
        training: usize,
        /// For testing.
        validation: usize,
    },
}

impl Plan {
    /// Whether the plan can be carried out.
    pub(super) fn check(&self, data: &Dataset) -> Result<(), PlanError> {
        let share = |share: f64| (0.0..=1.0).contains(&share);
        for (name, fits) in [
            ("the number of epochs", self.epochs > 0),
            ("the batch", self.batch > 0),
            ("the number of slices", (1..=256).contains(&self.slices)),
            ("the learning rate", self.rate > 0.0 && self.rate < 1.0),
            ("the final learning rate", self.final_rate > 0.0 && self.final_rate <= self.rate),
            ("the weight decay", (0.0..1.0).contains(&self.decay)),
            ("the scale", (1.0..=10_000.0).contains(&self.scale)),
            ("the share of the result", self.result_share.into_iter().all(share)),
            ("the rounded share", share(self.rounded_share)),
        ] {
            if !fits {
                return Err(PlanError::Range(name));
            }
        }
        let (training, validation) = (data.len(), data.validation_len());
        let fits = (1..=u32::MAX as usize).contains(&training) && validation > 0;
        if fits { Ok(()) } else { Err(PlanError::Data { training, validation }) }
    }

    /// The learning rate of step `batch` (from 0) of `batches`.
    pub(super) fn rate(&self, batch: u64, batches: u64) -> f64 {
        let warm_up = WARM_UP.min(batches / 10);
        if batch < warm_up {
            return self.rate * (batch + 1) as f64 / warm_up as f64;
        }
        let done = batch as f64 / batches.max(1) as f64;
        self.final_rate + (self.rate - self.final_rate) * 0.5 * (1.0 + (PI * done).cos())
    }

    /// The share of the result when so much of the training is done.
    pub(super) fn result_share(&self, done: f64) -> f64 {
        let [first, last] = self.result_share;
        first + (last - first) * done
    }
}

impl fmt::Display for Plan {
    /// One line, as checkpoints and records of trainings have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, seed, epochs, batch, slices, rate, final_rate, decay, scale, .. } = self;
        let [first, last] = self.result_share;
        write!(
            f,
            "{shape} seed={seed} epochs={epochs} batch={batch} slices={slices} rate={rate}..{final_rate} decay={decay} \
             scale={scale} result={first}..{last} rounded={}",
            self.rounded_share
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_quickly_and_falls_to_its_end() {
        let plan = Plan::default();
        let rates: Vec<f64> = (0..10_000).map(|batch| plan.rate(batch, 10_000)).collect();
        assert!(rates[0] < 0.01 * plan.rate && rates[199] == plan.rate);
        assert!(rates[200..].windows(2).all(|pair| pair[1] < pair[0]));
        assert!((rates[9999] / plan.final_rate - 1.0).abs() < 0.01);
        assert!((1..5).all(|batch| plan.rate(batch, 5) < plan.rate(batch - 1, 5)));
    }

    #[test]
    fn plans_of_no_use_are_refused() {
        let data = Dataset::default();
        let refused = |plan: Plan| plan.check(&data).expect_err("of no use");
        assert_eq!(refused(Plan::default()), PlanError::Data { training: 0, validation: 0 });
        for plan in [
            Plan { epochs: 0, ..Plan::default() },
            Plan { final_rate: 0.1, ..Plan::default() },
            Plan { rate: f64::NAN, ..Plan::default() },
            Plan { result_share: [0.0, 1.1], ..Plan::default() },
            Plan { scale: 0.0, ..Plan::default() },
        ] {
            assert!(matches!(refused(plan), PlanError::Range(_)));
        }
    }
}

//! The plan of a training: its hyperparameters.

use std::f64::consts::PI;
use std::fmt;

use clap::Args;

use crate::shape::Shape;

/// The hyperparameters of a training, most of them arguments of a command. With the data they
/// determine the network.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Plan {
    /// The network.
    #[arg(skip)]
    pub shape: Shape,
    /// Seed; the same seed, plan and data give the same network
    #[arg(long, default_value_t = Plan::default().seed)]
    pub seed: u64,
    /// Passes over the positions
    #[arg(long, default_value_t = Plan::default().epochs)]
    pub epochs: u64,
    /// Positions in each batch
    #[arg(long, default_value_t = Plan::default().batch)]
    pub batch: usize,
    // Floating-point sums depend on their number.
    /// Parts of a batch that are computed in parallel
    #[arg(long, default_value_t = Plan::default().slices)]
    pub slices: usize,
    /// Learning rate at its highest
    #[arg(long, default_value_t = Plan::default().rate)]
    pub rate: f64,
    /// Learning rate at the end, after cosine decay
    #[arg(long, default_value_t = Plan::default().final_rate)]
    pub final_rate: f64,
    /// Weight decay (AdamW)
    #[arg(long, default_value_t = Plan::default().decay)]
    pub decay: f64,
    /// Centipawns: a score s means a share of points of 1 / (1 + e^(-s / scale)).
    #[arg(skip)]
    pub scale: f64,
    /// The weight of the result in the target, at the start and at the end; the rest is the
    /// score's.
    #[arg(skip)]
    pub result_share: [f64; 2],
    /// Share of the training, its last, with weights rounded as in the file
    #[arg(long, value_name = "SHARE", default_value_t = Plan::default().rounded_share)]
    pub rounded_share: f64,
}

/// Steps of linear warm-up.
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

/// The reason why a plan cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum PlanError {
    #[error("{0} is out of range")]
    Range(&'static str),
    #[error("{training} training and {validation} validation positions are not enough")]
    Data { training: usize, validation: usize },
}

impl Plan {
    /// Checks that the plan can be carried out with this many positions in each shard.
    pub(super) fn check(&self, shards: impl Iterator<Item = usize>, validation: usize) -> Result<(), PlanError> {
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
        let (training, fits) = shards.fold((0, validation > 0), |(sum, fits), shard| {
            (sum + shard, fits && (1..=u32::MAX as usize).contains(&shard))
        });
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

    /// The weight of the result after the share `done` of the training.
    pub(super) fn result_share(&self, done: f64) -> f64 {
        let [first, last] = self.result_share;
        first + (last - first) * done
    }
}

impl fmt::Display for Plan {
    /// One line, as in checkpoints and logs.
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
    fn plans_out_of_range_are_refused() {
        let refused = |plan: Plan| plan.check([0].into_iter(), 0).expect_err("out of range");
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

//! The course of a training.

/// The losses at one step of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Batches trained so far.
    pub batch: u64,
    /// Mean loss of the batches since the last point.
    pub training: f64,
    /// Mean loss on the validation positions.
    pub validation: f64,
    /// The learning rate.
    pub rate: f64,
}

/// The state of a training after a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Batches trained so far.
    pub batch: u64,
    /// Batches in all.
    pub batches: u64,
    /// Positions in each.
    pub positions: u64,
    /// The point of the curve that this batch ended, if any.
    pub point: Option<Point>,
}

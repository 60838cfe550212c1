//! The win probability of a score.

use enbu_eval::Evaluation;

/// The logistic curve from centipawns to the expected share of points:
/// `1 / (1 + e^(-score / scale))`.
///
/// Enbu's own networks hold the scale that was fitted to the results of their games. For
/// other evaluations 600 centipawns are assumed, the usual constant of shogi programs.
///
/// ```
/// use enbu_analysis::Curve;
/// let curve = Curve::new(600);
/// assert_eq!(curve.win_probability(0), 0.5);
/// assert!(curve.win_probability(600) > 0.73);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    scale_cp: i32,
}

/// Scale of evaluations that hold none.
const USUAL_SCALE_CP: i32 = 600;

impl Curve {
    /// The curve with this scale in centipawns, at least 1.
    pub fn new(scale_cp: i32) -> Self {
        Self { scale_cp: scale_cp.max(1) }
    }

    /// The curve of an evaluation.
    pub fn of(evaluation: &Evaluation) -> Self {
        match evaluation {
            Evaluation::Network { network, scale } if !network.takes_scale() => Self::new(*scale),
            _ => Self::new(USUAL_SCALE_CP),
        }
    }

    /// Win probability of a score in centipawns, 0 to 1.
    pub fn win_probability(self, score_cp: i32) -> f64 {
        1.0 / (1.0 + (-f64::from(score_cp) / f64::from(self.scale_cp)).exp())
    }

    /// The scale in centipawns.
    pub const fn scale_cp(self) -> i32 {
        self.scale_cp
    }
}

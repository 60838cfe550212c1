//! The loss: squared error of the expected share of points.

use crate::entry::Entry;

/// The target of training: the expected share of points for the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Centipawns: a score s means a share of 1 / (1 + e^(-s / scale)).
    pub(crate) scale: f32,
    /// Weight of the game's result; the rest is the score's.
    pub(crate) result_share: f32,
}

impl Target {
    #[inline(always)]
    pub(crate) fn of(self, entry: &Entry) -> f32 {
        let result = 0.5 + 0.5 * f32::from(entry.result);
        let score = sigmoid(f32::from(entry.score) / self.scale);
        self.result_share * result + (1.0 - self.result_share) * score
    }
}

/// e^x to about seven digits, with equal bits on every system; positive and finite.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    let power = (x * std::f32::consts::LOG2_E).round();
    // ln 2 in two parts, so that the difference is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (0.166_666_67 + rest * (0.041_666_66 + rest * (0.008_333_4 + rest * 0.001_39)))));
    series * f32::from_bits(((power as i32 + 127) << 23) as u32)
}

/// The expected share of points of an output.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_close_and_finite() {
        for step in -800..=800 {
            let x = step as f32 * 0.1;
            assert!((f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(exp(f32::INFINITY).is_finite() && exp(f32::NEG_INFINITY) > 0.0);
        assert_eq!(sigmoid(0.0), 0.5);
    }
}

//! Labels from the rest of a game.
//!
//! All positions of a game share its result, and they are similar: a network memorises it.
//! The score of a shallow search has a short horizon. The label between both is the
//! weighted mean of the scores of the following moves, with weights that decay by a factor
//! a move and the result at the end: the forward view of TD(λ) (Sutton 1988).

use crate::source::Sample;

/// The weights of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foresight {
    /// λ: the decay of the weights with each move, from 0 (only the position's own score)
    /// to 1 (only the result).
    pub share: f64,
    /// Centipawns: a score s means a share of points of 1 / (1 + e^(-s / scale)).
    pub scale: f64,
}

/// The weight below which the rest of a game is ignored.
const LEAST: f64 = 1e-3;

/// The bound of a label as a share of points.
const CERTAIN: f64 = 0.999;

impl Foresight {
    /// The label as the expected share of points for the side to move.
    ///
    /// ```
    /// use enbu_learn::Foresight;
    /// use enbu_learn::GameResult;
    /// use enbu_learn::source::Sample;
    /// use enbu_movegen::{Color, Position};
    /// let position = Position::startpos();
    /// let sample =
    ///     Sample { position: &position, score: 0, mv: None, result: GameResult::Win(Color::Black), later: Some(&[]) };
    /// assert_eq!(Foresight { share: 0.25, scale: 600.0 }.outlook(&sample), 0.75 * 0.5 + 0.25);
    /// ```
    pub fn outlook(&self, sample: &Sample<'_>) -> f64 {
        let later = sample.later.unwrap_or_default().iter().map(|scored| scored.score);
        let (mut outlook, mut left, mut sign) = (0.0, 1.0, 1.0);
        for score in std::iter::once(sample.score).chain(later) {
            outlook += left * (1.0 - self.share) / (1.0 + (-sign * f64::from(score) / self.scale).exp());
            left *= self.share;
            sign = -sign;
            if left < LEAST {
                return outlook / (1.0 - left);
            }
        }
        let result = 0.5 + 0.5 * f64::from(sample.result.for_side(sample.position.turn()));
        outlook + left * result
    }

    /// The label as a score; the position's own if the rest of the game is unknown.
    pub fn score(&self, sample: &Sample<'_>) -> i16 {
        if sample.later.is_none() {
            return sample.score;
        }
        let outlook = self.outlook(sample).clamp(1.0 - CERTAIN, CERTAIN);
        // The cast saturates.
        (self.scale * (outlook / (1.0 - outlook)).ln()).round() as i16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameResult, ScoredMove};
    use enbu_movegen::{Color, Position};

    #[test]
    fn later_scores_count_for_the_side_that_moved_then() {
        let position = Position::startpos();
        let scored = |score| ScoredMove { mv: "7g7f".parse().expect("a move"), score };
        let foresight = |share| Foresight { share, scale: 500.0 };
        let sample = |score, later| {
            let later = Some(later);
            Sample { position: &position, score, mv: None, result: GameResult::Draw, later }
        };
        let (far, up, down) = ([scored(-5000)], [scored(-700)], [scored(700)]);
        assert_eq!(foresight(0.0).score(&sample(300, &far)), 300);
        // The opponent thinks that he is worse.
        let better = foresight(0.5).score(&sample(300, &up));
        let worse = foresight(0.5).score(&sample(300, &down));
        assert!((301..500).contains(&better) && worse < 0, "{better} {worse}");
        let steady: Vec<ScoredMove> = (0..200).map(|ply| scored(if ply % 2 == 0 { -300 } else { 300 })).collect();
        assert_eq!(foresight(0.9).score(&sample(300, &steady)), 300);
        let alone = Sample { later: None, ..sample(300, &[]) };
        assert_eq!(foresight(0.9).score(&alone), 300);
        let lost = Sample { result: GameResult::Win(Color::White), ..sample(0, &[]) };
        assert_eq!(foresight(1.0).score(&lost), (500.0 * (1.0_f64 / 999.0).ln()).round() as i16);
    }
}

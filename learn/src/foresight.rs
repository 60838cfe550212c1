//! What the rest of a game says about a position.
//!
//! The result of a game is the same for all its positions, which lie close together: a
//! network learns it by heart. The score of a search sees only so far. Between them
//! stands what the searches after the next moves thought, each counting less than the
//! one before, with the result behind the last: TD(λ) (Sutton 1988), looking forward.

use crate::source::Sample;

/// How far to look ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foresight {
    /// λ: what a move later counts against the move before it, from 0 (only the search's
    /// own score) to 1 (only the result).
    pub share: f64,
    /// Centipawns: a score s is taken for a share of points of 1 / (1 + e^(-s / scale)).
    pub scale: f64,
}

/// What counts less is not looked at.
const LEAST: f64 = 1e-3;

/// No outlook is more certain than that.
const CERTAIN: f64 = 0.999;

impl Foresight {
    /// The share of points that the side to move makes, by the rest of the game.
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

    /// The same as a score; the search's own where the rest of the game is not known.
    pub fn score(&self, sample: &Sample<'_>) -> i16 {
        if sample.later.is_none() {
            return sample.score;
        }
        let outlook = self.outlook(sample).clamp(1.0 - CERTAIN, CERTAIN);
        // Saturates.
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

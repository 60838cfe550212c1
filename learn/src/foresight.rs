//! Labels from the rest of a game.
//!
//! All positions of a game share its result, and they are similar: a network memorises it.
//! The score of a shallow search has a short horizon. The label between both is the
//! weighted mean of the scores of the following moves, with weights that decay by a factor
//! a move and the result at the end: the forward view of TD(λ) (Sutton 1988).

use enbu_movegen::Color;

use crate::game::Game;

/// The weights of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foresight {
    /// λ: the decay of the weights with each move, from 0 (only the position's own score)
    /// to 1 (only the result).
    pub share: f64,
    /// Centipawns: a score s means a share of points of 1 / (1 + e^(-s / scale)).
    pub scale: f64,
}

/// The bound of a label as a share of points.
const CERTAIN: f64 = 0.999;

impl Foresight {
    /// The labels of a game's scored positions in centipawns for the side to move: from the
    /// last on, each is the mean of its score and of what the label after it leaves.
    ///
    /// ```
    /// use enbu_learn::{Ending, Foresight, Game, GameResult, ScoredMove};
    /// let moves = ["7g7f", "3c3d"].map(|text| ScoredMove { mv: text.parse().expect("a move"), score: 0 }).to_vec();
    /// let game = Game { start: None, opening: Vec::new(), moves, result: GameResult::Draw, ending: Ending::Unknown };
    /// assert_eq!(Foresight { share: 0.9, scale: 600.0 }.labels(&game), [0, 0]);
    /// ```
    pub fn labels(&self, game: &Game) -> Vec<i16> {
        let first = game.start.as_ref().map_or(Color::Black, |setup| setup.turn);
        let plies = game.opening.len() + game.moves.len();
        let last = if plies.is_multiple_of(2) { first } else { !first };
        let mut outlook = 0.5 + 0.5 * f64::from(game.result.for_side(last));
        let label = |score: i16| {
            let share = 1.0 / (1.0 + (-f64::from(score) / self.scale).exp());
            outlook = (1.0 - self.share) * share + self.share * (1.0 - outlook);
            let bounded = outlook.clamp(1.0 - CERTAIN, CERTAIN);
            // The cast saturates.
            (self.scale * (bounded / (1.0 - bounded)).ln()).round() as i16
        };
        let mut labels: Vec<i16> = game.moves.iter().rev().map(|scored| scored.score).map(label).collect();
        labels.reverse();
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, GameResult, ScoredMove};

    #[test]
    fn later_scores_count_for_the_side_that_moved_then() {
        let label = |share, scores: &[i16], result| {
            let moves = scores.iter().map(|&score| ScoredMove { mv: "7g7f".parse().expect("a move"), score }).collect();
            let game = Game { start: None, opening: Vec::new(), moves, result, ending: Ending::Unknown };
            let labels = Foresight { share, scale: 500.0 }.labels(&game);
            assert_eq!(labels.len(), scores.len());
            labels[0]
        };
        let draw = GameResult::Draw;
        assert_eq!(label(0.0, &[300, -5000], draw), 300);
        // The opponent thinks that he is worse.
        let (better, worse) = (label(0.5, &[300, -700], draw), label(0.5, &[300, 700], draw));
        assert!((301..500).contains(&better) && worse < 0, "{better} {worse}");
        let steady: Vec<i16> = (0..201).map(|ply| if ply % 2 == 0 { 300 } else { -300 }).collect();
        assert_eq!(label(0.9, &steady, draw), 300);
        let certain = (500.0 * (1.0_f64 / 999.0).ln()).round() as i16;
        for (plies, expected) in [(1, certain), (2, certain), (7, certain)] {
            assert_eq!(label(1.0, &vec![0; plies], GameResult::Win(Color::White)), expected);
        }
        assert_eq!(label(0.25, &[0], GameResult::Win(Color::Black)), (500.0 * (0.625_f64 / 0.375).ln()).round() as i16);
    }
}

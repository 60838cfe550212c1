//! Counts of games and positions.

use std::collections::BTreeMap;
use std::fmt;

use enbu_movegen::Move;

use crate::game::{Ending, Game, MATE_SCORE};
use crate::source::Sample;

/// The step of the score histogram in centipawns.
const STEP: usize = 50;
/// The highest step of the score histogram; higher scores are counted there.
const HIGHEST: usize = 3000;
const STEPS: usize = 2 * HIGHEST / STEP + 1;
const PLY_STEP: usize = 20;
const PLY_STEPS: usize = 17;

const PROPERTIES: [&str; 5] = ["in check", "capture best", "promotion best", "drop best", "mate in sight"];

/// Names of endings, in the order of [`Ending::ALL`].
const ENDINGS: [&str; Ending::ALL.len()] =
    ["mate", "declaration", "repetition", "perpetual check", "move limit", "score", "unknown"];

/// Counts of games and positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    games: u64,
    opening_plies: u64,
    endings: [u64; Ending::ALL.len()],
    /// Drawn, won by Black, won by White.
    results: [u64; 3],
    positions: u64,
    properties: [u64; PROPERTIES.len()],
    plies: [u64; PLY_STEPS],
    /// By steps of the score: positions, and the points made from them doubled.
    scores: BTreeMap<usize, (u64, u64)>,
}

impl Statistics {
    /// Counts a game, without its positions.
    pub fn add_game(&mut self, game: &Game) {
        self.games += 1;
        self.opening_plies += game.opening.len() as u64;
        self.endings[game.ending as usize] += 1;
        self.results[usize::from(game.result.number())] += 1;
    }

    /// Counts a position.
    pub fn add(&mut self, sample: &Sample<'_>) {
        let Sample { position, score, mv, result, .. } = *sample;
        self.positions += 1;
        let is_mate = score.unsigned_abs() >= MATE_SCORE.unsigned_abs();
        for (count, holds) in self.properties.iter_mut().zip([
            position.in_check(),
            mv.is_some_and(|mv| position.piece_at(mv.to()).is_some()),
            mv.is_some_and(Move::is_promotion),
            mv.is_some_and(Move::is_drop),
            is_mate,
        ]) {
            *count += u64::from(holds);
        }
        self.plies[(usize::from(position.ply() - 1) / PLY_STEP).min(PLY_STEPS - 1)] += 1;
        if !is_mate {
            self.add_score(score, result.for_side(position.turn()));
        }
    }

    /// Counts a score and the result, both for the side to move.
    pub(crate) fn add_score(&mut self, score: i16, result: i8) {
        let limit = HIGHEST as i32;
        let step = (i32::from(score).clamp(-limit, limit) + limit + STEP as i32 / 2) as usize / STEP;
        let (count, points) = self.scores.entry(step).or_default();
        *count += 1;
        *points += (1 + i64::from(result)) as u64;
    }

    /// The scale K for which a share of points of 1 / (1 + e^(-score / K)) fits the
    /// results best (least cross-entropy), in centipawns; `None` without positions.
    pub fn fitted_scale(&self) -> Option<f64> {
        self.scores.range(1..STEPS - 1).next()?;
        // The loss is unimodal in ln K: golden-section search.
        let (mut low, mut high) = (20_f64.ln(), 20_000_f64.ln());
        let ratio = (5_f64.sqrt() - 1.0) / 2.0;
        for _ in 0..60 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            if self.loss(left.exp()) < self.loss(right.exp()) {
                high = right;
            } else {
                low = left;
            }
        }
        Some(low.midpoint(high).exp())
    }

    /// Cross-entropy of the results with scores scaled by `scale`, without the outermost
    /// steps, which hold scores of any size.
    fn loss(&self, scale: f64) -> f64 {
        let each = self.scores.range(1..STEPS - 1);
        each.map(|(step, &(count, points))| {
            let score = (step * STEP) as f64 - HIGHEST as f64;
            let expected = 1.0 / (1.0 + (-score / scale).exp());
            let won = points as f64 / 2.0;
            -(won * expected.ln() + (count as f64 - won) * (1.0 - expected).ln())
        })
        .sum()
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / (whole as f64).max(1.0)
}

impl fmt::Display for Statistics {
    /// A table for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, .. } = *self;
        if games > 0 {
            writeln!(f, "games {games}")?;
            let plies = (positions + self.opening_plies) as f64 / games as f64;
            writeln!(f, "  plies a game {plies:.1}, opening {:.1}", self.opening_plies as f64 / games as f64)?;
            let [draws, black, white] = self.results.map(|count| percent(count, games));
            writeln!(f, "  black won {black:.1} %, white won {white:.1} %, drawn {draws:.1} %")?;
            write!(f, "  ended by")?;
            for (name, &count) in ENDINGS.iter().zip(&self.endings).filter(|&(_, &count)| count > 0) {
                write!(f, " {name} {:.1} %", percent(count, games))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "positions {positions}")?;
        for (name, count) in PROPERTIES.into_iter().zip(self.properties) {
            writeln!(f, "  {name} {:.1} %", percent(count, positions))?;
        }
        write!(f, "  by ply")?;
        for (step, &count) in self.plies.iter().enumerate().filter(|&(_, &count)| count > 0) {
            write!(f, " {}:{:.1}%", step * PLY_STEP + 1, percent(count, positions))?;
        }
        writeln!(f)?;
        writeln!(f, "  score: positions, points made")?;
        for (&step, &(count, points)) in self.scores.iter().filter(|&(step, _)| step.is_multiple_of(4)) {
            let score = step as i64 * STEP as i64 - HIGHEST as i64;
            writeln!(f, "  {score:>6} {count:>10} {:>5.1} %", percent(points, 2 * count))?;
        }
        match self.fitted_scale() {
            Some(scale) => write!(f, "  points fit 1 / (1 + exp(-score / {scale:.0}))"),
            None => write!(f, "  no scores to fit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use enbu_movegen::{Color, Position};

    fn statistics(scale: f64) -> Statistics {
        let mut statistics = Statistics::default();
        let position = Position::startpos();
        for score in (-2000..=2000).step_by(STEP) {
            let share = 1.0 / (1.0 + (-f64::from(score) / scale).exp());
            for number in 0..100 {
                let won = f64::from(number) < (100.0 * share).round();
                let result = GameResult::from_side(if won { 1 } else { -1 }, Color::Black);
                let mv = "7g7f".parse().ok();
                statistics.add(&Sample { position: &position, score: score as i16, mv, result });
            }
        }
        statistics
    }

    #[test]
    fn the_scale_of_made_up_results_is_found() {
        // The shares are rounded to hundredths, which makes steep curves steeper.
        for scale in [150.0, 400.0, 900.0] {
            let found = statistics(scale).fitted_scale().expect("scores");
            assert!((found / scale - 1.0).abs() < 0.04, "{scale}: {found}");
        }
        assert_eq!(Statistics::default().fitted_scale(), None);
    }

    #[test]
    fn counts_add_up() {
        let statistics = statistics(400.0);
        assert_eq!(statistics.positions, 8100);
        assert_eq!(statistics.scores.values().map(|&(count, _)| count).sum::<u64>(), 8100);
        let text = statistics.to_string();
        assert!(text.contains("positions 8100\n  in check 0.0 %") && text.contains("0        100  50.0 %"), "{text}");
    }
}

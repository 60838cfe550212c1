//! Figures of a game: accuracy, agreement, classes, and the move that decided it.

use crate::class::Class;
use crate::report::{GameReport, MoveReport, Side, SideReport};

/// Win probability from which a position was not yet lost.
const STILL_OPEN: f64 = 0.4;

/// Least loss of the move that decided the game.
const LEAST_DECISIVE_LOSS: f64 = 0.05;

/// Adds the figures to a report with positions and moves.
pub(crate) fn add(report: &mut GameReport) {
    report.black = of_side(report, Side::Black);
    report.white = of_side(report, Side::White);
    report.deciding_ply = deciding(report);
}

/// Accuracy of a move, 0 to 100, by the curve that Lichess publishes: 100 without loss,
/// 64 at a loss of 10 % of win probability, 0 from 78 % on.
pub(crate) fn accuracy(loss: f64) -> f64 {
    (103.1669 * (-0.04354 * loss * 100.0).exp() - 3.1669).clamp(0.0, 100.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64;
    (!values.is_empty()).then_some((mean * 1e3).round() / 1e3)
}

fn of_side(report: &GameReport, side: Side) -> SideReport {
    let judged: Vec<&MoveReport> = report.moves.iter().filter(|mv| mv.side == side && mv.class.is_some()).collect();
    let loss = |mv: &&MoveReport| mv.loss.unwrap_or(0.0);
    let accuracy_in = |phase: usize| {
        let moves = judged.iter().filter(|mv| self::phase(report, mv.ply) == phase);
        mean(moves.map(|mv| accuracy(loss(mv))))
    };
    SideReport {
        moves: judged.len(),
        accuracy: mean(judged.iter().map(|mv| accuracy(loss(mv)))),
        agreement: mean(judged.iter().map(|mv| f64::from(u8::from(mv.first_choice)))),
        mean_loss: mean(judged.iter().map(loss)),
        accuracy_of_phases: [0, 1, 2].map(accuracy_in),
        classes: Class::ALL.map(|class| judged.iter().filter(|mv| mv.class == Some(class)).count()),
        missed_mates: judged.iter().filter(|mv| mv.missed_mate.is_some()).count(),
    }
}

/// Phase of a move: 0 opening, 1 middlegame, 2 endgame.
pub(crate) fn phase(report: &GameReport, ply: usize) -> usize {
    let [middlegame, endgame] = report.phases.map(|begin| begin.is_some_and(|begin| ply >= begin));
    if endgame { 2 } else { usize::from(middlegame) }
}

/// The move that decided the game: of the loser's moves since its position was last open,
/// the one with the greatest loss.
fn deciding(report: &GameReport) -> Option<usize> {
    let winner = report.winner?;
    let for_loser = |win: f64| if winner == Side::White { win } else { 1.0 - win };
    let own = |ply: usize| report.moves.get(ply).is_some_and(|mv| mv.side != winner);
    let mut open = report.positions.iter().filter(|position| own(position.ply));
    let last = open.rfind(|position| position.win.is_some_and(|win| for_loser(win) >= STILL_OPEN));
    let since = last.map_or(0, |position| position.ply);
    let losses = report.moves.iter().filter(|mv| mv.side != winner && mv.ply > since);
    let losses = losses.filter_map(|mv| mv.loss.map(|loss| (loss, mv.ply)));
    // The first of equal ones.
    let greatest = losses.reduce(|most, next| if next.0 > most.0 { next } else { most });
    greatest.filter(|&(loss, _)| loss >= LEAST_DECISIVE_LOSS).map(|(_, ply)| ply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert!((accuracy(0.0) - 100.0).abs() < 0.01);
        assert!((accuracy(0.1) - 63.6).abs() < 0.5);
        assert_eq!(accuracy(1.0), 0.0);
    }
}

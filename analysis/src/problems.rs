//! Next-move problems from the blunders of a game.

use crate::class::Class;
use crate::report::GameReport;

/// Least win probability that the answer must be ahead of the move that was played.
pub(crate) const LEAST_LOSS: f64 = 0.2;

/// Least win probability that the answer must be ahead of every other move.
const LEAST_LEAD: f64 = 0.05;

/// The problems of a game, one a line: the position as SFEN, then, separated by tabs,
/// `bm` with the answer's line, another `bm` for each further first move that mates, `am`
/// with the move that was played, the loss in percent, and the game. Every missed mate of the
/// main line is one, and every blunder with only one good answer.
pub fn problems(report: &GameReport) -> Vec<String> {
    let mut problems = Vec::new();
    for (position, mv) in report.positions.iter().zip(&report.moves) {
        let Some(loss) = mv.loss else { continue };
        let has_one_answer = mv.second_loss.is_none_or(|loss| loss >= LEAST_LEAD);
        let is_blunder = mv.class == Some(Class::Blunder) && loss >= LEAST_LOSS && has_one_answer;
        if !is_blunder && mv.missed_mate.is_none() {
            continue;
        }
        let best = position.lines.first().map(|line| line.moves.clone()).unwrap_or_default();
        let answer = mv.missed_mate.as_ref().unwrap_or(&best);
        if answer.is_empty() {
            continue;
        }
        let kind = if mv.missed_mate.is_some() { "mate" } else { "blunder" };
        let file: String = report.source.file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let others = mv.mating_moves.iter().filter(|&first| Some(first) != answer.first());
        problems.push(format!(
            "{}\tbm {}{}\tam {}\t{kind} {:.1}\t{file}#{} move {}",
            position.sfen,
            answer.join(" "),
            others.map(|first| format!("\tbm {first}")).collect::<String>(),
            mv.usi,
            loss * 100.0,
            report.source.game,
            mv.ply
        ));
    }
    problems
}

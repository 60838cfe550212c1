//! Next-move problems from the blunders and missed mates of a game: lines with `bm` and `am`, and
//! ShogiHome's collections (`shogihome-next-move`, version 1).

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::class::Class;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, Score, Side};
use crate::settings::{Limit, Settings};

/// Least win probability that the answer must be ahead of the move that was played.
pub(crate) const LEAST_LOSS: f64 = 0.2;

/// Least win probability that the answer must be ahead of every other move; a move with less is as good.
const LEAST_LEAD: f64 = 0.05;

/// A next-move problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// SFEN, then, separated by tabs, `bm` with the answer's line, another `bm` for each further first move that
    /// mates, `am` with the move that was played, the loss in percent, and the game.
    pub line: String,
    /// The problem in ShogiHome's format.
    pub json: Value,
}

/// The problems of a game: every missed mate of the main line, and every blunder with only one good answer.
pub fn problems(report: &GameReport) -> Vec<Problem> {
    (0..report.moves.len()).filter_map(|index| problem(report, index)).collect()
}

fn problem(report: &GameReport, index: usize) -> Option<Problem> {
    let (position, mv) = (report.positions.get(index)?, report.moves.get(index)?);
    let loss = mv.loss?;
    let has_one_answer = mv.second_loss.is_none_or(|loss| loss >= LEAST_LEAD);
    let is_blunder = mv.class == Some(Class::Blunder) && loss >= LEAST_LOSS && has_one_answer;
    if !is_blunder && mv.missed_mate.is_none() {
        return None;
    }
    let lines = lines(position, mv);
    let win = |line: &BestLine| plies(line, mv.side).map_or_else(|| win_of(line, mv.side), |_| 1.0);
    let (best, others) = lines.split_first()?;
    let is_right = |line: &BestLine| match mv.missed_mate {
        Some(_) => plies(line, mv.side).is_some(),
        None => win(best) - win(line) < LEAST_LEAD,
    };
    if lines.iter().any(|line| is_right(line) && line.moves.first() == Some(&mv.usi)) {
        return None;
    }
    let right = others.iter().filter(|line| mv.missed_mate.is_some() && is_right(line));
    let right: String = right.filter_map(|line| Some(format!("\tbm {}", line.moves.first()?))).collect();
    let kind = if mv.missed_mate.is_some() { "mate" } else { "blunder" };
    let file: String = report.source.file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let (sfen, answer, percent) = (&position.sfen, best.moves.join(" "), loss * 100.0);
    let (usi, game, ply) = (&mv.usi, report.source.game, mv.ply);
    let candidates = lines.iter().map(|line| {
        let (score, mate) = points(Some(line.score), 0);
        let depth = position.lines.contains(line).then_some(position.depth);
        let (usi, pv) = (line.moves.first(), &line.moves);
        json!({ "usi": usi, "score": score, "mate": mate, "depth": depth, "accepted": is_right(line), "pv": pv })
    });
    let candidates: Vec<Value> = candidates.collect();
    let after = report.positions.get(index + 1).and_then(|after| after.score);
    let before = index.checked_sub(1).and_then(|before| report.positions.get(before).zip(report.moves.get(before)));
    let (score, mate) = points(after, 1);
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let json = json!({
        "sfen": format!("{} 1", board(sfen)),
        "candidates": candidates,
        "actualMove": { "usi": usi, "score": score, "mate": mate, "scoreSource": "research" },
        "previousMove": before.map(|(at, mv)| json!({ "usi": mv.usi, "sfen": at.sfen })),
        "analysis": { "scoreBeforeMove": points(position.score, 0).0, "scoreAfterMove": points(after, 0).0 },
        "source": {
            "path": report.source.file,
            "ply": ply,
            "blackPlayer": text(&report.black_name),
            "whitePlayer": text(&report.white_name),
            "date": text(&report.date),
        },
    });
    let line = format!("{sfen}\tbm {answer}{right}\tam {usi}\t{kind} {percent:.1}\t{file}#{game} move {ply}");
    Some(Problem { line, json })
}

/// The value without members that are null.
fn whole(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, member)| !member.is_null());
            members.map(|(key, member)| (key, whole(member))).collect()
        }
        Value::Array(items) => items.into_iter().map(whole).collect(),
        other => other,
    }
}

/// A score from Black's view: centipawns, or plies to a mate from a position `earlier` before, negative where White mates.
fn points(score: Option<Score>, earlier: i32) -> (Option<i32>, Option<i32>) {
    match score {
        Some(Score::Cp(cp)) => (Some(cp), None),
        Some(Score::Mate { winner, plies }) => {
            let plies = (i32::from(plies) + earlier).max(1);
            (None, Some(if winner == Side::Black { plies } else { -plies }))
        }
        None => (None, None),
    }
}

/// The first three fields of an SFEN, by which positions are compared.
fn board(sfen: &str) -> &str {
    sfen.rsplit_once(' ').map_or(sfen, |(board, _)| board)
}

/// Plies to a mate by `side`.
fn plies(line: &BestLine, side: Side) -> Option<u16> {
    match line.score {
        Score::Mate { winner, plies } => Some(plies).filter(|_| winner == side),
        Score::Cp(_) => None,
    }
}

fn win_of(line: &BestLine, side: Side) -> f64 {
    if side == Side::Black { line.win } else { 1.0 - line.win }
}

/// The known moves of a position with their lines, the best first.
fn lines<'r>(position: &'r PositionReport, mv: &'r MoveReport) -> Vec<&'r BestLine> {
    let mut known = HashSet::new();
    let all = position.lines.iter().chain(&mv.answers);
    let mut lines: Vec<&BestLine> =
        all.filter(|line| line.moves.first().is_some_and(|first| known.insert(first))).collect();
    let rank = |line: &BestLine| plies(line, mv.side).unwrap_or(u16::MAX);
    let better = |one: &&BestLine, other: &&BestLine| win_of(other, mv.side).total_cmp(&win_of(one, mv.side));
    lines.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| better(one, other)));
    lines
}

/// A collection of problems as ShogiHome reads it, each position once; `made` is its date as ISO 8601.
pub fn collection(
    problems: &[Problem],
    title: &str,
    made: &str,
    engine: &str,
    settings: &Settings,
    scale: i32,
) -> String {
    let mut known = HashSet::new();
    let mut problems: Vec<&Value> = problems.iter().map(|problem| &problem.json).collect();
    problems.retain(|problem| known.insert(problem["sfen"].as_str().map(board)));
    let seconds = if let Limit::Time(time) = settings.limit { Some(time.as_secs_f64()) } else { None };
    let file = json!({
        "format": "shogihome-next-move",
        "version": 1,
        "metadata": {
            "title": title,
            "createdAt": made,
            "appVersion": env!("CARGO_PKG_VERSION"),
            "engine": { "name": engine, "multiPV": settings.multi_pv, "maxSecondsPerPosition": seconds },
            "criteria": {
                "winRateDropThreshold": LEAST_LOSS * 100.0,
                "adoptionWinRateDiff": LEAST_LOSS * 100.0,
                "acceptableWinRateDiff": LEAST_LEAD * 100.0,
                "minWinRate": 0,
                "coefficientInSigmoid": scale,
                "minPly": settings.from,
                "maxPly": Some(settings.to).filter(|&to| to < usize::MAX),
            },
        },
        "problems": problems,
    });
    format!("{:#}\n", whole(file))
}

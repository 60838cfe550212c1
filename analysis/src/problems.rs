//! Next-move problems from the blunders and missed mates of a game: lines with `bm` and `am`, and
//! ShogiHome's collections (`shogihome-next-move`, version 1).

use std::collections::HashSet;

use serde::Serialize;
use serde_json::json;

use crate::class::Class;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, Score, Side};
use crate::settings::{Limit, Settings};

/// Least win probability that the answer must be ahead of the move that was played.
pub(crate) const LEAST_LOSS: f64 = 0.2;

/// Least win probability that the answer must be ahead of every other move; a move with less is as good.
const LEAST_LEAD: f64 = 0.05;

/// A next-move problem; its members are those of ShogiHome's format.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The position, numbered as move 1.
    sfen: String,
    candidates: Vec<Candidate>,
    actual_move: ActualMove,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_move: Option<PreviousMove>,
    analysis: Analysis,
    source: Origin,
    /// The problem as a line: SFEN, then, separated by tabs, `bm` with the answer's line, another `bm` for each further
    /// first move that mates, `am` with the move that was played, the loss in percent, and the game.
    #[serde(skip)]
    pub line: String,
}

/// A score from Black's view: centipawns, or plies to a mate, negative where White mates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Points {
    Score(i32),
    Mate(i32),
}

impl Points {
    /// The score of a position, with plies from a position `earlier` before it.
    fn of(score: Score, earlier: u16) -> Self {
        match score {
            Score::Cp(cp) => Self::Score(cp),
            Score::Mate { winner, plies } => {
                let plies = i32::from(plies.saturating_add(earlier).max(1));
                Self::Mate(if winner == Side::Black { plies } else { -plies })
            }
        }
    }

    const fn score(self) -> Option<i32> {
        match self {
            Self::Score(cp) => Some(cp),
            Self::Mate(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Candidate {
    usi: String,
    #[serde(flatten)]
    points: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    accepted: bool,
    pv: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ActualMove {
    usi: String,
    #[serde(flatten)]
    points: Option<Points>,
    score_source: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct PreviousMove {
    usi: String,
    sfen: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Analysis {
    #[serde(skip_serializing_if = "Option::is_none")]
    score_before_move: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_after_move: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    path: String,
    ply: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    black_player: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    white_player: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    date: String,
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
    let candidates = candidates(position, mv);
    let after = report.positions.get(index + 1).and_then(|after| after.score);
    let previous = index.checked_sub(1).and_then(|before| report.positions.get(before).zip(report.moves.get(before)));
    let cp = |score: Option<Score>| score.and_then(|score| Points::of(score, 0).score());
    Some(Problem {
        sfen: format!("{} 1", board(&position.sfen)),
        line: line(report, position, mv, &candidates)?,
        candidates,
        actual_move: ActualMove {
            usi: mv.usi.clone(),
            points: after.map(|score| Points::of(score, 1)),
            score_source: "research",
        },
        previous_move: previous.map(|(at, mv)| PreviousMove { usi: mv.usi.clone(), sfen: at.sfen.clone() }),
        analysis: Analysis { score_before_move: cp(position.score), score_after_move: cp(after) },
        source: Origin {
            path: report.source.file.clone(),
            ply: mv.ply,
            black_player: report.black_name.clone(),
            white_player: report.white_name.clone(),
            date: report.date.clone(),
        },
    })
}

/// The first three fields of an SFEN, by which positions are compared.
fn board(sfen: &str) -> &str {
    sfen.rsplit_once(' ').map_or(sfen, |(board, _)| board)
}

/// The known moves of a position, the best first. Of a mate the accepted ones are those that mate, else
/// those less than [`LEAST_LEAD`] behind the best.
fn candidates(position: &PositionReport, mv: &MoveReport) -> Vec<Candidate> {
    let win = |line: &BestLine| if mv.side == Side::Black { line.win } else { 1.0 - line.win };
    let plies = |line: &BestLine| match line.score {
        Score::Mate { winner, plies } if winner == mv.side => plies,
        _ => u16::MAX,
    };
    let searched = position.lines.iter().map(|line| (line, Some(position.depth)));
    let mut lines: Vec<_> = searched.chain(mv.answers.iter().map(|line| (line, None))).collect();
    let mut known = HashSet::new();
    lines.retain(|(line, _)| line.moves.first().is_some_and(|first| known.insert(first.clone())));
    lines.sort_by(|(one, _), (other, _)| plies(one).cmp(&plies(other)).then(win(other).total_cmp(&win(one))));
    let best = lines.first().map_or(0.0, |(line, _)| win(line));
    let is_accepted = |line: &BestLine| match mv.missed_mate {
        Some(_) => plies(line) < u16::MAX,
        None => best - win(line) < LEAST_LEAD,
    };
    let candidate = |(line, depth): &(&BestLine, Option<u32>)| Candidate {
        usi: line.moves.first().cloned().unwrap_or_default(),
        points: Points::of(line.score, 0),
        depth: *depth,
        accepted: is_accepted(line),
        pv: line.moves.clone(),
    };
    lines.iter().map(candidate).collect()
}

fn line(report: &GameReport, position: &PositionReport, mv: &MoveReport, candidates: &[Candidate]) -> Option<String> {
    let best = candidates.first()?.pv.join(" ");
    let others = candidates.iter().skip(1).filter(|other| other.accepted && mv.missed_mate.is_some());
    let others: String = others.map(|other| format!("\tbm {}", other.usi)).collect();
    let kind = if mv.missed_mate.is_some() { "mate" } else { "blunder" };
    let file: String = report.source.file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let (sfen, usi, loss) = (&position.sfen, &mv.usi, mv.loss.unwrap_or_default() * 100.0);
    let (game, ply) = (report.source.game, mv.ply);
    Some(format!("{sfen}\tbm {best}{others}\tam {usi}\t{kind} {loss:.1}\t{file}#{game} move {ply}"))
}

/// A collection of problems as ShogiHome reads it, each position once; the date of its making as ISO 8601.
pub fn collection(
    problems: &[Problem],
    title: &str,
    made: &str,
    engine: &str,
    settings: &Settings,
    scale: i32,
) -> String {
    let mut known = HashSet::new();
    let problems: Vec<&Problem> = problems.iter().filter(|problem| known.insert(board(&problem.sfen))).collect();
    let mut about = json!({ "name": engine, "multiPV": settings.multi_pv });
    if let (Limit::Time(time), Some(about)) = (settings.limit, about.as_object_mut()) {
        about.insert("maxSecondsPerPosition".to_owned(), json!(time.as_secs_f64()));
    }
    let mut criteria = json!({
        "winRateDropThreshold": LEAST_LOSS * 100.0,
        "adoptionWinRateDiff": LEAST_LOSS * 100.0,
        "acceptableWinRateDiff": LEAST_LEAD * 100.0,
        "minWinRate": 0,
        "coefficientInSigmoid": scale,
        "minPly": settings.from,
    });
    if let Some(criteria) = criteria.as_object_mut().filter(|_| settings.to < usize::MAX) {
        criteria.insert("maxPly".to_owned(), json!(settings.to));
    }
    let metadata = json!({
        "title": title,
        "createdAt": made,
        "appVersion": env!("CARGO_PKG_VERSION"),
        "engine": about,
        "criteria": criteria,
    });
    let file = json!({ "format": "shogihome-next-move", "version": 1, "metadata": metadata, "problems": problems });
    format!("{file:#}\n")
}

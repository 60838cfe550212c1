//! The analysis of a game: every position of its lines, then every move.
//!
//! The moves are judged in a second pass from the start on, when the scores of all
//! positions are known:
//!
//! - A mate that was found holds for the position after its first move as well, and after
//!   another check if every reply to it can be answered by a mate.
//! - A first choice of the search whose score falls by the loss of an inaccuracy at the
//!   position after it is doubted: the other moves are searched, and the better one counts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use enbu_kifu::{Event, GameResult, HeaderKey, Names, NodeId, Record};
use enbu_language::{Language, Words, messages};
use enbu_movegen::{Color, Move, Position};

use crate::analyst::{Analyst, GameRules, IfBusy};
use crate::judged::{Judged, Line};
use crate::phases;
use crate::problems::LEAST_LOSS;
use crate::reason;
use crate::report::{BestLine, FORMAT, GameReport, MoveReport, PositionReport, Score, Side, VariationReport};
use crate::settings::{Order, Scope};
use crate::summary;

messages! {
/// Reason why a game was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The start position cannot be played.
    Position(error: enbu_movegen::PositionError) => "the position cannot be played: {error}", "指し継げない局面です：{error}";
    /// A king is missing.
    NoKing(side: Words) =>
        "the position has no {side} king: a game needs both (`enbu mate` solves problems)",
        "{side}の玉がありません。解析には両方の玉が必要です（詰将棋は `enbu mate` で解けます）";
    /// The caller stopped the analysis.
    Interrupted => "interrupted", "中断しました";
}}

/// A line of the record: the nodes of its moves after a position.
struct Walk {
    parent: Option<usize>,
    /// The moves that lead to its first position.
    path: Vec<Move>,
    moves: Vec<(NodeId, Move)>,
    broken_off: Option<String>,
}

impl Walk {
    /// Moves before the first one.
    fn from(&self) -> usize {
        self.path.len()
    }

    /// The position after this number of its moves.
    fn position(&self, start: &Position, moves: usize) -> Position {
        let mut position = start.clone();
        for &mv in self.path.iter().chain(self.moves.iter().take(moves).map(|(_, mv)| mv)) {
            position.do_move(mv);
        }
        position
    }
}

/// A line with its judgements; those outside the judged moves are `None`.
struct Searched {
    walk: Walk,
    sfens: Vec<String>,
    /// The place of each position's judgement: one for all occurrences of a position, so that these
    /// have one score, as long as the history cannot decide.
    places: Vec<usize>,
    judged: Vec<Option<Judged>>,
}

impl Searched {
    /// The judgement of the position after `index` moves of the line.
    fn judged(&self, index: usize) -> Option<&Judged> {
        self.judged.get(*self.places.get(index)?)?.as_ref()
    }
}

/// Analyses a game. `on_position` is called after each position; when `stop` is set the
/// analysis ends before the next one.
///
/// # Errors
/// [`GameError`] when there is nothing to play, or `stop` was set.
pub fn analyse(
    record: &Record,
    analyst: &mut Analyst,
    stop: &AtomicBool,
    on_position: &mut dyn FnMut(),
) -> Result<GameReport, GameError> {
    let start = Position::from_setup(record.setup()).map_err(GameError::Position)?;
    for (color, name) in [(Color::Black, Words("black", "先手")), (Color::White, Words("white", "後手"))] {
        if start.king(color).is_none() {
            return Err(GameError::NoKing(name));
        }
    }
    let rules = GameRules {
        entering_king: record.rules.entering_king.unwrap_or_default(),
        max_moves: record.rules.max_moves.unwrap_or(0),
    };
    analyst.new_game();
    let mut game = Game { record, start: &start, rules, analyst, stop, on_position };
    let mut lines = walks(record, &start).into_iter().map(|walk| game.search(walk)).collect::<Result<Vec<_>, _>>()?;
    for line in &mut lines {
        game.reconsider(line)?;
    }
    if let Some(main_line) = lines.first_mut() {
        game.find_other_answers(main_line)?;
    }
    let mut report = report(record, &start, lines, analyst);
    reason::explain(&mut report, rules.entering_king, analyst);
    Ok(report)
}

/// The main line and then the variations, each after the line that it leaves.
fn walks(record: &Record, start: &Position) -> Vec<Walk> {
    let mut walks = vec![walk(record, start, None, Vec::new(), record.line_after(record.root()))];
    let mut index = 0;
    while let Some(line) = walks.get(index) {
        let (path, moves) = (line.path.clone(), line.moves.clone());
        let nodes = (index == 0).then(|| record.root()).into_iter().chain(moves.iter().map(|&(id, _)| id));
        for (count, id) in (usize::from(index > 0)..).zip(nodes) {
            for sibling in record.children(id).skip(1) {
                let before = path.iter().copied().chain(moves.iter().take(count).map(|&(_, mv)| mv)).collect();
                let ids = std::iter::once(sibling).chain(record.line_after(sibling));
                let variation = walk(record, start, Some(index), before, ids);
                if !variation.moves.is_empty() {
                    walks.push(variation);
                }
            }
        }
        index += 1;
    }
    walks
}

fn walk(
    record: &Record,
    start: &Position,
    parent: Option<usize>,
    path: Vec<Move>,
    nodes: impl Iterator<Item = NodeId>,
) -> Walk {
    let mut walk = Walk { parent, path, moves: Vec::new(), broken_off: None };
    let mut position = start.clone();
    for &mv in &walk.path {
        if position.play(mv).is_err() {
            return walk;
        }
    }
    for id in nodes {
        match record.node(id).event() {
            Event::Move(mv) => match position.play(*mv) {
                Ok(_) => walk.moves.push((id, *mv)),
                Err(error) => {
                    walk.broken_off = Some(Language::English.render(error));
                    break;
                }
            },
            Event::Foul(mv) => {
                walk.broken_off = Some(format!("move {} ({mv}) breaks the rules", walk.from() + walk.moves.len() + 1));
                break;
            }
            Event::Start | Event::End(_) => break,
        }
    }
    walk
}

/// The analysis of one game.
struct Game<'g> {
    record: &'g Record,
    start: &'g Position,
    rules: GameRules,
    analyst: &'g mut Analyst,
    stop: &'g AtomicBool,
    on_position: &'g mut dyn FnMut(),
}

impl Game<'_> {
    /// Searches the positions of a line.
    fn search(&mut self, walk: Walk) -> Result<Searched, GameError> {
        let (count, from) = (walk.moves.len() + 1, walk.from());
        let settings = &self.analyst.settings;
        let is_judged = walk.parent.is_none() || settings.scope == Scope::Variations;
        let wanted = settings.from.saturating_sub(1)..settings.to.saturating_add(1);
        // A variation shares its first position with the line it leaves.
        let is_wanted = |&index: &usize| is_judged && wanted.contains(&(from + index));
        let mut indices: Vec<usize> = (0..count).filter(is_wanted).collect();
        if settings.order == Order::FromEnd {
            indices.reverse();
        }
        let mut line = Searched { walk, sfens: Vec::new(), places: Vec::new(), judged: vec![None; count] };
        let (mut later, mut known) = (Vec::new(), HashMap::new());
        let mut position = line.walk.position(self.start, 0);
        for index in 0..count {
            line.sfens.push(position.to_setup().to_string());
            let may_share = is_wanted(&index) && self.rules.max_moves == 0;
            let place = match may_share && position.third_boards().is_empty() {
                true => *known.entry(position.key()).or_insert(index),
                false => index,
            };
            line.places.push(place);
            if let Some(&(_, mv)) = line.walk.moves.get(index) {
                position.do_move(mv);
            }
        }
        for index in indices {
            let Some(&place) = line.places.get(index) else { continue };
            let position = line.walk.position(self.start, index);
            if !self.put(&mut line, place, &position, IfBusy::Skip)? {
                later.push((place, position));
            }
        }
        for (place, position) in later {
            self.put(&mut line, place, &position, IfBusy::Wait)?;
        }
        Ok(line)
    }

    /// Judges a position into its place, unless that is known; false while another game searches it.
    fn put(&mut self, line: &mut Searched, place: usize, at: &Position, if_busy: IfBusy) -> Result<bool, GameError> {
        let Some(judged) = line.judged.get_mut(place) else { return Ok(true) };
        if judged.is_none() {
            self.go_on()?;
            *judged = self.analyst.judge(at, self.record.setup(), self.rules, if_busy);
        }
        if judged.is_some() {
            (self.on_position)();
        }
        Ok(judged.is_some())
    }

    /// Fails once the caller has stopped the analysis.
    fn go_on(&self) -> Result<(), GameError> {
        if self.stop.load(Ordering::Relaxed) { Err(GameError::Interrupted) } else { Ok(()) }
    }

    /// The second pass over a line: mates, and doubtful first choices.
    fn reconsider(&mut self, line: &mut Searched) -> Result<(), GameError> {
        let mut position = line.walk.position(self.start, 0);
        for (index, &(_, mv)) in line.walk.moves.iter().enumerate() {
            self.go_on()?;
            let before = position.clone();
            position.do_move(mv);
            let Some(&[place, next]) = line.places.get(index..index + 2) else { break };
            if let Ok([Some(known), Some(after)]) = line.judged.get_disjoint_mut([place, next]) {
                self.follow_mate(known, after, mv, before.turn(), &position);
                self.doubt(known, after, mv, &before);
            }
        }
        Ok(())
    }

    /// Finds other good answers where the played move makes a next-move problem.
    fn find_other_answers(&mut self, line: &mut Searched) -> Result<(), GameError> {
        let mut position = self.start.clone();
        for (index, &(_, mv)) in line.walk.moves.iter().enumerate() {
            let mover = position.turn();
            if let Some([Some(known), Some(after)]) = line.judged.get_mut(index..index + 2)
                && let (Some(best), Some(played)) = (known.score(), after.score())
                && self.analyst.settings.judges(mover)
            {
                self.go_on()?;
                let is_missed = known.mate.is_some() && !mates(played, mover.into());
                if is_missed {
                    known.mates = self.analyst.mating_moves(&position, self.stop);
                }
                let loss = self.analyst.win_of(mover, best) - self.analyst.win_of(mover, played);
                if known.mates.len() < 2 && (is_missed || loss >= LEAST_LOSS) {
                    known.second = self.second_best(known, &position);
                }
            }
            position.do_move(mv);
        }
        Ok(())
    }

    /// The second-best move of a position.
    fn second_best(&mut self, known: &Judged, position: &Position) -> Option<Line> {
        if let Some(line) = known.lines.get(1) {
            return Some(line.clone());
        }
        self.analyst.judge_without(position, known.first_choice()?, self.rules)?.lines.into_iter().next()
    }

    /// Carries a mate over to the position after a move that keeps it.
    fn follow_mate(&mut self, known: &Judged, after: &mut Judged, mv: Move, mover: Color, position: &Position) {
        let winner: Side = mover.into();
        let (Some(mate), false) = (&known.mate, after.score().is_some_and(|score| mates(score, winner))) else {
            return;
        };
        let plies = match known.score() {
            Some(Score::Mate { plies, .. }) if mate.first() == Some(&mv) => Some(plies.saturating_sub(1)),
            _ if mate.first() != Some(&mv) && position.in_check() => {
                self.analyst.mates_all_replies(position, self.stop).map(|(plies, _)| plies)
            }
            _ => None,
        };
        let Some(plies) = plies else { return };
        let rest = if mate.first() == Some(&mv) { mate.iter().skip(1).copied().collect() } else { Vec::new() };
        let score = Score::Mate { winner, plies };
        if rest.is_empty() {
            // The defender's best line is not known; its score is.
            after.lines.iter_mut().for_each(|line| line.score = score);
        } else {
            after.lines.insert(0, Line { score, moves: rest, declares: false });
            after.lines.truncate(self.analyst.settings.multi_pv.max(1));
        }
    }

    /// Searches the other moves where the first choice was played and turns out worse.
    fn doubt(&mut self, known: &mut Judged, after: &Judged, mv: Move, before: &Position) {
        let (Some(expected), Some(found)) = (known.score(), after.score()) else { return };
        let mover = before.turn();
        let (best, played) = (self.analyst.win_of(mover, expected), self.analyst.win_of(mover, found));
        if known.first_choice() != Some(mv) || best - played < self.analyst.settings.thresholds.least() {
            return;
        }
        let others = self.analyst.judge_without(before, mv, self.rules);
        let better = others.and_then(|others| others.lines.into_iter().next());
        if let Some(line) = better.filter(|line| self.analyst.win_of(mover, line.score) > played) {
            known.lines.retain(|known| known.moves.first() != Some(&mv));
            known.lines.retain(|known| known.moves.first() != line.moves.first());
            known.lines.insert(0, line);
        } else if let Some(line) = known.lines.first_mut() {
            line.score = found;
        }
    }
}

/// The report of the searched lines.
fn report(record: &Record, start: &Position, lines: Vec<Searched>, analyst: &Analyst) -> GameReport {
    let header = |key: HeaderKey| record.headers.value(&key).unwrap_or_default().to_owned();
    let end = record.end();
    let winner = end.and_then(|end| end.result).and_then(GameResult::winner).map(Side::from);
    let mut report = GameReport {
        format: FORMAT,
        engine: analyst.engine.clone(),
        settings: analyst.settings.to_string(),
        black_name: header(HeaderKey::BlackName),
        white_name: header(HeaderKey::WhiteName),
        event: header(HeaderKey::Event),
        date: header(HeaderKey::StartTime),
        winner,
        end: end.map(|end| end.kind.to_string()),
        win_scale_cp: analyst.curve.scale_cp(),
        names: Names::of(record),
        ..GameReport::default()
    };
    for (index, line) in lines.into_iter().enumerate() {
        let turn = if line.walk.from() % 2 == 0 { start.turn() } else { !start.turn() };
        let moves = move_reports(record, &line, turn, analyst);
        let positions = position_reports(&line, analyst);
        if index == 0 {
            report.broken_off = line.walk.broken_off;
            let played: Vec<Move> = line.walk.moves.iter().map(|&(_, mv)| mv).collect();
            report.phases = phases::begin(start, &played);
            (report.positions, report.moves) = (positions, moves);
        } else {
            // Variations count from 0; the main line is none of them.
            let parent = line.walk.parent.and_then(|parent| parent.checked_sub(1));
            report.variations.push(VariationReport { parent, from: line.walk.from(), positions, moves });
        }
    }
    summary::add(&mut report);
    report
}

fn position_reports(line: &Searched, analyst: &Analyst) -> Vec<PositionReport> {
    let none = Judged::default();
    let of = |(index, sfen): (usize, &String)| {
        let judged = line.judged(index).unwrap_or(&none);
        let score = judged.score();
        PositionReport {
            ply: line.walk.from() + index,
            sfen: sfen.clone(),
            score,
            win: score.map(|score| rounded(analyst.win(score))),
            depth: judged.depth,
            nodes: judged.nodes,
            lines: judged.lines.iter().map(|line| best_line(line, analyst)).collect(),
            mate: judged.mate.as_deref().map(texts),
        }
    };
    line.sfens.iter().enumerate().map(of).collect()
}

fn best_line(line: &Line, analyst: &Analyst) -> BestLine {
    BestLine {
        score: line.score,
        win: rounded(analyst.win(line.score)),
        moves: texts(&line.moves),
        end: line.declares.then(|| "win".to_owned()),
    }
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// Six digits: enough to compare, and equal on every system.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

fn move_reports(record: &Record, line: &Searched, first: Color, analyst: &Analyst) -> Vec<MoveReport> {
    let report = |(index, &(id, mv)): (usize, &(NodeId, Move))| {
        let side = if index % 2 == 0 { first } else { !first };
        let mut report = MoveReport {
            ply: line.walk.from() + index + 1,
            usi: mv.to_string(),
            side: side.into(),
            time_ms: record.node(id).time_ms,
            ..MoveReport::default()
        };
        if let (Some(before), Some(after)) = (line.judged(index), line.judged(index + 1))
            && analyst.settings.judges(side)
        {
            judge_move(&mut report, before, after, mv, side, analyst);
        }
        report
    };
    line.walk.moves.iter().enumerate().map(report).collect()
}

/// Loss and class of a move.
fn judge_move(report: &mut MoveReport, before: &Judged, after: &Judged, mv: Move, side: Color, analyst: &Analyst) {
    let (Some(best), Some(played)) = (before.score(), after.score()) else { return };
    let win = |score| analyst.win_of(side, score);
    report.first_choice = before.first_choice() == Some(mv);
    let loss = if report.first_choice { 0.0 } else { rounded((win(best) - win(played)).max(0.0)) };
    report.loss = Some(loss);
    report.class = Some(analyst.settings.thresholds.class(loss));
    report.second_loss = before.second.as_ref().map(|second| rounded((win(best) - win(second.score)).max(0.0)));
    report.mating_moves = before.mates.iter().flat_map(|line| line.moves.first()).map(ToString::to_string).collect();
    report.answers = before.mates.iter().chain(&before.second).map(|line| best_line(line, analyst)).collect();
    // A longer mate may be found by the search of every first move alone.
    let is_missed = !mates(played, side.into()) && before.mates.iter().all(|line| line.moves.first() != Some(&mv));
    report.missed_mate = before.mate.as_deref().filter(|_| is_missed).map(texts);
}

/// Returns true for the score of a mate by `side`.
fn mates(score: Score, side: Side) -> bool {
    matches!(score, Score::Mate { winner, .. } if winner == side)
}

//! Evaluations in comments, in the dialects that programs for people read.
//!
//! | style | a comment of it |
//! |---|---|
//! | ShogiHome | lines `#評価値=30`, `#読み筋=▲７六歩△３四歩`, `#深さ=20`, `#ノード数=9`, `#エンジン=E` (`*` instead of `#` where the player itself thought); `#詰み=先手勝ち:15手` |
//! | ShogiGUI | `*解析 0 候補1 深さ 20/30 ノード数 9 評価値 30 読み筋 ▲７六歩(77) △３四歩(33)`; also `*対局 ...` |
//! | floodgate, CSA V3 | `* 30 +7776FU -3334FU #9` |
//! | ぴよ将棋, K-Shogi (read only) | `#指し手[30]▲７六歩 △３四歩`, `#形勢[30]...` |
//!
//! Evaluations are seen from Black. A variation begins with the reply to the move
//! it is at; one that begins with that move itself is read from the reply on.
//! A comment with exactly the text that the writer would write becomes an
//! [`Analysis`] alone; any other stays a comment as well, and the writer does not
//! repeat a comment.

use enbu_movegen::{Color, Move, Square};

use super::{moves, words};
use crate::board::Board;
use crate::csa;
use crate::lines::one_line;
use crate::record::{Analysis, Node};

/// Dialect of evaluations in comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreStyle {
    /// ShogiHome's lines, which hold the most.
    #[default]
    ShogiHome,
    /// ShogiGUI's line.
    ShogiGui,
    /// floodgate's line, as in CSA V3.
    Floodgate,
}

/// Moves evaluations from the comments of a node, from `start` on, to its
/// analyses. The board shows the position after the node's move.
pub(crate) fn extract(node: &mut Node, start: usize, board: &mut Board) {
    let fresh = node.remarks().comments.get(start..).unwrap_or_default();
    if !fresh.iter().any(|comment| may_be_score(comment)) {
        return;
    }
    let last = node.event().to();
    let mut kept: Vec<String> = Vec::new();
    let mut analyses = Vec::new();
    for (analysis, told) in split(fresh, board, last) {
        let mut styles = [ScoreStyle::ShogiHome, ScoreStyle::ShogiGui, ScoreStyle::Floodgate].into_iter();
        let is_canonical = |analysis| styles.any(|style| lines(analysis, board, last, style).iter().eq(told));
        if !analysis.as_ref().is_some_and(is_canonical) {
            kept.extend_from_slice(told);
        }
        analyses.extend(analysis);
    }
    let remarks = node.remarks_mut();
    remarks.comments.truncate(start);
    remarks.comments.append(&mut kept);
    remarks.analyses.append(&mut analyses);
}

/// The comments of a node with its evaluations before them, one string a line and
/// none with a line end. The board shows the position after the node's move.
pub(crate) fn comment_lines(node: &Node, board: &mut Board, style: ScoreStyle) -> Vec<String> {
    let comments: Vec<String> = node.remarks().lines().map(clean).collect();
    let last = node.event().to();
    // Each analysis is looked for in all of them.
    let told = split(&comments, board, last).into_iter().filter_map(|(analysis, _)| analysis);
    let told: Vec<Analysis> = told.take(MOST_COMPARED).collect();
    let tells = |analysis: &Analysis| told.iter().any(|known| known.is_of_line(analysis));
    let mut all = Vec::new();
    for analysis in node.remarks().analyses.iter().filter(|analysis| !tells(analysis)) {
        all.extend(lines(analysis, board, last, style));
    }
    all.extend(comments);
    all
}

/// Number of evaluations in a node's comments that the writer compares with its analyses.
const MOST_COMPARED: usize = 100;

fn clean(comment: &str) -> String {
    one_line(comment).trim_end_matches(words::is_blank).to_owned()
}

/// The comments, cut into analyses and lines that are none.
fn split<'c>(comments: &'c [String], board: &mut Board, last: Option<Square>) -> Vec<(Option<Analysis>, &'c [String])> {
    let mut parts = Vec::new();
    let mut rest = comments;
    while !rest.is_empty() {
        let (analysis, lines) = read(rest, board, last).map_or((None, 1), |(analysis, lines)| (Some(analysis), lines));
        let (told, tail) = rest.split_at_checked(lines).unwrap_or((rest, &[]));
        parts.push((analysis, told));
        rest = tail;
    }
    parts
}

/// A quick look, because most comments are none.
fn may_be_score(comment: &str) -> bool {
    comment.starts_with(['#', '*'])
}

/// The analysis at the start of some comments, and the number of its lines.
fn read(comments: &[String], board: &mut Board, last: Option<Square>) -> Option<(Analysis, usize)> {
    let first = comments.first().filter(|comment| may_be_score(comment))?;
    if keyed(first).is_some() {
        return read_keyed(comments, board, last);
    }
    let analysis = read_bracketed(first, board, last).or_else(|| {
        let text = first.strip_prefix('*')?;
        let read = csa::analysis::read(text, board, None).map(|(analysis, _)| analysis);
        read.or_else(|| read_labelled(text, board, last))
    });
    Some((analysis?, 1))
}

/// ShogiHome's `#評価値=30`: the sign before it, key and value.
fn keyed(comment: &str) -> Option<(char, &str, &str)> {
    let sign = comment.chars().next().filter(|c| matches!(c, '#' | '*'))?;
    let (key, value) = comment.get(1..)?.split_once('=')?;
    matches!(key, "評価値" | "読み筋" | "深さ" | "ノード数" | "エンジン" | "詰み").then_some((sign, key, value))
}

fn read_keyed(comments: &[String], board: &mut Board, last: Option<Square>) -> Option<(Analysis, usize)> {
    let (group, ..) = keyed(comments.first()?)?;
    let mut analysis = Analysis::default();
    let mut seen: Vec<&str> = Vec::new();
    for comment in comments {
        let Some((_, key, value)) = keyed(comment).filter(|(sign, key, _)| *sign == group && !seen.contains(key))
        else {
            break;
        };
        seen.push(key);
        match key {
            "詰み" => analysis.score_cp = analysis.score_cp.or(mate_score(value)),
            "読み筋" => analysis.pv = variation(value, board, last),
            "エンジン" => analysis.engine = Some(value.to_owned()),
            key => set(&mut analysis, key, value),
        }
    }
    let says_something = analysis.score_cp.is_some() || !analysis.pv.is_empty();
    says_something.then_some((analysis, seen.len()))
}

fn set(analysis: &mut Analysis, key: &str, value: &str) {
    let number = || words::number(value).map(|(number, _)| number);
    match key {
        "評価値" => analysis.score_cp = score(value),
        "深さ" => analysis.depth = number().and_then(|depth| u32::try_from(depth).ok()),
        "ノード数" => analysis.nodes = number(),
        _ => {}
    }
}

/// The line of ぴよ将棋 and K-Shogi. Its `#推奨手[29]` is about another move, and stays a comment.
fn read_bracketed(comment: &str, board: &mut Board, last: Option<Square>) -> Option<Analysis> {
    let text = comment.strip_prefix("#指し手[").or_else(|| comment.strip_prefix("#形勢["))?;
    let (value, pv) = text.split_once(']')?;
    Some(Analysis { score_cp: Some(score(value)?), pv: variation(pv, board, last), ..Analysis::default() })
}

fn mate_score(value: &str) -> Option<i32> {
    let (winner, _) = words::side(value).filter(|(_, rest)| rest.starts_with("勝ち"))?;
    Some(if winner == Color::Black { Analysis::WON_CP } else { -Analysis::WON_CP })
}

/// ShogiGUI's line, in which each value follows its name.
fn read_labelled(text: &str, board: &mut Board, last: Option<Square>) -> Option<Analysis> {
    let (head, pv) = text.split_once("読み筋").unwrap_or((text, ""));
    let mut analysis = Analysis::default();
    let mut words = head.split_whitespace().peekable();
    while let Some(key) = words.next() {
        set(&mut analysis, key, words.peek().copied().unwrap_or_default());
    }
    analysis.score_cp?;
    analysis.pv = variation(pv, board, last);
    Some(analysis)
}

/// A score with its sign: `30`, `+30`, `-30.5`, `詰`, `-詰`.
fn score(text: &str) -> Option<i32> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix(['-', '−', '－']) {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix(['+', '＋']).unwrap_or(text)),
    };
    if digits.starts_with('詰') {
        return Some(sign * Analysis::WON_CP);
    }
    let (value, _) = words::number(digits)?;
    Some(sign * i32::try_from(value).unwrap_or(i32::MAX))
}

/// Moves one after the other, with or without marks and origins, from the first
/// one that the side to move can make.
fn variation(text: &str, board: &mut Board, last: Option<Square>) -> Vec<Move> {
    let own = words::mark(board.turn());
    let start = match text.trim_start().chars().next().and_then(words::side_of_mark) {
        Some(side) if side != board.turn() => text.find(own),
        _ => Some(0),
    };
    let mut rest = start.and_then(|start| text.get(start..)).unwrap_or_default();
    let mut last = last;
    board.try_line(|board| {
        let start = rest.trim_start_matches(|c| words::is_blank(c) || words::side_of_mark(c).is_some());
        let (written, tail) = moves::parse(start).ok()?;
        let mv = moves::resolve(&written, board, last).ok()?.0;
        rest = tail;
        last = Some(mv.to());
        Some(mv)
    })
}

fn lines(analysis: &Analysis, board: &mut Board, last: Option<Square>, style: ScoreStyle) -> Vec<String> {
    match style {
        ScoreStyle::ShogiHome => keyed_lines(analysis, board, last),
        ScoreStyle::ShogiGui => labelled_line(analysis, board, last).into_iter().collect(),
        ScoreStyle::Floodgate => {
            csa::analysis_text(board, analysis).map(|text| format!("* {text}")).into_iter().collect()
        }
    }
}

fn keyed_lines(analysis: &Analysis, board: &mut Board, last: Option<Square>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(analysis.score_cp.map(|score| format!("#評価値={score}")));
    let pv = variation_text(&analysis.pv, board, last, moves::with_words).concat();
    if !pv.is_empty() {
        lines.push(format!("#読み筋={pv}"));
    }
    if lines.is_empty() {
        return lines;
    }
    lines.extend(analysis.depth.map(|depth| format!("#深さ={depth}")));
    lines.extend(analysis.nodes.map(|nodes| format!("#ノード数={nodes}")));
    lines.extend(analysis.engine.as_deref().map(|engine| format!("#エンジン={}", clean(engine))));
    lines
}

fn labelled_line(analysis: &Analysis, board: &mut Board, last: Option<Square>) -> Option<String> {
    let score = analysis.score_cp?;
    let mut parts = vec!["*解析 0 候補1".to_owned()];
    parts.extend(analysis.depth.map(|depth| format!("深さ {depth}")));
    parts.extend(analysis.nodes.map(|nodes| format!("ノード数 {nodes}")));
    parts.push(format!("評価値 {score}"));
    let pv = variation_text(&analysis.pv, board, last, moves::with_origin);
    parts.extend((!pv.is_empty()).then(|| format!("読み筋 {}", pv.join(" "))));
    Some(parts.join(" "))
}

/// The moves of a variation with their marks.
fn variation_text(
    pv: &[Move],
    board: &mut Board,
    last: Option<Square>,
    text: fn(&Board, Move, Option<Square>) -> String,
) -> Vec<String> {
    let mut last = last;
    board.texts_of(pv, |board, mv| {
        let text = format!("{}{}", words::mark(board.turn()), text(board, mv, last));
        last = Some(mv.to());
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Event, Record};
    use enbu_movegen::Setup;

    /// Comments after reading and extraction, at the position after 7g7f.
    fn extracted(comments: &[&str]) -> (Vec<String>, Vec<Analysis>) {
        let mut record = Record::new(Setup::startpos());
        let id = record.add(record.root(), Event::Move("7g7f".parse().unwrap()));
        let mut board = Board::new(&Setup::startpos());
        board.play("7g7f".parse().unwrap()).unwrap();
        let node = record.node_mut(id);
        node.remarks_mut().comments = comments.iter().map(|&comment| comment.to_owned()).collect();
        extract(node, 0, &mut board);
        (node.remarks().comments.clone(), node.remarks().analyses.clone())
    }

    fn analysis() -> Analysis {
        Analysis {
            score_cp: Some(-186),
            pv: ["3c3d", "2g2f"].map(|text| text.parse().unwrap()).to_vec(),
            nodes: Some(1234),
            depth: Some(20),
            ..Analysis::default()
        }
    }

    #[test]
    fn every_dialect_is_read_and_stays_a_comment_where_it_says_more() {
        for comments in [
            &["*対局 時間 00:00.8 深さ 20/28 ノード数 1234 評価値 -186 読み筋 △３四歩(33) ▲２六歩(27) "][..],
            &[
                "*解析 0 △ 候補1 時間 00:00.0 深さ 20 ノード数 1234 評価値 -186 読み筋 ▲７六歩(77) △３四歩(33) ▲２六歩(27)",
            ],
            &["*評価値=-186", "*読み筋=△３四歩▲２六歩", "*深さ=20", "*ノード数=1234"],
        ] {
            let (kept, analyses) = extracted(comments);
            assert_eq!(analyses, [analysis()], "{comments:?}");
            assert_eq!(kept, comments);
        }
    }

    #[test]
    fn own_lines_become_analyses_alone() {
        let mut board = Board::new(&Setup::startpos());
        board.play("7g7f".parse().unwrap()).unwrap();
        let engine = Analysis { engine: Some("Enbu".to_owned()), ..analysis() };
        let without_depth = Analysis { depth: None, ..analysis() };
        for (style, analysis) in [
            (ScoreStyle::ShogiHome, engine),
            (ScoreStyle::ShogiGui, analysis()),
            (ScoreStyle::Floodgate, without_depth),
        ] {
            let written = lines(&analysis, &mut board, Some(Square::S76), style);
            let written: Vec<&str> = written.iter().map(String::as_str).collect();
            assert_eq!(extracted(&written), (vec![], vec![analysis]), "{written:?}");
        }
    }

    #[test]
    fn two_groups_are_two_analyses() {
        let (kept, analyses) = extracted(&["before", "#評価値=10", "#評価値=20", "#詰み=後手勝ち:15手", "after"]);
        assert_eq!(analyses.iter().map(|a| a.score_cp).collect::<Vec<_>>(), [Some(10), Some(20)]);
        assert_eq!(kept, ["before", "#評価値=20", "#詰み=後手勝ち:15手", "after"]);
        let (_, mates) = extracted(&["#詰み=後手勝ち:15手"]);
        assert_eq!(mates[0].score_cp, Some(-Analysis::WON_CP));
    }

    #[test]
    fn what_only_looks_like_a_score_stays_a_comment() {
        for comment in ["互角", "#深さ=3", "*評価値", "評価値=30", "**", "*", "#", "*好手"] {
            assert_eq!(extracted(&[comment]), (vec![comment.to_owned()], vec![]), "{comment}");
        }
    }
}

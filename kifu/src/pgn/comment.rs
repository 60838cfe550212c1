//! Commands in comments: `[%eval 0.30,16]` and the like.

use enbu_movegen::{Color, Move};

use crate::end::{EndKind, GameResult};
use crate::kakinoki::time_ms;
use crate::lines::{is_number, one_line, thousandths};
use crate::record::Analysis;
use crate::terms::Naming;
use crate::{csa, usi};

/// A comment, taken apart.
#[derive(Debug, Default)]
pub(super) struct Comment {
    pub(super) text: Option<String>,
    pub(super) analysis: Option<Analysis>,
    pub(super) time_ms: Option<u64>,
    pub(super) bookmark: Option<String>,
    /// An end in a variation, or one with remarks of its own.
    pub(super) end: Option<(EndKind, Option<GameResult>)>,
}

/// Parses a comment after a move of `mover`.
pub(super) fn read(text: &str, mover: Color) -> Comment {
    let text = text.replace("\r\n", "\n").replace(['\n', '\r'], " ");
    let mut comment = Comment::default();
    let mut rest = text.trim();
    while let Some((key, value, tail)) = command(rest)
        && take(key, value, &mut comment).is_some()
    {
        rest = tail.trim_start();
    }
    if comment.analysis.is_none()
        && let Some((analysis, time_ms, tail)) = cutechess(rest, mover)
    {
        comment.analysis = Some(analysis);
        comment.time_ms = time_ms.or(comment.time_ms);
        rest = tail;
    }
    let told =
        comment.analysis.is_some() || comment.time_ms.is_some() || comment.bookmark.is_some() || comment.end.is_some();
    comment.text = (!rest.is_empty() || !told).then(|| rest.to_owned());
    comment
}

/// `[%key value]` at the start of a text, and the rest.
fn command(text: &str) -> Option<(&str, &str, &str)> {
    let inside = text.strip_prefix("[%")?;
    let (inside, rest) = inside.split_once(']')?;
    let (key, value) = inside.split_once(' ').unwrap_or((inside, ""));
    Some((key, value.trim(), rest))
}

/// Applies a command of a comment; `None` for an unknown one, which stays text.
fn take(key: &str, value: &str, comment: &mut Comment) -> Option<()> {
    let mut analysis = comment.analysis.clone().unwrap_or_default();
    match key {
        "eval" => {
            let (score, depth) = value.split_once(',').unwrap_or((value, ""));
            analysis.score_cp = Some(pawns(score)?);
            analysis.depth = depth.trim().parse().ok();
        }
        "depth" => analysis.depth = Some(value.parse().ok()?),
        "nodes" => analysis.nodes = Some(value.parse().ok()?),
        "engine" => analysis.engine = Some(value.to_owned()),
        "pv" => analysis.pv = value.split_whitespace().map_while(|word| word.parse::<Move>().ok()).collect(),
        "pvend" => analysis.pv_end = Some(csa::end_of_word(value)),
        "emt" => comment.time_ms = Some(time_ms(value)?),
        "bookmark" => comment.bookmark = Some(value.to_owned()),
        "end" => {
            let (word, side) = value.split_once(' ').unwrap_or((value, "none"));
            comment.end = Some((usi::end_kind(word)?, GameResult::named(side, Naming::Usi).flatten()));
        }
        _ => return None,
    }
    if !matches!(key, "emt" | "bookmark" | "end") {
        comment.analysis = Some(analysis);
    }
    Some(())
}

/// Pawns with decimals, or `#3` for a mate, in centipawns.
fn pawns(text: &str) -> Option<i32> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(mate) = digits.strip_prefix(['#', 'M']) {
        let moves = mate.strip_prefix('-').unwrap_or(mate);
        let sign = if mate.starts_with('-') { -sign } else { sign };
        return moves.bytes().all(|byte| byte.is_ascii_digit()).then_some(sign * Analysis::WON_CP);
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !is_number(whole) || !(fraction.is_empty() || is_number(fraction)) {
        return None;
    }
    let hundredths = thousandths(fraction) / 10;
    let value = whole.parse::<i64>().unwrap_or(i64::MAX).saturating_mul(100).saturating_add_unsigned(hundredths);
    let limit = if sign < 0 { i32::MIN } else { i32::MAX };
    Some(i32::try_from(i64::from(sign).saturating_mul(value)).unwrap_or(limit))
}

/// cutechess: `+0.59/16 1.4s, Black loses on time`, as the mover sees it.
fn cutechess(text: &str, mover: Color) -> Option<(Analysis, Option<u64>, &str)> {
    if !text.starts_with(['+', '-']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (head, rest) = text.split_once(", ").unwrap_or((text, ""));
    let (eval, time) = head.split_once(' ')?;
    let (score, depth) = eval.split_once('/')?;
    let time = time.strip_suffix('s')?;
    let score = pawns(score)?;
    let score_cp = Some(if mover == Color::White { score.saturating_neg() } else { score });
    let depth = Some(depth.parse().ok()?);
    Some((Analysis { score_cp, depth, ..Analysis::default() }, Some(time_ms(time)?), rest))
}

pub(super) fn analysis_text(analysis: &Analysis) -> String {
    let mut parts = Vec::new();
    match (analysis.score_cp, analysis.depth) {
        (Some(score), depth) => {
            let sign = if score < 0 { "-" } else { "" };
            let size = score.unsigned_abs();
            let depth = depth.map(|depth| format!(",{depth}")).unwrap_or_default();
            parts.push(format!("[%eval {sign}{}.{:02}{depth}]", size / 100, size % 100));
        }
        (None, Some(depth)) => parts.push(format!("[%depth {depth}]")),
        (None, None) => {}
    }
    if !analysis.pv.is_empty() {
        let moves: Vec<String> = analysis.pv.iter().map(ToString::to_string).collect();
        parts.push(format!("[%pv {}]", moves.join(" ")));
    }
    parts.extend(analysis.pv_end.as_ref().map(|end| format!("[%pvend {}]", csa::end_word(end))));
    parts.extend(analysis.nodes.map(|nodes| format!("[%nodes {nodes}]")));
    parts.extend(analysis.engine.as_deref().map(|engine| format!("[%engine {}]", clean(engine))));
    parts.join(" ")
}

pub(super) fn time_text(ms: u64) -> String {
    let zero = if ms % 60_000 < 10_000 { "0" } else { "" };
    format!("[%emt {}:{:02}:{zero}{}]", ms / 3_600_000, ms / 60_000 % 60, csa::seconds_text(ms % 60_000))
}

/// The value of a command, which may not hold its end.
pub(super) fn clean(text: &str) -> String {
    one_line(text).replace([']', '}'], ")").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutechess_tells_what_the_mover_sees() {
        let comment = read("+0.59/16 1.4s, Black loses on time", Color::White);
        let analysis = comment.analysis.unwrap();
        assert_eq!((analysis.score_cp, analysis.depth, comment.time_ms), (Some(-59), Some(16), Some(1400)));
        assert_eq!(comment.text.as_deref(), Some("Black loses on time"));
        assert_eq!(read("-M5/20 0.1s", Color::Black).analysis.unwrap().score_cp, Some(-Analysis::WON_CP));
        for text in ["3 good moves", "+", "+1", "+1/2", "+1/2 s", "1.4s"] {
            let comment = read(text, Color::Black);
            assert!(comment.analysis.is_none(), "{text}");
            assert_eq!(comment.text.as_deref(), Some(text));
        }
    }

    #[test]
    fn commands_survive_their_text() {
        for analysis in [
            Analysis { score_cp: Some(-5), depth: Some(3), nodes: Some(7), ..Analysis::default() },
            Analysis { pv: vec!["7g7f".parse().unwrap()], engine: Some("E 1".to_owned()), ..Analysis::default() },
            Analysis { score_cp: Some(i32::MIN), pv_end: Some(EndKind::Resign), ..Analysis::default() },
            Analysis { score_cp: Some(i32::MAX), ..Analysis::default() },
        ] {
            let comment = read(&analysis_text(&analysis), Color::White);
            assert_eq!((comment.analysis, comment.text), (Some(analysis), None));
        }
        for ms in [0, 1, 1400, 59_999, 3_723_000, 1_000_000_000] {
            assert_eq!(read(&time_text(ms), Color::Black).time_ms, Some(ms));
        }
        assert_eq!(read("[%foo 1] x", Color::Black).text.as_deref(), Some("[%foo 1] x"));
        assert_eq!(read("", Color::Black).text.as_deref(), Some(""));
    }
}

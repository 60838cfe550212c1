//! Evaluations in comments: `'** score pv #nodes`.

use super::*;
use crate::lines::is_number;
use crate::record::Analysis;

/// Parses the text after `'**` on `board`, where `last` was just played:
/// a score, then a variation, then `#` and the number of nodes. `None` when it does
/// not begin with a whole number, and so is a comment like any other. The first word that could not be understood or
/// played follows.
pub(crate) fn read<'t>(text: &'t str, board: &mut Board, last: Option<&'t str>) -> Option<(Analysis, Option<&'t str>)> {
    let score_cp = Some(score(text)?);
    let mut analysis = Analysis { score_cp, ..Analysis::default() };
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    // Some programs repeat their own move first.
    let rest = words.strip_prefix(last.as_slice()).unwrap_or(&words);
    let mut line = rest.iter();
    analysis.pv = board.try_line(|board| {
        let word = line.next()?;
        // Some programs, cshogi among them, leave the moves as USI has them.
        move_on(board, word).ok().or_else(|| word.parse().ok())
    });
    let mut rest = rest.iter().skip(analysis.pv.len()).peekable();
    if let Some(word) = rest.next_if(|word| word.starts_with('%')) {
        analysis.pv_end = word.get(1..).map(end_of_word);
    }
    let mut broken = None;
    for &word in rest {
        match word.strip_prefix('#').and_then(|digits| digits.parse().ok()) {
            Some(nodes) if analysis.nodes.is_none() => analysis.nodes = Some(nodes),
            _ => broken = broken.or(Some(word)),
        }
    }
    Some((analysis, broken))
}

/// Returns true if a comment with this text (after `'*`) would be read as an analysis, or dropped.
pub(super) fn is_analysis(comment: &str) -> bool {
    comment.strip_prefix('*').is_some_and(|text| text.is_empty() || score(text).is_some())
}

/// The score at the start, after a blank: a whole number; saturates.
fn score(text: &str) -> Option<i32> {
    let word = text.split_whitespace().next().filter(|_| text.starts_with(char::is_whitespace))?;
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let limit = if word.starts_with('-') { i32::MIN } else { i32::MAX };
    is_number(digits).then(|| word.parse().unwrap_or(limit))
}

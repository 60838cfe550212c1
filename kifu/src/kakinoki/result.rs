//! The result line of a game: `まで79手で先手の勝ち`.

use enbu_movegen::Color;

use super::headers::Sides;
use super::words::{self, is_blank};
use crate::end::{End, EndKind, GameResult};

/// Content of a result line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultText<'t> {
    pub(crate) moves: Option<u64>,
    how: How<'t>,
    /// The result, if the line states one.
    pub(crate) result: Option<Option<GameResult>>,
    /// True if the result is said beside the kind (`中断により先手の勝ち`).
    decided: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How<'t> {
    /// `先手の勝ち`: the other side resigned.
    Won,
    /// A foul of the side that lost.
    Foul,
    /// A word from the place of a move.
    Word(&'t str),
}

const BY: &str = "により";

/// Parses the text after `まで`; `None` if there is none.
pub(crate) fn parse(text: &str) -> Option<ResultText<'_>> {
    let rest = text.trim_start_matches(|c| is_blank(c) || c == '、' || c == ',');
    // `七十九手で`: a number that is not compared.
    let after_kanji = rest.trim_start_matches(|c| "〇一二三四五六七八九十百".contains(c)).strip_prefix('手');
    let (moves, rest) = match words::number(rest) {
        Some((count, rest)) => (Some(count), rest.trim_start_matches(is_blank).trim_start_matches('手')),
        None => (None, after_kanji.unwrap_or(rest)),
    };
    let rest = rest.strip_prefix("にて").or_else(|| rest.strip_prefix('で')).unwrap_or(rest);
    let rest = rest.trim_matches(|c| is_blank(c) || c == '、').trim_end_matches('。');
    if rest.is_empty() {
        return None;
    }
    let (word, verdict) = rest.split_once(BY).map_or((None, rest), |(word, verdict)| (Some(word), verdict));
    let side = words::side(verdict);
    let (side, said) = side.map_or((None, verdict), |(side, said)| (Some(side), said.trim_start_matches('の')));
    let foul = |text: &str| text.contains("反則");
    let (result, how) = match (side, said) {
        (Some(side), "勝ち" | "勝" | "負け" | "負") => {
            let winner = if said.starts_with('勝') { side } else { !side };
            let how = word.map_or(How::Won, |word| if foul(word) { How::Foul } else { How::Word(word) });
            (Some(Some(GameResult::win(winner))), how)
        }
        (Some(side), said) if foul(said) => {
            let winner = if said.contains('勝') { side } else { !side };
            (Some(Some(GameResult::win(winner))), How::Foul)
        }
        (Some(side), said) => {
            let lost = said.contains("負け") || said.contains('敗') || matches!(said, "投了" | "時間切れ");
            (Some(Some(GameResult::win(if lost { !side } else { side }))), How::Word(said))
        }
        (None, "引き分け") if word.is_some() => (Some(Some(GameResult::Draw)), How::Word(word?)),
        (None, "勝敗不明") if word.is_some() => (Some(None), How::Word(word?)),
        (None, said) => (None, How::Word(said)),
    };
    Some(ResultText { moves, how, result, decided: word.is_some() })
}

impl ResultText<'_> {
    /// The end that the line states when `turn` is to move.
    pub(crate) fn end(&self, turn: Color) -> End {
        let winner = self.result.flatten().and_then(GameResult::winner);
        let kind = match (self.how, winner) {
            (How::Won, _) => EndKind::Resign,
            (How::Foul, Some(winner)) if winner == turn => EndKind::IllegalAction(!winner),
            (How::Foul, _) => EndKind::IllegalMove,
            (How::Word(word), _) => words::end_of_word(word, turn).unwrap_or_else(|| match word {
                // `時間切れ勝ち`, `時間切れで`.
                word if word.contains("時間切れ") || word.contains("切れ負け") => EndKind::TimeUp,
                word => EndKind::Other(word.to_owned()),
            }),
        };
        let implied = kind.result(turn);
        End { kind, result: self.result.unwrap_or(implied) }
    }

    /// The result that overrides the one implied by a word.
    pub(crate) fn overrides(&self, end: &End, turn: Color) -> Option<Option<GameResult>> {
        let result = self.result?;
        (self.decided || end.kind.result(turn).is_none()).then_some(result)
    }
}

/// The text after `まで` for an end when `turn` is to move.
pub(crate) fn text(end: &End, moves: u64, turn: Color, sides: Sides) -> String {
    let winner = end.result.and_then(GameResult::winner);
    let usual = end.kind.result(turn) == end.result;
    let word = end.kind.in_kif();
    let verdict = match (&end.kind, winner) {
        (EndKind::Resign, Some(winner)) if usual => format!("{}の勝ち", sides.name(winner)),
        // Of the side to move, as programs read it.
        (kind, Some(winner)) if kind.is_foul() => {
            format!("{}の{}", sides.name(turn), if winner == turn { "反則勝ち" } else { "反則負け" })
        }
        (EndKind::TimeUp, Some(winner)) => format!("時間切れ{BY}{}の勝ち", sides.name(winner)),
        (EndKind::DeclarationWin, Some(winner)) if usual => format!("{}の{word}", sides.name(winner)),
        (_, Some(winner)) if !usual => format!("{word}{BY}{}の勝ち", sides.name(winner)),
        (_, None) if !usual && end.result.is_some() => format!("{word}{BY}引き分け"),
        (_, None) if !usual => format!("{word}{BY}勝敗不明"),
        _ => word.to_owned(),
    };
    format!("まで{moves}手で{verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, turn: Color, kind: EndKind, result: Option<GameResult>) {
        let parsed = parse(text).unwrap();
        assert_eq!(parsed.end(turn), End { kind, result }, "{text}");
    }

    #[test]
    fn wordings_of_the_wild() {
        use Color::{Black, White};
        let (black, white) = (Some(GameResult::BlackWins), Some(GameResult::WhiteWins));
        check("79手で先手の勝ち", White, EndKind::Resign, black);
        check("、2手で後手の勝ち", Black, EndKind::Resign, white);
        check("80手で時間切れにより先手の勝ち", White, EndKind::TimeUp, black);
        check("3手で後手の反則負け", White, EndKind::IllegalMove, black);
        check("3手で先手の反則負け", White, EndKind::IllegalAction(Black), white);
        check("3手で先手の反則勝ち", White, EndKind::IllegalMove, black);
        check("3手で反則行為により先手の勝ち", White, EndKind::IllegalMove, black);
        check("2手で先手の入玉勝ち", Black, EndKind::DeclarationWin, black);
        check("2手で千日手", Black, EndKind::Repetition, Some(GameResult::Draw));
        check("2手で持将棋", Black, EndKind::Impasse, Some(GameResult::Draw));
        check("1手で詰", White, EndKind::Mate, black);
        check("3手で詰み", White, EndKind::Mate, black);
        check("2手で不詰", Black, EndKind::NoMate, None);
        check("1手で中断", White, EndKind::Abort, None);
        check("1手にて中断。", White, EndKind::Abort, None);
        check("3手で先手の時間切れ勝ち", White, EndKind::TimeUp, black);
        check("5手で立会人裁定", White, EndKind::Other("立会人裁定".to_owned()), None);
        check("5手で上手の勝ち", Black, EndKind::Resign, white);
        assert_eq!(parse(""), None);
        assert_eq!(parse("3手"), None);
        assert_eq!(parse("79手で先手の勝ち").unwrap().moves, Some(79));
    }

    #[test]
    fn every_end_survives_its_text() {
        // Fouls are described by the side that won, not by a word.
        let told = |kind: &EndKind| !matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
        let others = EndKind::all().filter(told);
        let kinds: Vec<EndKind> = others.chain([EndKind::Other("封じ手".to_owned())]).collect();
        let results = [Some(GameResult::BlackWins), Some(GameResult::WhiteWins), Some(GameResult::Draw), None];
        for turn in Color::ALL {
            for kind in &kinds {
                for result in results {
                    let end = End { kind: kind.clone(), result };
                    for sides in [Sides::Even, Sides::Handicap] {
                        let text = text(&end, 9, turn, sides);
                        let parsed = parse(text.strip_prefix("まで").unwrap()).unwrap();
                        assert_eq!((parsed.moves, parsed.end(turn)), (Some(9), end.clone()), "{text}");
                    }
                }
            }
        }
    }
}

//! Reports as pages of HTML: one self-contained file a game, and an index for a folder.
//!
//! A page holds its style, script and data; it requests nothing, which a content security
//! policy enforces. Board and curve are SVG. Without a script the page shows the first
//! position, the curve and all moves. Every text of a record is escaped: as HTML where it
//! is part of the page, as JSON without `<` where a script reads it, which puts it into
//! the page as text only.
//!
//! | file | contents |
//! |---|---|
//! | `curve.rs` | the curve of win probability |
//! | `view.rs` | the data of the script: moves with their texts |
//! | `index.rs` | the index |

mod curve;
mod index;
mod view;

use std::fmt::Write as _;

use enbu_kifu::markup::{escape, is_shown};
use enbu_kifu::{Record, svg};
use enbu_movegen::Setup;

use crate::class::Class;
use crate::report::{GameReport, MoveReport, Score, Side, SideReport};

pub use index::{IndexRow, index};

/// Language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageLanguage {
    /// That of the browser, Japanese or else English.
    OfBrowser,
    /// Japanese.
    Japanese,
    /// English.
    English,
}

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Longest name in a heading, in characters; the whole one is in the record.
const LONGEST_NAME: usize = 80;

/// The page of a game.
pub fn page(record: &Record, report: &GameReport, language: PageLanguage) -> String {
    let lines = view::lines(record, report);
    let names = [&report.black_name, &report.white_name].map(|name| escape(&shortened(name)));
    let [black, white] = &names;
    let mut page = head(&format!("{black} – {white}"), language);
    let _ = write!(
        page,
        "<header><h1>▲ {black} <span class=\"dim\">–</span> △ {white}</h1>\n<p>{}</p></header>\n<main>\n",
        facts(report)
    );
    let setup: Setup = record.setup().clone();
    let _ = write!(
        page,
        concat!(
            "<section class=\"card\"><h2 class=\"vh\">{}</h2>\n{}",
            "<div id=\"board\" role=\"img\" tabindex=\"0\" aria-label=\"board\">\n{}</div>\n{}",
            "<div class=\"bar\">{}</div>\n</section>\n"
        ),
        both("盤面", "Board"),
        player("white", "△", white),
        svg::board(&setup, None),
        player("black", "▲", black),
        buttons(),
    );
    let _ = write!(
        page,
        concat!(
            "<section><div class=\"card screen\" id=\"now\">",
            "<div><span id=\"ply\">0</span> <span class=\"big\" id=\"mv\"></span> <span id=\"class\"></span></div>",
            "<div><span class=\"big\" id=\"score\"></span> <span id=\"percent\"></span></div>",
            "<div class=\"win\" aria-hidden=\"true\"><i id=\"bar\"></i></div>",
            "<div id=\"comment\"></div><div id=\"pvs\"></div></div>\n",
            "<p id=\"live\" class=\"vh\" aria-live=\"polite\"></p>\n",
            "<div class=\"card\" id=\"curve\"><h2>{}</h2>\n{}</div>\n",
            "<div class=\"card\" id=\"list\"><h2>{}</h2>\n<ol id=\"moves\">\n{}</ol></div>\n",
            "<div class=\"card wide\"><h2>{}</h2>\n{}</div>\n",
            "<div class=\"card\" id=\"print\"><h2>{}</h2>\n{}</div>\n",
            "</section>\n</main>\n<footer>{} · {}</footer>\n",
            "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n</body>\n</html>\n"
        ),
        both("先手の勝率", "Win probability of Black"),
        curve::svg(report),
        both("指し手", "Moves"),
        buttons_of_moves(report, &lines),
        both("まとめ", "Summary"),
        summary(report),
        both("悪い手と最善の手順", "Mistakes and better lines"),
        mistakes(report, &lines),
        escape(&report.engine),
        escape(&report.settings),
        in_script(&view::data(record, report, &lines)),
        SCRIPT,
    );
    page
}

/// The beginning of a page, up to its body.
fn head(title: &str, language: PageLanguage) -> String {
    let (lang, choice) = match language {
        PageLanguage::OfBrowser => (
            "ja",
            "<script>{const l=/^ja/i.test(navigator.language)?'ja':'en';document.documentElement.dataset.lang=l;document.documentElement.lang=l}</script>\n",
        ),
        PageLanguage::Japanese => ("ja", ""),
        PageLanguage::English => ("en", ""),
    };
    format!(
        concat!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\" data-lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n",
            "<link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n{choice}</head>\n<body>\n"
        ),
        lang = lang,
        title = title,
        style = STYLE,
        choice = choice,
    )
}

/// A text in both languages, of which the style shows one.
fn both(japanese: &str, english: &str) -> String {
    format!("<span class=\"ja\" lang=\"ja\">{japanese}</span><span class=\"en\" lang=\"en\">{english}</span>")
}

/// JSON on one line that no reader of HTML takes for a tag; a blank for what is not shown.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace(|c| !is_shown(c), " ")
}

fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(LONGEST_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

fn facts(report: &GameReport) -> String {
    let mut facts: Vec<String> = [&report.event, &report.date]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| escape(&shortened(text)))
        .collect();
    facts.push(match report.winner {
        Some(Side::Black) => both("先手の勝ち", "Black won"),
        Some(Side::White) => both("後手の勝ち", "White won"),
        None => String::new(),
    });
    facts.extend(
        report.end.as_deref().map(|end| both(&escape(&shortened(japanese_end(end))), &escape(&shortened(end)))),
    );
    facts.push(both(&format!("{}手", report.moves.len()), &format!("{} moves", report.moves.len())));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}

/// The Japanese word for an end.
fn japanese_end(end: &str) -> &str {
    match end {
        "resignation" => "投了",
        "broken off" => "中断",
        "repetition" => "千日手",
        "impasse" => "持将棋",
        "out of time" => "時間切れ",
        "illegal move" => "反則",
        "win by declaration" => "入玉宣言勝ち",
        "draw by declaration" => "入玉宣言による引き分け",
        "mate" => "詰み",
        "no mate" => "不詰",
        "move limit reached" => "最大手数",
        "win by default" => "不戦勝",
        "loss by default" => "不戦敗",
        other => other,
    }
}

fn player(id: &str, mark: &str, name: &str) -> String {
    format!(
        concat!(
            "<div class=\"player\" id=\"player-{id}\"><span class=\"name\">{mark} {name}</span>",
            "<span>{label}<span class=\"hand\" id=\"hand-{id}\"></span></span>",
            "<span class=\"clock\" id=\"clock-{id}\"></span></div>\n"
        ),
        id = id,
        mark = mark,
        name = name,
        label = both("持駒 ", "in hand "),
    )
}

fn buttons() -> String {
    let button = |id: &str, sign: &str, japanese: &str, english: &str| {
        format!(
            "<button type=\"button\" id=\"{id}\" title=\"{japanese} / {english}\"><span aria-hidden=\"true\">{sign}</span><span class=\"vh\">{}</span></button>",
            both(japanese, english)
        )
    };
    [
        button("first", "|◀", "最初へ", "to the start"),
        button("back", "◀", "一手戻る", "back"),
        button("forward", "▶", "一手進む", "forward"),
        button("end", "▶|", "最後へ", "to the end"),
        button("mistake", "⚠", "次の悪手", "next mistake"),
        button("flip", "⇅", "盤の反転", "turn the board"),
        button("lang", "あ/A", "言語", "language"),
    ]
    .concat()
}

const fn class_name(class: Option<Class>) -> &'static str {
    match class {
        Some(class) => class.name(),
        None => "",
    }
}

fn buttons_of_moves(report: &GameReport, lines: &[view::Line]) -> String {
    let mut items = String::new();
    for (number, line) in lines.iter().enumerate() {
        let moves = line.reports(report);
        if number > 0 {
            let label = both(&format!("変化 {}手目", line.from + 1), &format!("variation at move {}", line.from + 1));
            let _ = writeln!(items, "<li class=\"var\">{label}</li>");
        } else {
            let start = both("開始局面", "start");
            let _ = writeln!(
                items,
                "<li><button type=\"button\" data-line=\"0\" data-ply=\"0\"><span class=\"no\">0</span>{start}</button></li>"
            );
        }
        for (text, (mv, after)) in line.texts.iter().zip(moves) {
            let score = after.map(score_text).unwrap_or_default();
            let missed = if mv.missed_mate.is_some() { " !" } else { "" };
            let _ = writeln!(
                items,
                "<li{}><button type=\"button\" data-line=\"{number}\" data-ply=\"{}\"><span class=\"no\">{}</span><span class=\"{}\">{}{missed}</span><span class=\"sc\">{score}</span></button></li>",
                if number > 0 { " class=\"var\"" } else { "" },
                mv.ply,
                mv.ply,
                class_name(mv.class),
                both(&text.0, &text.1),
            );
        }
    }
    items
}

/// A score in a narrow column.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{cp:+}"),
        Score::Mate { winner: Side::Black, plies } => format!("+#{plies}"),
        Score::Mate { winner: Side::White, plies } => format!("-#{plies}"),
    }
}

/// The figures of both sides.
fn summary(report: &GameReport) -> String {
    let mut rows = String::new();
    let mut row = |japanese: &str, english: &str, cell: &dyn Fn(&SideReport) -> String| {
        let _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            both(japanese, english),
            cell(&report.black),
            cell(&report.white)
        );
    };
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0));
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    row("精度", "Accuracy", &|side| number(side.accuracy));
    row("　序盤", "\u{2003}opening", &|side| number(side.accuracy_of_phases[0]));
    row("　中盤", "\u{2003}middlegame", &|side| number(side.accuracy_of_phases[1]));
    row("　終盤", "\u{2003}endgame", &|side| number(side.accuracy_of_phases[2]));
    row("最善手との一致率", "Agreement with the first choice", &|side| share(side.agreement));
    row("平均損失", "Mean loss", &|side| share(side.mean_loss));
    for (class, english) in Class::ALL.into_iter().zip(["Best", "Good", "Inaccuracies", "Mistakes", "Blunders"]) {
        row(class.japanese(), english, &|side| {
            side.classes.get(class as usize).map(usize::to_string).unwrap_or_default()
        });
    }
    row("詰み逃し", "Missed mates", &|side| side.missed_mates.to_string());
    let deciding = report.deciding_ply.map_or_else(String::new, |ply| {
        format!(
            "<p>{}</p>",
            both(&format!("勝負を決めた手：{ply}手目"), &format!("The game was decided by move {ply}."))
        )
    });
    format!(
        "<table><thead><tr><th></th><th>▲ {}</th><th>△ {}</th></tr></thead><tbody>\n{rows}</tbody></table>{deciding}",
        both("先手", "Black"),
        both("後手", "White")
    )
}

/// The list for paper: bad moves with the best line.
fn mistakes(report: &GameReport, lines: &[view::Line]) -> String {
    let Some(main) = lines.first() else { return String::new() };
    let mut items = String::new();
    for (index, (mv, text)) in report.moves.iter().zip(&main.texts).enumerate() {
        let is_bad = mv.class >= Some(Class::Inaccuracy) || mv.missed_mate.is_some();
        let Some(class) = mv.class.filter(|_| is_bad) else { continue };
        let better =
            report.positions.get(index).and_then(|position| position.lines.first().map(|line| (position, line)));
        let better = better.map(|(position, line)| view::line_texts(&position.sfen, &line.moves)).unwrap_or_default();
        let (japanese, english): (Vec<String>, Vec<String>) = better.into_iter().unzip();
        let _ = writeln!(
            items,
            "<li>{} {} <b>{}</b> (−{:.1} %) → {}</li>",
            mv.ply,
            both(&text.0, &text.1),
            both(class.japanese(), class.name()),
            mv.loss.unwrap_or(0.0) * 100.0,
            both(&japanese.concat(), &english.join(" "))
        );
    }
    format!("<ul>\n{items}</ul>")
}

/// A move and the score after it.
type Judgement<'r> = (&'r MoveReport, Option<Score>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_no_markup() {
        assert_eq!(in_script("[\"</script>\u{202e}\u{2028}\"]"), "[\"\\u003c/script>  \"]");
        assert!(!in_script("\"</script><!--\"").contains('<'));
        assert_eq!(shortened(&"x".repeat(100_000)).chars().count(), LONGEST_NAME + 1);
    }
}

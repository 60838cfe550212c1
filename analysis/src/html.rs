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
//! | `*.html` | templates of the pages |
//! | `curve.rs` | the curve of win probability |
//! | `view.rs` | the data of the script: moves with their texts |
//! | `index.rs` | the index |

mod curve;
mod index;
mod view;

use std::fmt::Write as _;

use enbu_kifu::markup::{escape, is_shown};
use enbu_kifu::{Names, Record, names::Named, svg};
use enbu_language::Language;

use crate::class::Class;
use crate::report::{GameReport, Score, Side, SideReport};

pub use index::{IndexRow, index};
pub(crate) use view::line_texts;

/// Longest name in a heading, in characters; the whole one is in the record.
const LONGEST_NAME: usize = 80;

/// The page of a game, in a language or, without one, in that of the browser.
pub fn page(record: &Record, report: &GameReport, language: Option<Language>) -> String {
    let lines = view::lines(record, report);
    let [black, white] = [&report.black_name, &report.white_name].map(|name| escape(&shortened(name)));
    let values = [
        ("head", head(&format!("{black} – {white}"), language)),
        ("black", black),
        ("white", white),
        ("facts", facts(report)),
        ("board", svg::board(record.setup(), None)),
        ("curve", curve::svg(report)),
        ("moves", buttons_of_moves(report, &lines)),
        ("summary", summary(report)),
        ("mistakes", mistakes(report, &lines)),
        ("engine", escape(&report.engine)),
        ("settings", escape(&report.settings)),
        ("data", in_script(&view::data(record, report, &lines))),
        ("script", include_str!("html/page.js").to_owned()),
    ];
    fill(include_str!("html/page.html"), &values)
}

/// A template in which values, as they are, replace the names in braces: `{{name}}`.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for (name, text) in parts.filter_map(|part| part.split_once("}}")) {
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        debug_assert!(value.is_some(), "no value for {name}");
        page.extend(value.into_iter().chain([text]));
    }
    page
}

/// The beginning of a page, up to its body.
fn head(title: &str, language: Option<Language>) -> String {
    const CHOICE: &str = "<script>{const l=/^ja/i.test(navigator.language)?'ja':'en';document.documentElement.dataset.lang=l;document.documentElement.lang=l}</script>\n";
    let choice = if language.is_none() { CHOICE } else { "" };
    let lang = language.unwrap_or(Language::Japanese).name();
    let values = [("lang", lang), ("title", title), ("style", include_str!("html/page.css")), ("choice", choice)];
    fill(include_str!("html/head.html"), &values.map(|(name, value)| (name, value.to_owned())))
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

/// A name of the field.
fn name(name: &Named) -> String {
    both(&escape(&name.ja), &escape(&name.en))
}

/// The castles and tactics of a move of the main line.
fn names_at(names: &Names, ply: usize) -> String {
    let all = names.sides.iter().flat_map(|side| &side.castles).chain(&names.tactics);
    all.filter(|named| named.ply == ply).map(|named| format!("<small>{}</small>", name(named))).collect()
}

fn facts(report: &GameReport) -> String {
    let mut facts: Vec<String> = [&report.event, &report.date]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| escape(&shortened(text)))
        .collect();
    facts.extend(report.names.opening.as_ref().map(name));
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

fn buttons_of_moves(report: &GameReport, lines: &[view::Line<'_>]) -> String {
    let mut items = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            let label = both(
                &format!("変化 {}手目", line.report.from + 1),
                &format!("variation at move {}", line.report.from + 1),
            );
            let _ = writeln!(items, "<li class=\"var\">{label}</li>");
        } else {
            let start = both("開始局面", "start");
            let _ = writeln!(
                items,
                "<li><button type=\"button\" data-line=\"0\" data-ply=\"0\"><span class=\"no\">0</span>{start}</button></li>"
            );
        }
        for (text, (mv, after)) in line.texts.iter().zip(line.judgements()) {
            let score = after.map(score_text).unwrap_or_default();
            let missed = if mv.missed_mate.is_some() { " !" } else { "" };
            let named = if number == 0 { names_at(&report.names, mv.ply) } else { String::new() };
            let _ = writeln!(
                items,
                "<li{}><button type=\"button\" data-line=\"{number}\" data-ply=\"{}\"><span class=\"no\">{}</span><span class=\"{}\">{}{missed}</span>{named}<span class=\"sc\">{score}</span></button></li>",
                if number > 0 { " class=\"var\"" } else { "" },
                mv.ply,
                mv.ply,
                mv.class.map_or("", Class::name),
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
    let names = &report.names.sides;
    let openings = names.each_ref().map(|side| side.opening.as_ref().map(name).unwrap_or_default());
    let castles = names.each_ref().map(|side| side.castles.iter().map(name).collect::<Vec<_>>().join(" → "));
    for (japanese, english, [black, white]) in [("戦法", "Opening", openings), ("囲い", "Castle", castles)] {
        let _ = writeln!(rows, "<tr><td>{}</td><td>{black}</td><td>{white}</td></tr>", both(japanese, english));
    }
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
fn mistakes(report: &GameReport, lines: &[view::Line<'_>]) -> String {
    let Some(main) = lines.first() else { return String::new() };
    let mut items = String::new();
    for (index, (mv, text)) in report.moves.iter().zip(&main.texts).enumerate() {
        let is_bad = mv.class >= Some(Class::Inaccuracy) || mv.missed_mate.is_some();
        let Some(class) = mv.class.filter(|_| is_bad) else { continue };
        let better =
            report.positions.get(index).and_then(|position| position.lines.first().map(|line| (position, line)));
        let better = better.map(|(position, line)| line_texts(&position.sfen, &line.moves)).unwrap_or_default();
        let (japanese, english): (Vec<String>, Vec<String>) = better.into_iter().unzip();
        let _ = writeln!(
            items,
            "<li>{} {} <b>{}</b> (−{:.1} %) → {}{}</li>",
            mv.ply,
            both(&text.0, &text.1),
            both(class.japanese(), class.name()),
            mv.loss.unwrap_or(0.0) * 100.0,
            both(&japanese.concat(), &english.join(" ")),
            mv.reason.as_ref().map(|why| format!("<br>{}", both(&why.ja, &why.en))).unwrap_or_default()
        );
    }
    format!("<ul>\n{items}</ul>")
}

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

//! Reports as pages of HTML: one self-contained file a game, and an index for a folder.
//!
//! A page holds its style, script and data; it requests nothing, which a content security
//! policy enforces. Board and curve are SVG. Without a script the page shows the
//! mistakes, the first position, the curve and all moves. Every text of a record is escaped: as HTML where it
//! is part of the page, as JSON without `<` where a script reads it, which puts it into
//! the page as text only.
//!
//! | file | contents |
//! |---|---|
//! | `*.html` | templates of the pages |
//! | `board.js` | positions and moves, for the page of the engine as well |
//! | `curve.rs` | the curve of win probability |
//! | `view.rs` | the data of the script: moves with their texts |
//! | `index.rs` `player.rs` | the index; summaries of its players |

mod curve;
mod index;
mod player;
mod view;

use std::fmt::Write as _;

use enbu_kifu::markup::{escape, is_shown};
use enbu_kifu::{EndKind, Names, Record, handicap_name, names::Named, svg};
use enbu_language::Language;

use crate::class::Class;
use crate::report::{GameReport, MoveReport, Score, Side, SideReport};

pub use index::{IndexRow, index};
pub use view::line_texts;

/// Positions and moves in a script, and pictures of them.
pub const BOARD_SCRIPT: &str = include_str!("html/board.js");

/// Longest name in a heading, in characters; the whole one is in the record.
const LONGEST_NAME: usize = 80;

/// The page of a game, in a language or, without one, in that of the browser.
pub fn page(record: &Record, report: &GameReport, language: Option<Language>) -> String {
    let lines = view::lines(record, report);
    let words = Words::of(report);
    let [black, white] = [&report.black_name, &report.white_name].map(|name| escape(&shortened(name)));
    let named = |side: Side, name: &str| if name.is_empty() { words.side(side) } else { name.to_owned() };
    let title = format!("{black} – {white} · {}", escape(&shortened(&report.source.file)));
    let values = [
        ("head", head(&title, language, "", Fetches::Nothing)),
        ("black", named(Side::Black, &black)),
        ("white", named(Side::White, &white)),
        ("black-side", words.side(Side::Black)),
        ("odds", words.odds.as_ref().map(bilingual).unwrap_or_default()),
        ("facts", facts(report, &words)),
        ("lead", lead(report, &lines)),
        ("board", svg::board(record.setup(), None)),
        ("curve", curve::svg(report)),
        ("moves", buttons_of_moves(report, &lines)),
        ("summary", summary(report, &words)),
        ("mistakes", mistakes(report, &lines)),
        ("engine", escape(&report.engine)),
        ("settings", escape(&report.settings)),
        ("data", in_script(&view::data(record, report, &lines, &words))),
        ("script", concat!(include_str!("html/board.js"), include_str!("html/page.js")).to_owned()),
    ];
    fill(include_str!("html/page.html"), &values)
}

/// The words for Black and White in a game, and the name of its handicap.
struct Words {
    sides: [&'static str; 2],
    odds: Option<[String; 2]>,
}

impl Words {
    fn of(report: &GameReport) -> Self {
        let start = report.positions.first().and_then(|start| start.sfen.parse().ok());
        match start.as_ref().and_then(handicap_name) {
            None => Self { sides: ["先手|Black", "後手|White"], odds: None },
            Some(ja) => {
                Self { sides: ["下手|Black", "上手|White"], odds: Some([ja.to_owned(), english_handicap(ja)]) }
            }
        }
    }

    fn side(&self, side: Side) -> String {
        let [black, white] = self.sides;
        in_both(if side == Side::Black { black } else { white })
    }
}

/// The English name of a handicap.
fn english_handicap(japanese: &str) -> String {
    const NAMES: &str = "右香 Right lance,両香 Two-lance,飛香 Rook and lance,香 Lance,角 Bishop,飛 Rook,二 Two-piece,三 Three-piece,四 Four-piece,\
        五 Five-piece,六 Six-piece,七 Seven-piece,八 Eight-piece,九 Nine-piece,十 Ten-piece,裸玉 Bare king";
    let names = NAMES.split(',').filter_map(|row| row.split_once(' '));
    let mut names = names.filter(|(known, _)| japanese.starts_with(known) && !japanese.ends_with('得'));
    let name = names.next().map_or("Special", |(_, english)| english);
    format!("{name} handicap")
}

/// A template in which values, as they are, replace the names in braces, `{{name}}`; words in
/// both languages are in braces themselves: `{{日本語|English}}`.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for (name, text) in parts.filter_map(|part| part.split_once("}}")) {
        let known = || values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let value = if name.contains('|') { Some(in_both(name)) } else { known() };
        debug_assert!(value.is_some(), "no value for {name}");
        page.push_str(&value.unwrap_or_default());
        page.push_str(text);
    }
    page
}

/// Requests of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetches {
    /// None.
    Nothing,
    /// Files of its own server.
    Own,
}

/// The beginning of a page, up to its body: the style of all pages, and more of it.
pub fn head(title: &str, language: Option<Language>, style: &str, fetches: Fetches) -> String {
    const CHOICE: &str = "<script>{const l=/^ja/i.test(navigator.language)?'ja':'en';document.documentElement.dataset.lang=l;document.documentElement.lang=l}</script>\n";
    let choice = if language.is_none() { CHOICE } else { "" };
    let lang = language.unwrap_or(Language::Japanese).name();
    let policy = if fetches == Fetches::Own { "; connect-src 'self'" } else { "" };
    let style = format!("{}{style}", include_str!("html/page.css"));
    let values = [("lang", lang), ("policy", policy), ("title", title), ("style", &style), ("choice", choice)];
    fill(include_str!("html/head.html"), &values.map(|(name, value)| (name, value.to_owned())))
}

/// A text in both languages, of which the style shows one.
pub fn both(japanese: &str, english: &str) -> String {
    format!("<span class=\"ja\" lang=\"ja\">{japanese}</span><span class=\"en\" lang=\"en\">{english}</span>")
}

/// Words of a record in both languages.
fn bilingual([japanese, english]: &[String; 2]) -> String {
    both(&escape(&shortened(japanese)), &escape(&shortened(english)))
}

/// Words in both languages from `日本語|English`.
fn in_both(words: &str) -> String {
    let (japanese, english) = words.split_once('|').unwrap_or((words, words));
    both(japanese, english)
}

/// JSON on one line that no reader of HTML takes for a tag; a blank for what is not shown.
pub fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace(|c| !is_shown(c), " ")
}

fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(LONGEST_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

/// The names of an opening, a castle or a tactic.
fn words_of(name: &Named) -> [String; 2] {
    [name.ja.clone(), name.en.clone()]
}

fn name(name: &Named) -> String {
    bilingual(&words_of(name))
}

/// The castle of the mover and the tactic that a move of the main line makes.
fn names_at(names: &Names, MoveReport { ply, side, .. }: &MoveReport) -> String {
    let castles = names.sides.iter().skip(*side as usize).take(1).flat_map(|side| &side.castles);
    let made = castles.chain(&names.tactics).filter(|named| named.ply == *ply);
    made.map(|named| format!("<small>{}</small>", name(named))).collect()
}

/// The date of a game without the time of day.
fn day(report: &GameReport) -> &str {
    report.date.split(' ').next().unwrap_or_default()
}

/// Event, date, opening, end and length of a game.
fn facts(report: &GameReport, words: &Words) -> String {
    let known = [&report.event, &report.date].into_iter().filter(|text| !text.is_empty());
    let mut facts: Vec<String> = known.map(|text| escape(&shortened(text))).collect();
    facts.extend(report.names.opening.as_ref().map(name));
    facts.extend(report.winner.map(|winner| words.side(winner) + &in_both("の勝ち| won")));
    let end = report.end.as_deref().map(|end| [EndKind::in_japanese(end), end].map(str::to_owned));
    facts.extend(end.as_ref().map(bilingual));
    facts.push(both(&format!("{}手", report.moves.len()), &format!("{} moves", report.moves.len())));
    facts.join(" · ")
}

fn buttons_of_moves(report: &GameReport, lines: &[view::Line<'_>]) -> String {
    let mut items = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            let ply = line.report.from + 1;
            let label = both(&format!("変化 {ply}手目"), &format!("variation at move {ply}"));
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
            let named = if number == 0 { names_at(&report.names, mv) } else { String::new() };
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

/// The most important figures: accuracy, bad moves and a link to the deciding move.
fn lead(report: &GameReport, lines: &[view::Line<'_>]) -> String {
    let figures = |mark: &str, side: &SideReport| {
        let [.., inaccuracies, mistakes, blunders] = side.classes;
        let accuracy = shown(side.accuracy);
        let japanese = format!("精度 {accuracy}　大悪手 {blunders}・悪手 {mistakes}・疑問手 {inaccuracies}");
        let english =
            format!("accuracy {accuracy}, blunders {blunders}, mistakes {mistakes}, inaccuracies {inaccuracies}");
        format!("<span>{mark} {}</span> ", both(&japanese, &english))
    };
    let mut lead = figures("▲", &report.black) + &figures("△", &report.white);
    let text = |ply: usize| Some((ply, lines.first()?.texts.get(ply - 1)?));
    if let Some((ply, (japanese, english))) = report.deciding_ply.and_then(text) {
        let link = both(&format!("敗着：{ply}手目 {japanese}"), &format!("Losing move: {ply} {english}"));
        let _ = write!(lead, "<a href=\"#{ply}\" id=\"deciding\" data-line=\"0\" data-ply=\"{ply}\">{link}</a>");
    }
    lead
}

/// A figure with one decimal, or a dash.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

/// A share in percent.
fn percent(share: Option<f64>) -> String {
    shown(share.map(|share| share * 100.0)) + "\u{a0}%"
}

/// The name of a move's class in its colour.
fn class_of(mv: &MoveReport) -> String {
    let Some(class) = mv.class else { return String::new() };
    format!("<span class=\"{}\">{}</span>", class.name(), both(class.japanese(), class.name()))
}

/// The figures of both sides.
fn summary(report: &GameReport, words: &Words) -> String {
    let mut rows = String::new();
    let mut row = |label: &str, [black, white]: [String; 2]| {
        let _ = writeln!(rows, "<tr><th scope=\"row\">{}</th><td>{black}</td><td>{white}</td></tr>", in_both(label));
    };
    let names = &report.names.sides;
    let openings = names.each_ref().map(|side| side.opening.as_ref().map(name).unwrap_or_default());
    let castles = names.each_ref().map(|side| side.castles.iter().map(name).collect::<Vec<_>>().join(" → "));
    for (label, names) in [("戦法|Opening", openings), ("囲い|Castle", castles)] {
        if names != ["", ""] {
            row(label, names);
        }
    }
    let mut figures = |label: &str, cell: &dyn Fn(&SideReport) -> String| {
        row(label, [&report.black, &report.white].map(cell));
    };
    figures("精度|Accuracy", &|side| shown(side.accuracy));
    figures("　序盤|\u{2003}opening", &|side| shown(side.accuracy_of_phases[0]));
    figures("　中盤|\u{2003}middlegame", &|side| shown(side.accuracy_of_phases[1]));
    figures("　終盤|\u{2003}endgame", &|side| shown(side.accuracy_of_phases[2]));
    figures("最善手との一致率|Agreement with the first choice", &|side| percent(side.agreement));
    figures("1手平均の勝率低下|Mean loss of a move", &|side| percent(side.mean_loss));
    for (class, english) in Class::ALL.into_iter().zip(["Best", "Good", "Inaccuracies", "Mistakes", "Blunders"]) {
        figures(&format!("{}|{english}", class.japanese()), &|side| {
            side.classes.get(class as usize).map(usize::to_string).unwrap_or_default()
        });
    }
    figures("詰み逃し|Missed mates", &|side| side.missed_mates.to_string());
    format!(
        "<table><thead><tr><td></td><th scope=\"col\">▲ {}</th><th scope=\"col\">△ {}</th></tr></thead><tbody>\n{rows}</tbody></table>",
        words.side(Side::Black),
        words.side(Side::White)
    )
}

/// Moves of a better line in the list.
const LISTED_MOVES: usize = 8;

/// The list of bad moves of the main line, each with its loss and the better line.
fn mistakes(report: &GameReport, lines: &[view::Line<'_>]) -> String {
    let Some(main) = lines.first() else { return String::new() };
    let mut items = String::new();
    let moves = report.moves.iter().zip(&main.texts).zip(&report.positions).filter(|((mv, _), _)| mv.is_mistake());
    for ((mv, (japanese, english)), before) in moves {
        let ply = mv.ply;
        let best = before.lines.first().map(|line| &line.moves);
        let better = mv.missed_mate.as_ref().or(best).map_or(&[][..], |moves| moves);
        let shown = line_texts(&before.sfen, better.get(..LISTED_MOVES).unwrap_or(better));
        let (better_japanese, better_english): (Vec<String>, Vec<String>) = shown.into_iter().unzip();
        let mate = mv.missed_mate.as_ref().map(Vec::len);
        let mate = mate.map(|plies| both(&format!("{plies}手詰を逃す"), &format!("missed mate in {plies}")));
        let deciding = (report.deciding_ply == Some(ply)).then(|| both("敗着", "losing move"));
        let tags = mate.into_iter().chain(deciding).map(|tag| format!(" <span class=\"tag\">{tag}</span>"));
        let _ = writeln!(
            items,
            "<li><button type=\"button\" data-line=\"0\" data-ply=\"{ply}\"><span class=\"no\">{ply}</span> <b>{}</b> {} <span class=\"sc\">−{}</span>{}</button>\
             <button type=\"button\" class=\"better\" data-line=\"0\" data-ply=\"{ply}\" data-better=\"1\">{} {}</button>{}</li>",
            both(japanese, english),
            class_of(mv),
            percent(mv.loss),
            tags.collect::<String>(),
            both("最善", "better"),
            both(&better_japanese.concat(), &better_english.join(" ")),
            mv.reason.as_ref().map(|why| format!("<p>{}</p>", both(&why.ja, &why.en))).unwrap_or_default()
        );
    }
    if items.is_empty() {
        return format!("<p>{}</p>", both("疑問手・悪手はありません。", "No inaccuracies, mistakes or blunders."));
    }
    format!("<ol id=\"mistakes\">\n{items}</ol>")
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

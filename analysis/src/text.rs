//! The analysis of a game as a few lines for a terminal.

use enbu_kifu::EndKind;
use enbu_language::{Language, pick, text};

use crate::class::Class;
use crate::html::line_texts;
use crate::report::{GameReport, MoveReport, PositionReport, Side, SideReport};

/// Moves of a better line that are shown.
const SHOWN_MOVES: usize = 6;

/// Players and result, accuracy, the numbers of bad moves, and the `most` worst of them with
/// the better lines, in the order of the game.
pub fn summary(report: &GameReport, most: usize) -> String {
    let mut lines = vec![heading(report)];
    let accuracy = |side: &SideReport| side.accuracy.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    let [black, white] = [&report.black, &report.white].map(accuracy);
    lines.push(text!("Accuracy: ▲ {black}, △ {white}", "精度：▲ {black}　△ {white}").to_string());
    let classes = [(Class::Blunder, "Blunders"), (Class::Mistake, "Mistakes"), (Class::Inaccuracy, "Inaccuracies")];
    let counts = classes.map(|(class, english)| {
        let [black, white] =
            [&report.black, &report.white].map(|side| side.classes.get(class as usize).copied().unwrap_or(0));
        let japanese = class.japanese();
        text!("{english}: ▲ {black}, △ {white}", "{japanese}：▲ {black}　△ {white}").to_string()
    });
    lines.push(counts.join(pick("; ", "　")));
    let missed = report.black.missed_mates + report.white.missed_mates;
    if missed > 0 {
        lines.push(text!("Missed mates: {missed}", "詰み逃し：{missed}").to_string());
    }
    let mut worst: Vec<_> = report.positions.iter().zip(&report.moves).filter(|(_, mv)| mv.is_mistake()).collect();
    worst.sort_by(|(_, a), (_, b)| b.loss.unwrap_or(0.0).total_cmp(&a.loss.unwrap_or(0.0)));
    worst.truncate(most);
    worst.sort_by_key(|(_, mv)| mv.ply);
    lines.extend(worst.into_iter().map(|(before, mv)| bad_move(before, mv)));
    lines.join("\n") + "\n"
}

/// Players, date, winner, kind of the end and number of moves.
fn heading(report: &GameReport) -> String {
    let name = |name: &str, or: &'static str| if name.is_empty() { or.to_owned() } else { name.to_owned() };
    let black = name(&report.black_name, pick("Black", "先手"));
    let white = name(&report.white_name, pick("White", "後手"));
    let moves = report.moves.len();
    let mut facts = vec![format!("▲ {black} – △ {white}")];
    facts.extend(Some(report.date.clone()).filter(|date| !date.is_empty()));
    facts.extend(report.winner.map(|winner| match winner {
        Side::Black => text!("{black} won", "{black}の勝ち").to_string(),
        Side::White => text!("{white} won", "{white}の勝ち").to_string(),
    }));
    facts.extend(report.end.as_deref().map(|end| pick(end, EndKind::in_japanese(end)).to_owned()));
    facts.push(text!("{moves} moves", "{moves}手").to_string());
    facts.join(pick(", ", "　"))
}

/// A bad move with its loss and the better line.
fn bad_move(before: &PositionReport, mv: &MoveReport) -> String {
    let words = |moves: &[String]| -> String {
        let texts = line_texts(&before.sfen, moves.get(..SHOWN_MOVES).unwrap_or(moves)).into_iter();
        match Language::current() {
            Language::Japanese => texts.map(|(japanese, _)| japanese).collect(),
            Language::English => texts.map(|(_, english)| english).collect::<Vec<_>>().join(" "),
        }
    };
    let (ply, played) = (mv.ply, words(std::slice::from_ref(&mv.usi)));
    let class = mv.class.map_or("", |class| pick(class.name(), class.japanese()));
    let loss = mv.loss.unwrap_or(0.0) * 100.0;
    let better = match (&mv.missed_mate, before.lines.first()) {
        (Some(mate), _) => text!("; missed mate in {}: {}", "　{}手詰を逃す：{}", mate.len(), words(mate)).to_string(),
        (None, Some(best)) => text!("; better {}", "　最善は {}", words(&best.moves)).to_string(),
        (None, None) => String::new(),
    };
    text!(
        "{ply:>5}. {played}  {class}, -{loss:.0} %{better}",
        "{ply:>4}手目 {played}　{class}　勝率 −{loss:.0} %{better}"
    )
    .to_string()
}

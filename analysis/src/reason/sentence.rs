//! The sentence of a fact, in Japanese and English.

use enbu_movegen::{Move, PieceType, Position, Square};

use crate::fact::{Fact, Reason};
use crate::html::line_texts;

type Both = (String, String);

/// Japanese and English names of the pieces, in the order of [`PieceType`].
#[rustfmt::skip]
const PIECE_NAMES: [(&str, &str); PieceType::COUNT] = [
    ("歩", "pawn"), ("香", "lance"), ("桂", "knight"), ("銀", "silver"), ("角", "bishop"), ("飛車", "rook"), ("金", "gold"),
    ("玉", "king"), ("と金", "tokin"), ("成香", "promoted lance"), ("成桂", "promoted knight"),
    ("成銀", "promoted silver"), ("馬", "horse"), ("龍", "dragon"),
];

/// Japanese and English name of a piece.
pub(super) fn name(kind: PieceType) -> (&'static str, &'static str) {
    PIECE_NAMES.get(kind as usize).copied().unwrap_or_default()
}

/// Adds the sentences to the reason of a mistake, the move `played` at `before`.
pub(super) fn added(reason: Reason, before: &Position, played: Move) -> Reason {
    let (values, (ja, en)) = (values(&reason, before, played), templates(&reason));
    let of = |template: &str, side: fn(&Both) -> &String| {
        let filled = |text: String, (name, both): &(&str, Both)| text.replace(&format!("{{{name}}}"), side(both));
        values.iter().fold(template.to_owned(), filled)
    };
    Reason { ja: of(ja, |both| &both.0), en: of(en, |both| &both.1), ..reason }
}

/// The templates of a reason, with the names of [`values`] in braces.
#[rustfmt::skip]
fn templates(reason: &Reason) -> (&'static str, &'static str) {
    let is_check = reason.pieces.first().is_some_and(|name| name == "king");
    match (reason.fact, reason.plies) {
        (Fact::PerpetualCheck, _) => ("連続王手の千日手で負けになります。", "Repeats the position for the fourth time by perpetual check, which loses."),
        (Fact::Repetition, _) => ("千日手になります。", "Repeats the position for the fourth time: a draw."),
        (Fact::MissedDeclaration, _) => ("入玉宣言で勝ちでした。", "A declaration by entering king would have won."),
        (Fact::AllowsDeclaration, _) => ("相手の入玉宣言が成立します。", "The opponent can declare a win by entering king."),
        (Fact::MissedMate, None) => ("{by}からの詰みを逃しました。", "Misses a mate by {by}."),
        (Fact::MissedMate, Some(1)) => ("{by}で詰みでした。", "Misses mate by {by}."),
        (Fact::MissedMate, _) => ("{by}からの{plies}手詰を逃しました。", "Misses a mate in {plies} plies by {by}."),
        (Fact::IgnoresMateThreat, None | Some(1)) => ("詰めろを受けておらず、{by}で詰まされます。", "Leaves a threat of mate: {by} mates."),
        (Fact::IgnoresMateThreat, _) => ("詰めろを受けておらず、{by}から{plies}手で詰まされます。", "Leaves a threat of mate: {by} mates in {plies} plies."),
        (Fact::AllowsMate, None) => ("{by}からの詰みを見落としています。", "Overlooks a mate by {by}."),
        (Fact::AllowsMate, Some(1)) => ("{by}の一手詰を見落としています。", "Overlooks mate by {by}."),
        (Fact::AllowsMate, _) => ("{by}からの{plies}手詰を見落としています。", "Overlooks a mate in {plies} plies by {by}."),
        (Fact::IgnoresThreat, _) => ("{target}取りを受けておらず、{by}で{loss}。", "Leaves the {target} attacked: {by} wins {loss}."),
        (Fact::Unguards, _) => ("{played}で{target}のひもが外れ、{by}で{loss}。", "{played} gives up protection of the {target}: {by} wins {loss}."),
        (Fact::LosesPiece, _) => ("{by}で{loss}。", "{by} wins {loss}."),
        (Fact::BetterCapture, _) => ("{by}で{gain}。", "{by} would have won {gain}."),
        (Fact::AllowsAttack, _) if is_check => ("{by}で王手{on}取りがかかります。", "{by} gives check and wins {either}."),
        (Fact::AllowsAttack, _) if reason.pieces.len() == 1 => ("{by}で{on}が助からなくなります。", "{by} wins {on}, which cannot be saved."),
        (Fact::AllowsAttack, _) => ("{by}で{on}の両取りがかかります。", "{by} attacks {on} and wins one."),
        (Fact::MissedAttack, _) if is_check => ("{by}で王手{on}取りがかかりました。", "{by} would have given check and won {either}."),
        (Fact::MissedAttack, _) if reason.pieces.len() == 1 => ("{by}なら相手の{on}は助かりませんでした。", "{by} would have won {on}, which could not be saved."),
        (Fact::MissedAttack, _) => ("{by}で{on}の両取りがかかりました。", "{by} would have attacked {on} and won one."),
        (Fact::AllowsPromotion, _) => ("{by}で{made}を作られます。", "{by} makes a {made}."),
        (Fact::MissedPromotion, _) => ("{by}で{made}を作れました。", "{by} would have made a {made}."),
        (Fact::PromotionChoice, _) if reason.by.as_deref().is_some_and(|by| by.ends_with('+')) => ("ここは{by}とするところでした。", "Promoting was better: {by}."),
        (Fact::PromotionChoice, _) => ("ここは{by}とするところでした。", "Not promoting was better: {by}."),
        (Fact::LetsKingEnter, _) => ("{by}と入玉されます。", "{by} enters the camp with the king."),
        (Fact::AllowsMateThreat, _) => ("{by}が詰めろになります。", "{by} threatens mate."),
        (Fact::MissedMateThreat, _) => ("{by}なら詰めろでした。", "{by} would have threatened mate."),
        (Fact::LineLoses, _) => ("{by}以下の読み筋で{loss}。", "The best line from {by} on wins {loss}."),
        (Fact::LineWins, _) => ("{by}以下の読み筋で{gain}。", "The best line from {by} on would have won {gain}."),
    }
}

/// The values of the templates.
fn values(reason: &Reason, before: &Position, played: Move) -> Vec<(&'static str, Both)> {
    let Some(by) = &reason.by else { return Vec::new() };
    let mut board = before.clone();
    let mut path = vec![played.to_string(), by.clone()];
    let sfen = before.to_setup().to_string();
    let text = |moves: &[String]| line_texts(&sfen, moves).pop().unwrap_or_default();
    let played_text = text(&[played.to_string()]);
    if reason.is_about_answer() {
        board.do_move(played);
    } else {
        path.remove(0);
    }
    let Ok(mv) = by.parse::<Move>() else { return Vec::new() };
    let kind = |square: Square| board.piece_at(square).map(|piece| piece.kind);
    let named = |kind: Option<PieceType>| {
        let (ja, en) = kind.map(name).unwrap_or_default();
        (ja.to_owned(), en.to_owned())
    };
    let on: Vec<String> = reason.pieces.iter().filter(|name| *name != "king").cloned().collect();
    let plies = reason.plies.unwrap_or_default().to_string();
    vec![
        ("by", text(&path)),
        ("played", played_text),
        ("plies", (plies.clone(), plies)),
        ("target", named(kind(mv.to()))),
        ("made", named(mv.from().and_then(kind).and_then(PieceType::promoted))),
        ("on", (japanese(&on, "と"), english(&on, "the", "and"))),
        ("either", (String::new(), english(&on, "the", "or"))),
        ("loss", traded(reason, ["をただで取られます", "を取られます", "の交換になります"])),
        ("gain", traded(reason, ["をただで取れました", "を取れました", "の交換にできました"])),
    ]
}

/// The trade of a reason, with the Japanese ends for a piece for nothing, for one that is better
/// not taken back, and for an exchange.
fn traded(reason: &Reason, [free, taken, exchanged]: [&str; 3]) -> Both {
    let (ja, en) = (japanese(&reason.pieces, "・"), english(&reason.pieces, "a", "and"));
    match &reason.given[..] {
        [] if reason.free => (ja + free, en + " for nothing"),
        [] => (ja + taken, en),
        given => {
            (format!("{ja}と{}{exchanged}", japanese(given, "・")), format!("{en} for {}", english(given, "a", "and")))
        }
    }
}

/// Names of each kind with their number, in the order of their first ones.
fn counted(names: &[String]) -> impl Iterator<Item = (&str, usize)> {
    let is_first = |&(at, name): &(usize, &String)| names.iter().position(|other| other == name) == Some(at);
    let count = |name: &String| names.iter().filter(|other| *other == name).count();
    names.iter().enumerate().filter(is_first).map(move |(_, name)| (name.as_str(), count(name)))
}

/// `銀と金2枚`.
fn japanese(names: &[String], separator: &str) -> String {
    let word = |name: &str| PIECE_NAMES.iter().find(|(_, en)| *en == name).map_or("", |(ja, _)| ja);
    let text = |(name, count)| match count {
        1 => word(name).to_owned(),
        _ => format!("{}{count}枚", word(name)),
    };
    counted(names).map(text).collect::<Vec<_>>().join(separator)
}

/// `a silver and 2 golds`.
fn english(names: &[String], article: &str, last: &str) -> String {
    let text = |(name, count)| if count == 1 { format!("{article} {name}") } else { format!("{count} {name}s") };
    let texts: Vec<String> = counted(names).map(text).collect();
    match texts.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => texts.concat(),
    }
}

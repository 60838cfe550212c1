//! Output of lengths and lines, and of `--sound`: the judgement of a problem, and its flaws.

use std::io::{self, Write};

use enbu_language::{pick, text};
use enbu_mate::{Counted, Flaw, FlawKind, Judgement, Length, Origin, Soundness};
use enbu_movegen::{HandPiece, Move, Setup};
use serde_json::{Value, json};

use crate::commands::moves::line;

pub(super) fn words(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

/// A length: `13` when it is exact, `<=13` when it is a bound.
pub(super) fn bound(plies: u16, length: Length) -> String {
    if length == Length::Shortest { plies.to_string() } else { format!("<={plies}") }
}

/// Name of a flaw, in JSON and in Japanese.
const fn terms(kind: FlawKind) -> (&'static str, &'static str) {
    match kind {
        FlawKind::Shorter => ("shorter_mate", "早詰"),
        FlawKind::Other => ("other_solution", "余詰"),
        FlawKind::Transposition => ("transposition", "手順前後"),
        FlawKind::Detour => ("detour", "迂回手順"),
        FlawKind::Promotion => ("promotion_dual", "成不成非限定"),
        FlawKind::Distance => ("distance_dual", "打ち場所非限定"),
        FlawKind::LastMove => ("last_move_dual", "最終手余詰"),
        FlawKind::EqualDefence => ("equal_defence", "変同"),
        FlawKind::LongerDefence => ("longer_defence", "変長"),
        FlawKind::Refutation => ("refutation", "不詰"),
        FlawKind::Open => ("open", "未解決"),
    }
}

const fn judgement(sound: Judgement) -> (&'static str, &'static str) {
    match sound {
        Judgement::Sound => ("sound", "完全作"),
        Judgement::Flawed => ("flawed", "不完全作"),
        Judgement::Open => ("open", "未解決"),
    }
}

/// Pieces left in hand, by their letters of SFEN or by their names.
fn left(sound: &Soundness, name: impl Fn(HandPiece) -> char) -> String {
    let each = HandPiece::ALL.into_iter().filter(|&piece| sound.left.has(piece));
    each.map(|piece| format!("{}{}", name(piece), sound.left.count(piece))).collect()
}

fn length(mate: Option<Counted>) -> String {
    mate.map(|mate| bound(mate.plies, mate.length)).unwrap_or_default()
}

/// The judgement with the main line, then a row for each flaw: number of the move, class,
/// length, and the moves up to it.
pub(super) fn write(out: &mut impl Write, start: &Setup, sound: &Soundness) -> io::Result<()> {
    let (english, term) = judgement(sound.judgement());
    let (plies, moves) = (length(Some(sound.counted)), line(start, &sound.line));
    writeln!(out, "{}", text!("  {english} {term}, {plies}: {moves}", "  {term}、{plies} 手：{moves}"))?;
    let left = left(sound, HandPiece::name);
    if !left.is_empty() {
        let term = "駒余り";
        writeln!(out, "{}", text!("  pieces_left {term}: {left}", "  {term}：{left}"))?;
    }
    for Flaw { before, mv, kind, mate } in &sound.flaws {
        let (english, term) = terms(*kind);
        let moves = line(start, &[&before[..], &[*mv]].concat());
        let (number, plies) = (before.len() + 1, length(*mate));
        let japanese = if plies.is_empty() { String::new() } else { format!(" {plies} 手") };
        let plies = pick(format!(" {plies}"), japanese);
        let text = text!("  {number:>4} {english} {term}{plies}: {moves}", "  {number:>4} 手目 {term}{plies}：{moves}");
        writeln!(out, "{text}")?;
    }
    Ok(())
}

pub(super) fn as_json(sound: &Soundness) -> Value {
    let flaws = sound.flaws.iter().map(|Flaw { before, mv, kind, mate }| {
        let (name, term) = terms(*kind);
        json!({
            "ply": before.len() + 1,
            "before": words(before),
            "move": mv.to_string(),
            "kind": name,
            "term": term,
            "mate": mate.map(|_| length(*mate)),
        })
    });
    json!({
        "judgement": judgement(sound.judgement()).0,
        "main_line": words(&sound.line),
        "given": sound.origin == Origin::Given,
        "counted": length(Some(sound.counted)),
        "pieces_left": left(sound, |piece| piece.piece_type().letter()),
        "flaws": flaws.collect::<Vec<_>>(),
    })
}

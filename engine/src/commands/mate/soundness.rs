//! Output of lengths and lines, and of `--sound`: the judgement of a problem, and its flaws.

use std::io::{self, Write};

use enbu_mate::{Counted, Flaw, FlawKind, Judgement, Length, Origin, Soundness};
use enbu_movegen::{HandPiece, Move};
use serde_json::{Value, json};

pub(super) fn words(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

/// Moves in USI notation, as one text.
pub(super) fn line(moves: &[Move]) -> String {
    words(moves).join(" ")
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

/// Pieces left in hand, as SFEN writes them.
fn left(sound: &Soundness) -> String {
    let each = HandPiece::ALL.into_iter().filter(|&piece| sound.left.has(piece));
    each.map(|piece| format!("{}{}", piece.piece_type().letter(), sound.left.count(piece))).collect()
}

fn length(mate: Option<Counted>) -> String {
    mate.map(|mate| bound(mate.plies, mate.length)).unwrap_or_default()
}

/// The judgement with the main line, then a row for each flaw: number of the move, class,
/// length, and the moves up to it.
pub(super) fn write(out: &mut impl Write, sound: &Soundness) -> io::Result<()> {
    let (name, term) = judgement(sound.judgement());
    writeln!(out, "  {name} {term}, {}: {}", length(Some(sound.counted)), line(&sound.line))?;
    if !left(sound).is_empty() {
        writeln!(out, "  pieces_left 駒余り: {}", left(sound))?;
    }
    for Flaw { before, mv, kind, mate } in &sound.flaws {
        let (name, term) = terms(*kind);
        let moves = line(&[&before[..], &[*mv]].concat());
        writeln!(out, "  {:>4} {name} {term} {}: {moves}", before.len() + 1, length(*mate))?;
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
        "pieces_left": left(sound),
        "flaws": flaws.collect::<Vec<_>>(),
    })
}

//! Diagrams as SVG pictures: board, hands and the last move marked.
//!
//! Write only. White's pieces are turned round, promoted pieces are red, the
//! square that the last move went to is shaded and its origin framed. The picture
//! needs no font but one that has the pieces' names, and no other file.

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

use std::fmt::Write as _;

use enbu_movegen::{Color, HandPiece, Move, Setup, Square};

use crate::header::HeaderKey;
use crate::kakinoki::words::{file_digit, mark, piece_cell, push_count, rank_kanji};
use crate::markup::escape;
use crate::record::Record;

const CELL: u32 = 40;
const BOARD_X: u32 = 80;
const BOARD_Y: u32 = 60;
const WIDTH: u32 = BOARD_X * 2 + CELL * 9;
const HEIGHT: u32 = BOARD_Y * 2 + CELL * 9;

/// Draws `setup`, a position of `record`, with the move that led to it.
///
/// ```
/// use enbu_kifu::{Record, svg};
/// use enbu_movegen::Setup;
/// let setup = Setup::startpos();
/// let picture = svg::write(&Record::new(setup.clone()), &setup, None);
/// assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
/// assert_eq!(picture.matches(">歩<").count(), 18);
/// ```
pub fn write(record: &Record, setup: &Setup, last: Option<Move>) -> String {
    let mut picture = String::new();
    let _ = writeln!(
        picture,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="'Noto Serif CJK JP','Yu Mincho','Hiragino Mincho ProN','MS Mincho',serif" text-anchor="middle">"#
    );
    let _ = writeln!(picture, r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##);
    push_last_move(&mut picture, last);
    push_grid(&mut picture);
    push_pieces(&mut picture, setup);
    push_side(&mut picture, record, setup, Color::Black);
    push_side(&mut picture, record, setup, Color::White);
    picture.push_str("</svg>\n");
    picture
}

/// Draws the board of `setup` alone, without names and hands, for pages that show these
/// themselves. The pieces are in a group of the class `pieces`, the marks of the last move
/// in one of the class `last`, so that a script can replace them.
///
/// ```
/// use enbu_kifu::svg;
/// use enbu_movegen::Setup;
/// let picture = svg::board(&Setup::startpos(), None);
/// assert!(picture.contains(r#"<g class="pieces">"#) && !picture.contains("なし"));
/// ```
pub fn board(setup: &Setup, last: Option<Move>) -> String {
    const MARGIN: u32 = 24;
    let (x, y, side) = (BOARD_X - MARGIN, BOARD_Y - MARGIN, 9 * CELL + 2 * MARGIN);
    let mut picture = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {side} {side}" font-family="'Noto Serif CJK JP','Yu Mincho','Hiragino Mincho ProN','MS Mincho',serif" text-anchor="middle">
<rect class="paper" x="{x}" y="{y}" width="{side}" height="{side}" fill="#fff"/>
<g class="last">
"##
    );
    push_last_move(&mut picture, last);
    picture.push_str("</g>\n");
    push_grid(&mut picture);
    picture.push_str("<g class=\"pieces\">\n");
    push_pieces(&mut picture, setup);
    picture.push_str("</g>\n</svg>\n");
    picture
}

const fn left(square: Square) -> u32 {
    BOARD_X + CELL * (9 - square.file() as u32)
}

const fn top(square: Square) -> u32 {
    BOARD_Y + CELL * (square.rank() as u32 - 1)
}

fn push_last_move(picture: &mut String, last: Option<Move>) {
    let Some(mv) = last else { return };
    let (x, y) = (left(mv.to()), top(mv.to()));
    let _ = writeln!(picture, r##"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#f6d68b"/>"##);
    if let Some(from) = mv.from() {
        let (x, y, side) = (left(from) + 3, top(from) + 3, CELL - 6);
        let _ = writeln!(
            picture,
            r##"<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="none" stroke="#d9a520" stroke-width="2" stroke-dasharray="5 3"/>"##
        );
    }
}

fn push_grid(picture: &mut String) {
    let (right, bottom) = (BOARD_X + 9 * CELL, BOARD_Y + 9 * CELL);
    let mut path = String::new();
    for line in 1..9 {
        let (x, y) = (BOARD_X + line * CELL, BOARD_Y + line * CELL);
        let _ = write!(path, "M{x} {BOARD_Y}V{bottom}M{BOARD_X} {y}H{right}");
    }
    let _ = writeln!(picture, r##"<path d="{path}" stroke="#000" stroke-width="1"/>"##);
    let side = 9 * CELL;
    let _ = writeln!(
        picture,
        r##"<rect x="{BOARD_X}" y="{BOARD_Y}" width="{side}" height="{side}" fill="none" stroke="#000" stroke-width="2"/>"##
    );
    for (x, y) in [(3, 3), (6, 3), (3, 6), (6, 6)] {
        let _ = writeln!(picture, r#"<circle cx="{}" cy="{}" r="3"/>"#, BOARD_X + x * CELL, BOARD_Y + y * CELL);
    }
    for number in 1..=9u8 {
        let offset = CELL * u32::from(number) - CELL / 2;
        let (x, y) = (right - offset, BOARD_Y + offset + 5);
        let _ = writeln!(picture, r#"<text x="{x}" y="{}" font-size="14">{}</text>"#, BOARD_Y - 6, file_digit(number));
        let _ = writeln!(picture, r#"<text x="{}" y="{y}" font-size="14">{}</text>"#, right + 12, rank_kanji(number));
    }
}

fn push_pieces(picture: &mut String, setup: &Setup) {
    for square in Square::ALL {
        let Some(piece) = setup.board[square] else { continue };
        let (x, y) = (left(square) + CELL / 2, top(square) + CELL / 2);
        let turn =
            if piece.color == Color::White { format!(r#" transform="rotate(180 {x} {y})""#) } else { String::new() };
        let (y, fill) = (y + 11, if piece.kind.is_promoted() { r##" fill="#c00""## } else { "" });
        let cell = piece_cell(piece.kind);
        let _ = writeln!(picture, r#"<text x="{x}" y="{y}" font-size="30"{fill}{turn}>{cell}</text>"#);
    }
}

/// Name and hand of a side, written downwards beside the board.
fn push_side(picture: &mut String, record: &Record, setup: &Setup, color: Color) {
    let (x, y) = (WIDTH - BOARD_X / 2 + 8, BOARD_Y);
    let turn = match color {
        Color::Black => String::new(),
        Color::White => format!(r#" transform="rotate(180 {} {})""#, WIDTH / 2, HEIGHT / 2),
    };
    let key = if color == Color::Black { HeaderKey::BlackName } else { HeaderKey::WhiteName };
    let name = shortened(record.headers.value(&key).unwrap_or_default());
    let to_move = if setup.turn == color { "●" } else { "" };
    let mut column = format!("{}{name}{to_move}　{}", mark(color), hand_text(setup.hands[color]));
    column.truncate(column.trim_end_matches('　').len());
    let height = HEIGHT - 2 * BOARD_Y;
    let count = u32::try_from(column.chars().count()).unwrap_or(u32::MAX).max(1);
    let step = (height / count).min(20);
    let _ = writeln!(picture, r#"<g font-size="{}"{turn}>"#, step.saturating_sub(2).max(4));
    for (line, c) in (1..).zip(column.chars()).filter(|(_, c)| *c != '　') {
        let _ =
            writeln!(picture, r#"<text x="{x}" y="{}">{}</text>"#, y + line * step, escape(c.encode_utf8(&mut [0; 4])));
    }
    picture.push_str("</g>\n");
}

/// A name that fits beside the board; a longer one ends with a sign of it.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 12;
    match name.char_indices().nth(LONGEST - 1) {
        Some((at, _)) if name.chars().nth(LONGEST).is_some() => format!("{}…", name.get(..at).unwrap_or_default()),
        _ => name.to_owned(),
    }
}

fn hand_text(hand: enbu_movegen::Hand) -> String {
    let mut text = String::new();
    for piece in HandPiece::SFEN_ORDER.into_iter().filter(|&piece| hand.has(piece)) {
        text.push(piece_cell(piece.piece_type()));
        push_count(&mut text, hand.count(piece));
    }
    if text.is_empty() { "なし".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_promoted_pieces_and_the_last_move_are_drawn() {
        let setup: Setup = "4k4/9/4+P4/9/9/9/9/9/9 w G2p 2".parse().unwrap();
        let mut record = Record::new(setup.clone());
        record.headers.push(HeaderKey::BlackName, "<a&b>");
        let picture = write(&record, &setup, Some("5d5c+".parse().unwrap()));
        for part in [
            ">と</text>",
            "fill=\"#c00\"",
            "fill=\"#f6d68b\"",
            "stroke-dasharray",
            "&lt;",
            "&amp;",
            ">金</text>",
            ">二</text>",
        ] {
            assert!(picture.contains(part), "{part}");
        }
        assert!(!picture.contains("<a&b>"));
    }
}

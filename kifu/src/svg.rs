//! Diagrams as SVG pictures: board, hands and names, the last move, arrows and marks.
//!
//! Write only. They are laid out as in Japanese books: the caption above the board; mark, name
//! and hand of a side downwards at its right; everything of the other side turned round. Promoted
//! pieces are red, the square that the last move went to is shaded and its origin framed. The
//! picture needs no font but one that has the pieces' names, and no other file. A text that would
//! leave its place is cut, and ends with `…`.

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

mod marks;
mod room;

use std::fmt::{Display, Write as _};

use enbu_movegen::{Color, Hand, HandPiece, Move, Piece, Setup, Square};

use crate::board::Board;
use crate::header::HeaderKey;
use crate::kakinoki::board::hand_text;
use crate::kakinoki::words::{file_digit, piece_cell, rank_kanji};
use crate::markup::escape;
use crate::record::Record;
use crate::{ki2, western};
pub use marks::Mark;
use marks::Place;
use room::{EM, advance, is_upright, shortened};

const CELL: u32 = 40;
const BOARD_X: u32 = 80;
const BOARD_Y: u32 = 60;
const BOARD: u32 = CELL * 9;
const WIDTH: u32 = BOARD_X * 2 + BOARD;
const HEIGHT: u32 = BOARD_Y + BOARD + 20;
/// Columns of the side at the bottom.
const HAND_X: u32 = WIDTH - 45;
const NAME_X: u32 = WIDTH - 17;
const NAME_SIZE: u32 = 16;
const CAPTION_SIZE: u32 = 18;
const FONTS: &str = "'Noto Serif CJK JP','Yu Mincho','Hiragino Mincho ProN','MS Mincho',serif";

/// Letters of pieces, ranks and moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Letters {
    /// One character a piece, as books and newspapers print them: `歩`, `全`, ranks in kanji.
    #[default]
    Japanese,
    /// `P`, `+R` in the outline of a piece, ranks in digits, moves of [`western`].
    Western,
}

/// Look of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The side at the bottom.
    pub bottom: Color,
    /// Letters of pieces, ranks and moves.
    pub letters: Letters,
    /// Text above the board, in which `{ply}`, `{move}`, `{event}`, `{black}` and `{white}` are
    /// replaced; `None` is the event, the number of the last move and its text.
    pub caption: Option<String>,
    /// Arrows and marks, besides those of comments.
    pub marks: Vec<Mark>,
}

/// Draws the position of `record` after `ply` moves of the main line, or after all of them, with
/// the arrows and circles of its comments (`[%cal G7g7f]`, `[%csl R5e]`).
pub fn write(record: &Record, ply: Option<usize>, style: &Style) -> String {
    let mut board = Board::after(record, ply.unwrap_or(usize::MAX));
    let (setup, plies) = (board.to_setup(), board.plies_played());
    let last = record.moves().take(plies).last();
    board.undo();
    let (text_of, made): (fn(&Board, Move) -> String, _) = match style.letters {
        Letters::Japanese => (|board, mv| ki2::move_text(board, mv, None), "{event}　{ply}手目 {move}まで"),
        Letters::Western => (western::move_text, "{event}　Move {ply}: {move}"),
    };
    let move_text = last.map(|mv| text_of(&board, mv)).unwrap_or_default();
    let value = |key, room| shortened(record.headers.value(&key).unwrap_or_default(), room);
    let (black, white) = (value(HeaderKey::BlackName, 60 * EM), value(HeaderKey::WhiteName, 60 * EM));
    let caption = style.caption.as_deref().unwrap_or(if last.is_some() { made } else { "{event}" });
    let caption = caption.replace("{ply}", &(record.number_after(plies) - 1).to_string()).replace("{move}", &move_text);
    let caption = caption.replace("{event}", &value(HeaderKey::Event, 240 * EM / CAPTION_SIZE));
    let caption = caption.replace("{black}", &black).replace("{white}", &white);
    let caption = shortened(caption.trim(), (WIDTH - 20) * EM / CAPTION_SIZE);
    let is_unnamed = black.is_empty() && white.is_empty();
    let names = if is_unnamed { "局面図 Shogi diagram".to_owned() } else { format!("▲{black} △{white}") };
    let title = escape(format!("{names} {caption}").trim_end());
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-family="{FONTS}" text-anchor="middle">
<title>{title}</title>
<desc>{setup}</desc>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
"##
    );
    let mut picture = Picture { svg, style };
    picture.text((WIDTH / 2, 22), CAPTION_SIZE, "", escape(&caption));
    picture.push_board(&setup, last);
    picture.push_side(&black, &setup, Color::Black);
    picture.push_side(&white, &setup, Color::White);
    let commented = marks::of_comments(record, plies);
    style.marks.iter().chain(&commented).for_each(|mark| picture.push_mark(mark, setup.turn));
    picture.svg + "</svg>\n"
}

/// Draws the board of `setup` alone, without names and hands, for pages that show these
/// themselves. The pieces are in a group of the class `pieces`, the marks of the last move
/// in one of the class `last`, so that a script can replace them.
pub fn board(setup: &Setup, last: Option<Move>) -> String {
    const MARGIN: u32 = 24;
    let (x, y, side) = (BOARD_X - MARGIN, BOARD_Y - MARGIN, BOARD + 2 * MARGIN);
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {side} {side}" font-family="{FONTS}" text-anchor="middle">
<rect class="paper" x="{x}" y="{y}" width="{side}" height="{side}" fill="#fff"/>
"##
    );
    let mut picture = Picture { svg, style: &Style::default() };
    picture.push_board(setup, last);
    picture.svg + "</svg>\n"
}

/// A picture so far.
struct Picture<'s> {
    svg: String,
    style: &'s Style,
}

impl Picture<'_> {
    fn is_western(&self) -> bool {
        self.style.letters == Letters::Western
    }

    /// The rows of a hand.
    fn hand(&self, hand: Hand) -> Vec<String> {
        let row = |piece: HandPiece| match hand.count(piece) {
            1 => western::piece(piece.piece_type()),
            count => format!("{}{count}", western::piece(piece.piece_type())),
        };
        if self.is_western() {
            return HandPiece::SFEN_ORDER.into_iter().filter(|&piece| hand.has(piece)).map(row).collect();
        }
        hand_text(hand).replace('　', "").chars().map(String::from).collect()
    }

    /// Adds a text whose letters are centred on a point, with further attributes.
    fn text(&mut self, (x, y): (u32, u32), size: u32, attributes: impl Display, text: impl Display) {
        let y = y + size * 11 / 30;
        let _ = writeln!(self.svg, r#"<text x="{x}" y="{y}" font-size="{size}"{attributes}>{text}</text>"#);
    }

    /// Adds a square within the edges of one of the board.
    fn rect(&mut self, square: Square, inset: u32, attributes: impl Display) {
        let (x, y) = self.centre(square);
        let (x, y, side) = (x - CELL / 2 + inset, y - CELL / 2 + inset, CELL - 2 * inset);
        let _ = writeln!(self.svg, r#"<rect x="{x}" y="{y}" width="{side}" height="{side}" {attributes}/>"#);
    }

    const fn centre(&self, square: Square) -> (u32, u32) {
        let square = square.relative(self.style.bottom);
        (BOARD_X + BOARD + CELL / 2 - CELL * square.file() as u32, BOARD_Y - CELL / 2 + CELL * square.rank() as u32)
    }

    fn push_board(&mut self, setup: &Setup, last: Option<Move>) {
        self.svg += "<g class=\"last\">\n";
        if let Some(mv) = last {
            self.rect(mv.to(), 0, r##"fill="#f6d68b""##);
            let dashes = r##"fill="none" stroke="#d9a520" stroke-width="2" stroke-dasharray="5 3""##;
            mv.from().into_iter().for_each(|from| self.rect(from, 3, dashes));
        }
        self.svg += concat!("</g>\n", include_str!("svg/grid.svg"));
        for number in 1..=9u8 {
            let offset = CELL * u32::from(number) - CELL / 2;
            let shown = if self.style.bottom == Color::Black { number } else { 10 - number };
            self.text((BOARD_X + BOARD - offset, BOARD_Y - 11), 14, "", file_digit(shown));
            let rank = if self.is_western() { file_digit(shown) } else { rank_kanji(shown) };
            self.text((BOARD_X + BOARD + 12, BOARD_Y + offset), 14, "", rank);
        }
        self.svg += "<g class=\"pieces\">\n";
        for square in Square::ALL {
            if let Some(piece) = setup.board[square] {
                self.push_piece(piece, square, if piece.kind.is_promoted() { r##" fill="#c00""## } else { "" });
            }
        }
        self.svg += "</g>\n";
    }

    fn push_piece(&mut self, piece: Piece, square: Square, fill: &str) {
        let (x, y) = self.centre(square);
        let is_turned = piece.color != self.style.bottom;
        let turn = if is_turned { format!(r#" transform="rotate(180 {x} {y})""#) } else { String::new() };
        if !self.is_western() {
            return self.text((x, y), 30, format_args!("{fill}{turn}"), piece_cell(piece.kind));
        }
        let name = western::piece(piece.kind);
        // `N` and `S` turned round are `N` and `S`: their outline has the direction.
        let outline = format!(r##"<path d="M{x} {y}m0-18 13 6 3 29h-32l3-29z"{turn} fill="#fff" stroke="#000"/>"##);
        self.svg += &(outline + "\n");
        self.text((x, y), if name.len() > 1 { 17 } else { 20 }, fill, name);
    }

    /// Mark, name and hand of a side, downwards beside the board; Latin letters lie on their side.
    fn push_side(&mut self, name: &str, setup: &Setup, color: Color) {
        let turn = if color == self.style.bottom { 0 } else { 180 };
        let fill = if color == Color::Black { "#000" } else { "none" };
        let (x, mut y) = (NAME_X, BOARD_Y + 20);
        let _ = writeln!(
            self.svg,
            r##"<g transform="rotate({turn} {} {})"><path d="M{x} {BOARD_Y}l6 3 2 13h-16l2-13z" fill="{fill}" stroke="#000"/>"##,
            WIDTH / 2,
            BOARD_Y + BOARD / 2
        );
        let letters: Vec<char> = shortened(name, (BOARD - 3 * NAME_SIZE) * EM / NAME_SIZE).chars().collect();
        for run in letters.chunk_by(|&a, &b| !is_upright(a) && !is_upright(b)) {
            let half = run.iter().map(|&c| advance(c)).sum::<u32>() * NAME_SIZE / EM / 2;
            let angle = if run.iter().all(|&c| is_upright(c)) { 0 } else { 90 };
            let turn = format!(r#" transform="rotate({angle} {x} {})""#, y + half);
            self.text((x, y + half), NAME_SIZE, turn, escape(&run.iter().collect::<String>()));
            y += 2 * half;
        }
        let to_move = if setup.turn == color { "●" } else { "" };
        self.text((x, y + NAME_SIZE / 2 + 4), NAME_SIZE, "", to_move);
        let rows = self.hand(setup.hands[color]);
        let step = (BOARD / rows.len().max(1) as u32).clamp(4, 24);
        for (row, y) in rows.into_iter().zip((BOARD_Y + step / 2..).step_by(step as usize)) {
            // `N` and `S` stay upright.
            let back = if self.is_western() { turn } else { 0 };
            let turned = format!(r#" transform="rotate({back} {HAND_X} {y})""#);
            self.text((HAND_X, y), (step - 2).min(20), turned, row);
        }
        self.svg += "</g>\n";
    }

    /// Adds an arrow or mark; `turn` is the side that drops pieces.
    fn push_mark(&mut self, &Mark { color, place }: &Mark, turn: Color) {
        let stroke = format!(r#"fill="none" stroke="{color}" stroke-width="3" opacity=".8""#);
        if let Place::Drop(piece, square) = place {
            self.push_piece(Piece::new(turn, piece), square, &format!(r#" fill="{color}""#));
        }
        match place {
            Place::Frame(square) => self.rect(square, 3, stroke),
            Place::Ring(square) | Place::Drop(_, square) => {
                let (x, y) = self.centre(square);
                let _ = writeln!(self.svg, r#"<circle cx="{x}" cy="{y}" r="17" {stroke}/>"#);
            }
            Place::Arrow(from, to) => {
                let ((x, y), (to_x, to_y)) = (self.centre(from), self.centre(to));
                let (across, down) = (f64::from(to_x) - f64::from(x), f64::from(to_y) - f64::from(y));
                let (tip, angle) = (across.hypot(down) - 4.0, down.atan2(across).to_degrees());
                let neck = tip - 16.0;
                let _ = writeln!(
                    self.svg,
                    r#"<path d="M8-3H{neck:.1}V-9L{tip:.1} 0 {neck:.1} 9V3H8Z" transform="translate({x} {y}) rotate({angle:.1})" fill="{color}" opacity=".8"/>"#
                );
            }
        }
    }
}

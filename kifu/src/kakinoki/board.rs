//! Boards as text: nine ranks between bars, hands above and below (BOD).

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

use enbu_movegen::{Color, Hand, HandPiece, Piece, Setup, Square};

use super::headers::Sides;
use super::moves;
use super::words::{self, is_blank, piece_cell, rank_kanji, side_of_mark};
use crate::board::held;
use crate::error::Problem;
use crate::reading::{Fault, Step};

/// A board while it is being read.
#[derive(Clone, Debug)]
pub(crate) struct BoardText {
    setup: Setup,
    ranks: u8,
    /// Hands that were read.
    hands: [bool; 2],
    /// The side to move, if it is given.
    pub(crate) turn: Option<Color>,
    /// The side to move, from the mark of the last move.
    turn_after_last: Option<Color>,
    /// Destination of the last move before the board.
    pub(crate) last_to: Option<Square>,
}

impl Default for BoardText {
    fn default() -> Self {
        Self { setup: Setup::empty(), ranks: 0, hands: [false; 2], turn: None, turn_after_last: None, last_to: None }
    }
}

impl BoardText {
    /// Returns true if any rank was read.
    pub(crate) const fn is_begun(&self) -> bool {
        self.ranks > 0
    }

    /// Returns true if a hand of `color` belongs to the next board, because this one is
    /// complete and has its own.
    pub(crate) fn is_followed_by_hand(&self, color: Color) -> bool {
        self.ranks == 9 && self.hands[color]
    }

    pub(crate) fn turn(&self) -> Option<Color> {
        self.turn.or(self.turn_after_last)
    }

    /// The number of the next move.
    pub(crate) const fn ply(&self) -> u16 {
        self.setup.ply
    }

    /// The position, which needs all its ranks; `default` is to move unless a side is given.
    pub(crate) fn setup(&self, default: Color) -> Result<Setup, Problem> {
        if self.ranks != 9 {
            return Err(Problem::BoardRanks);
        }
        Ok(Setup { turn: self.turn().unwrap_or(default), ..self.setup.clone() })
    }

    /// Reads a line such as `|v香v桂v銀v金v玉v金v銀v桂v香|一`.
    pub(crate) fn read_rank<'t>(&mut self, line: &'t str) -> Step<'t> {
        self.ranks += 1;
        if self.ranks > 9 {
            self.ranks = 10;
            return Err(Fault::new(Problem::BoardRanks, line));
        }
        let mut rest = line.get(1..).unwrap_or_default().split(['|', '｜']).next().unwrap_or_default();
        for file in (1..=9).rev() {
            let (piece, tail) = cell(rest).map_err(|problem| Fault::new(problem, rest))?;
            if let (Some(piece), Some(square)) = (piece, Square::new(file, self.ranks)) {
                self.setup.board[square] = Some(piece);
            }
            rest = tail;
        }
        if rest.trim_matches(is_blank).is_empty() { Ok(()) } else { Err(Fault::new(Problem::RankCells, rest)) }
    }

    /// Reads the pieces in hand of a side: `飛　角　金二　歩十八`.
    pub(crate) fn read_hand<'t>(&mut self, color: Color, value: &'t str) -> Step<'t> {
        self.hands[color] = true;
        let mut hand = Hand::EMPTY;
        let value = value.trim_matches(is_blank);
        let mut rest = if value == "なし" { "" } else { value };
        while !rest.is_empty() {
            let (kind, tail) = words::piece(rest).ok_or_else(|| Fault::new(Problem::HandSyntax, rest))?;
            let piece = held(kind).map_err(|problem| Fault::new(problem, rest))?;
            let (count, tail) = words::count(tail);
            // A hand may hold more than a set has, but no one writes it in one number.
            let total = u64::from(hand.count(piece)).saturating_add(count);
            let fits = u8::try_from(total).ok().filter(|_| count <= u64::from(MOST_IN_ONE));
            hand = fits
                .and_then(|total| hand.with_count(piece, total))
                .ok_or_else(|| Fault::new(Problem::HandOverflow, rest))?;
            rest = tail.trim_start_matches(|c| is_blank(c) || matches!(c, '、' | ',' | '・'));
        }
        self.setup.hands[color] = hand;
        Ok(())
    }

    /// Reads `手数＝171  ▲５三歩成  まで`: how many moves were made, and the last of them.
    pub(crate) fn read_footer(&mut self, line: &str) {
        let rest = line.trim_start_matches("手数").trim_start_matches(['＝', '=']).trim_start_matches(is_blank);
        let Some((made, rest)) = words::number(rest) else { return };
        self.setup.ply = u16::try_from(made.saturating_add(1)).unwrap_or(u16::MAX);
        let rest = rest.trim_start_matches(|c| is_blank(c) || c == '手');
        let mut chars = rest.chars();
        if let Some(side) = chars.next().and_then(side_of_mark) {
            self.turn_after_last = Some(!side);
            self.last_to = moves::parse(chars.as_str()).ok().and_then(|(text, _)| text.to);
        }
    }
}

/// The cell at the start of a rank, and the rest.
fn cell(text: &str) -> Result<(Option<Piece>, &str), Problem> {
    let mut chars = text.chars();
    let first = chars.next().ok_or(Problem::RankCells)?;
    let (color, rest) = match first {
        'v' | 'V' | 'ｖ' => (Color::White, chars.as_str()),
        ' ' | '^' | '+' => (Color::Black, chars.as_str()),
        _ => (Color::Black, text),
    };
    let mut chars = rest.chars();
    match chars.next() {
        Some('・' | '･' | '．' | '.' | '口' | '□' | '＊' | '*' | '　' | ' ') => Ok((None, chars.as_str())),
        Some(_) => {
            let piece = words::piece(rest).map(|(kind, tail)| (Some(Piece::new(color, kind)), tail));
            piece.ok_or(Problem::UnknownPiece)
        }
        None => Err(Problem::RankCells),
    }
}

/// The lines of a position: White's hand, nine ranks, Black's hand, and the
/// next move is where it is not Black's first.
pub(crate) fn lines(setup: &Setup) -> Vec<String> {
    let mut lines = vec![hand_line(setup, Color::White), "  ９ ８ ７ ６ ５ ４ ３ ２ １".to_owned(), EDGE.to_owned()];
    lines.extend((1..=9).map(|rank| rank_line(setup, rank)));
    lines.extend([EDGE.to_owned(), hand_line(setup, Color::Black)]);
    if setup.ply > 1 {
        lines.push(format!("手数＝{}  まで", setup.ply - 1));
    }
    if setup.turn == Color::White {
        lines.push("後手番".to_owned());
    }
    lines
}

/// The largest count of a piece in hand: all the pawns.
const MOST_IN_ONE: u8 = 18;

const EDGE: &str = "+---------------------------+";

fn rank_line(setup: &Setup, rank: u8) -> String {
    let mut line = String::from("|");
    for square in (1..=9).rev().filter_map(|file| Square::new(file, rank)) {
        let cell = setup.board[square].map(|piece| [piece.color.select([' ', 'v']), piece_cell(piece.kind)]);
        line.extend(cell.unwrap_or([' ', '・']));
    }
    line.extend(['|', rank_kanji(rank)]);
    line
}

fn hand_line(setup: &Setup, color: Color) -> String {
    format!("{}の持駒：{}", Sides::Even.name(color), hand_text(setup.hands[color]))
}

/// The pieces of a hand with their numbers, blanks after them; `なし` for none.
pub(crate) fn hand_text(hand: Hand) -> String {
    let mut line = String::new();
    for piece in HandPiece::SFEN_ORDER {
        let mut rest = hand.count(piece);
        while rest > 0 {
            let count = rest.min(MOST_IN_ONE);
            line.push(piece_cell(piece.piece_type()));
            words::push_count(&mut line, count);
            line.push('　');
            rest -= count;
        }
    }
    if line.is_empty() { "なし".to_owned() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(lines: &[String]) -> BoardText {
        let mut board = BoardText::default();
        for text in lines {
            let line = text.trim_matches(is_blank);
            if let Some(value) = line.strip_prefix("先手の持駒：") {
                board.read_hand(Color::Black, value).unwrap();
            } else if let Some(value) = line.strip_prefix("後手の持駒：") {
                board.read_hand(Color::White, value).unwrap();
            } else if line.starts_with('|') {
                board.read_rank(line).unwrap();
            } else if line.starts_with("手数＝") {
                board.read_footer(line);
            } else if line == "後手番" {
                board.turn = Some(Color::White);
            }
        }
        board
    }

    #[test]
    fn positions_survive_their_lines() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "4k4/9/+P+L+N+S+B+R3/9/9/+p+l+n+s+b+r3/9/9/4K4 w RB2G3S4N4L10Prb18p 173",
            "9/9/9/9/9/9/9/9/9 b - 2",
            "9/9/9/9/9/9/9/9/9 b 3R5B20P18p 1",
        ] {
            let setup: Setup = sfen.parse().unwrap();
            let board = read_back(&lines(&setup));
            assert_eq!(board.setup(Color::Black), Ok(setup), "{sfen}");
        }
    }

    #[test]
    fn cells_of_every_kind() {
        let mut board = BoardText::default();
        for rank in ["|^歩V歩 ・ 口 ．v玉 全 成銀v成桂|", "|歩 香　　・・・・・|", "|                  |一"]
        {
            board.read_rank(rank).unwrap();
        }
        assert_eq!(board.setup(Color::Black), Err(Problem::BoardRanks));
        for rank in ["|v香|", "| 象 ・ ・ ・ ・ ・ ・ ・ ・|", "| ・ ・ ・ ・ ・ ・ ・ ・ ・ ・|", "|"]
        {
            assert!(BoardText::default().read_rank(rank).is_err(), "{rank}");
        }
    }

    #[test]
    fn hands_of_every_kind() {
        for (value, sfen) in [
            ("歩十八", "18P"),
            ("歩18", "18P"),
            ("歩１８", "18P"),
            ("飛角金二歩", "RB2GP"),
            ("飛　角 金二、歩　", "RB2GP"),
            ("なし", "-"),
            ("", "-"),
        ] {
            let mut board = BoardText::default();
            board.read_hand(Color::Black, value).unwrap();
            let setup = board.setup;
            assert!(setup.to_string().contains(&format!(" {sfen} ")), "{value}: {setup}");
        }
        for value in ["歩二十", "歩19", "と", "玉", "龍二", "無し", "飛十八"] {
            assert!(BoardText::default().read_hand(Color::Black, value).is_err(), "{value}");
        }
    }

    #[test]
    fn the_last_move_tells_who_is_to_move() {
        let mut board = BoardText::default();
        board.read_footer("手数＝171  ▲５三歩成  まで");
        assert_eq!((board.turn(), board.ply(), board.last_to), (Some(Color::White), 172, Some(Square::S53)));
    }
}

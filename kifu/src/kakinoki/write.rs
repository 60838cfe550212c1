//! The writer of KIF and KI2.

use std::fmt::Write as _;

use enbu_movegen::{Color, Setup, Square};

use super::headers::{Sides, lines_of, one_line};
use super::score::ScoreStyle;
use super::words::{is_blank, mark, word_of_end};
use super::{board, handicap, moves, result, score};
use crate::board::Board;
use crate::end::{End, EndKind};
use crate::header::HeaderKey;
use crate::lines::clock_text;
use crate::record::{Event, NodeId, Record, TotalTimes};

/// Notation of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// KIF: one move a line, with number, origin and time.
    Numbered,
    /// KI2: several moves a line, with words instead of origins.
    Free,
}

impl Notation {
    /// The line above a game. In KIF it declares the encoding; in KI2 it only separates
    /// games, because common readers refuse a file that begins with a comment.
    const fn head(self, is_first: bool) -> Option<&'static str> {
        match self {
            Self::Numbered => Some("#KIF version=2.0 encoding=UTF-8"),
            Self::Free if is_first => None,
            Self::Free => Some("# ----"),
        }
    }
}

/// Writes games into one text, an empty line between them.
pub(crate) fn write_all<'r>(
    records: impl IntoIterator<Item = &'r Record>,
    notation: Notation,
    scores: ScoreStyle,
) -> String {
    let mut lines = Vec::new();
    for (index, record) in records.into_iter().enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        lines.extend(notation.head(index == 0).map(str::to_owned));
        write_game(record, notation, scores, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Columns that a move takes.
const MOVE_WIDTH: usize = 12;
/// Moves on a line of KI2.
const MOVES_A_LINE: usize = 6;

/// Adds the lines of a game.
fn write_game(record: &Record, notation: Notation, scores: ScoreStyle, lines: &mut Vec<String>) {
    let sides = position_lines(record, record.setup(), lines);
    lines.extend(lines_of(record, sides).into_iter().filter(|(key, _)| *key != "_手合割").map(header_line));
    match notation {
        Notation::Numbered => lines.push("手数----指手---------消費時間--".to_owned()),
        Notation::Free => lines.push(String::new()),
    }
    let board = Board::new(record.setup());
    let times = record.total_times();
    let mut writer = Writer { record, notation, scores, sides, times, board, lines, row: String::new(), in_row: 0 };
    writer.game();
}

fn header_line((key, value): (String, String)) -> String {
    format!("{key}：{value}")
}

/// Adds the lines for `setup`: the name of a handicap, or a board.
pub(crate) fn position_lines(record: &Record, setup: &Setup, lines: &mut Vec<String>) -> Sides {
    if let Some(name) = handicap::name_of_setup(setup) {
        lines.push(format!("手合割：{name}"));
        return if setup.turn == Color::White { Sides::Handicap } else { Sides::Even };
    }
    let named = record.headers.value(&HeaderKey::Other("手合割".to_owned())).map(one_line);
    let name = named.filter(|name| handicap::setup_of_name(name).is_none() && !name.is_empty());
    lines.push(format!("手合割：{}", name.as_deref().unwrap_or("その他")));
    lines.extend(board::lines(setup, Sides::Even));
    Sides::Even
}

struct Writer<'r> {
    record: &'r Record,
    notation: Notation,
    scores: ScoreStyle,
    sides: Sides,
    times: TotalTimes,
    board: Board,
    lines: &'r mut Vec<String>,
    /// Moves of KI2 that wait for their line to be full.
    row: String,
    in_row: usize,
}

impl Writer<'_> {
    fn game(&mut self) {
        self.remarks(self.record.root());
        for (index, (before, line)) in self.record.lines().into_iter().enumerate() {
            self.board.rewind(before);
            // After a move that could not be made.
            if self.board.plies_played() < before {
                continue;
            }
            if index > 0 {
                let number = self.record.number_after(before);
                self.lines.extend([String::new(), format!("変化：{number}手")]);
            }
            (before..).zip(line).all(|(moves, id)| self.node(id, moves));
            self.end_row();
        }
    }

    /// Writes a node; `false` where its move cannot be made.
    fn node(&mut self, id: NodeId, before: usize) -> bool {
        let node = self.record.node(id);
        match node.event() {
            Event::Start => {}
            Event::Move(mv) | Event::Foul(mv) => {
                let last = self.last_to(id);
                let text = match self.notation {
                    Notation::Numbered => moves::with_origin(&self.board, *mv, last),
                    Notation::Free => moves::with_words(&self.board, *mv, last),
                };
                let turn = self.board.turn();
                if self.board.play(*mv).is_err() {
                    return false;
                }
                match self.notation {
                    Notation::Numbered => self.numbered(id, before, &text),
                    Notation::Free => self.free(turn, &text),
                }
            }
            Event::End(end) => {
                self.end(id, end, before);
                return true;
            }
        }
        self.remarks(id);
        true
    }

    /// Destination of the move before `id`.
    fn last_to(&self, id: NodeId) -> Option<Square> {
        let parent = self.record.node(id).parent()?;
        self.record.node(parent).event().played().map(|mv| mv.to())
    }

    fn numbered(&mut self, id: NodeId, before: usize, text: &str) {
        let mut line = format!("{:>4} {text}", self.record.number_after(before));
        if let Some(ms) = self.record.node(id).time_ms {
            pad(&mut line, text, MOVE_WIDTH);
            line.push(' ');
            self.push_time(&mut line, id, ms);
        }
        let has_alternatives =
            self.record.node(id).parent().is_some_and(|parent| self.record.children(parent).last() != Some(id));
        // Programs would take a bare `投了+` for one word.
        let glued_to_word = self.record.node(id).time_ms.is_none() && self.record.node(id).event().played().is_none();
        if has_alternatives && !glued_to_word {
            line.push('+');
        }
        self.lines.push(line);
    }

    fn push_time(&self, line: &mut String, id: NodeId, ms: u64) {
        let seconds = ms / 1000;
        let total = clock_text(self.times.ms(id) / 1000);
        let _ = write!(line, "({:>2}:{:02}/{total})", seconds / 60, seconds % 60);
    }

    fn free(&mut self, turn: Color, text: &str) {
        if self.in_row == MOVES_A_LINE {
            self.end_row();
        }
        self.row.push(mark(turn));
        self.row.push_str(text);
        pad(&mut self.row, text, MOVE_WIDTH - 2);
        self.in_row += 1;
    }

    fn end_row(&mut self) {
        if self.in_row > 0 {
            let row = std::mem::take(&mut self.row);
            self.lines.push(row.trim_end_matches(' ').to_owned());
            self.in_row = 0;
        }
    }

    /// Writes an end and its remarks, before the result line, because json-kifu-format refuses
    /// a comment after it. In KI2, which has no word for the end, they are read as those of the last move.
    fn end(&mut self, id: NodeId, end: &End, before: usize) {
        let turn = self.board.turn();
        self.end_row();
        if self.notation == Notation::Numbered {
            let word = one_word(self.end_word(end, turn));
            self.numbered(id, before, &word);
        }
        self.remarks(id);
        let told = self.notation == Notation::Numbered && end.kind.result(turn) == end.result;
        let in_main = self.record.main_line().last() == Some(id);
        if in_main || !told {
            let moves = self.record.number_after(before) as u64 - 1;
            let clean = End { kind: clean_kind(&end.kind), result: end.result };
            self.lines.push(result::text(&clean, moves, turn, self.sides));
        }
    }

    /// The word for an end, written in the place of a move.
    fn end_word<'e>(&self, end: &'e End, turn: Color) -> &'e str {
        let loser = end.result.and_then(|result| result.winner()).map(|winner| !winner);
        match (&end.kind, loser) {
            (EndKind::IllegalMove | EndKind::IllegalAction(_), Some(loser)) if loser == turn => "反則負け",
            (EndKind::IllegalMove | EndKind::IllegalAction(_), Some(_)) => "反則勝ち",
            (EndKind::IllegalAction(fouled), None) if *fouled != turn => "反則勝ち",
            (EndKind::IllegalAction(_), None) => "反則負け",
            (kind, _) => word_of_end(kind),
        }
    }

    /// Evaluations, comments and bookmark of a node.
    fn remarks(&mut self, id: NodeId) {
        let node = self.record.node(id);
        let remarks = node.remarks();
        if remarks.comments.is_empty() && remarks.analyses.is_empty() && remarks.bookmark.is_none() {
            return;
        }
        self.end_row();
        if let Some(name) = &remarks.bookmark {
            self.lines.push(format!("&{}", one_line(name)));
        }
        for line in score::comment_lines(node, &mut self.board, self.scores) {
            self.lines.push(format!("*{line}"));
        }
    }
}

/// Adds blanks until `text`, which ends the line, is `width` columns wide.
fn pad(line: &mut String, text: &str, width: usize) {
    let columns: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(columns)));
}

/// A word that a reader takes for one.
fn one_word(word: &str) -> String {
    let clean: String = word.chars().filter(|&c| !is_blank(c) && !c.is_control() && !"(+".contains(c)).collect();
    let clean = clean.trim_start_matches(|c| super::words::side_of_mark(c).is_some());
    let misread =
        clean.is_empty() || moves::begins_move(clean) || clean.starts_with(|c| super::words::digit(c).is_some());
    if misread { "中断".to_owned() } else { clean.to_owned() }
}

fn clean_kind(kind: &EndKind) -> EndKind {
    match kind {
        EndKind::Other(text) => EndKind::Other(one_word(text)),
        kind => kind.clone(),
    }
}

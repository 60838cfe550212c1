//! The writer of the formats that have one line after the other: KIF, KI2, PSN.

use std::fmt::Write as _;

use enbu_movegen::{Color, Setup};

use crate::board::Board;
use crate::end::{End, EndKind};
use crate::header::HeaderKey;
use crate::kakinoki::headers::{lines_of, one_line};
use crate::kakinoki::score::{self, ScoreStyle};
use crate::kakinoki::words::{self, is_blank, mark};
use crate::kakinoki::{Notation, Sides, board_lines, handicap, moves, result};
use crate::lines::clock_text;
use crate::pgn::psn;
use crate::record::{Event, NodeId, Record, TotalTimes};

/// Writes games into one text, an empty line between them.
pub(crate) fn write_all(records: &[Record], notation: Notation, scores: ScoreStyle) -> String {
    let mut lines = Vec::new();
    for (index, record) in records.iter().enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        lines.extend(notation.head(index == 0).map(str::to_owned));
        write_game(record, notation, scores, &mut lines);
    }
    if notation.is_psn() && !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(String::new());
    lines.join("\n")
}

const MOVE_WIDTH: usize = 12;
const MOVES_A_LINE: usize = 6;

fn write_game(record: &Record, notation: Notation, scores: ScoreStyle, lines: &mut Vec<String>) {
    let mut sides = Sides::Even;
    if notation.is_psn() {
        lines.extend(psn::head(record, notation));
    } else {
        sides = position_lines(record, record.setup(), lines);
        let headers = lines_of(record, sides).into_iter().filter(|(key, _)| *key != "_手合割");
        lines.extend(headers.map(|(key, value)| format!("{key}：{value}")));
        lines.push(if notation == Notation::Numbered { "手数----指手---------消費時間--" } else { "" }.to_owned());
    }
    let board = Board::new(record.setup());
    let times = record.total_times();
    let mut writer = Writer { record, notation, scores, sides, times, board, lines, row: Vec::new() };
    writer.game();
}

/// Adds the lines for `setup`: the name of a handicap, or a board.
fn position_lines(record: &Record, setup: &Setup, lines: &mut Vec<String>) -> Sides {
    if let Some(name) = handicap::name_of_setup(setup) {
        lines.push(format!("手合割：{name}"));
        return if setup.turn == Color::White { Sides::Handicap } else { Sides::Even };
    }
    let named = record.headers.value(&HeaderKey::Other("手合割".to_owned())).map(one_line);
    let name = named.filter(|name| handicap::setup_of_name(name).is_none() && !name.is_empty());
    lines.push(format!("手合割：{}", name.as_deref().unwrap_or("その他")));
    lines.extend(board_lines(setup));
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
    row: Vec<String>,
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
                match self.notation.is_psn() {
                    true => self.lines.push(format!("Variation:{number}")),
                    false => self.lines.extend([String::new(), format!("変化：{number}手")]),
                }
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
                let last = self.record.last_to(id);
                let text = match self.notation {
                    Notation::Numbered => moves::with_origin(&self.board, *mv, last),
                    Notation::Free => moves::with_words(&self.board, *mv, last),
                    form => psn::move_text(&self.board, *mv, form),
                };
                let turn = self.board.turn();
                if self.board.play(*mv).is_err() {
                    return false;
                }
                match self.notation {
                    Notation::Numbered => self.numbered(id, before, &text),
                    Notation::Free => self.free(turn, &text),
                    _ => self.psn_line(id, before, &text),
                }
            }
            Event::End(end) => {
                if !self.notation.is_psn() {
                    self.end(id, end, before);
                    return true;
                }
                self.psn_line(id, before, psn::end_word(end, self.board.turn(), self.notation));
            }
        }
        self.remarks(id);
        true
    }

    fn numbered(&mut self, id: NodeId, before: usize, text: &str) {
        let mut line = format!("{:>4} {text}", self.record.number_after(before));
        if let Some(ms) = self.record.node(id).time_ms {
            pad(&mut line, text, MOVE_WIDTH);
            let (seconds, total) = (ms / 1000, clock_text(self.times.ms(id) / 1000));
            let _ = write!(line, " ({:>2}:{:02}/{total})", seconds / 60, seconds % 60);
        }
        let node = self.record.node(id);
        let has_alternatives = node.parent().is_some_and(|parent| self.record.children(parent).last() != Some(id));
        // Programs would take a bare `投了+` for one word.
        let glued_to_word = node.time_ms.is_none() && node.event().played().is_none();
        if has_alternatives && !glued_to_word {
            line.push('+');
        }
        self.lines.push(line);
    }

    fn psn_line(&mut self, id: NodeId, before: usize, text: &str) {
        let (number, ms) = (self.record.number_after(before), self.record.node(id).time_ms.unwrap_or(0));
        self.lines.push(psn::line(number, text, ms, self.times.ms(id), self.notation));
    }

    fn free(&mut self, turn: Color, text: &str) {
        if self.row.len() == MOVES_A_LINE {
            self.end_row();
        }
        let mut cell = format!("{}{text}", mark(turn));
        pad(&mut cell, text, MOVE_WIDTH - 2);
        self.row.push(cell);
    }

    fn end_row(&mut self) {
        if !self.row.is_empty() {
            let row = std::mem::take(&mut self.row).concat();
            self.lines.push(row.trim_end_matches(' ').to_owned());
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
            let kind = match &end.kind {
                EndKind::Other(text) => EndKind::Other(one_word(text)),
                kind => kind.clone(),
            };
            let clean = End { kind, result: end.result };
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
            (kind, _) => kind.in_kif(),
        }
    }

    /// Evaluations, comments and bookmark of a node.
    fn remarks(&mut self, id: NodeId) {
        let node = self.record.node(id);
        let remarks = node.remarks();
        if remarks.is_empty() {
            return;
        }
        self.end_row();
        let comments = score::comment_lines(node, &mut self.board, self.scores);
        if self.notation.is_psn() {
            return self.lines.extend(comments.iter().map(|line| format!("{{\n{}\n}}", line.replace('}', ")"))));
        }
        self.lines.extend(remarks.bookmark.iter().map(|name| format!("&{}", one_line(name))));
        self.lines.extend(comments.iter().map(|line| format!("*{line}")));
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
    let clean = clean.trim_start_matches(|c| words::side_of_mark(c).is_some());
    let misread = clean.is_empty() || moves::begins_move(clean) || clean.starts_with(|c| words::digit(c).is_some());
    if misread { "中断".to_owned() } else { clean.to_owned() }
}

//! The writer: PGN's export format.

use super::{comment, san, tags};
use crate::board::Board;
use crate::end::{EndKind, GameResult};
use crate::lines::one_line;
use crate::record::{Event, NodeId, Record};
use crate::terms::Naming;
use crate::usi;

/// No line has more characters, unless a word is longer.
const LINE_WIDTH: usize = 79;

/// Writes a record with its variations.
///
/// ```
/// use enbu_kifu::{Event, Record, pgn};
/// use enbu_movegen::Setup;
/// let mut record = Record::new(Setup::startpos());
/// record.add(record.root(), Event::Move("7g7f".parse()?));
/// assert!(pgn::write(&record).ends_with("[Variant \"Shogi\"]\n\n1. Pc4 *\n\n"));
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn write(record: &Record) -> String {
    let result = GameResult::name(record.end().and_then(|end| end.result), Naming::Pgn);
    let tags = tags::lines(record, result, end_tags(record)).join("\n");
    let mut writer = Writer { record, board: Board::new(record.setup()), wrapped: Wrapped::default(), number: true };
    writer.game();
    writer.wrapped.word(result);
    format!("{tags}\n\n{}\n\n", writer.wrapped.text)
}

/// Writes several records, one after the other.
pub fn write_all<'r>(records: impl IntoIterator<Item = &'r Record>) -> String {
    records.into_iter().map(write).collect()
}

/// Tags for the end of the game, where the result alone does not imply it.
fn end_tags(record: &Record) -> Vec<(String, String)> {
    let Some(end) = record.end() else { return Vec::new() };
    let last = Board::after(record, usize::MAX);
    let turn = last.turn();
    let winner = end.result.and_then(GameResult::winner);
    let termination = match end.kind {
        EndKind::TimeUp => Some("time forfeit"),
        EndKind::IllegalMove | EndKind::IllegalAction(_) => Some("rules infraction"),
        EndKind::Abort => Some("abandoned"),
        _ => None,
    };
    let is_mate = last.is_mate();
    let told = match &end.kind {
        EndKind::TimeUp | EndKind::Abort => true,
        EndKind::IllegalMove => winner != Some(turn),
        EndKind::IllegalAction(fouled) => winner == Some(turn) && *fouled != turn,
        EndKind::Resign => winner == Some(!turn) && !is_mate,
        EndKind::Mate => winner == Some(!turn) && is_mate,
        EndKind::Other(text) => {
            end.result.is_some() && winner != Some(!turn) && text == GameResult::name(end.result, Naming::Pgn)
        }
        _ => false,
    };
    let termination = termination.map(|text| ("Termination".to_owned(), text.to_owned()));
    let end = (!told).then(|| ("End".to_owned(), usi::end_word(Some(end))));
    termination.into_iter().chain(end).collect()
}

/// Words on lines of limited width.
#[derive(Default)]
struct Wrapped {
    text: String,
    column: usize,
    /// The next word follows without a blank.
    glued: bool,
}

impl Wrapped {
    fn word(&mut self, word: &str) {
        let width = word.chars().count();
        if self.glued || self.text.is_empty() {
            self.glued = false;
        } else if self.column + 1 + width > LINE_WIDTH {
            self.text.push('\n');
            self.column = 0;
        } else {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += width;
    }

    fn comment(&mut self, text: &str) {
        if text.contains('}') {
            // Only a comment up to the end of its line can hold it.
            let line_end = if self.column > 0 { "\n" } else { "" };
            self.text += &format!("{line_end};{text}\n");
            (self.column, self.glued) = (0, true);
            return;
        }
        // Every blank is a place to break, and the reader makes a blank of every break.
        let braced = format!("{{{text}}}");
        braced.split(' ').for_each(|word| self.word(word));
    }
}

/// Work that is still to be written.
enum Step {
    /// A node, and the line after it.
    Node(NodeId),
    /// `(`, and the move before it is taken back.
    Open,
    /// `)`, and this move is made again on the board as it was before it.
    Close { again: NodeId, before: usize },
}

struct Writer<'r> {
    record: &'r Record,
    board: Board,
    wrapped: Wrapped,
    /// True if the next move needs its number, whoever makes it.
    number: bool,
}

impl Writer<'_> {
    fn game(&mut self) {
        let root = self.record.root();
        self.remarks(root);
        let mut steps: Vec<Step> = self.record.children(root).take(1).map(Step::Node).collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Open => {
                    self.wrapped.word("(");
                    self.wrapped.glued = true;
                    self.number = true;
                }
                Step::Close { again, before } => {
                    self.board.rewind(before);
                    // Directly after the last word.
                    self.wrapped.text.push(')');
                    self.wrapped.column += 1;
                    self.number = true;
                    let _ = self.board.follow(self.record.node(again).event());
                }
                Step::Node(id) => self.node(id, &mut steps),
            }
        }
    }

    fn node(&mut self, id: NodeId, steps: &mut Vec<Step>) {
        let before = self.board.plies_played();
        if !self.event(id) {
            return;
        }
        steps.extend(self.record.children(id).take(1).map(Step::Node));
        let Some(parent) = self.record.node(id).parent() else { return };
        let mut siblings = self.record.children(parent);
        if siblings.next() != Some(id) {
            return;
        }
        let siblings: Vec<NodeId> = siblings.collect();
        for &sibling in siblings.iter().rev() {
            steps.extend([Step::Close { again: id, before }, Step::Node(sibling), Step::Open]);
        }
    }

    /// Writes a node; `false` where its move cannot be made.
    fn event(&mut self, id: NodeId) -> bool {
        let node = self.record.node(id);
        let parent_first = node.parent().and_then(|parent| self.record.children(parent).next());
        // A variation: the move that it replaces is still on the board.
        if parent_first.is_some_and(|first| first != id && self.record.node(first).event().played().is_some()) {
            self.board.undo();
        }
        match node.event() {
            Event::Start => {}
            Event::Move(mv) | Event::Foul(mv) => {
                let mut text = san::write(&self.board, *mv);
                let turn = self.board.turn();
                let ply = self.record.number_after(self.board.plies_played());
                // A game that White of shogi begins counts from its own first move.
                let shifted = (self.record.setup().ply.is_multiple_of(2))
                    == (self.record.setup().turn == enbu_movegen::Color::Black);
                let number = (ply + usize::from(shifted)).div_ceil(2);
                if self.board.play(*mv).is_err() {
                    return false;
                }
                text.push_str(san::check_sign(&self.board));
                match turn {
                    enbu_movegen::Color::Black => self.wrapped.word(&format!("{number}.")),
                    enbu_movegen::Color::White if self.number => self.wrapped.word(&format!("{number}...")),
                    enbu_movegen::Color::White => {}
                }
                self.number = false;
                self.wrapped.word(&text);
                for nag in &node.remarks().nags {
                    self.wrapped.word(&format!("${nag}"));
                }
                self.remarks(id);
            }
            Event::End(end) => {
                let main = self.record.main_line().last() == Some(id);
                let remarks = node.remarks();
                let silent = remarks.is_empty() && node.time_ms.is_none();
                let alone = node.parent().is_none_or(|parent| self.record.children(parent).nth(1).is_none());
                if !main || !silent || !alone {
                    let winner = usi::winner_word(end.result);
                    let word = comment::clean(&usi::end_word(Some(end)));
                    self.wrapped.comment(&format!("[%end {word} {winner}]"));
                    self.number = true;
                }
                self.remarks(id);
            }
        }
        true
    }

    fn remarks(&mut self, id: NodeId) {
        let node = self.record.node(id);
        let remarks = node.remarks();
        let mut comments = Vec::new();
        comments.extend(node.time_ms.map(comment::time_text));
        comments.extend(remarks.bookmark.as_deref().map(|name| format!("[%bookmark {}]", comment::clean(name))));
        comments.extend(remarks.analyses.iter().map(comment::analysis_text).filter(|text| !text.is_empty()));
        comments.extend(remarks.lines().map(|line| one_line(line).trim().to_owned()));
        for comment in comments {
            self.wrapped.comment(&comment);
            self.number = true;
        }
    }
}

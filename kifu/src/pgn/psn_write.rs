//! The writer of PSN and PSN2.

use enbu_movegen::{Move, MoveParts};

use super::psn::{Form, end_word, time_setting};
use super::tags;
use crate::board::Board;
use crate::header::HeaderKey;
use crate::kakinoki::score::{self, ScoreStyle};
use crate::lines::clock_text;
use crate::record::{Event, NodeId, Record, TotalTimes};

pub(crate) fn write_all(records: &[Record], form: Form, scores: ScoreStyle) -> String {
    let mut text = String::new();
    for record in records {
        let board = Board::new(record.setup());
        let mut writer = Writer { record, form, scores, times: record.total_times(), board, lines: head(record, form) };
        writer.game();
        writer.lines.push("\n".to_owned());
        text.push_str(&writer.lines.join("\n"));
    }
    text
}

fn head(record: &Record, form: Form) -> Vec<String> {
    let [black, white] = if form == Form::Psn { ["Sente", "Gote"] } else { ["Black", "White"] };
    let value = |key: &HeaderKey| record.headers.value(key).unwrap_or_default().to_owned();
    let line = |(name, value): (String, String)| format!("[{name} \"{}\"]", tags::quote(&value));
    let names = [(black, HeaderKey::BlackName), (white, HeaderKey::WhiteName)];
    let mut lines: Vec<String> = names.iter().map(|(name, key)| line(((*name).to_owned(), value(key)))).collect();
    let mut rules = record.rules.clone();
    if form == Form::Psn2 {
        lines.extend(rules.time[0].take().map(|time| time_setting("Black", time)));
        lines.extend(rules.time[1].take().map(|time| time_setting("White", time)));
    }
    lines.push(line(("SFEN".to_owned(), record.setup().to_string())));
    // `Event` would make PGN of PSN2.
    let event = if form == Form::Psn { "Event" } else { "Tournament" };
    let others = [(event, HeaderKey::Event), ("Site", HeaderKey::Site), ("StartTime", HeaderKey::StartTime)];
    let others = others.iter().map(|(name, key)| ((*name).to_owned(), value(key))).filter(|(_, text)| !text.is_empty());
    lines.extend(
        others.chain(tags::other_tags(&record.headers)).chain(tags::rule_tags(&rules, &record.headers)).map(line),
    );
    lines.push(String::new());
    lines
}

struct Writer<'r> {
    record: &'r Record,
    form: Form,
    scores: ScoreStyle,
    times: TotalTimes,
    board: Board,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn game(&mut self) {
        self.remarks(self.record.root());
        for (index, (before, line)) in self.record.lines().into_iter().enumerate() {
            self.board.rewind(before);
            if index > 0 {
                self.lines.push(format!("Variation:{}", self.record.number_after(before)));
            }
            (before..).zip(line).all(|(moves, id)| self.node(id, moves));
        }
    }

    /// Writes a node; `false` where its move cannot be made.
    fn node(&mut self, id: NodeId, before: usize) -> bool {
        let node = self.record.node(id);
        let text = match node.event() {
            Event::Start => String::new(),
            Event::End(end) => end_word(end, self.board.turn(), self.form).to_owned(),
            Event::Move(mv) | Event::Foul(mv) => {
                let text = if self.form == Form::Psn { move_text(&self.board, *mv) } else { mv.to_string() };
                if self.board.play(*mv).is_err() {
                    return false;
                }
                text
            }
        };
        let seconds = node.time_ms.unwrap_or(0) / 1000;
        let now = match self.form {
            Form::Psn => format!("{:02}:{:02}", seconds / 60, seconds % 60),
            Form::Psn2 => clock_text(seconds),
        };
        let total = clock_text(self.times.ms(id) / 1000);
        self.lines.push(format!("{:<18}({now} / {total})", format!("{}.{text}", self.record.number_after(before))));
        self.remarks(id);
        true
    }

    fn remarks(&mut self, id: NodeId) {
        for comment in score::comment_lines(self.record.node(id), &mut self.board, self.scores) {
            self.lines.extend(["{".to_owned(), comment.replace('}', ")"), "}".to_owned()]);
        }
    }
}

/// A move such as `P7g-7f`, `+B4dx3c` or `B*4e`.
fn move_text(board: &Board, mv: Move) -> String {
    match mv.parts() {
        MoveParts::Drop { .. } => mv.to_string(),
        MoveParts::Board { from, to, promote } => {
            let kind = board.piece_at(from).map_or('P', |piece| piece.kind.unpromoted().letter());
            let is_promoted = board.piece_at(from).is_some_and(|piece| piece.kind.is_promoted());
            let sign = |is: bool| if is { "+" } else { "" };
            let capture = if board.piece_at(to).is_some() { 'x' } else { '-' };
            format!("{}{kind}{from}{capture}{to}{}", sign(is_promoted), sign(promote))
        }
    }
}

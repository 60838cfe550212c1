//! The reader: documents, then their moves.

use enbu_movegen::{Color, Hand, Piece, Setup, Square};
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value};

use super::document::{self, Clock, Diagram, Document, Entry, Initial, MoveMember, Place, Seconds};
use super::place::{Source, Step};
use super::repair::repair;
use super::{MAX_DEPTH, PRESETS};
use crate::board::Board;
use crate::end::{End, EndKind};
use crate::error::Reporter;
use crate::error::{KifuError, Mode, Problem};
use crate::kakinoki::headers;
use crate::kakinoki::moves::{self, MoveText, Word};
use crate::kakinoki::score;
use crate::reading::Reading;
use crate::record::{Event, NodeId, Record};
use crate::{csa, usi};

/// Reads all documents of a text.
///
/// # Errors
/// In tolerant mode when no document could be read: the error of the first,
/// or [`NoRecord`](Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{Mode, jkf};
/// let text = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]}"#;
/// let reading = jkf::read(text, Mode::Strict)?;
/// assert_eq!(reading.records[0].moves().count(), 1);
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let mut report = Reporter::new(mode);
    let mut records = Vec::new();
    check_depth(text)?;
    let mut rest = text;
    let mut lines = 0;
    while !rest.trim_start().is_empty() {
        let mut odd = Vec::new();
        let (documents, offset) = match documents(rest, &mut odd) {
            Ok(found) => found,
            Err((error, end)) => {
                report.error(json_fault(&error, rest, lines))?;
                let Some(end) = end else { break };
                (Vec::new(), end)
            }
        };
        let (one, tail) = rest.split_at_checked(offset).unwrap_or((rest, ""));
        for member in odd {
            let problem = Problem::Json("a member of another type".to_owned());
            report.warn(KifuError::new(problem, lines + 1, 1, &member))?;
        }
        let mut source = Source::new(one, lines);
        for (index, document) in documents.iter().enumerate() {
            source.select(index);
            records.extend(read_document(document, &mut source, &mut report)?);
        }
        lines += one.matches('\n').count();
        rest = tail;
    }
    report.finish(records, text)
}

/// The documents at the start of a text, and the number of its bytes that they take; with an
/// error the number of bytes of JSON that is none. Members of a wrong type are repaired.
fn documents(text: &str, odd: &mut Vec<String>) -> Result<(Vec<Document>, usize), (serde_json::Error, Option<usize>)> {
    let is_list = text.trim_start().starts_with('[');
    let typed = match is_list {
        true => first(text),
        false => first(text).map(|(document, end)| (vec![document], end)),
    };
    typed.or_else(|error| {
        let Ok((mut value, end)) = first::<Value>(text) else { return Err((error, None)) };
        repair(&mut value, odd);
        let repaired = if is_list { from_value(value) } else { from_value(value).map(|document| vec![document]) };
        repaired.map(|documents| (documents, end)).map_err(|_| (error, Some(end)))
    })
}

/// The first value of a text that is not empty, and its end.
fn first<T: DeserializeOwned>(text: &str) -> serde_json::Result<(T, usize)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The depth was checked.
    deserializer.disable_recursion_limit();
    let mut values = deserializer.into_iter();
    let value = values.next().ok_or_else(|| serde::de::Error::custom("no value"))??;
    Ok((value, values.byte_offset()))
}

fn json_fault(error: &serde_json::Error, text: &str, lines: usize) -> KifuError {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let near: String = line.chars().skip(error.column().saturating_sub(20)).collect();
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    KifuError::new(Problem::Json(message), error.line().max(1) + lines, error.column().max(1), &near)
}

/// Refuses documents nested so deeply that reading them would overflow the stack.
fn check_depth(text: &str) -> Result<(), KifuError> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(KifuError::new(Problem::TooDeep(MAX_DEPTH), 1, 1, ""));
        }
    }
    Ok(())
}

fn read_document(
    document: &Document,
    source: &mut Source<'_>,
    report: &mut Reporter,
) -> Result<Option<Record>, KifuError> {
    let setup = match start_position(document.initial.as_ref()) {
        Ok(setup) => setup,
        Err(problem) => {
            report.error(source.fault(problem, &[Step::Member("initial")]))?;
            return Ok(None);
        }
    };
    let mut record = Record::new(setup);
    for (key, value) in document.header.iter().flat_map(|pairs| &pairs.0) {
        if matches!(key.as_str(), "手合割" | "手合") || key.ends_with("の持駒") {
            continue;
        }
        for line in value.split('\n') {
            headers::take(key, line, &mut record.headers, &mut record.rules);
        }
    }
    let before = report.errors.count();
    let board = Board::new(record.setup());
    let mut reader = MoveReader { record, board, source, report };
    reader.game(&document.moves)?;
    let MoveReader { record, report, .. } = reader;
    let broken = report.errors.count() > before && record.main_line().next().is_none();
    Ok((!broken).then_some(record))
}

fn start_position(initial: Option<&Initial>) -> Result<Setup, Problem> {
    let Some(initial) = initial else { return Ok(Setup::startpos()) };
    let preset = match &initial.preset {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let known = PRESETS.into_iter().find(|(name, _)| *name == preset);
    match (known, &initial.data) {
        (Some((_, handicap)), _) => Ok(Setup::handicap(handicap)),
        (None, Some(data)) => diagram(data),
        (None, None) => Err(Problem::UnknownHandicap),
    }
}

const fn color(number: u8) -> Color {
    if number == 0 { Color::Black } else { Color::White }
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn diagram(data: &Diagram) -> Result<Setup, Problem> {
    let mut setup = Setup::empty();
    setup.turn = color(data.color.unwrap_or(0));
    setup.ply = data.ply.unwrap_or(1).max(1);
    if data.board.len() != 9 || data.board.iter().any(|file| file.len() != 9) {
        return Err(Problem::BoardRanks);
    }
    for (file, cells) in (1..).zip(&data.board) {
        for (rank, cell) in (1..).zip(cells) {
            let Some(name) = cell.as_ref().and_then(|cell| cell.kind.as_deref()) else { continue };
            let kind = name.as_bytes().try_into().ok().and_then(csa::piece_named).ok_or(Problem::UnknownPiece)?;
            let side = cell.as_ref().and_then(|cell| cell.color).unwrap_or(0);
            if let Some(square) = Square::new(file, rank) {
                setup.board[square] = Some(Piece::new(color(side), kind));
            }
        }
    }
    for (side, hand) in Color::ALL.into_iter().zip(data.hands.iter().flatten()) {
        setup.hands[side] = hand.as_ref().map_or(Ok(Hand::EMPTY), read_hand)?;
    }
    Ok(setup)
}

fn read_hand(hand: &document::Hand) -> Result<Hand, Problem> {
    hand.iter().try_fold(Hand::EMPTY, |held, (name, count)| {
        let kind = name.as_bytes().try_into().ok().and_then(csa::piece_named).ok_or(Problem::UnknownPiece)?;
        let piece = kind.hand_piece().filter(|_| !kind.is_promoted()).ok_or(Problem::NotAHandPiece)?;
        let count = u8::try_from(count.unwrap_or(0)).ok();
        count.and_then(|count| held.with_count(piece, count)).ok_or(Problem::HandOverflow)
    })
}

struct MoveReader<'r, 't> {
    record: Record,
    board: Board,
    source: &'r mut Source<'t>,
    report: &'r mut Reporter,
}

/// A line of entries that is still to be read.
struct Line<'e> {
    entries: &'e [Entry],
    parent: NodeId,
    /// Number of moves before it.
    before: usize,
    /// Place of its array in the document, and the number of its first entry there.
    path: Vec<Step>,
    first: usize,
}

impl MoveReader<'_, '_> {
    fn game(&mut self, entries: &[Entry]) -> Result<(), KifuError> {
        let root = self.record.root();
        let (moves, first) = match entries.split_first() {
            Some((start, rest)) if start.mv.is_none() && start.special.is_none() => {
                self.remarks(root, start);
                (rest, 1)
            }
            _ => (entries, 0),
        };
        let path = vec![Step::Member("moves")];
        let mut lines = vec![Line { entries: moves, parent: root, before: 0, path, first }];
        while let Some(line) = lines.pop() {
            while self.board.plies_played() > line.before {
                self.board.undo();
            }
            self.line(line, &mut lines)?;
        }
        Ok(())
    }

    fn line<'e>(&mut self, line: Line<'e>, lines: &mut Vec<Line<'e>>) -> Result<(), KifuError> {
        let mut at = line.parent;
        let mut foul = None;
        for (index, entry) in line.entries.iter().enumerate() {
            let place = || line.path.iter().copied().chain([Step::Element(line.first + index)]).collect::<Vec<_>>();
            if matches!(self.record.node(at).event(), Event::End(_)) {
                return self.report.warn(self.source.fault(Problem::AfterEnd, &place()));
            }
            if let Some(passed_over) = foul.take().filter(|_| entry.mv.is_some()) {
                let passed_over: Vec<Step> = passed_over;
                self.report.warn(self.source.fault(Problem::IllegalMove, &passed_over))?;
            }
            push_forks(entry, at, line.before + index, place, lines);
            if let Some(mv) = &entry.mv {
                let (event, odd) = match self.play(at, mv) {
                    Ok(played) => played,
                    Err(problem) => return self.report.error(self.source.fault(problem, &place())),
                };
                if let Some(odd) = odd {
                    self.report.warn(self.source.fault(odd, &place()))?;
                }
                foul = matches!(event, Event::Foul(_)).then(place);
                at = self.record.add(at, event);
            }
            // A move and the end after it may share an entry.
            let ended = entry.special.as_deref().map(|word| self.end(at, word, entry.winner.as_deref()));
            if matches!(&ended, Some(Event::End(end)) if end.kind.is_foul()) {
                foul = None;
            }
            self.remarks_before_end(entry, &mut at, ended);
        }
        foul.map_or(Ok(()), |place| self.report.warn(self.source.fault(Problem::IllegalMove, &place)))
    }

    /// Adds the remarks of an entry, and its end.
    fn remarks_before_end(&mut self, entry: &Entry, at: &mut NodeId, ended: Option<Event>) {
        match ended {
            Some(end) if entry.mv.is_none() => {
                *at = self.record.add(*at, end);
                self.remarks(*at, entry);
            }
            Some(end) => {
                self.remarks(*at, entry);
                *at = self.record.add(*at, end);
            }
            None => self.remarks(*at, entry),
        }
    }

    fn play(&mut self, at: NodeId, mv: &MoveMember) -> Result<(Event, Option<Problem>), Problem> {
        let last = self.record.node(at).event().played().map(|mv| mv.to());
        let text = move_text(mv, &self.board, last)?;
        let resolved = moves::resolve(&text, &self.board, last)?;
        let wrong_color = mv.color.is_some_and(|side| color(side) != self.board.turn());
        let event = self.board.play(resolved.mv)?;
        Ok((event, resolved.odd.or(wrong_color.then_some(Problem::WrongTurn))))
    }

    /// The end for a word. A foul that is in the record is its mover's.
    fn end(&self, at: NodeId, word: &str, winner: Option<&str>) -> Event {
        let kind = csa::end_of_word(word);
        let after_foul = matches!(self.record.node(at).event(), Event::Foul(_));
        let turn = match kind {
            EndKind::IllegalMove if after_foul => !self.board.turn(),
            _ => self.board.turn(),
        };
        let mut end = End::new(kind, turn);
        if let Some(result) = winner.and_then(usi::result_of_word) {
            end.result = result;
        }
        Event::from(end)
    }

    fn remarks(&mut self, at: NodeId, entry: &Entry) {
        let node = self.record.node_mut(at);
        let old = node.remarks().comments.len();
        if let Some(comments) = &entry.comments {
            let lines = comments.iter().flat_map(|text| text.split('\n')).map(str::to_owned);
            node.remarks_mut().comments.extend(lines);
        }
        if entry.bookmark.is_some() {
            node.remarks_mut().bookmark.clone_from(&entry.bookmark);
        }
        if let Some(clock) = entry.time.as_ref().and_then(|time| time.now.as_ref()) {
            node.time_ms = Some(clock_ms(clock));
        }
        score::extract(node, old, &mut self.board);
    }
}

/// Notes the lines that could replace an entry, the first of them to be taken first.
fn push_forks<'e>(
    entry: &'e Entry,
    parent: NodeId,
    before: usize,
    place: impl Fn() -> Vec<Step>,
    lines: &mut Vec<Line<'e>>,
) {
    let first = lines.len();
    for (index, fork) in entry.forks.iter().flatten().enumerate() {
        let mut path = place();
        path.extend([Step::Member("forks"), Step::Element(index)]);
        lines.push(Line { entries: fork, parent, before, path, first: 0 });
    }
    lines.get_mut(first..).unwrap_or_default().reverse();
}

fn clock_ms(clock: &Clock) -> u64 {
    let minutes = clock.h.unwrap_or(0).saturating_mul(60).saturating_add(clock.m.unwrap_or(0));
    let ms = match clock.s {
        Some(Seconds::Whole(seconds)) => seconds.saturating_mul(1000),
        // A cast from float saturates, and turns NaN into 0.
        Some(Seconds::Fraction(seconds)) => (seconds * 1000.0).round() as u64,
        None => 0,
    };
    minutes.saturating_mul(60_000).saturating_add(ms)
}

fn place(place: Place) -> Result<Square, Problem> {
    Square::new(place.x, place.y).ok_or(Problem::UnknownSquare)
}

fn move_text(mv: &MoveMember, board: &Board, last: Option<Square>) -> Result<MoveText, Problem> {
    let to = match mv.to {
        Some(to) => place(to)?,
        None if mv.same == Some(true) => last.ok_or(Problem::NoLastMove)?,
        None => return Err(Problem::MoveSyntax),
    };
    // Some programs give drops the origin 0, 0.
    let from = mv.from.filter(|from| (from.x, from.y) != (0, 0)).map(place).transpose()?;
    let kind = match (&mv.piece, from) {
        (Some(name), _) => name.as_bytes().try_into().ok().and_then(csa::piece_named).ok_or(Problem::UnknownPiece)?,
        (None, Some(from)) => board.piece_at(from).ok_or(Problem::EmptyOrigin)?.kind,
        (None, None) => return Err(Problem::MoveSyntax),
    };
    let relative = mv.relative.as_deref().unwrap_or_default();
    let word = |c| match c {
        'L' => Some(Word::Left),
        'C' => Some(Word::Straight),
        'R' => Some(Word::Right),
        'U' => Some(Word::Up),
        'M' => Some(Word::Sideways),
        'D' => Some(Word::Back),
        _ => None,
    };
    let words = if from.is_some() { Vec::new() } else { relative.chars().filter_map(word).collect() };
    let drop = from.is_none() && relative.contains('H');
    Ok(MoveText { to: Some(to), kind, words, promote: mv.promote, drop, from })
}

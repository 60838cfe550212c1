//! The reader: documents, then their moves.

use enbu_movegen::{Color, Hand, Piece, Setup, Square};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, from_value};

use super::MAX_DEPTH;
use super::document::{self, Clock, Diagram, Entry, Forks, Initial, MoveMember, Parts, Place, Seconds};
use super::repair::repair;
use crate::board::Board;
use crate::csa;
use crate::end::{End, EndKind};
use crate::error::{KifuError, Mode, Problem};
use crate::kakinoki::moves::{self, MoveText, Word};
use crate::kakinoki::{handicap, headers, score};
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::{Event, NodeId, Record};
use crate::usi;

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
    let mut report = Reporter::new(text, mode);
    let mut records = Vec::new();
    let outcome = read_all(text, &mut report, &mut records);
    report.finish(outcome, records)
}

fn read_all<'t>(text: &'t str, report: &mut Reporter<'t>, records: &mut Vec<Record>) -> Step<'t> {
    check_depth(text)?;
    let mut rest = text;
    while !rest.trim_start().is_empty() {
        let (value, end) = match first::<&RawValue>(rest) {
            Ok(found) => found,
            Err(error) => return report.error(json_fault(&error, rest)),
        };
        let documents = serde_json::from_str(value.get()).unwrap_or_else(|_| vec![value]);
        for document in documents {
            records.extend(read_document(document.get(), report)?);
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    Ok(())
}

/// The first value of a text that is not empty, and its end.
fn first<'t, T: Deserialize<'t>>(text: &'t str) -> serde_json::Result<(T, usize)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The depth was checked.
    deserializer.disable_recursion_limit();
    let mut values = deserializer.into_iter();
    let value = values.next().ok_or_else(|| serde::de::Error::custom("no value"))??;
    Ok((value, values.byte_offset()))
}

const OTHER_TYPE: &str = "a member of another type";

/// The value of a text; members of a wrong type are repaired, or it is `None` with an error.
fn typed<'t, T: DeserializeOwned>(text: &'t str, report: &mut Reporter<'t>) -> Result<Option<T>, Fault<'t>> {
    let error = match first(text) {
        Ok((value, _)) => return Ok(Some(value)),
        Err(error) => error,
    };
    let mut odd = Vec::new();
    let repaired = first::<Value>(text).and_then(|(mut value, _)| {
        repair(&mut value, &mut odd);
        from_value(value)
    });
    for member in odd {
        report.warn(Fault::new(Problem::Json(OTHER_TYPE.to_owned()), text).quoting(&member))?;
    }
    match repaired {
        Ok(value) => Ok(Some(value)),
        Err(_) => report.error(json_fault(&error, text)).map(|()| None),
    }
}

fn json_fault<'t>(error: &serde_json::Error, text: &'t str) -> Fault<'t> {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let at = line.get(line.floor_char_boundary(error.column().saturating_sub(1))..).unwrap_or_default();
    let near: String = line.chars().skip(error.column().saturating_sub(20)).take(80).collect();
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    Fault::new(Problem::Json(message), at).quoting(&near)
}

/// Refuses documents nested so deeply that reading them would overflow the stack.
fn check_depth(text: &str) -> Step<'_> {
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
            return Err(Fault::new(Problem::TooDeep(MAX_DEPTH), ""));
        }
    }
    Ok(())
}

fn read_document<'t>(text: &'t str, report: &mut Reporter<'t>) -> Result<Option<Record>, Fault<'t>> {
    let document: Parts<'t> = match first(text) {
        Ok((document, _)) => document,
        Err(error) => return report.error(json_fault(&error, text)).map(|()| None),
    };
    let initial = document.initial.map(RawValue::get);
    let setup = match initial.map(|text| typed(text, report)).transpose()? {
        None => Ok(Setup::startpos()),
        Some(None) => return Ok(None),
        Some(Some(initial)) => start_position(&initial),
    };
    let mut record = match setup {
        Ok(setup) => Record::new(setup),
        Err(problem) => return report.error(Fault::new(problem, initial.unwrap_or(text))).map(|()| None),
    };
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
    let mut reader = MoveReader { record, board, report };
    reader.game(document.moves)?;
    let MoveReader { record, report, .. } = reader;
    let broken = report.errors.count() > before && record.main_line().next().is_none();
    Ok((!broken).then_some(record))
}

fn start_position(initial: &Initial) -> Result<Setup, Problem> {
    let preset = match &initial.preset {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match (handicap::setup_of_preset(&preset), &initial.data) {
        (Some(setup), _) => Ok(setup),
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
    report: &'r mut Reporter<'t>,
}

/// A line of entries that is still to be read.
struct Line<'t> {
    entries: Vec<&'t RawValue>,
    parent: NodeId,
    /// Number of moves before it.
    before: usize,
}

impl<'t> MoveReader<'_, 't> {
    fn game(&mut self, entries: Vec<&'t RawValue>) -> Step<'t> {
        let mut lines = vec![Line { entries, parent: self.record.root(), before: 0 }];
        while let Some(line) = lines.pop() {
            self.board.rewind(line.before);
            self.line(line, &mut lines)?;
        }
        Ok(())
    }

    fn line(&mut self, line: Line<'t>, lines: &mut Vec<Line<'t>>) -> Step<'t> {
        let mut at = line.parent;
        let mut foul = None;
        for text in line.entries.into_iter().map(RawValue::get) {
            if matches!(self.record.node(at).event(), Event::End(_)) {
                return self.report.warn(Fault::new(Problem::AfterEnd, text));
            }
            let Some(entry) = typed::<Entry>(text, self.report)? else { return Ok(()) };
            if let Some(passed_over) = foul.take().filter(|_| entry.mv.is_some()) {
                self.report.warn(Fault::new(Problem::IllegalMove, passed_over))?;
            }
            self.push_forks(text, at, lines)?;
            if let Some(mv) = &entry.mv {
                let (event, odd) = match self.play(at, mv) {
                    Ok(played) => played,
                    Err(problem) => return self.report.error(Fault::new(problem, text)),
                };
                if let Some(odd) = odd {
                    self.report.warn(Fault::new(odd, text))?;
                }
                foul = matches!(event, Event::Foul(_)).then_some(text);
                at = self.record.add(at, event);
            }
            // A move and the end after it may share an entry.
            let ended = entry.special.as_deref().map(|word| self.end(at, word, entry.winner.as_deref()));
            if matches!(&ended, Some(Event::End(end)) if end.kind.is_foul()) {
                foul = None;
            }
            self.remarks_before_end(&entry, &mut at, ended);
        }
        foul.map_or(Ok(()), |foul| self.report.warn(Fault::new(Problem::IllegalMove, foul)))
    }

    /// Notes the lines that could replace an entry, the first of them to be taken first.
    fn push_forks(&mut self, entry: &'t str, parent: NodeId, lines: &mut Vec<Line<'t>>) -> Step<'t> {
        if !entry.contains("\"forks\"") {
            return Ok(());
        }
        let before = self.board.plies_played();
        match first::<Forks<'t>>(entry) {
            Ok((Forks { forks }, _)) => {
                let forks = forks.into_iter().flatten().rev();
                lines.extend(forks.map(|entries| Line { entries, parent, before }));
                Ok(())
            }
            Err(_) => self.report.warn(Fault::new(Problem::Json(OTHER_TYPE.to_owned()), entry).quoting("forks")),
        }
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
    let words = if from.is_some() { Vec::new() } else { relative.chars().filter_map(Word::of_letter).collect() };
    let drop = from.is_none() && relative.contains('H');
    Ok(MoveText { to: Some(to), kind, words, promote: mv.promote, drop, from })
}

//! The reader: documents, then their moves.

use enbu_language::pick;
use enbu_movegen::{Color, Hand, Piece, PieceType, Setup, Square};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Number, Value, from_value};

use super::MAX_DEPTH;
use super::document::{self, Clock, Diagram, Entry, Forks, Initial, MoveMember, Parts, Place};
use super::repair::repair;
use crate::board::{Board, held};
use crate::csa;
use crate::end::GameResult;
use crate::error::{KifuError, Mode, Problem};
use crate::header::Headers;
use crate::kakinoki::headers::take;
use crate::kakinoki::moves::{self, MoveText, Word};
use crate::kakinoki::{handicap, score};
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::{Record, Rules};
use crate::terms::Naming;
use crate::track::Track;

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
        report.warn(Fault::new(Problem::OtherType, text).quoting(&member))?;
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
    let message = message.split(" at line ").next().unwrap_or_default();
    let japanese = match error.classify() {
        Category::Eof => "JSON が途中で終わっています",
        Category::Data => "JSON の項目が正しくありません",
        Category::Syntax | Category::Io => "JSON の構文が正しくありません",
    };
    Fault::new(Problem::Json(pick(message, japanese).to_owned()), at).quoting(&near)
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
    let track = match setup {
        Ok(setup) => Track::new(&setup),
        Err(problem) => return report.error(Fault::new(problem, initial.unwrap_or(text))).map(|()| None),
    };
    let (mut headers, mut rules) = (Headers::default(), Rules::default());
    for (key, value) in document.header.iter().flat_map(|pairs| &pairs.0) {
        if matches!(key.as_str(), "手合割" | "手合") || key.ends_with("の持駒") {
            continue;
        }
        for line in value.split('\n') {
            take(key, line, &mut headers, &mut rules);
        }
    }
    let before = report.errors.count();
    let mut reader = MoveReader { track, report };
    reader.game(document.moves)?;
    let record = reader.track.finish(headers, rules);
    let broken = report.errors.count() > before && record.main_line().next().is_none();
    Ok((!broken).then_some(record))
}

fn start_position(initial: &Initial) -> Result<Setup, Problem> {
    let preset = initial.preset.as_str().map_or_else(|| initial.preset.to_string(), str::to_owned);
    match (handicap::setup_of_preset(&preset), &initial.data) {
        (Some(setup), _) => Ok(setup),
        (None, Some(data)) => diagram(data),
        (None, None) => Err(Problem::UnknownHandicap),
    }
}

fn kind_named(name: &str) -> Result<PieceType, Problem> {
    name.as_bytes().try_into().ok().and_then(csa::piece_named).ok_or(Problem::UnknownPiece)
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
            let kind = kind_named(name)?;
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
    hand.iter().try_fold(Hand::EMPTY, |hand, (name, count)| {
        let piece = held(kind_named(name)?)?;
        let count = u8::try_from(count.unwrap_or(0)).ok();
        count.and_then(|count| hand.with_count(piece, count)).ok_or(Problem::HandOverflow)
    })
}

struct MoveReader<'r, 't> {
    track: Track<'t>,
    report: &'r mut Reporter<'t>,
}

/// A line of entries that is still to be read, and the number of moves before it.
type Line<'t> = (Vec<&'t RawValue>, usize);

impl<'t> MoveReader<'_, 't> {
    fn game(&mut self, entries: Vec<&'t RawValue>) -> Step<'t> {
        let mut lines = vec![(entries, 0)];
        while let Some((entries, before)) = lines.pop() {
            self.track.back_to(before);
            self.line(entries, &mut lines)?;
            self.report.foul(self.track.foul.take())?;
        }
        Ok(())
    }

    fn line(&mut self, entries: Vec<&'t RawValue>, lines: &mut Vec<Line<'t>>) -> Step<'t> {
        for text in entries.into_iter().map(RawValue::get) {
            if self.track.is_ended() {
                return self.report.warn(Fault::new(Problem::AfterEnd, text));
            }
            let Some(entry) = typed::<Entry>(text, self.report)? else { return Ok(()) };
            self.push_forks(text, lines)?;
            if let Some(mv) = &entry.mv {
                let (passed_over, odd) = match self.play(mv, text) {
                    Ok(played) => played,
                    Err(problem) => return self.report.error(Fault::new(problem, text)),
                };
                self.report.foul(passed_over)?;
                odd.map_or(Ok(()), |odd| self.report.warn(Fault::new(odd, text)))?;
                self.remarks(&entry);
            }
            // A move and the end after it may share an entry.
            if let Some(word) = &entry.special {
                let mut end = self.track.end_of(csa::end_of_word(word));
                let winner = entry.winner.as_deref().and_then(|word| GameResult::named(word, Naming::Usi));
                end.result = winner.unwrap_or(end.result);
                let foul = self.track.end(end);
                self.report.foul(foul)?;
            }
            if entry.mv.is_none() {
                self.remarks(&entry);
            }
        }
        Ok(())
    }

    /// Notes the lines that could replace an entry, the first of them to be taken first.
    fn push_forks(&mut self, entry: &'t str, lines: &mut Vec<Line<'t>>) -> Step<'t> {
        if !entry.contains("\"forks\"") {
            return Ok(());
        }
        let before = self.track.board.plies_played();
        match first::<Forks<'t>>(entry) {
            Ok((Forks { forks }, _)) => {
                let forks = forks.into_iter().flatten().rev();
                lines.extend(forks.map(|entries| (entries, before)));
                Ok(())
            }
            Err(_) => self.report.warn(Fault::new(Problem::OtherType, entry).quoting("forks")),
        }
    }

    /// Makes a move, and returns a foul that it passed over and an oddity.
    fn play(&mut self, mv: &MoveMember, entry: &'t str) -> Result<(Option<&'t str>, Option<Problem>), Problem> {
        let (board, last) = (&self.track.board, self.track.last_to());
        let (mv_made, odd) = moves::resolve(&move_text(mv, board, last)?, board, last)?;
        let wrong_color = mv.color.is_some_and(|side| color(side) != board.turn());
        let passed_over = self.track.make(mv_made, entry)?;
        Ok((passed_over, odd.or(wrong_color.then_some(Problem::WrongTurn))))
    }

    fn remarks(&mut self, entry: &Entry) {
        let node = self.track.record.node_mut(self.track.at);
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
        score::extract(node, old, &mut self.track.board);
    }
}

fn clock_ms(clock: &Clock) -> u64 {
    let minutes = clock.h.unwrap_or(0).saturating_mul(60).saturating_add(clock.m.unwrap_or(0));
    let whole = |seconds: &Number| seconds.as_u64().map(|seconds| seconds.saturating_mul(1000));
    // A cast from float saturates, and turns NaN into 0.
    let ms = |seconds| whole(seconds).unwrap_or((seconds.as_f64().unwrap_or(0.0) * 1000.0).round() as u64);
    let ms = clock.s.as_ref().map_or(0, ms);
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
        (Some(name), _) => kind_named(name)?,
        (None, Some(from)) => board.piece_at(from).ok_or(Problem::EmptyOrigin)?.kind,
        (None, None) => return Err(Problem::MoveSyntax),
    };
    let relative = mv.relative.as_deref().unwrap_or_default();
    let words = if from.is_some() { Vec::new() } else { relative.chars().filter_map(Word::of_letter).collect() };
    let drop = from.is_none() && relative.contains('H');
    Ok(MoveText { to: Some(to), kind, words, promote: mv.promote, drop, from })
}

//! Reading lines into pages.

use std::io::{BufRead, Read as _};
use std::mem;

use enbu_language::Words;
use enbu_movegen::Move;

use super::HEADER;
use crate::error::{BookError, Fault, Place, shortened};
use crate::key::PositionKey;
use crate::page::{Entry, Page};

/// The longest line; only comments come near it.
pub(crate) const MAX_LINE: u64 = 1 << 20;

/// Most bytes that are read for one position: its lines at all plies. It bounds the time of a
/// look-up.
pub(crate) const MAX_POSITION: u64 = 1 << 20;

/// Reads the pages of a file one by one, in the order of the file.
///
/// After a fault the iterator goes on: a faulty move is left out of its page, a faulty
/// position with all its moves.
#[derive(Debug)]
pub(crate) struct Reader<R> {
    pub(super) input: R,
    line: Vec<u8>,
    number: u64,
    assembler: Assembler,
    /// The comment lines before the first position; complete once a page was read.
    pub(crate) preface: Vec<String>,
    /// A page of which the end was found together with a fault.
    waiting: Option<Page>,
    /// Line of the position that is being read.
    begun_at: u64,
    /// Line of the position of the last page.
    pub(crate) page_at: u64,
    done: bool,
}

/// Puts a page together from its lines.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    /// `None` before the first position and after a faulty one, whose lines are left out.
    pub(super) page: Option<Page>,
    /// A position was met, or the fault that there is none.
    has_begun: bool,
}

pub(crate) enum Line<'l> {
    Blank,
    Comment(&'l [u8]),
    /// The text after `sfen `.
    Position(&'l [u8]),
    Entry(&'l [u8]),
}

impl<'l> Line<'l> {
    pub(crate) fn of(line: &'l [u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            Self::Blank
        } else if let Some(text) = line.strip_prefix(b"#").or_else(|| line.strip_prefix(b"//")) {
            Self::Comment(text)
        } else if let Some(text) = line.strip_prefix(b"sfen").filter(|text| text.starts_with(b" ")) {
            Self::Position(text.trim_ascii_start())
        } else {
            Self::Entry(line)
        }
    }
}

/// Fails if the first line of a file, without byte order mark, is another header.
pub(crate) fn check_header(line: &[u8]) -> Result<(), Fault> {
    let line = line.trim_ascii();
    match Line::of(line) {
        Line::Comment(_) if line != HEADER.as_bytes() => Err(Fault::Header(shortened(&String::from_utf8_lossy(line)))),
        _ => Ok(()),
    }
}

pub(crate) fn key_and_ply(text: &[u8]) -> Result<(PositionKey, Option<u32>), Fault> {
    Ok(PositionKey::parse(&String::from_utf8_lossy(text))?)
}

impl Assembler {
    /// Takes the line of a position and returns the page before it, which is complete.
    pub(crate) fn begin(&mut self, text: &[u8]) -> (Option<Page>, Result<(), Fault>) {
        self.has_begun = true;
        let finished = self.page.take();
        let begun = key_and_ply(text).map(|(position, ply)| Page { ply, ..Page::new(position) });
        (finished, begun.map(|page| self.page = Some(page)))
    }

    /// Takes a move line.
    pub(crate) fn entry(&mut self, text: &[u8]) -> Result<(), Fault> {
        if let Some(page) = &mut self.page {
            page.entries.extend(entry(text)?);
        } else if !mem::replace(&mut self.has_begun, true) {
            // Reported once, not for each line of another kind of file.
            return Err(Fault::NoPosition);
        }
        Ok(())
    }

    /// Takes the text of a comment; returns false if there is no position yet.
    pub(crate) fn comment(&mut self, text: &[u8]) -> bool {
        let Some(page) = &mut self.page else { return self.has_begun };
        let comment = page.entries.last_mut().map_or(&mut page.comment, |entry| &mut entry.comment);
        let text = String::from_utf8_lossy(text);
        match comment {
            Some(comment) => comment.extend(["\n", &text]),
            None => *comment = Some(text.into_owned()),
        }
        true
    }
}

/// The entry of a line; `None` for the words that mean no move.
fn entry(text: &[u8]) -> Result<Option<Entry>, Fault> {
    let text = String::from_utf8_lossy(text);
    let mut fields = text.splitn(6, [' ', '\t']);
    let Some(mv) = mv(fields.next().unwrap_or_default())? else { return Ok(None) };
    let mut entry = Entry::new(mv);
    let mut rest: Option<String> = None;
    for (at, field) in fields.enumerate() {
        // A comment may follow any field.
        if rest.is_some() || at == 4 || field.starts_with('#') || field.starts_with("//") {
            let text = rest.get_or_insert_default();
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(field);
            continue;
        }
        match at {
            0 => entry.ponder = if field.is_empty() { None } else { self::mv(field)? },
            1 => entry.value = number(field, Words("a value", "評価値"))?,
            2 => entry.depth = number(field, Words("a depth", "深さ"))?,
            _ => entry.count = number(field, Words("a count", "出現回数"))?,
        }
    }
    if let Some(text) = rest {
        let text = text.trim();
        let text = text.strip_prefix('#').or_else(|| text.strip_prefix("//")).unwrap_or(text);
        entry.comment = Some(text.to_owned()).filter(|text| !text.is_empty());
    }
    Ok(Some(entry))
}

/// A move; `None` for the words that mean none.
fn mv(text: &str) -> Result<Option<Move>, Fault> {
    match text {
        "none" | "None" | "resign" | "win" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| Fault::Move(shortened(text))),
    }
}

fn number<T: std::str::FromStr>(text: &str, field: Words) -> Result<Option<T>, Fault> {
    match text {
        "" | "none" | "None" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| Fault::Number(field, shortened(text))),
    }
}

impl<R: BufRead> Reader<R> {
    /// A reader of `input`, which it should buffer well.
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
            assembler: Assembler::default(),
            preface: Vec::new(),
            waiting: None,
            begun_at: 0,
            page_at: 0,
            done: false,
        }
    }

    /// Reads the next line; returns false at the end.
    fn next_line(&mut self) -> Result<bool, BookError> {
        self.line.clear();
        self.number += 1;
        let fault = |fault: Fault| BookError::line(self.number, fault);
        let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut self.line).map_err(|e| fault(e.into()))?;
        if read as u64 == MAX_LINE && !self.line.ends_with(b"\n") {
            return Err(fault(Fault::LongLine(MAX_LINE)));
        }
        if self.number == 1 {
            if self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            check_header(&self.line).map_err(fault)?;
        }
        Ok(read > 0)
    }

    /// Takes the line that was read; returns a page when it is complete.
    fn take_line(&mut self) -> Result<Option<Page>, BookError> {
        let place = Place::Line(self.number);
        match Line::of(&self.line) {
            Line::Blank => Ok(None),
            Line::Comment(text) => {
                if !self.assembler.comment(text) && self.number > 1 {
                    self.preface.push(String::from_utf8_lossy(text).into_owned());
                }
                Ok(None)
            }
            Line::Entry(text) => self.assembler.entry(text).map(|()| None).map_err(|fault| BookError { place, fault }),
            Line::Position(text) => {
                let (page, outcome) = self.assembler.begin(text);
                self.page_at = mem::replace(&mut self.begun_at, self.number);
                match outcome {
                    Ok(()) => Ok(page),
                    Err(fault) => {
                        self.waiting = page;
                        Err(BookError { place, fault })
                    }
                }
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(page) = mem::take(&mut self.waiting) {
            return Some(Ok(page));
        }
        while !self.done {
            match self.next_line() {
                Ok(true) => match self.take_line().transpose() {
                    None => {}
                    outcome => return outcome,
                },
                // After a fault the rest of the file cannot be trusted.
                end => {
                    self.done = true;
                    self.page_at = self.begun_at;
                    self.waiting = self.assembler.page.take();
                    return end.err().map(Err).or_else(|| self.waiting.take().map(Ok));
                }
            }
        }
        None
    }
}

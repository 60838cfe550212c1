//! Searching a sorted file on disk.

use std::fs::File;

use super::SFEN;
use super::read::{Assembler, Line, check_header, key_and_ply};
use crate::disk::Disk;
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::Page;

/// Bytes read at a time.
const BLOCK: usize = 4096;

/// The bisection ends when fewer bytes are left, which are read in order.
const NEAR: u64 = 4096;

/// Positions at the beginning of a file that are compared one by one when it is opened.
const FIRST: usize = 1000;

/// Positions all over the file that are compared when it is opened.
const SAMPLES: u64 = 256;

/// The longest run of bytes without a line of a position: a longer one is no book.
const MAX_GAP: u64 = 16 << 20;

/// A file that is searched by bisection.
#[derive(Debug)]
pub(crate) struct Searched {
    disk: Disk,
}

/// A line of a position, as it is in the file.
struct Found {
    /// Offset of the line.
    offset: u64,
    /// The text after `sfen `.
    text: Vec<u8>,
}

impl Found {
    /// Offset of the byte after the line.
    fn end(&self) -> u64 {
        self.offset + (SFEN.len() + self.text.len()) as u64 + 1
    }

    /// The three fields before the ply.
    fn key(&self) -> &[u8] {
        let mut blanks = self.text.iter().enumerate().filter(|&(_, &byte)| byte == b' ').map(|(at, _)| at);
        let end = blanks.nth(2).unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or(&self.text).trim_ascii_end()
    }
}

impl Searched {
    /// Opens a file after a look at its first positions and at others all over it.
    ///
    /// # Errors
    /// Those of the system, [`Fault::Header`], and [`Fault::NotSearchable`] if the file is not
    /// sorted.
    pub(crate) fn open(file: File) -> Result<Self, BookError> {
        let searched = Self { disk: Disk::new(file)? };
        let head = searched.disk.read(0, BLOCK)?;
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        check_header(first).map_err(|fault| BookError::line(1, fault))?;
        searched.check().map_err(|error| match error.fault {
            Fault::Io(_) => error,
            _ => BookError::file(Fault::NotSearchable(Box::new(error))),
        })?;
        Ok(searched)
    }

    /// Fails at the first position out of order among the samples.
    fn check(&self) -> Result<(), BookError> {
        let mut last: Option<Found> = None;
        let mut at = 0;
        let mut check = |found: Found| -> Result<u64, BookError> {
            let fault = |fault| BookError::offset(found.offset, fault);
            let (key, _) = key_and_ply(&found.text).map_err(fault)?;
            // A key that is written otherwise is not where it is looked for.
            let misplaced = key.as_str().as_bytes() != found.key()
                || last.as_ref().is_some_and(|last| last.offset < found.offset && last.key() > found.key());
            if misplaced {
                return Err(fault(Fault::Unsorted(key.to_string())));
            }
            let end = found.end();
            last = Some(found);
            Ok(end)
        };
        for _ in 0..FIRST {
            let Some(found) = self.position_from(at, self.disk.len())? else { return Ok(()) };
            at = check(found)?;
        }
        let step = (self.disk.len() - at) / SAMPLES;
        for sample in 0..SAMPLES {
            let Some(found) = self.position_from(at + sample * step, self.disk.len())? else { return Ok(()) };
            check(found)?;
        }
        Ok(())
    }

    /// The first line of a position that begins at `from` or later, before `end`.
    fn position_from(&self, from: u64, end: u64) -> Result<Option<Found>, BookError> {
        // The byte before decides if a line begins at `from`.
        let mut offset = from.saturating_sub(1);
        let mut bytes: Vec<u8> = Vec::new();
        let mut searched_to = 0;
        loop {
            if let Some(at) = line_of_position(&bytes, searched_to, offset == 0) {
                let begin = offset + at as u64;
                if begin >= end {
                    return Ok(None);
                }
                let text = bytes.get(at + SFEN.len()..).unwrap_or_default();
                if let Some(length) = text.iter().position(|&byte| byte == b'\n') {
                    let text = text.get(..length).unwrap_or_default().to_vec();
                    return Ok(Some(Found { offset: begin, text }));
                }
                searched_to = at.saturating_sub(1);
            } else {
                // Only the tail can be the beginning of a line of a position.
                let kept = bytes.len().saturating_sub(SFEN.len() + 1);
                if offset > 0 || kept > 3 {
                    bytes.drain(..kept);
                    offset += kept as u64;
                }
                searched_to = 0;
                if offset >= end {
                    return Ok(None);
                }
            }
            let more = self.disk.read(offset + bytes.len() as u64, BLOCK)?;
            if more.is_empty() {
                return Ok(line_of_position(&bytes, searched_to, offset == 0).map(|at| Found {
                    offset: offset + at as u64,
                    text: bytes.get(at + SFEN.len()..).unwrap_or_default().to_vec(),
                }));
            }
            bytes.extend(more);
            if bytes.len() as u64 > MAX_GAP {
                return Err(BookError::offset(offset, Fault::LongLine(MAX_GAP)));
            }
        }
    }

    /// The pages of a position: one, or one for each ply.
    pub(crate) fn find(&self, key: &PositionKey) -> Result<Vec<Page>, BookError> {
        let target = key.as_str().as_bytes();
        // Lines before `low` have smaller keys, lines from `high` on have not.
        let (mut low, mut high) = (0, self.disk.len());
        // A line that begins before `high` may end after it.
        while high.saturating_sub(low) > NEAR {
            let middle = low + (high - low) / 2;
            match self.position_from(middle, high)? {
                Some(found) if found.key() < target => low = found.end(),
                _ => high = middle,
            }
        }
        let mut pages = Vec::new();
        while let Some(found) = self.position_from(low, self.disk.len())? {
            if found.key() > target {
                break;
            }
            low = found.end();
            if found.key() == target {
                pages.extend(self.page(&found)?);
            }
        }
        Ok(pages)
    }

    /// The page that begins with a line.
    fn page(&self, found: &Found) -> Result<Option<Page>, BookError> {
        let mut assembler = Assembler::default();
        assembler.begin(&found.text).1.map_err(|fault| BookError::offset(found.offset, fault))?;
        let mut offset = found.end();
        let mut bytes = Vec::new();
        loop {
            let more = self.disk.read(offset + bytes.len() as u64, BLOCK)?;
            let is_last = more.is_empty();
            bytes.extend(more);
            if is_last && !bytes.ends_with(b"\n") {
                bytes.push(b'\n');
            }
            let mut begin = 0;
            while let Some(length) = bytes.get(begin..).and_then(|rest| rest.iter().position(|&byte| byte == b'\n')) {
                match Line::of(bytes.get(begin..begin + length).unwrap_or_default()) {
                    Line::Blank => {}
                    Line::Comment(text) => drop(assembler.comment(text)),
                    Line::Position(_) => return Ok(assembler.finish()),
                    Line::Entry(text) => {
                        assembler.entry(text).map_err(|fault| BookError::offset(offset + begin as u64, fault))?
                    }
                }
                begin += length + 1;
            }
            bytes.drain(..begin);
            offset += begin as u64;
            if is_last {
                return Ok(assembler.finish());
            }
            if bytes.len() as u64 > MAX_GAP {
                return Err(BookError::offset(offset, Fault::LongLine(MAX_GAP)));
            }
        }
    }
}

/// The index in `bytes`, from `from` on, of a line that begins with `sfen `; a line begins
/// after LF, and at the beginning of the file, where a byte order mark may precede it.
fn line_of_position(bytes: &[u8], from: usize, at_start: bool) -> Option<usize> {
    if at_start && from == 0 {
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        if bytes.get(mark..).is_some_and(|bytes| bytes.starts_with(SFEN)) {
            return Some(mark);
        }
    }
    let rest = bytes.get(from..)?;
    let mut ends = rest.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| from + at + 1);
    ends.find(|&at| bytes.get(at..).is_some_and(|bytes| bytes.starts_with(SFEN)))
}

//! Searching a sorted file on disk.

use std::cmp::Ordering;
use std::fs::File;

use super::SFEN;
use super::read::{Assembler, Line, MAX_POSITION, check_header, key_and_ply};
use crate::disk::Disk;
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::Page;

/// Bytes read at first, and at least.
const BLOCK: usize = 4096;

/// Bytes read at a time in a long run.
const LARGE_BLOCK: usize = 1 << 16;

/// Most bytes that are read for one position, in whole blocks.
const BUDGET: u64 = MAX_POSITION + LARGE_BLOCK as u64;

/// The bisection ends when fewer bytes are left, which are read in order.
const NEAR: u64 = 4096;

/// Positions at the beginning of a file that are compared one by one when it is opened.
const FIRST: usize = 1000;

/// Positions all over the file that are compared when it is opened.
const SAMPLES: u64 = 256;

/// A file that is searched by bisection.
#[derive(Debug)]
pub(crate) struct Searched {
    disk: Disk,
}

/// A line of a position, as it is in the file.
struct Found {
    offset: u64,
    text: Vec<u8>,
}

impl Found {
    /// Offset of the byte after the line.
    fn end(&self) -> u64 {
        self.offset + (SFEN.len() + self.text.len()) as u64 + 1
    }

    /// The three fields before the ply.
    fn key(&self) -> &[u8] {
        key_bytes(&self.text)
    }
}

impl Searched {
    /// Opens a file after a look at its first positions and at others all over it.
    /// One that is not sorted is [`Fault::NotSearchable`].
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
            let Some(found) = self.position_from(at, self.disk.len)? else { return Ok(()) };
            at = check(found)?;
        }
        let step = (self.disk.len - at) / SAMPLES;
        for sample in 0..SAMPLES {
            let Some(found) = self.position_from(at + sample * step, self.disk.len)? else { return Ok(()) };
            check(found)?;
        }
        Ok(())
    }

    /// The first line of a position that begins at `from` or later, before `end`.
    fn position_from(&self, from: u64, end: u64) -> Result<Option<Found>, BookError> {
        // The byte before decides if a line begins at `from`.
        let mut lines = Lines::new(&self.disk, from.saturating_sub(1));
        if from > 0 {
            lines.next()?;
        }
        while let Some((offset, line)) = lines.next()?.filter(|&(offset, _)| offset < end) {
            if let Some(text) = line.strip_prefix(SFEN) {
                return Ok(Some(Found { offset, text: text.to_vec() }));
            }
        }
        Ok(None)
    }

    /// The pages of a position: one, or one for each ply.
    pub(crate) fn find(&self, key: &PositionKey) -> Result<Vec<Page>, BookError> {
        let target = key.as_str().as_bytes();
        // Lines before `low` have smaller keys, lines from `high` on have not.
        let (mut low, mut high) = (0, self.disk.len);
        // A line that begins before `high` may end after it.
        while high.saturating_sub(low) > NEAR {
            let middle = low + (high - low) / 2;
            match self.position_from(middle, high)? {
                Some(found) if found.key() < target => low = found.end(),
                _ => high = middle,
            }
        }
        let (mut pages, mut assembler) = (Vec::new(), Assembler::default());
        let mut lines = Lines::new(&self.disk, low);
        while let Some((offset, line)) = lines.next()? {
            let fault = |fault| BookError::offset(offset, fault);
            match Line::of(line) {
                Line::Position(text) => match key_bytes(text).cmp(target) {
                    Ordering::Less => lines.left = BUDGET,
                    Ordering::Equal => {
                        let (page, begun) = assembler.begin(text);
                        begun.map_err(fault)?;
                        match page {
                            Some(page) => pages.push(page),
                            None => lines.left = BUDGET,
                        }
                    }
                    Ordering::Greater => break,
                },
                Line::Comment(text) if assembler.page.is_some() => drop(assembler.comment(text)),
                Line::Entry(text) if assembler.page.is_some() => assembler.entry(text).map_err(fault)?,
                Line::Blank | Line::Comment(_) | Line::Entry(_) => {}
            }
        }
        pages.extend(assembler.page);
        Ok(pages)
    }
}

/// The lines of a file from an offset on, each byte of which is looked at once.
struct Lines<'d> {
    disk: &'d Disk,
    /// Bytes that were read, and the offset of the first of them.
    bytes: Vec<u8>,
    offset: u64,
    /// Index of the next line, and of the first byte that may be its end.
    begin: usize,
    scanned: usize,
    /// Bytes that may still be read before a position ends.
    left: u64,
}

impl<'d> Lines<'d> {
    fn new(disk: &'d Disk, offset: u64) -> Self {
        Self { disk, bytes: Vec::new(), offset, begin: 0, scanned: 0, left: BUDGET }
    }

    /// The next line with its offset, without its end and without a byte order mark.
    fn next(&mut self) -> Result<Option<(u64, &[u8])>, BookError> {
        let length = loop {
            let rest = self.bytes.get(self.scanned..).unwrap_or_default();
            if let Some(length) = rest.iter().position(|&byte| byte == b'\n') {
                break self.scanned + length - self.begin;
            }
            self.scanned = self.bytes.len();
            if !self.read()? {
                break self.bytes.len() - self.begin;
            }
        };
        let at = self.begin;
        if at == self.bytes.len() {
            return Ok(None);
        }
        self.begin = (at + length + 1).min(self.bytes.len());
        self.scanned = self.begin;
        let line = self.bytes.get(at..at + length).unwrap_or_default();
        let offset = self.offset + at as u64;
        let mark = if offset == 0 && line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Ok(Some((offset + mark as u64, line.get(mark..).unwrap_or_default())))
    }

    /// Reads more of the line that begins last; returns false at the end of the file.
    fn read(&mut self) -> Result<bool, BookError> {
        self.bytes.drain(..self.begin);
        self.offset += self.begin as u64;
        self.scanned -= self.begin;
        self.begin = 0;
        let size = if self.left == BUDGET { BLOCK } else { LARGE_BLOCK };
        let more = self.disk.read(self.offset + self.bytes.len() as u64, size)?;
        let left = self.left.checked_sub(more.len() as u64);
        self.left = left.ok_or_else(|| BookError::offset(self.offset, Fault::LongPosition(MAX_POSITION)))?;
        self.bytes.extend(&more);
        Ok(!more.is_empty())
    }
}

/// The three fields before the ply in the text after `sfen `.
fn key_bytes(text: &[u8]) -> &[u8] {
    let mut blanks = text.iter().enumerate().filter(|&(_, &byte)| byte == b' ').map(|(at, _)| at);
    let end = blanks.nth(2).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_ascii_end()
}

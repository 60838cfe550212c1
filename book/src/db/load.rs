//! A file in memory.

use super::read::{Assembler, Line, MAX_LINE, MAX_POSITION, Reader, check_header};
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::Page;

/// The text of a file and the offsets of its positions: 16 bytes a position besides the
/// text.
#[derive(Debug)]
pub(crate) struct Loaded {
    text: Vec<u8>,
    /// Digests of the keys and offsets of their lines, sorted; a position with several plies is in it with each.
    pub(crate) index: Vec<(u64, usize)>,
}

impl Loaded {
    /// Indexes the text of a file and reports its faults. A file with another header is refused.
    pub(crate) fn new(mut text: Vec<u8>, report: &mut impl FnMut(BookError)) -> Result<Self, BookError> {
        if text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        if let Some(first) = lines.clone().next() {
            check_header(first).map_err(|fault| BookError::line(1, fault))?;
        }
        let (mut index, mut offset, mut assembler) = (Vec::new(), 0, Assembler::default());
        for (line, number) in lines.zip(1..) {
            let outcome = match Line::of(line) {
                _ if line.len() as u64 > MAX_LINE => Err(Fault::LongLine(MAX_LINE)),
                Line::Blank | Line::Comment(_) => Ok(()),
                Line::Entry(text) => assembler.entry(text),
                Line::Position(text) => {
                    let outcome = assembler.begin(text).1;
                    index.extend(assembler.page.as_ref().map(|page| (page.position.digest(), offset)));
                    outcome
                }
            };
            outcome.unwrap_or_else(|fault| report(BookError::line(number, fault)));
            offset += line.len();
        }
        index.sort_unstable();
        index.shrink_to_fit();
        Ok(Self { text, index })
    }

    /// The pages of a position: one, or one for each ply. Faulty moves are left out.
    pub(crate) fn find(&self, key: &PositionKey) -> Result<Vec<Page>, BookError> {
        let digest = key.digest();
        let begin = self.index.partition_point(|&(other, _)| other < digest);
        let found = self.index.get(begin..).unwrap_or_default().iter().take_while(|&&(other, _)| other == digest);
        let mut left = MAX_POSITION as usize;
        let pages = found.map(|&(_, offset)| self.page(offset, &mut left));
        pages.filter(|page| page.as_ref().map_or(true, |page| page.position == *key)).collect()
    }

    /// The page at an offset; `left` is the number of bytes that may still be read.
    fn page(&self, offset: usize, left: &mut usize) -> Result<Page, BookError> {
        let end = self.text.len().min(offset.saturating_add(*left));
        let mut reader = Reader::new(self.text.get(offset..end).unwrap_or_default());
        // Faults were reported when the file was loaded.
        let page = reader.find_map(Result::ok);
        let rest = reader.input.len();
        *left = (*left).saturating_sub(end - offset - rest);
        let is_whole = rest > 0 || end == self.text.len();
        page.filter(|_| is_whole).ok_or_else(|| BookError::offset(offset as u64, Fault::LongPosition(MAX_POSITION)))
    }
}

//! Writing pages as lines.

use std::io::{self, Write};

use super::HEADER;
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::{Entry, Page};

/// Writes sorted pages.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    last: Option<(PositionKey, Option<u32>)>,
}

impl<W: Write> Writer<W> {
    /// Writes the header and the comment lines before the first position.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, preface: &[String]) -> Result<Self, BookError> {
        writeln!(out, "{HEADER}")?;
        for line in preface {
            comment(&mut out, line)?;
        }
        Ok(Self { out, last: None })
    }

    /// Writes a page.
    ///
    /// # Errors
    /// Those of `out`; [`Fault::Unsorted`] if the page belongs before the last one.
    pub fn write(&mut self, page: &Page) -> Result<(), BookError> {
        if page.entries.is_empty() {
            return Ok(());
        }
        if let Some((position, ply)) = &self.last
            && (position, *ply) > (&page.position, page.ply)
        {
            return Err(BookError::file(Fault::Unsorted(page.position.to_string())));
        }
        self.put(page)?;
        self.last = Some((page.position.clone(), page.ply));
        Ok(())
    }

    fn put(&mut self, page: &Page) -> io::Result<()> {
        let out = &mut self.out;
        write!(out, "sfen {}", page.position)?;
        match page.ply {
            Some(ply) => writeln!(out, " {ply}")?,
            None => writeln!(out)?,
        }
        if let Some(text) = &page.comment {
            comment(out, text)?;
        }
        page.entries.iter().try_for_each(|entry| put_entry(out, entry))
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self) -> Result<W, BookError> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn put_entry(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    write!(out, "{}", entry.mv)?;
    match entry.ponder {
        Some(mv) => write!(out, " {mv}")?,
        None => out.write_all(b" none")?,
    }
    let numbers = [entry.value.map(i128::from), entry.depth.map(i128::from), entry.count.map(i128::from)];
    let last = numbers.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    for number in numbers.iter().take(last) {
        match number {
            Some(number) => write!(out, " {number}")?,
            None => out.write_all(b" none")?,
        }
    }
    writeln!(out)?;
    match &entry.comment {
        Some(text) => comment(out, text),
        None => Ok(()),
    }
}

/// Writes the lines of a comment.
fn comment(out: &mut impl Write, text: &str) -> io::Result<()> {
    text.split('\n').try_for_each(|line| writeln!(out, "#{}", line.trim_end_matches('\r')))
}

//! Reading and writing books of any format, detected by content.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use enbu_files::{Draft, Existing, FileKind, folder, open};
use enbu_movegen::Setup;

use crate::error::{BookError, Fault, Place};
use crate::format::Format;
use crate::losses::Losses;
use crate::page::{Page, Preface};
use crate::{apery, db, sbk, ybb};

/// The bytes that decide about the format.
const HEAD: u64 = 4096;

/// Detects the format of a file from its first bytes.
pub fn detect(path: &Path) -> Result<Format, BookError> {
    let (mut file, mut head) = (open(path, FileKind::Stream)?, Vec::new());
    let len = file.metadata()?.len();
    (&mut file).take(HEAD).read_to_end(&mut head)?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    if head.is_empty() {
        Err(BookError::file(Fault::Empty))
    } else if head.starts_with(&ybb::MAGIC) {
        Ok(Format::Ybb)
    } else if [&b"#"[..], b"//", b"sfen "].iter().any(|begin| text.starts_with(begin)) {
        Ok(Format::Db)
    } else if sbk::is_plausible(&head, len) {
        Ok(Format::Sbk)
    } else if apery::is_plausible(&head, len) {
        Ok(Format::Apery)
    } else {
        Err(BookError::file(Fault::UnknownFormat))
    }
}

/// Roots and limit of the search for the positions of a `book.bin`, which has only their keys.
#[derive(Clone, Debug)]
pub struct Search {
    /// Known positions.
    pub roots: Vec<Setup>,
    /// Positions in a row that the book may lack.
    pub gap: u32,
}

impl Default for Search {
    /// From the start position, with one missing position in a row.
    fn default() -> Self {
        Self { roots: vec![Setup::startpos()], gap: 1 }
    }
}

/// The pages of a file, one by one.
///
/// After a fault the iterator goes on where the format permits it.
#[derive(Debug)]
pub struct Pages {
    format: Format,
    reader: Reader,
}

#[derive(Debug)]
enum Reader {
    Db(Box<db::Reader<BufReader<File>>>),
    Ybb(Box<ybb::Reader>),
    Apery(Box<apery::Pages>),
    Sbk(Box<sbk::Reader>),
}

impl Pages {
    /// Opens a file of any format.
    pub fn open(path: &Path, search: &Search) -> Result<Self, BookError> {
        let format = detect(path)?;
        let reader = match format {
            Format::Db => {
                Reader::Db(Box::new(db::Reader::new(BufReader::with_capacity(1 << 18, open(path, FileKind::Stream)?))))
            }
            Format::Ybb => Reader::Ybb(Box::new(ybb::Reader::open(path)?)),
            Format::Apery => Reader::Apery(Box::new(apery::Pages::new(path, &search.roots, search.gap)?)),
            Format::Sbk => Reader::Sbk(Box::new(sbk::Reader::open(path)?)),
        };
        Ok(Self { format, reader })
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Author and description; complete once a page was read.
    pub fn preface(&self) -> Preface {
        match &self.reader {
            Reader::Db(reader) => Preface { author: String::new(), description: reader.preface.join("\n") },
            Reader::Sbk(reader) => reader.preface().clone(),
            _ => Preface::default(),
        }
    }

    /// The place of the last page; the file as a whole for a `book.bin`.
    pub fn place(&self) -> Place {
        match &self.reader {
            Reader::Db(reader) => Place::Line(reader.page_at),
            Reader::Ybb(reader) => reader.place(),
            Reader::Apery(_) => Place::File,
            Reader::Sbk(reader) => Place::Offset(reader.state_at),
        }
    }

    /// Moves of a `book.bin` whose positions were not found, once all pages were read.
    pub fn unreached(&self) -> u64 {
        if let Reader::Apery(pages) = &self.reader { pages.unreached() } else { 0 }
    }
}

impl Iterator for Pages {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.reader {
            Reader::Db(reader) => reader.next(),
            Reader::Ybb(reader) => reader.next(),
            Reader::Apery(reader) => reader.next(),
            Reader::Sbk(reader) => reader.next(),
        }
    }
}

/// The result of writing a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Positions with moves.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Fields without a place in the format.
    pub losses: Losses,
}

/// Writes a book atomically from pages in the order of its format, one page a position.
/// An old file is unchanged after an error.
pub fn write(
    path: &Path,
    format: Format,
    preface: &Preface,
    pages: impl IntoIterator<Item = Result<Page, BookError>>,
    existing: Existing,
) -> Result<Written, BookError> {
    let mut draft = Draft::create(path, existing)?;
    let mut written = Written::default();
    let mut losses = Losses::default();
    let pages = pages.into_iter().inspect(|page| {
        if let Ok(page) = page {
            written.positions += u64::from(!page.entries.is_empty());
            written.moves += page.entries.len() as u64;
        }
    });
    match format {
        Format::Db => db::write(&mut draft, preface, pages, &mut losses)?,
        Format::Ybb => ybb::write(&mut draft, folder(path), pages, &mut losses)?,
        Format::Apery => apery::write(&mut draft, pages, &mut losses)?,
        Format::Sbk => sbk::write(&mut draft, preface, pages, &mut losses)?,
    }
    draft.finish()?;
    written.losses = losses;
    Ok(written)
}

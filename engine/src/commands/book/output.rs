//! The file of a book that is made.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use enbu_book::{BookError, Format, Order, Page, Preface, Sorter, db, folder};
use enbu_files::{Draft, Existing};

use crate::commands::failure::{check_writable, named};
use crate::terminal;

/// A book being written, from pages in the order of their texts.
pub(super) struct Output {
    path: PathBuf,
    existing: Existing,
    format: Format,
    sink: Sink,
    positions: u64,
}

/// Destination of the pages.
enum Sink {
    /// A `.db`, whose order is that of the texts.
    Text(Box<db::Writer<Draft>>),
    /// Another format, in an order of its own.
    Sorter(Sorter),
}

impl Output {
    /// Fails now if the book could not be written to `path` after long work.
    pub(super) fn check(path: &Path, existing: Existing) -> io::Result<()> {
        format(path)?;
        check_writable(path, existing)
    }

    /// Begins a book that uses about `memory_bytes` of memory.
    pub(super) fn create(path: &Path, existing: Existing, memory_bytes: usize) -> io::Result<Self> {
        let format = format(path)?;
        let sink = if format == Format::Db {
            let draft = Draft::create(path, existing).map_err(|error| named(path, &error))?;
            Sink::Text(Box::new(db::Writer::new(draft, &[]).map_err(|error| fault(path, &error))?))
        } else {
            Sink::Sorter(Sorter::new(Order::of(format), &folder(path), memory_bytes))
        };
        Ok(Self { path: path.to_owned(), existing, format, sink, positions: 0 })
    }

    pub(super) fn write(&mut self, page: Page) -> io::Result<()> {
        self.positions += 1;
        let written = match &mut self.sink {
            Sink::Text(writer) => writer.write(&page),
            Sink::Sorter(sorter) => sorter.push(page),
        };
        written.map_err(|error| fault(&self.path, &error))
    }

    /// Ends the file and returns the number of its positions.
    pub(super) fn finish(self) -> io::Result<u64> {
        let Self { path, existing, format, sink, positions } = self;
        match sink {
            Sink::Text(writer) => {
                let draft = writer.finish().map_err(|error| fault(&path, &error))?;
                draft.finish().map_err(|error| named(&path, &error))?;
            }
            Sink::Sorter(sorter) => {
                let pages = sorter.finish().map_err(|error| fault(&path, &error))?;
                let written = enbu_book::write(&path, format, &Preface::default(), pages, existing);
                let losses = written.map_err(|error| fault(&path, &error))?.losses.to_string();
                if !losses.is_empty() {
                    // The book is complete without the notice.
                    let _ = writeln!(terminal::stderr(), "{}: a {format} has no place for {losses}", path.display());
                }
            }
        }
        Ok(positions)
    }
}

/// The format of files with the extension of `path`.
fn format(path: &Path) -> io::Result<Format> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = "known are .db, .ybb, .bin (Apery) and .sbk";
    extension
        .and_then(Format::of_extension)
        .ok_or_else(|| io::Error::other(format!("{}: not the extension of a book; {known}", path.display())))
}

fn fault(path: &Path, error: &BookError) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

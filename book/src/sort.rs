//! Sorting books of any size in bounded memory.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::error::BookError;
use crate::merge::Merge;
use crate::order::{Item, Order, rank};
use crate::page::{Entry, Page};
use crate::spool;

/// Runs that are merged at a time.
const FAN_IN: usize = 256;

/// Sorts pages: those that exceed the memory go to temporary files in sorted runs, which
/// are merged. Pages of one position follow each other by ply, those without a ply first,
/// and otherwise keep their order.
#[derive(Debug)]
pub struct Sorter {
    order: Order,
    folder: PathBuf,
    limit_bytes: usize,
    chunk: Vec<Item>,
    chunk_bytes: usize,
    runs: Vec<File>,
}

impl Sorter {
    /// A sorter that holds about `limit_bytes` of pages in memory, with temporary files in
    /// `folder`.
    pub fn new(order: Order, folder: &Path, limit_bytes: usize) -> Self {
        let (chunk, runs) = (Vec::new(), Vec::new());
        Self { order, folder: folder.to_owned(), limit_bytes, chunk, chunk_bytes: 0, runs }
    }

    /// Takes a page.
    ///
    /// # Errors
    /// Those of the system.
    pub fn push(&mut self, page: Page) -> Result<(), BookError> {
        self.chunk_bytes += bytes(&page);
        self.chunk.push((self.order.bytes(&page), page));
        if self.chunk_bytes >= self.limit_bytes { self.flush() } else { Ok(()) }
    }

    /// Writes the pages in memory as a run.
    fn flush(&mut self) -> Result<(), BookError> {
        self.chunk.sort_by(|a, b| rank(a).cmp(&rank(b)));
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
        for (_, page) in self.chunk.drain(..) {
            spool::write(&mut out, &page)?;
        }
        self.chunk_bytes = 0;
        self.add_run(out)
    }

    fn add_run(&mut self, out: BufWriter<File>) -> Result<(), BookError> {
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        Ok(())
    }

    /// The pages in order.
    ///
    /// # Errors
    /// Those of the system.
    pub fn finish(mut self) -> Result<Sorted, BookError> {
        if self.runs.is_empty() {
            self.chunk.sort_by(|a, b| rank(a).cmp(&rank(b)));
            return Ok(Sorted(Source::Memory(self.chunk.into_iter())));
        }
        self.flush()?;
        self.chunk = Vec::new();
        while self.runs.len() > FAN_IN {
            // Neighbours, so that equal pages keep their order.
            let mut runs = std::mem::take(&mut self.runs).into_iter();
            while runs.len() > 0 {
                let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
                for page in merged(self.order, runs.by_ref().take(FAN_IN)) {
                    spool::write(&mut out, &page?)?;
                }
                out.flush()?;
                self.add_run(out)?;
            }
        }
        Ok(Sorted(Source::Runs(Box::new(merged(self.order, self.runs.into_iter())))))
    }
}

/// Approximate bytes of a page in memory.
fn bytes(page: &Page) -> usize {
    let comments = page.entries.iter().filter_map(|entry| entry.comment.as_ref()).chain(&page.comment);
    size_of::<Item>()
        + page.position.as_str().len()
        + page.entries.capacity() * size_of::<Entry>()
        + comments.map(String::len).sum::<usize>()
        + page.analyses.iter().map(|analysis| 64 + analysis.variation.len()).sum::<usize>()
        // Three blocks of the allocator.
        + 48
}

/// The pages of a [`Sorter`] in order.
#[derive(Debug)]
pub struct Sorted(Source);

#[derive(Debug)]
enum Source {
    Memory(std::vec::IntoIter<Item>),
    Runs(Box<Merge<Run>>),
}

impl Iterator for Sorted {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Memory(items) => items.next().map(|(_, page)| Ok(page)),
            Source::Runs(merge) => merge.next(),
        }
    }
}

/// The pages of a run.
#[derive(Debug)]
struct Run(BufReader<File>);

impl Iterator for Run {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        spool::read(&mut self.0).map_err(BookError::from).transpose()
    }
}

fn merged(order: Order, runs: impl Iterator<Item = File>) -> Merge<Run> {
    Merge::new(order, runs.map(|file| Run(BufReader::with_capacity(1 << 18, file))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PositionKey;
    use crate::page::Entry;

    fn page(number: u64) -> Page {
        let pawns = number % 18 + 1;
        let (key, _) = PositionKey::parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b {pawns}P")).expect("an SFEN");
        let mut entry = Entry::new("P*5e".parse().expect("a move"));
        entry.count = Some(number);
        Page { ply: Some((number % 5) as u32), entries: vec![entry], ..Page::new(key) }
    }

    fn sorted(order: Order, limit_bytes: usize, count: u64) -> Vec<Page> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sorter = Sorter::new(order, folder.path(), limit_bytes);
        // A step that is prime to the count visits every number once.
        (0..count).for_each(|at| sorter.push(page(at * 7919 % count)).expect("taken"));
        sorter.finish().expect("sorted").map(|page| page.expect("a page")).collect()
    }

    #[test]
    fn memory_and_any_number_of_runs_give_one_order() {
        for order in [Order::Text, Order::Packed, Order::Apery] {
            let whole = sorted(order, usize::MAX, 700);
            assert!(
                whole
                    .iter()
                    .zip(whole.iter().skip(1))
                    .all(|(a, b)| { (order.bytes(a), &a.position, a.ply) <= (order.bytes(b), &b.position, b.ply) })
            );
            // A run for each page exceeds the fan-in.
            assert_eq!(sorted(order, 1, 700), whole);
            assert_eq!(sorted(order, 20_000, 700), whole);
        }
        assert!(sorted(Order::Text, 1, 0).is_empty());
    }
}

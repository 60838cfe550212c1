//! Sorting any number of items in bounded memory: an external merge sort.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::BookError;
use crate::merge::Merge;
use crate::order::Ranked;
use crate::page::Page;
use crate::spool::{self, Spooled};

/// Number of runs after which they are merged into one.
const FAN_IN: usize = 128;

const BUFFER_BYTES: usize = 1 << 16;

/// Sorts items: those that exceed the memory go to temporary files in sorted runs, which
/// are merged.
#[derive(Debug)]
pub struct Sorter<T> {
    folder: PathBuf,
    limit_bytes: usize,
    chunk: Vec<T>,
    chunk_bytes: usize,
    runs: Vec<File>,
}

impl<T: Spooled> Sorter<T> {
    /// A sorter that holds about `limit_bytes` of items in memory, with temporary files in
    /// `folder`, which vanish with the process.
    pub fn new(folder: &Path, limit_bytes: usize) -> Self {
        Self { folder: folder.to_owned(), limit_bytes, chunk: Vec::new(), chunk_bytes: 0, runs: Vec::new() }
    }

    /// Takes an item.
    pub fn push(&mut self, item: T) -> io::Result<()> {
        self.chunk_bytes += item.bytes();
        self.chunk.push(item);
        if self.chunk_bytes >= self.limit_bytes { self.flush() } else { Ok(()) }
    }

    /// Writes the items in memory as a run.
    fn flush(&mut self) -> io::Result<()> {
        self.chunk.sort_by(T::order);
        self.chunk_bytes = 0;
        self.runs.push(run(&self.folder, absorbed(self.chunk.drain(..).map(Ok)))?);
        if self.runs.len() >= FAN_IN {
            let runs = std::mem::take(&mut self.runs);
            self.runs.push(run(&self.folder, merged::<T>(runs))?);
        }
        Ok(())
    }

    /// The items in order.
    pub fn finish(mut self) -> io::Result<Box<dyn Iterator<Item = io::Result<T>>>> {
        if self.runs.is_empty() {
            self.chunk.sort_by(T::order);
            return Ok(Box::new(absorbed(self.chunk.into_iter().map(Ok))));
        }
        self.flush()?;
        Ok(Box::new(merged(self.runs)))
    }
}

impl Sorter<Ranked> {
    /// The pages in order; those of one position follow each other by ply, those without a
    /// ply first.
    pub fn pages(self) -> io::Result<impl Iterator<Item = Result<Page, BookError>>> {
        Ok(self.finish()?.map(|ranked| Ok(ranked?.page)))
    }
}

/// A temporary file with these items.
fn run<T: Spooled>(folder: &Path, items: impl Iterator<Item = io::Result<T>>) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(folder)?);
    for item in items {
        spool::write(&mut out, &item?)?;
    }
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The items of a run. An error ends them.
fn items<T: Spooled>(run: File) -> impl Iterator<Item = io::Result<T>> {
    let mut input = Some(BufReader::with_capacity(BUFFER_BYTES, run));
    std::iter::from_fn(move || {
        let item = spool::read(input.as_mut()?).transpose();
        input = input.take().filter(|_| matches!(item, Some(Ok(_))));
        item
    })
}

fn merged<T: Spooled>(runs: Vec<File>) -> impl Iterator<Item = io::Result<T>> {
    absorbed(Merge::new(runs.into_iter().map(items), |_| io::Error::other("a damaged temporary file")))
}

/// Sorted items after neighbours have absorbed each other.
fn absorbed<T: Spooled>(mut items: impl Iterator<Item = io::Result<T>>) -> impl Iterator<Item = io::Result<T>> {
    let mut first: Option<T> = None;
    std::iter::from_fn(move || {
        loop {
            match (items.next(), &mut first) {
                (Some(Err(error)), _) => return Some(Err(error)),
                (Some(Ok(item)), None) => first = Some(item),
                (Some(Ok(item)), Some(known)) => {
                    if let Some(next) = known.absorb(item) {
                        return first.replace(next).map(Ok);
                    }
                }
                (None, _) => return first.take().map(Ok),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Order, PositionKey};

    fn page(number: u64) -> Page {
        let pawns = number % 18 + 1;
        let (key, _) = PositionKey::parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b {pawns}P")).expect("an SFEN");
        let mut entry = Entry::new("P*5e".parse().expect("a move"));
        entry.count = Some(number);
        Page { ply: Some((number % 5) as u32), entries: vec![entry], ..Page::new(key) }
    }

    fn sorted(order: Order, limit_bytes: usize, count: u64) -> Vec<Page> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sorter = Sorter::new(folder.path(), limit_bytes);
        // A step that is prime to the count visits every number once.
        (0..count).for_each(|at| sorter.push(order.rank(page(at * 7919 % count))).expect("taken"));
        sorter.pages().expect("sorted").map(|page| page.expect("a page")).collect()
    }

    #[test]
    fn memory_and_any_number_of_runs_give_one_order() {
        for order in [Order::Text, Order::Packed, Order::Apery] {
            let whole = sorted(order, usize::MAX, 700);
            assert!(whole.iter().cloned().map(|page| order.rank(page)).is_sorted_by(|a, b| a.order(b).is_le()));
            // A run for each page exceeds the fan-in.
            assert_eq!(sorted(order, 1, 700), whole);
            assert_eq!(sorted(order, 20_000, 700), whole);
        }
        assert!(sorted(Order::Text, 1, 0).is_empty());
    }
}

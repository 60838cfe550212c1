//! Apery's format, `book.bin`.
//!
//! Records of 16 bytes, little-endian, sorted by key:
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | key of the position |
//! | 2 | move: destination (7 bits), origin or 81 + piece in hand (7), promotion (1) |
//! | 2 | count |
//! | 4 | value |
//!
//! The key is the exclusive or of random numbers of the 64-bit Mersenne Twister with its
//! default seed: 81 for each of 31 piece codes, 19 for each kind of piece in hand, one for
//! White to move. Only the hand of the side to move counts; in a full set it determines the
//! other one.
//!
//! A key does not name its position: `Pages` finds the positions of a book by playing from
//! known ones. The writer writes an absent count as 1 and an absent value as 0, as YaneuraOu
//! reads them, and numbers out of range as the nearest one. Plies, replies, depths and
//! comments have no place in the format.

mod keys;
mod pages;

use std::fs::File;
use std::io::Write;

use enbu_movegen::{Setup, apery_move, from_apery_move};

use crate::disk::{Disk, bisect, part, samples};
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::losses::Losses;
use crate::page::{Entry, Page};

pub(crate) use keys::key_of_setup;
pub(crate) use pages::Pages;

const RECORD_BYTES: usize = 16;

/// Records of one position that are read at most: no position has more legal moves.
const MAX_ENTRIES: u64 = 600;

/// Returns true if the first records of a file, which has `len` bytes, can be those of a
/// book: valid moves, and sorted keys where there are few.
pub(crate) fn is_plausible(head: &[u8], len: u64) -> bool {
    let keys = head.chunks_exact(RECORD_BYTES).map(|record| u64::from_le_bytes(part(record, 0)));
    let mut moves = head.chunks_exact(RECORD_BYTES).map(|record| from_apery_move(u16::from_le_bytes(part(record, 8))));
    // Bytes of another kind are moves with a probability of 1 : 5 a record.
    let is_long = len >= 16 * RECORD_BYTES as u64;
    len >= RECORD_BYTES as u64 && (is_long || keys.is_sorted()) && moves.all(|mv| mv.is_some())
}

fn entry(record: &[u8; RECORD_BYTES]) -> Result<Entry, Fault> {
    let raw = u16::from_le_bytes(part(record, 8));
    let mv = from_apery_move(raw).ok_or(Fault::MoveBits(raw.into()))?;
    let count = Some(u16::from_le_bytes(part(record, 10)).into());
    let value = Some(i32::from_le_bytes(part(record, 12)));
    Ok(Entry { count, value, ..Entry::new(mv) })
}

/// A file that is searched by bisection.
#[derive(Debug)]
pub(crate) struct Searched {
    disk: Disk,
    count: u64,
}

impl Searched {
    /// Opens a file after a look at records all over it.
    pub(crate) fn open(file: File) -> Result<Self, BookError> {
        let disk = Disk::new(file)?;
        let (count, rest) = (disk.len / RECORD_BYTES as u64, disk.len % RECORD_BYTES as u64);
        if rest != 0 {
            return Err(BookError::offset(disk.len - rest, Fault::PartialRecord(rest)));
        }
        let searched = Self { disk, count };
        let mut last = 0;
        for number in samples(count) {
            let key = searched.key(number)?;
            if last > key {
                let unsorted = BookError::offset(number * 16, Fault::Unsorted(format!("{key:016x}")));
                return Err(BookError::file(Fault::NotSearchable(Box::new(unsorted))));
            }
            last = key;
        }
        Ok(searched)
    }

    fn key(&self, number: u64) -> Result<u64, BookError> {
        self.disk.array(number * RECORD_BYTES as u64).map(u64::from_le_bytes)
    }

    /// The moves of a position, in the order of the file.
    pub(crate) fn page(&self, setup: &Setup) -> Result<Page, BookError> {
        let key = key_of_setup(setup);
        let low = bisect(self.count, |number| Ok(self.key(number)? < key))?;
        let mut entries = Vec::new();
        for number in low..self.count.min(low + MAX_ENTRIES) {
            let offset = number * RECORD_BYTES as u64;
            let bytes: [u8; RECORD_BYTES] = self.disk.array(offset)?;
            if u64::from_le_bytes(part(&bytes, 0)) != key {
                break;
            }
            entries.push(entry(&bytes).map_err(|fault| BookError::offset(offset + 8, fault))?);
        }
        Ok(Page { entries, ..Page::new(PositionKey::of_setup(setup)) })
    }
}

/// Writes pages that are sorted by their keys; fields without a place in the format are
/// counted in `losses`.
pub(crate) fn write(
    mut out: impl Write,
    pages: impl Iterator<Item = Result<Page, BookError>>,
    losses: &mut Losses,
) -> Result<(), BookError> {
    let mut last = None;
    for page in pages {
        let page = page?;
        let key = key_of_setup(&page.position.to_setup());
        let Some(key) = losses.accept(&mut last, Some(key), &page)? else { continue };
        losses.plies += u64::from(page.ply.is_some());
        for entry in &page.entries {
            losses.without_texts(entry);
            losses.depths += u64::from(entry.depth.is_some());
            let count = entry.count.unwrap_or(1);
            losses.clamped += u64::from(count > u16::MAX.into());
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&apery_move(entry.mv).to_le_bytes())?;
            out.write_all(&(count.min(u16::MAX.into()) as u16).to_le_bytes())?;
            out.write_all(&entry.value.unwrap_or(0).to_le_bytes())?;
        }
    }
    Ok(out.flush()?)
}

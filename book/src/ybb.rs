//! YaneuraOu's binary format, `.ybb`.
//!
//! | bytes | contents |
//! |---|---|
//! | 16 | `YANE-BINBOOK-V1` and a zero |
//! | 8 | number of positions |
//! | 8 | flags; bit 0: moves have depths |
//! | 44 each | positions: [`Packing::Sfen`] (32), offset of the moves (8), ply (2), number of moves (2) |
//! | 4 or 6 each | moves: Move16 (2), value (2), depth (2, only with bit 0) |
//!
//! Numbers are little-endian; offsets count from the first move. The positions are sorted
//! by their packed bytes, and none occurs twice. Move16 has the bits of
//! [`Move::raw`](enbu_movegen::Move::raw). Ply 0 stands for an unknown one. Values of mates
//! are near 32 000.
//!
//! The writer writes depths if any move has one, 0 for an unknown value or depth, and values
//! outside of 16 bits as the nearest one. Positions that do not fit into 256 bits, replies, counts and
//! comments have no place in the format.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use enbu_files::{FileKind, open};
use enbu_movegen::{Move, Packing, Setup};

use crate::disk::{Disk, bisect, part, samples};
use crate::error::{BookError, Fault, Place};
use crate::key::PositionKey;
use crate::losses::Losses;
use crate::page::{Entry, Page};

/// The first bytes of a file.
pub(crate) const MAGIC: [u8; 16] = *b"YANE-BINBOOK-V1\0";

const HEADER_BYTES: u64 = 32;
const RECORD_BYTES: usize = 44;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) count: u64,
    has_depths: bool,
    len: u64,
}

struct Record {
    packed: [u8; 32],
    moves_offset: u64,
    ply: u16,
    move_count: u16,
}

impl Layout {
    fn read(header: &[u8; 32], len: u64) -> Result<Self, BookError> {
        let count = u64::from_le_bytes(part(header, 16));
        let flags = u64::from_le_bytes(part(header, 24));
        if flags > 1 {
            return Err(BookError::offset(24, Fault::Flags(flags)));
        }
        let end = count.checked_mul(RECORD_BYTES as u64).and_then(|size| size.checked_add(HEADER_BYTES));
        if end.is_none_or(|end| end > len) {
            return Err(BookError::offset(16, Fault::Truncated));
        }
        Ok(Self { count, has_depths: flags == 1, len })
    }

    fn record_offset(&self, number: u64) -> u64 {
        HEADER_BYTES + number * RECORD_BYTES as u64
    }

    fn move_bytes(&self) -> usize {
        if self.has_depths { 6 } else { 4 }
    }

    /// Offset and length of the moves of a record; `at` is its own offset.
    fn moves(&self, record: &Record, at: u64) -> Result<(u64, usize), BookError> {
        let size = usize::from(record.move_count) * self.move_bytes();
        let begin = self.record_offset(self.count).checked_add(record.moves_offset);
        let begin = begin.filter(|begin| begin.checked_add(size as u64).is_some_and(|end| end <= self.len));
        Ok((begin.ok_or_else(|| BookError::offset(at + 32, Fault::Truncated))?, size))
    }

    /// Decodes the moves of a record at `offset`; invalid ones go to `report`.
    fn entries(&self, bytes: &[u8], offset: u64, report: &mut impl FnMut(BookError)) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(bytes.len() / self.move_bytes());
        for (at, bytes) in bytes.chunks_exact(self.move_bytes()).enumerate() {
            let raw = u16::from_le_bytes(part(bytes, 0));
            let Some(mv) = Move::from_raw(raw) else {
                let offset = offset + (at * self.move_bytes()) as u64;
                report(BookError::offset(offset, Fault::MoveBits(raw.into())));
                continue;
            };
            let value = Some(i16::from_le_bytes(part(bytes, 2)).into());
            let depth = self.has_depths.then(|| u16::from_le_bytes(part(bytes, 4)).into());
            entries.push(Entry { value, depth, ..Entry::new(mv) });
        }
        entries
    }
}

impl Record {
    fn of(bytes: &[u8; RECORD_BYTES]) -> Self {
        Self {
            packed: part(bytes, 0),
            moves_offset: u64::from_le_bytes(part(bytes, 32)),
            ply: u16::from_le_bytes(part(bytes, 40)),
            move_count: u16::from_le_bytes(part(bytes, 42)),
        }
    }

    fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        let fields: [&[u8]; 4] =
            [&self.packed, &self.moves_offset.to_le_bytes(), &self.ply.to_le_bytes(), &self.move_count.to_le_bytes()];
        bytes.iter_mut().zip(fields.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        bytes
    }

    /// The page without its moves.
    fn page(&self, offset: u64) -> Result<Page, BookError> {
        let setup = Packing::Sfen.unpack(&self.packed).map_err(|error| BookError::offset(offset, error))?;
        let ply = Some(u32::from(self.ply)).filter(|&ply| ply != 0);
        Ok(Page { ply, ..Page::new(PositionKey::of_setup(&setup)) })
    }
}

/// A file that is searched by bisection.
#[derive(Debug)]
pub(crate) struct Searched {
    disk: Disk,
    pub(crate) layout: Layout,
}

impl Searched {
    /// Opens a file after a look at its header and at records all over it.
    pub(crate) fn open(file: File) -> Result<Self, BookError> {
        let disk = Disk::new(file)?;
        let layout = Layout::read(&disk.array(0)?, disk.len)?;
        let searched = Self { disk, layout };
        let mut last: Option<[u8; 32]> = None;
        for number in samples(layout.count) {
            let record = searched.record(number)?;
            if last.is_some_and(|last| last >= record.packed) {
                let offset = layout.record_offset(number);
                let key = record.page(offset).map_or_else(|_| "?".to_owned(), |page| page.position.to_string());
                let unsorted = BookError::offset(offset, Fault::Unsorted(key));
                return Err(BookError::file(Fault::NotSearchable(Box::new(unsorted))));
            }
            last = Some(record.packed);
        }
        Ok(searched)
    }

    fn record(&self, number: u64) -> Result<Record, BookError> {
        self.disk.array(self.layout.record_offset(number)).map(|bytes| Record::of(&bytes))
    }

    pub(crate) fn find(&self, setup: &Setup) -> Result<Option<Page>, BookError> {
        let Ok(packed) = Packing::Sfen.pack(setup) else { return Ok(None) };
        let number = bisect(self.layout.count, |number| Ok(self.record(number)?.packed < packed))?;
        if number == self.layout.count {
            return Ok(None);
        }
        let record = self.record(number)?;
        if record.packed == packed { self.page(&record, number).map(Some) } else { Ok(None) }
    }

    fn page(&self, record: &Record, number: u64) -> Result<Page, BookError> {
        let at = self.layout.record_offset(number);
        let (offset, size) = self.layout.moves(record, at)?;
        let mut fault = None;
        let bytes = self.disk.read(offset, size)?;
        let entries = self.layout.entries(&bytes, offset, &mut |error| fault = Some(error));
        match fault {
            Some(error) => Err(error),
            None => Ok(Page { entries, ..record.page(at)? }),
        }
    }
}

/// Reads the pages of a file one by one, in the order of the file.
///
/// After a fault the iterator goes on: an invalid move is left out of its page, an invalid
/// position with all its moves. A page out of order follows the fault that names it.
#[derive(Debug)]
pub(crate) struct Reader {
    layout: Layout,
    index: BufReader<File>,
    moves: BufReader<File>,
    /// Offset of the next byte of `moves`.
    moves_at: u64,
    next: u64,
    last: Option<[u8; 32]>,
    queue: VecDeque<Result<Page, BookError>>,
}

impl Reader {
    /// Opens a file, which must not be shorter than its header says.
    pub(crate) fn open(path: &Path) -> Result<Self, BookError> {
        let mut index = BufReader::with_capacity(1 << 16, open(path, FileKind::Stream)?);
        let mut header = [0; 32];
        index.read_exact(&mut header).map_err(|_| BookError::offset(0, Fault::Truncated))?;
        let layout = Layout::read(&header, index.get_ref().metadata()?.len())?;
        let moves = BufReader::with_capacity(1 << 16, open(path, FileKind::Stream)?);
        Ok(Self { layout, index, moves, moves_at: 0, next: 0, last: None, queue: VecDeque::new() })
    }

    /// Offset of the last page, and of the first one before any was read.
    pub(crate) fn place(&self) -> Place {
        Place::Offset(self.layout.record_offset(self.next.saturating_sub(1)))
    }

    /// Reads the next record; its page and faults go to the queue.
    fn read(&mut self) -> Result<(), BookError> {
        let at = self.layout.record_offset(self.next);
        self.next += 1;
        let mut bytes = [0; RECORD_BYTES];
        self.index.read_exact(&mut bytes).map_err(|error| BookError::offset(at, error))?;
        let record = Record::of(&bytes);
        let page = record.page(at)?;
        if self.last.replace(record.packed).is_some_and(|last| last >= record.packed) {
            self.queue.push_back(Err(BookError::offset(at, Fault::Unsorted(page.position.to_string()))));
        }
        let (offset, size) = self.layout.moves(&record, at)?;
        let bytes = self.moves_from(offset, size).map_err(|error| BookError::offset(offset, error))?;
        let queue = &mut self.queue;
        let entries = self.layout.entries(&bytes, offset, &mut |error| queue.push_back(Err(error)));
        self.queue.push_back(Ok(Page { entries, ..page }));
        Ok(())
    }

    fn moves_from(&mut self, offset: u64, size: usize) -> io::Result<Vec<u8>> {
        if offset != self.moves_at {
            self.moves.seek(SeekFrom::Start(offset))?;
        }
        let mut bytes = vec![0; size];
        self.moves.read_exact(&mut bytes)?;
        self.moves_at = offset + size as u64;
        Ok(bytes)
    }
}

impl Iterator for Reader {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.queue.is_empty() && self.next < self.layout.count {
            if let Err(error) = self.read() {
                if matches!(error.fault, Fault::Io(_)) {
                    self.next = self.layout.count;
                }
                self.queue.push_back(Err(error));
            }
        }
        self.queue.pop_front()
    }
}

/// Writes pages that are sorted by their packed positions; fields without a place in the format
/// are counted in `losses`.
///
/// Index and moves go to temporary files in `folder` first, since the index comes before the
/// moves and the number of positions before both.
pub(crate) fn write(
    mut out: impl Write,
    folder: &Path,
    pages: impl Iterator<Item = Result<Page, BookError>>,
    losses: &mut Losses,
) -> Result<(), BookError> {
    let file = || tempfile::tempfile_in(folder).map(|file| BufWriter::with_capacity(1 << 16, file));
    // Six bytes a move.
    let (mut index, mut moves) = (file()?, file()?);
    let (mut count, mut move_count, mut has_depths, mut last) = (0_u64, 0_u64, false, None);
    for page in pages {
        let page = page?;
        let key = Packing::Sfen.pack(&page.position.to_setup()).ok();
        let Some(packed) = losses.accept(&mut last, key, &page)? else { continue };
        let ply = page.ply.map_or(0, |ply| ply.min(u16::MAX.into()) as u16);
        let entries = page.entries.get(..usize::from(u16::MAX)).unwrap_or(&page.entries);
        // The number of moves before: their length follows in the end.
        let record = Record { packed, moves_offset: move_count, ply, move_count: entries.len() as u16 };
        index.write_all(&record.to_bytes())?;
        for entry in entries {
            has_depths |= entry.depth.is_some();
            write_entry(&mut moves, entry, losses)?;
        }
        move_count += entries.len() as u64;
        count += 1;
    }
    out.write_all(&MAGIC)?;
    out.write_all(&count.to_le_bytes())?;
    out.write_all(&u64::from(has_depths).to_le_bytes())?;
    let move_bytes = if has_depths { 6 } else { 4 };
    let mut index = reread(index)?;
    for _ in 0..count {
        let mut bytes = [0; RECORD_BYTES];
        index.read_exact(&mut bytes)?;
        let mut record = Record::of(&bytes);
        record.moves_offset *= move_bytes;
        out.write_all(&record.to_bytes())?;
    }
    let mut moves = reread(moves)?;
    if has_depths {
        io::copy(&mut moves, &mut out)?;
    } else {
        for _ in 0..move_count {
            let mut bytes = [0; 6];
            moves.read_exact(&mut bytes)?;
            out.write_all(&part::<4>(&bytes, 0))?;
        }
    }
    Ok(out.flush()?)
}

fn write_entry(moves: &mut impl Write, entry: &Entry, losses: &mut Losses) -> io::Result<()> {
    losses.without_texts(entry);
    losses.counts += u64::from(entry.count.is_some());
    let (value, depth) = (entry.value.unwrap_or(0), entry.depth.unwrap_or(0));
    let clamped = value.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
    let shortened = depth.min(u16::MAX.into()) as u16;
    losses.clamped += u64::from(i32::from(clamped) != value || u32::from(shortened) != depth);
    moves.write_all(&entry.mv.raw().to_le_bytes())?;
    moves.write_all(&clamped.to_le_bytes())?;
    moves.write_all(&shortened.to_le_bytes())
}

/// A written file from its beginning.
fn reread(file: BufWriter<File>) -> io::Result<BufReader<File>> {
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

//! Finding the positions of a book by playing.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use enbu_files::FileKind;
use enbu_movegen::{Move, MoveList, MoveParts, Piece, Position, Setup};

use super::keys::{board_key, key_of_setup, piece_key, rest_key};
use super::{RECORD_BYTES, entry};
use crate::disk::part;
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::Page;

/// Pages of the positions that are found from known ones, breadth first. The file is held in
/// memory.
///
/// From each position of the book all legal moves are played, and from each position that
/// the book lacks again, up to `gap` positions in a row. After a fault the iterator goes on:
/// invalid and illegal moves are left out.
#[derive(Debug)]
pub(crate) struct Pages {
    /// Records with their offsets, sorted by key.
    records: Vec<(u64, u64, [u8; RECORD_BYTES])>,
    keys: HashSet<u64>,
    gap: u32,
    queue: VecDeque<PositionKey>,
    /// Keys of the positions that were queued.
    seen: HashSet<u64>,
    /// Faults to report before the next page.
    faults: VecDeque<BookError>,
    /// Moves of the pages so far.
    found: u64,
}

impl Pages {
    /// Searches the positions of a file from `roots`, which must be playable.
    pub(crate) fn new(path: &Path, roots: &[Setup], gap: u32) -> Result<Self, BookError> {
        let bytes = enbu_files::read(path, FileKind::BinaryBook)?;
        let (chunks, rest) = bytes.as_chunks::<RECORD_BYTES>();
        if !rest.is_empty() {
            let (offset, rest) = ((bytes.len() - rest.len()) as u64, rest.len() as u64);
            return Err(BookError::offset(offset, Fault::PartialRecord(rest)));
        }
        let offsets = (0..).step_by(RECORD_BYTES);
        let record = |(offset, chunk): (u64, &[u8; RECORD_BYTES])| (u64::from_le_bytes(part(chunk, 0)), offset, *chunk);
        let mut records: Vec<_> = offsets.zip(chunks).map(record).collect();
        let mut faults = VecDeque::new();
        let mut last = 0;
        for &(key, offset, _) in &records {
            if key < last {
                faults.push_back(BookError::offset(offset, Fault::Unsorted(format!("{key:016x}"))));
                break;
            }
            last = key;
        }
        records.sort_unstable_by_key(|&(key, offset, _)| (key, offset));
        let keys = records.iter().map(|&(key, ..)| key).collect();
        let (queue, seen) = (VecDeque::new(), HashSet::new());
        let mut pages = Self { records, keys, gap, queue, seen, faults, found: 0 };
        for root in roots {
            let mut position = Position::from_setup(root).map_err(BookError::file)?;
            pages.visit(&mut position, board_key(root), gap.saturating_add(1));
        }
        Ok(pages)
    }

    /// Number of moves whose positions were not found, once all pages were read.
    pub(crate) fn unreached(&self) -> u64 {
        (self.records.len() as u64).saturating_sub(self.found)
    }

    /// Queues a position of the book; for another one visits its children while `left`
    /// positions may be missing in a row.
    fn visit(&mut self, position: &mut Position, board: u64, left: u32) {
        let turn = position.turn();
        let key = board ^ rest_key(turn, position.hand(turn));
        if self.keys.contains(&key) {
            if self.seen.insert(key) {
                self.queue.push_back(PositionKey::of(position));
            }
        } else if left > 1 {
            self.visit_children(position, board, left - 1);
        }
    }

    fn visit_children(&mut self, position: &mut Position, board: u64, left: u32) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for &mv in moves.iter() {
            let child = board ^ change(position, mv);
            position.do_move(mv);
            self.visit(position, child, left);
            position.undo_move();
        }
    }

    /// The page of a queued position. Illegal moves are faults: another position has the
    /// same key.
    fn page(&mut self, position_key: &PositionKey) -> Result<Page, BookError> {
        let setup = position_key.to_setup();
        let mut position = Position::from_setup(&setup).map_err(BookError::file)?;
        let key = key_of_setup(&setup);
        let begin = self.records.partition_point(|&(other, ..)| other < key);
        let records = self.records.get(begin..).unwrap_or_default().iter().take_while(|&&(other, ..)| other == key);
        let mut page = Page::new(position_key.clone());
        for (_, offset, record) in records {
            self.found += 1;
            match entry(record).and_then(|entry| Ok(position.play(entry.mv).map(|_| entry)?)) {
                Ok(entry) => {
                    position.undo_move();
                    page.entries.push(entry);
                }
                Err(fault) => self.faults.push_back(BookError::offset(offset + 8, fault)),
            }
        }
        self.visit_children(&mut position, board_key(&setup), self.gap.saturating_add(1));
        Ok(page)
    }
}

/// The change of the board part of the key by a move.
fn change(position: &Position, mv: Move) -> u64 {
    let to = mv.to();
    let captured = position.piece_at(to).map_or(0, |piece| piece_key(piece, to));
    match mv.parts() {
        MoveParts::Drop { piece, .. } => piece_key(Piece::new(position.turn(), piece.piece_type()), to),
        MoveParts::Board { from, promote, .. } => position.piece_at(from).map_or(0, |piece| {
            let kind = if promote { piece.kind.promoted().unwrap_or(piece.kind) } else { piece.kind };
            captured ^ piece_key(piece, from) ^ piece_key(Piece::new(piece.color, kind), to)
        }),
    }
}

impl Iterator for Pages {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.faults.pop_front() {
            return Some(Err(fault));
        }
        let key = self.queue.pop_front()?;
        Some(self.page(&key))
    }
}

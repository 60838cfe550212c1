//! Finding the positions of a book by playing.

use std::collections::{HashSet, VecDeque};
use std::fs::File;

use enbu_movegen::{Move, MoveList, MoveParts, Piece, Position, Setup};

use super::Searched;
use super::keys::{board_key, piece_key, rest_key};
use crate::error::BookError;
use crate::key::PositionKey;
use crate::page::Page;

/// Pages of the positions that are found from known ones, breadth first.
///
/// From each position of the book all legal moves are played, and from each position that
/// the book lacks again, up to `gap` positions in a row.
#[derive(Debug)]
pub struct Pages {
    book: Searched,
    /// The keys of the book.
    keys: HashSet<u64>,
    gap: u32,
    queue: VecDeque<PositionKey>,
    /// Keys of the positions that were queued.
    seen: HashSet<u64>,
    /// Faults of the last page.
    faults: VecDeque<BookError>,
    /// Moves of the pages so far.
    found: u64,
}

impl Pages {
    /// Searches the positions of a file from `roots`.
    ///
    /// # Errors
    /// [`BookError`] if the file is not a sorted book.
    pub fn new(file: File, roots: &[Setup], gap: u32) -> Result<Self, BookError> {
        let book = Searched::open(file)?;
        let keys = book.keys()?;
        let (queue, seen) = (VecDeque::new(), HashSet::new());
        let mut pages = Self { book, keys, gap, queue, seen, faults: VecDeque::new(), found: 0 };
        for root in roots {
            let mut position = Position::from_setup(root).map_err(BookError::file)?;
            pages.visit(&mut position, board_key(root), gap.saturating_add(1));
        }
        Ok(pages)
    }

    /// Number of moves whose positions were not found, once all pages were read.
    pub fn unreached(&self) -> u64 {
        self.book.count().saturating_sub(self.found)
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

    /// The page of a queued position, without its illegal moves. They are faults: another
    /// position has the same key.
    fn page(&mut self, key: &PositionKey) -> Result<Page, BookError> {
        let setup = key.to_setup();
        let mut position = Position::from_setup(&setup).map_err(BookError::file)?;
        let mut page = self.book.page(&setup)?.unwrap_or_else(|| Page::new(key.clone()));
        self.found += page.entries.len() as u64;
        page.entries.retain(|entry| {
            let illegal = position.clone().play(entry.mv).err();
            self.faults.extend(illegal.map(BookError::file));
            illegal.is_none()
        });
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

//! Replay of game records: one legality test per move and no other state.
//!
//! A [`Position`] maintains keys, bitboards, pins and the move history for a search.
//! Replaying a record needs only one answer per position: is this move legal? A
//! [`Replay`] answers it from a mailbox board. The rules are equal (tests compare all
//! moves of many positions).
//!
//! The board is a mailbox of 17 cells a file, so that the difference of two cell
//! indices determines files and ranks uniquely, and one small table indexed by that
//! difference gives the pieces that move by it. Cells around the board are walls that
//! end every ray. Consecutive moves of a game have little in common, so branches on
//! the kind of a move are mispredicted often; table lookups replace most of them.

mod tables;

use std::fmt;

use tables::{COLUMN, CROSSES, Cell, Lines, NEAR, ONES, PLACES, Place, SETS, TRAITS, set_if, way};

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::hand::Hand;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, Piece, PieceType};
use crate::position::{IllegalMove, IllegalReason, Position, PositionError};
use crate::setup::Setup;
use crate::square::Square;

/// A position for replaying game records.
///
/// It accepts the diagrams and moves that a [`Position`] accepts, and no others.
#[derive(Clone, PartialEq, Eq)]
pub struct Replay {
    cells: [Cell; 256],
    hands: [Hand; 2],
    kings: [Option<Place>; 2],
    /// Sliders of both sides (lances, bishops, rooks, horses, dragons): one bit for each
    /// [`Square`]. A `u128` instead of a [`Bitboard`]: stores and loads then have the same
    /// width, which avoids a store-forwarding stall.
    sliders: u128,
    /// For each side and each direction towards its king, the number of enemy sliders at
    /// a distance of two cells or more that would attack it on an empty board. Zero saves
    /// the scan of that line.
    threats: [Lines; 2],
    turn: Color,
    ply: u16,
    in_check: bool,
}

/// Undo information of a played move, for [`Replay::undo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    mv: Move,
    captured: Cell,
    in_check: bool,
    ply: u16,
    threats: [Lines; 2],
}

impl Replay {
    /// The position of a diagram.
    ///
    /// # Errors
    /// Those of [`Position::from_setup`].
    ///
    /// ```
    /// use enbu_movegen::{Replay, Setup};
    /// let mut game = Replay::from_setup(&Setup::startpos()).expect("playable");
    /// assert!(game.play("7g7f".parse().expect("a move")).is_ok());
    /// assert!(game.play("7g7f".parse().expect("a move")).is_err());
    /// ```
    pub fn from_setup(setup: &Setup) -> Result<Self, PositionError> {
        let position = Position::from_setup(setup)?;
        let kings = Color::ALL.map(|color| position.king(color).map(|king| PLACES[king]));
        let mut game = Self {
            cells: [Cell::WALL; 256],
            hands: setup.hands,
            kings,
            sliders: 0,
            threats: [0; 2],
            turn: setup.turn,
            ply: setup.ply,
            in_check: position.in_check(),
        };
        for square in Square::ALL {
            let cell = setup.board[square].map_or(Cell::EMPTY, |piece| Cell::of(piece.color, piece.kind));
            game.cells[PLACES[square] as usize] = cell;
            game.sliders |= set_if(TRAITS[cell.index()].slides, square);
        }
        for color in Color::ALL {
            game.threats[color] = game.kings[color].map_or(0, |king| game.threats_to(king, !color).0);
        }
        Ok(game)
    }

    /// The diagram of this position.
    pub fn to_setup(&self) -> Setup {
        let board = std::array::from_fn(|index| self.cells[PLACES[index] as usize].piece());
        Setup { board, hands: self.hands, turn: self.turn, ply: self.ply }
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.cell(PLACES[square]).piece()
    }

    /// The hand of `color`.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// Returns true if the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.in_check
    }

    /// The squares of all pieces equal to `piece` that reach `to`. The piece on `to` and
    /// pins are ignored.
    pub fn reaching(&self, piece: Piece, to: Square) -> Bitboard {
        let cell = Cell::of(piece.color, piece.kind);
        let alike = Square::ALL.into_iter().filter(|&from| self.cell(PLACES[from]) == cell);
        alike.filter(|&from| self.reaches(cell, PLACES[from], PLACES[to])).collect()
    }

    /// Returns true if `mv` is legal. Clones the position.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.clone().play(mv).is_ok()
    }

    /// Plays a legal move and returns its undo information.
    ///
    /// # Errors
    /// [`IllegalMove`] with the broken rule; the position is unchanged then.
    #[inline]
    pub fn play(&mut self, mv: Move) -> Result<Replayed, IllegalMove> {
        let Self { in_check, ply, threats, .. } = *self;
        match self.make(mv.parts()) {
            Ok(captured) => Ok(Replayed { mv, captured, in_check, ply, threats }),
            Err(reason) => Err(IllegalMove { mv, reason }),
        }
    }

    /// Plays a legal move, given by its parts, without undo information.
    ///
    /// # Errors
    /// The broken rule; the position is unchanged then.
    #[inline]
    pub fn advance(&mut self, parts: MoveParts) -> Result<(), IllegalReason> {
        self.make(parts).map(drop)
    }

    /// Plays a legal move and returns the captured cell.
    #[inline(always)]
    fn make(&mut self, parts: MoveParts) -> Result<Cell, IllegalReason> {
        let captured = match parts {
            MoveParts::Board { from, to, promote } => self.play_on_board(from, to, promote)?,
            MoveParts::Drop { piece, to } => self.play_drop(piece, to)?,
        };
        self.turn = !self.turn;
        self.ply = self.ply.saturating_add(1);
        Ok(captured)
    }

    /// Plays a board move except for the change of turn; returns the captured cell.
    #[inline(always)]
    fn play_on_board(&mut self, from: Square, to: Square, promote: bool) -> Result<Cell, IllegalReason> {
        let (us, them) = (self.turn, !self.turn);
        let (origin, target) = (PLACES[from], PLACES[to]);
        let (moved, captured) = (self.cell(origin), self.cell(target));
        if !moved.is_of(us) {
            return Err(IllegalReason::NoPiece);
        }
        if captured.is_of(us) {
            return Err(IllegalReason::Occupied);
        }
        if !self.reaches(moved, origin, target) {
            return Err(IllegalReason::Unreachable);
        }
        let mut placed = moved;
        if promote {
            let zone = Bitboard::zone(us);
            let kind = moved.kind().and_then(PieceType::promoted).filter(|_| zone.contains(from) || zone.contains(to));
            placed = Cell::of(us, kind.ok_or(IllegalReason::Promotion)?);
        } else if TRAITS[moved.index()].dead.contains(to) {
            return Err(IllegalReason::DeadSquare);
        }
        // Make first, test the own king on the new board, and roll back if it is attacked:
        // most recorded moves are legal.
        self.cells[origin as usize] = Cell::EMPTY;
        self.cells[target as usize] = placed;
        let Some(threats) = self.threats_if_safe(moved, origin, target) else {
            self.cells[origin as usize] = moved;
            self.cells[target as usize] = captured;
            return Err(IllegalReason::KingInCheck);
        };
        self.threats[us] = threats;
        if moved == Cell::of(us, PieceType::King) {
            self.kings[us] = Some(target);
        }
        // Only moved and captured sliders change the threats. `|` instead of `||`: one
        // branch for both tests.
        if TRAITS[moved.index()].slides | TRAITS[captured.index()].slides {
            self.threats[us] -= self.threat(us, captured, target);
            self.threats[them] -= self.threat(them, moved, origin);
            self.threats[them] += self.threat(them, placed, target);
            self.sliders = self.sliders & !SETS[from] & !SETS[to] | set_if(TRAITS[placed.index()].slides, to);
        }
        // An empty cell adds zero, which saves the branch on captures.
        self.hands[us] = Hand::from_raw(self.hands[us].raw() + TRAITS[captured.index()].captured);
        self.in_check = self.kings[them].is_some_and(|king| self.reaches(placed, target, king))
            || self.is_attacked_past(them, origin);
        Ok(captured)
    }

    /// The threats to the king of the side to move after `moved` went from `origin` to
    /// `target` on the board, or `None` if that king is attacked.
    ///
    /// Slider set and threats are those before the move. A captured slider in them cannot
    /// attack: its captor is on that square.
    #[inline(always)]
    fn threats_if_safe(&self, moved: Cell, origin: Place, target: Place) -> Option<Lines> {
        let (us, them) = (self.turn, !self.turn);
        if moved == Cell::of(us, PieceType::King) {
            let (threats, attacked) = self.threats_to(target, them);
            return (!attacked && !self.is_attacked_nearby(target, them)).then_some(threats);
        }
        let attacked = if self.in_check {
            self.kings[us].is_some_and(|king| self.is_attacked(king, them))
        } else {
            self.is_attacked_past(us, origin)
        };
        (!attacked).then_some(self.threats[us])
    }

    #[inline(always)]
    fn play_drop(&mut self, piece: HandPiece, to: Square) -> Result<Cell, IllegalReason> {
        let (us, them) = (self.turn, !self.turn);
        let target = PLACES[to];
        let placed = Cell::of(us, piece.piece_type());
        if !self.hands[us].has(piece) {
            return Err(IllegalReason::NotInHand);
        }
        if self.cell(target) != Cell::EMPTY {
            return Err(IllegalReason::Occupied);
        }
        if TRAITS[placed.index()].dead.contains(to) {
            return Err(IllegalReason::DeadSquare);
        }
        if piece == HandPiece::Pawn && self.file(target).contains(&placed) {
            return Err(IllegalReason::Nifu);
        }
        self.cells[target as usize] = placed;
        if self.in_check && self.kings[us].is_some_and(|king| self.is_attacked(king, them)) {
            self.cells[target as usize] = Cell::EMPTY;
            return Err(IllegalReason::KingInCheck);
        }
        let checks = self.kings[them].is_some_and(|king| self.reaches(placed, target, king));
        // The slow uchifuzume test runs only if the pawn is protected: otherwise the king
        // captures it. No slider attacks the pawn's square through the king, because it
        // would have attacked the king before.
        if checks && piece == HandPiece::Pawn && self.is_attacked(target, us) {
            self.cells[target as usize] = Cell::EMPTY;
            // A mate test needs all answers: delegates to `Position`.
            if !Position::from_setup(&self.to_setup()).is_ok_and(|position| position.is_legal(Move::drop(piece, to))) {
                return Err(IllegalReason::Uchifuzume);
            }
            self.cells[target as usize] = placed;
        }
        self.hands[us] = self.hands[us].without(piece);
        self.sliders |= set_if(TRAITS[placed.index()].slides, to);
        self.threats[them] += self.threat(them, placed, target);
        self.in_check = checks;
        Ok(Cell::EMPTY)
    }

    /// Undoes the last move; `played` is the value that [`play`](Self::play) returned for it.
    ///
    /// # Panics
    /// With another value this may panic or leave a meaningless position.
    pub fn undo(&mut self, played: Replayed) {
        let us = !self.turn;
        let to = played.mv.to();
        let placed = self.cell(PLACES[to]);
        self.cells[PLACES[to] as usize] = played.captured;
        self.sliders &= !SETS[to];
        match played.mv.parts() {
            MoveParts::Drop { piece, .. } => self.hands[us] = self.hands[us].with(piece),
            MoveParts::Board { from, promote, .. } => {
                let kind = placed.kind().map(|kind| if promote { kind.unpromoted() } else { kind });
                let moved = kind.map_or(placed, |kind| Cell::of(us, kind));
                self.cells[PLACES[from] as usize] = moved;
                self.sliders |= set_if(TRAITS[moved.index()].slides, from);
                if kind == Some(PieceType::King) {
                    self.kings[us] = Some(PLACES[from]);
                }
                let captured = TRAITS[played.captured.index()];
                self.hands[us] = Hand::from_raw(self.hands[us].raw() - captured.captured);
                self.sliders |= set_if(captured.slides, to);
            }
        }
        self.turn = us;
        self.ply = played.ply;
        self.threats = played.threats;
        self.in_check = played.in_check;
    }

    #[inline(always)]
    fn cell(&self, place: Place) -> Cell {
        self.cells[place as usize]
    }

    fn file(&self, place: Place) -> &[Cell] {
        let start = usize::from(place / COLUMN * COLUMN);
        &self.cells[start + 1..start + 10]
    }

    /// Returns true if `piece` reaches `to` from `from`; the contents of both are ignored.
    #[inline(always)]
    fn reaches(&self, piece: Cell, from: Place, to: Place) -> bool {
        let way = way(from, to);
        piece.is_among(way.direct) || piece.is_among(way.sliding) && self.next_on_line(from, way.step, to) == to
    }

    /// The first non-empty cell on the ray from `from`, or `end` if that comes first.
    #[inline(always)]
    fn next_on_line(&self, from: Place, step: u8, end: Place) -> Place {
        let mut at = from.wrapping_add(step);
        while at != end && self.cell(at) == Cell::EMPTY {
            at = at.wrapping_add(step);
        }
        at
    }

    /// The part of the threats to the king of `color` due to an enemy `piece` on `from`.
    #[inline(always)]
    fn threat(&self, color: Color, piece: Cell, from: Place) -> Lines {
        let Some(king) = self.kings[color] else { return 0 };
        let way = way(from, king);
        // All ones or zero as a mask, in place of a branch.
        way.line & ONES & u32::from(piece.is_among(way.sliding)).wrapping_neg()
    }

    /// The threats of all sliders of `by` to this cell, and true if one of them attacks it.
    fn threats_to(&self, place: Place, by: Color) -> (Lines, bool) {
        let (mut threats, mut attacked) = (0, false);
        let mut left = self.sliders & CROSSES[place as usize];
        while left != 0 {
            let from = PLACES[left.trailing_zeros() as usize];
            left &= left - 1;
            let (piece, way) = (self.cell(from), way(from, place));
            if piece.is_of(by) && piece.is_among(way.sliding) {
                threats += way.line & ONES;
                attacked |= self.next_on_line(from, way.step, place) == place;
            }
        }
        (threats, attacked)
    }

    /// Returns true if the king of `color` is attacked along the line through `opened`.
    #[inline(always)]
    fn is_attacked_past(&self, color: Color, opened: Place) -> bool {
        let Some(king) = self.kings[color] else { return false };
        let line = way(opened, king);
        if self.threats[color] & line.line == 0 {
            return false;
        }
        // Scans from the king outwards: only the first piece on the line can attack.
        let from = self.next_on_line(king, line.step.wrapping_neg(), king);
        let (piece, way) = (self.cell(from), way(from, king));
        piece.is_of(!color) && piece.is_among(way.direct | way.sliding)
    }

    /// Returns true if `by` attacks a cell that is occupied by the other side.
    fn is_attacked(&self, place: Place, by: Color) -> bool {
        self.is_attacked_nearby(place, by) || self.threats_to(place, by).1
    }

    /// Returns true if a knight or an adjacent piece of `by` attacks the cell.
    #[inline(always)]
    fn is_attacked_nearby(&self, place: Place, by: Color) -> bool {
        // No early exit: a branch for each neighbour would be mispredicted.
        let near = NEAR[by].iter().map(|&(step, pieces)| pieces >> self.cell(place.wrapping_add(step)).index() & 1);
        near.fold(0, |any, one| any | one) != 0
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_setup().fmt(f)
    }
}

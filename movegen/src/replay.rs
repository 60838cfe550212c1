//! Replaying games: one move after the other, each judged by the rules, and nothing else.
//!
//! A [`Position`] keeps what a search needs: keys, sets of squares, pins, the moves
//! that led to it. Who only reads a game asks one question of each position, whether
//! this one move is legal, and a [`Replay`] answers it from the squares themselves.
//! The rules are the same (the tests compare all moves of many positions); they are
//! looked at from the move instead of from all moves at once.
//!
//! The board lies in a grid of 17 columns, so that the distance between two cells
//! tells files and ranks apart without an edge in the way, and one small table tells
//! which pieces go by a distance. Cells beside the board are walls, at which every
//! line ends. Moves of a game are hard to foresee for a processor too: what would be
//! a branch for every other move is looked up in a table instead.

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

/// A position that plays games over.
///
/// It takes what a [`Position`] takes, and judges moves as it does.
#[derive(Clone, PartialEq, Eq)]
pub struct Replay {
    cells: [Cell; 256],
    hands: [Hand; 2],
    kings: [Option<Place>; 2],
    /// Where the lances, bishops and rooks of both sides stand, promoted ones included:
    /// a bit for each [`Square`]. No [`Bitboard`], so that it is written and read in the
    /// same pieces.
    sliders: u128,
    /// For each side and each direction towards its king: how many enemy sliders go
    /// there from two cells away or more, were the board empty. Where there is none,
    /// nobody has to look along that line.
    threats: [Lines; 2],
    turn: Color,
    ply: u16,
    in_check: bool,
}

/// A move that was made, as [`Replay::undo`] needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    mv: Move,
    /// What was taken, and above it whether the mover was in check: one number, because
    /// a processor waits where bytes are put together in memory.
    before: u16,
    ply: u16,
    threats: [Lines; 2],
}

impl Replayed {
    const fn new(mv: Move, captured: Cell, game: &Replay) -> Self {
        Self { mv, before: captured.0 as u16 | (game.in_check as u16) << 8, ply: game.ply, threats: game.threats }
    }

    const fn with(self, captured: Cell) -> Self {
        Self { before: self.before & 0xff00 | captured.0 as u16, ..self }
    }

    const fn captured(self) -> Cell {
        Cell(self.before as u8)
    }

    const fn was_in_check(self) -> bool {
        self.before >> 8 != 0
    }
}

impl Replay {
    /// The start position of a game.
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
        let mut game = Self {
            cells: [Cell::WALL; 256],
            hands: setup.hands,
            kings: [None; 2],
            sliders: 0,
            threats: [0; 2],
            turn: setup.turn,
            ply: setup.ply,
            in_check: false,
        };
        let mut kings = 0;
        let mut counts = [0_u8; PieceType::COUNT];
        for square in Square::ALL {
            let place = PLACES[square] as usize;
            let Some(piece) = setup.board[square] else {
                game.cells[place] = Cell::EMPTY;
                continue;
            };
            let cell = Cell::of(piece.color, piece.kind);
            game.cells[place] = cell;
            game.sliders |= set_if(TRAITS[cell.index()].slides, square);
            counts[piece.kind.unpromoted()] += 1;
            if piece.kind == PieceType::King {
                game.kings[piece.color] = Some(PLACES[square]);
                kings += 1;
            }
        }
        let held = |piece| setup.hands.iter().map(|hand| hand.count(piece)).sum::<u8>();
        let fit = HandPiece::ALL.into_iter().all(|piece| counts[piece.piece_type()] + held(piece) <= Hand::max(piece));
        let told = game.kings.iter().flatten().count() == kings;
        let capturable = game.kings[!setup.turn].is_some_and(|king| game.is_attacked(king, setup.turn));
        if !fit || !told || capturable {
            // It says what is wrong.
            Position::from_setup(setup)?;
        }
        game.in_check = game.kings[setup.turn].is_some_and(|king| game.is_attacked(king, !setup.turn));
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

    /// What `color` holds.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.in_check
    }

    /// Where pieces like this one stand that reach `to`, whatever stands there and
    /// whether or not they are pinned.
    pub fn reaching(&self, piece: Piece, to: Square) -> Bitboard {
        let cell = Cell::of(piece.color, piece.kind);
        let alike = Square::ALL.into_iter().filter(|&from| self.cell(PLACES[from]) == cell);
        let reaching = alike.filter(|&from| self.reaches(cell, PLACES[from], PLACES[to]));
        reaching.fold(Bitboard::EMPTY, |set, from| set | Bitboard::of(from))
    }

    /// Whether the side to move may play `mv`.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.clone().play(mv).is_ok()
    }

    /// Plays a move that can be taken back.
    ///
    /// # Errors
    /// [`IllegalMove`] with the rule it breaks; the position is unchanged then.
    #[inline]
    pub fn play(&mut self, mv: Move) -> Result<Replayed, IllegalMove> {
        let before = Replayed::new(mv, Cell::EMPTY, self);
        match self.make(mv.parts()) {
            Ok(captured) => Ok(before.with(captured)),
            Err(reason) => Err(IllegalMove { mv, reason }),
        }
    }

    /// Plays a move for good, told as it is read: by its parts.
    ///
    /// # Errors
    /// The rule that the move breaks; the position is unchanged then.
    #[inline]
    pub fn advance(&mut self, parts: MoveParts) -> Result<(), IllegalReason> {
        self.make(parts).map(drop)
    }

    /// Tells what was taken.
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

    /// Everything but passing the turn; tells what was taken.
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
        if TRAITS[moved.index()].slides | TRAITS[captured.index()].slides {
            self.threats[us] -= self.threat(us, captured, target);
            self.threats[them] -= self.threat(them, moved, origin);
            self.threats[them] += self.threat(them, placed, target);
            self.sliders = self.sliders & !SETS[from] & !SETS[to] | set_if(TRAITS[placed.index()].slides, to);
        }
        self.hands[us] = Hand::from_raw(self.hands[us].raw() + TRAITS[captured.index()].captured);
        self.in_check = self.kings[them].is_some_and(|king| self.reaches(placed, target, king))
            || self.is_attacked_past(them, origin);
        Ok(captured)
    }

    /// The threats to the king of the side to move by the pieces that stood there
    /// before, now that this piece has moved on the board; `None` when the king is
    /// attacked. Sliders are still those of before, too, which will do: who was taken is
    /// hidden by its captor.
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
        // A king that can take the pawn is not mated by it. Nothing stands behind the king
        // that would attack it then, because it would have been in check before.
        if checks && piece == HandPiece::Pawn && self.is_attacked(target, us) {
            self.cells[target as usize] = Cell::EMPTY;
            // Whether it mates is a question for all moves at once.
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

    /// Takes back the last move, of which [`play`](Self::play) gave `played`.
    ///
    /// After another one the position means nothing (or this panics).
    pub fn undo(&mut self, played: Replayed) {
        let us = !self.turn;
        let to = played.mv.to();
        let placed = self.cell(PLACES[to]);
        self.cells[PLACES[to] as usize] = played.captured();
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
                let captured = TRAITS[played.captured().index()];
                self.hands[us] = Hand::from_raw(self.hands[us].raw() - captured.captured);
                self.sliders |= set_if(captured.slides, to);
            }
        }
        self.turn = us;
        self.ply = played.ply;
        self.threats = played.threats;
        self.in_check = played.was_in_check();
    }

    #[inline(always)]
    fn cell(&self, place: Place) -> Cell {
        self.cells[place as usize]
    }

    /// The cells of the file of `place`.
    fn file(&self, place: Place) -> &[Cell] {
        let start = usize::from(place / COLUMN * COLUMN);
        &self.cells[start + 1..start + 10]
    }

    /// Whether a piece goes from one cell to the other, whatever stands there.
    #[inline(always)]
    fn reaches(&self, piece: Cell, from: Place, to: Place) -> bool {
        let way = way(from, to);
        piece.is_among(way.direct) || piece.is_among(way.sliding) && self.next_on_line(from, way.step, to) == to
    }

    /// The first cell behind `from` that is not empty, or `end` if that comes first.
    #[inline(always)]
    fn next_on_line(&self, from: Place, step: u8, end: Place) -> Place {
        let mut at = from.wrapping_add(step);
        while at != end && self.cell(at) == Cell::EMPTY {
            at = at.wrapping_add(step);
        }
        at
    }

    /// What an enemy piece on this cell adds to the threats to the king of `color`.
    #[inline(always)]
    fn threat(&self, color: Color, piece: Cell, from: Place) -> Lines {
        let Some(king) = self.kings[color] else { return 0 };
        let way = way(from, king);
        way.line & ONES & u32::from(piece.is_among(way.sliding)).wrapping_neg()
    }

    /// The threats of all sliders of `by` to this cell, and whether one of them attacks it.
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

    /// Whether the king of `color` is attacked along the line on which `opened` lies.
    #[inline(always)]
    fn is_attacked_past(&self, color: Color, opened: Place) -> bool {
        let Some(king) = self.kings[color] else { return false };
        let line = way(opened, king);
        if self.threats[color] & line.line == 0 {
            return false;
        }
        // From the king outwards, to what sees it first.
        let from = self.next_on_line(king, line.step.wrapping_neg(), king);
        let (piece, way) = (self.cell(from), way(from, king));
        piece.is_of(!color) && piece.is_among(way.direct | way.sliding)
    }

    /// Whether `by` attacks a cell, on which a piece of the other side stands.
    fn is_attacked(&self, place: Place, by: Color) -> bool {
        self.is_attacked_nearby(place, by) || self.threats_to(place, by).1
    }

    /// The same, by knights and by what stands around it only.
    #[inline(always)]
    fn is_attacked_nearby(&self, place: Place, by: Color) -> bool {
        // All of them at once, because any of them may be the one.
        let near = NEAR[by].iter().map(|&(step, pieces)| pieces >> self.cell(place.wrapping_add(step)).index() & 1);
        near.fold(0, |any, one| any | one) != 0
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_setup().fmt(f)
    }
}

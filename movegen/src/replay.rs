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

use tables::{COLUMN, CROSSES, Cell, LINES, PLACES, Place, SETS, TRAITS, set_if, way};

use crate::attacks::{RAYS, direction};
use crate::{
    Bitboard, Color, Hand, HandPiece, IllegalMove, IllegalReason, Move, MoveParts, Piece, PieceType, Position,
    PositionError, Setup, Square,
};

/// A position that plays games over.
///
/// It takes what a [`Position`] takes, and judges moves as it does.
#[derive(Clone, PartialEq, Eq)]
pub struct Replay {
    cells: [Cell; 256],
    hands: [Hand; 2],
    kings: [Option<Square>; 2],
    /// Where the lances, bishops and rooks stand, promoted ones included. A number, and
    /// no [`Bitboard`], so that it is written and read in the same pieces.
    sliders: [u128; 2],
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
}

impl Replayed {
    const fn new(mv: Move, captured: Cell, was_in_check: bool, ply: u16) -> Self {
        Self { mv, before: captured.0 as u16 | (was_in_check as u16) << 8, ply }
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
            sliders: [0; 2],
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
            game.sliders[piece.color] |= set_if(TRAITS[cell.index()].slides, square);
            counts[piece.kind.unpromoted()] += 1;
            if piece.kind == PieceType::King {
                game.kings[piece.color] = Some(square);
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

    /// Plays a move.
    ///
    /// # Errors
    /// [`IllegalMove`] with the rule it breaks; the position is unchanged then.
    #[inline]
    pub fn play(&mut self, mv: Move) -> Result<Replayed, IllegalMove> {
        let was_in_check = self.in_check;
        let played = match mv.parts() {
            MoveParts::Board { from, to, promote } => self.play_on_board(from, to, promote),
            MoveParts::Drop { piece, to } => self.play_drop(mv, piece, to),
        };
        match played {
            Ok(captured) => {
                let played = Replayed::new(mv, captured, was_in_check, self.ply);
                self.turn = !self.turn;
                self.ply = self.ply.saturating_add(1);
                Ok(played)
            }
            Err(reason) => Err(IllegalMove { mv, reason }),
        }
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
        // The sets of sliders lag behind: one that was taken is hidden by its captor.
        if moved == Cell::of(us, PieceType::King) {
            if self.is_attacked(to, them) {
                return self.refuse((origin, moved), (target, captured));
            }
            self.kings[us] = Some(to);
        } else if let Some(king) = self.kings[us] {
            let attacked =
                if self.in_check { self.is_attacked(king, them) } else { self.is_attacked_past(king, from, them) };
            if attacked {
                return self.refuse((origin, moved), (target, captured));
            }
        }
        self.hands[us] = Hand::from_raw(self.hands[us].raw() + TRAITS[captured.index()].captured);
        self.sliders[us] = self.sliders[us] & !SETS[from] | set_if(TRAITS[placed.index()].slides, to);
        self.sliders[them] &= !SETS[to];
        self.in_check = self.kings[them]
            .is_some_and(|king| self.reaches(placed, target, PLACES[king]) || self.is_attacked_past(king, from, us));
        Ok(captured)
    }

    /// Puts back what stood on two cells, because the king would be in check.
    #[cold]
    fn refuse(&mut self, origin: (Place, Cell), target: (Place, Cell)) -> Result<Cell, IllegalReason> {
        for (place, cell) in [origin, target] {
            self.cells[place as usize] = cell;
        }
        Err(IllegalReason::KingInCheck)
    }

    #[inline(always)]
    fn play_drop(&mut self, mv: Move, piece: HandPiece, to: Square) -> Result<Cell, IllegalReason> {
        let us = self.turn;
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
        if self.in_check && self.kings[us].is_some_and(|king| self.is_attacked(king, !us)) {
            self.cells[target as usize] = Cell::EMPTY;
            return Err(IllegalReason::KingInCheck);
        }
        let checks = self.kings[!us].is_some_and(|king| self.reaches(placed, target, PLACES[king]));
        // A king that can take the pawn is not mated by it. Nothing stands behind the king
        // that would attack it then, because it would have been in check before.
        if checks && piece == HandPiece::Pawn && self.is_attacked(to, us) {
            self.cells[target as usize] = Cell::EMPTY;
            // Whether it mates is a question for all moves at once.
            if !Position::from_setup(&self.to_setup()).is_ok_and(|position| position.is_legal(mv)) {
                return Err(IllegalReason::Uchifuzume);
            }
            self.cells[target as usize] = placed;
        }
        self.hands[us] = self.hands[us].without(piece);
        self.sliders[us] |= set_if(TRAITS[placed.index()].slides, to);
        self.in_check = checks;
        Ok(Cell::EMPTY)
    }

    /// Takes back the last move, of which [`play`](Self::play) gave `played`.
    ///
    /// After another one the position means nothing (or this panics).
    pub fn undo(&mut self, played: Replayed) {
        let (us, them) = (!self.turn, self.turn);
        let to = played.mv.to();
        let placed = self.cell(PLACES[to]);
        self.cells[PLACES[to] as usize] = played.captured();
        self.sliders[us] &= !SETS[to];
        match played.mv.parts() {
            MoveParts::Drop { piece, .. } => self.hands[us] = self.hands[us].with(piece),
            MoveParts::Board { from, promote, .. } => {
                let kind = placed.kind().map(|kind| if promote { kind.unpromoted() } else { kind });
                let moved = kind.map_or(placed, |kind| Cell::of(us, kind));
                self.cells[PLACES[from] as usize] = moved;
                self.sliders[us] |= set_if(TRAITS[moved.index()].slides, from);
                if kind == Some(PieceType::King) {
                    self.kings[us] = Some(from);
                }
                let captured = TRAITS[played.captured().index()];
                self.hands[us] = Hand::from_raw(self.hands[us].raw() - captured.captured);
                self.sliders[them] |= set_if(captured.slides, to);
            }
        }
        self.turn = us;
        self.ply = played.ply;
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
        let bit = 1 << piece.0;
        way.direct & bit != 0 || way.sliding & bit != 0 && self.next_on_line(from, way.step, to) == to
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

    /// Whether `by` attacks `square` along the line on which `opened` lies.
    #[inline(always)]
    fn is_attacked_past(&self, square: Square, opened: Square, by: Color) -> bool {
        let line = LINES[direction(square, opened).map_or(RAYS.len(), |direction| direction as usize)][square];
        if line & self.sliders[by] == 0 {
            return false;
        }
        let place = PLACES[square];
        self.is_attacked_along(place, way(place, PLACES[opened]).step, by)
    }

    #[inline(always)]
    fn is_attacked_along(&self, place: Place, step: u8, by: Color) -> bool {
        let from = self.next_on_line(place, step, place);
        let piece = self.cell(from);
        let way = way(from, place);
        piece.is_of(by) && (way.direct | way.sliding) >> piece.0 & 1 != 0
    }

    /// Whether `by` attacks `square`, on which a piece of the other side stands.
    fn is_attacked(&self, square: Square, by: Color) -> bool {
        // To the eight neighbours, modulo 256.
        const STEPS: [u8; 8] = [1, 255, 16, 240, 17, 239, 18, 238];
        let place = PLACES[square];
        let knight = Cell::of(by, PieceType::Knight);
        // Where a knight would jump from.
        let behind = match by {
            Color::Black => place.wrapping_add(2),
            Color::White => place.wrapping_sub(2),
        };
        if self.cell(behind.wrapping_add(COLUMN)) == knight || self.cell(behind.wrapping_sub(COLUMN)) == knight {
            return true;
        }
        if CROSSES[square] & self.sliders[by] != 0 {
            return STEPS.into_iter().any(|step| self.is_attacked_along(place, step, by));
        }
        STEPS.into_iter().map(|step| place.wrapping_add(step)).any(|from| {
            let piece = self.cell(from);
            piece.is_of(by) && way(from, place).direct >> piece.0 & 1 != 0
        })
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_setup().fmt(f)
    }
}

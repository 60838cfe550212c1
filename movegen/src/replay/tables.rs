//! What a replay looks up: the grid, how pieces go by a distance, and lines.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::dead_squares::dead_squares;
use crate::hand::Hand;
use crate::piece::{Piece, PieceType};
use crate::square::Square;

/// What stands on a cell: kind and side of a piece, nothing, or a wall. The bits above
/// the kind name the side; the five lowest bits are different for every value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(pub(super) u8);

const BLACK: u8 = 16;
const WHITE: u8 = 32;

impl Cell {
    pub(super) const EMPTY: Self = Self(PieceType::COUNT as u8);
    pub(super) const WALL: Self = Self(PieceType::COUNT as u8 + 1);

    pub(super) const fn of(color: Color, kind: PieceType) -> Self {
        Self(kind as u8 + (BLACK << color as u8))
    }

    pub(super) fn kind(self) -> Option<PieceType> {
        PieceType::ALL.get(usize::from(self.0 % BLACK)).copied()
    }

    pub(super) fn piece(self) -> Option<Piece> {
        self.kind().map(|kind| Piece::new(if self.0 < WHITE { Color::Black } else { Color::White }, kind))
    }

    /// Its place in the tables below.
    pub(super) fn index(self) -> usize {
        usize::from(self.0 % CELLS as u8)
    }

    /// Whether a piece of this side stands here.
    #[inline(always)]
    pub(super) fn is_of(self, color: Color) -> bool {
        self.0 & BLACK << color as u8 != 0
    }

    /// Whether it is among these pieces.
    #[inline(always)]
    pub(super) fn is_among(self, pieces: Pieces) -> bool {
        pieces >> self.index() & 1 != 0
    }
}

/// How many places the tables of cells have, those without a meaning included.
const CELLS: usize = 32;

/// A set of pieces, with a bit for each value of a [`Cell`].
pub(super) type Pieces = u32;

const fn among(cell: Cell) -> Pieces {
    1 << (cell.0 % CELLS as u8)
}

/// What is known of a cell by what stands on it.
#[derive(Clone, Copy)]
pub(super) struct Traits {
    /// Where it could never move again.
    pub(super) dead: Bitboard,
    /// What a capture of it adds to the packed word of a [`Hand`].
    pub(super) captured: u32,
    pub(super) slides: bool,
}

pub(super) static TRAITS: [Traits; CELLS] = {
    let mut table = [Traits { dead: Bitboard::EMPTY, captured: 0, slides: false }; CELLS];
    let mut index = 0;
    while index < 2 * PieceType::COUNT {
        let kind = PieceType::ALL[index / 2];
        let color = Color::ALL[index % 2];
        table[Cell::of(color, kind).0 as usize % CELLS] = Traits {
            dead: dead_squares(color, kind),
            captured: match kind.hand_piece() {
                Some(piece) => Hand::EMPTY.with(piece).raw(),
                None => 0,
            },
            slides: matches!(
                kind,
                PieceType::Lance | PieceType::Bishop | PieceType::Rook | PieceType::Horse | PieceType::Dragon
            ),
        };
        index += 1;
    }
    table
};

/// The sets of one square, with a bit for each [`Square`].
pub(super) static SETS: [u128; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        table[index] = 1 << index;
        index += 1;
    }
    table
};

/// By cell, the squares on a line with it, itself and its neighbours excepted: a bit for
/// each [`Square`].
pub(super) static CROSSES: [u128; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 81 * 81 {
        let (from, to) = (index / 81, index % 81);
        let way = way(PLACES[from], PLACES[to]);
        if way.sliding != 0 {
            table[PLACES[to] as usize] |= 1 << from;
        }
        index += 1;
    }
    table
};

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.piece().fmt(f)
    }
}

/// A cell of the grid: column `file`, row `rank`, so that the board is in the midst
/// of walls.
pub(super) type Place = u8;

pub(super) const COLUMN: u8 = 17;

pub(super) static PLACES: [Place; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        let square = Square::ALL[index];
        table[index] = square.file() * COLUMN + square.rank();
        index += 1;
    }
    table
};

/// How pieces go by one distance.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// The pieces that get there at once.
    pub(super) direct: Pieces,
    /// The pieces that get there when all cells between, of which there are some, are empty.
    pub(super) sliding: Pieces,
    /// The four bits of its direction among those of all eight; 0 where there is no line.
    pub(super) line: Lines,
    /// From one cell to the next along the line, modulo 256; 0 where there is no line.
    pub(super) step: u8,
}

/// A number below 16 for each of the eight directions.
pub(super) type Lines = u32;

/// One in each direction.
pub(super) const ONES: Lines = 0x1111_1111;

/// By distance, from cell to cell; as many as there are, so that none is out of range.
static WAYS: [Way; 512] = ways();

const fn ways() -> [Way; 512] {
    let mut table = [Way { direct: 0, sliding: 0, line: 0, step: 0 }; 512];
    let mut files = -8;
    while files <= 8 {
        let mut ranks = -8;
        while ranks <= 8 {
            let distance = files as i32 * COLUMN as i32 + ranks as i32;
            table[(256 + distance) as usize] = way_by(files, ranks);
            ranks += 1;
        }
        files += 1;
    }
    table
}

const fn way_by(files: i8, ranks: i8) -> Way {
    let mut way = Way { direct: 0, sliding: 0, line: 0, step: 0 };
    let aligned = files == 0 || ranks == 0 || files == ranks || files == -ranks;
    if aligned && (files != 0 || ranks != 0) {
        let direction = (3 * (files.signum() + 1) + ranks.signum() + 1) as u32;
        // Without the one in the middle, which is no direction.
        way.line = 0xf << (4 * if direction > 4 { direction - 1 } else { direction });
        way.step = ((files.signum() as i32 * COLUMN as i32 + ranks.signum() as i32) & 0xff) as u8;
    }
    let near = files.abs() <= 1 && ranks.abs() <= 1;
    let mut index = 0;
    while index < PieceType::COUNT {
        let kind = PieceType::ALL[index];
        let (black, white) = (among(Cell::of(Color::Black, kind)), among(Cell::of(Color::White, kind)));
        let pieces =
            if goes(kind, files, -ranks) { black } else { 0 } | if goes(kind, files, ranks) { white } else { 0 };
        if near || matches!(kind, PieceType::Knight) {
            way.direct |= pieces;
        } else {
            way.sliding |= pieces;
        }
        index += 1;
    }
    way
}

/// Whether a piece goes so many files to either side and so many ranks ahead, on an
/// empty board.
const fn goes(kind: PieceType, files: i8, ahead: i8) -> bool {
    let aside = files.abs();
    let near = aside <= 1 && ahead.abs() <= 1 && (aside != 0 || ahead != 0);
    let straight = (aside == 0) != (ahead == 0);
    let diagonal = aside == ahead.abs() && aside != 0;
    match kind {
        PieceType::Pawn => aside == 0 && ahead == 1,
        PieceType::Lance => aside == 0 && ahead > 0,
        PieceType::Knight => aside == 1 && ahead == 2,
        PieceType::Silver => near && (ahead == 1 || diagonal),
        PieceType::King => near,
        PieceType::Gold | PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight | PieceType::ProSilver => {
            near && (ahead >= 0 || aside == 0)
        }
        PieceType::Bishop => diagonal,
        PieceType::Rook => straight,
        PieceType::Horse => diagonal || near,
        PieceType::Dragon => straight || near,
    }
}

#[inline(always)]
pub(super) fn set_if(wanted: bool, square: Square) -> u128 {
    SETS[square] & u128::from(wanted).wrapping_neg()
}

#[inline(always)]
pub(super) const fn way(from: Place, to: Place) -> &'static Way {
    &WAYS[256 + to as usize - from as usize]
}

/// From the eight cells around a cell, then from those of knights of either side: the
/// steps back to there, modulo 256, and which pieces of a side attack from there.
pub(super) static NEAR: [[(u8, Pieces); 10]; 2] = {
    const AROUND: [(i8, i8); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
    let mut table = [[(0, 0); 10]; 2];
    let mut side = 0;
    while side < 2 {
        // A knight of Black comes from two ranks below.
        let behind = if side == 0 { 2 } else { -2 };
        let own: Pieces = if side == 0 { 0xffff << BLACK } else { 0xffff };
        let mut index = 0;
        while index < 10 {
            let (files, ranks) = match index {
                8 => (-1, behind),
                9 => (1, behind),
                near => AROUND[near],
            };
            let step = files as i32 * COLUMN as i32 + ranks as i32;
            table[side][index] = ((step & 0xff) as u8, way_by(-files, -ranks).direct & own);
            index += 1;
        }
        side += 1;
    }
    table
};

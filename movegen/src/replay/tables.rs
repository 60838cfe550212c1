//! What a replay looks up: the grid, how pieces go by a distance, and lines.

use std::fmt;

use crate::attacks::RAYS;
use crate::position::dead_squares;
use crate::{Bitboard, Color, Hand, Piece, PieceType, Square};

/// What stands on a cell: kind and side of a piece, nothing, or a wall.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(pub(super) u8);

const WHITE: u8 = 16;

impl Cell {
    pub(super) const EMPTY: Self = Self(PieceType::COUNT as u8);
    pub(super) const WALL: Self = Self(PieceType::COUNT as u8 + 1);

    pub(super) const fn of(color: Color, kind: PieceType) -> Self {
        Self(kind as u8 + WHITE * color as u8)
    }

    pub(super) fn kind(self) -> Option<PieceType> {
        PieceType::ALL.get(usize::from(self.0 % WHITE)).copied()
    }

    pub(super) fn piece(self) -> Option<Piece> {
        self.kind().map(|kind| Piece::new(if self.0 < WHITE { Color::Black } else { Color::White }, kind))
    }

    /// Its place in the tables below.
    pub(super) fn index(self) -> usize {
        usize::from(self.0 % CELLS as u8)
    }

    /// Whether a piece of this side stands here.
    pub(super) fn is_of(self, color: Color) -> bool {
        self.0 / WHITE == color as u8 && self.0 % WHITE < Self::EMPTY.0
    }
}

/// How many values a [`Cell`] has, those without a meaning included.
const CELLS: usize = 2 * WHITE as usize;

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
        table[Cell::of(color, kind).0 as usize] = Traits {
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

/// The sets of one square, as [`Bitboard::to_wide`] has them.
pub(super) static SETS: [u128; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        table[index] = Bitboard::of(Square::ALL[index]).to_wide();
        index += 1;
    }
    table
};

/// The squares from one square to the edge, by direction, and none where there is no
/// direction.
pub(super) static LINES: [[u128; 81]; 9] = {
    let mut table = [[0; 81]; 9];
    let mut line = 0;
    while line < RAYS.len() {
        let mut index = 0;
        while index < 81 {
            table[line][index] = RAYS[line][index].to_wide();
            index += 1;
        }
        line += 1;
    }
    table
};

/// All lines from a square.
pub(super) static CROSSES: [u128; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        let mut line = 0;
        while line < RAYS.len() {
            table[index] |= RAYS[line][index].to_wide();
            line += 1;
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
    /// The pieces that get there at once, a bit for each value of a [`Cell`].
    pub(super) direct: u32,
    /// The pieces that get there when all cells between are empty.
    pub(super) sliding: u32,
    /// From one cell to the next along the line, modulo 256; 0 where there is no line.
    pub(super) step: u8,
}

/// By distance, from cell to cell; as many as there are, so that none is out of range.
static WAYS: [Way; 512] = ways();

const fn ways() -> [Way; 512] {
    let mut table = [Way { direct: 0, sliding: 0, step: 0 }; 512];
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
    let mut way = Way { direct: 0, sliding: 0, step: 0 };
    let aligned = files == 0 || ranks == 0 || files == ranks || files == -ranks;
    if aligned {
        way.step = ((files.signum() as i32 * COLUMN as i32 + ranks.signum() as i32) & 0xff) as u8;
    }
    let near = files.abs() <= 1 && ranks.abs() <= 1;
    let mut index = 0;
    while index < PieceType::COUNT {
        let kind = PieceType::ALL[index];
        let black = 1 << Cell::of(Color::Black, kind).0;
        let white = 1 << Cell::of(Color::White, kind).0;
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
pub(super) fn way(from: Place, to: Place) -> &'static Way {
    &WAYS[256 + usize::from(to) - usize::from(from)]
}

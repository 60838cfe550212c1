//! Tables of the replay board: cells, moves by index difference, lines.

use std::fmt;

use crate::attacks::dead_squares;
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::hand::Hand;
use crate::piece::{Piece, PieceType};
use crate::square::Square;

/// Contents of a cell: a piece, empty, or wall.
///
/// The four low bits are the kind, two bits above them the side (none for empty and
/// wall). The five lowest bits differ for every value and index the tables.
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

    /// Index into the tables by cell contents.
    pub(super) fn index(self) -> usize {
        usize::from(self.0 % CELLS as u8)
    }

    #[inline(always)]
    pub(super) fn is_of(self, color: Color) -> bool {
        self.0 & BLACK << color as u8 != 0
    }

    #[inline(always)]
    pub(super) fn is_among(self, pieces: Pieces) -> bool {
        pieces >> self.index() & 1 != 0
    }
}

/// Size of the tables by cell contents, unused indices included.
const CELLS: usize = 32;

/// A set of pieces: one bit for each [`Cell::index`].
pub(super) type Pieces = u32;

const fn among(cell: Cell) -> Pieces {
    1 << (cell.0 % CELLS as u8)
}

/// Properties of a cell by its contents.
#[derive(Clone, Copy)]
pub(super) struct Traits {
    /// Dead squares of the piece.
    pub(super) dead: Bitboard,
    /// Increment of the packed word of a [`Hand`] by its capture.
    pub(super) captured: u32,
    /// True for lance, bishop, rook, horse and dragon.
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

/// The single-bit set of each [`Square`].
pub(super) static SETS: [u128; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        table[index] = 1 << index;
        index += 1;
    }
    table
};

/// For each cell, the squares on a line with it at a distance of two or more: one bit for
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

/// Index of a cell: `file * COLUMN + rank`, so that walls surround the board.
pub(super) type Place = u8;

/// Cells per file. Differences of up to 8 ranks either way need 17 to be unambiguous.
pub(super) const COLUMN: u8 = 17;

/// The cell of each [`Square`].
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

/// The pieces that move by one index difference.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Pieces that reach the target by a step or a knight's jump.
    pub(super) direct: Pieces,
    /// Pieces that reach it if all cells between, at least one, are empty.
    pub(super) sliding: Pieces,
    /// Mask of the direction's four bits in [`Lines`]; 0 if there is no line.
    pub(super) line: Lines,
    /// Index difference of neighbouring cells along the line, modulo 256; 0 if there is
    /// no line.
    pub(super) step: u8,
}

/// Eight counters of four bits, one for each direction.
pub(super) type Lines = u32;

/// Increment of all eight counters.
pub(super) const ONES: Lines = 0x1111_1111;

/// [`Way`] by index difference plus 256. 512 entries cover all differences of `u8`
/// indices, so that no access is out of range.
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
        // Direction 4 is the centre of the 3x3 neighbourhood, which is no direction.
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

/// Returns true if a piece of `kind` moves by `files` (either side) and `ahead` ranks on
/// an empty board.
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

/// The set of `square` if `wanted`, else the empty set, without a branch.
#[inline(always)]
pub(super) fn set_if(wanted: bool, square: Square) -> u128 {
    SETS[square] & u128::from(wanted).wrapping_neg()
}

/// The entry for a move from `from` to `to`.
#[inline(always)]
pub(super) const fn way(from: Place, to: Place) -> &'static Way {
    &WAYS[256 + to as usize - from as usize]
}

/// For each side, the index differences (modulo 256) from a cell to its eight neighbours
/// and to the origins of a knight, each with the pieces of that side that attack the
/// cell from there.
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

//! The board of a training position, rebuilt from its inputs.
//!
//! Inputs from attacks are computed anew whenever a position is trained on: they would take
//! four times the memory of the pieces, and about a tenth of the time.

use enbu_eval::nnue::own::{Board, INPUTS, Place, mirrored, place};
use enbu_movegen::{Bitboard, Color, PieceType, Square};

use crate::entry::Entry;

/// A board as the side to move sees it: it plays Black.
pub(crate) struct Diagram {
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; PieceType::COUNT],
    kings: [Option<Square>; 2],
}

pub(crate) static PLACES: [Place; INPUTS] = places(false);
static MIRRORED: [Place; INPUTS] = places(true);

const fn places(is_mirrored: bool) -> [Place; INPUTS] {
    let mut places = [place(0); INPUTS];
    let mut input = 0;
    while input < INPUTS as u16 {
        places[input as usize] = place(if is_mirrored { mirrored(input) } else { input });
        input += 1;
    }
    places
}

impl Diagram {
    /// The board of an entry. It is not mirrored as the own view is: with the enemy king on the
    /// middle file its view would be mirrored as well, which the engine's is not.
    #[inline(always)]
    pub(crate) fn new(entry: &Entry) -> Self {
        let (by_color, by_kind) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; PieceType::COUNT]);
        let mut diagram = Self { by_color, by_kind, kings: [None; 2] };
        let places = if entry.is_mirrored { &MIRRORED } else { &PLACES };
        for &input in entry.own_view() {
            if let Place::Board(piece, square) = places[usize::from(input)] {
                diagram.by_color[piece.color] |= Bitboard::of(square);
                diagram.by_kind[piece.kind] |= Bitboard::of(square);
                if piece.kind == PieceType::King {
                    diagram.kings[piece.color] = Some(square);
                }
            }
        }
        diagram
    }
}

impl Board for Diagram {
    #[inline(always)]
    fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color]
    }

    #[inline(always)]
    fn by_kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind]
    }

    #[inline(always)]
    fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }
}

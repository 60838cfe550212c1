//! The board of a training position, rebuilt from its inputs.
//!
//! Inputs from attacks are computed anew whenever a position is trained on: they would take
//! four times the memory of the pieces, and about a tenth of the time.

use enbu_eval::nnue::own::{Board, INPUTS, Place, place};
use enbu_movegen::{Bitboard, Color, PieceType, Square};

/// A board as the side to move sees it: it plays Black, its king is on files 1 to 5.
pub(crate) struct Diagram {
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; PieceType::COUNT],
    kings: [Option<Square>; 2],
}

pub(crate) static PLACES: [Place; INPUTS] = {
    let mut places = [place(0); INPUTS];
    let mut input = 0;
    while input < INPUTS {
        places[input] = place(input as u16);
        input += 1;
    }
    places
};

impl Diagram {
    /// The board with these inputs of the side to move.
    #[inline(always)]
    pub(crate) fn new(inputs: &[u16]) -> Self {
        let (by_color, by_kind) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; PieceType::COUNT]);
        let mut diagram = Self { by_color, by_kind, kings: [None; 2] };
        for &input in inputs {
            if let Place::Board(piece, square) = PLACES[usize::from(input)] {
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

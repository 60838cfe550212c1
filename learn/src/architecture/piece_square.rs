//! The piece-square evaluation: one term for each piece on the board or in hand, fitted
//! like a network (Texel's tuning method, Österlund 2014). See [`enbu_eval::psq`].

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::own::INPUTS;
use enbu_eval::psq::{Relative, TABLES, Tables};
use enbu_movegen::{HandPiece, PieceType};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Architecture, Grid, Quantised, Workspace};
use crate::entry::Entry;
use crate::quantise::{QuantiseError, words};

/// The code of the kind in checkpoints.
const CODE: [u32; 4] = [2, 0, 0, 0];

const SQUARES: usize = 81;
const KING: usize = PieceType::King as usize;
/// Terms of one piece relative to one king.
const RELATIVE: usize = 9 * 17;

/// The first parameter of each part of [`Tables`].
const TEMPO: usize = 0;
const HELD: usize = 1;
const PLACED: usize = HELD + 7;
const GUARD: usize = PLACED + 9 * PieceType::COUNT;
const THREAT: usize = GUARD + RELATIVE * PieceType::COUNT;

const LENGTH: usize = THREAT + RELATIVE * PieceType::COUNT;

/// Inputs of one side, and those of them on the board.
const SIDE: usize = INPUTS / 2;
const BOARD: usize = SQUARES * PieceType::COUNT;
/// The pieces in hand and their first inputs.
const HANDS: [(HandPiece, usize); 7] = [
    (HandPiece::Pawn, 0),
    (HandPiece::Lance, 18),
    (HandPiece::Knight, 22),
    (HandPiece::Silver, 26),
    (HandPiece::Gold, 30),
    (HandPiece::Bishop, 34),
    (HandPiece::Rook, 36),
];

/// The piece-square evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PieceSquare;

impl fmt::Display for PieceSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("piece-square")
    }
}

impl Architecture for PieceSquare {
    fn code(&self) -> [u32; 4] {
        CODE
    }

    fn len(&self) -> usize {
        LENGTH
    }

    /// All terms are whole centipawns; an output of 1.0 is `scale` of them.
    fn parts(&self, scale: f32) -> Vec<(Range<usize>, Grid, [f32; 2])> {
        vec![(0..LENGTH, Grid { unit: scale, limit: 10_000.0 / scale }, [0.0, 0.0])]
    }

    /// Each term is a sum over thousands of positions; the large epsilon keeps the rare
    /// ones where they are until the evidence against them is strong.
    fn epsilon(&self) -> f32 {
        1e-4
    }

    /// Starts from the terms in use.
    fn fill(&self, _: &mut Xoshiro256PlusPlus, scale: f32) -> Vec<f32> {
        numbers(&TABLES).into_iter().map(|number| f32::from(number) / scale).collect()
    }

    #[inline(always)]
    fn forward(&self, parameters: &[f32], entry: &Entry, _: &mut Workspace) -> f32 {
        let mut sum = 0.0;
        terms(entry, |place, sign| sum += f32::from(sign) * parameters[place]);
        sum
    }

    #[inline(always)]
    fn backward(&self, _: &[f32], entry: &Entry, slope: f32, _: &mut Workspace, gradient: &mut [f32]) {
        terms(entry, |place, sign| gradient[place] += f32::from(sign) * slope);
    }

    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Box<dyn Quantised>, QuantiseError> {
        let numbers = words(parameters, 0..LENGTH, scale, i16::MAX)?;
        Ok(Box::new(Text { name: name.to_owned(), numbers }))
    }
}

/// The terms of `tables` in centipawns, in the order of the parameters.
fn numbers(tables: &Tables) -> Vec<i16> {
    let relative = |table: &[Relative; PieceType::COUNT]| table.as_flattened().as_flattened().to_vec();
    let Tables { tempo, held, placed, guard, threat } = tables;
    [&[*tempo], &held[..], placed.as_flattened(), &relative(guard), &relative(threat)].concat()
}

/// Calls `term` with the index of each parameter that the value is the sum of, and its
/// sign: 1 for the side to move, -1 for the other side.
#[inline(always)]
fn terms(entry: &Entry, mut term: impl FnMut(usize, i8)) {
    term(TEMPO, 1);
    let inputs = entry.own_view();
    let king = |side: usize| {
        let first = side * SIDE + KING * SQUARES;
        let king =
            inputs.iter().map(|&input| usize::from(input)).find(|input| (first..first + SQUARES).contains(input));
        king.map(|input| input - first)
    };
    let kings = [king(0), king(1)];
    for &input in inputs {
        let (side, number) = (usize::from(input) / SIDE, usize::from(input) % SIDE);
        let sign = if side == 0 { 1 } else { -1 };
        if number >= BOARD {
            let held = HANDS.iter().rev().find(|(_, first)| *first <= number - BOARD);
            term(HELD + held.map_or(0, |&(piece, _)| piece as usize), sign);
            continue;
        }
        let (kind, square) = (number / SQUARES, number % SQUARES);
        let rank = |square: usize| if side == 0 { square % 9 } else { 8 - square % 9 };
        term(PLACED + 9 * kind + rank(square), sign);
        for (of, king) in kings.into_iter().enumerate() {
            if let Some(king) = king {
                let files = (square / 9).abs_diff(king / 9);
                let ahead = rank(square) + 8 - rank(king);
                let table = if of == side { GUARD } else { THREAT };
                term(table + RELATIVE * kind + 17 * files + ahead, sign);
            }
        }
    }
}

/// The terms as text.
struct Text {
    name: String,
    numbers: Vec<i16>,
}

impl Quantised for Text {
    /// As [`Tables::parse`] reads it: `eval/src/psq/tables.txt`.
    fn encode(&self) -> Vec<u8> {
        let mut text = format!(
            "# The terms of the piece-square evaluation in centipawns, in the order of `Tables`.\n\
             # Made by `enbu train --shape piece-square`, not by hand: {}.\n",
            self.name.escape_debug()
        );
        for (part, range, width) in [
            ("tempo", TEMPO..HELD, 1),
            ("held", HELD..PLACED, 7),
            ("placed", PLACED..GUARD, 9),
            ("guard", GUARD..THREAT, 17),
            ("threat", THREAT..LENGTH, 17),
        ] {
            text += &format!("\n# {part}\n");
            for row in self.numbers[range].chunks(width) {
                text += &(row.iter().map(i16::to_string).collect::<Vec<_>>().join(" ") + "\n");
            }
        }
        text.into_bytes()
    }

    fn value(&self, entry: &Entry) -> f64 {
        let mut sum = 0;
        terms(entry, |place, sign| sum += i32::from(sign) * i32::from(self.numbers[place]));
        f64::from(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::tests::{check_gradient, entries};

    fn plain_output(_: &PieceSquare, parameters: &[f32], entry: &Entry) -> f64 {
        let mut sum = 0.0;
        terms(entry, |place, sign| sum += f64::from(sign) * f64::from(parameters[place]));
        sum
    }

    #[test]
    fn gradients_are_the_slopes_of_the_output() {
        let mut tried = Vec::new();
        entries().iter().for_each(|entry| terms(entry, |place, _| tried.push(place)));
        check_gradient(&PieceSquare, tried.into_iter().step_by(2), plain_output);
    }

    #[test]
    fn tables_are_read_from_their_text() {
        let each: Vec<i16> = (0..LENGTH as i16).map(|number| number - 99).collect();
        assert_eq!((numbers(&TABLES).len(), LENGTH), (LENGTH, each.len()));
        let text = Text { name: "a\nb".into(), numbers: each.clone() }.encode();
        let text = String::from_utf8(text).expect("text");
        assert!(text.contains(": a\\nb.\n") && text.contains("\n# tempo\n-99\n"), "{text}");
        assert_eq!(numbers(&Tables::parse(&text)), each);
    }
}

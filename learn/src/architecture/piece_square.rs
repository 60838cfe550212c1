//! The piece-square evaluation: one term for each piece on the board or in hand, fitted
//! like a network (Texel's tuning method, Österlund 2014). See [`enbu_eval::psq`].

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::own::INPUTS;
use enbu_eval::psq::{Relative, TABLES, Tables};
use enbu_movegen::{HandPiece, PieceType};

use super::{Architecture, Fill, Grid, Quantised, Room};
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

/// The number of parameters.
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

impl PieceSquare {
    /// The evaluation, if a checkpoint's code is its.
    pub(crate) fn from_code(code: [u32; 4]) -> Option<Self> {
        (code == CODE).then_some(Self)
    }
}

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
    fn ranges(&self, scale: f32) -> Vec<(Range<usize>, Grid)> {
        vec![(0..LENGTH, Grid { unit: scale, limit: 10_000.0 / scale })]
    }

    /// Each term is a sum over thousands of positions; the large epsilon keeps the rare
    /// ones where they are until the evidence against them is strong.
    fn epsilon(&self) -> f32 {
        1e-4
    }

    /// Starts from the terms in use.
    fn fill(&self, fill: &mut Fill<'_>, scale: f32) {
        fill.values.iter_mut().zip(numbers(&TABLES)).for_each(|(value, number)| *value = f32::from(number) / scale);
    }

    #[inline(always)]
    fn forward(&self, parameters: &[f32], entry: &Entry, _room: &mut Room) -> f32 {
        let mut sum = 0.0;
        terms(entry, |place, sign| sum += f32::from(sign) * parameters[place]);
        sum
    }

    #[inline(always)]
    fn backward(&self, _: &[f32], entry: &Entry, slope: f32, _: &mut Room, gradient: &mut [f32]) {
        terms(entry, |place, sign| gradient[place] += f32::from(sign) * slope);
    }

    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Box<dyn Quantised>, QuantiseError> {
        let tables = tables(&words(parameters, 0..LENGTH, scale, i16::MAX)?);
        Ok(Box::new(Source { name: name.to_owned(), tables }))
    }
}

/// The terms of `tables` in centipawns, in the order of the parameters.
fn numbers(tables: &Tables) -> Vec<i16> {
    let relative = |table: &[Relative; PieceType::COUNT]| table.as_flattened().as_flattened().to_vec();
    let Tables { tempo, held, placed, guard, threat } = tables;
    [&[*tempo], &held[..], placed.as_flattened(), &relative(guard), &relative(threat)].concat()
}

/// The inverse of [`numbers`]; missing terms are 0.
fn tables(numbers: &[i16]) -> Tables {
    let mut rest = numbers.iter().copied();
    let mut next = || rest.next().unwrap_or(0);
    Tables {
        tempo: next(),
        held: std::array::from_fn(|_| next()),
        placed: std::array::from_fn(|_| std::array::from_fn(|_| next())),
        guard: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| next()))),
        threat: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| next()))),
    }
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

/// The tables as source text.
struct Source {
    name: String,
    tables: Tables,
}

impl Quantised for Source {
    fn encode(&self) -> Vec<u8> {
        source(&self.tables, &self.name).into_bytes()
    }

    fn value(&self, entry: &Entry) -> f64 {
        let numbers = numbers(&self.tables);
        let mut sum = 0;
        terms(entry, |place, sign| sum += i32::from(sign) * i32::from(numbers[place]));
        f64::from(sum)
    }
}

/// The tables as Rust source, `eval/src/psq/tables.rs`.
fn source(tables: &Tables, name: &str) -> String {
    let Tables { tempo, held, placed, guard, threat } = tables;
    let [guard, threat] = [guard, threat].map(|relative| relative.iter().map(kind).collect::<String>());
    format!(
        "//! The numbers of the piece-square evaluation, in centipawns.\n//!\n\
         //! Made by `enbu train --shape piece-square`, not by hand: {name}.\n\n\
         use super::terms::Tables;\n\n\
         /// The numbers in use.\n\
         #[rustfmt::skip]\n\
         pub static TABLES: Tables = Tables {{\n    \
             tempo: {tempo},\n    held: {held:?},\n    \
             placed: [\n{}    ],\n    guard: [\n{guard}    ],\n    threat: [\n{threat}    ],\n\
         }};\n",
        placed.iter().map(|row| format!("        {row:?},\n")).collect::<String>(),
    )
}

/// Rust source text of the terms of one piece, a line for each distance in files.
fn kind(relative: &Relative) -> String {
    let rows: String = relative.iter().map(|row| format!("            {row:?},\n")).collect();
    format!("        [\n{rows}        ],\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::slopes::{check_gradient, entries};

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
    fn tables_are_their_numbers() {
        assert_eq!(numbers(&TABLES).len(), LENGTH);
        assert_eq!(tables(&numbers(&TABLES)), TABLES);
        let each: Vec<i16> = (0..LENGTH as i16).collect();
        assert_eq!(numbers(&tables(&each)), each);
    }

    #[test]
    fn tables_become_source_text() {
        let text = source(&TABLES, "a");
        let held = format!("    held: {:?},\n", TABLES.held);
        assert!(text.contains(&held) && text.contains(&format!("            {:?},\n", TABLES.threat[0][1])), "{text}");
        assert_eq!(text.lines().count(), 13 + (14 + 1) + 2 * (1 + 14 * 11 + 1));
    }
}

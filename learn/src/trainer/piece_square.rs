//! The piece-square evaluation: a sum of one number for each thing that stands on the
//! board or in hand, fitted like a network (Texel's tuning method, Österlund 2014).
//! See [`enbu_eval::psq`].

use std::ops::Range;

use enbu_eval::nnue::own::INPUTS;
use enbu_eval::psq::{Relative, TABLES, Tables};
use enbu_movegen::{HandPiece, PieceType};

use super::model::Grid;
use crate::dataset::Entry;

const SQUARES: usize = 81;
const KING: usize = PieceType::King as usize;
/// Numbers of the terms relative to one king.
const RELATIVE: usize = 9 * 17;

/// Where the numbers of [`Tables`] stand.
const TEMPO: usize = 0;
const HELD: usize = 1;
const PLACED: usize = HELD + 7;
const GUARD: usize = PLACED + 9 * PieceType::COUNT;
const THREAT: usize = GUARD + RELATIVE * PieceType::COUNT;

/// How many there are.
pub(super) const LENGTH: usize = THREAT + RELATIVE * PieceType::COUNT;

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

/// All numbers are centipawns in whole, an output of 1.0 is `scale` of them.
pub(super) fn grids(scale: f32) -> Vec<(Range<usize>, Grid)> {
    vec![(0..LENGTH, Grid { unit: scale, limit: 10_000.0 / scale })]
}

/// The numbers of `tables`, of which each is in centipawns, in our order.
pub(crate) fn numbers(tables: &Tables) -> Vec<i16> {
    let relative = |table: &[Relative; PieceType::COUNT]| table.as_flattened().as_flattened().to_vec();
    let Tables { tempo, held, placed, guard, threat } = tables;
    [&[*tempo], &held[..], placed.as_flattened(), &relative(guard), &relative(threat)].concat()
}

/// The inverse of [`numbers`]; what is missing is 0.
pub(crate) fn tables(numbers: &[i16]) -> Tables {
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

/// Training begins with the numbers in use.
pub(super) fn fill(values: &mut [f32], scale: f32) {
    values.iter_mut().zip(numbers(&TABLES)).for_each(|(value, number)| *value = f32::from(number) / scale);
}

/// Calls `term` with the place of each number that counts for the side to move (1) or
/// against it (-1).
#[inline(always)]
pub(crate) fn terms(entry: &Entry, mut term: impl FnMut(usize, i8)) {
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

/// The value of a position for the side to move.
#[inline(always)]
pub(super) fn forward(used: &[f32], entry: &Entry) -> f32 {
    let mut sum = 0.0;
    terms(entry, |place, sign| sum += f32::from(sign) * used[place]);
    sum
}

/// Adds the gradient of one position times `slope`, the derivative of the loss by the
/// value.
#[inline(always)]
pub(super) fn backward(entry: &Entry, slope: f32, gradient: &mut [f32]) {
    terms(entry, |place, sign| gradient[place] += f32::from(sign) * slope);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::Shape;
    use crate::trainer::gradient::tests::{check_gradient, entries};
    use crate::trainer::model::Model;

    fn plain_output(model: &Model, entry: &Entry) -> f64 {
        let mut sum = 0.0;
        terms(entry, |place, sign| sum += f64::from(sign) * f64::from(model.used[place]));
        sum
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let mut tried = Vec::new();
        entries().iter().for_each(|entry| terms(entry, |place, _| tried.push(place)));
        let model = Model::random(Shape::PieceSquare, 400.0, 3);
        check_gradient(model, tried.into_iter().step_by(2), plain_output);
    }

    #[test]
    fn tables_are_their_numbers() {
        assert_eq!(numbers(&TABLES).len(), LENGTH);
        assert_eq!(tables(&numbers(&TABLES)), TABLES);
        let each: Vec<i16> = (0..LENGTH as i16).collect();
        assert_eq!(numbers(&tables(&each)), each);
    }
}

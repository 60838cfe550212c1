//! The piece-square evaluation: one term for each piece on the board or in hand, fitted
//! like a network (Texel's tuning method, Österlund 2014). See [`enbu_eval::psq`].

use enbu_eval::nnue::own::Place;
use enbu_eval::psq::{COUNT, GUARD, HELD, PLACED, RELATIVE, TEMPO, TERMS, THREAT, relative};
use enbu_movegen::{Color, Piece, PieceType};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Architecture, Grid, Part, Workspace};
use crate::diagram::PLACES;
use crate::entry::Entry;
use crate::quantise::{QuantiseError, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PieceSquare;

impl Architecture for PieceSquare {
    fn name(&self) -> String {
        "piece-square".into()
    }

    fn code(&self) -> [u32; 4] {
        [2, 0, 0, 0]
    }

    fn len(&self) -> usize {
        COUNT
    }

    /// All terms are whole centipawns; an output of 1.0 is `scale` of them.
    fn parts(&self, scale: f32) -> Vec<Part> {
        vec![(0..COUNT, Grid { unit: scale, limit: 10_000.0 / scale }, [0.0, 0.0])]
    }

    /// Each term is a sum over thousands of positions; the large epsilon keeps the rare
    /// ones where they are until the evidence against them is strong.
    fn epsilon(&self) -> f32 {
        1e-4
    }

    /// Starts from the terms in use.
    fn fill(&self, _: &mut Xoshiro256PlusPlus, scale: f32) -> Vec<f32> {
        TERMS.into_iter().map(|number| f32::from(number) / scale).collect()
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

    /// As [`enbu_eval::psq::parse`] reads it: `eval/src/psq/tables.txt`.
    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Vec<u8>, QuantiseError> {
        let numbers = words(parameters, 0..COUNT, scale)?;
        let mut text = format!(
            "# The terms of the piece-square evaluation in centipawns, in the order of `Tables`.\n\
             # Made by `enbu train --shape piece-square`, not by hand: {}.\n",
            name.escape_debug()
        );
        for (part, range, width) in [
            ("tempo", TEMPO..HELD, 1),
            ("held", HELD..PLACED, 7),
            ("placed", PLACED..GUARD, 9),
            ("guard", GUARD..THREAT, 17),
            ("threat", THREAT..COUNT, 17),
        ] {
            text += &format!("\n# {part}\n");
            for row in numbers[range].chunks(width) {
                text += &(row.iter().map(i16::to_string).collect::<Vec<_>>().join(" ") + "\n");
            }
        }
        Ok(text.into_bytes())
    }
}

/// Calls `term` with the index of each parameter that the value is the sum of, and its
/// sign: 1 for the side to move, -1 for the other side.
#[inline(always)]
fn terms(entry: &Entry, mut term: impl FnMut(usize, i8)) {
    term(TEMPO, 1);
    let places = || entry.own_view().iter().map(|&input| PLACES[usize::from(input)]);
    let mut kings = [None; 2];
    for place in places() {
        if let Place::Board(Piece { color, kind: PieceType::King }, square) = place {
            kings[color] = Some(square);
        }
    }
    let sign = |color| if color == Color::Black { 1 } else { -1 };
    for place in places() {
        let (color, kind, square) = match place {
            Place::Board(Piece { color, kind }, square) => (color, kind as usize, square),
            Place::Hand(color, piece, _) => {
                term(HELD + piece as usize, sign(color));
                continue;
            }
        };
        term(PLACED + 9 * kind + usize::from(square.relative_rank(color)) - 1, sign(color));
        for (of, king) in Color::ALL.into_iter().zip(kings) {
            if let Some(king) = king {
                let table = if of == color { GUARD } else { THREAT };
                term(table + RELATIVE * kind + usize::from(relative(color, king, square)), sign(color));
            }
        }
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
        let each: Vec<i16> = (0..COUNT as i16).map(|number| number - 99).collect();
        let parameters: Vec<f32> = each.iter().map(|&number| f32::from(number) / 600.0).collect();
        let text = PieceSquare.quantise(&parameters, 600.0, "a\nb").expect("fits");
        let text = String::from_utf8(text).expect("text");
        assert!(text.contains(": a\\nb.\n") && text.contains("\n# tempo\n-99\n"), "{text}");
        assert_eq!(enbu_eval::psq::parse(&text).as_slice(), each);
    }
}

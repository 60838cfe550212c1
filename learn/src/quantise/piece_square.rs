//! The numbers of the piece-square evaluation.

use enbu_eval::psq::{Relative, Tables};

use super::{QuantiseError, words};
use crate::dataset::Entry;
use crate::trainer::model::Model;
use crate::trainer::piece_square::{numbers, tables, terms};

/// The tables; the numbers that judge are rounded.
pub(super) fn parts(model: &Model) -> Result<Tables, QuantiseError> {
    Ok(tables(&words(model, 0..model.used.len(), model.scale, i16::MAX)?))
}

/// The value in centipawns that the tables give a position.
pub(super) fn value(tables: &Tables, entry: &Entry) -> f64 {
    let numbers = numbers(tables);
    let mut sum = 0;
    terms(entry, |place, sign| sum += i32::from(sign) * i32::from(numbers[place]));
    f64::from(sum)
}

/// The tables as the evaluation's source holds them.
pub(super) fn source(tables: &Tables, name: &str) -> String {
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

/// The terms of one piece, a line for each distance in files.
fn kind(relative: &Relative) -> String {
    let rows: String = relative.iter().map(|row| format!("            {row:?},\n")).collect();
    format!("        [\n{rows}        ],\n")
}

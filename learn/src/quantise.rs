//! Parameters in the integers of a file.

use std::ops::Range;

/// The index of a parameter that does not fit its file: it is not finite, or too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parameter {0} of the network does not fit its file")]
pub struct QuantiseError(pub usize);

/// A range of parameters in integers, `unit` = 1.0, within ±`limit`.
pub(crate) fn whole(parameters: &[f32], range: Range<usize>, unit: f32, limit: i32) -> Result<Vec<i32>, QuantiseError> {
    let number = |index: usize| {
        let value = (f64::from(parameters[index]) * f64::from(unit)).round();
        if value.abs() <= f64::from(limit) { Ok(value as i32) } else { Err(QuantiseError(index)) }
    };
    range.map(number).collect()
}

/// A range of parameters in 16-bit integers, see [`whole`].
pub(crate) fn words(parameters: &[f32], range: Range<usize>, unit: f32) -> Result<Vec<i16>, QuantiseError> {
    Ok(whole(parameters, range, unit, i16::MAX.into())?.into_iter().map(|word| word as i16).collect())
}

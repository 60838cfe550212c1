//! Parameters in the integers of a file.

use std::ops::Range;

/// The reason why a network does not fit its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum QuantiseError {
    /// It is not finite, or too large.
    #[error("parameter {index} of the network does not fit its file")]
    Number { index: usize },
    /// The sum is that of absolute values, 64 = 1.0.
    #[error("the output weights of bucket {bucket} are {sum} together, more than {limit}")]
    Outputs { bucket: usize, sum: i64, limit: i64 },
}

/// A range of parameters in integers, `unit` = 1.0, within ±`limit`.
pub(crate) fn whole(parameters: &[f32], range: Range<usize>, unit: f32, limit: i32) -> Result<Vec<i32>, QuantiseError> {
    let number = |index: usize| {
        let value = (f64::from(parameters[index]) * f64::from(unit)).round();
        if value.abs() <= f64::from(limit) { Ok(value as i32) } else { Err(QuantiseError::Number { index }) }
    };
    range.map(number).collect()
}

/// A range of parameters in 16-bit integers, see [`whole`].
pub(crate) fn words(parameters: &[f32], range: Range<usize>, unit: f32, limit: i16) -> Result<Vec<i16>, QuantiseError> {
    Ok(whole(parameters, range, unit, limit.into())?.into_iter().map(|word| word as i16).collect())
}

//! The outcome of reading a file.

use crate::error::{KifuError, Problem, Problems, Reporter};
use crate::lines::split_line;
use crate::record::Record;

/// The content of a file: its records, errors and warnings.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The games and positions, in the order of the file; at least one.
    pub records: Vec<Record>,
    /// Damages: each broke off a game or cost it wholly.
    pub errors: Problems,
    /// Deviations that did no harm.
    pub warnings: Problems,
}

impl Reporter {
    /// Ends a reading of `text` that found these records.
    ///
    /// # Errors
    /// When there are none: the first damage, or else [`Problem::NoRecord`].
    pub(crate) fn finish(self, records: Vec<Record>, text: &str) -> Result<Reading, KifuError> {
        let Self { warnings, errors, .. } = self;
        if records.is_empty() {
            let nothing = || KifuError::new(Problem::NoRecord, 1, 1, split_line(text).0);
            return Err(errors.first().cloned().unwrap_or_else(nothing));
        }
        Ok(Reading { records, errors, warnings })
    }
}

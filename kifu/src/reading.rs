//! The outcome of reading a file, and the notes of its reader.

use enbu_language::Words;

use crate::error::{KifuError, Mode, Problem, Problems};
use crate::lines::{columns, line_ends, offset_in, split_line};
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

/// A fault and the part of the text that it is about.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'t> {
    pub(crate) problem: Problem,
    part: &'t str,
    /// The offending text, if it is not `part`.
    quoted: Option<String>,
}

impl<'t> Fault<'t> {
    pub(crate) const fn new(problem: Problem, part: &'t str) -> Self {
        Self { problem, part, quoted: None }
    }

    /// Content that may not be here.
    pub(crate) const fn out_of_place(english: &'static str, japanese: &'static str, part: &'t str) -> Self {
        Self::new(Problem::OutOfPlace(Words(english, japanese)), part)
    }

    pub(crate) fn quoting(self, text: &str) -> Self {
        Self { quoted: Some(text.to_owned()), ..self }
    }
}

pub(crate) type Step<'t> = Result<(), Fault<'t>>;

/// Collects the faults of one reading, by the rules of its [`Mode`].
#[derive(Debug)]
pub(crate) struct Reporter<'t> {
    mode: Mode,
    text: &'t str,
    /// Byte of the fault that was located last, the number of its line and that line's start:
    /// faults are mostly in order, so that line ends are counted once.
    located: (usize, usize, usize),
    pub(crate) warnings: Problems,
    pub(crate) errors: Problems,
}

impl<'t> Reporter<'t> {
    /// For faults of parts of `text`.
    pub(crate) fn new(text: &'t str, mode: Mode) -> Self {
        Self { mode, text, located: (0, 1, 0), warnings: Problems::default(), errors: Problems::default() }
    }

    /// Notes a deviation that is an error only in strict mode.
    pub(crate) fn strictly(&self, fault: Fault<'t>) -> Step<'t> {
        match self.mode {
            Mode::Strict => Err(fault),
            Mode::Tolerant => Ok(()),
        }
    }

    /// Records a harmless deviation; in strict mode it is an error.
    pub(crate) fn warn(&mut self, fault: Fault<'t>) -> Step<'t> {
        let warning = self.tolerated(fault)?;
        self.warnings.push(warning);
        Ok(())
    }

    /// Notes a foul that the game passed over.
    pub(crate) fn foul(&mut self, foul: Option<&'t str>) -> Step<'t> {
        foul.map_or(Ok(()), |text| self.warn(Fault::new(Problem::IllegalMove, text)))
    }

    /// Notes a damage that cost (part of) a game; ends the reading in strict mode.
    pub(crate) fn error(&mut self, fault: Fault<'t>) -> Step<'t> {
        let error = self.tolerated(fault)?;
        self.errors.push(error);
        Ok(())
    }

    fn tolerated(&mut self, fault: Fault<'t>) -> Result<KifuError, Fault<'t>> {
        match self.mode {
            Mode::Strict => Err(fault),
            Mode::Tolerant => Ok(self.located(fault)),
        }
    }

    /// The fault with its line and column; line 1 for a part of another text.
    pub(crate) fn located(&mut self, fault: Fault<'_>) -> KifuError {
        let (last, mut line, mut start) = self.located;
        let byte = offset_in(self.text, fault.part).unwrap_or(0);
        let ends = line_ends(self.text.get(last.min(byte)..last.max(byte)).unwrap_or_default());
        if ends > 0 {
            line = if byte > last { line + ends } else { line - ends };
            start = self.text.get(..byte).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |end| end + 1);
        }
        self.located = (byte, line, start);
        let column = 1 + columns(self.text.get(start..byte).unwrap_or_default());
        KifuError::new(fault.problem, line, column, fault.quoted.as_deref().unwrap_or(fault.part))
    }

    /// Ends the reading, which found these records.
    ///
    /// # Errors
    /// The fault that ended it; without records the first damage, or else [`Problem::NoRecord`].
    pub(crate) fn finish(mut self, outcome: Step<'t>, records: Vec<Record>) -> Result<Reading, KifuError> {
        outcome.map_err(|fault| self.located(fault))?;
        let Self { warnings, errors, text, .. } = self;
        if records.is_empty() {
            let nothing = || KifuError::new(Problem::NoRecord, 1, 1, split_line(text).0);
            return Err(errors.first().cloned().unwrap_or_else(nothing));
        }
        Ok(Reading { records, errors, warnings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_located_over_every_line_end_and_in_any_order() {
        let text = "a\r\nb\rc\n あd";
        let parts = [&text[..1], &text[3..4], &text[5..6], &text[11..]];
        let places = [(1, 1), (2, 1), (3, 1), (4, 3)];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let mut report = Reporter::new(text, Mode::Tolerant);
            for at in order {
                let fault = report.located(Fault::new(Problem::MoveSyntax, parts[at]));
                assert_eq!((fault.line, fault.column, fault.text.as_str()), (places[at].0, places[at].1, parts[at]));
            }
        }
        let other = Reporter::new(text, Mode::Strict).located(Fault::new(Problem::MoveSyntax, "x"));
        assert_eq!((other.line, other.column), (1, 1));
    }
}

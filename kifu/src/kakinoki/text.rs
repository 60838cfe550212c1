//! Lines of a file with their positions.

use super::words::is_blank;
use crate::error::{KifuError, Problem};
use crate::lines::columns;

/// One line without surrounding blanks, with its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    number: usize,
    /// Column of the first character, from 1.
    column: usize,
}

impl<'t> Line<'t> {
    /// A line that has nothing to do with others, for texts given as one.
    pub(crate) fn new(line: &'t str, number: usize) -> Self {
        let text = line.trim_start_matches(is_blank);
        let blanks = line.get(..line.len() - text.len()).unwrap_or_default().chars().count();
        Self { text: text.trim_end_matches(is_blank), number, column: 1 + blanks }
    }

    /// A fault of the whole line.
    pub(crate) fn fault(&self, problem: Problem) -> KifuError {
        KifuError::new(problem, self.number, self.column, self.text)
    }

    /// A fault that begins where `part`, a part of the line, does.
    pub(crate) fn fault_at(&self, problem: Problem, part: &str) -> KifuError {
        // The part is the end of the line, or lies in it.
        let byte = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..byte).map_or(0, columns);
        KifuError::new(problem, self.number, self.column + before, part)
    }
}

/// A place in a text from which lines can be read, also again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'t> {
    rest: Option<&'t str>,
    number: usize,
    /// The text from the line that was read last.
    last: Option<&'t str>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: (!text.is_empty()).then_some(text), number: 0, last: None }
    }

    /// These lines, beginning with the one that was read last.
    pub(crate) fn with_last_again(mut self) -> Self {
        if let Some(last) = self.last.take() {
            self.rest = Some(last);
            self.number -= 1;
        }
        self
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        self.last = self.rest;
        let (line, rest) = crate::lines::split_line(self.rest?);
        self.rest = rest;
        self.number += 1;
        Some(Line::new(line, self.number))
    }
}

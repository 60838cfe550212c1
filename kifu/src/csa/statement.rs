//! Statements of a line and their parts, each with its place for messages.

use super::*;
use crate::error::KifuError;
use crate::lines::columns;

/// One statement of a line, with its place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement<'t> {
    pub(super) text: &'t str,
    /// The statement with trailing blanks, which are columns of a rank.
    pub(super) untrimmed: &'t str,
    line: usize,
    /// The line up to the statement.
    before: &'t str,
}

impl<'t> Statement<'t> {
    /// Column of the first character, from 1.
    fn column(&self) -> usize {
        1 + columns(self.before)
    }

    /// A fault of the whole statement.
    pub(super) fn fault(&self, problem: Problem) -> KifuError {
        KifuError::new(problem, self.line, self.column(), self.text)
    }

    /// A part of the statement that begins at this byte.
    pub(super) fn token(&self, byte: usize, part: &'t str) -> Token<'t> {
        let before = columns(self.text.get(..byte).unwrap_or(self.text));
        Token { text: part, line: self.line, column: self.column() + before }
    }

    /// A fault that begins at this byte and is about this part of the text.
    pub(super) fn fault_at(&self, problem: Problem, byte: usize, part: &str) -> KifuError {
        let before = columns(self.text.get(..byte).unwrap_or(self.text));
        KifuError::new(problem, self.line, self.column() + before, part)
    }
}

/// The statements of a line. Commas separate them, but names, headers and
/// comments take the rest of the line.
pub(super) fn statements(line: &str, number: usize) -> impl Iterator<Item = Statement<'_>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let start = rest?.trim_start();
        let end = match start.bytes().next() {
            Some(b'\'' | b'N' | b'$') => None,
            _ => start.bytes().position(|byte| byte == b','),
        };
        let untrimmed = end.and_then(|end| start.get(..end)).unwrap_or(start);
        rest = end.and_then(|end| start.get(end + 1..));
        let before = line.get(..line.len() - start.len()).unwrap_or(line);
        Some(Statement { text: untrimmed.trim_end(), untrimmed, line: number, before })
    })
    .filter(|statement| !statement.text.is_empty())
}

/// A part of a statement, with its place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Token<'_> {
    pub(super) fn fault(self, problem: Problem) -> KifuError {
        self.fault_at(problem, 0)
    }

    pub(super) fn fault_at(self, problem: Problem, chars: usize) -> KifuError {
        KifuError::new(problem, self.line, self.column + chars, self.text)
    }

    /// Square (`None` is the hand) and piece of a token such as `99KY`.
    pub(super) fn square_and_kind(self) -> Result<(Option<Square>, PieceType), KifuError> {
        let &[d1, d2, n1, n2] = self.text.as_bytes() else {
            return Err(self.fault(Problem::UnknownSquare));
        };
        let square = match [d1, d2] {
            [b'0', b'0'] => None,
            digits => Some(square_at(digits).ok_or_else(|| self.fault(Problem::UnknownSquare))?),
        };
        match piece_named([n1, n2]) {
            Some(kind) => Ok((square, kind)),
            None => Err(self.fault_at(Problem::UnknownPiece, 2)),
        }
    }
}

//! Places of parts of a document, for faults that show only when it is played.

use crate::error::{KifuError, Problem};

/// A step from a value to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The member of an object with this key.
    Member(&'static str),
    /// The element of an array with this number, from 0.
    Element(usize),
}

/// A document in its text.
#[derive(Debug)]
pub(super) struct Source<'t> {
    text: &'t str,
    /// The number of the document, where the text is a list of documents.
    index: usize,
    /// Lines of the file before the text.
    lines: usize,
    /// Remaining number of faults to locate; each costs a pass over the text.
    left: usize,
}

impl<'t> Source<'t> {
    /// Locates the faults of a text.
    const LOCATED: usize = 20;

    /// A text of valid JSON, one document or a list of them, which begins after so
    /// many lines of the file.
    pub(super) const fn new(text: &'t str, lines: usize) -> Self {
        Self { text, index: 0, lines, left: Self::LOCATED }
    }

    /// Goes to the document with this number of a list.
    pub(super) const fn select(&mut self, index: usize) {
        self.index = index;
    }

    /// A fault of the part to which these steps lead; where it cannot be found, of
    /// the whole text, which is not looked through again.
    pub(super) fn fault(&mut self, problem: Problem, path: &[Step]) -> KifuError {
        let found = if self.left > 0 { self.find(path) } else { None };
        self.left = self.left.saturating_sub(1);
        let Some(at) = found else { return KifuError::new(problem, self.lines + 1, 1, "") };
        let before = self.text.get(..at).unwrap_or_default();
        let line = self.lines + before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let offending = self.text.get(at..).unwrap_or_default();
        let end = value_end(offending.as_bytes(), 0).unwrap_or(offending.len());
        KifuError::new(problem, line, column, offending.get(..end).unwrap_or(offending))
    }

    fn find(&self, path: &[Step]) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = skip_blanks(bytes, 0);
        if bytes.get(at) == Some(&b'[') {
            at = element(bytes, at, self.index)?;
        }
        path.iter().try_fold(at, |at, step| match *step {
            Step::Member(key) => member(bytes, at, key),
            Step::Element(index) => element(bytes, at, index),
        })
    }
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// End of the value that begins at `at`.
fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for (index, &byte) in bytes.iter().enumerate().skip(at) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => {
                in_text = !in_text;
                if !in_text && depth == 0 {
                    return Some(index + 1);
                }
            }
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return Some(if depth == 0 { index } else { index + 1 }),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return Some(index),
            _ => {}
        }
    }
    Some(bytes.len())
}

/// Start of an element of the array at `at`.
fn element(bytes: &[u8], at: usize, index: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'[') {
        return None;
    }
    let mut at = skip_blanks(bytes, at + 1);
    for _ in 0..index {
        at = skip_blanks(bytes, value_end(bytes, at)?);
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        at = skip_blanks(bytes, at + 1);
    }
    Some(at)
}

/// Start of the value of a member of the object at `at`.
fn member(bytes: &[u8], at: usize, key: &str) -> Option<usize> {
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    let mut at = skip_blanks(bytes, at + 1);
    loop {
        let end = value_end(bytes, at)?;
        let found = bytes.get(at + 1..end.checked_sub(1)?)? == key.as_bytes();
        at = skip_blanks(bytes, end);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        at = skip_blanks(bytes, at + 1);
        if found {
            return Some(at);
        }
        at = skip_blanks(bytes, value_end(bytes, at)?);
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        at = skip_blanks(bytes, at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_any_layout() {
        let text = "[{},\n {\"a\" : \"x\\\"]\", \"moves\":[ {} , {\"forks\":[[1, 2],[\"three\", 4]]}]} ]";
        let mut source = Source::new(text, 10);
        source.select(1);
        let path = [Step::Member("moves"), Step::Element(1), Step::Member("forks"), Step::Element(1)];
        for (steps, line, offending) in [
            (&path[..], 12, "[\"three\", 4]"),
            (&path[..2], 12, "{\"forks\":[[1, 2],[\"three\", 4]]}"),
            (&[Step::Member("a")][..], 12, "\"x\\\"]\""),
        ] {
            let fault = source.fault(Problem::MoveSyntax, steps);
            assert_eq!((fault.line, fault.text.as_str()), (line, offending));
            assert_eq!(text.lines().nth(1).and_then(|line| line.find(offending)).map(|at| at + 1), Some(fault.column));
        }
        let four: Vec<Step> = path.iter().copied().chain([Step::Element(1)]).collect();
        assert_eq!(source.fault(Problem::MoveSyntax, &four).text, "4");
        let missing = source.fault(Problem::MoveSyntax, &[Step::Member("initial")]);
        assert_eq!((missing.line, missing.column), (11, 1));
        // Many faults do not cost many walks.
        for _ in 0..Source::LOCATED {
            source.fault(Problem::MoveSyntax, &path);
        }
        assert_eq!(source.fault(Problem::MoveSyntax, &path).text, "");
    }
}

//! The words of comments: the review words of CONTRIBUTING.md, counted.

use std::fmt::{self, Display};
use std::ops::AddAssign;

/// Words besides "what" that are habits here and rare elsewhere.
const REVIEW_WORDS: [&str; 5] = ["stands", "told", "tells", "behind", "nobody"];

/// Pairs of words of the same kind.
const REVIEW_PAIRS: [(&str, &str); 2] = [("so", "many"), ("at", "hand")];

/// First words that turn a doc comment into a riddle.
const QUESTIONS: [&str; 7] = ["What", "Whether", "How", "Who", "Which", "Where", "Why"];

/// Counts over the comments of some source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// Words in comments.
    pub words: usize,
    /// Occurrences of "what".
    pub what: usize,
    /// Occurrences of the other review words.
    pub others: usize,
    /// Blocks of doc comments.
    pub blocks: usize,
    /// Doc blocks that open with a question word or "The same".
    pub questions: usize,
}

impl Prose {
    /// Counts the comments of a Rust file; fenced code does not count.
    pub fn of(text: &str) -> Self {
        let mut prose = Self::default();
        let mut last = None;
        let mut previous_marker = "";
        let mut fenced = false;
        for line in text.lines() {
            let (marker, comment) = comment_of(line);
            if matches!(marker, "///" | "//!") && marker != previous_marker {
                prose.blocks += 1;
                prose.questions += usize::from(is_question(comment));
                fenced = false;
            }
            if marker != previous_marker {
                last = None;
            }
            previous_marker = marker;
            if comment.starts_with("```") {
                fenced = !fenced;
            } else if !fenced {
                for word in words(comment) {
                    prose.count(&word, last.as_deref());
                    last = Some(word);
                }
            }
        }
        prose
    }

    fn count(&mut self, word: &str, previous: Option<&str>) {
        self.words += 1;
        self.what += usize::from(word == "what");
        let pair = previous.is_some_and(|previous| REVIEW_PAIRS.contains(&(previous, word)));
        self.others += usize::from(pair || REVIEW_WORDS.contains(&word));
    }

    /// Occurrences of "what" in a thousand words.
    pub fn what_rate(&self) -> f64 {
        1000.0 * ratio(self.what, self.words)
    }

    /// Occurrences of the other review words in a thousand words.
    pub fn others_rate(&self) -> f64 {
        1000.0 * ratio(self.others, self.words)
    }

    /// Doc blocks in a hundred that open with a question word.
    pub fn question_rate(&self) -> f64 {
        100.0 * ratio(self.questions, self.blocks)
    }
}

impl AddAssign for Prose {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.what += other.what;
        self.others += other.others;
        self.blocks += other.blocks;
        self.questions += other.questions;
    }
}

impl Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "what {:5.2} (goal 2), others {:5.2} (goal 2) in 1000 of {:6} words; {:5.1} % (goal 5) of {:5} doc blocks open with a question word",
            self.what_rate(),
            self.others_rate(),
            self.words,
            self.question_rate(),
            self.blocks
        )
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The marker and the text of the comment on a line; both empty without a comment.
fn comment_of(line: &str) -> (&str, &str) {
    let trimmed = line.trim();
    let marker = ["//!", "///", "//"].into_iter().find(|marker| trimmed.starts_with(marker));
    if let Some(marker) = marker {
        return (marker, trimmed[marker.len()..].trim());
    }
    match trimmed.split_once(" // ") {
        // An odd number of quotes before it: the slashes are in a literal.
        Some((code, comment)) if code.matches('"').count().is_multiple_of(2) => ("after code", comment),
        _ => ("", ""),
    }
}

fn is_question(comment: &str) -> bool {
    let first = comment.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    QUESTIONS.contains(&first) || comment.starts_with("The same")
}

/// The words of a comment in lower case.
fn words(comment: &str) -> impl Iterator<Item = String> {
    let words = comment.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '_');
    words.filter(|word| word.contains(char::is_alphabetic)).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_comments_are_counted() {
        let prose = Prose::of(
            "//! What it stands\n//! for, so\n//! many.\n\n/// One word\n/// ```\n/// what\n/// ```\nfn f() {} // behind\nlet url = \"http: // what\";\n// nobody\n",
        );
        assert_eq!(prose, Prose { words: 10, what: 1, others: 4, blocks: 2, questions: 1 });
    }

    #[test]
    fn only_the_first_word_of_a_block_is_its_opening() {
        let prose = Prose::of(
            "/// The square.\n/// Which one.\nfn f();\n/// Which square.\n/// The same.\n\n/// The same as\nfn g();\n",
        );
        assert_eq!((prose.blocks, prose.questions), (3, 2));
    }
}

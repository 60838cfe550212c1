//! `engine_options.txt`: options that a file beside the executable sets and freezes.
//!
//! The forms are those that YaneuraOu reads, and comments:
//!
//! | line | effect |
//! |---|---|
//! | `Threads 4`, `Threads=4` | sets the option |
//! | `option name Threads type spin default 4 min 1 max 512` | sets it to the default of the declaration |
//! | `# text`, `// text`, `; text`, also after a value | none |
//!
//! A value extends to the end of the line, so that it may be a path with spaces. Of two
//! lines with the same option the first counts.

use std::io;
use std::path::Path;

use enbu_files::FileKind;

/// The file, beside the executable.
pub(crate) const NAME: &str = "engine_options.txt";

/// Marks that begin a comment, at the start of a line or after a blank.
const COMMENTS: [&str; 3] = ["#", "//", ";"];

/// The text of the file at `path`, in any encoding of Japanese; `None` if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let bytes = enbu_files::if_found(enbu_files::read(path, FileKind::Settings))?;
    Ok(bytes.map(|bytes| enbu_kifu::encoding::decode(&bytes).text.into()))
}

/// A line that sets an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment<'t> {
    /// Number of the line, from 1.
    pub(super) line: usize,
    pub(super) name: &'t str,
    /// Its value; `None` if the line has none.
    pub(super) value: Option<&'t str>,
}

pub(super) fn assignments(text: &str) -> impl Iterator<Item = Assignment<'_>> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let (name, value) = assignment(without_comment(line).trim())?;
        Some(Assignment { line: index + 1, name, value })
    })
}

fn without_comment(line: &str) -> &str {
    let begins_comment = |&(at, _): &(usize, char)| {
        let (before, rest) = line.split_at(at);
        COMMENTS.iter().any(|mark| rest.starts_with(mark)) && before.chars().next_back().is_none_or(char::is_whitespace)
    };
    let end = line.char_indices().find(begins_comment).map_or(line.len(), |(at, _)| at);
    line.get(..end).unwrap_or(line)
}

/// Name and value of a trimmed line; `None` for an empty one.
fn assignment(line: &str) -> Option<(&str, Option<&str>)> {
    if line.is_empty() {
        return None;
    }
    let (name, rest) = split_word(line);
    if name.eq_ignore_ascii_case("option") {
        return Some(declared(rest));
    }
    let value = rest.strip_prefix('=').unwrap_or(rest).trim();
    Some((name, Some(value).filter(|value| !value.is_empty())))
}

/// The first word, which a blank or `=` ends, and the rest from the next word or `=` on.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| letter.is_whitespace() || letter == '=').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

/// Name and default of a declaration, `name Threads type spin default 4 min 1 max 512`.
fn declared(text: &str) -> (&str, Option<&str>) {
    let name = after_word(text, "name").map_or("", |rest| split_word(rest).0);
    let value = after_word(text, "default").map(|rest| {
        let end = ["min", "max", "var"].iter().filter_map(|word| position_of(rest, word)).min();
        end.and_then(|end| rest.get(..end)).unwrap_or(rest).trim()
    });
    (name, value)
}

/// The text after the first occurrence of `word`.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.get(position_of(text, word)? + word.len()..).map(str::trim_start)
}

/// The offset of `word` in `text`, between blanks.
fn position_of(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(word.len()..).unwrap_or_default();
        before.chars().next_back().is_none_or(char::is_whitespace)
            && after.chars().next().is_none_or(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<(&str, Option<&str>)> {
        assignments(line).next().map(|found| (found.name, found.value))
    }

    #[test]
    fn every_form_gives_name_and_value() {
        for line in [
            "Threads 4",
            "Threads=4",
            "  Threads = 4 ",
            "Threads\t4\r",
            "Threads 4 // four",
            "Threads 4 # four",
            "Threads=4 ; four",
            "option name Threads type spin default 4",
            "option name Threads type spin default 4 min 1 max 512",
            "option  name  Threads  default  4",
        ] {
            assert_eq!(one(line), Some(("Threads", Some("4"))), "{line}");
        }
    }

    #[test]
    fn a_value_may_hold_blanks_and_marks() {
        for (line, value) in [
            ("EvalDir C:\\my eval", "C:\\my eval"),
            ("EvalDir=eval=2", "eval=2"),
            ("EvalDir a//b#c", "a//b#c"),
            ("option name EvalDir type string default my eval", "my eval"),
            ("EvalDir <empty>", "<empty>"),
        ] {
            assert_eq!(one(line), Some(("EvalDir", Some(value))), "{line}");
        }
        let rule = "option name EnteringKingRule type combo default TryRule var CSARule27 var TryRule";
        assert_eq!(one(rule), Some(("EnteringKingRule", Some("TryRule"))));
    }

    #[test]
    fn comments_and_empty_lines_set_nothing_and_count() {
        let text = "# a\n\n// b\n; c\n   \nThreads 1\r\nUSI_Hash\noption type spin\n";
        let found: Vec<_> = assignments(text).map(|found| (found.line, found.name, found.value)).collect();
        assert_eq!(found, [(6, "Threads", Some("1")), (7, "USI_Hash", None), (8, "", None)]);
    }
}

//! Words, numbers, and quoting malformed input.
//!
//! A USI line is a sequence of words between blanks (spaces, tabs, the `\r` of a
//! Windows line end). Input may hold any bytes; output is ASCII, except for names and
//! paths in texts, which are UTF-8.

use std::borrow::Cow;
use std::fmt::Write as _;

pub use enbu_kifu::markup::is_shown;
pub use enbu_movegen::whole_number as number;

/// The most characters of an offending text that a message repeats.
const QUOTE_CHARS: usize = 40;

/// A line being read word by word.
///
/// ```
/// use enbu_usi::token::Words;
/// let mut words = Words::new("  setoption\tname  BookDir value C:/my books\r");
/// assert_eq!(words.next(), Some("setoption"));
/// assert_eq!(words.peek(), Some("name"));
/// words.nth(2);
/// assert_eq!(words.rest(), "C:/my books");
/// ```
#[derive(Clone, Debug)]
pub struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub fn new(line: &'a str) -> Self {
        Self { rest: line.trim_ascii() }
    }

    /// The next word, left unread.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The value that `read` gives for the next word, which is left unread without one.
    pub(crate) fn next_as<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let value = read(self.peek()?)?;
        self.next();
        Some(value)
    }

    /// The words before the first that is not `wanted`, which is left unread.
    pub(crate) fn take_while_peeked(&mut self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'a str> {
        std::iter::from_fn(move || self.next_as(|word| wanted(word).then_some(word)))
    }

    /// The unread rest of the line, without blanks at its ends.
    pub const fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (word, rest) = self.rest.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((self.rest, ""));
        self.rest = rest.trim_ascii_start();
        if word.is_empty() { None } else { Some(word) }
    }
}

/// Reads a whole number that cannot be negative; negative ones count as 0.
pub fn unsigned(word: &str) -> Option<u64> {
    number(word).map(|value| u64::try_from(value).unwrap_or(0))
}

/// `text` with everything but printable ASCII written as `\u{hex}`; tabs become spaces.
///
/// ```
/// use enbu_usi::token::ascii;
/// assert_eq!(ascii("a\tb\u{6b69}"), "a b\\u{6b69}");
/// ```
pub fn ascii(text: &str) -> Cow<'_, str> {
    escape_unless(text, |letter| letter == ' ' || letter.is_ascii_graphic())
}

/// `text` with control and formatting characters written as `\u{hex}`: the result neither ends
/// the line nor changes the display of the rest. Tabs become spaces.
///
/// ```
/// use enbu_usi::token::printable;
/// assert_eq!(printable("\u{6b69}.bin\n"), "\u{6b69}.bin\\u{a}");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    escape_unless(text, is_shown)
}

fn escape_unless(text: &str, shown: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&shown) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => escaped.push(' '),
            _ if shown(letter) => escaped.push(letter),
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(escaped, "{}", letter.escape_unicode());
            }
        }
    }
    Cow::Owned(escaped)
}

/// The first 40 characters of `text` between backticks; in ASCII where a program reads them.
///
/// ```
/// use enbu_usi::token::quote;
/// assert_eq!(quote("12x"), "`12x`");
/// assert_eq!(quote(&"9".repeat(100_000)).len(), 45);
/// ```
pub fn quote(text: &str) -> String {
    let shown = if enbu_language::is_unchosen() { ascii } else { printable };
    match text.char_indices().nth(QUOTE_CHARS) {
        Some((end, _)) => format!("`{}...`", shown(text.get(..end).unwrap_or_default())),
        None => format!("`{}`", shown(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_any_run_of_blanks() {
        let words = |line| Words::new(line).collect::<Vec<_>>();
        assert_eq!(words(" \t go  depth\t5 \r"), ["go", "depth", "5"]);
        assert_eq!(words("\r"), [""; 0]);
        assert_eq!(words(""), [""; 0]);
    }

    #[test]
    fn the_rest_of_a_line_keeps_its_inner_blanks() {
        let mut words = Words::new("a  b  c \r");
        assert_eq!(words.next(), Some("a"));
        assert_eq!(words.rest(), "b  c");
        assert_eq!(words.peek(), Some("b"));
        assert_eq!(words.rest(), "b  c");
    }

    #[test]
    fn numbers_saturate_and_half_numbers_are_refused() {
        for (word, value) in [
            ("0", 0),
            ("-0", 0),
            ("+7", 7),
            ("007", 7),
            ("9223372036854775807", i64::MAX),
            ("9223372036854775808", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("-9223372036854775809", i64::MIN),
            ("9999999999999999999999999999999999999999", i64::MAX),
        ] {
            assert_eq!(number(word), Some(value), "{word}");
        }
        for word in ["", "-", "+", "12x", "1e9", "1.5", "0x10", "--1", "+-1", "1_000", "\u{ff11}", "abc"] {
            assert_eq!(number(word), None, "{word}");
        }
        assert_eq!(unsigned("-5"), Some(0));
        assert_eq!(unsigned("5"), Some(5));
    }

    #[test]
    fn printable_text_stays_on_its_line_and_in_its_order() {
        for shown in ["", "a b", "C:\\\u{5c06}\u{68cb}\\nn.bin", "\u{e9}\u{1f600}"] {
            assert!(matches!(printable(shown), Cow::Borrowed(text) if text == shown));
        }
        for hidden in ["\n", "\r", "\0", "\u{7f}", "\u{85}", "\u{9b}", "\u{2028}", "\u{202e}", "\u{2066}", "\u{feff}"] {
            assert!(printable(hidden).starts_with("\\u{"), "{hidden:?}");
        }
        assert_eq!(printable("a\tb"), "a b");
    }

    #[test]
    fn quotes_are_short_and_ascii() {
        assert_eq!(quote("\u{fffd}\u{7}"), "`\\u{fffd}\\u{7}`");
        assert_eq!(quote(&"a".repeat(40)).len(), 42);
        assert_eq!(quote(&"a".repeat(41)), format!("`{}...`", "a".repeat(40)));
        assert!(quote(&"\u{6b69}".repeat(100)).is_ascii());
    }
}

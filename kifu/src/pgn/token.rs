//! The words of a PGN file.

use enbu_language::Words;

use crate::end::GameResult;
use crate::terms::Naming;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// `[Name "value"]`, the value as it is written.
    Tag { name: &'t str, value: &'t str },
    /// The text between braces or after `;`.
    Comment(&'t str),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `$5`.
    Nag(&'t str),
    /// The times of PSN after a move: `00:03 / 00:01:03`.
    Time(&'t str),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'t str),
    /// Anything else: a move, with or without a suffix; move numbers are left out.
    Word(&'t str),
    /// A tag, comment or the like that is not closed.
    Unclosed(Words, &'t str),
    /// A bracket that is no tag.
    Odd(&'t str),
}

/// Things that begin with a bracket or a brace.
pub(super) const TAG: Words = Words("tag", "タグ");
const COMMENT: Words = Words("comment", "コメント");

/// Reads words one after the other, each with the part of the text that it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// No comment from here on is closed; another search would only cost time.
    unclosed: bool,
}

const RESULTS: [&str; 4] = ["1/2-1/2", "1-0", "0-1", "*"];

impl<'t> Tokens<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, at: 0, unclosed: false }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes on by this many bytes.
    fn skip(&mut self, bytes: usize) -> &'t str {
        let part = self.text.get(self.at..self.at + bytes).unwrap_or_default();
        self.at += part.len();
        part
    }

    /// Goes on to the end of the line.
    fn skip_line(&mut self) -> &'t str {
        let rest = self.rest();
        self.skip(rest.find(['\n', '\r']).unwrap_or(rest.len()))
    }

    fn past(&mut self, bytes: usize, token: Token<'t>) -> Token<'t> {
        self.skip(bytes);
        token
    }

    fn begins_line(&self) -> bool {
        self.text.get(..self.at).is_some_and(|before| before.is_empty() || before.ends_with(['\n', '\r']))
    }

    /// Blanks, lines that begin with `%`, and move numbers.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.skip(blank);
            } else if rest.starts_with('%') && self.begins_line() {
                self.skip_line();
            } else {
                return;
            }
        }
    }

    fn tag(&mut self) -> Token<'t> {
        let rest = self.rest();
        let inside = rest.get(1..).unwrap_or_default();
        let name_start = inside.trim_start();
        let name_end =
            name_start.find(|c: char| c.is_whitespace() || "\"[]{}()".contains(c)).unwrap_or(name_start.len());
        let (name, tail) = name_start.split_at_checked(name_end).unwrap_or_default();
        let tail = tail.trim_start();
        let (Some(value), false) = (tail.strip_prefix('"'), name.is_empty()) else {
            let end = rest.find([']', '\n', '\r']).map_or(rest.len(), |end| end + 1);
            return Token::Odd(self.skip(end));
        };
        let Some(end) = closing_quote(value) else { return Token::Unclosed(TAG, self.skip_line()) };
        let after = value.get(end + 1..).unwrap_or_default().trim_start();
        self.skip(rest.len() - after.len() + usize::from(after.starts_with(']')));
        Token::Tag { name, value: value.get(..end).unwrap_or_default() }
    }

    fn comment(&mut self) -> Token<'t> {
        let rest = self.rest();
        let end = if self.unclosed { None } else { rest.find('}') };
        self.unclosed |= end.is_none();
        match end {
            Some(end) => Token::Comment(self.skip(end + 1).get(1..end).unwrap_or_default()),
            // Where another game follows, the comment ends before it.
            None => Token::Unclosed(COMMENT, self.skip(next_game(rest).unwrap_or(rest.len()))),
        }
    }

    fn word(&mut self) -> Token<'t> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '$'))
            .unwrap_or(rest.len());
        let mut word = rest.get(..end).unwrap_or_default();
        if GameResult::named(word, Naming::Pgn).is_some() {
            return Token::Result(self.skip(end));
        }
        // Numbers, glued to their moves or not: `1.`, `2...`.
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = word.get(digits..).unwrap_or_default();
        let dots = numbered.len() - numbered.trim_start_matches(['.', '…']).len();
        if digits + dots > 0 && (dots > 0 || digits == word.len()) {
            self.skip(digits + dots);
            return Token::Word("");
        }
        // A result glued to a move.
        let glued =
            RESULTS.into_iter().find_map(|result| word.strip_suffix(result).filter(|before| !before.is_empty()));
        word = glued.unwrap_or(word);
        if word.is_empty() {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            return Token::Odd(self.skip(length));
        }
        Token::Word(self.skip(word.len()))
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = (Token<'t>, &'t str);

    fn next(&mut self) -> Option<(Token<'t>, &'t str)> {
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let start = self.at;
            let token = match rest.as_bytes().first()? {
                b'[' => self.tag(),
                b'{' => self.comment(),
                b';' => Token::Comment(self.skip_line().get(1..).unwrap_or_default()),
                b'(' if let Some(inside) = time(rest) => self.past(inside.len() + 2, Token::Time(inside)),
                b'(' => self.past(1, Token::Open),
                b')' => self.past(1, Token::Close),
                b'$' => {
                    let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
                    Token::Nag(self.skip(1 + digits).get(1..).unwrap_or_default())
                }
                _ => self.word(),
            };
            if token != Token::Word("") {
                return Some((token, self.text.get(start..self.at).unwrap_or_default()));
            }
        }
    }
}

/// The text in the brackets at the start, if it is times: digits, colons and a slash.
fn time(text: &str) -> Option<&str> {
    let inside = text.get(1..text.find(')')?)?;
    let fits = inside.bytes().all(|byte| byte.is_ascii_digit() || b":/. ".contains(&byte));
    (fits && inside.contains(':')).then_some(inside)
}

/// The byte of the quote that closes a value; values end with their line.
fn closing_quote(value: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Position of a line that begins with a tag.
fn next_game(text: &str) -> Option<usize> {
    let mut starts = text.match_indices(['\n', '\r']).map(|(end, _)| end + 1);
    starts.find(|&at| text.get(at..).is_some_and(|line| line.starts_with("[Event ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        Tokens::new(text).map(|(token, _)| token).collect()
    }

    #[test]
    fn words_of_every_kind() {
        use Token::{Close, Comment, Nag, Odd, Open, Result, Tag, Unclosed, Word};
        assert_eq!(
            tokens("[ A  \"b\\\"]\" ]1.Pc4 $1(2...Ph5!?)*{x;(}; y\n%z\n3.B@f5* 1-0"),
            [
                Tag { name: "A", value: "b\\\"]" },
                Word("Pc4"),
                Nag("1"),
                Open,
                Word("Ph5!?"),
                Close,
                Result("*"),
                Comment("x;("),
                Comment(" y"),
                Word("B@f5"),
                Result("*"),
                Result("1-0"),
            ]
        );
        assert_eq!(tokens("[Event \"x\n1. Pc4"), [Unclosed(TAG, "[Event \"x"), Word("Pc4")]);
        assert_eq!(tokens("{x\n[Event \"a\"]"), [Unclosed(COMMENT, "{x\n"), Tag { name: "Event", value: "a" }]);
        assert_eq!(tokens("[] } $"), [Odd("[]"), Odd("}"), Nag("")]);
        assert_eq!(tokens("P-76 P*45 B'45 1. *"), [Word("P-76"), Word("P*45"), Word("B'45"), Result("*")]);
    }
}

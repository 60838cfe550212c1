//! Text for people: nothing in it controls a terminal.
//!
//! Names of files, engines, players and servers are text of others. Written to a terminal
//! as they are, their control characters could clear it, rename it or type into it; those
//! that turn the direction of writing could hide a part. All messages pass through
//! [`Escaping`], and so does standard output, but for the data of `convert` and `analyse` in
//! files and pipes.

use std::fmt::Display;
use std::io::{self, IsTerminal, Stderr, Write};
use std::str;

use enbu_usi::token::is_shown;

/// Longest character in UTF-8, in bytes.
const MAX_BYTES: usize = 4;

/// Standard error for messages.
pub(crate) fn stderr() -> Escaping<Stderr> {
    Escaping::new(io::stderr())
}

/// Prints a line on standard error; the work goes on even if that is closed.
pub(crate) fn notice(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}

/// A message for a line of its own: control characters are escaped.
pub(crate) fn message(text: &str) -> String {
    let mut escaped = Escaping::new(Vec::new());
    // Memory takes everything.
    let _ = escaped.write_all(text.as_bytes());
    let _ = escaped.flush();
    String::from_utf8_lossy(&escaped.out).into_owned()
}

/// The output of a command: escaped, unless it is data that no terminal shows.
pub(crate) fn output<'o>(out: impl Write + IsTerminal + 'o, content: Content) -> Box<dyn Write + 'o> {
    if content == Content::Data && !out.is_terminal() { Box::new(out) } else { Box::new(Escaping::new(out)) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Lines for people, or for programs that read such lines.
    Text,
    /// Files: records, pages, scripts.
    Data,
}

/// A writer of text that writes control characters as `\u{hex}`, except the ends of lines
/// and tabs. A carriage return alone would let text write over its line. Bytes that are not
/// UTF-8 pass.
pub(crate) struct Escaping<W> {
    out: W,
    /// The beginning of a character or of an end of line whose rest is still to come.
    begun: Vec<u8>,
}

impl<W: Write> Escaping<W> {
    pub(crate) const fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }

    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut escaped = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            let mut letters = chunk.valid().chars().peekable();
            while let Some(letter) = letters.next() {
                let is_line_end = letter == '\r' && letters.peek() == Some(&'\n');
                if is_shown(letter) || matches!(letter, '\n' | '\t') || is_line_end {
                    escaped.extend_from_slice(letter.encode_utf8(&mut [0; MAX_BYTES]).as_bytes());
                } else {
                    write!(escaped, "{}", letter.escape_unicode())?;
                }
            }
            escaped.extend_from_slice(chunk.invalid());
        }
        self.out.write_all(&escaped)
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        let whole = match str::from_utf8(&text) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => text.len() - usize::from(text.ends_with(b"\r")),
        };
        self.begun = text.split_off(whole);
        self.write_text(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_do_nothing() {
        assert_eq!(message("a\u{1b}[2Jb\u{7}\u{9b}c\u{202e}d"), "a\\u{1b}[2Jb\\u{7}\\u{9b}c\\u{202e}d");
        assert_eq!(message("先手：甲\ta\r\nb\n"), "先手：甲\ta\r\nb\n");
        assert_eq!(message("no error\rall is well"), "no error\\u{d}all is well");
    }

    #[test]
    fn characters_in_parts_are_recognised() {
        let text = "歩\u{9b}31m\r歩\r\n\u{1b}";
        for size in 1..=3 {
            let mut out = Escaping::new(Vec::new());
            text.as_bytes().chunks(size).for_each(|part| out.write_all(part).unwrap());
            assert_eq!(String::from_utf8(out.out).unwrap(), "歩\\u{9b}31m\\u{d}歩\r\n\\u{1b}");
        }
    }

    #[test]
    fn other_encodings_pass() {
        let mut out = Escaping::new(Vec::new());
        // Shift_JIS.
        out.write_all(b"\x90\xe6\x8e\xe8\x1b\n").unwrap();
        assert_eq!(out.out, b"\x90\xe6\x8e\xe8\\u{1b}\n");
    }
}

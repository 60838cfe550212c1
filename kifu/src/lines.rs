//! Splitting a text into lines, and counting the characters of one.

/// The lines of a text, whichever line ends it uses (LF, CRLF, CR, also mixed).
///
/// ```
/// let lines: Vec<_> = enbu_kifu::encoding::lines("a\r\nb\rc\n\nd").collect();
/// assert_eq!(lines, ["a", "b", "c", "", "d"]);
/// ```
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = (!text.is_empty()).then_some(text);
    std::iter::from_fn(move || {
        let (line, tail) = split_line(rest?);
        rest = tail;
        Some(line)
    })
}

/// Splits a text into its first line and the rest after the line end, if any.
pub(crate) fn split_line(text: &str) -> (&str, Option<&str>) {
    let Some((line, tail)) = line_end(text.as_bytes()).and_then(|end| text.split_at_checked(end)) else {
        return (text, None);
    };
    let tail = tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix(['\n', '\r'])).unwrap_or_default();
    (line, (!tail.is_empty()).then_some(tail))
}

pub(crate) fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}

/// The byte of `text` at which `part`, a part of it, begins; `None` for another text.
pub(crate) fn offset_in(text: &str, part: &str) -> Option<usize> {
    let byte = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    text.get(byte..).filter(|rest| rest.len() >= part.len()).map(|_| byte)
}

/// Number of line ends of every kind.
pub(crate) fn line_ends(text: &str) -> usize {
    text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count()
}

/// Seconds as `00:01:03`.
pub(crate) fn clock_text(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns true for a text of digits, and of nothing else.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The thousandths of a fraction, given by its digits; further digits are cut.
pub(crate) fn thousandths(digits: &str) -> u64 {
    digits.bytes().chain(*b"000").take(3).fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))
}

/// A text on one line, without the control characters that a reader would drop.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Number of characters of `text`, for columns in faults; of a text above 4 KiB the bytes,
/// so that a file with a fault on every line is still read in linear time.
pub(crate) fn columns(text: &str) -> usize {
    const LONGEST_COUNTED: usize = 4096;
    if text.len() > LONGEST_COUNTED { text.len() } else { text.chars().count() }
}

//! Files of many games, which are read by all processors: games do not depend on each
//! other, except that one `V` line serves for all games after it.

use rayon::prelude::*;

use super::Version;
use super::read::{Context, Reader};
use crate::encoding::lines;
use crate::error::{KifuError, Mode};
use crate::reading::Reading;

/// Reads all games and positions of a text.
///
/// # Errors
/// In tolerant mode when no game or position could be read: the error that broke off the
/// first one, or [`NoRecord`](crate::error::Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{EndKind, Mode, csa};
/// let reading = csa::read("PI\n+\n+7776FU,T12\n-3334FU\n%TORYO\n", Mode::Tolerant)?;
/// let record = &reading.records[0];
/// assert_eq!(record.moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["7g7f", "3c3d"]);
/// assert_eq!(record.end().map(|end| &end.kind), Some(&EndKind::Resign));
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let first = Context { version: Version::V1, has_records: false };
    let texts = if text.len() < 2 * SMALLEST { vec![text] } else { split(text, rayon::current_num_threads()) };
    let whole = match *texts {
        [_] | [] => Reader::read(text, text, mode, first)?,
        _ => read_parts(&texts, text, mode, first)?,
    };
    whole.report.finish(Ok(()), whole.records)
}

/// Bytes below which a part is not worth a thread.
const SMALLEST: usize = 1 << 18;

/// Reads the parts of a text in parallel. The context from the games before a part
/// is guessed; where the guess was wrong the part is read again.
fn read_parts<'t>(texts: &[&'t str], file: &'t str, mode: Mode, first: Context) -> Result<Reader<'t>, KifuError> {
    let version = texts.first().and_then(|text| declared_version(text)).unwrap_or(first.version);
    let guess = Context { version, has_records: true };
    let guesses = std::iter::once(first).chain(std::iter::repeat(guess));
    let guessed: Vec<(&'t str, Context)> = texts.iter().copied().zip(guesses).collect();
    let parts: Vec<_> = guessed.par_iter().map(|&(text, context)| Reader::read(text, file, mode, context)).collect();
    let mut whole = Reader::new(file, mode, first);
    for ((text, guess), part) in guessed.into_iter().zip(parts) {
        let part = if whole.context == guess { part } else { Reader::read(text, file, mode, whole.context) };
        whole.append(part?);
    }
    Ok(whole)
}

fn declared_version(text: &str) -> Option<Version> {
    const MOST_LINES: usize = 20;
    lines(text).take(MOST_LINES).find_map(|line| Version::named(line.trim()))
}

/// Cuts a text after separators of games, into at most `most` parts of similar length.
fn split(text: &str, most: usize) -> Vec<&str> {
    let length = (text.len() / most.max(1)).max(SMALLEST);
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((part, after)) = separator_end(rest, length).and_then(|end| rest.split_at_checked(end)) {
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Start of the line after the first separator at or after this byte:
/// a line of nothing but `/`.
fn separator_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut found = bytes.get(from..)?.windows(3).enumerate().filter_map(|(index, window)| match window {
        [before, b'/', after] if is_line_end(before) && is_line_end(after) => Some(from + index + 3),
        _ => None,
    });
    let end = found.next()?;
    let is_crlf = bytes.get(end - 1..end + 1) == Some(b"\r\n");
    Some(end + usize::from(is_crlf))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: [&str; 5] = [
        "V2.2\nN+a\nPI\n+\n+7776FU\nT1\n-3334FU\nT1.5\n%TORYO\n",
        "PI\n+\n+7776FU\n-7776FU\n",
        "$EVENT:x\n",
        "'no game at all\n",
        "V3.0\nPI\n+\n+2726FU\nT0.5\n'*a / b\n/x\n%MAX_MOVES\n",
    ];

    fn first() -> Context {
        Context { version: Version::V1, has_records: false }
    }

    /// Errors, warnings and records: they must not depend on the cut.
    fn told(part: Result<Reader<'_>, KifuError>) -> String {
        format!("{:?}", part.map(|part| (part.records, part.report.warnings, part.report.errors)))
    }

    #[test]
    fn parts_are_read_as_the_whole_is() {
        for end in ["\n", "\r\n", "\r"] {
            for order in 0..GAMES.len() * GAMES.len() {
                let games =
                    [GAMES[order % GAMES.len()], GAMES[order / GAMES.len()], GAMES[0], GAMES[order % GAMES.len()]];
                let text = games.join("/\n").replace('\n', end);
                let mut rest = text.as_str();
                let texts = games.map(|game| {
                    let length = format!("{game}/\n").replace('\n', end).len();
                    let (part, tail) = rest.split_at(length.min(rest.len()));
                    rest = tail;
                    part
                });
                assert_eq!(texts.concat(), text);
                for mode in [Mode::Tolerant, Mode::Strict] {
                    assert_eq!(
                        told(read_parts(&texts, &text, mode, first())),
                        told(Reader::read(&text, &text, mode, first())),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn texts_are_cut_behind_separators() {
        for end in ["\n", "\r\n", "\r"] {
            let text = GAMES.join("/\n").repeat(20_000).replace('\n', end);
            let parts = split(&text, 4);
            assert!(parts.len() > 2 && parts.concat() == text);
            let separator = format!("{end}/{end}");
            assert!(parts[..parts.len() - 1].iter().all(|part| part.ends_with(&separator)));
        }
        assert_eq!(split("PI\n+\n", 4), ["PI\n+\n"]);
    }
}

//! Bytes to text and back: the encoding of a record.
//!
//! | content of the bytes | read as |
//! |---|---|
//! | a byte order mark | UTF-8, UTF-16 LE or UTF-16 BE |
//! | `ESC $` and valid ISO-2022-JP | ISO-2022-JP |
//! | valid UTF-8 | UTF-8, unless the first line declares another encoding that fits as well and the text shows no Japanese |
//! | valid in the encoding that the first line declares | that one |
//! | a tag of PGN, and no good Japanese | ISO 8859-1 |
//! | valid Shift_JIS or EUC-JP | the one of them; where both fit, the one with fewer half-width kana |
//! | nothing of this | the declared encoding, UTF-8 or Shift_JIS, whichever loses fewer characters; each loss becomes U+FFFD and is warned of |
//!
//! The first line declares an encoding with `encoding=`, as in
//! `'CSA encoding=SHIFT_JIS` and `#KIF version=2.0 encoding=UTF-8`. Decoding
//! never fails.

use std::borrow::Cow;

use crate::charset::Encoding;
use crate::error::{KifuError, Mode, Problem, Problems};
pub use crate::lines::lines;
use crate::lines::{line_end, split_line};
use crate::reading::{Fault, Reading, Reporter};

/// Text that was decoded, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text without byte order mark and end-of-file mark (Ctrl-Z).
    pub text: Cow<'a, str>,
    /// The encoding the bytes were in.
    pub encoding: Encoding,
    /// Oddities of the bytes.
    pub warnings: Problems,
}

/// Decodes a file; see the [module](self) for how the encoding is found.
///
/// ```
/// use enbu_kifu::Encoding;
/// use enbu_kifu::encoding::decode;
/// let file = decode(b"N+\x89\xb3\n");
/// assert_eq!((&*file.text, file.encoding), ("N+乙\n", Encoding::ShiftJis));
/// ```
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    let ascii = ascii(bytes);
    let (text, encoding, mut warnings) = match (ascii, after_bom(bytes)) {
        (Some(text), _) => (Cow::Borrowed(text), Encoding::Utf8, Problems::default()),
        (None, Some((encoding, rest))) => decode_as(encoding, rest),
        (None, None) => decode_by_content(bytes),
    };
    if ascii.is_none()
        && !text.is_ascii()
        && let Some(declared) = declared(text.as_bytes())
        && declared != encoding
    {
        warnings.push(KifuError::new(Problem::WrongEncoding { declared, used: encoding }, 1, 1, split_line(&text).0));
    }
    let text = without_marks(text, &mut warnings);
    Decoded { text, encoding, warnings }
}

/// Reads a decoded text; oddities of its bytes become warnings.
pub(crate) fn read_text(
    decoded: &Decoded<'_>,
    mode: Mode,
    read: impl FnOnce(&str, Mode) -> Result<Reading, KifuError>,
) -> Result<Reading, KifuError> {
    if let (Mode::Strict, Some(warning)) = (mode, decoded.warnings.first()) {
        return Err(warning.clone());
    }
    if is_noise(&decoded.text) {
        return Err(KifuError::new(Problem::NoRecord, 1, 1, split_line(&decoded.text).0));
    }
    let mut reading = read(&decoded.text, mode)?;
    reading.warnings.append(decoded.warnings.clone());
    Ok(reading)
}

/// Returns true if the bytes are not text: an executable, a picture, random data.
///
/// ```
/// use enbu_kifu::encoding::{decode, is_noise};
/// assert!(is_noise(&decode(&[0x80, 0x02, 0xff, 0x13, 0x00, 0xfe]).text));
/// assert!(!is_noise("手合割：平手\r\n"));
/// ```
pub fn is_noise(text: &str) -> bool {
    const LOOKED_AT: usize = 4096;
    let bytes = text.as_bytes();
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    // One byte in ten of random ones is a control character, in texts none is.
    // In bytes, whole vectors of them, and without branches, so that many are looked at at once.
    let is_control = |byte: u8| (byte < b' ') & (byte.wrapping_sub(b'\t') > b'\r' - b'\t');
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|&byte| u8::from(is_control(byte))).sum::<u8>();
    let controls: usize = bytes.chunks(192).map(in_chunk).map(usize::from).sum();
    controls * 50 > bytes.len()
}

/// A text without one character that encodings without a byte order mark could disagree
/// about.
fn ascii(bytes: &[u8]) -> Option<&str> {
    (bytes.is_ascii() && memchr::memchr(0x1b, bytes).is_none()).then(|| str::from_utf8(bytes).ok()).flatten()
}

/// The encoding of a byte order mark and the bytes after it.
fn after_bom(bytes: &[u8]) -> Option<(Encoding, &[u8])> {
    let (codec, length) = encoding_rs::Encoding::for_bom(bytes)?;
    Some((Encoding::of_codec(codec)?, bytes.get(length..)?))
}

/// The encoding that the first line declares.
fn declared(bytes: &[u8]) -> Option<Encoding> {
    const KEY: &[u8] = b"encoding=";
    const LONGEST_LINE: usize = 200;
    let line = bytes.get(..LONGEST_LINE).unwrap_or(bytes);
    let line = line.get(..line_end(line).unwrap_or(line.len()))?;
    let at = line.windows(KEY.len()).position(|part| part.eq_ignore_ascii_case(KEY))?;
    let label =
        line.get(at + KEY.len()..)?.split(|byte| !byte.is_ascii_alphanumeric() && !b"-_".contains(byte)).next()?;
    Encoding::from_label(str::from_utf8(label).ok()?)
}

fn decode_by_content(bytes: &[u8]) -> (Cow<'_, str>, Encoding, Problems) {
    let declared = declared(bytes);
    let exact = |encoding: Encoding| encoding.decode_exactly(bytes).map(|text| (text, encoding));
    let found = iso_2022_jp(bytes)
        .or_else(|| utf8(bytes, declared))
        .or_else(|| declared.and_then(exact))
        .or_else(|| latin_1(bytes))
        .or_else(|| match (exact(Encoding::ShiftJis), exact(Encoding::EucJp)) {
            // EUC-JP often is valid Shift_JIS, but then full of half-width kana.
            (Some(shift_jis), Some(euc)) if oddities(&euc.0) < oddities(&shift_jis.0) => Some(euc),
            (shift_jis, euc) => shift_jis.or(euc),
        });
    match found {
        Some((text, encoding)) => (text, encoding, Problems::default()),
        None => {
            let losses = |text: &str| text.matches(char::REPLACEMENT_CHARACTER).count();
            let guesses = declared.into_iter().chain([Encoding::Utf8, Encoding::ShiftJis]);
            let decoded = guesses.map(|encoding| decode_as(encoding, bytes)).min_by_key(|(text, ..)| losses(text));
            decoded.unwrap_or_default()
        }
    }
}

fn iso_2022_jp(bytes: &[u8]) -> Option<(Cow<'_, str>, Encoding)> {
    if !bytes.contains(&0x1b) || !bytes.windows(2).any(|window| window == b"\x1b$") {
        return None;
    }
    Encoding::Iso2022Jp.decode_exactly(bytes).map(|text| (text, Encoding::Iso2022Jp))
}

/// UTF-8 where the bytes are valid, unless another encoding is declared, fits
/// as well, and nothing looks Japanese: short Shift_JIS texts can be valid UTF-8
/// by chance, but not with characters of three bytes.
fn utf8(bytes: &[u8], declared: Option<Encoding>) -> Option<(Cow<'_, str>, Encoding)> {
    let text = str::from_utf8(bytes).ok()?;
    if let Some(other) = declared
        && other != Encoding::Utf8
        && !text.is_ascii()
        && !text.chars().any(|c| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}'))
        && other.decode_exactly(bytes).is_some()
    {
        return None;
    }
    Some((Cow::Borrowed(text), Encoding::Utf8))
}

/// ISO 8859-1 for PGN, which begins with a tag, unless it reads well as Japanese:
/// accented letters alone would make half-width kana or broken characters.
fn latin_1(bytes: &[u8]) -> Option<(Cow<'_, str>, Encoding)> {
    let [b'[', letter, ..] = bytes.trim_ascii_start() else { return None };
    let reads_well = |encoding: Encoding| encoding.decode_exactly(bytes).is_some_and(|text| oddities(&text) == 0);
    if !letter.is_ascii_alphabetic() || reads_well(Encoding::ShiftJis) || reads_well(Encoding::EucJp) {
        return None;
    }
    Encoding::Latin1.decode_exactly(bytes).map(|text| (text, Encoding::Latin1))
}

/// Characters that are rare in records: half-width kana and private use.
fn oddities(text: &str) -> usize {
    text.chars().filter(|c| matches!(c, '\u{ff61}'..='\u{ff9f}' | '\u{e000}'..='\u{f8ff}')).count()
}

/// Decodes with replacements, and warns of the first one.
fn decode_as(encoding: Encoding, bytes: &[u8]) -> (Cow<'_, str>, Encoding, Problems) {
    let mut warnings = Problems::default();
    let (text, lossy) = encoding.codec().decode_without_bom_handling(bytes);
    if lossy {
        let rest = text.find(char::REPLACEMENT_CHARACTER).and_then(|at| text.get(at..)).unwrap_or_default();
        let fault = Fault::new(Problem::Undecodable(encoding), split_line(rest).0);
        warnings.push(Reporter::new(&text, Mode::Tolerant).located(fault));
    }
    (text, encoding, warnings)
}

/// Drops further byte order marks and the end-of-file mark of old systems.
fn without_marks<'a>(text: Cow<'a, str>, warnings: &mut Problems) -> Cow<'a, str> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let end = text.trim_end_matches(['\u{1a}', '\0']).len().max(start);
    if start > 0 {
        warnings.push(KifuError::new(Problem::SecondBom, 1, 1, ""));
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(start..end).unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(end);
            text.drain(..start);
            Cow::Owned(text)
        }
    }
}

/// Text in an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Characters that were replaced.
    pub warnings: Problems,
}

/// Encodes the text of a writer, with `line_end` at the end of each line. The encoding
/// that the first line declares is set right. A character that the encoding lacks is
/// replaced by a similar one or by `?`, with a warning.
///
/// ```
/// use enbu_kifu::Encoding;
/// use enbu_kifu::encoding::encode;
/// let encoded = encode("☗７六歩\n", Encoding::ShiftJis, "\r\n");
/// assert_eq!(encoded.bytes, [0x81, 0xa3, 0x82, 0x56, 0x98, 0x5a, 0x95, 0xe0, 0x0d, 0x0a]);
/// assert_eq!(encoded.warnings.count(), 1);
/// ```
pub fn encode(text: &str, encoding: Encoding, line_end: &str) -> Encoded {
    let mut warnings = Problems::default();
    let mut bytes = Vec::with_capacity(text.len() + text.len() / 8);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, line_end));
        let declared = with_declaration(line, encoding);
        let line = declared.as_deref().unwrap_or(line);
        match encoding.encode(line) {
            Some(mut encoded) => bytes.append(&mut encoded),
            None => encode_chars(line, number, encoding, &mut bytes, &mut warnings),
        }
        bytes.extend_from_slice(end.as_bytes());
    }
    Encoded { bytes, warnings }
}

/// A line that declares UTF-8, with the declaration of `encoding` instead; `None` for
/// other lines.
fn with_declaration(line: &str, encoding: Encoding) -> Option<String> {
    if line.starts_with("#KIF") {
        return Some(line.replace("encoding=UTF-8", &format!("encoding={encoding}")));
    }
    line.starts_with("'CSA encoding=").then(|| line.replace("UTF-8", &encoding.to_string().to_uppercase()))
}

fn encode_chars(line: &str, number: usize, encoding: Encoding, bytes: &mut Vec<u8>, warnings: &mut Problems) {
    for (column, c) in (1..).zip(line.chars()) {
        let mut buffer = [0; 4];
        let encoded = encoding.encode(c.encode_utf8(&mut buffer)).unwrap_or_else(|| {
            let like = Some(similar(c)).filter(|like| encoding.encode(like).is_some()).unwrap_or("?");
            let problem = Problem::Unencodable { encoding, written: like };
            warnings.push(KifuError::new(problem, number, column, &c.to_string()));
            encoding.encode(like).unwrap_or_else(|| vec![b'?'])
        });
        bytes.extend_from_slice(&encoded);
    }
}

/// The text to be written for a character that the encoding lacks.
const fn similar(c: char) -> &'static str {
    match c {
        '☗' => "▲",
        '☖' => "△",
        // The wave dash and the em dash of other systems, as Windows has them.
        '\u{301c}' => "～",
        '\u{2014}' => "―",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, WriteOptions};
    use crate::record::Record;
    use enbu_movegen::Setup;

    #[test]
    fn lines_end_wherever_they_end() {
        for before in 0..40 {
            for (end, after) in [("\n", ""), ("\r", "x\n\r"), ("\r\n", "\u{b}\u{c}"), ("\n", "\u{8a}\r"), ("", "")] {
                for fill in ["a", "\u{b}", "\u{e}", "\u{80}", "\u{3000}"] {
                    let text = fill.repeat(before) + end + after;
                    let expected = text.bytes().position(|byte| byte == b'\n' || byte == b'\r');
                    assert_eq!(line_end(text.as_bytes()), expected, "{text:?}");
                }
            }
        }
    }

    const TEXT: &str = "N+先手の名前\nN-後手\n'*コメント\n";

    fn check(bytes: &[u8], text: &str, encoding: Encoding, warnings: usize) {
        let decoded = decode(bytes);
        assert_eq!((&*decoded.text, decoded.encoding), (text, encoding));
        assert_eq!(decoded.warnings.count(), warnings, "{:?}", decoded.warnings);
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn content_tells_the_encoding() {
        check(TEXT.as_bytes(), TEXT, Encoding::Utf8, 0);
        for encoding in [Encoding::ShiftJis, Encoding::EucJp, Encoding::Iso2022Jp] {
            check(&encoding.encode(TEXT).unwrap(), TEXT, encoding, 0);
        }
        check(b"V2\n", "V2\n", Encoding::Utf8, 0);
    }

    #[test]
    fn a_byte_order_mark_decides() {
        check(format!("\u{feff}{TEXT}").as_bytes(), TEXT, Encoding::Utf8, 0);
        check(format!("\u{feff}\u{feff}{TEXT}").as_bytes(), TEXT, Encoding::Utf8, 1);
        check(&utf16(&format!("\u{feff}{TEXT}"), u16::to_le_bytes), TEXT, Encoding::Utf16Le, 0);
        check(&utf16(&format!("\u{feff}{TEXT}"), u16::to_be_bytes), TEXT, Encoding::Utf16Be, 0);
    }

    #[test]
    fn a_declared_encoding_wins_where_it_fits() {
        // Two half-width kana in Shift_JIS are a valid character of UTF-8.
        let text = "'CSA encoding=SHIFT_JIS\nN+ﾂｱ\n";
        check(&Encoding::ShiftJis.encode(text).unwrap(), text, Encoding::ShiftJis, 0);
        let text = "'CSA encoding=SHIFT_JIS\nN+先手\n";
        check(text.as_bytes(), text, Encoding::Utf8, 1);
        let text = "'CSA encoding=UTF-8\nN+先手\n";
        check(&Encoding::ShiftJis.encode(text).unwrap(), text, Encoding::ShiftJis, 1);
        check(b"'CSA encoding=SHIFT_JIS\nV3.0\n", "'CSA encoding=SHIFT_JIS\nV3.0\n", Encoding::Utf8, 0);
    }

    #[test]
    fn pgn_may_be_latin_1() {
        let text = "[White \"M\u{fc}ller\"]\n[Black \"\u{d8}rsted\"]\n";
        check(&Encoding::Latin1.encode(text).unwrap(), text, Encoding::Latin1, 0);
        let text = "[White \"M\u{fc}ller\"]\n";
        check(&Encoding::Latin1.encode(text).unwrap(), text, Encoding::Latin1, 0);
        let text = "[White \"先手\"]\n";
        for encoding in [Encoding::ShiftJis, Encoding::EucJp, Encoding::Utf8] {
            check(&encoding.encode(text).unwrap(), text, encoding, 0);
        }
    }

    #[test]
    fn losses_are_marked_and_warned_of_with_their_place() {
        let decoded = decode(b"V2\r\nN+\xff\xfe\xfd\xa0\n");
        assert!(decoded.text.starts_with("V2\r\nN+\u{fffd}"));
        let warning = decoded.warnings.first().unwrap();
        assert_eq!((warning.line, warning.column), (2, 3));
    }

    #[test]
    fn end_of_file_marks_are_dropped() {
        check(b"V2\n\x1a", "V2\n", Encoding::Utf8, 0);
        check(b"\0\0\0\0", "", Encoding::Utf8, 0);
        check(b"", "", Encoding::Utf8, 0);
    }

    #[test]
    fn declared_encodings_are_set_right() {
        for (format, label) in [(Format::Kif, "Shift_JIS"), (Format::Csa, "SHIFT_JIS")] {
            let text = format.write(&[Record::new(Setup::startpos())], WriteOptions::default());
            let encoded = encode(&text, Encoding::ShiftJis, "\n");
            assert!(encoded.warnings.is_empty());
            let decoded = decode(&encoded.bytes);
            assert!(
                decoded.warnings.is_empty() && decoded.text.contains(&format!("encoding={label}\n")),
                "{}",
                decoded.text
            );
        }
    }

    #[test]
    fn replaced_characters_are_named() {
        let told = |text, encoding| {
            let encoded = encode(text, encoding, "\n");
            let warning = encoded.warnings.first().unwrap().to_string();
            (encoding.codec().decode_without_bom_handling(&encoded.bytes).0.into_owned(), warning)
        };
        let (text, warning) = told("a〜b", Encoding::ShiftJis);
        assert_eq!(text, "a～b");
        assert_eq!(warning, "line 1, column 2: Shift_JIS has no such character; `～` is written for it: `〜`");
        let (text, warning) = told("\u{20bb7}野家", Encoding::ShiftJis);
        assert_eq!((&*text, warning.contains("`?` is written")), ("?野家", true));
        assert_eq!(told("☗", Encoding::Latin1).0, "?");
    }
}

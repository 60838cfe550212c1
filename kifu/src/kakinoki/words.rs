//! The words of the KIF family: digits, pieces, sides, ends.

use enbu_movegen::{Color, PieceType, Square};

use crate::end::EndKind;
use crate::terms::Naming;

const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The value of a digit 1 to 9: half-width, full-width or kanji.
pub(crate) fn digit(c: char) -> Option<u8> {
    decimal(c).filter(|&value| value > 0).map(|value| value as u8).or_else(|| kanji_digit(c))
}

fn kanji_digit(c: char) -> Option<u8> {
    (1..).zip(RANKS).find(|&(_, kanji)| kanji == c).map(|(value, _)| value)
}

/// The rank as it is written: 1 is `一`.
pub(crate) fn rank_kanji(rank: u8) -> char {
    RANKS.get(usize::from(rank).wrapping_sub(1)).copied().unwrap_or('九')
}

/// The file as it is written: 1 is `１`.
pub(crate) fn file_digit(file: u8) -> char {
    char::from_u32('０' as u32 + u32::from(file)).unwrap_or('９')
}

/// The square as it is written: `７六`.
pub(crate) fn push_square(text: &mut String, square: Square) {
    text.extend([file_digit(square.file()), rank_kanji(square.rank())]);
}

/// The value of a decimal digit, zero included, half or full width.
pub(crate) const fn decimal(c: char) -> Option<u64> {
    match c {
        '0'..='9' => Some(c as u64 - '0' as u64),
        '０'..='９' => Some(c as u64 - '０' as u64),
        _ => None,
    }
}

/// The whole number at the start of a text, and the rest; a value that does not
/// fit saturates.
pub(crate) fn number(text: &str) -> Option<(u64, &str)> {
    let (mut chars, mut found) = (text.chars(), None);
    while let Some(digit) = chars.next().and_then(decimal) {
        let value = found.map_or(0, |(value, _)| value);
        found = Some((u64::saturating_mul(value, 10).saturating_add(digit), chars.as_str()));
    }
    found
}

/// The count after a piece in hand, and the rest of the text: digits, or
/// kanji up to 99; 1 where there is none.
pub(crate) fn count(text: &str) -> (u64, &str) {
    if let Some((value, rest)) = number(text) {
        return (value, rest);
    }
    let (mut tens, mut ones, mut rest) = (None, 0, text);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, kanji_digit(c)) {
            ('十', _) if tens.is_none() => tens = Some(std::mem::take(&mut ones).max(1)),
            (_, Some(digit)) if ones == 0 => ones = u64::from(digit),
            _ => break,
        }
        rest = chars.as_str();
    }
    match (tens, ones) {
        (None, 0) => (1, rest),
        (tens, ones) => (tens.unwrap_or(0) * 10 + ones, rest),
    }
}

/// The text of a count after a piece in hand: nothing for 1.
pub(crate) fn push_count(text: &mut String, count: u8) {
    let (tens, ones) = (count / 10, count % 10);
    if tens > 1 {
        text.push(rank_kanji(tens));
    }
    if tens > 0 {
        text.push('十');
    }
    if ones > 0 && count > 1 {
        text.push(rank_kanji(ones));
    }
}

/// The piece named at the start of a text, and the rest.
pub(crate) fn piece(text: &str) -> Option<(PieceType, &str)> {
    let (is_promoted, name) = text.strip_prefix('成').map_or((false, text), |name| (true, name));
    let mut chars = name.chars();
    let kind = match chars.next()? {
        '王' => PieceType::King,
        '竜' => PieceType::Dragon,
        c => PieceType::ALL.into_iter().find(|&kind| piece_cell(kind) == c)?,
    };
    Some((if is_promoted { kind.promoted()? } else { kind }, chars.as_str()))
}

/// Adds the name of a piece in the text of a move.
pub(crate) fn push_piece(text: &mut String, kind: PieceType) {
    if matches!(kind, PieceType::ProLance | PieceType::ProKnight | PieceType::ProSilver) {
        text.extend(['成', piece_cell(kind.unpromoted())]);
    } else {
        text.push(piece_cell(kind));
    }
}

/// The one character of a piece on a board.
#[expect(clippy::indexing_slicing, reason = "indexed by an enum whose values fit it")]
pub(crate) const fn piece_cell(kind: PieceType) -> char {
    /// In the order of [`PieceType::ALL`].
    const CELLS: [char; PieceType::COUNT] =
        ['歩', '香', '桂', '銀', '角', '飛', '金', '玉', 'と', '杏', '圭', '全', '馬', '龍'];
    CELLS[kind as usize]
}

/// The side for a mark before a move.
pub(crate) const fn side_of_mark(c: char) -> Option<Color> {
    match c {
        '▲' | '☗' | '▼' => Some(Color::Black),
        '△' | '☖' | '▽' => Some(Color::White),
        _ => None,
    }
}

/// The mark before a move of this side, one that CP932 has.
pub(crate) const fn mark(color: Color) -> char {
    color.select(['▲', '△'])
}

/// The side named at the start of a text, and the rest.
pub(crate) fn side(text: &str) -> Option<(Color, &str)> {
    let names = [("先手", Color::Black), ("下手", Color::Black), ("後手", Color::White), ("上手", Color::White)];
    names.into_iter().find_map(|(name, color)| Some((color, text.strip_prefix(name)?)))
}

/// The end for a word when `turn` is to move; `None` for unknown words.
pub(crate) fn end_of_word(word: &str, turn: Color) -> Option<EndKind> {
    if word == "反則勝ち" {
        // The move before it was the foul.
        return Some(EndKind::IllegalAction(!turn));
    }
    EndKind::named(word, Naming::Kif)
}

/// Blanks of every kind, the ideographic one included.
pub(crate) const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{3000}' | '\u{a0}' | '\u{b}' | '\u{c}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::words_in;

    #[test]
    fn pieces_are_named_as_they_are_read() {
        for kind in PieceType::ALL {
            let (mut name, cell) = (String::new(), piece_cell(kind).to_string());
            push_piece(&mut name, kind);
            assert_eq!(piece(&name), Some((kind, "")));
            assert_eq!(piece(&cell), Some((kind, "")));
        }
        assert_eq!(piece("成銀左"), Some((PieceType::ProSilver, "左")));
        assert_eq!(piece("成"), None);
    }

    #[test]
    fn counts_of_every_kind() {
        for value in 1..=99u8 {
            let mut text = String::new();
            push_count(&mut text, value);
            text.push('　');
            assert_eq!(count(&text), (u64::from(value), "　"), "{text}");
        }
        assert_eq!(count("十八"), (18, ""));
        assert_eq!(count("二十"), (20, ""));
        assert_eq!(count("18　"), (18, "　"));
        assert_eq!(count("１８"), (18, ""));
        assert_eq!(count("飛"), (1, "飛"));
        assert_eq!(number("99999999999999999999手"), Some((u64::MAX, "手")));
        assert_eq!(number("手"), None);
    }

    #[test]
    fn digits_of_every_kind() {
        for (text, value) in [("7", 7), ("７", 7), ("七", 7), ("1", 1), ("９", 9)] {
            assert_eq!(digit(text.chars().next().unwrap()), Some(value));
        }
        for c in ['0', '０', '十', 'a'] {
            assert_eq!(digit(c), None);
        }
        let mut text = String::new();
        push_square(&mut text, Square::S76);
        assert_eq!(text, "７六");
    }

    #[test]
    fn ends_are_written_as_they_are_read() {
        for (kind, words) in EndKind::NAMES {
            for word in words_in(words, Naming::Kif) {
                assert_eq!(end_of_word(word, Color::Black), Some(kind.clone()));
                assert_eq!(end_of_word(kind.in_kif(), Color::Black), Some(kind.clone()));
            }
        }
        assert_eq!(end_of_word("反則勝ち", Color::Black), Some(EndKind::IllegalAction(Color::White)));
        assert_eq!(end_of_word("封じ手", Color::Black), None);
    }
}

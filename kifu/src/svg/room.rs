//! The room that a text takes.

/// The size of the letters, in the unit of [`advance`].
pub(super) const EM: u32 = 100;

/// The room of a character in a line, at most, in hundredths of its size.
pub(super) const fn advance(c: char) -> u32 {
    match c {
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' => 105,
        'A'..='H' | 'J'..='Z' | '#' | '+' | '<'..='>' | '^' | '~' => 88,
        'a'..='e' | 'g' | 'h' | 'k' | 'n'..='q' | 's' | 'u'..='z' | '0'..='9' | '$' | '?' | '_' | '{' | '}' => 66,
        ' '..='~' | '｡'..='ﾟ' => 50,
        _ => EM,
    }
}

/// A text that fits into this room; a longer one is cut, and ends with a sign of it.
pub(super) fn shortened(text: &str, room: u32) -> String {
    // The room that is left after each character.
    let left = |room: u32| {
        text.chars().scan(room, |left, c| {
            *left = left.checked_sub(advance(c))?;
            Some(c)
        })
    };
    if left(room).count() == text.chars().count() {
        return text.to_owned();
    }
    format!("{}…", left(room.saturating_sub(EM)).collect::<String>().trim_end())
}

/// Returns true for a character that stays upright in a column: of full width, and no bracket or dash.
pub(super) const fn is_upright(c: char) -> bool {
    let is_turned =
        matches!(c, '〈'..='】' | '〔'..='〟' | 'ー' | '（' | '）' | '－' | '：'..='＝' | '［'..='］' | '｛'..='ﾟ');
    c >= '\u{2e80}' && !is_turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_room() {
        for (text, room, expected) in [
            ("藤井聡太", 400, "藤井聡太"),
            ("藤井聡太", 399, "藤井…"),
            ("Wii", 205, "Wii"),
            ("Wii", 204, "…"),
            ("a bc", 240, "a…"),
            ("", 0, ""),
            ("x", 0, "…"),
        ] {
            assert_eq!(shortened(text, room), expected, "{text} in {room}");
        }
    }
}

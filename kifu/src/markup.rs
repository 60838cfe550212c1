//! Text of others in pages and pictures.

/// Returns true for a character that neither ends a line nor changes the way in which the
/// rest of it is shown.
///
/// ```
/// use enbu_kifu::markup::is_shown;
/// assert!(is_shown('歩') && !is_shown('\r') && !is_shown('\u{202e}'));
/// ```
pub fn is_shown(letter: char) -> bool {
    // Characters without a glyph that break lines or turn the direction of writing.
    let formats = matches!(letter,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !letter.is_control() && !formats
}

/// Text as HTML and XML have it, also within quotes; a blank for what is not shown.
///
/// ```
/// use enbu_kifu::markup::escape;
/// assert_eq!(escape("<a href=\"x\">'&\u{1}\u{202e}"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;  ");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(if is_shown(c) { c } else { ' ' }),
        }
    }
    escaped
}

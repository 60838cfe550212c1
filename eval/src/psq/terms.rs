//! The terms of the piece-square evaluation in centipawns, in the order of a text: parts one after
//! the other, pieces in the order of [`PieceType`](enbu_movegen::PieceType) and
//! [`HandPiece`](enbu_movegen::HandPiece).

/// The number of terms of one piece relative to one king: file distance 0 to 8, and for each rank
/// distance -8 to 8 counted in the piece's direction of play (positive: the king is ahead of the
/// piece).
pub const RELATIVE: usize = 9 * 17;

/// The bonus of the side to move.
pub const TEMPO: usize = 0;
/// The first term of the pieces in hand, one for each.
pub const HELD: usize = TEMPO + 1;
/// The first term of the ranks: for each piece nine from its owner's perspective (farthest first).
pub const PLACED: usize = HELD + 7;
/// The first term relative to the own king: [`RELATIVE`] for each piece.
pub const GUARD: usize = PLACED + 9 * 14;
/// The first term relative to the enemy king: [`RELATIVE`] for each piece.
pub const THREAT: usize = GUARD + RELATIVE * 14;
/// The number of all terms.
pub const COUNT: usize = THREAT + RELATIVE * 14;

/// The terms in use.
pub static TERMS: [i16; COUNT] = parse(include_str!("tables.txt"));

/// The terms in a text: numbers, and comments from `#` to the end of a line.
///
/// # Panics
/// With more or fewer numbers, or anything else.
pub const fn parse(text: &str) -> [i16; COUNT] {
    let (text, mut terms, mut count, mut at) = (text.as_bytes(), [0; COUNT], 0, 0);
    let mut is_comment = false;
    while at < text.len() {
        let byte = text[at];
        is_comment = byte == b'#' || is_comment && byte != b'\n';
        if is_comment || byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let sign = if byte == b'-' { -1 } else { 1 };
        at += (sign < 0) as usize;
        assert!(text[at].is_ascii_digit(), "not a number");
        while at < text.len() && text[at].is_ascii_digit() {
            terms[count] = 10 * terms[count] + sign * (text[at] - b'0') as i16;
            at += 1;
        }
        count += 1;
    }
    assert!(count == COUNT, "fewer numbers than terms");
    terms
}

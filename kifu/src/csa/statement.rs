//! Statements of a line and their parts.

use super::*;
use crate::reading::Fault;

/// The statements of a line. Commas separate them, but names, headers and
/// comments take the rest of the line. Trailing blanks, which are columns of a rank, stay.
pub(super) fn statements(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let start = rest?.trim_start();
        let end = match start.bytes().next() {
            Some(b'\'' | b'N' | b'$') => None,
            _ => start.bytes().position(|byte| byte == b','),
        };
        rest = end.and_then(|end| start.get(end + 1..));
        Some(end.and_then(|end| start.get(..end)).unwrap_or(start))
    })
    .filter(|statement| !statement.is_empty())
}

/// Square (`None` is the hand) and piece of a token such as `99KY`.
pub(super) fn square_and_kind(token: &str) -> Result<(Option<Square>, PieceType), Fault<'_>> {
    let wrong_square = || Fault::new(Problem::UnknownSquare, token);
    let &[d1, d2, n1, n2] = token.as_bytes() else { return Err(wrong_square()) };
    let square = match [d1, d2] {
        [b'0', b'0'] => None,
        digits => Some(square_at(digits).ok_or_else(wrong_square)?),
    };
    let kind = piece_named([n1, n2]);
    Ok((square, kind.ok_or_else(|| Fault::new(Problem::UnknownPiece, piece_of(token)))?))
}

/// The name of the piece in a token.
pub(super) fn piece_of(token: &str) -> &str {
    token.get(2..).unwrap_or(token)
}

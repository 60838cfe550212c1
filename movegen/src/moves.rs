//! Moves, packed into 16 bits.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use enbu_language::text;

use crate::piece::HandPiece;
use crate::square::Square;

/// A move without its position: 16 bits, never zero, so that `Option<Move>` has two
/// bytes and no sentinel move is needed.
///
/// Bits 0-6 are the destination, bits 7-13 the origin (for a drop: 1 + the
/// [`HandPiece`]), bit 14 marks a drop, bit 15 a promotion.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// The components of a [`Move`]: a piece on the board moves, or one in hand is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each field is its own name")]
pub enum MoveParts {
    Board { from: Square, to: Square, promote: bool },
    Drop { piece: HandPiece, to: Square },
}

/// Error: the text is not a move in USI notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!(
    "`{text}` is not a USI move (such as 7g7f, 8h2b+, P*5e)",
    "`{text}` は USI の指し手ではありません（例：7g7f、8h2b+、P*5e）"
))]
pub struct ParseMoveError {
    /// The first 40 characters of the text.
    pub text: String,
}

const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

impl Move {
    /// A move of the piece on `from` to `to`, without promotion.
    ///
    /// `from` and `to` must differ; if they are equal the result is legal in no position.
    #[inline]
    pub const fn board(from: Square, to: Square) -> Self {
        Self::pack((from as u16) << 7 | to as u16)
    }

    /// A promoting move of the piece on `from` to `to`.
    #[inline]
    pub const fn promotion(from: Square, to: Square) -> Self {
        Self::pack(PROMOTE | (from as u16) << 7 | to as u16)
    }

    /// A drop of `piece` on `to`.
    #[inline]
    pub const fn drop(piece: HandPiece, to: Square) -> Self {
        Self::pack(DROP | (1 + piece as u16) << 7 | to as u16)
    }

    #[inline]
    const fn pack(raw: u16) -> Self {
        match NonZeroU16::new(raw) {
            Some(raw) => Self(raw),
            // Only 1a to 1a packs to zero; 1b to 1b, illegal as well, replaces it.
            None => Self(NonZeroU16::MIN.saturating_add(128)),
        }
    }

    /// The packed bits.
    #[inline]
    pub const fn raw(self) -> u16 {
        self.0.get()
    }

    /// The move with these bits, or `None` for invalid ones: a square above 80, origin
    /// equal to destination, an unknown drop, a promoting drop.
    pub const fn from_raw(raw: u16) -> Option<Self> {
        let to = raw & 0x7f;
        let from = raw >> 7 & 0x7f;
        let valid = if raw & DROP != 0 {
            raw & PROMOTE == 0 && from >= 1 && from <= HandPiece::COUNT as u16
        } else {
            from < Square::COUNT as u16 && from != to
        };
        match NonZeroU16::new(raw) {
            Some(bits) if valid && to < Square::COUNT as u16 => Some(Self(bits)),
            _ => None,
        }
    }

    /// The destination.
    #[inline]
    pub const fn to(self) -> Square {
        Square::ALL[(self.raw() & 0x7f) as usize]
    }

    /// The origin, or `None` for a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() { None } else { Some(Square::ALL[(self.raw() >> 7 & 0x7f) as usize]) }
    }

    /// The dropped piece, or `None` for a move on the board.
    #[inline]
    pub const fn dropped(self) -> Option<HandPiece> {
        if self.is_drop() { Some(HandPiece::ALL[(self.raw() >> 7 & 0x7f) as usize - 1]) } else { None }
    }

    /// Returns true for a drop.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.raw() & DROP != 0
    }

    /// Returns true for a promotion.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.raw() & PROMOTE != 0
    }

    /// Origin or dropped piece, destination and promotion.
    #[inline]
    pub const fn parts(self) -> MoveParts {
        let to = self.to();
        let source = (self.raw() >> 7 & 0x7f) as usize;
        if self.is_drop() {
            MoveParts::Drop { piece: HandPiece::ALL[source - 1], to }
        } else {
            MoveParts::Board { from: Square::ALL[source], to, promote: self.is_promotion() }
        }
    }
}

impl From<MoveParts> for Move {
    #[inline]
    fn from(parts: MoveParts) -> Self {
        match parts {
            MoveParts::Board { from, to, promote } => {
                Self::pack(u16::from(promote) << 15 | (from as u16) << 7 | to as u16)
            }
            MoveParts::Drop { piece, to } => Self::drop(piece, to),
        }
    }
}

impl fmt::Display for Move {
    /// USI notation: `7g7f`, `8h2b+`, `P*5e`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: lists of games are mostly moves.
        let [a, b] = match self.parts() {
            MoveParts::Board { from, .. } => from.usi(),
            MoveParts::Drop { piece, .. } => [piece.piece_type().letter() as u8, b'*'],
        };
        let [c, d] = self.to().usi();
        let text = [a, b, c, d, b'+'];
        f.write_str(str::from_utf8(&text[..4 + usize::from(self.is_promotion())]).unwrap_or_default())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Parses USI notation. A trailing `=`, written by some engines for "no promotion",
    /// is accepted and ignored.
    ///
    /// # Errors
    /// [`ParseMoveError`] if the text is not of the form `7g7f`, `8h2b+` or `P*5e`.
    ///
    /// ```
    /// use enbu_movegen::Move;
    /// let promotion: Move = "8h2b+".parse()?;
    /// assert_eq!(promotion.to_string(), "8h2b+");
    /// assert!("K*5e".parse::<Move>().is_err());
    /// # Ok::<(), enbu_movegen::ParseMoveError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        parse_usi(text.as_bytes()).ok_or_else(|| ParseMoveError { text: text.chars().take(40).collect() })
    }
}

fn parse_usi(text: &[u8]) -> Option<Move> {
    let (&[a, b, c, d], suffix) = text.split_first_chunk::<4>()?;
    let to = Square::from_usi([c, d])?;
    if b == b'*' {
        let piece = crate::piece::PieceType::from_letter(char::from(a))?.hand_piece()?;
        return suffix.is_empty().then(|| Move::drop(piece, to));
    }
    let from = Square::from_usi([a, b])?;
    match suffix {
        _ if from == to => None,
        [] | [b'='] => Some(Move::board(from, to)),
        [b'+'] => Some(Move::promotion(from, to)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_valid_raw_value_survives_its_text_and_its_parts() {
        let mut valid = 0;
        for raw in 0..=u16::MAX {
            let Some(mv) = Move::from_raw(raw) else { continue };
            valid += 1;
            assert_eq!(mv.raw(), raw);
            assert_eq!(mv.to_string().parse(), Ok(mv));
            let rebuilt = match mv.parts() {
                MoveParts::Board { from, to, promote: false } => Move::board(from, to),
                MoveParts::Board { from, to, promote: true } => Move::promotion(from, to),
                MoveParts::Drop { piece, to } => Move::drop(piece, to),
            };
            assert_eq!(rebuilt, mv);
        }
        assert_eq!(valid, 2 * 81 * 80 + 7 * 81);
        assert_eq!(size_of::<Option<Move>>(), 2);
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in
            ["", "7g7", "P*", "K*5e", "7j7f", "0000", "none", "7g7g", "7g7f++", "P*5e+", "p*5e", "７g7f", "resign"]
        {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
        let long = "7g7f".repeat(25_000);
        assert_eq!(long.parse::<Move>().unwrap_err().text.len(), 40);
        assert_eq!("7g7f=".parse(), Ok(Move::board(Square::S77, Square::S76)));
    }
}

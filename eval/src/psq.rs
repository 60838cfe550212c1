//! Piece-square evaluation relative to both kings.
//!
//! The value of a position is a sum over its pieces: a term for the piece and its rank,
//! one for its square relative to its own king (defence), and one relative to the enemy
//! king (attack); pieces in hand have one term each. Only the distance in files matters,
//! not the direction.
//!
//! A text holds the terms in centipawns, parts one after the other and pieces in the order of
//! [`PieceType`] and [`HandPiece`]. They are fitted to self-play games (Texel's tuning method, see
//! `docs/networks-history.md`). They beat the formulas of the first version by 243 : 57 at 3000
//! nodes a move (+252 ± 50 Elo).

use enbu_movegen::{Capture, Color, Delta, HandPiece, Origin, Piece, PieceType, Position, Square};

use crate::Value;

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

/// The terms in use, in centipawns.
pub static TERMS: [i16; COUNT] = parse(include_str!("psq/tables.txt"));

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

/// The sums of one position, from Black's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Sums {
    /// Values of pieces on board and in hand, and terms of ranks.
    base: Value,
    /// Terms relative to Black's and to White's king; `None` until refreshed
    /// after that king moved.
    by_king: [Option<Value>; 2],
}

impl Sums {
    /// The sums of a position, from scratch.
    pub(crate) fn of(position: &Position) -> Self {
        let mut sums = Self::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                sums.base += signed(piece.color, base_term(piece, square));
            }
        }
        for color in Color::ALL {
            for (piece, count) in position.hand(color).iter() {
                sums.base += signed(color, held_term(piece) * Value::from(count));
            }
        }
        sums.refresh(position);
        sums
    }

    /// Recomputes the king terms that a king move invalidated.
    pub(crate) fn refresh(&mut self, position: &Position) {
        for color in Color::ALL {
            if self.by_king[color].is_none() {
                self.by_king[color] = Some(king_sum(position, color));
            }
        }
    }

    /// The value for `turn`; invalidated king terms count as 0.
    pub(crate) fn value(&self, turn: Color) -> Value {
        let sum = self.base + self.by_king[0].unwrap_or(0) + self.by_king[1].unwrap_or(0);
        signed(turn, sum) + Value::from(TERMS[TEMPO])
    }

    /// The sums after a move; `kings` are the kings' squares after it.
    pub(crate) fn after(mut self, delta: &Delta, kings: [Option<Square>; 2]) -> Self {
        let us = delta.mover;
        let placed = Piece::new(us, delta.placed);
        if placed.kind == PieceType::King {
            self.by_king[us] = None;
        }
        match delta.from {
            Origin::Board { from, kind } => self.add(Piece::new(us, kind), from, kings, -1),
            Origin::Hand { piece, .. } => self.base -= signed(us, held_term(piece)),
        }
        self.add(placed, delta.to, kings, 1);
        if let Some(Capture { kind, piece, .. }) = delta.captured {
            self.add(Piece::new(!us, kind), delta.to, kings, -1);
            self.base += signed(us, held_term(piece));
        }
        self
    }

    /// Adds (`sign` 1) or removes (-1) a piece.
    #[inline]
    fn add(&mut self, piece: Piece, square: Square, kings: [Option<Square>; 2], sign: Value) {
        self.base += sign * signed(piece.color, base_term(piece, square));
        for color in Color::ALL {
            if let (Some(sum), Some(king)) = (&mut self.by_king[color], kings[color]) {
                *sum += sign * signed(piece.color, king_term(piece, square, color, king));
            }
        }
    }
}

/// All terms relative to `color`'s king, from Black's point of view.
fn king_sum(position: &Position, color: Color) -> Value {
    let Some(king) = position.king(color) else { return 0 };
    let sum_of = |owner| {
        let squares = position.by_color(owner).into_iter();
        let pieces = squares.filter_map(|square| position.piece_at(square).map(|piece| (square, piece.kind)));
        let terms = pieces.map(|(square, kind)| king_term(Piece::new(owner, kind), square, color, king));
        signed(owner, terms.sum())
    };
    sum_of(Color::Black) + sum_of(Color::White)
}

#[inline]
fn signed(color: Color, value: Value) -> Value {
    match color {
        Color::Black => value,
        Color::White => -value,
    }
}

#[inline]
fn base_term(piece: Piece, square: Square) -> Value {
    let rank = square.relative_rank(piece.color) as usize - 1;
    Value::from(TERMS[PLACED + 9 * piece.kind as usize + rank])
}

#[inline]
fn held_term(piece: HandPiece) -> Value {
    Value::from(TERMS[HELD + piece as usize])
}

#[inline]
fn king_term(piece: Piece, square: Square, color: Color, king: Square) -> Value {
    let first = if piece.color == color { GUARD } else { THREAT } + RELATIVE * piece.kind as usize;
    Value::from(TERMS[first + usize::from(PLACES[piece.color][king][square])])
}

/// Index of a term among the [`RELATIVE`] ones, by the color of the piece, the square of the
/// king and that of the piece. A table, since files and ranks cost twice the instructions.
static PLACES: [[[u8; Square::COUNT]; Square::COUNT]; 2] = {
    let mut places = [[[0; Square::COUNT]; Square::COUNT]; 2];
    let mut at = 0;
    while at < places.len() * Square::COUNT * Square::COUNT {
        let [owner, king, square] =
            [at / Square::COUNT / Square::COUNT, at / Square::COUNT % Square::COUNT, at % Square::COUNT];
        places[owner][king][square] = relative(Color::ALL[owner], Square::ALL[king], Square::ALL[square]);
        at += 1;
    }
    places
};

/// The index among the [`RELATIVE`] terms of a piece of `owner` on `square` to a king.
pub const fn relative(owner: Color, king: Square, square: Square) -> u8 {
    let files = square.file().abs_diff(king.file());
    let ahead = square.relative_rank(owner) + 8 - king.relative_rank(owner);
    files * 17 + ahead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_to_the_term_of_the_distance() {
        let mut distances = [[(0, 0); 17]; 9];
        for (files, row) in distances.iter_mut().enumerate() {
            for (ahead, distance) in row.iter_mut().enumerate() {
                *distance = (files as i32, ahead as i32 - 8);
            }
        }
        for king in Square::ALL {
            for square in Square::ALL {
                let files = (i32::from(square.file()) - i32::from(king.file())).abs();
                let below = i32::from(square.rank()) - i32::from(king.rank());
                for (owner, ahead) in [(Color::Black, below), (Color::White, -below)] {
                    let place = PLACES[owner][king][square];
                    assert_eq!(
                        distances.as_flattened()[usize::from(place)],
                        (files, ahead),
                        "{owner:?} {king} {square}"
                    );
                }
            }
        }
    }
}

//! Piece-square evaluation, seen from both kings.
//!
//! The value of a position is a sum over its pieces: the piece's value, plus a
//! term that depends on where it stands relative to its own king (defence), plus
//! one relative to the enemy king (attack); pieces in hand count their value.
//! Files are mirrored: only the distance in files matters.
//!
//! The terms are formulas of our own, not tuned: a piece that guards or attacks
//! is worth more the nearer it is (both distances fall linearly with the larger
//! of the file and rank distance), and pieces ahead of a king shield it better
//! than pieces behind it. They are the bootstrap for a learnt evaluation.

use enbu_movegen::{Capture, Color, Delta, HandPiece, Origin, Piece, PieceType, Position, Square};

use crate::{Value, piece_value};

/// How strongly a piece guards its own king when next to it, in centipawns.
const GUARD: [i32; 14] = [10, 6, 8, 36, 6, -10, 42, 0, 24, 22, 22, 26, 40, 10];
/// How strongly a piece threatens the enemy king when next to it, in centipawns.
const THREAT: [i32; 14] = [14, 8, 26, 44, 20, 30, 52, 0, 64, 60, 60, 60, 70, 90];
/// How far the guard and threat terms reach, in squares.
const REACH: i32 = 6;

/// File distance 0 to 8, and rank distance -8 to 8 counted in the piece's
/// direction of play (positive: the king is ahead of the piece).
pub type Relative = [[i16; 17]; 9];

/// The numbers that an evaluation is the sum of, in centipawns; pieces in the order of
/// [`PieceType`] and [`HandPiece`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The bonus for having the move.
    pub tempo: i16,
    /// Each piece in hand.
    pub held: [i16; 7],
    /// Each piece on each rank, as its owner counts ranks (index 0: farthest).
    pub placed: [[i16; 9]; 14],
    /// Terms of each piece relative to its own king.
    pub guard: [Relative; 14],
    /// The same relative to the enemy king.
    pub threat: [Relative; 14],
}

/// The numbers in use.
pub static TABLES: Tables =
    Tables { tempo: 15, held: held(), placed: placed(), guard: relative(&GUARD, -1), threat: relative(&THREAT, 1) };

/// `weights[kind]` next to the king, falling linearly to zero at [`REACH`]; on
/// the worse side (`better_side` is the sign of the better one) only half.
const fn relative(weights: &[i32; 14], better_side: i32) -> [Relative; 14] {
    let mut table = [[[0; 17]; 9]; 14];
    let mut kind = 0;
    while kind < 14 {
        let mut files = 0;
        while files < 9 {
            let mut ranks: i32 = -8;
            while ranks <= 8 {
                let distance = if ranks.abs() > files { ranks.abs() } else { files };
                let nearness = if distance < REACH { REACH - distance } else { 0 };
                let mut term = weights[kind] * nearness / (REACH - 1);
                if ranks * better_side < 0 {
                    term /= 2;
                }
                table[kind][files as usize][(ranks + 8) as usize] = term as i16;
                ranks += 1;
            }
            files += 1;
        }
        kind += 1;
    }
    table
}

/// Pieces in hand count their value.
const fn held() -> [i16; 7] {
    let mut table = [0; 7];
    let mut piece = 0;
    while piece < 7 {
        table[piece] = piece_value::in_hand(HandPiece::ALL[piece]) as i16;
        piece += 1;
    }
    table
}

/// Values, and terms of ranks.
const fn placed() -> [[i16; 9]; 14] {
    let mut table = rank_terms();
    let mut kind = 0;
    while kind < 14 {
        let mut rank = 0;
        while rank < 9 {
            table[kind][rank] += piece_value::on_board(PieceType::ALL[kind]) as i16;
            rank += 1;
        }
        kind += 1;
    }
    table
}

/// Small pieces gain by advancing up to the fifth rank, sliding pieces in the
/// zone; the king by staying at home.
const fn rank_terms() -> [[i16; 9]; 14] {
    let mut table = [[0; 9]; 14];
    let mut rank = 0;
    while rank < 9 {
        let advanced = 8 - rank as i16;
        let capped = if advanced > 4 { 4 } else { advanced };
        table[PieceType::Pawn as usize][rank] = 4 * capped;
        table[PieceType::Knight as usize][rank] = 6 * capped;
        table[PieceType::Silver as usize][rank] = 6 * capped;
        table[PieceType::Lance as usize][rank] = -4 * capped;
        if rank < 3 {
            table[PieceType::Rook as usize][rank] = 60;
            table[PieceType::Bishop as usize][rank] = 40;
        }
        table[PieceType::King as usize][rank] = -12 * advanced;
        rank += 1;
    }
    table
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
    /// Everything computed from the position.
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

    /// Fills in the king terms that a king's move has made stale.
    pub(crate) fn refresh(&mut self, position: &Position) {
        for color in Color::ALL {
            if self.by_king[color].is_none() {
                self.by_king[color] = Some(king_sum(position, color));
            }
        }
    }

    /// The value for `turn`; stale king terms count nothing.
    pub(crate) fn value(&self, turn: Color) -> Value {
        let sum = self.base + self.by_king[0].unwrap_or(0) + self.by_king[1].unwrap_or(0);
        signed(turn, sum) + Value::from(TABLES.tempo)
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
    position
        .occupied()
        .into_iter()
        .filter_map(|square| position.piece_at(square).map(|piece| (square, piece)))
        .map(|(square, piece)| signed(piece.color, king_term(piece, square, color, king)))
        .sum()
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
    Value::from(TABLES.placed[piece.kind][rank])
}

#[inline]
fn held_term(piece: HandPiece) -> Value {
    Value::from(TABLES.held[piece])
}

/// The term of `piece` on `square` relative to the king of `color` on `king`.
#[inline]
fn king_term(piece: Piece, square: Square, color: Color, king: Square) -> Value {
    let files = square.file().abs_diff(king.file()) as usize;
    let ahead = square.relative_rank(piece.color) + 8 - king.relative_rank(piece.color);
    let tables = if piece.color == color { &TABLES.guard } else { &TABLES.threat };
    Value::from(tables[piece.kind][files][ahead as usize])
}

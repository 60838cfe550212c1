//! The terms of the piece-square evaluation.

/// File distance 0 to 8, and rank distance -8 to 8 counted in the piece's
/// direction of play (positive: the king is ahead of the piece).
pub type Relative = [[i16; 17]; 9];

/// The terms of the evaluation in centipawns; pieces in the order of
/// [`PieceType`](enbu_movegen::PieceType) and [`HandPiece`](enbu_movegen::HandPiece).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The bonus of the side to move.
    pub tempo: i16,
    /// The term of each piece in hand.
    pub held: [i16; 7],
    /// The term of each piece on each rank from its owner's perspective (index 0: farthest).
    pub placed: [[i16; 9]; 14],
    /// Terms of each piece relative to its own king.
    pub guard: [Relative; 14],
    /// Terms of each piece relative to the enemy king.
    pub threat: [Relative; 14],
}

/// The terms in use.
pub static TABLES: Tables = Tables::parse(include_str!("tables.txt"));

impl Tables {
    /// The terms in a text: numbers in the order of the fields, and comments from `#` to the
    /// end of a line.
    ///
    /// # Panics
    /// With more or fewer numbers, or anything else.
    pub const fn parse(text: &str) -> Self {
        let mut rest = Numbers { text: text.as_bytes(), at: 0 };
        let [tempo] = rest.take();
        let tables =
            Self { tempo, held: rest.take(), placed: rest.rows(), guard: rest.relative(), threat: rest.relative() };
        rest.skip();
        assert!(rest.at == rest.text.len(), "more numbers than terms");
        tables
    }
}

/// The numbers of a text.
struct Numbers<'a> {
    text: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    /// Skips white space and comments.
    const fn skip(&mut self) {
        let mut is_comment = false;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\n' => is_comment = false,
                b'#' => is_comment = true,
                byte if !is_comment && !byte.is_ascii_whitespace() => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    const fn take<const N: usize>(&mut self) -> [i16; N] {
        let mut numbers = [0; N];
        let mut index = 0;
        while index < N {
            self.skip();
            let sign = if self.text[self.at] == b'-' { -1 } else { 1 };
            self.at += (sign < 0) as usize;
            assert!(self.text[self.at].is_ascii_digit(), "not a number");
            while self.at < self.text.len() && self.text[self.at].is_ascii_digit() {
                numbers[index] = 10 * numbers[index] + sign * (self.text[self.at] - b'0') as i16;
                self.at += 1;
            }
            index += 1;
        }
        numbers
    }

    const fn rows<const N: usize, const M: usize>(&mut self) -> [[i16; N]; M] {
        let mut rows = [[0; N]; M];
        let mut row = 0;
        while row < M {
            rows[row] = self.take();
            row += 1;
        }
        rows
    }

    const fn relative(&mut self) -> [Relative; 14] {
        let mut relative = [[[0; 17]; 9]; 14];
        let mut kind = 0;
        while kind < 14 {
            relative[kind] = self.rows();
            kind += 1;
        }
        relative
    }
}

//! SFEN: the text form of a diagram.
//!
//! `<board> <b|w> <hands|-> <move number>` as in section 3 of the SFEN
//! specification. The reader accepts these deviations, which programs write: any run of
//! blanks between fields, hands in any order and with a count of 1, a missing hand
//! field (`-`) or move number (1), numbers out of range (clamped to 1..=65 535). All
//! others are errors. The writer emits the canonical form: hands as R B G S N L P,
//! Black's first.

use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use enbu_language::messages;

use crate::color::Color;
use crate::hand::Hand;
use crate::piece::{HandPiece, Piece, PieceType};
use crate::setup::Setup;
use crate::square::Square;

messages! {
/// Error: the text is not an SFEN. Ranks count from 1 at the top; texts are cut to 40 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum SfenError {
    MissingBoard => "sfen: board missing", "SFEN：盤面がありません";
    MissingTurn => "sfen: side to move missing", "SFEN：手番がありません";
    RankCount(board: String) => "sfen board: not nine ranks in `{board}`", "SFEN の盤面：`{board}` は 9 段ではありません";
    RankWidth(rank: u8, row: String) =>
        "sfen board rank {rank}: not nine squares in `{row}`", "SFEN の盤面 {rank} 段目：`{row}` は 9 マスではありません";
    BoardCharacter(rank: u8, letter: char) =>
        "sfen board rank {rank}: unknown character `{letter}`", "SFEN の盤面 {rank} 段目：`{letter}` は駒の文字ではありません";
    Promotion(rank: u8, letter: char) =>
        "sfen board rank {rank}: `+` before `{letter}`, which cannot be promoted",
        "SFEN の盤面 {rank} 段目：`+` の後の `{letter}` は成れません";
    Turn(turn: String) => "sfen: side to move must be b or w, not `{turn}`", "SFEN：手番は b か w です（`{turn}` は不可）";
    HandCharacter(letter: char) => "sfen hands: unknown piece `{letter}`", "SFEN の持駒：`{letter}` は駒の文字ではありません";
    /// Zero, above the maximum (pawns 31, lances and knights 15, others 7), or without a piece
    /// after it.
    HandCount(hands: String) => "sfen hands: bad count `{hands}`", "SFEN の持駒：`{hands}` は枚数が正しくありません";
    MoveNumber(number: String) =>
        "sfen: move number is not a whole number: `{number}`", "SFEN：手数が整数ではありません：`{number}`";
    Trailing(text: String) => "sfen: unexpected text `{text}` after the move number", "SFEN：手数の後に余分な文字があります：`{text}`";
}}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl FromStr for Setup {
    type Err = SfenError;

    /// Parses the four fields of an SFEN (without the word `sfen`).
    ///
    /// # Errors
    /// [`SfenError`] naming the field and the offending text.
    ///
    /// ```
    /// use enbu_movegen::Setup;
    /// let setup: Setup = "4k4/9/9/9/9/9/9/9/4K4 b G2p".parse()?;
    /// assert_eq!(setup.to_string(), "4k4/9/9/9/9/9/9/9/4K4 b G2p 1");
    /// # Ok::<(), enbu_movegen::SfenError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, SfenError> {
        let mut fields = text.split_ascii_whitespace();
        let mut setup = Self::empty();
        parse_board(fields.next().ok_or(SfenError::MissingBoard)?, &mut setup)?;
        setup.turn = match fields.next() {
            Some("b") => Color::Black,
            Some("w") => Color::White,
            Some(other) => return Err(SfenError::Turn(short(other))),
            None => return Err(SfenError::MissingTurn),
        };
        parse_hands(fields.next().unwrap_or("-"), &mut setup)?;
        setup.ply = parse_number(fields.next().unwrap_or("1"))?;
        match fields.next() {
            Some(rest) => Err(SfenError::Trailing(short(rest))),
            None => Ok(setup),
        }
    }
}

fn parse_board(text: &str, setup: &mut Setup) -> Result<(), SfenError> {
    let mut rank = 0;
    for row in text.split('/') {
        rank += 1;
        if rank > 9 {
            return Err(SfenError::RankCount(short(text)));
        }
        parse_rank(row, rank, setup)?;
    }
    if rank == 9 { Ok(()) } else { Err(SfenError::RankCount(short(text))) }
}

/// Parses one rank, from file 9 to file 1.
fn parse_rank(row: &str, rank: u8, setup: &mut Setup) -> Result<(), SfenError> {
    let wrong_width = || SfenError::RankWidth(rank, short(row));
    let mut file = 9_u8;
    let mut promoted = false;
    for letter in row.chars() {
        match letter {
            '1'..='9' if !promoted => {
                let empty = letter as u8 - b'0';
                file = file.checked_sub(empty).ok_or_else(wrong_width)?;
            }
            '+' if !promoted => promoted = true,
            _ => {
                let kind = PieceType::from_letter(letter.to_ascii_uppercase());
                let piece = match (kind, promoted) {
                    (Some(kind), false) => kind,
                    (Some(kind), true) => kind.promoted().ok_or(SfenError::Promotion(rank, letter))?,
                    (None, true) => return Err(SfenError::Promotion(rank, letter)),
                    (None, false) => return Err(SfenError::BoardCharacter(rank, letter)),
                };
                let square = Square::new(file, rank).ok_or_else(wrong_width)?;
                setup.board[square] = Some(Piece::new(color_of(letter), piece));
                promoted = false;
                file -= 1;
            }
        }
    }
    match (file, promoted) {
        (0, false) => Ok(()),
        (_, true) => Err(SfenError::Promotion(rank, '/')),
        _ => Err(wrong_width()),
    }
}

const fn color_of(letter: char) -> Color {
    if letter.is_ascii_uppercase() { Color::Black } else { Color::White }
}

fn parse_hands(text: &str, setup: &mut Setup) -> Result<(), SfenError> {
    if text == "-" {
        return Ok(());
    }
    let mut count: Option<u32> = None;
    for letter in text.chars() {
        let bad_count = || SfenError::HandCount(short(text));
        if let Some(digit) = letter.to_digit(10) {
            let value = count.unwrap_or(0) * 10 + digit;
            if value == 0 || value > 99 {
                return Err(bad_count());
            }
            count = Some(value);
            continue;
        }
        let piece = PieceType::from_letter(letter.to_ascii_uppercase())
            .and_then(PieceType::hand_piece)
            .ok_or(SfenError::HandCharacter(letter))?;
        let hand = &mut setup.hands[color_of(letter)];
        let total = u32::from(hand.count(piece)) + count.take().unwrap_or(1);
        *hand = u8::try_from(total).ok().and_then(|total| hand.with_count(piece, total)).ok_or_else(bad_count)?;
    }
    if count.is_some() { Err(SfenError::HandCount(short(text))) } else { Ok(()) }
}

fn parse_number(text: &str) -> Result<u16, SfenError> {
    let number = whole_number(text).ok_or_else(|| SfenError::MoveNumber(short(text)))?;
    Ok(number.clamp(1, i64::from(u16::MAX)) as u16)
}

/// Reads a whole number in decimal; one that does not fit saturates.
///
/// `None` for anything else: `12x`, `1e9`, `1.5`, `0x10`, an empty word.
///
/// ```
/// use enbu_movegen::whole_number;
/// assert_eq!(whole_number("-5"), Some(-5));
/// assert_eq!(whole_number("99999999999999999999"), Some(i64::MAX));
/// assert_eq!(whole_number("100ms"), None);
/// ```
pub fn whole_number(word: &str) -> Option<i64> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let saturated = if negative { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(saturated))
}

impl Display for Setup {
    /// The canonical SFEN with all four fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            if rank > 1 {
                f.write_char('/')?;
            }
            write_rank(f, self, rank)?;
        }
        f.write_str(self.turn.select([" b ", " w "]))?;
        write_hands(f, self)?;
        write!(f, " {}", self.ply)
    }
}

fn write_rank(f: &mut fmt::Formatter<'_>, setup: &Setup, rank: u8) -> fmt::Result {
    let mut empty = 0;
    for square in (1..=9).rev().filter_map(|file| Square::new(file, rank)) {
        let Some(piece) = setup.board[square] else {
            empty += 1;
            continue;
        };
        if empty > 0 {
            write!(f, "{empty}")?;
            empty = 0;
        }
        if piece.kind.is_promoted() {
            f.write_char('+')?;
        }
        f.write_char(letter_of(piece.color, piece.kind))?;
    }
    if empty > 0 { write!(f, "{empty}") } else { Ok(()) }
}

fn write_hands(f: &mut fmt::Formatter<'_>, setup: &Setup) -> fmt::Result {
    if setup.hands == [Hand::EMPTY; 2] {
        return f.write_char('-');
    }
    for color in Color::ALL {
        for piece in HandPiece::SFEN_ORDER {
            match setup.hands[color].count(piece) {
                0 => {}
                1 => f.write_char(letter_of(color, piece.piece_type()))?,
                count => write!(f, "{count}{}", letter_of(color, piece.piece_type()))?,
            }
        }
    }
    Ok(())
}

const fn letter_of(color: Color, kind: PieceType) -> char {
    color.select([kind.letter(), kind.letter().to_ascii_lowercase()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> SfenError {
        text.parse::<Setup>().expect_err(text)
    }

    #[test]
    fn text_survives_a_round_trip() {
        for text in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "9/9/9/9/9/9/9/9/9 w 2R2B4G4S4N4L18P 65535",
        ] {
            let setup: Setup = text.parse().unwrap();
            let canonical = setup.to_string();
            assert_eq!(canonical.parse(), Ok(setup.clone()));
            assert_eq!(setup.flipped().flipped(), setup);
        }
    }

    #[test]
    fn loose_forms_mean_what_they_say() {
        let read = |text: &str| text.parse::<Setup>().map(|setup| setup.to_string());
        let board = "4k4/9/9/9/9/9/9/9/4K4";
        assert_eq!(read(&format!("  {board}\t b  2p1RB \r")).unwrap(), format!("{board} b RB2p 1"));
        assert_eq!(read(&format!("{board} w")).unwrap(), format!("{board} w - 1"));
        for (number, clamped) in [("0", 1), ("-1", 1), ("65536", 65535), ("9223372036854775808", 65535), ("+7", 7)] {
            assert_eq!(read(&format!("{board} b - {number}")).unwrap(), format!("{board} b - {clamped}"));
        }
    }

    #[test]
    fn each_fault_has_its_own_error() {
        use SfenError::*;
        let empty = "9/9/9/9/9/9/9/9/9";
        assert_eq!(error(""), MissingBoard);
        assert_eq!(error(empty), MissingTurn);
        for ranks in ["9/9/9/9/9/9/9/9", "9/9/9/9/9/9/9/9/9/9"] {
            assert_eq!(error(&format!("{ranks} b - 1")), RankCount(ranks.into()));
        }
        for row in ["8", "91", "9P"] {
            assert_eq!(error(&format!("9/{row}/9/9/9/9/9/9/9 b - 1")), RankWidth(2, row.into()));
        }
        for (row, character) in [("8x", 'x'), ("8\u{6b69}", '\u{6b69}'), ("90", '0')] {
            assert_eq!(error(&format!("9/9/{row}/9/9/9/9/9/9 b - 1")), BoardCharacter(3, character));
        }
        for (bad, letter) in [("8+K", 'K'), ("8+G", 'G'), ("+9", '9'), ("+1P7", '1'), ("8++P", '+'), ("8P+", '/')] {
            assert_eq!(error(&format!("{bad}/9/9/9/9/9/9/9/9 b - 1")), Promotion(1, letter), "{bad}");
        }
        assert_eq!(error(&format!("{empty} B - 1")), Turn("B".into()));
        assert_eq!(error(&format!("{empty} b K 1")), HandCharacter('K'));
        for bad in ["99P", "0P", "256P", "4294967297P", "18446744073709551617P", "P2", "32p", "8R", "00P"] {
            assert_eq!(error(&format!("{empty} b {bad} 1")), HandCount(bad.into()), "{bad}");
        }
        for bad in ["x", "-"] {
            assert_eq!(error(&format!("{empty} b - {bad}")), MoveNumber(bad.into()));
        }
        assert_eq!(error(&format!("{empty} b - 1 2")), Trailing("2".into()));
    }
}

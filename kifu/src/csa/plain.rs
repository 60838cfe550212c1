//! The lines that a file consists of for the most part: a move or a time, alone on its
//! line, as the specification has it. They are read from their bytes, at once. Whatever
//! other content or fault of a line is left to the statements, which report it.

use enbu_movegen::{MoveParts, Position};

use super::*;

/// Bytes of a move.
pub(super) const MOVE: usize = 7;

/// The move of a line such as `+7776FU`. Whether the rules allow it is not looked at,
/// nor whether a piece promotes where it may. The bytes after the line end are left.
#[inline(always)]
pub(super) fn read_move(bytes: &mut &[u8], game: &Position) -> Option<MoveParts> {
    let (&[side, f1, f2, t1, t2, n1, n2, end], rest) = bytes.split_first_chunk()?;
    let (from, to) = squares([f1, f2, t1, t2])?;
    let (to, name) = (to?, [n1, n2]);
    // A processor foresees that the sign fits, but not which of the two it is.
    if side != sign(game.turn()) as u8 {
        return None;
    }
    let value = match from {
        Some(from) => {
            let moved = game.piece_at(from)?.kind;
            let promote = *name_bytes(moved) != name;
            if promote && moved.promoted().is_none_or(|promoted| *name_bytes(promoted) != name) {
                return None;
            }
            MoveParts::Board { from, to, promote }
        }
        None if [f1, f2] == *b"00" => {
            let kind = piece_named(name).filter(|kind| !kind.is_promoted())?;
            MoveParts::Drop { piece: kind.hand_piece()?, to }
        }
        None => return None,
    };
    *bytes = after_line_end(end, rest)?;
    Some(value)
}

/// Squares by their digits: file and, eight bits higher, rank.
static SQUARES: [Option<Square>; 0x1000] = squares_by_digits();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn squares_by_digits() -> [Option<Square>; 0x1000] {
    let mut table = [None; 0x1000];
    let mut index = 0;
    while index < table.len() {
        table[index] = Square::new((index & 0xff) as u8, (index >> 8) as u8);
        index += 1;
    }
    table
}

/// The squares that four digits name, two each; `None` if one of them is no digit.
#[inline(always)]
fn squares(digits: [u8; 4]) -> Option<(Option<Square>, Option<Square>)> {
    let digits = u32::from_le_bytes(digits) ^ u32::from_le_bytes(*b"0000");
    if digits & 0xf0f0_f0f0 != 0 {
        return None;
    }
    Some((*SQUARES.get(digits as usize & 0xfff)?, *SQUARES.get(digits as usize >> 16 & 0xfff)?))
}

/// The seconds of a line such as `T12`, in milliseconds.
#[inline(always)]
pub(super) fn read_time(bytes: &mut &[u8]) -> Option<u64> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let &[letter, ref digits @ .., _] = bytes.first_chunk::<10>()?;
    // Zero in every digit, and not above nine.
    let digits = u64::from_le_bytes(*digits) ^ (ONES * u64::from(b'0'));
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let count = others.trailing_zeros() / 8;
    if letter != b'T' || count == 0 || count == 8 {
        return None;
    }
    let (&end, rest) = bytes.get(1 + count as usize..)?.split_first()?;
    *bytes = after_line_end(end, rest)?;
    Some(1000 * number(digits << (64 - 8 * count)))
}

/// The number of eight decimal digits, each in a byte, the first one lowest. Neighbours
/// are put together, then pairs, then fours (after Daniel Lemire, "Quickly parsing eight
/// digits", 2018).
const fn number(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

/// The rest after a line end that begins with this byte.
#[inline(always)]
fn after_line_end(end: u8, rest: &[u8]) -> Option<&[u8]> {
    match end {
        b'\n' => Some(rest),
        b'\r' => Some(rest.strip_prefix(b"\n").unwrap_or(rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Mode;

    #[test]
    fn plain_moves_and_times_are_read_with_every_line_end() {
        let game = Position::startpos();
        for (text, rest) in [("+7776FU\n", ""), ("+7776FU\r\nT1", "T1"), ("+7776FU\r\n\n", "\n"), ("+7776FU\rT1", "T1")]
        {
            let mut bytes = text.as_bytes();
            let told = Move::to_string(&read_move(&mut bytes, &game).unwrap().into());
            assert_eq!((told.as_str(), bytes), ("7g7f", rest.as_bytes()), "{text:?}");
        }
        for (text, ms, rest) in [
            ("T0\n-3334FU\n", 0, "-3334FU\n"),
            ("T12\n-3334FU\n", 12_000, "-3334FU\n"),
            ("T1234567\r\n", 1_234_567_000, ""),
            ("T9999999\n\n", 9_999_999_000, "\n"),
        ] {
            let mut bytes = text.as_bytes();
            assert_eq!((read_time(&mut bytes), bytes), (Some(ms), rest.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        let game = Position::startpos();
        for text in [
            "",
            "+",
            "+7776F",
            "+7776FU",
            "+7776FU ",
            "+7776FU,T1",
            "-3334FU",
            "*7776FU",
            "+7706FU",
            "+0776FU",
            "+0055GY",
            "+0055OU",
            "+0055TO",
            "+5554FU",
            "+7776KI",
            "+7776F歩",
            "+5958GY",
        ] {
            assert!(read_move(&mut text.as_bytes(), &game).is_none(), "{text:?}");
            let line = format!("{text}\n");
            assert!(text == "+7776FU" || read_move(&mut line.as_bytes(), &game).is_none(), "{line:?}");
        }
        for text in ["", "T", "T\n", "T1.5", "T1 ", "T,", "T-1", "T１", "T1:", "T1/", "T12345678", "T1234567890"] {
            let lines = format!("{text}\n-3334FU\n");
            assert!(
                read_time(&mut text.as_bytes()).is_none() && read_time(&mut lines.as_bytes()).is_none(),
                "{text:?}"
            );
        }
    }

    /// A blank after every statement: ignored by the reader, but not a plain line.
    #[test]
    fn plain_lines_are_read_as_statements_are() {
        let games = [
            "PI\n+\n+7776FU\nT12\n-3334FU\nT0\n+8822UM\n-3122GI\n+0045KA\n-0033KA\nT5\nT6\n%TORYO\nT1\n",
            "PI\n+\n+7776FU\n-7776FU\n+2726FU\n",
            "PI\n+\n+8822UM\nT3\n-3334FU\n+2622UM\n",
            "T1\nPI\n+\nT2\n+7776FU\n-3334FU\n%TORYO\n+2726FU\n",
            "PI\n+\n+2726FU\n/\nPI\n+\n+7776FU\nT3\n'*text\n-3334FU\n'** 30 +2726FU\n",
        ];
        for game in games {
            let spaced = game.replace('\n', " \n");
            for mode in [Mode::Tolerant, Mode::Strict] {
                let told =
                    |text: &str| read(text, mode).map(|reading| (reading.records, reading.warnings, reading.errors));
                assert_eq!(told(game), told(&spaced), "{game}");
            }
        }
    }
}

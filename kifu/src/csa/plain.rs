//! The lines that a file consists of for the most part: a move or a time, alone on its
//! line, as the specification has it. They are read from their bytes, at once. Whatever
//! other content or fault of a line is left to the statements, which report it.

use enbu_movegen::{MoveParts, Replay};

use super::*;

/// Bytes of a move.
pub(super) const MOVE: usize = 7;

/// The move of a line such as `+7776FU`, and the text after the line. Whether the rules allow it is not looked at,
/// nor whether a piece promotes where it may.
#[inline(always)]
pub(super) fn read_move<'t>(text: &'t str, game: &Replay) -> Option<(MoveParts, &'t str)> {
    let &[side, f1, f2, t1, t2, n1, n2] = text.as_bytes().first_chunk::<MOVE>()?;
    let (to, name) = (square_at([t1, t2])?, [n1, n2]);
    // A processor foresees that the sign fits, but not which of the two it is.
    if side != sign(game.turn()) as u8 {
        return None;
    }
    let parts = match square_at([f1, f2]) {
        Some(from) => {
            let moved = game.piece_at(from)?.kind;
            let promote = *name_bytes(moved) != name;
            if promote && moved.promoted().is_none_or(|promoted| *name_bytes(promoted) != name) {
                return None;
            }
            MoveParts::Board { from, to, promote }
        }
        None if [f1, f2] == *b"00" => MoveParts::Drop { piece: held(piece_named(name)?).ok()?, to },
        None => return None,
    };
    Some((parts, after_line(text, MOVE)?))
}

/// The seconds of a line such as `T12`, in milliseconds, and the text after the line.
#[inline(always)]
pub(super) fn read_time(text: &str) -> Option<(u64, &str)> {
    const MOST_DIGITS: usize = 7;
    let digits = text.as_bytes().strip_prefix(b"T")?.iter().take(MOST_DIGITS).map(|byte| byte.wrapping_sub(b'0'));
    let (count, seconds) = digits
        .take_while(|&digit| digit < 10)
        .fold((0, 0), |(count, seconds), digit| (count + 1, seconds * 10 + u64::from(digit)));
    if count == 0 { None } else { Some((seconds * 1000, after_line(text, 1 + count)?)) }
}

/// The text after the line end at this byte.
#[inline(always)]
fn after_line(text: &str, end: usize) -> Option<&str> {
    match text.as_bytes().get(end)? {
        b'\n' => text.get(end + 1..),
        b'\r' => text.get(end + 1..).map(|rest| rest.strip_prefix('\n').unwrap_or(rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Mode;

    #[test]
    fn plain_moves_and_times_are_read_with_every_line_end() {
        let game = Replay::from_setup(&Setup::startpos()).unwrap();
        for (text, rest) in [("+7776FU\n", ""), ("+7776FU\r\nT1", "T1"), ("+7776FU\r\n\n", "\n"), ("+7776FU\rT1", "T1")]
        {
            let (parts, after) = read_move(text, &game).unwrap();
            let told = Move::to_string(&parts.into());
            assert_eq!((told.as_str(), after), ("7g7f", rest), "{text:?}");
        }
        for (text, ms, rest) in [
            ("T0\n-3334FU\n", 0, "-3334FU\n"),
            ("T12\n-3334FU\n", 12_000, "-3334FU\n"),
            ("T1234567\r\n", 1_234_567_000, ""),
            ("T9999999\n\n", 9_999_999_000, "\n"),
        ] {
            let (read_ms, after) = read_time(text).unwrap();
            assert_eq!((read_ms, after), (ms, rest), "{text:?}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        let game = Replay::from_setup(&Setup::startpos()).unwrap();
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
            assert!(read_move(text, &game).is_none(), "{text:?}");
            let line = format!("{text}\n");
            assert!(text == "+7776FU" || read_move(&line, &game).is_none(), "{line:?}");
        }
        for text in ["", "T", "T\n", "T1.5", "T1 ", "T,", "T-1", "T１", "T1:", "T1/", "T12345678", "T1234567890"] {
            let lines = format!("{text}\n-3334FU\n");
            assert!(read_time(text).is_none() && read_time(&lines).is_none(), "{text:?}");
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

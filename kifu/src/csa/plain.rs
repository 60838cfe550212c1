//! The lines that a file consists of for the most part: a move or a time, alone on its
//! line, as the specification has it. They are read from their bytes, at once. Whatever
//! else stands in a line, or is wrong with it, is left to the statements, which tell it.

use super::*;

/// A line that was read, and the text after its line end.
pub(super) struct Plain<'t, T> {
    pub(super) value: T,
    pub(super) rest: &'t str,
}

/// The move of a line such as `+7776FU`. Whether the rules allow it is not looked at,
/// nor whether a piece promotes where it may.
pub(super) fn read_move<'t>(text: &'t str, board: &Board) -> Option<Plain<'t, Move>> {
    let &[side, f1, f2, t1, t2, n1, n2] = text.as_bytes().first_chunk()?;
    let rest = after_line_end(text, 7)?;
    if color_of_sign(side) != Some(board.turn()) {
        return None;
    }
    let (to, name) = (square_at([t1, t2])?, [n1, n2]);
    let value = match square_at([f1, f2]) {
        Some(from) => {
            let moved = board.piece_at(from)?.kind;
            if *name_bytes(moved) == name {
                Move::board(from, to)
            } else if moved.promoted().is_some_and(|promoted| *name_bytes(promoted) == name) {
                Move::promotion(from, to)
            } else {
                return None;
            }
        }
        None if [f1, f2] == *b"00" => {
            let kind = piece_named(name).filter(|kind| !kind.is_promoted())?;
            Move::drop(kind.hand_piece()?, to)
        }
        None => return None,
    };
    Some(Plain { value, rest })
}

/// The seconds of a line such as `T12`, in milliseconds.
pub(super) fn read_time(text: &str) -> Option<Plain<'_, u64>> {
    /// With which no number is too large.
    const MOST_DIGITS: usize = 9;
    let digits = text.as_bytes().get(1..)?.iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit());
    let (mut seconds, mut count) = (0, 0);
    for digit in digits {
        seconds = 10 * seconds + u64::from(digit - b'0');
        count += 1;
    }
    if count == 0 {
        return None;
    }
    Some(Plain { value: 1000 * seconds, rest: after_line_end(text, 1 + count)? })
}

/// What follows the line end that stands at this byte; nothing after the last line.
fn after_line_end(text: &str, at: usize) -> Option<&str> {
    match text.as_bytes().get(at..)? {
        [b'\r', b'\n', ..] => text.get(at + 2..),
        [b'\n' | b'\r', ..] => text.get(at + 1..),
        [] => Some(""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    #[test]
    fn plain_moves_and_times_are_read_with_every_line_end() {
        let board = Board::new(&Setup::startpos());
        for (text, rest) in [
            ("+7776FU", ""),
            ("+7776FU\n", ""),
            ("+7776FU\r\nT1", "T1"),
            ("+7776FU\r\n\n", "\n"),
            ("+7776FU\rT1", "T1"),
        ] {
            let plain = read_move(text, &board).unwrap();
            assert_eq!((plain.value.to_string().as_str(), plain.rest), ("7g7f", rest), "{text:?}");
        }
        for (text, ms, rest) in [("T0", 0, ""), ("T12\n+", 12_000, "+"), ("T999999999\r\n", 999_999_999_000, "")] {
            let plain = read_time(text).unwrap();
            assert_eq!((plain.value, plain.rest), (ms, rest), "{text:?}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        let board = Board::new(&Setup::startpos());
        for text in [
            "",
            "+",
            "+7776F",
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
            assert!(read_move(text, &board).is_none(), "{text:?}");
        }
        for text in ["", "T", "T\n", "T1.5", "T1 ", "T,", "T-1", "T１", "T1234567890"] {
            assert!(read_time(text).is_none(), "{text:?}");
        }
    }

    /// A blank behind every statement is nothing to the reader, but no plain line.
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

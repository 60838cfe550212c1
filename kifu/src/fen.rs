//! FEN with hands in brackets, as programs for chess variants write positions of shogi.
//!
//! `lnsgkgsnl/.../LNSGKGSNL[-] w - - 0 1`: White is the side that moves first, so `w`
//! is Black of SFEN and `b` is White. The reader takes the tails of
//! Fairy-Stockfish and pychess (`w 0 1`, `w - - 0 3`) and of cutechess (`w - 1`),
//! empty brackets, `[-]`, and letters of the hand in any order, repeated or counted.
//! The last number counts moves of both sides together; 1 is always the start of
//! the game, whoever begins it. cutechess counts the moves of each side.
//!
//! Without a bracket a text is SFEN, in which `b` moves first.
//!
//! The writer writes the six fields of pyffish, with `[-]` for empty hands.

use enbu_movegen::{Color, HandPiece, Setup, SfenError};

/// Whether a text is a FEN and no SFEN: it has a bracket behind its board.
pub fn is_fen(text: &str) -> bool {
    text.contains('[')
}

/// Reads a FEN.
///
/// # Errors
/// What is wrong with it, in terms of the SFEN that would show the same.
///
/// ```
/// use enbu_kifu::fen;
/// let setup = fen::read("4k4/9/9/9/9/4p4/9/9/4K4[g] b - - 0 1")?;
/// assert_eq!(setup.to_string(), "4k4/9/9/9/9/4p4/9/9/4K4 w g 1");
/// # Ok::<(), enbu_movegen::SfenError>(())
/// ```
pub fn read(text: &str) -> Result<Setup, SfenError> {
    let (board, rest) = text.split_once('[').unwrap_or((text, ""));
    let (hands, tail) = rest.split_once(']').unwrap_or((rest, ""));
    let hands: String = hands.chars().filter(|c| !c.is_whitespace()).collect();
    let hands = if hands.is_empty() { "-" } else { &hands };
    let mut fields = tail.split_whitespace();
    let side = match fields.next() {
        Some("w") => "b",
        Some("b") => "w",
        // Nothing, or what is no side, is told as SFEN tells it.
        other => other.unwrap_or(""),
    };
    let counters: Vec<&str> = fields.collect();
    let mut setup: Setup = match side {
        "" => board.trim().parse()?,
        side if side == "b" || side == "w" => format!("{} {side} {hands} 1", board.trim()).parse()?,
        other => format!("{} {other}?", board.trim()).parse()?,
    };
    let number = counters.last().and_then(|last| last.parse::<u64>().ok()).unwrap_or(1).clamp(1, 65_535);
    let plies = match (counters.as_slice(), number) {
        (_, 1) => 1,
        // cutechess: `- 2` counts plies.
        (["-", _], number) => number,
        (_, number) => 2 * number - u64::from(setup.turn == Color::Black),
    };
    setup.ply = u16::try_from(plies).unwrap_or(u16::MAX);
    Ok(setup)
}

/// Writes a FEN.
///
/// ```
/// use enbu_kifu::fen;
/// use enbu_movegen::Setup;
/// assert_eq!(
///     fen::write(&Setup::startpos()),
///     "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] w - - 0 1"
/// );
/// ```
pub fn write(setup: &Setup) -> String {
    let sfen = setup.to_string();
    let board = sfen.split(' ').next().unwrap_or_default();
    let side = match setup.turn {
        Color::Black => 'w',
        Color::White => 'b',
    };
    let number = setup.ply.div_ceil(2).max(1);
    format!("{board}[{}] {side} - - 0 {number}", hands(setup))
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn hands(setup: &Setup) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        for piece in HandPiece::SFEN_ORDER {
            let letter = piece.piece_type().letter();
            let letter = if color == Color::White { letter.to_ascii_lowercase() } else { letter };
            text.extend(std::iter::repeat_n(letter, usize::from(setup.hands[color].count(piece))));
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

    #[test]
    fn tails_of_every_program() {
        for (tail, sfen) in [
            ("[-] w 0 1", "b - 1"),
            ("[-] w - - 0 1", "b - 1"),
            ("[] w - 1", "b - 1"),
            ("[-] b - 2", "w - 2"),
            ("[-] b 0 1", "w - 1"),
            ("[Bb] w - - 0 3", "b Bb 5"),
            ("[B] b - - 0 2", "w B 4"),
            ("[RGGPPPrr] w", "b R2G3P2r 1"),
            ("[2Pp] w - - 0 99999999", "b 2Pp 65535"),
        ] {
            let setup = read(&format!("{START}{tail}")).unwrap();
            assert_eq!(setup.to_string(), format!("{START} {sfen}"), "{tail}");
        }
    }

    #[test]
    fn what_is_no_fen_is_refused() {
        for text in ["", "[", "[]", "9/9[-] w", "rnbakabnr/9[-] w - - 0 1"] {
            assert!(read(text).is_err(), "{text}");
        }
        for tail in ["[-]", "[-] x", "[Kk] w", "[P2] w"] {
            assert!(read(&format!("{START}{tail}")).is_err(), "{tail}");
        }
    }

    #[test]
    fn positions_survive_their_text() {
        for sfen in ["4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "4k4/9/9/9/9/9/9/9/4K4 w 2P 4"] {
            let setup: Setup = sfen.parse().unwrap();
            assert_eq!(read(&write(&setup)), Ok(setup));
        }
    }
}

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
//!
//! The moves of that world, as UCI has them, are `c3c4`, `b2h8+` and `P@e5`: files are
//! named a to i from White's left (9 of shogi is a), ranks 1 to 9 from White's side.

use enbu_movegen::{Color, HandPiece, Move, MoveParts, PieceType, Setup, SfenError, Square};

/// Returns true if a text is a FEN and no SFEN: it has a bracket after its board.
pub fn is_fen(text: &str) -> bool {
    text.contains('[')
}

/// Returns true if a text begins with a board of another game: of chess, of small shogi, of
/// xiangqi. All its ranks have one width, which a damaged board of shogi has not.
pub(crate) fn is_other_board(text: &str) -> bool {
    let board = text.split([' ', '[', '_']).next().unwrap_or_default();
    let width = |rank: &str| {
        let mut number = 0;
        let squares = rank.bytes().fold(0, |sum, byte| match byte {
            b'0'..=b'9' => {
                number = (number * 10 + usize::from(byte - b'0')).min(99);
                sum
            }
            b'+' => sum,
            _ => sum + std::mem::take(&mut number) + 1,
        });
        squares + number
    };
    let widths: Vec<usize> = board.split('/').map(width).collect();
    let first = widths.first().copied().unwrap_or(9);
    widths.len() >= 4 && widths.iter().all(|&width| width == first) && (first != 9 || widths.len() > 9)
}

/// Reads a FEN.
///
/// # Errors
/// Its fault, in terms of the equivalent SFEN.
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
    // A missing or wrong side is reported as for SFEN.
    let rest = match fields.next() {
        Some("w") => format!("b {hands} 1"),
        Some("b") => format!("w {hands} 1"),
        other => other.map_or_else(String::new, |side| format!("{side}?")),
    };
    let counters: Vec<&str> = fields.collect();
    let mut setup: Setup = format!("{} {rest}", board.trim()).parse()?;
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
    let side = if setup.turn == Color::Black { 'w' } else { 'b' };
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

/// Reads a move in coordinates; `None` when the text is none.
///
/// ```
/// use enbu_kifu::fen;
/// assert_eq!(fen::read_move("b2h8+"), "8h2b+".parse().ok());
/// assert_eq!(fen::read_move("P@e5"), "P*5e".parse().ok());
/// assert_eq!(fen::read_move("7g7f"), None);
/// ```
pub fn read_move(text: &str) -> Option<Move> {
    match *text.as_bytes() {
        [letter @ b'A'..=b'Z', b'@', file, rank] => {
            let piece = PieceType::from_letter(char::from(letter))?.hand_piece()?;
            Some(Move::drop(piece, square([file, rank])?))
        }
        [f1, r1, f2, r2, ref rest @ ..] => {
            let (from, to) = (square([f1, r1])?, square([f2, r2])?);
            match rest {
                _ if from == to => None,
                [] => Some(Move::board(from, to)),
                [b'+'] => Some(Move::promotion(from, to)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Writes a move in coordinates.
///
/// ```
/// use enbu_kifu::fen;
/// assert_eq!(fen::write_move("7g7f".parse()?), "c3c4");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn write_move(mv: Move) -> String {
    match mv.parts() {
        MoveParts::Drop { piece, to } => [piece.piece_type().letter(), '@'].into_iter().chain(place(to)).collect(),
        MoveParts::Board { from, to, promote } => {
            place(from).into_iter().chain(place(to)).chain(promote.then_some('+')).collect()
        }
    }
}

/// The square that a file and a rank of chess name: `c4` is 7f.
pub(crate) fn square([file, rank]: [u8; 2]) -> Option<Square> {
    let file = file.checked_sub(b'a').filter(|&file| file < 9)?;
    let rank = rank.checked_sub(b'0').filter(|rank| (1..=9).contains(rank))?;
    Square::new(9 - file, 10 - rank)
}

/// The file and the rank of chess: a for the ninth file of shogi, 9 for its first rank.
pub(crate) fn place(square: Square) -> [char; 2] {
    [char::from(b'a' + (9 - square.file())), char::from(b'0' + (10 - square.rank()))]
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
    fn moves_survive_their_text() {
        let moves = (0..=u16::MAX).filter_map(Move::from_raw);
        for mv in moves {
            assert_eq!(read_move(&write_move(mv)), Some(mv), "{mv}");
        }
        for text in ["", "c3", "c3c3", "c3c4=", "c3c4++", "K@e5", "p@e5", "j3c4", "c0c1", "P*e5"] {
            assert_eq!(read_move(text), None, "{text}");
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

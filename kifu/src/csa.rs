//! CSA records, all versions: V1 (no version line), V2, V2.1, V2.2, V3.0.
//!
//! [`read`] accepts the specifications of 1997 to 2024 and these extensions:
//!
//! * floodgate's dialect of V2: evaluations in `'**` comments, the end and the
//!   winner in `'summary:`, clocks in the name of the game;
//! * ranks with trimmed or squeezed blanks; headers after the moves; headers and
//!   times of other versions; stray `T` lines; games joined without a separator;
//! * principal variations that begin with the move just played.
//!
//! Unknown statements are skipped with a warning; a move that cannot be made
//! ends its game with an error, and the moves before it are kept. A foul is made
//! and marked. In strict mode the first deviation is the error.
//!
//! [`write()`] writes V3.0 in UTF-8, [`write_all`] also V2.2 for readers that know no
//! other; `read` takes both back without a warning. CSA has no variations, so only the
//! main line is written. Decided games whose result
//! does not follow from the last line get a `'summary:` line as floodgate writes it.

pub(crate) mod analysis;
mod headers;
mod placement;
mod read;
mod statement;
mod write;

use enbu_language::Both;
use enbu_movegen::{Color, HandPiece, Move, MoveParts, Piece, PieceType, Position, Setup, Square};

pub(crate) use headers::{escape, read_time, unescape, unescape_with};
pub use headers::{exact_seconds, seconds_text};
pub use read::read;
pub use write::{analysis_text, board_rows, move_text, move_text_on, write, write_all};
pub(crate) use write::{end_word, time_text};

use crate::board::{Board, held, moved};
use crate::end::EndKind;
use crate::error::Problem;
use crate::terms::Naming;

/// The version of the format to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FileVersion {
    /// V2.2 of 2006, which most readers know. It has no line for the encoding; of the
    /// rules it holds only equal clocks of whole minutes and seconds without increment
    /// (`$TIME_LIMIT`). Times are cut to whole seconds. `%MAX_MOVES` becomes `%JISHOGI`;
    /// the result is kept.
    V2_2,
    /// V3.0 of 2024.
    #[default]
    V3_0,
}

/// The versions of the format, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    V1,
    V2,
    V2_1,
    V2_2,
    V3,
}

impl Version {
    fn named(line: &str) -> Option<Self> {
        Some(match line {
            "V1" | "V1.0" => Self::V1,
            "V2" | "V2.0" => Self::V2,
            "V2.1" => Self::V2_1,
            "V2.2" => Self::V2_2,
            "V3" | "V3.0" => Self::V3,
            _ => return None,
        })
    }
}

/// The names of pieces, in the order of [`PieceType::ALL`].
static NAMES: [[u8; 2]; PieceType::COUNT] =
    [*b"FU", *b"KY", *b"KE", *b"GI", *b"KA", *b"HI", *b"KI", *b"OU", *b"TO", *b"NY", *b"NK", *b"NG", *b"UM", *b"RY"];

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn name_bytes(kind: PieceType) -> &'static [u8; 2] {
    &NAMES[kind]
}

pub(crate) fn piece_name(kind: PieceType) -> &'static str {
    str::from_utf8(name_bytes(kind)).unwrap_or_default()
}

pub(crate) fn piece_named(name: [u8; 2]) -> Option<PieceType> {
    PieceType::ALL.into_iter().find(|&kind| *name_bytes(kind) == name)
}

const fn sign(color: Color) -> char {
    color.select(['+', '-'])
}

const fn color_of_sign(sign: u8) -> Option<Color> {
    match sign {
        b'+' => Some(Color::Black),
        b'-' => Some(Color::White),
        _ => None,
    }
}

/// The square of two digits, such as `76`.
pub(crate) const fn square_at(digits: [u8; 2]) -> Option<Square> {
    Square::new(digits[0].wrapping_sub(b'0'), digits[1].wrapping_sub(b'0'))
}

/// The beginning of a comment after `%CHUDAN` with the word for another end.
const END_COMMENT: &str = "終局：";

/// Returns the end for a special move (without `%`).
pub(crate) fn end_of_word(word: &str) -> EndKind {
    EndKind::named(word, Naming::Csa).unwrap_or_else(|| EndKind::Other(word.to_owned()))
}

/// Returns the legal move that `text` (such as `+7776FU`) names in `position`.
///
/// # Errors
/// The reason in words when the text is no move there, or the move is illegal.
///
/// ```
/// use enbu_kifu::csa;
/// use enbu_movegen::Position;
/// let mv = csa::legal_move(&Position::startpos(), "+7776FU").unwrap();
/// assert_eq!(mv.to_string(), "7g7f");
/// assert!(csa::legal_move(&Position::startpos(), "+7775FU").is_err());
/// ```
pub fn legal_move(position: &Position, text: &str) -> Result<Move, Both> {
    let board = Board::new(&position.to_setup());
    let mv = move_on(&board, text).map_err(|(problem, _)| Both::of(problem))?;
    position.clone().play(mv).map_err(Both::of)?;
    Ok(mv)
}

/// The move that `text` (such as `+7776FU`) is on this board, legal or not; or the problem and
/// the index of its first character.
fn move_on(board: &Board, text: &str) -> Result<Move, (Problem, usize)> {
    let &[side, f1, f2, t1, t2, n1, n2] = text.as_bytes() else {
        return Err((Problem::MoveSyntax, 0));
    };
    let side = color_of_sign(side).ok_or((Problem::MoveSyntax, 0))?;
    let to = square_at([t1, t2]).ok_or((Problem::UnknownSquare, 3))?;
    let kind = piece_named([n1, n2]).ok_or((Problem::UnknownPiece, 5))?;
    if [f1, f2] == *b"00" {
        let piece = held(kind).map_err(|problem| (problem, 5))?;
        return if side == board.turn() { Ok(Move::drop(piece, to)) } else { Err((Problem::WrongTurn, 0)) };
    }
    let from = square_at([f1, f2]).ok_or((Problem::UnknownSquare, 1))?;
    if side != board.turn() {
        return Err((Problem::WrongTurn, 0));
    }
    let piece = board.own_piece(from, to).map_err(|problem| {
        let at = if problem == Problem::NoMovement { 3 } else { 1 };
        (problem, at)
    })?;
    if piece.kind != kind && piece.kind.promoted() != Some(kind) {
        return Err((Problem::OtherPiece, 5));
    }
    moved(piece, from, to, piece.kind != kind).map_err(|problem| (problem, 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_are_inverse() {
        for kind in PieceType::ALL {
            let name: [u8; 2] = piece_name(kind).as_bytes().try_into().unwrap();
            assert_eq!(piece_named(name), Some(kind));
        }
        assert_eq!(piece_named(*b"GY"), None);
        assert_eq!(end_of_word("KACHI"), EndKind::DeclarationWin);
        assert_eq!(end_of_word("FOO"), EndKind::Other("FOO".to_owned()));
    }

    #[test]
    fn every_move_survives_its_text() {
        let sfen = "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1";
        for setup in [Setup::startpos(), sfen.parse().unwrap()] {
            let position = Position::from_setup(&setup).unwrap();
            let board = Board::new(&setup);
            let mut moves = enbu_movegen::MoveList::new();
            position.legal_moves(&mut moves);
            assert!(!moves.is_empty());
            for mv in &moves {
                assert_eq!(move_on(&board, &move_text(&position, mv)), Ok(mv));
            }
        }
    }

    #[test]
    fn a_wrong_move_is_told_with_its_place() {
        let board = Board::new(&Setup::startpos());
        for (text, fault) in [
            ("+7776", (Problem::MoveSyntax, 0)),
            ("*7776FU", (Problem::MoveSyntax, 0)),
            ("+7706FU", (Problem::UnknownSquare, 3)),
            ("+0706FU", (Problem::UnknownSquare, 3)),
            ("+0776FU", (Problem::UnknownSquare, 1)),
            ("+5958GY", (Problem::UnknownPiece, 5)),
            ("+0055RY", (Problem::NotAHandPiece, 5)),
            ("+0055OU", (Problem::NotAHandPiece, 5)),
            ("-3334FU", (Problem::WrongTurn, 0)),
            ("-0055FU", (Problem::WrongTurn, 0)),
            ("+5554FU", (Problem::EmptyOrigin, 1)),
            ("+3334FU", (Problem::OpponentsPiece, 1)),
            ("+7776KI", (Problem::OtherPiece, 5)),
            ("+7776TO", (Problem::NoPromotion, 5)),
            ("+5959OU", (Problem::NoMovement, 3)),
        ] {
            assert_eq!(move_on(&board, text), Err(fault), "{text}");
        }
    }
}

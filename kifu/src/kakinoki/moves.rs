//! The text of a move: reading it, and finding the move it means on a board.

use enbu_language::pick;
use enbu_movegen::{Bitboard, HandPiece, Move, MoveParts, Piece, PieceType, Square, dead_squares};

use super::words::{decimal, digit, is_blank, piece, push_piece, push_square};
use crate::board::{Board, digits, held, may_promote, moved};
use crate::error::Problem;
use crate::reading::Fault;

/// Disambiguating words for pieces of one kind, by the rules of the Japan Shogi Association, as the
/// mover sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Right,
    Left,
    Straight,
    Up,
    Sideways,
    Back,
}

impl Word {
    /// Characters of the word, of which the first is written, and its letter in JKF.
    const NAMES: [(Self, &'static str, char); 6] = [
        (Self::Right, "右", 'R'),
        (Self::Left, "左", 'L'),
        (Self::Straight, "直", 'C'),
        (Self::Up, "上行入", 'U'),
        (Self::Sideways, "寄", 'M'),
        (Self::Back, "引", 'D'),
    ];

    fn of(c: char) -> Option<Self> {
        Self::NAMES.into_iter().find(|(_, names, _)| names.contains(c)).map(|(word, ..)| word)
    }

    pub(crate) fn of_letter(c: char) -> Option<Self> {
        Self::NAMES.into_iter().find(|&(.., letter)| letter == c).map(|(word, ..)| word)
    }

    /// The word as it is written, and its letter in JKF.
    #[expect(clippy::indexing_slicing, reason = "one row for each variant")]
    pub(crate) fn text_and_letter(self) -> (char, char) {
        let (_, names, letter) = Self::NAMES[self as usize];
        (names.chars().next().unwrap_or(letter), letter)
    }
}

/// A move as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveText {
    /// The destination; `None` is `同`.
    pub(crate) to: Option<Square>,
    /// The piece before the move.
    pub(crate) kind: PieceType,
    pub(crate) words: Vec<Word>,
    /// `成` or `不成`, where one of them is written.
    pub(crate) promote: Option<bool>,
    /// `打`.
    pub(crate) drop: bool,
    pub(crate) from: Option<Square>,
}

/// Returns true if a text begins as a move does: with a square or `同`.
pub(crate) fn begins_move(text: &str) -> bool {
    text.starts_with('同') || text.chars().take(2).filter_map(digit).count() == 2
}

/// Reads the move at the start of a text, without the mark before it, and returns the rest of
/// the text.
pub(crate) fn parse(text: &str) -> Result<(MoveText, &str), Fault<'_>> {
    let (to, rest) = destination(text)?;
    let rest = rest.trim_start_matches(is_blank);
    let (kind, mut rest) = piece(rest).ok_or_else(|| Fault::new(Problem::UnknownPiece, rest))?;
    let mut mv = MoveText { to, kind, words: Vec::new(), promote: None, drop: false, from: None };
    loop {
        let mut chars = rest.chars();
        match chars.next() {
            Some('成') => mv.promote = Some(true),
            Some('生') => mv.promote = Some(false),
            Some('不') if chars.next() == Some('成') => mv.promote = Some(false),
            Some('打') => mv.drop = true,
            Some('(' | '（') if mv.from.is_none() => match origin(rest)? {
                Some((None, _)) if !mv.drop => return Err(Fault::new(Problem::UnknownSquare, rest)),
                Some((from, tail)) => {
                    mv.from = from;
                    rest = tail;
                    continue;
                }
                None => break,
            },
            Some(c) => match Word::of(c) {
                Some(word) => mv.words.push(word),
                None => break,
            },
            None => break,
        }
        rest = chars.as_str();
    }
    if mv.drop && mv.from.is_some() {
        return Err(Fault::new(Problem::MoveSyntax, text));
    }
    Ok((mv, rest))
}

fn destination(text: &str) -> Result<(Option<Square>, &str), Fault<'_>> {
    if let Some(rest) = text.strip_prefix('同') {
        return Ok((None, rest));
    }
    let mut chars = text.chars();
    let digits = chars.next().and_then(digit).zip(chars.next().and_then(digit));
    let square = digits.and_then(|(file, rank)| Square::new(file, rank));
    let square = square.ok_or_else(|| Fault::new(Problem::UnknownSquare, text))?;
    // Old books say `３三同歩`.
    let rest = chars.as_str();
    Ok((Some(square), rest.strip_prefix('同').unwrap_or(rest)))
}

/// An origin such as `(77)`; `Some((None, _))` is `(00)`, and `None` a bracket
/// that opens something else, such as a time.
type Origin<'t> = Option<(Option<Square>, &'t str)>;

fn origin(text: &str) -> Result<Origin<'_>, Fault<'_>> {
    let rest = text.strip_prefix(['(', '（']).unwrap_or_default();
    let Some((inside, tail)) = rest.split_once([')', '）']) else { return Ok(None) };
    let mut digits = inside.chars();
    match (digits.next(), digits.next(), digits.next()) {
        (Some(file), Some(rank), None) => match (digit(file), digit(rank)) {
            (Some(file), Some(rank)) => Ok(Some((Square::new(file, rank), tail))),
            _ if decimal(file) == Some(0) && decimal(rank) == Some(0) => Ok(Some((None, tail))),
            _ => Ok(None),
        },
        (None, ..) => Err(Fault::new(Problem::UnknownSquare, text)),
        _ => Ok(None),
    }
}

/// The move that a text means, and a harmless deviation of the way in which it is written.
pub(crate) type Resolved = (Move, Option<Problem>);

/// Finds the move on the board; `last` is the destination of the move before it.
pub(crate) fn resolve(text: &MoveText, board: &Board, last: Option<Square>) -> Result<Resolved, Problem> {
    let to = text.to.or(last).ok_or(Problem::NoLastMove)?;
    if text.drop {
        return Ok((Move::drop(held(text.kind)?, to), None));
    }
    match text.from {
        Some(from) => resolve_board(text, board, from, to),
        None => resolve_words(text, board, to),
    }
}

/// A move whose origin is written.
fn resolve_board(text: &MoveText, board: &Board, from: Square, to: Square) -> Result<Resolved, Problem> {
    let piece = board.own_piece(from, to)?;
    if piece.kind == text.kind {
        let mv = moved(piece, from, to, text.promote == Some(true))?;
        let odd = (text.promote == Some(false) && !may_promote(piece, from, to)).then_some(Problem::WordMismatch);
        return Ok((mv, odd));
    }
    // Some programs write the name that the piece has after the move.
    if piece.kind.promoted() == Some(text.kind) && text.promote != Some(false) {
        return Ok((moved(piece, from, to, true)?, Some(Problem::OtherPiece)));
    }
    Err(Problem::OtherPiece)
}

/// A move whose origin is given by words or not at all.
fn resolve_words(text: &MoveText, board: &Board, to: Square) -> Result<Resolved, Problem> {
    let piece = Piece::new(board.turn(), text.kind);
    let mut origins: Vec<Square> = board.origins(piece, to).into_iter().collect();
    if origins.is_empty() {
        let held = held(text.kind).ok().filter(|_| board.piece_at(to).is_none());
        let held = held.filter(|&held| board.hand(piece.color).has(held)).ok_or(Problem::NoSuchMove)?;
        return Ok((Move::drop(held, to), None));
    }
    let mut odd = None;
    for &word in &text.words {
        let fitting = filter(&origins, word, piece, to);
        match (fitting.is_empty(), origins.len()) {
            (false, _) => origins = fitting,
            // A word too many, and wrong: the move is clear all the same.
            (true, 1) => odd = Some(Problem::WordMismatch),
            (true, _) => return Err(Problem::NoSuchMove),
        }
    }
    let from = match origins.as_slice() {
        &[from] => from,
        several => only_legal(several, text, board, piece, to)?,
    };
    let promote = text.promote.unwrap_or_else(|| dead_squares(piece.color, piece.kind).contains(to));
    let mv = moved(piece, from, to, promote)?;
    if text.promote == Some(false) && !may_promote(piece, from, to) {
        odd = Some(Problem::WordMismatch);
    }
    Ok((mv, odd))
}

/// The one of several origins from which the move is legal, when the others are pinned.
fn only_legal(origins: &[Square], text: &MoveText, board: &Board, piece: Piece, to: Square) -> Result<Square, Problem> {
    let legal = |&from: &Square| moved(piece, from, to, text.promote == Some(true)).is_ok_and(|mv| board.is_legal(mv));
    let legal: Vec<Square> = origins.iter().copied().filter(legal).collect();
    match legal.as_slice() {
        &[from] => Ok(from),
        [] => Err(Problem::Ambiguous(names(origins))),
        several => Err(Problem::Ambiguous(names(several))),
    }
}

fn names(origins: &[Square]) -> String {
    let name = |from: &Square| pick(digits(*from), from.name());
    origins.iter().map(name).collect::<Vec<_>>().join(pick(", ", "、"))
}

const fn is_major(kind: PieceType) -> bool {
    matches!(kind, PieceType::Rook | PieceType::Bishop | PieceType::Dragon | PieceType::Horse)
}

/// The origins that agree with a word.
fn filter(origins: &[Square], word: Word, piece: Piece, to: Square) -> Vec<Square> {
    // As the mover counts them, files from the right.
    let column = |square: Square| square.relative(piece.color).file();
    let rank = |square: Square| square.relative_rank(piece.color);
    // For rooks and bishops, right and left are relative to each other, not to the destination.
    let extreme = match (is_major(piece.kind), word) {
        (true, Word::Right) => origins.iter().map(|&from| column(from)).min(),
        (true, Word::Left) => origins.iter().map(|&from| column(from)).max(),
        _ => None,
    };
    let fits = |&from: &Square| match word {
        Word::Right | Word::Left if extreme.is_some() => Some(column(from)) == extreme,
        Word::Right => column(from) < column(to),
        Word::Left => column(from) > column(to),
        Word::Straight => column(from) == column(to) && rank(from) > rank(to),
        Word::Up => rank(from) > rank(to),
        Word::Sideways => rank(from) == rank(to),
        Word::Back => rank(from) < rank(to),
    };
    origins.iter().copied().filter(fits).collect()
}

/// The text of a move with its origin, as KIF has it: `７六歩(77)`, `同　銀(31)`,
/// `４五角打`. A promotion from an empty square is of a pawn.
pub(crate) fn with_origin(board: &Board, mv: Move, last: Option<Square>) -> String {
    let mut text = piece_at_destination(board, mv, last);
    match mv.parts() {
        MoveParts::Drop { .. } => text.push('打'),
        MoveParts::Board { from, promote, .. } => {
            if promote {
                text.push('成');
            }
            text.push_str(&format!("({})", digits(from)));
        }
    }
    text
}

fn piece_at_destination(board: &Board, mv: Move, last: Option<Square>) -> String {
    let mut text = String::new();
    if last == Some(mv.to()) {
        text.push_str("同　");
    } else {
        push_square(&mut text, mv.to());
    }
    let moved = mv.from().and_then(|from| board.piece_at(from)).map_or(PieceType::Pawn, |piece| piece.kind);
    push_piece(&mut text, mv.dropped().map_or(moved, HandPiece::piece_type));
    text
}

/// The text of a move without its origin, as KI2 and books have it: `５六銀左上`,
/// by the rules of the Japan Shogi Association. Where its words do not suffice
/// (three dragons), the origin is added.
pub(crate) fn with_words(board: &Board, mv: Move, last: Option<Square>) -> String {
    let mut text = piece_at_destination(board, mv, last);
    match mv.parts() {
        MoveParts::Drop { piece, to } => {
            if !board.origins(Piece::new(board.turn(), piece.piece_type()), to).is_empty() {
                text.push('打');
            }
        }
        MoveParts::Board { from, to, promote } => {
            let piece = board.piece_at(from).unwrap_or(Piece::new(board.turn(), PieceType::Pawn));
            let words = words(piece, from, to, board.origins(piece, to));
            text.extend(words.iter().flatten().map(|word| word.text_and_letter().0));
            if promote {
                text.push('成');
            } else if may_promote(piece, from, to) {
                text.push_str("不成");
            }
            if words.is_none() {
                text.push_str(&format!("({})", digits(from)));
            }
        }
    }
    text
}

/// The words that distinguish `from` from the other origins; `None` if no words do.
pub(crate) fn words(piece: Piece, from: Square, to: Square, origins: Bitboard) -> Option<Vec<Word>> {
    /// The first ones that suffice are written; mostly these are none.
    const CHOICES: &str = " 上 寄 引 直 右 左 右上 左上 右寄 左寄 右引 左引";
    if !origins.contains(from) {
        // A foul: there is no rule for the movement of such a piece.
        return None;
    }
    let origins: Vec<Square> = origins.into_iter().collect();
    let tells = |words: &Vec<Word>| {
        let left = words.iter().fold(origins.clone(), |left, &word| filter(&left, word, piece, to));
        left == [from] && !(is_major(piece.kind) && words.contains(&Word::Straight))
    };
    CHOICES.split(' ').map(|choice| choice.chars().filter_map(Word::of).collect()).find(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(sfen: &str) -> Board {
        Board::new(&sfen.parse().unwrap())
    }

    #[track_caller]
    fn check(board: &Board, text: &str, expected: Result<&str, Problem>) {
        let (parsed, rest) = parse(text).unwrap();
        assert_eq!(rest, "");
        let mv = resolve(&parsed, board, Some(Square::S57)).map(|(mv, _)| mv.to_string());
        assert_eq!(mv.as_deref(), expected.as_deref(), "{text}");
    }

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn every_way_to_write_a_square_and_a_piece() {
        let start = board(START);
        for text in [
            "７六歩(77)",
            "76歩(77)",
            "7六歩(77)",
            "７６歩(77)",
            "七六歩（77）",
            "７六歩",
            "７六　歩(７７)",
            "７六同歩",
        ] {
            check(&start, text, Ok("7g7f"));
        }
        let promoted = board("4k4/9/9/1+S+L+N+P+R+B2/9/9/9/9/4K4 b RB 1");
        for (text, mv) in [
            ("８三成銀(84)", "8d8c"),
            ("８三全", "8d8c"),
            ("７三杏(74)", "7d7c"),
            ("６三成桂", "6d6c"),
            ("５三と(54)", "5d5c"),
            ("４三龍", "4d4c"),
            ("４三竜(44)", "4d4c"),
            ("３三馬", "3d3c"),
            ("５八王", "5i5h"),
            ("５八玉(59)", "5i5h"),
            ("２二飛打", "R*2b"),
            ("２二角", "B*2b"),
            ("２二飛打(00)", "R*2b"),
        ] {
            check(&promoted, text, Ok(mv));
        }
    }

    #[test]
    fn promotions_and_declined_ones() {
        let board = board("4k4/9/9/4P4/3S5/9/9/9/4K4 b - 1");
        for (text, mv) in [
            ("５三歩成(54)", "5d5c+"),
            ("５三歩(54)成", "5d5c+"),
            ("５三歩成", "5d5c+"),
            ("５三歩不成(54)", "5d5c"),
            ("５三歩生", "5d5c"),
            ("５三歩", "5d5c"),
            ("５三と(54)", "5d5c+"),
            ("６四銀不成(65)", "6e6d"),
        ] {
            check(&board, text, Ok(mv));
        }
        check(&board, "６四銀成(65)", Err(Problem::NoPromotion));
    }

    #[test]
    fn moves_that_cannot_be_found() {
        let start = board(START);
        for (text, problem) in [
            ("５五歩(56)", Problem::EmptyOrigin),
            ("３四歩(33)", Problem::OpponentsPiece),
            ("７六銀(77)", Problem::OtherPiece),
            ("７七歩(77)", Problem::NoMovement),
            ("５五銀", Problem::NoSuchMove),
            ("５五と打", Problem::NotAHandPiece),
            ("５八金", Problem::Ambiguous("49, 69".to_owned())),
            ("５八金上", Problem::Ambiguous("49, 69".to_owned())),
            ("５八金寄", Problem::NoSuchMove),
        ] {
            check(&start, text, Err(problem));
        }
        let (same, _) = parse("同歩").unwrap();
        assert_eq!(resolve(&same, &start, None), Err(Problem::NoLastMove));
        for text in ["", "７", "７十歩", "歩", "７六", "７六x", "５五角打(88)", "７六歩()", "７六歩(00)"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("７六歩( 0:16/00:00:16)").unwrap().1, "( 0:16/00:00:16)");
        assert_eq!(parse("７六歩(77)+").unwrap().1, "+");
    }

    #[test]
    fn every_move_survives_both_notations() {
        for sfen in [
            START,
            "4k4/9/9/9/3S1S3/9/3S1S3/9/K8 b G 1",
            "4k4/9/9/9/9/9/3GGG3/3G1G3/K8 b G 1",
            "k8/9/9/3+R1+R3/9/9/9/9/K8 b - 1",
            "k8/9/4+R4/9/9/4+R4/9/9/K8 b - 1",
            "k8/2+B6/9/4+B4/9/9/9/9/K8 b - 1",
            "k8/9/9/9/2R3R2/9/9/9/K8 w 2r2b4g4s4n4l9p 1",
            "4k4/9/3N1N3/9/9/3n1n3/9/9/4K4 w - 1",
            "6k2/+R8/9/9/4+R4/9/9/8+R/K8 b - 1",
            "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1",
        ] {
            for turned in [false, true] {
                let setup: enbu_movegen::Setup = sfen.parse().unwrap();
                let setup = if turned { setup.flipped() } else { setup };
                let board = Board::new(&setup);
                let mut moves = enbu_movegen::MoveList::new();
                board.position().unwrap().legal_moves(&mut moves);
                for mv in &moves {
                    for text in [with_origin(&board, mv, None), with_words(&board, mv, None)] {
                        let (parsed, rest) = parse(&text).unwrap();
                        assert_eq!(rest, "");
                        assert_eq!(resolve(&parsed, &board, None), Ok((mv, None)), "{text}");
                    }
                    let text = with_origin(&board, mv, Some(mv.to()));
                    let (parsed, _) = parse(&text).unwrap();
                    assert_eq!(resolve(&parsed, &board, Some(mv.to())).map(|(mv, _)| mv), Ok(mv), "{text}");
                }
            }
        }
    }

    #[test]
    fn words_as_the_association_has_them() {
        for (sfen, mv, text) in [
            ("4k4/9/9/9/9/9/3G5/4G4/K8 b - 1", "5h5g", "５七金上"),
            ("4k4/9/9/9/9/9/3G5/4G4/K8 b - 1", "6g5g", "５七金寄"),
            ("4k4/9/9/9/9/9/9/3GGG3/K8 b - 1", "5h5g", "５七金直"),
            ("4k4/9/9/9/9/9/9/3GGG3/K8 b - 1", "6h5g", "５七金左"),
            ("4k4/9/9/9/3S1S3/9/3S1S3/9/K8 b - 1", "6g5f", "５六銀左上"),
            ("4k4/9/9/9/3S1S3/9/3S1S3/9/K8 b - 1", "4e5f", "５六銀右引"),
            ("k8/9/9/5+R3/9/4+R4/9/9/K8 b - 1", "5f5e", "５五龍上"),
            ("k8/9/9/9/9/9/9/4+R4/K2+R5 b - 1", "5h5i", "５九龍引"),
            ("k8/9/9/9/2R3R2/9/9/9/K8 b - 1", "7e5e", "５五飛左"),
            ("4k4/9/9/9/9/9/9/3G5/K8 b G 1", "G*5g", "５七金打"),
            ("4k4/9/9/9/9/9/9/3G5/K8 b G 1", "G*4d", "４四金"),
            ("4k4/9/9/6S2/9/9/9/9/K8 b - 1", "3d3c", "３三銀不成"),
            ("4k4/9/9/6S2/9/9/9/9/K8 b - 1", "3d3c+", "３三銀成"),
            ("4k4/9/9/9/9/9/9/3+S1+S3/K8 b - 1", "4h5g", "５七成銀右"),
        ] {
            assert_eq!(with_words(&board(sfen), mv.parse().unwrap(), None), text, "{sfen} {mv}");
        }
    }
}

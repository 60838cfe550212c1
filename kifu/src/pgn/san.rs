//! Moves in the notations of PGN.

use enbu_language::pick;
use enbu_movegen::{Move, MoveParts, Piece, PieceType, Square};

use crate::board::{Board, moved};
use crate::error::Problem;
use crate::kakinoki::{moves, words};
use crate::{csa, fen};

/// Kinds that other programs write as `G` when they are promoted.
const GOLDS: [PieceType; 5] =
    [PieceType::Gold, PieceType::ProPawn, PieceType::ProLance, PieceType::ProKnight, PieceType::ProSilver];

/// The square of two letters, of shogi (`7f`, `76`) or of chess (`c4`).
pub(crate) fn square(text: [u8; 2]) -> Option<Square> {
    fen::square(text).or_else(|| Square::from_usi(text)).or_else(|| csa::square_at(text))
}

/// A move as its text describes it.
#[derive(Clone, Debug, Default)]
struct Spoken {
    /// The kinds that the piece may be of; empty for any.
    kinds: Vec<PieceType>,
    drop: bool,
    to: Option<Square>,
    from: Option<Square>,
    /// Only a file or rank of the origin.
    from_file: Option<u8>,
    from_rank: Option<u8>,
    /// `x`: something is taken.
    capture: bool,
    /// The sign at the end: promoted, declined, or none.
    promote: Option<bool>,
}

pub(super) fn read(text: &str, board: &Board) -> Result<Move, Problem> {
    find(&parse(text).ok_or(Problem::MoveSyntax)?, board)
}

/// The move of a text with Japanese words: `☗７六歩`, `同銀`, or `歩-76` as Kitao and
/// Kawasaki write it; `last` is the destination of the move before it.
pub(super) fn read_japanese(text: &str, board: &Board, last: Option<Square>) -> Result<Move, Problem> {
    let text = text.trim_start_matches(|c| words::side_of_mark(c).is_some()).trim_end_matches(['!', '?', '#']);
    if moves::begins_move(text) {
        let (written, rest) = moves::parse(text).map_err(|fault| fault.problem)?;
        let resolved = moves::resolve(&written, board, last).map(|(mv, _)| mv);
        return if rest.is_empty() { resolved } else { Err(Problem::MoveSyntax) };
    }
    let (kind, rest) = words::piece(text).ok_or(Problem::MoveSyntax)?;
    let spoken = Spoken { kinds: vec![kind], ..Spoken::default() };
    find(&parse_after_piece(spoken, rest.as_bytes()).ok_or(Problem::MoveSyntax)?, board)
}

fn find(spoken: &Spoken, board: &Board) -> Result<Move, Problem> {
    let to = spoken.to.ok_or(Problem::MoveSyntax)?;
    if spoken.drop {
        let piece = spoken.kinds.first().and_then(|kind| kind.hand_piece()).ok_or(Problem::NotAHandPiece)?;
        return Ok(Move::drop(piece, to));
    }
    if spoken.capture && board.piece_at(to).is_none() {
        return Err(Problem::NoSuchMove);
    }
    let own = |from| board.piece_at(from).filter(|piece| piece.color == board.turn());
    let move_from = |from| moved(own(from)?, from, to, spoken.promote == Some(true)).ok();
    let fitting: Vec<Move> = origins(spoken, board, to).into_iter().filter_map(move_from).collect();
    let several = fitting.iter().copied().filter(|_| fitting.len() > 1);
    let legal: Vec<Move> = several.filter(|&mv| board.is_legal(mv)).collect();
    match (fitting.as_slice(), legal.as_slice()) {
        (&[only], _) | (_, &[only]) => Ok(only),
        (fitting, []) => fitting.first().copied().ok_or(Problem::NoSuchMove),
        // The plain kind before those that share its letter.
        (_, legal) => plainest(legal, spoken, board).ok_or_else(|| {
            let names: Vec<String> = legal.iter().filter_map(|mv| mv.from()).map(Square::name).collect();
            Problem::Ambiguous(names.join(pick(", ", "、")))
        }),
    }
}

/// The one move of a piece whose own letter is written, when all others share it.
fn plainest(legal: &[Move], spoken: &Spoken, board: &Board) -> Option<Move> {
    let kind = spoken.kinds.first()?;
    let own = |mv: &&Move| mv.from().and_then(|from| board.piece_at(from)).is_some_and(|piece| piece.kind == *kind);
    let mut own = legal.iter().filter(own);
    own.next().copied().filter(|_| own.next().is_none())
}

fn origins(spoken: &Spoken, board: &Board, to: Square) -> Vec<Square> {
    let turn = board.turn();
    let fits_place = |from: &Square| {
        spoken.from_file.is_none_or(|file| from.file() == file)
            && spoken.from_rank.is_none_or(|rank| from.rank() == rank)
    };
    if let Some(from) = spoken.from {
        let kind = board.piece_at(from).filter(|piece| piece.color == turn).map(|piece| piece.kind);
        let named = kind.is_some_and(|kind| spoken.kinds.is_empty() || spoken.kinds.contains(&kind));
        return if named && from != to { vec![from] } else { Vec::new() };
    }
    let kinds = spoken.kinds.iter();
    kinds.flat_map(|&kind| board.origins(Piece::new(turn, kind), to)).filter(fits_place).collect()
}

/// Takes a move apart; `None` when it is none.
fn parse(text: &str) -> Option<Spoken> {
    let mut spoken = Spoken::default();
    let mut text = text.trim_end_matches(['!', '?']).trim_end_matches('#').as_bytes();
    // A piece with its sign of promotion.
    let promoted = text.first() == Some(&b'+');
    if promoted {
        text = text.get(1..)?;
    }
    if let Some(&letter @ b'A'..=b'Z') = text.first() {
        spoken.kinds = kinds_of(letter, promoted)?;
        text = text.get(1..)?;
    } else if promoted {
        return None;
    }
    parse_after_piece(spoken, text)
}

/// Parses the text after the letter of the piece.
fn parse_after_piece(mut spoken: Spoken, mut text: &[u8]) -> Option<Spoken> {
    if let [b'@' | b'*' | b'\'', rest @ ..] = text {
        spoken.drop = true;
        text = rest;
    }
    text = promotion(text, &mut spoken);
    let (rest, to) = text.split_last_chunk::<2>()?;
    spoken.to = Some(square(*to)?);
    let rest = match rest {
        [rest @ .., sign @ (b'x' | b'-' | b':')] => {
            spoken.capture = *sign != b'-';
            rest
        }
        rest => rest,
    };
    match rest {
        [] if spoken.kinds.is_empty() => return None,
        [] => {}
        &[file @ b'a'..=b'i'] => spoken.from_file = Some(9 - (file - b'a')),
        &[rank @ b'1'..=b'9'] => spoken.from_rank = Some(10 - (rank - b'0')),
        &[a, b] => spoken.from = Some(square([a, b])?),
        _ => return None,
    }
    if spoken.drop && !rest.is_empty() { None } else { Some(spoken) }
}

/// The sign after the destination: `=G`, `=H`, `=D`, `+`, `=`, and checks.
fn promotion<'t>(text: &'t [u8], spoken: &mut Spoken) -> &'t [u8] {
    let mut text = text;
    loop {
        match text {
            [rest @ .., b'=', b'+', b'P' | b'L' | b'N' | b'S' | b'R' | b'B']
            | [rest @ .., b'=', b'G' | b'H' | b'D' | b'P' | b'L' | b'N' | b'S' | b'R' | b'B' | b'T' | b'+'] => {
                spoken.promote = Some(true);
                text = rest;
            }
            [rest @ .., b'='] => {
                spoken.promote = Some(spoken.promote.unwrap_or(false));
                text = rest;
            }
            // Promotion in some dialects, check in others: see `resolve`.
            [rest @ .., b'+'] if spoken.promote != Some(true) => {
                spoken.promote = Some(true);
                text = rest;
            }
            [rest @ .., b'#' | b'+'] => text = rest,
            _ => return text,
        }
    }
}

/// The kinds that a letter may mean, the likeliest first.
fn kinds_of(letter: u8, promoted: bool) -> Option<Vec<PieceType>> {
    let kind = match letter {
        // Promoted pieces of Fairy-Stockfish, without a sign.
        b'H' => return (!promoted).then(|| vec![PieceType::Horse]),
        b'D' => return (!promoted).then(|| vec![PieceType::Dragon]),
        b'T' => return (!promoted).then(|| vec![PieceType::ProPawn]),
        // The promoted knight, as cshogi misprints it.
        b'K' if promoted => PieceType::Knight,
        letter => PieceType::from_letter(char::from(letter))?,
    };
    match (kind, promoted) {
        (PieceType::Gold, false) => Some(GOLDS.to_vec()),
        (kind, false) => Some(vec![kind]),
        (kind, true) => Some(vec![kind.promoted()?]),
    }
}

/// The meaning of `+` after a move in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plus {
    /// A check: the game writes promotions as `=H`.
    Check,
    /// A promotion where one is possible.
    Promotion,
    /// A promotion, unless the move gives check without one.
    Unclear,
}

/// Finds the move of a text that may end with `+`.
pub(super) fn resolve(text: &str, board: &Board, plus: Plus) -> Result<Move, Problem> {
    let trimmed = text.trim_end_matches(['!', '?']).trim_end_matches('#');
    let Some(plain) = trimmed.strip_suffix('+') else { return read(trimmed, board) };
    if plus == Plus::Check || trimmed.contains('=') || trimmed.contains(['@', '*', '\'']) {
        return read(plain, board);
    }
    let check = read(plain, board);
    match (read(trimmed, board), check) {
        (Ok(_), Ok(plain)) if plus == Plus::Unclear && gives_check(board, plain) => Ok(plain),
        (Ok(promotion), Ok(_)) => Ok(promotion),
        (Ok(mv), Err(_)) | (Err(_), Ok(mv)) => Ok(mv),
        (Err(problem), Err(_)) => Err(problem),
    }
}

fn gives_check(board: &Board, mv: Move) -> bool {
    board.position().is_some_and(|position| position.is_legal(mv) && position.gives_check(mv))
}

/// The letter that Fairy-Stockfish gives a piece on the board.
const fn letter(kind: PieceType) -> char {
    match kind {
        PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight | PieceType::ProSilver => 'G',
        PieceType::Horse => 'H',
        PieceType::Dragon => 'D',
        kind => kind.letter(),
    }
}

/// The text of a move as Fairy-Stockfish writes it, without a sign for check.
pub(super) fn write(board: &Board, mv: Move) -> String {
    let MoveParts::Board { from, to, promote } = mv.parts() else { return fen::write_move(mv) };
    let piece = board.piece_at(from).unwrap_or(Piece::new(board.turn(), PieceType::Pawn));
    let mut text = String::from(letter(piece.kind));
    push_origin(&mut text, board, piece, mv);
    if board.piece_at(to).is_some() {
        text.push('x');
    }
    text.extend(fen::place(to));
    if promote {
        text.extend(['=', letter(piece.kind.promoted().unwrap_or(piece.kind))]);
    }
    text
}

/// File, rank or both, if another piece with this letter could come.
fn push_origin(text: &mut String, board: &Board, piece: Piece, mv: Move) {
    let (Some(from), to) = (mv.from(), mv.to()) else { return };
    if !board.is_legal(mv) {
        // A foul: pieces may have gone where they never could.
        return text.extend(fen::place(from));
    }
    let [file, rank] = fen::place(from);
    let likewise = |other| if mv.is_promotion() { Move::promotion(other, to) } else { Move::board(other, to) };
    let alike = PieceType::ALL.into_iter().filter(|&kind| letter(kind) == letter(piece.kind));
    let others: Vec<Square> = alike
        .flat_map(|kind| board.origins(Piece::new(piece.color, kind), to))
        .filter(|&other| other != from && board.is_legal(likewise(other)))
        .collect();
    if others.is_empty() {
        return;
    }
    if others.iter().all(|other| other.file() != from.file()) {
        text.push(file);
    } else if others.iter().all(|other| other.rank() != from.rank()) {
        text.push(rank);
    } else {
        text.extend([file, rank]);
    }
}

/// The signs for check and mate after a move that was made: the board shows the
/// position after it.
pub(super) fn check_sign(board: &Board) -> &'static str {
    match board.in_check() {
        false => "",
        true if board.is_mate() => "#",
        true => "+",
    }
}

/// The glyph of a suffix such as `!?`.
pub(super) fn nag_of_suffix(text: &str) -> Option<u8> {
    let plain = text.trim_end_matches(['!', '?']);
    let suffix = text.get(plain.len()..)?;
    (1..).zip(["!", "?", "!!", "??", "!?", "?!"]).find(|(_, known)| *known == suffix).map(|(nag, _)| nag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::{Color, HandPiece};

    fn board(sfen: &str) -> Board {
        Board::new(&sfen.parse().unwrap())
    }

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[track_caller]
    fn check(board: &Board, text: &str, expected: &str) {
        assert_eq!(resolve(text, board, Plus::Promotion).map(|mv| mv.to_string()).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn moves_of_every_dialect() {
        let start = board(START);
        for text in ["Pc4", "Pc4!", "Pc3-c4", "Pc3c4", "P-7f", "P-76", "P76", "P7f", "c3c4", "7g7f", "7776"] {
            check(&start, text, "7g7f");
        }
        let open = board("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        for text in [
            "Bxh8=H", "Bxh8+", "Bxh8+#", "Bx22+", "Bx2b+", "Bb2xh8=H", "Bb2h8+", "8h2b+", "Bxh8=+B", "Bxh8=H+",
            "B88x22+",
        ] {
            check(&open, text, "8h2b+");
        }
        for text in ["Bxh8", "Bx22=", "Bx2b="] {
            check(&open, text, "8h2b");
        }
        let hand = board("4k4/9/9/9/9/9/9/9/4K4 b BP 1");
        for text in ["B@f5", "B*f5", "B'f5", "B*45", "B'45", "B*4e", "B@f5+", "B@f5#"] {
            check(&hand, text, "B*4e");
        }
    }

    #[test]
    fn moves_with_japanese_words() {
        let open = board("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        for text in ["☗２二角成", "２二角成", "角x22+", "角x2b+", "▲22角成!"] {
            assert_eq!(read_japanese(text, &open, None).map(|mv| mv.to_string()).as_deref(), Ok("8h2b+"), "{text}");
        }
        assert_eq!(read_japanese("歩-26", &open, None), Ok("2g2f".parse().unwrap()));
        let taken = board("lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4");
        assert_eq!(read_japanese("☖同銀", &taken, Some(Square::S22)), Ok("3a2b".parse().unwrap()));
        let hand = board("4k4/9/9/9/9/9/9/9/4K4 b BP 1");
        assert_eq!(read_japanese("角*45", &hand, None), Ok("B*4e".parse().unwrap()));
        for text in ["あ", "歩", "同銀", "☗", "２二角成x"] {
            assert!(read_japanese(text, &hand, None).is_err(), "{text}");
        }
    }

    #[test]
    fn promoted_pieces_of_every_dialect() {
        let tokin = board("4k4/4+P4/9/9/9/9/9/9/4K4 b G 1");
        for text in ["+Pd8", "Gd8", "Td8", "+P-62", "+Pe8d8"] {
            check(&tokin, text, "5b6b");
        }
        let knight = board("4k4/9/9/4+N4/9/9/9/9/4K4 b - 1");
        check(&knight, "+Ke6e7", "5d5c");
        check(&knight, "+Ne7", "5d5c");
    }

    #[test]
    fn origins_told_by_file_rank_or_both() {
        let golds = board("4k4/9/9/9/9/9/3G1G3/3G1G3/K8 b - 1");
        check(&golds, "Gd3e3", "6g5g");
        check(&golds, "Gf3e3", "4g5g");
        check(&golds, "Gd2e3", "6h5g");
        let rooks = board("k8/4R4/9/9/9/9/9/4R4/K8 b - 1");
        check(&rooks, "R8e5", "5b5e");
        assert_eq!(resolve("Re5", &rooks, Plus::Promotion), Err(Problem::Ambiguous("5b, 5h".to_owned())));
        for text in ["", "+", "P", "x", "Xc4", "+Gd8", "c4", "Pc0", "Pz4", "P@", "B@b2f5", "O-O", "Pc3c4c5"] {
            assert!(resolve(text, &rooks, Plus::Promotion).is_err(), "{text}");
        }
    }

    #[test]
    fn every_move_survives_its_text() {
        for sfen in [
            START,
            "4k4/9/9/9/3S1S3/9/3S1S3/9/K8 b G 1",
            "4k4/9/9/9/9/3+P1+P3/3G1G3/3+S1G3/K8 b G 1",
            "k8/9/4+R4/9/9/4+R4/9/9/K8 b - 1",
            "4k4/9/3N1N3/9/9/3n1n3/9/9/4K4 w - 1",
            "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1",
        ] {
            for side in Color::ALL {
                let setup: enbu_movegen::Setup = sfen.parse().unwrap();
                let setup = if side == Color::White { setup.flipped() } else { setup };
                let board = Board::new(&setup);
                let mut moves = enbu_movegen::MoveList::new();
                board.position().unwrap().legal_moves(&mut moves);
                for mv in &moves {
                    let text = write(&board, mv);
                    assert_eq!(resolve(&text, &board, Plus::Check), Ok(mv), "{sfen} {text}");
                    let text = crate::western::move_text(&board, mv);
                    let text = text.trim_start_matches(['▲', '△']);
                    assert_eq!(resolve(text, &board, Plus::Promotion), Ok(mv), "{sfen} {text}");
                }
            }
        }
    }

    #[test]
    fn every_drop_has_a_letter() {
        for piece in HandPiece::ALL {
            assert_eq!(kinds_of(piece.piece_type().letter() as u8, false).unwrap()[0], piece.piece_type());
        }
    }
}

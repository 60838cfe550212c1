//! Tactics of single moves, by the geometry of the position after them.
//!
//! A tactic is named only where its definition leaves no doubt: a forking piece that can be
//! taken, or a line that a pawn can close, makes none.

use enbu_movegen::attacks::{attacks, pawn};
use enbu_movegen::{Bitboard, Color, HandPiece, Move, Piece, PieceType, Square};

use crate::board::Board;

/// Japanese and English name.
pub(super) type Pair = (&'static str, &'static str);

type Definition = fn(&Made<'_>) -> bool;

/// A move that was made, with the board after it.
struct Made<'b> {
    board: &'b Board,
    side: Color,
    to: Square,
    kind: PieceType,
    is_drop: bool,
    occupied: Bitboard,
}

/// The tactics, the more special ones first: a move has the first one that holds.
const TACTICS: &[(Pair, Definition)] = &[
    (("頭金", "Gold at the Head"), |made| {
        made.kind == PieceType::Gold && made.has_king_at(0, 1) && made.board.is_mate()
    }),
    (("吊るし桂", "Hanging Knight"), |made| made.kind == PieceType::Knight && made.board.is_mate()),
    (("王手飛車取り", "King and Rook Fork"), |made| {
        made.forks() && made.attacks(&[PieceType::King]) && made.attacks(&[PieceType::Rook, PieceType::Dragon])
    }),
    (("ふんどしの桂", "Knight Fork"), |made| made.kind == PieceType::Knight && made.forks()),
    // A silver dropped diagonally below two of golds and rooks, which do not attack it.
    (("割り打ちの銀", "Wariuchi Silver"), |made| {
        let below = |files| made.at(files, -1).and_then(|square| made.enemy(square));
        let is_target = |kind| matches!(kind, PieceType::Gold | PieceType::Rook);
        made.drops(PieceType::Silver)
            && [-1, 1].into_iter().all(|files| below(files).is_some_and(is_target))
            && made.is_safe()
    }),
    // A lance dropped below two pieces on its file, with no pawn to come between.
    (("田楽刺し", "Dengaku Skewer"), |made| {
        let mut pieces =
            (1..9).map_while(|ranks| made.at(0, ranks)).filter(|&square| made.board.piece_at(square).is_some());
        let mut next = || made.enemy(pieces.next()?).filter(|&kind| value(kind) > value(PieceType::Knight));
        made.drops(PieceType::Lance)
            && next().is_some()
            && next().is_some()
            && (made.ahead().is_some() || !made.may_drop_pawn())
            && made.is_safe()
    }),
    // A rook that forks along its file and along its rank.
    (("十字飛車", "Cross Rook"), |made| {
        let on_file = |along: bool| made.forked().any(|(square, _)| (square.file() == made.to.file()) == along);
        made.kind == PieceType::Rook && on_file(true) && on_file(false) && made.is_safe()
    }),
    (("両取り", "Fork"), |made| made.forks()),
    (("腹銀", "Silver at the Belly"), |made| {
        made.drops(PieceType::Silver) && (made.has_king_at(1, 0) || made.has_king_at(-1, 0))
    }),
    (("桂頭の銀", "Silver at the Knight's Head"), |made| {
        made.kind == PieceType::Silver && made.ahead() == Some(PieceType::Knight)
    }),
    // A pawn dropped on the last rank below a gold.
    (("底歩", "Bottom Pawn"), |made| {
        made.drops(PieceType::Pawn)
            && made.to.relative_rank(made.side) == 9
            && made.at(0, 1).and_then(|square| made.board.piece_at(square))
                == Some(Piece::new(made.side, PieceType::Gold))
    }),
    // A pawn offered to the piece ahead.
    (("叩きの歩", "Striking Pawn"), |made| {
        let takes = |kind| matches!(kind, PieceType::Silver | PieceType::Gold | PieceType::King);
        made.drops(PieceType::Pawn)
            && made.ahead().is_some_and(takes)
            && made.reaching(made.side, made.to).next().is_none()
    }),
    // A pawn that promotes with its next move and cannot be taken before.
    (("垂れ歩", "Dangling Pawn"), |made| {
        let is_free = pawn(made.side, made.to).into_iter().all(|ahead| made.board.piece_at(ahead).is_none());
        made.drops(PieceType::Pawn) && (2..=4).contains(&made.to.relative_rank(made.side)) && is_free && made.is_safe()
    }),
];

/// The tactic of the move that led to a board.
pub(super) fn of_move(board: &Board, mv: Move, side: Color) -> Option<&'static Pair> {
    let kind = board.piece_at(mv.to())?.kind;
    let occupied = Square::ALL.into_iter().filter(|&square| board.piece_at(square).is_some()).collect();
    let made = Made { board, side, to: mv.to(), kind, is_drop: mv.is_drop(), occupied };
    TACTICS.iter().find(|(_, holds)| holds(&made)).map(|(name, _)| name)
}

/// Value of a piece by the usual order; a table in the order of [`PieceType`].
const fn value(kind: PieceType) -> u8 {
    [1, 3, 4, 5, 8, 9, 6, 100, 6, 6, 6, 6, 10, 10][kind as usize]
}

impl Made<'_> {
    fn enemy(&self, square: Square) -> Option<PieceType> {
        self.board.piece_at(square).filter(|piece| piece.color != self.side).map(|piece| piece.kind)
    }

    fn drops(&self, kind: PieceType) -> bool {
        self.is_drop && self.kind == kind
    }

    /// The square so many files to the left and ranks ahead, from the side's view.
    fn at(&self, files: i8, ranks: i8) -> Option<Square> {
        let sign = if self.side == Color::Black { 1 } else { -1 };
        self.to.offset(files * sign, -ranks * sign)
    }

    /// The opponent's piece on the square ahead.
    fn ahead(&self) -> Option<PieceType> {
        self.enemy(self.at(0, 1)?)
    }

    /// Returns true if the opponent's king is so many files to the left and ranks ahead.
    fn has_king_at(&self, files: i8, ranks: i8) -> bool {
        self.at(files, ranks).and_then(|square| self.enemy(square)) == Some(PieceType::King)
    }

    /// The kinds of `color`'s pieces that reach a square.
    fn reaching(&self, color: Color, square: Square) -> impl Iterator<Item = PieceType> {
        PieceType::ALL.into_iter().filter(move |&kind| {
            // The squares of such pieces are those that the opponent's would reach from there.
            let origins = attacks(kind, !color, square, self.occupied);
            origins.into_iter().any(|origin| self.board.piece_at(origin) == Some(Piece::new(color, kind)))
        })
    }

    /// Returns true if the opponent cannot take the piece; the king takes none that is protected.
    fn is_safe(&self) -> bool {
        let is_protected = self.reaching(self.side, self.to).next().is_some();
        self.reaching(!self.side, self.to).all(|kind| kind == PieceType::King && is_protected)
    }

    /// The opponent's pieces that the moved one attacks.
    fn attacked(&self) -> impl Iterator<Item = (Square, PieceType)> {
        let squares = attacks(self.kind, self.side, self.to, self.occupied);
        squares.into_iter().filter_map(|square| Some((square, self.enemy(square)?)))
    }

    /// The attacked pieces that are worth more than the moved one, or are unprotected and no pawns.
    fn forked(&self) -> impl Iterator<Item = (Square, PieceType)> {
        self.attacked().filter(|&(square, kind)| {
            value(kind) > value(self.kind)
                || kind != PieceType::Pawn && self.reaching(!self.side, square).next().is_none()
        })
    }

    /// Returns true if the piece forks and cannot be taken.
    fn forks(&self) -> bool {
        self.forked().count() >= 2 && self.is_safe()
    }

    fn attacks(&self, kinds: &[PieceType]) -> bool {
        self.attacked().any(|(_, kind)| kinds.contains(&kind))
    }

    /// Returns true if the opponent can drop a pawn on the file of the piece.
    fn may_drop_pawn(&self) -> bool {
        let pawn = Some(Piece::new(!self.side, PieceType::Pawn));
        self.board.hand(!self.side).has(HandPiece::Pawn)
            && Bitboard::file_of(self.to).into_iter().all(|square| self.board.piece_at(square) != pawn)
    }
}

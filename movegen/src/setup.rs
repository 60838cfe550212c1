//! Diagrams: plain data, playable or not.

use crate::color::Color;
use crate::hand::Hand;
use crate::piece::{Piece, PieceType};
use crate::square::Square;

/// A diagram: pieces, hands, side to move and move number.
///
/// A `Setup` may be unplayable (two kings, 40 pawns); a [`Position`](crate::Position)
/// is always playable. Its [`Display`](std::fmt::Display) and
/// [`FromStr`](std::str::FromStr) are SFEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square.
    pub board: [Option<Piece>; 81],
    /// The hands of Black and White.
    pub hands: [Hand; 2],
    /// The side to move.
    pub turn: Color,
    /// Number of the next move, 1 to 65 535; 1 at the start of a game.
    pub ply: u16,
}

/// The named handicaps; White gives the odds and moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handicap {
    /// No handicap: the start position of even games, Black to move.
    Even,
    /// White's left lance (on 1a) is removed.
    Lance,
    /// White's right lance (on 9a) is removed.
    RightLance,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Rook and left lance.
    RookLance,
    /// Rook and bishop.
    TwoPieces,
    /// Rook, bishop and the lance on 1a (programs differ; most remove this lance).
    ThreePieces,
    /// Rook, bishop and both lances.
    FourPieces,
    /// Four pieces and White's right knight, on 8a.
    FivePieces,
    /// Four pieces and White's left knight, on 2a.
    FivePiecesLeft,
    /// Four pieces and both knights.
    SixPieces,
    /// Six pieces and White's right silver, on 7a.
    SevenPiecesRight,
    /// Six pieces and White's left silver, on 3a.
    SevenPiecesLeft,
    /// Six pieces and both silvers.
    EightPieces,
    /// Eight pieces and both golds: only king and pawns remain.
    TenPieces,
}

impl Handicap {
    /// The squares of the removed pieces.
    pub const fn removed(self) -> &'static [Square] {
        use Square::{S11, S21, S22, S31, S41, S61, S71, S81, S82, S91};
        match self {
            Self::Even => &[],
            Self::Lance => &[S11],
            Self::RightLance => &[S91],
            Self::Bishop => &[S22],
            Self::Rook => &[S82],
            Self::RookLance => &[S82, S11],
            Self::TwoPieces => &[S82, S22],
            Self::ThreePieces => &[S82, S22, S11],
            Self::FourPieces => &[S82, S22, S11, S91],
            Self::FivePieces => &[S82, S22, S11, S91, S81],
            Self::FivePiecesLeft => &[S82, S22, S11, S91, S21],
            Self::SixPieces => &[S82, S22, S11, S91, S21, S81],
            Self::SevenPiecesRight => &[S82, S22, S11, S91, S21, S81, S71],
            Self::SevenPiecesLeft => &[S82, S22, S11, S91, S21, S81, S31],
            Self::EightPieces => &[S82, S22, S11, S91, S21, S81, S31, S71],
            Self::TenPieces => &[S82, S22, S11, S91, S21, S81, S31, S71, S41, S61],
        }
    }
}

impl Setup {
    /// An empty board, empty hands, Black to play move 1.
    pub const fn empty() -> Self {
        Self { board: [None; 81], hands: [Hand::EMPTY; 2], turn: Color::Black, ply: 1 }
    }

    /// The start position of an even game.
    ///
    /// ```
    /// use enbu_movegen::Setup;
    /// assert_eq!(Setup::startpos().to_string(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    /// ```
    pub const fn startpos() -> Self {
        const STARTPOS: Setup = Setup::with_all_men();
        STARTPOS
    }

    /// Builds [`startpos`](Self::startpos) as a `const fn`, hence without iterators.
    const fn with_all_men() -> Self {
        use PieceType::{Bishop, Gold, King, Knight, Lance, Pawn, Rook, Silver};
        const BACK: [PieceType; 9] = [Lance, Knight, Silver, Gold, King, Gold, Silver, Knight, Lance];
        let mut setup = Self::empty();
        let mut file = 0;
        while file < BACK.len() {
            let second = match file {
                1 => Some(Rook),
                7 => Some(Bishop),
                _ => None,
            };
            let men = [Some(BACK[file]), second, Some(Pawn)];
            let mut row = 0;
            while row < men.len() {
                if let Some(kind) = men[row] {
                    let square = 9 * file + 8 - row;
                    setup.board[square] = Some(Piece::new(Color::Black, kind));
                    setup.board[80 - square] = Some(Piece::new(Color::White, kind));
                }
                row += 1;
            }
            file += 1;
        }
        setup
    }

    /// The start position of a handicap game; White moves first, except when even.
    pub fn handicap(handicap: Handicap) -> Self {
        let mut setup = Self::startpos();
        for &square in handicap.removed() {
            setup.board[square] = None;
        }
        if handicap != Handicap::Even {
            setup.turn = Color::White;
        }
        setup
    }

    /// The diagram from the other side: board rotated, colours and side to move exchanged.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mut flipped =
            Self { board: [None; 81], hands: [self.hands[1], self.hands[0]], turn: !self.turn, ply: self.ply };
        for square in Square::ALL {
            flipped.board[square.rotated()] = self.board[square].map(|piece| Piece::new(!piece.color, piece.kind));
        }
        flipped
    }

    /// Number of pieces of `kind` on the board, promoted or not, and in both hands.
    pub fn count(&self, kind: PieceType) -> u32 {
        let on_board = self.board.iter().flatten().filter(|piece| piece.kind.unpromoted() == kind).count() as u32;
        let in_hand =
            kind.hand_piece().map_or(0, |piece| self.hands.iter().map(|hand| u32::from(hand.count(piece))).sum());
        on_board + in_hand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handicaps_remove_the_named_pieces() {
        for (handicap, back_ranks) in [
            (Handicap::Even, "lnsgkgsnl/1r5b1"),
            (Handicap::Lance, "lnsgkgsn1/1r5b1"),
            (Handicap::RightLance, "1nsgkgsnl/1r5b1"),
            (Handicap::Bishop, "lnsgkgsnl/1r7"),
            (Handicap::Rook, "lnsgkgsnl/7b1"),
            (Handicap::RookLance, "lnsgkgsn1/7b1"),
            (Handicap::TwoPieces, "lnsgkgsnl/9"),
            (Handicap::ThreePieces, "lnsgkgsn1/9"),
            (Handicap::FourPieces, "1nsgkgsn1/9"),
            (Handicap::FivePieces, "2sgkgsn1/9"),
            (Handicap::FivePiecesLeft, "1nsgkgs2/9"),
            (Handicap::SixPieces, "2sgkgs2/9"),
            (Handicap::SevenPiecesRight, "3gkgs2/9"),
            (Handicap::SevenPiecesLeft, "2sgkg3/9"),
            (Handicap::EightPieces, "3gkg3/9"),
            (Handicap::TenPieces, "4k4/9"),
        ] {
            let sfen = Setup::handicap(handicap).to_string();
            assert!(sfen.starts_with(back_ranks), "{handicap:?}: {sfen}");
            assert_eq!(sfen.contains(" w "), handicap != Handicap::Even);
        }
    }
}

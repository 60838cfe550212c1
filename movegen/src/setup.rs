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

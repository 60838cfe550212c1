//! The playable position.

mod checks;
mod delta;
mod illegal;
mod legality;
mod make;
mod placement;
mod ply;

use std::fmt;

pub use delta::{Capture, Delta, Origin};
pub use illegal::{IllegalMove, IllegalReason};
use placement::Placement;
use ply::Ply;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::hand::Hand;
use crate::moves::Move;
use crate::piece::{HandPiece, Piece, PieceType};
use crate::setup::Setup;
use crate::square::Square;

/// A playable position with the moves that led to it.
///
/// Kings may be missing (problems have one or none). More pieces than a shogi set has
/// are accepted if the counts fit a [`Hand`]. The opponent of the side to move is never
/// in check.
///
/// After every operation the derived state (key, checkers, pins) equals that of a
/// position built from [`to_setup`](Self::to_setup).
#[derive(Clone)]
pub struct Position {
    placement: Placement,
    turn: Color,
    ply: u16,
    /// Enemy pieces that attack the king of the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that are the only blocker between an enemy slider and
    /// its king.
    pinned: Bitboard,
    /// The state saved before each move since the setup, oldest first.
    history: Vec<Ply>,
    /// Number of the latest consecutive moves of Black and White that gave check.
    check_runs: [u16; 2],
}

/// Error: the diagram is not playable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// The side not to move is in check: its king could be captured.
    OpponentInCheck {
        /// Square of that king.
        king: Square,
    },
    /// One side has two or more kings.
    SeveralKings {
        /// Side of the kings.
        color: Color,
        /// Number of kings.
        count: u32,
    },
    /// More pieces of one kind than fit one [`Hand`].
    TooMany {
        /// The kind; promoted pieces count.
        piece: HandPiece,
        /// Number of pieces.
        count: u32,
        /// Maximal number.
        max: u8,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OpponentInCheck { king } => {
                write!(f, "opponent in check: the king on {king} could be captured")
            }
            Self::SeveralKings { color, count } => write!(f, "{color:?} has {count} kings"),
            Self::TooMany { piece, count, max } => {
                write!(f, "{count} pieces of type {} where at most {max} fit", piece.piece_type().letter())
            }
        }
    }
}

impl std::error::Error for PositionError {}

/// Initial capacity of the history in plies: an ordinary game plus a search need no
/// further allocation.
const RESERVED_PLIES: usize = 1024;

impl Position {
    /// The start position of an even game.
    pub fn startpos() -> Self {
        Self::new_unchecked(&Setup::startpos())
    }

    /// The position of a diagram.
    ///
    /// # Errors
    /// [`PositionError`] if a king could be captured, a side has two kings, or more
    /// pieces of a kind exist than fit one hand.
    ///
    /// ```
    /// use enbu_movegen::{Position, PositionError, Setup};
    /// let setup: Setup = "4k4/4R4/9/9/9/9/9/9/4K4 b - 1".parse().expect("an SFEN");
    /// assert!(matches!(Position::from_setup(&setup), Err(PositionError::OpponentInCheck { .. })));
    /// ```
    pub fn from_setup(setup: &Setup) -> Result<Self, PositionError> {
        for piece in HandPiece::ALL {
            let (count, max) = (setup.count(piece.piece_type()), Hand::max(piece));
            if count > u32::from(max) {
                return Err(PositionError::TooMany { piece, count, max });
            }
        }
        for color in Color::ALL {
            let king = Some(Piece::new(color, PieceType::King));
            let count = setup.board.iter().filter(|&&piece| piece == king).count() as u32;
            if count > 1 {
                return Err(PositionError::SeveralKings { color, count });
            }
        }
        let position = Self::new_unchecked(setup);
        match position.king(!setup.turn) {
            Some(king) if position.is_attacked(king, setup.turn, position.occupied()) => {
                Err(PositionError::OpponentInCheck { king })
            }
            _ => Ok(position),
        }
    }

    fn new_unchecked(setup: &Setup) -> Self {
        let mut position = Self {
            placement: Placement::new(setup),
            turn: setup.turn,
            ply: setup.ply,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            history: Vec::with_capacity(RESERVED_PLIES),
            check_runs: [0; 2],
        };
        position.update_checks();
        position
    }

    /// The diagram of this position, without the history.
    pub fn to_setup(&self) -> Setup {
        Setup { board: *self.placement.board(), hands: self.placement.hands(), turn: self.turn, ply: self.ply }
    }

    /// A copy without the history: cheap, for short look-ahead in which repetitions do
    /// not matter.
    pub fn without_history(&self) -> Self {
        Self { placement: self.placement.clone(), history: Vec::new(), check_runs: [0; 2], ..*self }
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Number of the next move, 1 to 65 535 (saturating).
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.placement.board()[square]
    }

    /// The hand of `color`.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.placement.hands()[color]
    }

    /// The square of `color`'s king; `None` in problems without that king.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.placement.king(color)
    }

    /// The squares with a piece.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.placement.occupied()
    }

    /// The squares with a piece of `color`.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.placement.by_color(color)
    }

    /// The squares with a piece of type `kind`, of either side.
    #[inline]
    pub fn by_kind(&self, kind: PieceType) -> Bitboard {
        self.placement.by_kind(kind)
    }

    /// The squares with `color`'s pieces of type `kind`.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.placement.by_kind(kind) & self.placement.by_color(color)
    }

    /// The enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns true if the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// The pinned pieces of the side to move: each is the only blocker between an enemy
    /// slider and its king, and may move only along that line.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Zobrist key of board, hands and side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.placement.key()
    }

    /// Zobrist key of board and side to move without the hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.placement.board_key()
    }

    /// The moves played since the setup, oldest first, without null moves.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.history.iter().filter_map(|ply| ply.mv)
    }

    /// The last move; `None` at the setup and after a null move.
    #[inline]
    pub fn last_move(&self) -> Option<Move> {
        self.history.last().and_then(|ply| ply.mv)
    }

    /// The state `distance` plies ago (2 or more); `None` before the setup, or if one of
    /// the two moves made from there is a null move.
    #[inline]
    pub(crate) fn two_plies_at(&self, distance: usize) -> Option<&Ply> {
        let at = self.history.len().checked_sub(distance)?;
        let [first, second] = self.history.get(at..at + 2)? else { return None };
        (first.mv.is_some() && second.mv.is_some()).then_some(first)
    }

    /// The board keys before each move since the setup.
    pub(crate) fn earlier_board_keys(&self) -> impl Iterator<Item = u64> {
        self.history.iter().map(|ply| ply.board_key)
    }

    /// Number of the latest consecutive moves of `color` that gave check.
    #[inline]
    pub(crate) fn check_run(&self, color: Color) -> u16 {
        self.check_runs[color]
    }

    /// Number of moves, null moves included, since the setup.
    #[inline]
    pub fn plies_played(&self) -> usize {
        self.history.len()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} moves", self.to_setup())?;
        self.history().try_for_each(|mv| write!(f, " {mv}"))
    }
}

impl fmt::Display for Position {
    /// The SFEN of the position.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_setup().fmt(f)
    }
}

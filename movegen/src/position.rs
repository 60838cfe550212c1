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

/// A position that can be played, with the moves that led to it.
///
/// Kings may be missing (problems have one or none). More pieces than a set has
/// are accepted as long as the counts fit a [`Hand`]. The opponent of the side to
/// move is never in check.
///
/// After every operation the derived state (key, checkers, pins) equals what a
/// position read afresh from [`to_setup`](Self::to_setup) has.
#[derive(Clone)]
pub struct Position {
    placement: Placement,
    turn: Color,
    ply: u16,
    /// Enemy pieces that attack the king of the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that alone shield its king from a sliding piece.
    pinned: Bitboard,
    /// What each move since the setup changed; the last is the newest.
    history: Vec<Ply>,
    /// Consecutive checking moves of Black and White up to now.
    check_runs: [u16; 2],
}

/// Why a diagram cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// The side that is not to move is in check: its king could be taken.
    OpponentInCheck {
        /// Where that king stands.
        king: Square,
    },
    /// One side has two or more kings.
    SeveralKings {
        /// Whose kings.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More pieces of one kind than a hand could hold if one side took all.
    TooMany {
        /// Which kind (promoted ones counted).
        piece: HandPiece,
        /// How many there are.
        count: u32,
        /// How many fit.
        max: u8,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OpponentInCheck { king } => {
                write!(f, "opponent in check: the king on {king} could be taken")
            }
            Self::SeveralKings { color, count } => write!(f, "{color:?} has {count} kings"),
            Self::TooMany { piece, count, max } => {
                write!(f, "{count} pieces of type {} where at most {max} fit", piece.piece_type().letter())
            }
        }
    }
}

impl std::error::Error for PositionError {}

/// How many plies of history are reserved at the start, so that an ordinary game
/// plus a search never allocate.
const RESERVED_PLIES: usize = 1024;

impl Position {
    /// The start position of an even game.
    pub fn startpos() -> Self {
        Self::new_unchecked(&Setup::startpos())
    }

    /// Makes a diagram playable.
    ///
    /// # Errors
    /// [`PositionError`] when a king could be taken, a side has two kings, or
    /// there are more pieces of a kind than fit one hand.
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

    /// The diagram of this position; the history is not part of it.
    pub fn to_setup(&self) -> Setup {
        Setup { board: *self.placement.board(), hands: self.placement.hands(), turn: self.turn, ply: self.ply }
    }

    /// The same position without the moves that led to it: cheap to make, for
    /// looking a few moves ahead where the past does not matter.
    pub fn without_history(&self) -> Self {
        Self { placement: self.placement.clone(), history: Vec::new(), check_runs: [0; 2], ..*self }
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Number of the next move, 1 to 65 535 (where it stays).
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.placement.board()[square]
    }

    /// What `color` holds.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.placement.hands()[color]
    }

    /// Where `color`'s king stands; `None` where a problem has no such king.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.placement.king(color)
    }

    /// All squares with a piece.
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

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// The pieces of the side to move that alone shield its king from an enemy
    /// lance, bishop or rook; they may move only along that line.
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

    /// The moves played since the setup, oldest first; null moves are left out.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.history.iter().filter_map(|ply| ply.mv)
    }

    /// The last move, if one was played and it was not a null move.
    #[inline]
    pub fn last_move(&self) -> Option<Move> {
        self.history.last().and_then(|ply| ply.mv)
    }

    /// The state `distance` plies ago (2 or more), unless that is before the setup
    /// or one of the two moves made from there is a null move.
    #[inline]
    pub(crate) fn two_plies_at(&self, distance: usize) -> Option<&Ply> {
        let at = self.history.len().checked_sub(distance)?;
        let [first, second] = self.history.get(at..at + 2)? else { return None };
        (first.mv.is_some() && second.mv.is_some()).then_some(first)
    }

    /// How many moves in a row `color` has given check with, up to now.
    #[inline]
    pub(crate) fn check_run(&self, color: Color) -> u16 {
        self.check_runs[color]
    }

    /// How many moves (and null moves) have been made since the setup.
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

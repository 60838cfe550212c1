//! The playable position.

mod checks;
mod delta;
mod illegal;
mod legality;
mod make;
mod placement;

use std::fmt;
use std::ops::Deref;

pub use delta::{Capture, Delta, Origin};
pub use illegal::{IllegalMove, IllegalReason};
pub use placement::Placement;

use enbu_language::messages;

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
    ply: u16,
    /// Enemy pieces that attack the king of the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that are the only blocker between an enemy slider and
    /// its king.
    pinned: Bitboard,
    /// The state saved before each move since the setup, oldest first.
    pub(crate) history: Vec<Ply>,
    /// Number of the latest consecutive moves of Black and White that gave check.
    pub(crate) check_runs: [u16; 2],
}

/// The state before a move: undo restores it, repetition detection compares it.
#[derive(Clone)]
pub(crate) struct Ply {
    /// `None` for a null move.
    mv: Option<Move>,
    captured: Option<Piece>,
    /// Board key before the move, side to move included.
    pub(crate) board_key: u64,
    /// Hand of the side to move before the move.
    pub(crate) hand: Hand,
    check_runs: [u16; 2],
    checkers: Bitboard,
    pinned: Bitboard,
    ply: u16,
}

messages! {
/// Error: the diagram is not playable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum PositionError {
    OpponentInCheck { king: Square } =>
        "opponent in check: the king on {} could be captured", "相手玉（{}）に王手がかかったまま手番が回っています", king.name();
    SeveralKings { color: Color, count: u32 } => "{} has {count} kings", "{}の玉が {count} 枚あります", color.name();
    /// More pieces of one kind, promoted ones included, than fit one [`Hand`].
    TooMany { piece: HandPiece, count: u32, max: u8 } =>
        "{count} pieces of type {} where at most {max} fit", "{}が {count} 枚あります（上限 {max} 枚）", piece.name();
}}

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
        self.placement.to_setup(self.ply)
    }

    /// A copy without the history: cheap, for short look-ahead in which repetitions do
    /// not matter.
    pub fn without_history(&self) -> Self {
        Self { placement: self.placement.clone(), history: Vec::new(), check_runs: [0; 2], ..*self }
    }

    /// Number of the next move, 1 to 65 535 (saturating).
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply
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

    /// Number of moves, null moves included, since the setup.
    #[inline]
    pub fn plies_played(&self) -> usize {
        self.history.len()
    }
}

impl Deref for Position {
    type Target = Placement;

    #[inline]
    fn deref(&self) -> &Placement {
        &self.placement
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

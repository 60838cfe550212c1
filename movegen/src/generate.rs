//! Generation of legal moves, as sets.
//!
//! A [`MoveSet`] holds the moves of one piece (or of all pawns, or the drops of
//! one kind) as destination sets: a count is a popcount, a list one loop. Every set
//! contains legal moves only.
//!
//! | file | contents |
//! |---|---|
//! | `board.rs` | moves of pieces on the board, promotion, pins; squares that block or capture a checker |
//! | `checks.rs` | the moves that give check |
//! | `drops.rs` | nifu, dead squares, uchifuzume |
//! | `move_set.rs` | `MoveSet` and `Scope` |

mod board;
mod checks;
mod drops;
mod move_set;

pub use checks::CheckSquares;
pub use move_set::{MoveSet, Scope};

use enbu_isa::multiversion;

use crate::move_list::MoveList;
use crate::position::Position;

multiversion! {
    fn moves_in(position: &Position, scope: Scope, list: &mut MoveList) {
        position.for_each_set(scope, |set| set.for_each(|mv| list.push(mv)));
    }
}

impl Position {
    /// Calls `visit` with the legal moves in `scope`, as non-empty sets.
    ///
    /// Every move appears once. All rules apply: nifu, dead squares, uchifuzume, check.
    /// Non-promotions are included wherever they are legal.
    #[inline(always)]
    pub fn for_each_set(&self, scope: Scope, mut visit: impl FnMut(MoveSet)) {
        let us = self.turn();
        let targets = match scope {
            Scope::All => !self.by_color(us),
            Scope::Captures => self.by_color(!us),
            Scope::Quiets => !self.occupied(),
        };
        board::king_moves(self, targets, &mut visit);
        let Some(answers) = board::answering_squares(self) else { return };
        board::piece_moves(self, targets & answers, &mut visit);
        if scope != Scope::Captures {
            drops::drops(self, answers.without(self.occupied()), &mut visit);
        }
    }

    /// Appends every legal move of the side to move to `list`.
    ///
    /// ```
    /// use enbu_movegen::{MoveList, Position};
    /// let mut moves = MoveList::new();
    /// Position::startpos().legal_moves(&mut moves);
    /// assert_eq!(moves.len(), 30);
    /// ```
    pub fn legal_moves(&self, list: &mut MoveList) {
        self.moves_in(Scope::All, list);
    }

    /// Appends every legal move in `scope` to `list`.
    pub fn moves_in(&self, scope: Scope, list: &mut MoveList) {
        moves_in(self, scope, list);
    }

    /// Returns true if the side to move has a legal move; without one it has lost.
    pub fn has_legal_move(&self) -> bool {
        // No early exit: sets are cheap, and mates, which it could not shorten, are rare.
        let mut any = false;
        self.for_each_set(Scope::All, |set| any |= !set.is_empty());
        any
    }

    /// Returns true if the side to move is mated: in check without a legal move.
    pub fn is_mate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }
}

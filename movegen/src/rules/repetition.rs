//! Repetition (sennichite) and perpetual check.
//!
//! | use | function | occurrence | hands |
//! |---|---|---|---|
//! | end of the game | [`Position::repetition`] | the fourth, in the whole history | equal |
//! | value of a line in search | [`Position::cycle`] | the second, in the last plies | equal, more or fewer |
//!
//! The start of the history counts as an occurrence. If every move of one side
//! since the earlier occurrence gave check, that side loses; if this is true of both,
//! Black is tested first (the rules leave that open).

use super::outcome::Ruling;
use crate::color::Color;
use crate::position::Position;

/// A repetition for the search, relative to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cycle {
    /// A repeated position: a draw.
    Draw,
    /// A repeated position after nothing but checks by the opponent: a win.
    Win,
    /// A repeated position after nothing but checks by the side to move: a loss.
    Loss,
    /// A repeated board with a dominating hand of the side to move.
    Superior,
    /// A repeated board with a dominated hand of the side to move.
    Inferior,
}

impl Position {
    /// The ruling on four-fold repetition over the whole history.
    ///
    /// Perpetual check is judged over the moves since the first of the four occurrences.
    pub fn repetition(&self) -> Ruling {
        let mut occurrences = 1;
        for distance in (2..=self.plies_played()).step_by(2) {
            let Some(ply) = self.two_plies_at(distance) else { break };
            if ply.board_key != self.board_key() || ply.hand != self.hand(self.turn()) {
                continue;
            }
            occurrences += 1;
            if occurrences == 4 {
                let checker = Color::ALL.into_iter().find(|&color| self.only_checked(color, distance));
                return checker.map_or(Ruling::Draw, |color| Ruling::Win(!color));
            }
        }
        Ruling::None
    }

    /// The repetition of the present board within the last `plies` plies, not across a
    /// null move; `None` if there is none.
    ///
    /// More or fewer pieces in hand count only within the last `tree` plies: moves of the
    /// game itself have been answered already, and prove nothing.
    ///
    /// A heuristic for search, not the rule: the second occurrence counts as the fourth.
    #[inline]
    pub fn cycle(&self, plies: usize, tree: usize) -> Option<Cycle> {
        let us = self.turn();
        let (board_key, hand) = (self.board_key(), self.hand(us));
        let mut distance = 2;
        while distance <= plies {
            let ply = self.two_plies_at(distance)?;
            if ply.board_key == board_key {
                if ply.hand == hand {
                    return Some(self.same_position(distance));
                }
                if distance <= tree && hand.dominates(ply.hand) {
                    return Some(Cycle::Superior);
                }
                if distance <= tree && ply.hand.dominates(hand) {
                    return Some(Cycle::Inferior);
                }
            }
            distance += 2;
        }
        None
    }

    fn same_position(&self, distance: usize) -> Cycle {
        if self.only_checked(!self.turn(), distance) {
            Cycle::Win
        } else if self.only_checked(self.turn(), distance) {
            Cycle::Loss
        } else {
            Cycle::Draw
        }
    }

    /// Returns true if each of `color`'s moves in the last `plies` (an even number) gave check.
    fn only_checked(&self, color: Color, plies: usize) -> bool {
        usize::from(self.check_run(color)) >= plies / 2
    }
}

//! Repetition (sennichite) and perpetual check.
//!
//! Two questions, two functions:
//!
//! | question | function | occurrences | hands |
//! |---|---|---|---|
//! | is the game over? | [`Position::repetition`] | the fourth, whole history | equal |
//! | what is this line of search worth? | [`Position::cycle`] | the second, last plies | equal, more or fewer |
//!
//! The start of the history counts as an occurrence. If every move of one side
//! since the earlier occurrence gave check, that side loses; if both did, Black
//! is looked at first (the rules leave that open).

use super::outcome::Verdict;
use crate::color::Color;
use crate::position::Position;

/// A repetition as the search sees it, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cycle {
    /// Same position as before: a draw.
    Draw,
    /// Same position, and the opponent has done nothing but check: a win.
    Win,
    /// Same position, and the side to move has done nothing but check: a loss.
    Loss,
    /// Same board, but the side to move now holds more.
    Superior,
    /// Same board, but the side to move now holds less.
    Inferior,
}

impl Position {
    /// The verdict on four-fold repetition over the whole history.
    ///
    /// The run of checks is judged from the fourth-last occurrence to now.
    pub fn repetition(&self) -> Verdict {
        let mut occurrences = 1;
        for distance in (2..=self.plies_played()).step_by(2) {
            let Some(ply) = self.two_plies_at(distance) else { break };
            if ply.board_key != self.board_key() || ply.hand != self.hand(self.turn()) {
                continue;
            }
            occurrences += 1;
            if occurrences == 4 {
                let checker = Color::ALL.into_iter().find(|&color| self.only_checked(color, distance));
                return checker.map_or(Verdict::Draw, |color| Verdict::Win(!color));
            }
        }
        Verdict::None
    }

    /// Whether the present board stood there before, within the last `plies`
    /// plies and not across a null move.
    ///
    /// This is a heuristic for search, never a rule: it takes the second
    /// occurrence for the fourth.
    #[inline]
    pub fn cycle(&self, plies: usize) -> Option<Cycle> {
        let us = self.turn();
        let (board_key, hand) = (self.board_key(), self.hand(us));
        let mut distance = 2;
        while distance <= plies {
            let ply = self.two_plies_at(distance)?;
            if ply.board_key == board_key {
                return Some(if ply.hand == hand {
                    self.same_position(distance)
                } else if hand.dominates(ply.hand) {
                    Cycle::Superior
                } else if ply.hand.dominates(hand) {
                    Cycle::Inferior
                } else {
                    distance += 2;
                    continue;
                });
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

    /// Whether each of `color`'s moves in the last `plies` (an even number) gave check.
    fn only_checked(&self, color: Color, plies: usize) -> bool {
        usize::from(self.check_run(color)) >= plies / 2
    }
}

//! Repetition (sennichite) and perpetual check.
//!
//! | use | function | occurrence | hands |
//! |---|---|---|---|
//! | end of the game | [`Position::repetition`] | the fourth, in the whole history | equal |
//! | value of a line in search | [`Position::cycle`] | the second, after the root of the tree | equal, more or fewer |
//!
//! The start of the history counts as an occurrence. If every move of one side
//! since the earlier occurrence gave check, that side loses; if this is true of both,
//! Black is tested first (the rules leave that open).

use super::Ruling;
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
        match self.occurrences().nth(2) {
            None => Ruling::None,
            Some(first) => self.only_checker(first).map_or(Ruling::Draw, |color| Ruling::Win(!color)),
        }
    }

    /// [`repetition`](Self::repetition) as the side to move sees it; `None` while the game goes on.
    pub fn final_cycle(&self) -> Option<Cycle> {
        match self.repetition() {
            Ruling::None => None,
            Ruling::Draw => Some(Cycle::Draw),
            Ruling::Win(color) if color == self.turn() => Some(Cycle::Win),
            Ruling::Win(_) => Some(Cycle::Loss),
        }
    }

    /// The repetition of the present board in a search tree whose root is `ply` plies ago, with
    /// its distance in plies; `None` if there is none after the root, or a null move is between.
    ///
    /// The root and the game before it do not count: a repetition of these proves nothing, since
    /// the side that does not like it may leave it again, as it could the first time.
    ///
    /// A heuristic for search, not the rule: the second occurrence counts as the fourth, and
    /// more or fewer pieces in hand as a win or a loss.
    #[inline]
    pub fn cycle(&self, ply: usize) -> Option<(Cycle, usize)> {
        let hand = self.hand(self.turn());
        for distance in (2..ply).step_by(2) {
            let earlier = self.two_plies_at(distance)?;
            if earlier.board_key != self.board_key() {
                continue;
            }
            if earlier.hand == hand {
                return Some((self.loop_of(distance), distance));
            }
            if hand.dominates(earlier.hand) {
                return Some((Cycle::Superior, distance));
            }
            if earlier.hand.dominates(hand) {
                return Some((Cycle::Inferior, distance));
            }
        }
        None
    }

    /// Keys of the boards that have occurred three times: only at one of these can the next
    /// [`repetition`](Self::repetition) be.
    pub fn third_boards(&self) -> Vec<u64> {
        let mut keys: Vec<u64> = self.history.iter().map(|ply| ply.board_key).chain([self.board_key()]).collect();
        keys.sort_unstable();
        keys.chunk_by(|one, next| one == next).filter(|same| same.len() >= 3).map(|same| same[0]).collect()
    }

    /// The side whose every move since the last occurrence of the position gave check.
    pub fn perpetual_checker(&self) -> Option<Color> {
        self.only_checker(self.occurrences().next()?)
    }

    /// The loop of the last `distance` plies, were it repeated until the fourth occurrence: checks
    /// count from the first of the four, which the history may hold already.
    fn loop_of(&self, distance: usize) -> Cycle {
        if self.only_checker(distance).is_none() {
            return Cycle::Draw;
        }
        let first = self.occurrences().take(3).last().unwrap_or(distance);
        match self.only_checker(first) {
            None => Cycle::Draw,
            Some(checker) if checker == self.turn() => Cycle::Loss,
            Some(_) => Cycle::Win,
        }
    }

    /// Distances in plies of the earlier occurrences, the latest first.
    fn occurrences(&self) -> impl Iterator<Item = usize> {
        let (board_key, hand) = (self.board_key(), self.hand(self.turn()));
        (2..=self.plies_played())
            .step_by(2)
            .map_while(|distance| Some((distance, self.two_plies_at(distance)?)))
            .filter(move |(_, ply)| ply.board_key == board_key && ply.hand == hand)
            .map(|(distance, _)| distance)
    }

    /// The side whose every move in the last `plies` (an even number) gave check.
    fn only_checker(&self, plies: usize) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| usize::from(self.check_runs[color]) >= plies / 2)
    }
}

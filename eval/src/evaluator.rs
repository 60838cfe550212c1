//! The evaluator that a search thread owns.

use enbu_movegen::{Color, Delta, Position};

use crate::psq::Sums;
use crate::{MAX_VALUE, Value};

/// Evaluates positions along one line of play.
///
/// [`push`](Self::push) and [`pop`](Self::pop) mirror the position's `do_move`
/// and `undo_move`; [`evaluate`](Self::evaluate) may be asked at any time. A null
/// move changes nothing here.
#[derive(Clone, Debug)]
pub struct Evaluator {
    stack: Vec<Sums>,
}

impl Evaluator {
    /// An evaluator standing at `position`.
    pub fn new(position: &Position) -> Self {
        let mut evaluator = Self { stack: Vec::with_capacity(256) };
        evaluator.reset(position);
        evaluator
    }

    /// Forgets the line and starts again at `position`.
    pub fn reset(&mut self, position: &Position) {
        self.stack.clear();
        self.stack.push(Sums::of(position));
    }

    /// Follows a move that `position` has just made, described by `delta`.
    #[inline]
    pub fn push(&mut self, position: &Position, delta: &Delta) {
        let kings = [position.king(Color::Black), position.king(Color::White)];
        let sums = self.stack.last().copied().unwrap_or_default();
        self.stack.push(sums.after(delta, kings));
    }

    /// Takes the last move back; the position given to [`reset`](Self::reset) stays.
    #[inline]
    pub fn pop(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// The value of `position`, where the line of pushes must have led, for its
    /// side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let Some(sums) = self.stack.last_mut() else { return 0 };
        sums.refresh(position);
        debug_assert_eq!(*sums, Sums::of(position), "{position:?}");
        sums.value(position.turn()).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::{MoveList, Setup};

    #[test]
    fn both_sides_see_the_same_board() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/9/9/9/9/9/9/9 b G2p 1",
        ] {
            let setup: Setup = sfen.parse().expect("an SFEN");
            let position = Position::from_setup(&setup).expect("playable");
            let flipped = Position::from_setup(&setup.flipped()).expect("playable");
            assert_eq!(Evaluator::new(&position).evaluate(&position), Evaluator::new(&flipped).evaluate(&flipped));
        }
    }

    #[test]
    fn updates_equal_a_fresh_evaluation() {
        let mut state = 2_463_534_242_u32;
        let mut random = move |n: usize| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as usize % n
        };
        for _ in 0..40 {
            let mut position = Position::startpos();
            let mut evaluator = Evaluator::new(&position);
            let mut made = 0;
            for _ in 0..300 {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() || (made > 0 && random(4) == 0) {
                    position.undo_move();
                    evaluator.pop();
                    made -= 1;
                } else {
                    let delta = position.do_move(moves[random(moves.len())]);
                    evaluator.push(&position, &delta);
                    made += 1;
                }
                if random(3) == 0 {
                    assert_eq!(evaluator.evaluate(&position), Evaluator::new(&position).evaluate(&position));
                }
            }
        }
    }
}

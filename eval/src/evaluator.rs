//! The evaluator of a search thread.

use std::fmt;
use std::sync::Arc;

use enbu_movegen::{Color, Delta, Position};

use crate::nnue::network::{Explanation, Network, State};
use crate::psq::Sums;
use crate::{MAX_VALUE, Value};

/// The kind of evaluation that an [`Evaluator`] is built from.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// Piece values and piece-square tables.
    #[default]
    PieceSquare,
    /// A neural network, and the divisor of its output (FV_SCALE), at least 1. Enbu's own networks
    /// ignore it: their files hold the scale.
    #[expect(missing_docs, reason = "described above")]
    Network { network: Arc<Network>, scale: i32 },
}

impl Evaluation {
    /// Returns `true` if attacks are among the inputs.
    pub fn sees_attacks(&self) -> bool {
        matches!(self, Self::Network { network, .. } if network.attacks.is_some())
    }
}

impl fmt::Display for Evaluation {
    /// The kind: `piece-square`, or the shape of the network.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PieceSquare => f.write_str("piece-square"),
            Self::Network { network, .. } => f.write_str(network.shape()),
        }
    }
}

/// Evaluates positions along one line of play.
///
/// [`push`](Self::push) and [`pop`](Self::pop) mirror the position's `do_move`
/// and `undo_move`; [`evaluate`](Self::evaluate) may be called at any time. Null moves
/// are not pushed.
#[derive(Clone, Debug)]
pub struct Evaluator(Kind);

#[derive(Clone, Debug)]
enum Kind {
    PieceSquare(Vec<Sums>),
    Network { network: Arc<Network>, scale: i32, state: Box<State> },
}

impl Evaluator {
    /// A piece-square evaluator at `position`.
    ///
    /// ```
    /// use enbu_eval::Evaluator;
    /// use enbu_movegen::Position;
    /// let position = Position::startpos();
    /// let mut evaluator = Evaluator::new(&position);
    /// assert!(evaluator.evaluate(&position).abs() < 100);
    /// assert_eq!(evaluator.raw(&position), None);
    /// ```
    pub fn new(position: &Position) -> Self {
        let mut evaluator = Self(Kind::PieceSquare(Vec::with_capacity(256)));
        evaluator.reset(position);
        evaluator
    }

    /// An evaluator of the given kind at `position`; a piece-square evaluator if the
    /// accumulators of the network cannot be allocated.
    pub fn with(evaluation: &Evaluation, position: &Position) -> Self {
        let Evaluation::Network { network, scale } = evaluation else { return Self::new(position) };
        let Ok(state) = State::new(network) else { return Self::new(position) };
        let mut evaluator = Self(Kind::Network { network: Arc::clone(network), scale: *scale, state: Box::new(state) });
        evaluator.reset(position);
        evaluator
    }

    /// Returns true if [`with`](Self::with) would build this evaluator from `evaluation`.
    pub fn is_of(&self, evaluation: &Evaluation) -> bool {
        match (&self.0, evaluation) {
            (Kind::PieceSquare(_), Evaluation::PieceSquare) => true,
            (Kind::Network { network, scale, .. }, Evaluation::Network { network: other, scale: others }) => {
                Arc::ptr_eq(network, other) && scale == others
            }
            _ => false,
        }
    }

    /// Starts a new line at `position`.
    pub fn reset(&mut self, position: &Position) {
        match &mut self.0 {
            Kind::PieceSquare(stack) => {
                stack.clear();
                stack.push(Sums::of(position));
            }
            Kind::Network { network, state, .. } => state.reset(network, position),
        }
    }

    /// Notes the move that led to `position`; `delta` describes it.
    #[inline]
    pub fn push(&mut self, position: &Position, delta: &Delta) {
        match &mut self.0 {
            Kind::PieceSquare(stack) => {
                let kings = [position.king(Color::Black), position.king(Color::White)];
                let sums = stack.last().copied().unwrap_or_default();
                stack.push(sums.after(delta, kings));
            }
            Kind::Network { network, state, .. } => state.push(network, position, delta),
        }
    }

    /// Takes the last move back; does nothing at the position given to [`reset`](Self::reset).
    #[inline]
    pub fn pop(&mut self) {
        match &mut self.0 {
            Kind::PieceSquare(stack) if stack.len() > 1 => drop(stack.pop()),
            Kind::PieceSquare(_) => {}
            Kind::Network { state, .. } => state.pop(),
        }
    }

    /// The value of `position` for its side to move. The pushes must have led there.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let value = match &mut self.0 {
            Kind::PieceSquare(stack) => {
                let Some(sums) = stack.last_mut() else { return 0 };
                sums.refresh(position);
                debug_assert_eq!(*sums, Sums::of(position), "{position:?}");
                sums.value(position.turn())
            }
            Kind::Network { network, scale, state } => {
                let raw = state.raw(network, position);
                #[cfg(debug_assertions)]
                assert_eq!(Ok(raw), fresh(network, position), "{position:?}");
                network.value(raw, *scale)
            }
        };
        value.clamp(-MAX_VALUE, MAX_VALUE)
    }

    /// The unscaled network output for the side to move; `None` without a network.
    pub fn raw(&mut self, position: &Position) -> Option<i32> {
        match &mut self.0 {
            Kind::PieceSquare(_) => None,
            Kind::Network { network, state, .. } => Some(state.raw(network, position)),
        }
    }

    /// The intermediate results of the network for `position`; `None` without a network.
    pub fn explain(&mut self, position: &Position) -> Option<Explanation> {
        match &mut self.0 {
            Kind::PieceSquare(_) => None,
            Kind::Network { network, state, .. } => Some(state.explain(network, position)),
        }
    }
}

/// The network output from accumulators that are refreshed for this call.
#[cfg(debug_assertions)]
fn fresh(network: &Network, position: &Position) -> Result<i32, std::collections::TryReserveError> {
    Ok(State::new(network)?.raw(network, position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::{MoveList, Setup};

    #[test]
    fn a_flipped_position_has_the_same_value() {
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

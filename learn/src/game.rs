//! A game with the scores of its search.

use enbu_movegen::{Color, Move, Position, PositionError, Setup};

use crate::error::ReplayError;

/// The lowest score of a mate (or a won declaration), which is 32 000 minus the plies to it.
pub const MATE_SCORE: i16 = 31_000;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// No winner.
    Draw,
    /// This side won.
    Win(Color),
}

impl GameResult {
    /// Every result, in the order of their numbers in files.
    pub const ALL: [Self; 3] = [Self::Draw, Self::Win(Color::Black), Self::Win(Color::White)];

    /// Its place in [`ALL`](Self::ALL).
    pub const fn number(self) -> u8 {
        match self {
            Self::Draw => 0,
            Self::Win(color) => 1 + color as u8,
        }
    }

    /// 1 for a win of `side`, 0 for a draw, -1 for a loss.
    ///
    /// ```
    /// use enbu_learn::GameResult;
    /// use enbu_movegen::Color;
    /// assert_eq!(GameResult::Win(Color::White).for_side(Color::Black), -1);
    /// ```
    pub fn for_side(self, side: Color) -> i8 {
        match self {
            Self::Draw => 0,
            Self::Win(winner) if winner == side => 1,
            Self::Win(_) => -1,
        }
    }

    /// The inverse of [`for_side`](Self::for_side): numbers above 0 are wins.
    pub fn from_side(result: i8, side: Color) -> Self {
        match result {
            0 => Self::Draw,
            1.. => Self::Win(side),
            _ => Self::Win(!side),
        }
    }
}

/// The way in which a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum Ending {
    /// Mate, on the board or found by the search.
    Mate,
    /// A won declaration (entering king).
    Declaration,
    /// Fourfold repetition, a draw.
    Repetition,
    /// Fourfold repetition by continuous checks of one side, which loses.
    PerpetualCheck,
    /// The limit of moves, a draw.
    MoveLimit,
    /// A score that stayed high for long enough.
    Score,
    /// Unknown: games of other programs.
    Unknown,
}

impl Ending {
    /// Every ending, in the order of their numbers in files.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

/// A move with the score of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The best move of the search, which was played.
    pub mv: Move,
    /// Centipawns for the side to move; mates from ±[`MATE_SCORE`] on.
    pub score: i16,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The initial position; `None`: the even start position.
    pub start: Option<Box<Setup>>,
    /// The random moves of the opening, without scores.
    pub opening: Vec<Move>,
    /// The other moves.
    pub moves: Vec<ScoredMove>,
    /// The result.
    pub result: GameResult,
    /// The way in which it ended.
    pub ending: Ending,
}

impl Game {
    /// The position that it begins with.
    ///
    /// # Errors
    /// [`PositionError`] when that cannot be played.
    pub fn start_position(&self) -> Result<Position, PositionError> {
        self.start.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_setup)
    }

    /// The first scored position.
    pub(crate) fn after_opening(&self) -> Result<Position, ReplayError> {
        let mut position = self.start_position().map_err(ReplayError::Start)?;
        for (index, &mv) in self.opening.iter().enumerate() {
            position.play(mv).map_err(|error| ReplayError::Move { number: index + 1, error })?;
        }
        Ok(position)
    }

    /// Replays the game and visits each scored position with its move.
    ///
    /// # Errors
    /// [`ReplayError`] at the first illegal move, after the visits before it.
    pub fn replay(&self, mut visit: impl FnMut(&Position, ScoredMove)) -> Result<(), ReplayError> {
        let mut position = self.after_opening()?;
        for (index, &scored) in self.moves.iter().enumerate() {
            let number = self.opening.len() + index + 1;
            // No visit for a position with an illegal move.
            if !position.is_legal(scored.mv) {
                return position.play(scored.mv).map(drop).map_err(|error| ReplayError::Move { number, error });
            }
            visit(&position, scored);
            position.do_move(scored.mv);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    #[test]
    fn a_replay_visits_scored_positions_and_ends_at_the_first_illegal_move() {
        let scored = |text| ScoredMove { mv: mv(text), score: 7 };
        let mut game = Game {
            start: None,
            opening: vec![mv("7g7f"), mv("3c3d")],
            moves: vec![scored("8h2b+"), scored("3a2b")],
            result: GameResult::Draw,
            ending: Ending::Unknown,
        };
        let mut seen = Vec::new();
        game.replay(|position, scored| seen.push((position.ply(), scored.mv))).expect("legal");
        assert_eq!(seen, [(3, mv("8h2b+")), (4, mv("3a2b"))]);
        game.moves[1] = scored("3a2c");
        seen.clear();
        let error = game.replay(|position, scored| seen.push((position.ply(), scored.mv))).expect_err("illegal");
        assert!(matches!(error, ReplayError::Move { number: 4, .. }), "{error}");
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn results_of_sides_are_inverse() {
        for result in [GameResult::Draw, GameResult::Win(Color::Black), GameResult::Win(Color::White)] {
            for side in Color::ALL {
                assert_eq!(GameResult::from_side(result.for_side(side), side), result);
                assert_eq!(result.for_side(side), -result.for_side(!side));
            }
        }
    }
}

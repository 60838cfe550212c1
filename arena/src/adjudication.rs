//! Ending games early where both engines have agreed for long enough.

use enbu_movegen::Color;
use enbu_usi::Score;

use crate::referee::{Ending, Reason};

/// Score of a mate, in centipawns.
const MATE_CP: i32 = 32_000;

/// A game is won when both engines see one side ahead for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WinAdjudication {
    /// Lead of the winner, in centipawns.
    pub bound_cp: i32,
    /// Number of moves of each engine.
    pub moves: u32,
}

/// A game is drawn when both engines see it even for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawAdjudication {
    /// From which move of the game on, counted as in the SFEN.
    pub from_move: u32,
    /// Number of moves of each engine.
    pub moves: u32,
    /// Largest absolute score, in centipawns.
    pub bound_cp: i32,
}

/// When games are ended early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Adjudication {
    /// Wins.
    pub win: Option<WinAdjudication>,
    /// Draws.
    pub draw: Option<DrawAdjudication>,
}

/// Counts the scores of a game.
#[derive(Clone, Debug)]
pub(crate) struct Adjudicator {
    rules: Adjudication,
    /// Scores in a row that see Black, White ahead.
    ahead: [u32; 2],
    /// Scores in a row that see the game even.
    even: u32,
}

impl Adjudicator {
    pub(crate) const fn new(rules: Adjudication) -> Self {
        Self { rules, ahead: [0; 2], even: 0 }
    }

    /// Takes note of the score with which `mover` made a move, after which the next
    /// move has number `ply`; the verdict, if the engines agree by now. A move
    /// without a score changes nothing.
    pub(crate) fn note(&mut self, mover: Color, score: Option<Score>, ply: u16) -> Option<Ending> {
        let cp = match score? {
            Score::Cp(cp) => cp,
            Score::MateIn(_) | Score::Mates => MATE_CP,
            Score::MatedIn(_) | Score::Mated => -MATE_CP,
        };
        self.won(mover, cp).or_else(|| self.drawn(cp, ply))
    }

    fn won(&mut self, mover: Color, cp: i32) -> Option<Ending> {
        let rule = self.rules.win?;
        let mut winner = None;
        for color in Color::ALL {
            let for_color = if color == mover { cp } else { cp.saturating_neg() };
            let streak = &mut self.ahead[color];
            *streak = if for_color >= rule.bound_cp { *streak + 1 } else { 0 };
            if *streak >= rule.moves.saturating_mul(2) {
                winner = Some(color);
            }
        }
        winner.map(|color| Ending::win(color, Reason::Adjudicated))
    }

    fn drawn(&mut self, cp: i32, ply: u16) -> Option<Ending> {
        let rule = self.rules.draw?;
        // `ply` is the number of the next move.
        let late = u32::from(ply) > rule.from_move;
        self.even = if late && cp.unsigned_abs() <= rule.bound_cp.unsigned_abs() { self.even + 1 } else { 0 };
        (self.even >= rule.moves.saturating_mul(2)).then_some(Ending::draw(Reason::Adjudicated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many scores, Black's first, the verdict comes, and which.
    fn verdict(rules: Adjudication, scores: &[Option<Score>]) -> Option<(usize, Ending)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(index, &score)| {
            let mover = if index % 2 == 0 { Color::Black } else { Color::White };
            adjudicator.note(mover, score, index as u16 + 2).map(|ending| (index + 1, ending))
        })
    }

    fn cp(values: &[i32]) -> Vec<Option<Score>> {
        values.iter().map(|&value| Some(Score::Cp(value))).collect()
    }

    #[test]
    fn both_must_see_the_win_for_long_enough() {
        let rules = Adjudication { win: Some(WinAdjudication { bound_cp: 500, moves: 2 }), draw: None };
        let white = Ending::win(Color::White, Reason::Adjudicated);
        assert_eq!(verdict(rules, &cp(&[-500, 500, -600, 700])), Some((4, white)));
        assert_eq!(verdict(rules, &cp(&[-500, 500, -499, 700, -500, 500, -500])), Some((7, white)));
        assert_eq!(verdict(rules, &cp(&[600, 600, 600, 600, 600, 600])), None);
        let mates = [Some(Score::MateIn(5)), Some(Score::MatedIn(4)), None, Some(Score::Mates), Some(Score::Mates)];
        assert_eq!(verdict(rules, &mates), None, "both sides mate");
        let mates =
            [Some(Score::MateIn(5)), Some(Score::MatedIn(4)), Some(Score::Mates), None, None, Some(Score::Mated)];
        assert_eq!(verdict(rules, &mates), Some((6, Ending::win(Color::Black, Reason::Adjudicated))));
    }

    #[test]
    fn draws_are_not_given_before_their_time() {
        let draw = Some(DrawAdjudication { from_move: 5, moves: 2, bound_cp: 10 });
        let rules = Adjudication { win: None, draw };
        let ending = Ending::draw(Reason::Adjudicated);
        assert_eq!(verdict(rules, &cp(&[0, 0, 0, 0, 5, -10, 10, 0])), Some((8, ending)));
        assert_eq!(verdict(rules, &cp(&[0, 0, 0, 0, 5, -11, 10, 0, 0])), None);
    }
}

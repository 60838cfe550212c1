//! Ending games early: where both engines have agreed for long enough, and where facts decide.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use enbu_language::{Both, text};
use enbu_mate::{Limits, OutOfMemory, Refinement, Solver, Verdict};
use enbu_movegen::Color;
use enbu_usi::Score;

use crate::referee::{Ending, Reason, Referee};

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

/// Treatment of a side to move that has won as a matter of fact: by a declaration, or by a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facts {
    /// It has to play on.
    PlayedOut,
    /// It wins at once.
    Decide,
}

/// Nodes for the proof of a mate, before each move.
const MATE_NODES: u64 = 10_000;

/// Size of the solver, in MB.
const MATE_MB: usize = 2;

/// Decides games by facts.
pub(crate) struct FactFinder {
    solver: Solver,
    /// Occurrences of the positions of the game.
    seen: HashMap<u64, u32>,
}

impl FactFinder {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(Self { solver: Solver::new(MATE_MB)?, seen: HashMap::new() })
    }

    /// Makes the next verdicts independent of earlier games.
    pub(crate) fn begin_game(&mut self) {
        self.solver.clear();
        self.seen.clear();
    }

    /// The end of the game and its reason, if the side to move can declare a win or has a forced mate.
    pub(crate) fn verdict(&mut self, referee: &Referee) -> Option<(Ending, Both)> {
        let (turn, position) = (referee.turn(), &referee.position);
        *self.seen.entry(position.key()).or_default() += 1;
        if referee.declared() == Ending::win(turn, Reason::Declaration) {
            let remark = text!("the side to move can declare a win", "手番側が入玉宣言で勝てます");
            return Some((Ending::win(turn, Reason::Declarable), Both::of(remark)));
        }
        // The solver knows no history: one more occurrence of a position might end the game before the mate.
        if self.seen.values().any(|&times| times > 2) {
            return None;
        }
        let limits = Limits { nodes: Some(MATE_NODES), refinement: Refinement::None, ..Limits::default() };
        let solution = self.solver.solve(position, &limits, &AtomicBool::new(false), &mut |_| {});
        let Verdict::Mate(mate) = solution.verdict else { return None };
        if !referee.has_room_for(mate.plies.into()) {
            return None;
        }
        let line: Vec<String> = mate.line.iter().map(ToString::to_string).collect();
        let (plies, line) = (mate.plies, line.join(" "));
        let remark = text!("mate in {plies}: {line}", "{plies} 手詰め：{line}");
        Some((Ending::win(turn, Reason::ProvenMate), Both::of(remark)))
    }
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
    use enbu_movegen::EnteringKingRule;

    use super::*;
    use crate::openings::Opening;
    use crate::referee::{MatedSide, Rules};

    /// The reason for which facts end a game, and its remark.
    fn fact(game: &str, rules: Rules) -> Option<(Color, Reason, String)> {
        let referee = game.parse::<Opening>().unwrap().referee(rules);
        let (ending, remark) = FactFinder::new().unwrap().verdict(&referee)?;
        Some((ending.winner.unwrap(), ending.reason, remark.english))
    }

    #[test]
    fn facts_decide_only_what_the_rules_allow() {
        let rules = Rules::default();
        let entered = "sfen +R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1";
        let declared = |rule| fact(entered, Rules { entering_king: rule, ..rules }).map(|found| found.1);
        assert_eq!(declared(EnteringKingRule::Csa27), Some(Reason::Declarable));
        // A declaration would only draw, or not be allowed; the side to move mates all the same.
        for rule in [EnteringKingRule::Csa24, EnteringKingRule::NoEnteringKing] {
            assert_ne!(declared(rule), Some(Reason::Declarable), "{rule:?}");
        }
        assert_eq!(fact("startpos", rules), None);
        // A mate in 3, as move 100 of the game.
        let mate = "sfen 7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS2r2b3g3s2n3l17p 100";
        let (winner, reason, remark) = fact(mate, rules).unwrap();
        assert_eq!((winner, reason), (Color::Black, Reason::ProvenMate));
        let plies: u32 = remark.split([' ', ':']).nth(2).unwrap().parse().unwrap();
        assert_eq!(remark.split(' ').count() as u32, 3 + plies, "{remark}");
        // The last move of the mate is the last that is allowed, or the one after that.
        let last = 99 + plies;
        assert!(fact(mate, Rules { max_moves: last, ..rules }).is_some());
        assert_eq!(fact(mate, Rules { max_moves: last - 1, ..rules }), None);
        let asked = Rules { mated: MatedSide::MustResign, ..rules };
        assert_eq!(fact(mate, Rules { max_moves: last, ..asked }), None, "drawn before the mated side is asked");
        assert!(fact(mate, Rules { max_moves: last + 1, ..asked }).is_some());
    }

    #[test]
    fn a_mate_is_not_decided_where_a_repetition_might_come_first() {
        let mate = "sfen 7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS2r2b3g3s2n3l17p 100";
        let referee = mate.parse::<Opening>().unwrap().referee(Rules::default());
        let mut finder = FactFinder::new().unwrap();
        let found: Vec<bool> = (0..3).map(|_| finder.verdict(&referee).is_some()).collect();
        assert_eq!(found, [true, true, false]);
        finder.begin_game();
        assert!(finder.verdict(&referee).is_some());
    }

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

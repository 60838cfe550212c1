//! The referee: legality of moves and the end of a game.
//!
//! | situation after a move | result |
//! |---|---|
//! | the side to move has no legal move | it loses (`mate`), unless it must resign itself |
//! | fourth occurrence of the position | draw (`repetition`) |
//! | ... and one side only gave check since the first | it loses (`perpetual_check`) |
//! | try rule, and a king stepped onto the other's start square | its side wins (`try`) |
//! | more moves than allowed | draw (`max_moves`) |
//!
//! The rules apply in this order, so a mate by the last allowed move wins.

use enbu_language::pick;
use enbu_movegen::{Color, Declaration, EnteringKingRule, Move, Position, Ruling, Setup, Square};
use enbu_usi::PositionCommand;
use serde::{Deserialize, Serialize};

/// The rules of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The game is a draw after this many moves, counted as in the SFEN; 0: never.
    pub max_moves: u32,
    /// When an entered king wins.
    pub entering_king: EnteringKingRule,
    /// Treatment of a side without a legal move.
    pub mated: MatedSide,
}

/// Treatment of a side without a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatedSide {
    /// The game is over.
    HasLost,
    /// It must resign itself, as on servers that do not detect mates.
    MustResign,
}

impl Default for Rules {
    fn default() -> Self {
        Self { max_moves: 320, entering_king: EnteringKingRule::Csa27, mated: MatedSide::HasLost }
    }
}

/// Reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// A side has no legal move.
    Mate,
    /// A side resigned.
    Resign,
    /// A side declared, and the rule gave it a win or a draw.
    Declaration,
    /// A king reached the other king's start square.
    Try,
    /// Four-fold repetition.
    Repetition,
    /// Four-fold repetition in which one side only gave check.
    PerpetualCheck,
    /// The limit of moves was reached.
    MaxMoves,
    /// Both engines agreed for long enough on the winner or on a draw.
    Adjudicated,
    /// The side to move could have declared a win.
    Declarable,
    /// The side to move had a forced mate, proven by the solver.
    ProvenMate,
    /// A side answered with something that is not a legal move, or declared falsely.
    Illegal,
    /// A side took too long for a move.
    Time,
    /// A side did not answer at all.
    Hang,
    /// A side's process ended.
    Crash,
}

impl Reason {
    /// Returns true if the game was decided by a fact that no engine stated; the remark is its proof.
    pub const fn is_fact(self) -> bool {
        matches!(self, Self::Declarable | Self::ProvenMate)
    }

    /// Its name in the language of the process; in English the word of files.
    pub fn name(self) -> String {
        const JAPANESE: &str = "詰み 投了 入玉宣言 トライ 千日手 連続王手の千日手 手数制限 判定 宣言可能 詰みあり 反則 \
                                時間切れ 応答なし エンジン停止";
        pick(self.to_string(), JAPANESE.split(' ').nth(self as usize).unwrap_or_default().to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The winner; `None` after a draw.
    pub(crate) winner: Option<Color>,
    pub(crate) reason: Reason,
}

impl Ending {
    pub(crate) const fn win(color: Color, reason: Reason) -> Self {
        Self { winner: Some(color), reason }
    }

    pub(crate) const fn draw(reason: Reason) -> Self {
        Self { winner: None, reason }
    }
}

/// The game as the referee sees it: the position, its history and the rules.
#[derive(Clone, Debug)]
pub(crate) struct Referee {
    rules: Rules,
    pub(crate) position: Position,
    /// The part of the `position` command that does not change.
    base: String,
    /// The moves since the opening's diagram, those of the opening included.
    pub(crate) moves: Vec<Move>,
}

impl Referee {
    /// A game that begins with `moves` from `setup`, which lead to `position`.
    pub(crate) fn new(setup: &Setup, position: Position, moves: Vec<Move>, rules: Rules) -> Self {
        let command = PositionCommand { setup: setup.clone(), moves: Vec::new(), tail: None };
        Self { rules, position, base: command.to_string(), moves }
    }

    pub(crate) fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Plays a move; an illegal one changes nothing.
    pub(crate) fn play(&mut self, mv: Move) -> Result<(), enbu_movegen::IllegalMove> {
        self.position.play(mv)?;
        self.moves.push(mv);
        Ok(())
    }

    /// The line `position ... moves ...` for the game so far and `expected` after it.
    pub(crate) fn position_line(&self, expected: Option<Move>) -> String {
        use std::fmt::Write as _;
        let mut line = self.base.clone();
        for (index, mv) in self.moves.iter().copied().chain(expected).enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(line, "{}{mv}", if index == 0 { " moves " } else { " " });
        }
        line
    }

    /// The end of the game by the rules, if it is over.
    pub(crate) fn ending(&self) -> Option<Ending> {
        let turn = self.turn();
        if self.rules.mated == MatedSide::HasLost && !self.position.has_legal_move() {
            return Some(Ending::win(!turn, Reason::Mate));
        }
        match self.position.repetition() {
            Ruling::Draw => return Some(Ending::draw(Reason::Repetition)),
            Ruling::Win(winner) => return Some(Ending::win(winner, Reason::PerpetualCheck)),
            Ruling::None => {}
        }
        if self.rules.entering_king == EnteringKingRule::Try && self.has_tried(!turn) {
            return Some(Ending::win(!turn, Reason::Try));
        }
        let limit = self.rules.max_moves;
        (limit > 0 && u32::from(self.position.ply()) > limit).then_some(Ending::draw(Reason::MaxMoves))
    }

    /// Returns true if a mate within `plies` plies would come before the limit of moves.
    pub(crate) fn has_room_for(&self, plies: u32) -> bool {
        let asked = u32::from(self.rules.mated == MatedSide::MustResign);
        self.rules.max_moves == 0 || u32::from(self.position.ply()) + plies + asked <= self.rules.max_moves + 1
    }

    /// Returns true if `color` has just moved its king to the other king's start square.
    fn has_tried(&self, color: Color) -> bool {
        let goal = Square::S51.relative(color);
        self.position.king(color) == Some(goal) && self.moves.last().is_some_and(|mv| mv.to() == goal)
    }

    /// The result of a declaration by the side to move; a false one loses.
    pub(crate) fn declared(&self) -> Ending {
        let turn = self.turn();
        match self.position.declaration(self.rules.entering_king) {
            Declaration::Win => Ending::win(turn, Reason::Declaration),
            Declaration::Draw => Ending::draw(Reason::Declaration),
            Declaration::Lose | Declaration::None => Ending::win(!turn, Reason::Illegal),
        }
    }

    /// The index of the first move of `line` that could not be played from here, if there is one.
    pub(crate) fn first_illegal(&self, line: &[Move]) -> Option<usize> {
        let mut position = self.position.clone();
        line.iter().position(|&mv| position.play(mv).is_err())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use enbu_language::Language;

    use super::*;
    use crate::openings::Opening;
    use crate::record::Fault;

    fn referee(text: &str, rules: Rules) -> Referee {
        text.parse::<Opening>().unwrap().referee(rules)
    }

    fn ending(text: &str, rules: Rules) -> Option<Ending> {
        referee(text, rules).ending()
    }

    const SHUFFLE: &str = "5i5h 5a5b 5h5i 5b5a";

    #[test]
    fn reasons_and_faults_have_their_own_japanese_names() {
        let japanese = |name: &dyn Fn() -> String| Language::Japanese.render(fmt::from_fn(|f| f.write_str(&name())));
        // The last of each list, which is wrong when a name is missing before it.
        assert_eq!(japanese(&|| Reason::Crash.name()), "エンジン停止");
        assert_eq!(japanese(&|| Fault::Flood.name()), "過剰な出力");
    }

    #[test]
    fn the_rules_end_a_game_in_their_order() {
        let rules = Rules::default();
        let four_times = format!("startpos moves {}", [SHUFFLE; 3].join(" "));
        let mate = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 321";
        let checks = "sfen 4k4/9/9/9/9/9/9/9/4KR3 b - 1 moves 4i5g";
        assert!(checks.parse::<Opening>().is_err());
        for (game, expected) in [
            ("startpos", None),
            (four_times.as_str(), Some(Ending::draw(Reason::Repetition))),
            (mate, Some(Ending::win(Color::Black, Reason::Mate))),
            ("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b - 320", None),
            ("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b - 320 moves 5c5b", Some(Ending::draw(Reason::MaxMoves))),
        ] {
            assert_eq!(ending(game, rules), expected, "{game}");
        }
        assert_eq!(ending(mate, Rules { mated: MatedSide::MustResign, ..rules }), Some(Ending::draw(Reason::MaxMoves)));
        assert_eq!(ending(mate, Rules { mated: MatedSide::MustResign, max_moves: 0, ..rules }), None);
    }

    #[test]
    fn perpetual_check_loses() {
        let cycle = "5i4i 5a4a 4i5i 4a5a";
        let game = format!("sfen 4k4/9/9/9/9/9/9/9/4R3K w - 1 moves 5a4a 5i4i 4a5a 4i5i {}", {
            let turn = "5a4a 5i4i 4a5a 4i5i";
            [turn; 2].join(" ")
        });
        assert_eq!(ending(&game, Rules::default()), Some(Ending::win(Color::White, Reason::PerpetualCheck)), "{cycle}");
    }

    #[test]
    fn a_try_wins_only_under_its_rule() {
        let game = "sfen 9/4K4/9/9/9/9/9/9/k8 b - 1 moves 5b5a";
        let rules = |entering_king| Rules { entering_king, ..Rules::default() };
        assert_eq!(ending(game, rules(EnteringKingRule::Try)), Some(Ending::win(Color::Black, Reason::Try)));
        assert_eq!(ending(game, rules(EnteringKingRule::Csa27)), None);
        let there = "sfen 4K4/9/9/9/9/9/9/9/k7P b - 1 moves 1i1h";
        assert_eq!(ending(there, rules(EnteringKingRule::Try)), None);
    }

    #[test]
    fn declarations_are_judged_by_the_rule() {
        let entered = "sfen +R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1";
        for (game, rule, expected) in [
            (entered, EnteringKingRule::Csa27, Ending::win(Color::Black, Reason::Declaration)),
            (entered, EnteringKingRule::Csa24, Ending::draw(Reason::Declaration)),
            (entered, EnteringKingRule::NoEnteringKing, Ending::win(Color::White, Reason::Illegal)),
            ("startpos", EnteringKingRule::Csa27, Ending::win(Color::White, Reason::Illegal)),
        ] {
            let rules = Rules { entering_king: rule, ..Rules::default() };
            assert_eq!(referee(game, rules).declared(), expected, "{rule:?}");
        }
    }

    #[test]
    fn lines_are_checked_without_being_played() {
        let mut game = referee("startpos moves 7g7f", Rules::default());
        let moves = |text: &str| text.split(' ').map(|mv| mv.parse().unwrap()).collect::<Vec<Move>>();
        assert_eq!(game.first_illegal(&moves("3c3d 2g2f 8c8d")), None);
        assert_eq!(game.first_illegal(&moves("3c3d 3c3d")), Some(1));
        assert_eq!(game.position_line(Some(moves("3c3d")[0])), "position startpos moves 7g7f 3c3d");
        assert!(game.play(moves("7g7f")[0]).is_err());
        assert_eq!(game.position_line(None), "position startpos moves 7g7f");
        let bare = referee("sfen 4k4/9/9/9/9/9/9/9/4K4 w 2P 7", Rules::default());
        assert_eq!(bare.position_line(None), "position sfen 4k4/9/9/9/9/9/9/9/4K4 w 2P 7");
    }
}

//! Declaration of a win by entering king (nyugyoku).
//!
//! Point rules (CSA): the king of the side to move is in its promotion zone and not in
//! check; at least ten of its other pieces are in the zone; its points reach the rule's
//! threshold. Rooks and bishops (promoted or not) in the zone or in hand count five
//! points, other pieces in the zone or in hand one, the king none.
//!
//! | rule | win | draw |
//! |---|---|---|
//! | 27-point | Black 28, White 27 | never |
//! | 24-point | 31 | 24 to 30 |
//! | `...Handicap` | White's threshold is lower by the points missing from the set | as above |
//! | try | the king can step onto the other king's start square | never |
//!
//! A declaration that fails loses the game.

use crate::attacks::king;
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::Move;
use crate::piece::PieceType;
use crate::position::Position;
use crate::square::Square;

/// The entering-king rule in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EnteringKingRule {
    /// No declaration.
    NoEnteringKing,
    /// 24-point rule: 31 points win, 24 to 30 draw.
    Csa24,
    /// 24-point rule with a correction for handicap games.
    Csa24Handicap,
    /// 27-point rule: Black 28, White 27 points win.
    #[default]
    Csa27,
    /// 27-point rule with a correction for handicap games.
    Csa27Handicap,
    /// A king that reaches the other king's start square wins.
    Try,
}

/// Result of a declaration by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declaration {
    /// The rule has no declaration (or, under the try rule, no try is possible).
    None,
    /// The conditions are not met: the declarer loses.
    Lose,
    /// The points suffice for a draw.
    Draw,
    /// The declarer wins.
    Win,
}

/// Points of a full set without the kings: 4 pieces of five points, 34 of one.
const FULL_SET_POINTS: u32 = 54;

impl Position {
    /// The result of a declaration by the side to move in this position.
    pub fn declaration(&self, rule: EnteringKingRule) -> Declaration {
        let (win, draw) = match (rule, self.turn()) {
            (EnteringKingRule::NoEnteringKing, _) => return Declaration::None,
            (EnteringKingRule::Try, _) => {
                return if self.try_move().is_some() { Declaration::Win } else { Declaration::None };
            }
            (EnteringKingRule::Csa24 | EnteringKingRule::Csa24Handicap, _) => (31, 24),
            (EnteringKingRule::Csa27 | EnteringKingRule::Csa27Handicap, Color::Black) => (28, u32::MAX),
            (EnteringKingRule::Csa27 | EnteringKingRule::Csa27Handicap, Color::White) => (27, u32::MAX),
        };
        let Some(points) = self.entered_points() else { return Declaration::Lose };
        let handicap = matches!(rule, EnteringKingRule::Csa24Handicap | EnteringKingRule::Csa27Handicap);
        let points = points + if handicap && self.turn() == Color::White { self.missing_points() } else { 0 };
        if points >= win {
            Declaration::Win
        } else if points >= draw {
            Declaration::Draw
        } else {
            Declaration::Lose
        }
    }

    /// The points of the side to move, or `None` if king, check or number of pieces in
    /// the zone fail the conditions.
    fn entered_points(&self) -> Option<u32> {
        let us = self.turn();
        let zone = Bitboard::zone(us);
        let king = self.king(us).filter(|&king| zone.contains(king))?;
        let entered = (self.by_color(us) & zone).without(Bitboard::of(king));
        if self.in_check() || entered.count() < 10 {
            return None;
        }
        let big = entered & (self.diagonal_sliders() | self.straight_sliders());
        let held: u32 =
            self.hand(us).iter().map(|(piece, count)| u32::from(count) * point_value(piece.piece_type())).sum();
        Some(entered.count() + 4 * big.count() + held)
    }

    /// Points by which the pieces on the board and in hand fall short of a full set.
    fn missing_points(&self) -> u32 {
        let setup = self.to_setup();
        let present: u32 = PieceType::ALL[..7].iter().map(|&kind| setup.count(kind) * point_value(kind)).sum();
        FULL_SET_POINTS.saturating_sub(present)
    }

    /// The legal king move to the other king's start square (5a for Black, 5i for
    /// White), which wins under the try rule.
    pub fn try_move(&self) -> Option<Move> {
        let from = self.king(self.turn())?;
        let goal = Square::S51.relative(self.turn());
        let mv = Move::board(from, goal);
        (king(from).contains(goal) && self.is_legal(mv)).then_some(mv)
    }
}

const fn point_value(kind: PieceType) -> u32 {
    match kind.unpromoted() {
        PieceType::Bishop | PieceType::Rook => 5,
        _ => 1,
    }
}

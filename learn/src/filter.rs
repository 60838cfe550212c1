//! The positions to learn from.
//!
//! A static evaluation is for quiet positions: if the best move is a capture, a promotion
//! or an evasion, the score depends on the moves to come, not on the pieces on the board.

use clap::{Args, ValueEnum};

use crate::game::MATE_SCORE;
use crate::source::Sample;

/// The criteria for skipping positions, as arguments of a command. Mates are skipped as well.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Leave out positions before this ply
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().first_ply)]
    pub first_ply: u16,
    /// Leave out scores beyond this many centipawns
    #[arg(long, value_name = "CP", default_value_t = Filter::default().max_score)]
    pub max_score: i16,
    /// Positions whose best move captures or promotes
    #[arg(long, value_enum, default_value_t = Filter::default().captures)]
    pub captures: Loud,
    /// Positions in check
    #[arg(long, value_enum, default_value_t = Filter::default().checks)]
    pub checks: Loud,
}

/// The treatment of positions that are not quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Loud {
    /// Leave them out
    Skip,
    /// Learn from them
    Keep,
}

/// The reason why a position is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Skipped {
    /// Its ply is too low.
    Early,
    /// Its score is too high or too low.
    Extreme,
    /// The side to move is in check.
    Check,
    /// The best move captures or promotes.
    Capture,
}

impl Skipped {
    /// The name of each reason in reports.
    pub(crate) const NAMES: [&str; 4] = ["early", "extreme score", "in check", "capture or promotion"];
}

impl Default for Filter {
    fn default() -> Self {
        Self { first_ply: 9, max_score: 3000, captures: Loud::Skip, checks: Loud::Skip }
    }
}

impl Filter {
    /// The reason to skip a position; `None` for positions to learn from.
    pub fn verdict(&self, sample: &Sample<'_>) -> Option<Skipped> {
        let Sample { position, score, mv, .. } = *sample;
        let limit = self.max_score.unsigned_abs().min(MATE_SCORE.unsigned_abs() - 1);
        if position.ply() < self.first_ply {
            return Some(Skipped::Early);
        }
        if score.unsigned_abs() > limit {
            return Some(Skipped::Extreme);
        }
        if self.checks == Loud::Skip && position.in_check() {
            return Some(Skipped::Check);
        }
        let loud = mv.is_some_and(|mv| mv.is_promotion() || position.piece_at(mv.to()).is_some());
        (self.captures == Loud::Skip && loud).then_some(Skipped::Capture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use enbu_movegen::Position;

    fn verdict(filter: &Filter, sfen: &str, mv: &str, score: i16) -> Option<Skipped> {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        filter.verdict(&Sample { position: &position, score, mv: mv.parse().ok(), result: GameResult::Draw })
    }

    #[test]
    fn each_reason_is_found() {
        let quiet = "l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31";
        let check = "4k4/9/9/9/4r4/9/9/9/4K4 b G 31";
        let filter = Filter::default();
        let loose = Filter { first_ply: 1, captures: Loud::Keep, checks: Loud::Keep, ..filter };
        for (sfen, mv, score, strict) in [
            (quiet, "7f7e", 100, None),
            (quiet, "2e2d", 100, None),
            (quiet, "B*5e", -3001, Some(Skipped::Extreme)),
            (quiet, "B*5e", i16::MIN, Some(Skipped::Extreme)),
            (check, "5i4i", 0, Some(Skipped::Check)),
        ] {
            assert_eq!(verdict(&filter, sfen, mv, score), strict, "{sfen} {mv}");
        }
        let early = Position::startpos().to_string();
        assert_eq!(verdict(&filter, &early, "7g7f", 0), Some(Skipped::Early));
        let capture = "4k4/9/9/9/4r4/4R4/9/9/4K4 b G 31";
        assert_eq!(verdict(&filter, capture, "5f5e", 0), Some(Skipped::Capture));
        assert_eq!(verdict(&filter, "4k4/9/4P4/9/9/9/9/9/4K4 b - 31", "5c5b+", 0), Some(Skipped::Capture));
        assert_eq!(verdict(&loose, capture, "5f5e", 0), None);
        assert_eq!(verdict(&loose, check, "5i4i", 0), None);
        let mates = Filter { max_score: i16::MAX, ..loose };
        assert_eq!(verdict(&mates, quiet, "7f7e", MATE_SCORE), Some(Skipped::Extreme));
    }
}

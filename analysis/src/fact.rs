//! Facts about mistakes, as plain data.

use enbu_movegen::Move;
use serde::{Deserialize, Serialize};

/// A certain fact about a mistake, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the second of two like facts needs no comment")]
pub enum Fact {
    /// The position occurs for the fourth time, by the mover's checks alone: a loss.
    PerpetualCheck,
    /// The position occurs for the fourth time: a draw.
    Repetition,
    /// A declaration by entering king would have won, or wins for the opponent.
    MissedDeclaration,
    AllowsDeclaration,
    /// A mate by checks.
    MissedMate,
    AllowsMate,
    /// A mate by checks that the opponent had after a pass as well.
    IgnoresMateThreat,
    /// The opponent makes a capture that the best move prevents, and that won material after a
    /// pass too.
    IgnoresThreat,
    /// The moved piece no longer protects the square of the opponent's capture.
    Unguards,
    /// A capture wins material by the exchange on its square.
    LosesPiece,
    BetterCapture,
    /// A piece that is moved or dropped wins one of those that it attacks.
    AllowsAttack,
    MissedAttack,
    /// The best move is the played one with the other choice about promotion.
    PromotionChoice,
    /// A pawn, bishop or rook promotes and is safe; what is allowed, the best move prevents.
    AllowsPromotion,
    MissedPromotion,
    /// The opponent's king enters its promotion zone, and the best move prevents it.
    LetsKingEnter,
    /// A safe move threatens mate by checks; what is allowed, the best move prevents.
    AllowsMateThreat,
    MissedMateThreat,
    /// Material is lost along the line of the mistake, or won along the best one, up to the
    /// eighth ply.
    LineLoses,
    LineWins,
}

/// A fact with its particulars, and its sentences. Pieces have their names in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The fact.
    pub fact: Fact,
    /// Its move in USI notation: the best answer to the mistake, or the best move in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Length of a mate, where no shorter one exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
    /// Pieces that the side of the move wins; those that it attacks, a king in check first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<String>,
    /// Pieces that it gives for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// True if no legal move takes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// The Japanese sentence.
    pub ja: String,
    /// The English sentence.
    pub en: String,
}

impl Reason {
    pub(crate) fn new(fact: Fact, by: impl Into<Option<Move>>) -> Self {
        let by = by.into().map(|mv: Move| mv.to_string());
        let (pieces, given, ja, en) = Default::default();
        Self { fact, by, plies: None, pieces, given, free: false, ja, en }
    }

    /// Returns true if the move is the opponent's, after the mistake.
    pub(crate) fn is_about_answer(&self) -> bool {
        use Fact::{BetterCapture, LineWins, MissedAttack, MissedMate, MissedMateThreat, MissedPromotion};
        let best = [BetterCapture, LineWins, MissedAttack, MissedMate, MissedMateThreat, MissedPromotion];
        !best.contains(&self.fact) && self.fact != Fact::PromotionChoice
    }
}

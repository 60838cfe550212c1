//! Shared parts of KIF, KI2 and BOD (kakinoki: the author of KIF): words, boards, headers, evaluations in
//! comments, and the reader.

pub(crate) mod board;
pub(crate) mod handicap;
pub(crate) mod headers;
pub(crate) mod moves;
mod play;
mod read;
pub(crate) mod result;
pub(crate) mod score;
pub(crate) mod words;

pub(crate) use board::lines as board_lines;
pub(crate) use headers::Sides;
pub use read::read;
pub(crate) use read::time_ms;

/// Notation of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// KIF: one move a line, with number, origin and time.
    Numbered,
    /// KI2: several moves a line, with words instead of origins.
    Free,
    /// PSN and PSN2: one move a line, with tags above them.
    Psn,
    Psn2,
}

impl Notation {
    pub(crate) const fn is_psn(self) -> bool {
        matches!(self, Self::Psn | Self::Psn2)
    }

    /// The line above a game. In KIF it declares the encoding; in KI2 it only separates
    /// games, because common readers refuse a file that begins with a comment.
    pub(crate) const fn head(self, is_first: bool) -> Option<&'static str> {
        match self {
            Self::Numbered => Some("#KIF version=2.0 encoding=UTF-8"),
            Self::Free if !is_first => Some("# ----"),
            Self::Free | Self::Psn | Self::Psn2 => None,
        }
    }
}

//! Ends of games.

use std::fmt;

use enbu_movegen::Color;

/// Result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// Black won.
    BlackWins,
    /// White won.
    WhiteWins,
    /// A draw.
    Draw,
}

impl GameResult {
    /// The result in which `color` wins.
    pub const fn win(color: Color) -> Self {
        match color {
            Color::Black => Self::BlackWins,
            Color::White => Self::WhiteWins,
        }
    }

    /// The winner, or `None` after a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::BlackWins => Some(Color::Black),
            Self::WhiteWins => Some(Color::White),
            Self::Draw => None,
        }
    }
}

/// The ways in which a game or a line of a record ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EndKind {
    /// The side to move resigns.
    Resign,
    /// The game was broken off.
    Abort,
    /// Fourfold repetition (sennichite).
    Repetition,
    /// Draw by impasse (jishogi).
    Impasse,
    /// The side to move ran out of time.
    TimeUp,
    /// The side to move committed a foul. After a foul that is in the
    /// record as its last move, the side that made that move.
    IllegalMove,
    /// This side committed a foul and lost, whoever is to move.
    IllegalAction(Color),
    /// The side to move declares a win by entering king.
    DeclarationWin,
    /// The side to move declares a draw by entering king.
    DeclarationDraw,
    /// The side to move is mated.
    Mate,
    /// There is no mate (of a problem).
    NoMate,
    /// The game reached the most moves its rules allow.
    MaxMoves,
    /// The side to move won without playing on.
    WinByDefault,
    /// The side to move lost without playing on.
    LoseByDefault,
    /// The last move was taken back (old files).
    TakeBack,
    /// An error of the program that wrote the record.
    Error,
    /// Anything else, in the words of the file.
    Other(String),
}

impl EndKind {
    /// Every kind but [`Other`](Self::Other), with a short English wording.
    const WORDINGS: [(Self, &'static str); 17] = [
        (Self::Resign, "resignation"),
        (Self::Abort, "broken off"),
        (Self::Repetition, "repetition"),
        (Self::Impasse, "impasse"),
        (Self::TimeUp, "out of time"),
        (Self::IllegalMove, "illegal move"),
        (Self::IllegalAction(Color::Black), "illegal action by Black"),
        (Self::IllegalAction(Color::White), "illegal action by White"),
        (Self::DeclarationWin, "win by declaration"),
        (Self::DeclarationDraw, "draw by declaration"),
        (Self::Mate, "mate"),
        (Self::NoMate, "no mate"),
        (Self::MaxMoves, "move limit reached"),
        (Self::WinByDefault, "win by default"),
        (Self::LoseByDefault, "loss by default"),
        (Self::TakeBack, "move taken back"),
        (Self::Error, "error"),
    ];

    /// Every kind but [`Other`](Self::Other).
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDINGS.into_iter().map(|(kind, _)| kind)
    }

    /// Returns true for fouls: the game ended by an illegal move or action.
    pub const fn is_foul(&self) -> bool {
        matches!(self, Self::IllegalMove | Self::IllegalAction(_))
    }

    /// The result that follows from the kind when `turn` is to move; `None`
    /// where the kind does not imply one.
    ///
    /// ```
    /// use enbu_kifu::{EndKind, GameResult};
    /// use enbu_movegen::Color;
    /// assert_eq!(EndKind::Resign.result(Color::Black), Some(GameResult::WhiteWins));
    /// assert_eq!(EndKind::Abort.result(Color::Black), None);
    /// ```
    pub const fn result(&self, turn: Color) -> Option<GameResult> {
        let opponent = match turn {
            Color::Black => Color::White,
            Color::White => Color::Black,
        };
        match self {
            Self::Resign | Self::TimeUp | Self::IllegalMove | Self::Mate | Self::LoseByDefault => {
                Some(GameResult::win(opponent))
            }
            Self::DeclarationWin | Self::WinByDefault => Some(GameResult::win(turn)),
            Self::IllegalAction(Color::Black) => Some(GameResult::WhiteWins),
            Self::IllegalAction(Color::White) => Some(GameResult::BlackWins),
            Self::Repetition | Self::Impasse | Self::DeclarationDraw | Self::MaxMoves => Some(GameResult::Draw),
            Self::Abort | Self::NoMate | Self::TakeBack | Self::Error | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for EndKind {
    /// A short English wording, such as `resignation`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Self::WORDINGS.iter().find(|(kind, _)| kind == self);
        f.write_str(match (self, known) {
            (Self::Other(text), _) => text,
            (_, known) => known.map_or("", |(_, wording)| wording),
        })
    }
}

/// The end of a game or of a variation: its kind and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Kind of the end.
    pub kind: EndKind,
    /// The result, if known. Usually the one of [`EndKind::result`] says,
    /// but a referee may have decided a game that was broken off.
    pub result: Option<GameResult>,
}

impl End {
    /// An end of this kind when `turn` is to move, with the result that follows from the kind.
    pub fn new(kind: EndKind, turn: Color) -> Self {
        let result = kind.result(turn);
        Self { kind, result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place in [`EndKind::all`]: a new kind does not compile without one.
    fn place(kind: &EndKind) -> usize {
        match kind {
            EndKind::Resign => 0,
            EndKind::Abort => 1,
            EndKind::Repetition => 2,
            EndKind::Impasse => 3,
            EndKind::TimeUp => 4,
            EndKind::IllegalMove => 5,
            EndKind::IllegalAction(Color::Black) => 6,
            EndKind::IllegalAction(Color::White) => 7,
            EndKind::DeclarationWin => 8,
            EndKind::DeclarationDraw => 9,
            EndKind::Mate => 10,
            EndKind::NoMate => 11,
            EndKind::MaxMoves => 12,
            EndKind::WinByDefault => 13,
            EndKind::LoseByDefault => 14,
            EndKind::TakeBack => 15,
            EndKind::Error => 16,
            EndKind::Other(_) => EndKind::all().count(),
        }
    }

    #[test]
    fn all_kinds_are_listed() {
        let places: Vec<usize> = EndKind::all().map(|kind| place(&kind)).collect();
        assert!(places.into_iter().eq(0..place(&EndKind::Other(String::new()))));
        for kind in EndKind::all() {
            assert!(!kind.to_string().is_empty());
        }
    }
}

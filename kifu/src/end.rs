//! Ends of games.

use std::fmt;

use enbu_movegen::Color;

use crate::terms::{Naming, cell_of, value_of, word_of};

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
    /// Results and their words: in CSA that of White in a server's summary.
    const NAMES: [(Option<Self>, &'static str); 4] = [
        (Some(Self::BlackWins), "lose||1-0|black"),
        (Some(Self::WhiteWins), "win||0-1|white"),
        (Some(Self::Draw), "draw||1/2-1/2 1/2 ½-½|draw"),
        (None, "unknown||*|none"),
    ];

    /// The result with this word in a format, which may be that none is known.
    pub(crate) fn named(word: &str, naming: Naming) -> Option<Option<Self>> {
        value_of(&Self::NAMES, naming, word).copied()
    }

    /// The word that a format writes for a result, known or not.
    pub(crate) fn name(result: Option<Self>, naming: Naming) -> &'static str {
        word_of(&Self::NAMES, naming, &result).unwrap_or_default()
    }

    /// The result in which `color` wins.
    pub const fn win(color: Color) -> Self {
        color.select([Self::BlackWins, Self::WhiteWins])
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
    /// Every kind but [`Other`](Self::Other) with its words in the formats and, last, a short English wording.
    #[rustfmt::skip]
    pub(crate) const NAMES: [(Self, &'static str); 17] = {
        use EndKind::*;
        [
            (Resign, "TORYO|投了|Resigns Resign|resign||r|resignation"),
            (Abort, "CHUDAN|中断|Interrupt|abort break||p|broken off"),
            (Impasse, "JISHOGI|持将棋|Jishogi|jishogi draw||j|impasse"),
            (Repetition, "SENNICHITE|千日手|Sennichite|sennichite rep_draw|RepetitionDraw|j|repetition"),
            (TimeUp, "TIME_UP|切れ負け 時間切れ 時間切れ負け|Timeup|time_up timeout||t|out of time|時間切れ"),
            (IllegalMove, "ILLEGAL_MOVE|反則負け||illegal_move illegal||i|illegal move|反則"),
            (IllegalAction(Color::Black), "+ILLEGAL_ACTION|||illegal_action_black||i|illegal action by Black|先手の反則"),
            (IllegalAction(Color::White), "-ILLEGAL_ACTION|||illegal_action_white||i|illegal action by White|後手の反則"),
            (DeclarationWin, "KACHI|入玉勝ち 入玉宣言勝ち 入玉宣言 勝ち宣言 宣言勝ち||declaration_win win|DeclarationWin||win by declaration|入玉宣言勝ち"),
            (DeclarationDraw, "HIKIWAKE|引き分け 引分け 引分||declaration_draw||j|draw by declaration|宣言で引き分け"),
            (Mate, "TSUMI|詰み 詰|Mate|mate|||mate"),
            (NoMate, "FUZUMI|不詰 不詰み||no_mate|||no mate"),
            (MaxMoves, "MAX_MOVES|最大手数||max_moves|MaxMovesDraw|j|move limit reached"),
            // No words of CSA's specification, but ends that other formats have.
            (WinByDefault, "FUSENSHO 不戦勝|不戦勝 不戦勝ち||win_by_default|||win by default"),
            (LoseByDefault, "FUSENPAI 不戦敗|不戦敗||lose_by_default|||loss by default"),
            (TakeBack, "MATTA|待った|||||move taken back"),
            (Error, "ERROR|エラー||error|||error"),
        ]
    };

    /// Every kind but [`Other`](Self::Other).
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().map(|(kind, _)| kind)
    }

    pub(crate) fn named(word: &str, naming: Naming) -> Option<Self> {
        value_of(&Self::NAMES, naming, word).cloned()
    }

    pub(crate) fn name(&self, naming: Naming) -> Option<&'static str> {
        word_of(&Self::NAMES, naming, self)
    }

    /// Its word in KIF; those for fouls depend on the sides and are chosen elsewhere.
    pub(crate) fn in_kif(&self) -> &str {
        match self {
            Self::Other(text) => text,
            kind => kind.name(Naming::Kif).unwrap_or("中断"),
        }
    }

    /// The Japanese word for an end by its English wording; another text stays.
    pub fn in_japanese(wording: &str) -> &str {
        let row = Self::NAMES.iter().find(|(_, row)| row.split('|').nth(6) == Some(wording));
        row.map_or(wording, |(kind, row)| row.split('|').nth(7).unwrap_or(kind.in_kif()))
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
    pub fn result(&self, turn: Color) -> Option<GameResult> {
        match self {
            Self::Resign | Self::TimeUp | Self::IllegalMove | Self::Mate | Self::LoseByDefault => {
                Some(GameResult::win(!turn))
            }
            Self::DeclarationWin | Self::WinByDefault => Some(GameResult::win(turn)),
            Self::IllegalAction(fouled) => Some(GameResult::win(!*fouled)),
            Self::Repetition | Self::Impasse | Self::DeclarationDraw | Self::MaxMoves => Some(GameResult::Draw),
            Self::Abort | Self::NoMate | Self::TakeBack | Self::Error | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for EndKind {
    /// A short English wording, such as `resignation`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(text) => f.write_str(text),
            kind => f.write_str(cell_of(&Self::NAMES, kind, 6)),
        }
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
            EndKind::Impasse => 2,
            EndKind::Repetition => 3,
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
            assert!(!EndKind::in_japanese(&kind.to_string()).is_ascii(), "{kind}");
        }
        for (wording, japanese) in [("out of time", "時間切れ"), ("mate", "詰み"), ("封じ手", "封じ手"), ("", "")]
        {
            assert_eq!(EndKind::in_japanese(wording), japanese);
        }
    }
}

//! Faults in records, with their places.

use std::ops::Deref;

use enbu_movegen::SfenError;
use thiserror::Error;

use crate::charset::Encoding;

/// Number of characters of the offending text that an error keeps.
const QUOTED_CHARS: usize = 80;

/// A fault in a record: its kind, its place and the offending text.
///
/// One type serves for warnings (reading went on as if nothing had
/// happened) and for errors (a game was broken off or could not be read).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}{}", if .text.is_empty() { String::new() } else { format!(": `{}`", .text) })]
pub struct KifuError {
    /// Kind of the fault.
    #[source]
    pub problem: Problem,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column of the first offending character, from 1, counted in characters.
    pub column: usize,
    /// The offending text, at most 80 characters of it, on one line.
    pub text: String,
}

impl KifuError {
    /// A fault at `line` and `column` (both from 1) about `text`, of which the
    /// first 80 characters are kept.
    pub fn new(problem: Problem, line: usize, column: usize, text: &str) -> Self {
        let text = text.chars().take(QUOTED_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { problem, line, column, text }
    }
}

/// The kinds of faults with their messages.
macro_rules! problems {
    ($($(#[$about:meta])* $name:ident $(($kind:ty))? $({ $($member:ident: $type:ty),* })? => $message:literal,)*) => {
        /// The kinds of faults; the comments add what became of the content.
        #[derive(Clone, Debug, PartialEq, Eq, Error)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the messages describe them")]
        pub enum Problem {$(
            $(#[$about])*
            #[error($message)]
            $name $(($kind))? $({ $($member: $type),* })?,
        )*}
    };
}

problems! {
    NoRecord => "no record found",
    /// Bytes that are no text; each became U+FFFD.
    Undecodable(Encoding) => "bytes that are no text in {0}",
    Unencodable { encoding: Encoding, written: &'static str } => "{encoding} has no such character; `{written}` is written for it",
    WrongEncoding { declared: Encoding, used: Encoding } => "the file declares {declared} but is written in {used}",
    /// A second byte order mark, which was skipped.
    SecondBom => "second byte order mark",
    UnknownStatement => "unknown statement",
    UnknownVersion => "unknown version",
    WrongVersion => "not part of this version of the format",
    HeaderSyntax => "header without key and colon",
    /// A header whose value cannot be understood; it was dropped.
    HeaderValue { expected: &'static str } => "header value is not {expected}",
    OutOfPlace(&'static str) => "{0} out of place",
    RankCells => "a rank needs nine squares",
    RankColumns => "columns of the rank do not line up",
    UnknownPiece => "unknown piece name",
    UnknownSquare => "not a square",
    NotAHandPiece => "this piece cannot be in hand",
    PieceNotThere => "this piece does not stand there",
    /// Two pieces were put on one square; the later one stays.
    SquareTaken => "the square is already occupied",
    MoreThanASet => "more pieces of this kind than a set has",
    HandOverflow => "more pieces than a hand can hold",
    /// A piece was placed after all the rest had been given to a hand.
    AfterAllPieces => "pieces placed after the rest of the set was given away",
    NothingLeft => "no pieces are left to give",
    NoBoard => "no start position",
    NoTurn => "no side to move",
    MoveSyntax => "not a move",
    WrongTurn => "the other side is to move",
    EmptyOrigin => "no piece on the origin",
    OpponentsPiece => "the piece on the origin is the opponent's",
    OtherPiece => "the piece on the origin is another one",
    NoPromotion => "no promotion is possible here",
    NoMovement => "the piece does not move",
    NotInHand => "the piece is not in hand",
    DestinationTaken => "the destination is occupied",
    /// A foul: a move that can be made on a board, but that the rules forbid.
    IllegalMove => "illegal move",
    /// Moves or results after the end of the game; they were skipped.
    AfterEnd => "after the end of the game",
    StrayTime => "time that belongs to no move",
    /// A time that is not a number of seconds; it was dropped or cut to what can be held.
    TimeValue => "not a time in seconds",
    /// A word for the end of the game that the format does not know; it was kept.
    UnknownEnd => "unknown end of game",
    UnknownHandicap => "unknown handicap, and no board",
    BoardRanks => "a board needs nine ranks",
    HandSyntax => "not a list of pieces in hand",
    NoLastMove => "no move before it, whose destination it could share",
    NoSuchMove => "no such piece can move there",
    Ambiguous(String) => "ambiguous move: the piece could come from {0}",
    WordMismatch => "the word does not fit the move",
    MoveNumber => "unexpected move number",
    NoBranchPoint => "no line has a move at which this variation could begin",
    ResultMismatch => "the result does not agree with the moves",
    Json(String) => "{0}",
    TooDeep(usize) => "nested more than {0} levels deep",
    Sfen(SfenError) => "{0}",
    OtherVariant => "not a game of shogi",
    Unclosed(&'static str) => "{0} without end",
    OtherFormat(&'static str) => "the file is of the format {0}",
    /// A principal variation with a move that cannot be played; it was cut there.
    BrokenPv => "variation of a comment cannot be played",
}

/// A bounded list of faults: the first [`Problems::LIMIT`] of them, and how many more there were.
///
/// Bounded, because a hostile file can hold a fault every other byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    list: Vec<KifuError>,
    dropped: usize,
}

impl Problems {
    /// Limit of the faults that are kept.
    pub const LIMIT: usize = 1000;

    /// Adds a fault, or only counts it when the list is full.
    pub fn push(&mut self, fault: KifuError) {
        if self.list.len() < Self::LIMIT {
            self.list.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds the faults of the next part of the file.
    pub(crate) fn append(&mut self, next: Self) {
        next.list.into_iter().for_each(|fault| self.push(fault));
        self.dropped += next.dropped;
    }

    /// Number of faults, kept or not.
    pub fn count(&self) -> usize {
        self.list.len() + self.dropped
    }
}

/// The faults that were kept, in the order they were found.
impl Deref for Problems {
    type Target = [KifuError];

    fn deref(&self) -> &[KifuError] {
        &self.list
    }
}

/// A reader's treatment of deviations from its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Skip unknown text with a warning, and keep every move before a damage.
    #[default]
    Tolerant,
    /// The first deviation is an error.
    Strict,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_up_to_eighty_characters_on_one_line() {
        let fault = KifuError::new(Problem::UnknownStatement, 3, 7, &format!("あ\n{}", "x".repeat(100_000)));
        assert_eq!(fault.text.chars().count(), 80);
        assert!(fault.to_string().starts_with("line 3, column 7: unknown statement: `あ xx"));
        assert_eq!(KifuError::new(Problem::NoRecord, 1, 1, "").to_string(), "line 1, column 1: no record found");
    }

    #[test]
    fn a_list_of_faults_is_bounded() {
        let mut problems = Problems::default();
        for line in 1..=Problems::LIMIT + 5 {
            problems.push(KifuError::new(Problem::MoveSyntax, line, 1, ""));
        }
        assert_eq!(problems.iter().count(), Problems::LIMIT);
        assert_eq!(problems.count(), Problems::LIMIT + 5);
        assert_eq!(problems.first().map(|fault| fault.line), Some(1));
    }
}

//! Faults in records, with their places.

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

/// The kinds of faults; the comments add what became of the content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum Problem {
    #[error("no record found")]
    NoRecord,
    /// Bytes that are no text; each became U+FFFD.
    #[error("bytes that are no text in {0}")]
    Undecodable(Encoding),
    #[error("{encoding} has no such character; `{written}` is written for it")]
    Unencodable { encoding: Encoding, written: &'static str },
    #[error("the file declares {declared} but is written in {used}")]
    WrongEncoding { declared: Encoding, used: Encoding },
    /// A second byte order mark, which was skipped.
    #[error("second byte order mark")]
    SecondBom,
    #[error("unknown statement")]
    UnknownStatement,
    #[error("unknown version")]
    UnknownVersion,
    #[error("not part of this version of the format")]
    WrongVersion,
    #[error("header without key and colon")]
    HeaderSyntax,
    /// A header whose value cannot be understood; it was dropped.
    #[error("header value is not {expected}")]
    HeaderValue { expected: &'static str },
    #[error("{0} out of place")]
    OutOfPlace(&'static str),
    #[error("a rank needs nine squares")]
    RankCells,
    #[error("columns of the rank do not line up")]
    RankColumns,
    #[error("unknown piece name")]
    UnknownPiece,
    #[error("not a square")]
    UnknownSquare,
    #[error("this piece cannot be in hand")]
    NotAHandPiece,
    #[error("this piece does not stand there")]
    PieceNotThere,
    /// Two pieces were put on one square; the later one stays.
    #[error("the square is already occupied")]
    SquareTaken,
    #[error("more pieces of this kind than a set has")]
    MoreThanASet,
    #[error("more pieces than a hand can hold")]
    HandOverflow,
    /// A piece was placed after all the rest had been given to a hand.
    #[error("pieces placed after the rest of the set was given away")]
    AfterAllPieces,
    #[error("no pieces are left to give")]
    NothingLeft,
    #[error("no start position")]
    NoBoard,
    #[error("no side to move")]
    NoTurn,
    #[error("not a move")]
    MoveSyntax,
    #[error("the other side is to move")]
    WrongTurn,
    #[error("no piece on the origin")]
    EmptyOrigin,
    #[error("the piece on the origin is the opponent's")]
    OpponentsPiece,
    #[error("the piece on the origin is another one")]
    OtherPiece,
    #[error("no promotion is possible here")]
    NoPromotion,
    #[error("the piece does not move")]
    NoMovement,
    #[error("the piece is not in hand")]
    NotInHand,
    #[error("the destination is occupied")]
    DestinationTaken,
    /// A foul: a move that can be made on a board, but that the rules forbid.
    #[error("illegal move")]
    IllegalMove,
    /// Moves or results after the end of the game; they were skipped.
    #[error("after the end of the game")]
    AfterEnd,
    #[error("time that belongs to no move")]
    StrayTime,
    /// A time that is not a number of seconds; it was dropped or cut to what can be held.
    #[error("not a time in seconds")]
    TimeValue,
    /// A word for the end of the game that the format does not know; it was kept.
    #[error("unknown end of game")]
    UnknownEnd,
    #[error("unknown handicap, and no board")]
    UnknownHandicap,
    #[error("a board needs nine ranks")]
    BoardRanks,
    #[error("not a list of pieces in hand")]
    HandSyntax,
    #[error("no move before it, whose destination it could share")]
    NoLastMove,
    #[error("no such piece can move there")]
    NoSuchMove,
    #[error("ambiguous move: the piece could come from {0}")]
    Ambiguous(String),
    #[error("the word does not fit the move")]
    WordMismatch,
    #[error("unexpected move number")]
    MoveNumber,
    #[error("no line has a move at which this variation could begin")]
    NoBranchPoint,
    #[error("the result does not agree with the moves")]
    ResultMismatch,
    #[error("{0}")]
    Json(String),
    #[error("nested more than {0} levels deep")]
    TooDeep(usize),
    #[error("{0}")]
    Sfen(SfenError),
    #[error("not a game of shogi")]
    OtherVariant,
    #[error("{0} without end")]
    Unclosed(&'static str),
    #[error("the file is of the format {0}")]
    OtherFormat(&'static str),
    /// A principal variation with a move that cannot be played; it was cut there.
    #[error("variation of a comment cannot be played")]
    BrokenPv,
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

    /// The faults that were kept, in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, KifuError> {
        self.list.iter()
    }

    /// The first fault, if there is any.
    pub fn first(&self) -> Option<&KifuError> {
        self.list.first()
    }

    /// Number of faults, kept or not.
    pub fn count(&self) -> usize {
        self.list.len() + self.dropped
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a KifuError;
    type IntoIter = std::slice::Iter<'a, KifuError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
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

//! Faults in records, with their places.

use std::fmt;

use enbu_movegen::SfenError;
use thiserror::Error;

use crate::charset::Encoding;

/// Number of characters of the offending text that an error keeps.
const QUOTED_CHARS: usize = 80;

/// A fault in a record: its kind, its place and the offending text.
///
/// One type serves for warnings (reading went on as if nothing had
/// happened) and for errors (a game was broken off or could not be read).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KifuError {
    /// Kind of the fault.
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

    /// This fault for a part of a file that begins after `lines` lines.
    pub(crate) fn behind(self, lines: usize) -> Self {
        Self { line: lines + self.line, ..self }
    }
}

impl fmt::Display for KifuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)?;
        if !self.text.is_empty() {
            write!(f, ": `{}`", self.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for KifuError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing in the file is a game or a position.
    #[error("no record found")]
    NoRecord,
    /// Bytes that are no text; each became U+FFFD.
    #[error("bytes that are no text in {0}")]
    Undecodable(Encoding),
    /// A character that the output encoding lacks.
    #[error("{encoding} has no such character; `{written}` is written for it")]
    Unencodable {
        /// The output encoding.
        encoding: Encoding,
        /// The replacement.
        written: &'static str,
    },
    /// The file names one encoding and is written in another.
    #[error("the file declares {declared} but is written in {used}")]
    WrongEncoding {
        /// The declared encoding.
        declared: Encoding,
        /// The encoding of its bytes.
        used: Encoding,
    },
    /// A second byte order mark, which was skipped.
    #[error("second byte order mark")]
    SecondBom,
    /// A line that means nothing in this format.
    #[error("unknown statement")]
    UnknownStatement,
    /// A version number that this reader does not know.
    #[error("unknown version")]
    UnknownVersion,
    /// Something that belongs to other versions of the format than the file's.
    #[error("not part of this version of the format")]
    WrongVersion,
    /// A header without a key or without the colon after it.
    #[error("header without key and colon")]
    HeaderSyntax,
    /// A header whose value cannot be understood; it was dropped.
    #[error("header value is not {expected}")]
    HeaderValue {
        /// Description of a valid value.
        expected: &'static str,
    },
    /// A statement where the format has no place for it.
    #[error("{0} out of place")]
    OutOfPlace(&'static str),
    /// A rank of the board that is not nine squares.
    #[error("a rank needs nine squares")]
    RankCells,
    /// A rank whose blanks were squeezed, so that its columns do not line up.
    #[error("columns of the rank do not line up")]
    RankColumns,
    /// No such piece.
    #[error("unknown piece name")]
    UnknownPiece,
    /// No such square.
    #[error("not a square")]
    UnknownSquare,
    /// A piece that cannot be held in hand.
    #[error("this piece cannot be in hand")]
    NotAHandPiece,
    /// A piece was to be removed from a square where it is not.
    #[error("this piece does not stand there")]
    PieceNotThere,
    /// Two pieces were put on one square; the later one stays.
    #[error("the square is already occupied")]
    SquareTaken,
    /// More pieces of a kind than a set has.
    #[error("more pieces of this kind than a set has")]
    MoreThanASet,
    /// More pieces of a kind than a hand can hold.
    #[error("more pieces than a hand can hold")]
    HandOverflow,
    /// A piece was placed after all the rest had been given to a hand.
    #[error("pieces placed after the rest of the set was given away")]
    AfterAllPieces,
    /// The rest of the set was asked for, and nothing is left.
    #[error("no pieces are left to give")]
    NothingLeft,
    /// The game has no start position.
    #[error("no start position")]
    NoBoard,
    /// The start position does not say who is to move.
    #[error("no side to move")]
    NoTurn,
    /// Text that is not a move.
    #[error("not a move")]
    MoveSyntax,
    /// A move of the side that is not to move.
    #[error("the other side is to move")]
    WrongTurn,
    /// A move from an empty square.
    #[error("no piece on the origin")]
    EmptyOrigin,
    /// A move of an opponent's piece.
    #[error("the piece on the origin is the opponent's")]
    OpponentsPiece,
    /// The piece named is neither the one on the origin nor its promotion.
    #[error("the piece on the origin is another one")]
    OtherPiece,
    /// A promotion of a piece that cannot promote, or outside the zone.
    #[error("no promotion is possible here")]
    NoPromotion,
    /// Origin and destination are one square.
    #[error("the piece does not move")]
    NoMovement,
    /// A drop of a piece that is not in hand.
    #[error("the piece is not in hand")]
    NotInHand,
    /// A move or drop onto a piece that cannot be taken.
    #[error("the destination is occupied")]
    DestinationTaken,
    /// A foul: a move that can be made on a board, but that the rules forbid.
    #[error("illegal move")]
    IllegalMove,
    /// Moves or results after the end of the game; they were skipped.
    #[error("after the end of the game")]
    AfterEnd,
    /// A time that belongs to no move, or a second one for the same move.
    #[error("time that belongs to no move")]
    StrayTime,
    /// A time that is not a number of seconds; it was dropped or cut to what can be held.
    #[error("not a time in seconds")]
    TimeValue,
    /// A word for the end of the game that the format does not know; it was kept.
    #[error("unknown end of game")]
    UnknownEnd,
    /// A handicap that no list names, and no board that would show it.
    #[error("unknown handicap, and no board")]
    UnknownHandicap,
    /// A board that is not nine ranks.
    #[error("a board needs nine ranks")]
    BoardRanks,
    /// A piece in hand without a count that can be understood, or the other way.
    #[error("not a list of pieces in hand")]
    HandSyntax,
    /// `同` (to the square of the last move) where there is no last move.
    #[error("no move before it, whose destination it could share")]
    NoLastMove,
    /// No piece of this kind can move to the destination.
    #[error("no such piece can move there")]
    NoSuchMove,
    /// Several pieces could have made this move.
    #[error("ambiguous move: the piece could come from {0}")]
    Ambiguous(String),
    /// A word that says how a piece moves, and does not fit.
    #[error("the word does not fit the move")]
    WordMismatch,
    /// A move number that does not follow the one before.
    #[error("unexpected move number")]
    MoveNumber,
    /// A variation that begins where no line has a move.
    #[error("no line has a move at which this variation could begin")]
    NoBranchPoint,
    /// The result line counts other moves than the record holds, or names another winner.
    #[error("the result does not agree with the moves")]
    ResultMismatch,
    /// Text that is no JSON, or JSON that is no record.
    #[error("{0}")]
    Json(String),
    /// Nested too deeply.
    #[error("nested more than {0} levels deep")]
    TooDeep(usize),
    /// A diagram that is no SFEN or FEN.
    #[error("{0}")]
    Sfen(SfenError),
    /// A game of another variant of chess or shogi.
    #[error("not a game of shogi")]
    OtherVariant,
    /// A tag, comment or variation that is not closed.
    #[error("{0} without end")]
    Unclosed(&'static str),
    /// The file is of another format than it was said to be.
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

    /// Adds the faults of a part of the file that begins after `lines` lines.
    fn append(&mut self, part: Self, lines: usize) {
        for fault in part.list {
            self.push(fault.behind(lines));
        }
        self.dropped += part.dropped;
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

/// Collects the faults of one reading, by the rules of its [`Mode`].
#[derive(Debug)]
pub(crate) struct Reporter {
    mode: Mode,
    pub(crate) warnings: Problems,
    pub(crate) errors: Problems,
}

impl Reporter {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode, warnings: Problems::default(), errors: Problems::default() }
    }

    /// Adds the notes on a part of the file that begins after `lines` lines.
    pub(crate) fn append(&mut self, part: Self, lines: usize) {
        self.warnings.append(part.warnings, lines);
        self.errors.append(part.errors, lines);
    }

    /// Notes a deviation that is an error only in strict mode.
    pub(crate) fn strictly(&self, fault: KifuError) -> Result<(), KifuError> {
        match self.mode {
            Mode::Strict => Err(fault),
            Mode::Tolerant => Ok(()),
        }
    }

    /// Records a harmless deviation; in strict mode it is an error.
    pub(crate) fn warn(&mut self, fault: KifuError) -> Result<(), KifuError> {
        match self.mode {
            Mode::Strict => Err(fault),
            Mode::Tolerant => {
                self.warnings.push(fault);
                Ok(())
            }
        }
    }

    /// Notes a damage that cost (part of) a game; ends the reading in strict mode.
    pub(crate) fn error(&mut self, fault: KifuError) -> Result<(), KifuError> {
        match self.mode {
            Mode::Strict => Err(fault),
            Mode::Tolerant => {
                self.errors.push(fault);
                Ok(())
            }
        }
    }
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

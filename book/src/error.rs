//! Faults of books and their places.

use std::fmt;
use std::io;

use enbu_movegen::{IllegalMove, Move, PositionError, SfenError, UnpackError};

/// A fault in a book and its place.
#[derive(Debug, thiserror::Error)]
#[error("{place}{fault}")]
pub struct BookError {
    /// The place of the fault.
    pub place: Place,
    /// The fault.
    #[source]
    pub fault: Fault,
}

/// The place of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Offset(u64),
}

/// The faults of books.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum Fault {
    /// The file could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("not a book: neither .db nor .ybb, book.bin of Apery or .sbk")]
    UnknownFormat,
    #[error("the header is not `#YANEURAOU-DB2016 1.00` but `{0}`")]
    Header(String),
    #[error("a line of more than {0} bytes")]
    LongLine(u64),
    #[error("more than {0} bytes for one position")]
    LongPosition(u64),
    #[error("{0} moves for one position")]
    ManyMoves(usize),
    /// A position is not an SFEN.
    #[error("{0}")]
    Sfen(#[from] SfenError),
    #[error("not a move: `{0}`")]
    Move(String),
    #[error("not {0}: `{1}`")]
    Number(&'static str, String),
    #[error("the file ends before the data does")]
    Truncated,
    #[error("the last record has only {0} bytes")]
    PartialRecord(u64),
    #[error("unknown flags {0:#x}")]
    Flags(u64),
    /// A packed position is invalid.
    #[error("{0}")]
    Unpack(#[from] UnpackError),
    /// A position that no game can have.
    #[error("{0}")]
    Position(#[from] PositionError),
    #[error("not a move: {0:#06x}")]
    MoveBits(u32),
    /// A move is illegal in its position.
    #[error("{0}")]
    Illegal(#[from] IllegalMove),
    #[error("damaged data of protobuf: {0}")]
    Protobuf(&'static str),
    #[error("state {0} and {1} more are not connected with any position")]
    Unconnected(i32, u64),
    #[error("the move {0} leads to state {1}, which does not exist")]
    NoState(Move, i32),
    #[error("a move before the first position")]
    NoPosition,
    #[error("the positions are not sorted: `{0}` comes too late")]
    Unsorted(String),
    #[error("the book is not sorted and cannot be searched on disk; `enbu book sort` sorts it: {0}")]
    NotSearchable(Box<BookError>),
}

impl BookError {
    pub(crate) fn file(fault: impl Into<Fault>) -> Self {
        Self { place: Place::File, fault: fault.into() }
    }

    pub(crate) fn line(line: u64, fault: impl Into<Fault>) -> Self {
        Self { place: Place::Line(line), fault: fault.into() }
    }

    pub(crate) fn offset(offset: u64, fault: impl Into<Fault>) -> Self {
        Self { place: Place::Offset(offset), fault: fault.into() }
    }
}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> Self {
        Self::file(error)
    }
}

impl fmt::Display for Place {
    /// The place with a colon and a blank after it; nothing for the whole file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Offset(offset) => write!(f, "offset {offset}: "),
        }
    }
}

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

//! Faults of books and their places.

use std::fmt;
use std::io;

use enbu_files::reason;
use enbu_language::{Words, text};
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
    #[error("{}", reason(.0))]
    Io(#[from] io::Error),
    #[error("{}", text!("the file is empty", "ファイルが空です"))]
    Empty,
    #[error("{}", text!("not a book: neither .db nor .ybb, book.bin of Apery or .sbk", "定跡ではありません（対応形式：.db、.ybb、Apery の book.bin、.sbk）"))]
    UnknownFormat,
    #[error("{}", text!("the header is not `#YANEURAOU-DB2016 1.00` but `{0}`", "ヘッダーが `#YANEURAOU-DB2016 1.00` ではなく `{0}` です", .0))]
    Header(String),
    #[error("{}", text!("a line of more than {0} bytes", "{0} バイトを超える行です", .0))]
    LongLine(u64),
    #[error("{}", text!("more than {0} bytes for one position", "1 局面が {0} バイトを超えています", .0))]
    LongPosition(u64),
    #[error("{}", text!("{0} moves for one position", "1 局面に指し手が {0} 手あります", .0))]
    ManyMoves(usize),
    /// A position is not an SFEN.
    #[error("{0}")]
    Sfen(#[from] SfenError),
    #[error("{}", text!("not a move: `{0}`", "指し手として読めません：`{0}`", .0))]
    Move(String),
    #[error("{}", text!("not {0}: `{1}`", "{0}として読めません：`{1}`", .0, .1))]
    Number(Words, String),
    #[error("{}", text!("the file ends before the data does", "データの途中でファイルが終わっています"))]
    Truncated,
    #[error("{}", text!("the last record has only {0} bytes", "最後のレコードが {0} バイトしかありません", .0))]
    PartialRecord(u64),
    #[error("{}", text!("unknown flags {0:#x}", "未知のフラグ {0:#x} です", .0))]
    Flags(u64),
    /// A packed position is invalid.
    #[error("{0}")]
    Unpack(#[from] UnpackError),
    /// A position that no game can have.
    #[error("{0}")]
    Position(#[from] PositionError),
    #[error("{}", text!("not a move: {0:#06x}", "指し手ではありません：{0:#06x}", .0))]
    MoveBits(u32),
    /// A move is illegal in its position.
    #[error("{0}")]
    Illegal(#[from] IllegalMove),
    #[error("{}", text!("damaged data of protobuf: {0}", "protobuf のデータが壊れています：{0}", .0))]
    Protobuf(Words),
    #[error("{}", text!("state {0} and {1} more are not connected with any position", "状態 {0} ほか {1} 件がどの局面にもつながっていません", .0, .1))]
    Unconnected(i32, u64),
    #[error("{}", text!("the move {0} leads to state {1}, which does not exist", "指し手 {0} の先の状態 {1} がありません", .0, .1))]
    NoState(Move, i32),
    #[error("{}", text!("a move before the first position", "最初の局面より前に指し手があります"))]
    NoPosition,
    #[error("{}", text!("the positions are not sorted: `{0}` comes too late", "局面が並べ替えられていません：`{0}` の順番が違います", .0))]
    Unsorted(String),
    #[error("{}", text!(
        "the book is not sorted and cannot be searched on disk; `enbu book sort` sorts it: {0}",
        "定跡が並べ替えられていないため、ディスク上で検索できません（`enbu book sort` で並べ替えます）：{0}",
        .0
    ))]
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
            Self::Line(line) => text!("line {line}: ", "{line} 行目：").fmt(f),
            Self::Offset(offset) => text!("offset {offset}: ", "オフセット {offset}：").fmt(f),
        }
    }
}

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

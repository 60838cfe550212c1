//! Faults of books and their places.

use std::fmt;
use std::io;

use enbu_files::reason;
use enbu_language::{Words, messages, text};
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

messages! {
/// The faults of books.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum Fault {
    /// The file could not be read or written.
    Io(#[from] error: io::Error) => "{}", "{}", reason(error);
    Empty => "the file is empty", "ファイルが空です";
    UnknownFormat =>
        "not a book: neither .db nor .ybb, book.bin of Apery or .sbk", "定跡ではありません（対応形式：.db、.ybb、Apery の book.bin、.sbk）";
    Header(line: String) =>
        "the header is not `#YANEURAOU-DB2016 1.00` but `{line}`", "ヘッダーが `#YANEURAOU-DB2016 1.00` ではなく `{line}` です";
    LongLine(most: u64) => "a line of more than {most} bytes", "{most} バイトを超える行です";
    LongPosition(most: u64) => "more than {most} bytes for one position", "1 局面が {most} バイトを超えています";
    ManyMoves(count: usize) => "{count} moves for one position", "1 局面に指し手が {count} 手あります";
    /// A position is not an SFEN.
    Sfen(#[from] error: SfenError) => "{error}", "{error}";
    Move(text: String) => "not a move: `{text}`", "指し手として読めません：`{text}`";
    Number(field: Words, text: String) => "not {field}: `{text}`", "{field}として読めません：`{text}`";
    Truncated => "the file ends before the data does", "データの途中でファイルが終わっています";
    PartialRecord(bytes: u64) => "the last record has only {bytes} bytes", "最後のレコードが {bytes} バイトしかありません";
    Flags(flags: u64) => "unknown flags {flags:#x}", "未知のフラグ {flags:#x} です";
    /// A packed position is invalid.
    Unpack(#[from] error: UnpackError) => "{error}", "{error}";
    /// A position that no game can have.
    Position(#[from] error: PositionError) => "{error}", "{error}";
    MoveBits(bits: u32) => "not a move: {bits:#06x}", "指し手ではありません：{bits:#06x}";
    /// A move is illegal in its position.
    Illegal(#[from] error: IllegalMove) => "{error}", "{error}";
    Protobuf(problem: Words) => "damaged data of protobuf: {problem}", "protobuf のデータが壊れています：{problem}";
    Unconnected(state: i32, more: u64) =>
        "state {state} and {more} more are not connected with any position", "状態 {state} ほか {more} 件がどの局面にもつながっていません";
    NoState(mv: Move, state: i32) =>
        "the move {mv} leads to state {state}, which does not exist", "指し手 {mv} の先の状態 {state} がありません";
    NoPosition => "a move before the first position", "最初の局面より前に指し手があります";
    Unsorted(key: String) =>
        "the positions are not sorted: `{key}` comes too late", "局面が並べ替えられていません：`{key}` の順番が違います";
    NotSearchable(error: Box<BookError>) =>
        "the book is not sorted and cannot be searched on disk; `enbu book sort` sorts it: {error}",
        "定跡が並べ替えられていないため、ディスク上で検索できません（`enbu book sort` で並べ替えます）：{error}";
}}

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

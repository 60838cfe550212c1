//! The faults of files of games, positions and trainings.

use std::io;
use std::path::{Path, PathBuf};

use enbu_eval::nnue::NetworkError;
use enbu_movegen::{IllegalMove, PackError, PositionError, UnpackError};

/// The fault of a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub kind: FileErrorKind,
}

impl FileError {
    /// Names the file of a fault.
    pub(crate) fn of<K: Into<FileErrorKind>>(path: &Path) -> impl Fn(K) -> Self {
        move |kind| Self { path: path.to_owned(), kind: kind.into() }
    }
}

/// The kinds of faults of a file. Numbers of games and records count from 1.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum FileErrorKind {
    #[error("the file name must end in {0}")]
    Format(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Games(#[from] GameFileError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("game {game}: {error}")]
    Replay { game: u64, error: ReplayError },
    #[error("record {record}: {error}")]
    Record { record: u64, error: RecordError },
    #[error("the file length is not a multiple of {0} bytes")]
    Length(usize),
    #[error("a position does not fit the format: {0}")]
    Position(#[from] PackError),
    #[error("a game does not fit the format: {0}")]
    Game(#[from] ReplayError),
    #[error("made with `{found}`, not with `{wanted}`; choose another folder")]
    Settings { found: String, wanted: String },
}

/// The fault of the bytes of a file of games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum GameFileError {
    #[error("not a file of games: it does not begin with ENBUGAME")]
    Magic,
    #[error("the file has version {0}; only versions 1 to 3 are known")]
    Version(u32),
    #[error("the file ends too early: {part} at offset {offset} is incomplete")]
    Short { part: &'static str, offset: usize },
    #[error("the file has {0} bytes too many")]
    Long(usize),
    #[error("the file is damaged: its checksum is {found:016x}, not {expected:016x}")]
    Checksum { expected: u64, found: u64 },
    #[error("the file has {found} games, its header names {expected}")]
    Games { expected: u64, found: u64 },
    #[error("the settings are not UTF-8")]
    Settings,
    #[error("game {game}: {part} at offset {offset} has the unknown value {value}")]
    Field { game: u64, part: &'static str, offset: usize, value: u16 },
    #[error("game {game}: start position: {error}")]
    Start { game: u64, error: UnpackError },
    #[error("game {game}: the start position cannot be played: {error}")]
    Unplayable { game: usize, error: PositionError },
    #[error("game {game}: move {number} is not one of the legal moves")]
    Illegal { game: usize, number: usize },
    /// Not DEFLATE, or not as long as the games need it.
    #[error("column {column} of the block with game {game} is damaged")]
    Column { game: usize, column: usize },
    #[error("game {0} has more than 255 opening moves, 65535 moves, or a start position that cannot be packed")]
    TooLong(usize),
}

/// The reason why a game cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum ReplayError {
    #[error("the start position cannot be played: {0}")]
    Start(PositionError),
    /// Moves count from 1.
    #[error("move {number}: {error}")]
    Move { number: usize, error: IllegalMove },
}

/// The reason why bytes are not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum RecordError {
    #[error("the position: {0}")]
    Position(#[from] UnpackError),
    #[error(transparent)]
    Unplayable(#[from] PositionError),
    #[error("the move {0:#06x} is invalid")]
    Move(u16),
    #[error("the result {0} is invalid")]
    Result(i8),
}

/// The fault of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum CheckpointError {
    #[error("not a checkpoint of a known version")]
    Magic,
    #[error("the checkpoint is damaged")]
    Damaged,
    #[error("the checkpoint belongs to another training: `{found}`, not `{wanted}`")]
    Plan { found: String, wanted: String },
    #[error("the file holds another network: {found}, not {wanted}")]
    Shape { found: String, wanted: String },
}

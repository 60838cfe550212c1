//! Kinds of input, with the largest file of each, and the reasons for refusing a file.

use std::fmt::{self, Display};
use std::fs::Metadata;
use std::io;

use enbu_language::{Language, Words, messages};
use thiserror::Error;

/// The use of a file that is read; it decides about the largest size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Options, engine lists, configurations, passwords: 1 MiB.
    Settings,
    /// Games and positions of any format, read whole: 256 MiB.
    Record,
    /// A network of the evaluation: 1 GiB.
    Network,
    /// Results of matches, states of tunings, logs of growing books: 1 GiB, 16 MiB a line.
    Results,
    /// A book without lines, read whole: 1 GiB.
    BinaryBook,
    /// Games for training, read whole: 4 GiB.
    Games,
    /// A checkpoint of a training: 16 GiB.
    Checkpoint,
    /// A book of lines, read whole: 64 GiB, 16 MiB a line.
    Book,
    /// Anything that is read piece by piece: 16 TiB.
    Stream,
}

impl FileKind {
    /// Largest file in bytes.
    pub const fn most_bytes(self) -> u64 {
        match self {
            Self::Settings => 1 << 20,
            Self::Record => 256 << 20,
            Self::Network | Self::Results | Self::BinaryBook => 1 << 30,
            Self::Games => 4 << 30,
            Self::Checkpoint => 16 << 30,
            Self::Book => 64 << 30,
            Self::Stream => 16 << 40,
        }
    }

    /// Longest line in bytes, about: it stops reading where a file only claims to be text.
    pub(crate) const fn most_line_bytes(self) -> u64 {
        match self {
            Self::Results | Self::Book => 16 << 20,
            _ => u64::MAX,
        }
    }
}

messages! {
/// The reason why a file is not opened or not replaced. Lengths and offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum Refusal {
    /// Neither a regular file nor a link to one.
    Irregular(kind: Words) => "{kind}, not a regular file", "{kind}は読み書きできません";
    /// A named pipe where a file is read, which might wait for ever.
    Pipe =>
        "a pipe, not a regular file; where standard input is read, pass the data there and name it -",
        "パイプは読めません。標準入力を読むコマンドなら、データをそこへ渡して名前を - としてください";
    /// A named pipe to write to that has no reader.
    NoReader => "no process reads from the pipe", "パイプの読み手がいません";
    /// A file over the limit of its kind; of an endless input the bytes seen.
    Long { bytes: u64, most: u64 } =>
        "too large: {bytes} bytes, at most {most} are read", "大きすぎます：{bytes} バイト（上限 {most}）";
    /// A line over the limit of its kind.
    LongLine { offset: u64, most: u64 } =>
        "no end of line within {most} bytes after byte {offset}", "{offset} バイト目から {most} バイトの間に改行がありません";
    /// A file that may not be replaced.
    Exists => "exists", "すでにあります";
}}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::Exists => io::ErrorKind::AlreadyExists,
            Refusal::Long { .. } => io::ErrorKind::FileTooLarge,
            _ => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, refusal)
    }
}

/// The reason for an error of the system in the language of the process.
pub fn reason(error: &io::Error) -> impl Display + '_ {
    const REASONS: [(io::ErrorKind, &str); 12] = [
        (io::ErrorKind::NotFound, "ファイルやフォルダがありません"),
        (io::ErrorKind::PermissionDenied, "アクセスする権限がありません"),
        (io::ErrorKind::AlreadyExists, "すでにあります"),
        (io::ErrorKind::IsADirectory, "フォルダです"),
        (io::ErrorKind::NotADirectory, "途中の名前がフォルダではありません"),
        (io::ErrorKind::StorageFull, "ディスクの空きがありません"),
        (io::ErrorKind::ReadOnlyFilesystem, "書き込みが禁止されたディスクです"),
        (io::ErrorKind::UnexpectedEof, "ファイルが途中で終わっています"),
        (io::ErrorKind::ConnectionRefused, "接続を拒否されました"),
        (io::ErrorKind::ConnectionReset, "相手側が接続を切りました"),
        (io::ErrorKind::NetworkUnreachable, "ネットワークにつながっていません"),
        (io::ErrorKind::TimedOut, "時間内に応答がありません"),
    ];
    let known = REASONS.iter().find(|(kind, _)| *kind == error.kind());
    fmt::from_fn(move |f| match (Language::current(), known, error.raw_os_error()) {
        (Language::Japanese, Some((_, text)), _) if error.get_ref().is_none() => f.write_str(text),
        (Language::Japanese, None, Some(code)) => write!(f, "システムのエラー（コード {code}）"),
        _ => error.fmt(f),
    })
}

/// Fails unless the file is a regular one.
pub(crate) fn check_regular(found: &Metadata) -> Result<(), Refusal> {
    irregular(found).map_or(Ok(()), Err)
}

/// A terminal, `/dev/null`.
pub(crate) const DEVICE: Refusal = Refusal::Irregular(Words("a device", "デバイス"));

/// Returns the reason for not reading a file; `None` for a regular one.
pub(crate) fn irregular(found: &Metadata) -> Option<Refusal> {
    if found.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        if kind.is_fifo() {
            return Some(Refusal::Pipe);
        } else if kind.is_socket() {
            return Some(Refusal::Irregular(Words("a socket", "ソケット")));
        } else if kind.is_block_device() {
            return Some(Refusal::Irregular(Words("a disk", "ディスク")));
        }
    }
    Some(if found.is_dir() { Refusal::Irregular(Words("a folder", "フォルダ")) } else { DEVICE })
}

//! The formats and their detection.

use std::fmt;
use std::str::FromStr;

use enbu_language::{pick, text};

/// The formats of books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// YaneuraOu's text, `.db`.
    Db,
    /// YaneuraOu's binary file, `.ybb`.
    Ybb,
    /// Apery's `book.bin`.
    Apery,
    /// ShogiGUI's `.sbk`.
    Sbk,
}

/// Error: not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!("not a format of books: `{0}` (db, ybb, apery or sbk)", "`{0}` という定跡の形式はありません（db、ybb、apery、sbk）", .0))]
pub struct UnknownFormat(String);

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Db, Self::Ybb, Self::Apery, Self::Sbk];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The format of files with this extension; `bin` is Apery's.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "db" => Some(Self::Db),
            "ybb" => Some(Self::Ybb),
            "bin" => Some(Self::Apery),
            "sbk" => Some(Self::Sbk),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Db => ".db",
            Self::Ybb => ".ybb",
            Self::Apery => pick("book.bin of Apery", "Apery の book.bin"),
            Self::Sbk => ".sbk",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

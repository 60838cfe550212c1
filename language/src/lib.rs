//! Text for people in English and Japanese, both written in one place.
//!
//! ```
//! use enbu_language::{Language, choose, text};
//!
//! let games = 3;
//! let message = text!("{games} games", "{games}局");
//! assert_eq!(message.to_string(), "3 games");
//! choose(Some(Language::Japanese));
//! assert_eq!(message.to_string(), "3局");
//! ```
//!
//! The errors of libraries hold both texts in the attribute of `thiserror`; fields without a name
//! are arguments:
//!
//! ```
//! use enbu_language::text;
//!
//! #[derive(Debug, thiserror::Error)]
//! enum BookError {
//!     #[error("{}", text!("the file is empty", "ファイルが空です"))]
//!     Empty,
//!     #[error("{}", text!("line {line} is too long", "{line} 行目が長すぎます"))]
//!     LongLine { line: u64 },
//!     #[error("{}", text!("not a move: `{0}`", "指し手ではありません：`{0}`", .0))]
//!     Move(String),
//! }
//! assert_eq!(BookError::Move("7g".into()).to_string(), "not a move: `7g`");
//! ```
//!
//! `tests/tests/messages.rs` fails for an error of a crate that players meet without its twin, and
//! for twins with different values.
//!
//! The language is one of the whole process. Where none is chosen, the process speaks the USI
//! protocol with a program: in English, and in ASCII alone.

#![forbid(unsafe_code)]

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicU8, Ordering};

/// The language of the process, as its discriminant; [`UNCHOSEN`] for none.
static CURRENT: AtomicU8 = AtomicU8::new(UNCHOSEN);

/// No language was chosen.
const UNCHOSEN: u8 = u8::MAX;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// The language of the process.
    pub fn current() -> Self {
        if CURRENT.load(Ordering::Relaxed) == Self::Japanese as u8 { Self::Japanese } else { Self::English }
    }

    /// The language of this name, `en` or `ja`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::English, Self::Japanese].into_iter().find(|language| language.name() == name)
    }

    /// Its name, `en` or `ja`.
    pub fn name(self) -> &'static str {
        self.pick("en", "ja")
    }

    /// The value for this language.
    pub fn pick<T>(self, english: T, japanese: T) -> T {
        match self {
            Self::English => english,
            Self::Japanese => japanese,
        }
    }
}

/// A word or phrase in English and Japanese; `Display` chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Words(pub &'static str, pub &'static str);

impl Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(pick(self.0, self.1))
    }
}

/// Chooses the language of the process; `None` for text that a program reads.
pub fn choose(language: Option<Language>) {
    CURRENT.store(language.map_or(UNCHOSEN, |language| language as u8), Ordering::Relaxed);
}

/// Returns true while no language is chosen: text is for a program that reads ASCII.
pub fn is_unchosen() -> bool {
    CURRENT.load(Ordering::Relaxed) == UNCHOSEN
}

/// The value for the language of the process.
pub fn pick<T>(english: T, japanese: T) -> T {
    Language::current().pick(english, japanese)
}

/// A text in the language of the process, from an English and a Japanese format string and
/// their arguments; `Display` chooses.
#[macro_export]
macro_rules! text {
    ($english:literal, $japanese:literal $(, $($argument:tt)*)?) => {
        ::std::fmt::from_fn(|text| match $crate::Language::current() {
            $crate::Language::English => ::std::write!(text, $english $(, $($argument)*)?),
            $crate::Language::Japanese => ::std::write!(text, $japanese $(, $($argument)*)?),
        })
    };
}

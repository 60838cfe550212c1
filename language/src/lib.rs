//! Text for people in English and Japanese, both written in one place.
//!
//! ```
//! use enbu_language::{Language, text};
//!
//! let games = 3;
//! let message = text!("{games} games", "{games}局");
//! assert_eq!(message.to_string(), "3 games");
//! Language::Japanese.make_current();
//! assert_eq!(message.to_string(), "3局");
//! ```
//!
//! The language is one of the whole process. It is English until a command for players
//! changes it, so that the text of the USI protocol stays ASCII.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

/// True if the language of the process is Japanese.
static IS_JAPANESE: AtomicBool = AtomicBool::new(false);

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
        if IS_JAPANESE.load(Ordering::Relaxed) { Self::Japanese } else { Self::English }
    }

    /// Makes this the language of the process.
    pub fn make_current(self) {
        IS_JAPANESE.store(self == Self::Japanese, Ordering::Relaxed);
    }

    /// The language of the system: Japanese, or else English.
    pub fn of_system() -> Self {
        let is_japanese = sys_locale::get_locale().is_some_and(|locale| locale.to_ascii_lowercase().starts_with("ja"));
        if is_japanese { Self::Japanese } else { Self::English }
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

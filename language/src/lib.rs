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
//! Errors hold both texts in a row of [`messages!`], or in the attribute of `thiserror`:
//! `#[error("{}", text!("not a move: {0}", "指し手ではありません：{0}", .0))]`. `messages.rs` of the
//! tests fails for one that players meet without its twin, and for twins with different values.
//!
//! The language is one of the whole process. Where none is chosen, the process speaks the USI
//! protocol with a program: in English, and in ASCII alone.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::fmt::{self, Display};
use std::sync::atomic::{AtomicU8, Ordering};

/// The language of the process, as its discriminant; [`UNCHOSEN`] for none.
static CURRENT: AtomicU8 = AtomicU8::new(UNCHOSEN);

/// No language was chosen.
const UNCHOSEN: u8 = u8::MAX;

thread_local! {
    /// The language of the text that this thread renders, if that is not the process's.
    static RENDERED: Cell<Option<Language>> = const { Cell::new(None) };
}

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// The language of the process; of the text within [`Language::render`].
    pub fn current() -> Self {
        let is_japanese = || CURRENT.load(Ordering::Relaxed) == Self::Japanese as u8;
        RENDERED.get().unwrap_or_else(|| if is_japanese() { Self::Japanese } else { Self::English })
    }

    /// The text of `value` in this language, whatever the process speaks.
    ///
    /// ```
    /// use enbu_language::{Language, text};
    /// assert_eq!(Language::Japanese.render(text!("draw", "引き分け")), "引き分け");
    /// ```
    pub fn render(self, value: impl Display) -> String {
        let outer = RENDERED.replace(Some(self));
        let text = value.to_string();
        RENDERED.set(outer);
        text
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
    RENDERED.get().is_none() && CURRENT.load(Ordering::Relaxed) == UNCHOSEN
}

/// A text in both languages, for a message and a file that is always in English; `Display` chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Both {
    /// In English.
    pub english: String,
    /// In Japanese.
    pub japanese: String,
}

impl Both {
    /// Renders a value in both languages.
    pub fn of(value: impl Display) -> Self {
        Self { english: Language::English.render(&value), japanese: Language::Japanese.render(&value) }
    }
}

impl Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(pick(&self.english, &self.japanese))
    }
}

/// Columns of a terminal that a text takes: two for a character of East Asia.
pub fn columns(text: &str) -> usize {
    text.chars().map(|letter| 1 + usize::from(letter >= '\u{2e80}')).sum()
}

/// A text at the left of a cell of a table.
pub fn left(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(columns(text)))
}

/// A text at the right of a cell of a table.
pub fn right(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text))) + text
}

/// The value for the language of the process.
pub fn pick<T>(english: T, japanese: T) -> T {
    Language::current().pick(english, japanese)
}

/// Defines an enum of errors whose rows hold both texts of a variant, with its fields by their names
/// (those of a tuple have names here alone) or with arguments after the texts.
///
/// ```
/// enbu_language::messages! {
/// #[derive(Debug, thiserror::Error)]
/// enum Fault {
///     Empty => "the file is empty", "ファイルが空です";
///     LongLine { line: u64 } => "line {line} is too long", "{line} 行目が長すぎます";
///     Flags(#[source] error: std::fmt::Error) => "not a move: {}", "指し手ではありません：{}", error;
/// }}
/// assert_eq!(Fault::LongLine { line: 3 }.to_string(), "line 3 is too long");
/// ```
#[macro_export]
macro_rules! messages {
    ($(#[$outer:meta])* $visible:vis enum $type:ident {$(
        $(#[$about:meta])* $name:ident $(($($(#[$of:meta])* $field:ident: $kind:ty),*))? $({ $($member:ident: $is:ty),* })?
            => $english:literal, $japanese:literal $(, $argument:expr)*;
    )*}) => {
        $(#[$outer])* $visible enum $type {$(
            $(#[$about])* $name $(($($(#[$of])* $kind),*))? $({ $($member: $is),* })?,
        )*}

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {$(
                    Self::$name $(($($field),*))? $({ $($member),* })? =>
                        $crate::text!($english, $japanese $(, $argument)*).fmt(f),
                )*}
            }
        }
    };
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

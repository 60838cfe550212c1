//! Words of the command line for values of the libraries.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use enbu_kifu::ScoreStyle;
use enbu_language::pick;

use crate::locale::part;

/// A word, its help or nothing, and its value.
pub(in crate::commands) type Choice<T> = (&'static str, &'static str, T);

/// Dialects of evaluations in comments.
pub(in crate::commands) const SCORES: &[Choice<ScoreStyle>] = &[
    ("shogihome", "", ScoreStyle::ShogiHome),
    ("shogigui", "", ScoreStyle::ShogiGui),
    ("floodgate", "", ScoreStyle::Floodgate),
];

/// A parser of the words of a table.
pub(in crate::commands) fn one_of<T: Copy + Send + Sync + 'static>(
    table: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = table.iter().map(|&(word, help, _)| {
        let name = PossibleValue::new(word);
        if help.is_empty() { name } else { name.help(part(help)) }
    });
    let value = |word: String| table.iter().find(|choice| choice.0 == word).map(|choice| choice.2).ok_or("unknown");
    PossibleValuesParser::new(names).try_map(value)
}

/// The word of a value that the table has.
pub(in crate::commands) fn word<T: PartialEq>(table: &[Choice<T>], value: &T) -> &'static str {
    table.iter().find(|choice| choice.2 == *value).map_or("", |choice| choice.0)
}

/// A time from a number of seconds.
pub(in crate::commands) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| pick("not a number of seconds", "秒数ではありません").to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| pick(error.to_string(), "秒数の範囲を超えています".to_owned()))
}

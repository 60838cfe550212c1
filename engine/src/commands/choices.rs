//! Words of the command line for values of the libraries.

use std::io;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use enbu_kifu::ScoreStyle;
use enbu_language::{pick, text};

use super::failure::usage;
use super::inputs::extension;
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

/// The value of the word that the name of an output file ends in.
pub(in crate::commands) fn of_extension<A: Args, T: Copy>(
    subcommand: &'static str,
    path: &Path,
    table: &[Choice<T>],
) -> io::Result<T> {
    let is_meant = |choice: &&Choice<T>| extension(path).is_some_and(|word| word.eq_ignore_ascii_case(choice.0));
    table.iter().find(is_meant).map(|choice| choice.2).ok_or_else(|| {
        let known: Vec<String> = table.iter().map(|choice| format!(".{}", choice.0)).collect();
        let (path, known) = (path.display(), known.join(pick(", ", "、")));
        usage::<A>(
            subcommand,
            text!(
                "--output {path}: the name must end in one of {known}",
                "--output {path}：拡張子は {known} のどれかにしてください"
            ),
        )
    })
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

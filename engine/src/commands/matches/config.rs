//! The TOML file of a match: every option of the command under its long name, tables `[[engine]]`, and `[each]` for all
//! of them; see `examples/match/tournament.toml`.
//!
//! The file becomes arguments, so that an option has one home, the command line, whose own win.

use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::ops::Range;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args as _, Command, FromArgMatches as _};
use enbu_arena::EngineSpec;
use enbu_files::FileKind;
use enbu_language::{pick, text};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::MatchArgs;
use crate::commands::failure::{failed, named};
use crate::locale;

/// Keys of an engine's table. Those that `[each]` may hold come last.
const ENGINE_KEYS: [&str; 6] = ["command", "name", "dir", "tc", "ponder", "options"];

/// The arguments of the command line `given`, completed by those of a file.
pub(super) fn complete(path: &Path, given: &ArgMatches) -> io::Result<MatchArgs> {
    let text = enbu_files::read_text(path, FileKind::Settings).map_err(|error| named(path, &error))?;
    let command = MatchArgs::augment_args(Command::new("match").bin_name("enbu match")).no_binary_name(true);
    let file = File { path, text: &text, command: command.args_override_self(true).disable_help_flag(true) };
    let table = DeTable::parse(&text).map_err(|error| {
        let reason = pick(error.message().to_owned(), "書式が正しくありません".to_owned());
        file.fault(error.span().unwrap_or_default(), reason)
    })?;
    // Words of an engine win over those of the command line for all, and these over the file's.
    // The engines of the command line come first.
    let (each, rest): (Vec<_>, Vec<_>) = table.get_ref().iter().partition(|(key, _)| key.get_ref() == "each");
    let mut words = Vec::new();
    for (_, value) in each {
        words.extend(words_of("each", file.engine("each", value)?));
    }
    words.extend(file.command.get_arguments().flat_map(|argument| given_words(argument, given)));
    for (key, value) in rest {
        words.extend(file.option(key, value, given)?);
    }
    let matches = file.command.clone().try_get_matches_from(words);
    matches.and_then(|matches| MatchArgs::from_arg_matches(&matches)).map_err(io::Error::other)
}

/// An argument as it was written; none for the name of the file.
fn given_words(argument: &Arg, given: &ArgMatches) -> Vec<OsString> {
    let id = argument.get_id().as_str();
    let Some(long) = argument.get_long().filter(|&long| long != "config" && is_given(id, given)) else {
        return Vec::new();
    };
    let takes_values = argument.get_action().takes_values();
    let occurrences = given.get_raw_occurrences(id).into_iter().flatten();
    occurrences.flat_map(|values| words_of(long, values.filter(|_| takes_values))).collect()
}

fn is_given(id: &str, given: &ArgMatches) -> bool {
    given.value_source(id) == Some(ValueSource::CommandLine)
}

/// An option with its values; a single one may begin with a hyphen.
fn words_of(long: &str, values: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<OsString> {
    let mut words: Vec<OsString> = values.into_iter().map(Into::into).collect();
    let mut option = OsString::from(format!("--{long}"));
    if words.len() == 1 {
        option.push("=");
        option.push(words.remove(0));
    }
    words.insert(0, option);
    words
}

/// The text of a string, a number, a truth value.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(i64::from_str_radix(number.as_str(), number.radix()).ok()?.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(is_on) => Some(is_on.to_string()),
        _ => None,
    }
}

/// The texts of a list, or of one value.
fn scalars(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::Array(values) => values.iter().map(|value| scalar(value.get_ref())).collect(),
        one => Some(vec![scalar(one)?]),
    }
}

/// A file that is being read.
struct File<'f> {
    path: &'f Path,
    text: &'f str,
    command: Command,
}

impl File<'_> {
    fn fault(&self, span: Range<usize>, reason: impl Display) -> io::Error {
        let line = self.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        failed(text!("{}:{line}: {reason}", "{}：{line} 行目：{reason}", self.path.display()))
    }

    fn wrong_type(&self, value: &Spanned<DeValue<'_>>, key: &str) -> io::Error {
        let found = value.get_ref().type_str();
        self.fault(value.span(), text!("`{key}` cannot be of type {found}", "`{key}` の値の型が違います（{found}）"))
    }

    /// The error of a key that `command` has not as an option, with the nearest one.
    fn unknown(&self, span: Range<usize>, key: &str, command: Command) -> io::Error {
        let error = command.try_get_matches_from([format!("--{key}")]).err();
        let near = match error.as_ref().and_then(|error| error.get(ContextKind::SuggestedArg)) {
            Some(ContextValue::String(near)) => {
                text!("; did you mean `{}`?", "。もしかして：{}", near.trim_start_matches('-')).to_string()
            }
            _ => String::new(),
        };
        self.fault(span, text!("there is no key `{key}`{near}", "`{key}` という項目はありません{near}"))
    }

    /// The words of a key at the top of the file; none where the command line has the option.
    fn option(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        given: &ArgMatches,
    ) -> io::Result<Vec<OsString>> {
        let name = key.get_ref().as_ref();
        if name == "engine" {
            let DeValue::Array(engines) = value.get_ref() else { return Err(self.wrong_type(value, name)) };
            let engines = engines.iter().map(|engine| Ok(words_of(name, self.engine(name, engine)?)));
            return engines.collect::<io::Result<Vec<_>>>().map(|engines| engines.concat());
        }
        let argument = self.command.get_arguments().find(|argument| argument.get_long() == Some(name));
        let Some(argument) = argument.filter(|_| name != "config") else {
            return Err(self.unknown(key.span(), name, self.command.clone()));
        };
        let words = match (value.get_ref(), argument.get_action().takes_values()) {
            (DeValue::Boolean(true), false) => words_of(name, [""; 0]),
            (DeValue::Boolean(false), false) => Vec::new(),
            (DeValue::Boolean(_), true) | (_, false) => return Err(self.wrong_type(value, name)),
            (list, true) => words_of(name, scalars(list).ok_or_else(|| self.wrong_type(value, name))?),
        };
        let checked = self.command.clone().try_get_matches_from(&words);
        checked.map_err(|error| self.fault(value.span(), locale::reason(&error)))?;
        Ok(if is_given(argument.get_id().as_str(), given) { Vec::new() } else { words })
    }

    /// The command of an engine and the words after it; words alone of the table `each`.
    fn engine(&self, kind: &str, table: &Spanned<DeValue<'_>>) -> io::Result<Vec<String>> {
        let DeValue::Table(engine) = table.get_ref() else { return Err(self.wrong_type(table, kind)) };
        let keys = if kind == "each" { &ENGINE_KEYS[2..] } else { &ENGINE_KEYS };
        let (mut command, mut words) = (None, Vec::new());
        for (key, value) in engine {
            let name = key.get_ref().as_ref();
            match (name, value.get_ref()) {
                _ if !keys.contains(&name) => {
                    let options = keys.iter().map(|&key| Arg::new(key).long(key));
                    let command = Command::new("engine").no_binary_name(true).args(options);
                    return Err(self.unknown(key.span(), name, command));
                }
                ("command", DeValue::Array(_)) => {
                    let quoted = |word: String| format!("'{}'", word.replace('\'', "'\"'\"'"));
                    let words = scalars(value.get_ref()).ok_or_else(|| self.wrong_type(value, name))?;
                    command = Some(words.into_iter().map(quoted).collect::<Vec<_>>().join(" "));
                }
                ("command", text) => command = scalar(text),
                ("options", DeValue::Table(options)) => {
                    for (option, value) in options {
                        words.push(self.word(&format!("option.{}", option.get_ref()), value)?);
                    }
                }
                _ => words.push(self.word(name, value)?),
            }
        }
        if let Some(command) = &command {
            EngineSpec::from_words([command]).map_err(|error| self.fault(table.span(), error))?;
        } else if keys.contains(&"command") {
            return Err(self.fault(table.span(), text!("`command` is missing", "`command` がありません")));
        }
        Ok(command.into_iter().chain(words).collect())
    }

    /// A word of an engine, which must be one that it can have.
    fn word(&self, key: &str, value: &Spanned<DeValue<'_>>) -> io::Result<String> {
        let text = match (key, value.get_ref()) {
            ("ponder", DeValue::Boolean(is_on)) => if *is_on { "on" } else { "off" }.to_owned(),
            (_, value) => scalar(value).unwrap_or_default(),
        };
        let word = format!("{key}={text}");
        EngineSpec::from_words(["engine", &word]).map_err(|error| self.fault(value.span(), error))?;
        Ok(word)
    }
}

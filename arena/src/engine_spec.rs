//! The engines of a match, described on the command line or in a TOML file.
//!
//! On the command line an engine is a command and words after it:
//!
//! | word | meaning |
//! |---|---|
//! | `name=N` | its name in the results; default: its `id name` |
//! | `option.X=V` | `setoption name X value V`; `option.X` alone for a button |
//! | `tc=T` | its time control, if not the common one |
//! | `dir=D` | the folder it runs in |
//! | `ponder=on` | let it think on its opponent's time |
//!
//! In a TOML file each engine is a table:
//!
//! ```toml
//! [[engine]]
//! command = "./new-engine --fast"     # or ["./new-engine", "--fast"]
//! name = "new"
//! tc = "10+0.1"
//! ponder = false
//! options = { USI_Hash = 64, Threads = 1 }
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::time_control::{TimeControl, TimeControlError};

/// Description of an engine, from the command line or a TOML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Program and arguments; never empty.
    pub command: Vec<String>,
    /// Its name in the results, if one was given.
    pub name: Option<String>,
    /// The folder it runs in; the caller's if absent.
    pub dir: Option<PathBuf>,
    /// Options and their values, in order; a button has none.
    pub options: Vec<(String, Option<String>)>,
    /// Its time control, if not the common one.
    pub time_control: Option<TimeControl>,
    /// Thinking on the opponent's time.
    pub ponder: Ponder,
}

/// Thinking on the opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ponder {
    /// It does not.
    #[default]
    Off,
    /// It does.
    On,
}

/// Faults in the description of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No command.
    #[error("an engine needs a command")]
    NoCommand,
    /// A quote that is not closed.
    #[error("unclosed quote in the command `{0}`")]
    Quote(String),
    /// An unknown word.
    #[error("`{0}` is not name=, option.X=, tc=, dir= or ponder=on|off")]
    Word(String),
    /// A malformed time control.
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    /// A TOML file that cannot be read as engines.
    #[error("{0}")]
    Toml(String),
}

impl EngineSpec {
    /// Reads an engine from a command and the words after it.
    ///
    /// # Errors
    /// [`SpecError`] with the word that is wrong.
    ///
    /// ```
    /// use enbu_arena::EngineSpec;
    /// let engine = EngineSpec::from_words(["./e --x 'a b'", "name=new", "option.USI_Hash=64", "tc=10+0.1"]).unwrap();
    /// assert_eq!(engine.command, ["./e", "--x", "a b"]);
    /// assert_eq!(engine.options, [("USI_Hash".to_owned(), Some("64".to_owned()))]);
    /// ```
    pub fn from_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Result<Self, SpecError> {
        let mut words = words.into_iter();
        let command = words.next().ok_or(SpecError::NoCommand)?;
        let mut spec = Self {
            command: split_command(command.as_ref())?,
            name: None,
            dir: None,
            options: Vec::new(),
            time_control: None,
            ponder: Ponder::Off,
        };
        for word in words {
            spec.apply(word.as_ref())?;
        }
        Ok(spec)
    }

    fn apply(&mut self, word: &str) -> Result<(), SpecError> {
        let unknown = || SpecError::Word(word.chars().take(40).collect());
        if let Some(option) = word.strip_prefix("option.") {
            let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
            if name.is_empty() {
                return Err(unknown());
            }
            self.options.push((name.to_owned(), value.map(str::to_owned)));
            return Ok(());
        }
        match word.split_once('=') {
            Some(("name", name)) if !name.trim().is_empty() => self.name = Some(name.to_owned()),
            Some(("tc", control)) => self.time_control = Some(control.parse()?),
            Some(("dir", dir)) if !dir.is_empty() => self.dir = Some(dir.into()),
            Some(("ponder", "on")) => self.ponder = Ponder::On,
            Some(("ponder", "off")) => self.ponder = Ponder::Off,
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// Reads the engines of a TOML file.
    ///
    /// # Errors
    /// [`SpecError`] with the line of the fault.
    ///
    /// ```
    /// use enbu_arena::EngineSpec;
    /// let engines = EngineSpec::from_toml("[[engine]]\ncommand = 'a b'\n[[engine]]\ncommand = ['c']\n").unwrap();
    /// assert_eq!(engines[0].command, ["a", "b"]);
    /// assert!(EngineSpec::from_toml("[[engine]]\ncomand = 'a'\n").is_err());
    /// ```
    pub fn from_toml(text: &str) -> Result<Vec<Self>, SpecError> {
        let file: TomlFile = toml::from_str(text).map_err(|error| SpecError::Toml(error.to_string()))?;
        file.engine.into_iter().map(TomlEngine::into_spec).collect()
    }
}

/// Splits a command at blanks; `'...'` and `"..."` hold a word with blanks together.
/// A backslash is a character like any other, because paths on Windows have them.
fn split_command(text: &str) -> Result<Vec<String>, SpecError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(SpecError::Quote(text.chars().take(40).collect()));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) { Err(SpecError::NoCommand) } else { Ok(words) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlFile {
    #[serde(default)]
    engine: Vec<TomlEngine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlEngine {
    command: TomlCommand,
    name: Option<String>,
    dir: Option<PathBuf>,
    tc: Option<String>,
    #[serde(default)]
    ponder: bool,
    #[serde(default)]
    options: BTreeMap<String, TomlValue>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TomlCommand {
    Text(String),
    Words(Vec<String>),
}

/// The value of an option.
#[derive(Deserialize)]
#[serde(untagged)]
enum TomlValue {
    Check(bool),
    Spin(i64),
    Text(String),
}

impl TomlValue {
    fn into_text(self) -> String {
        match self {
            Self::Check(value) => value.to_string(),
            Self::Spin(value) => value.to_string(),
            Self::Text(text) => text,
        }
    }
}

impl TomlEngine {
    fn into_spec(self) -> Result<EngineSpec, SpecError> {
        let command = match self.command {
            TomlCommand::Text(text) => split_command(&text)?,
            TomlCommand::Words(words) if words.first().is_some_and(|word| !word.is_empty()) => words,
            TomlCommand::Words(_) => return Err(SpecError::NoCommand),
        };
        Ok(EngineSpec {
            command,
            name: self.name,
            dir: self.dir,
            options: self.options.into_iter().map(|(name, value)| (name, Some(value.into_text()))).collect(),
            time_control: self.tc.as_deref().map(str::parse).transpose()?,
            ponder: if self.ponder { Ponder::On } else { Ponder::Off },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_like_a_person_means_them() {
        for (text, words) in [
            ("./e", &["./e"][..]),
            (" ./e  -a\tb ", &["./e", "-a", "b"]),
            (r#""C:\Program Files\e.exe" --x="1 2""#, &[r"C:\Program Files\e.exe", "--x=1 2"]),
            ("e '' x", &["e", "", "x"]),
        ] {
            assert_eq!(split_command(text).unwrap(), words, "{text}");
        }
        assert_eq!(split_command("  "), Err(SpecError::NoCommand));
        assert_eq!(split_command("''"), Err(SpecError::NoCommand));
        assert_eq!(split_command("a 'b"), Err(SpecError::Quote("a 'b".to_owned())));
    }

    #[test]
    fn every_word_has_its_meaning_and_others_are_refused() {
        let spec = EngineSpec::from_words(["e", "dir=/x", "ponder=on", "option.Clear", "option.F=a=b c", "tc=nodes=5"])
            .unwrap();
        assert_eq!(spec.dir, Some("/x".into()));
        assert_eq!((spec.ponder, spec.time_control), (Ponder::On, Some(TimeControl::Nodes(5))));
        let options = [("Clear".to_owned(), None), ("F".to_owned(), Some("a=b c".to_owned()))];
        assert_eq!(spec.options, options);
        for word in ["nam=x", "name=", "ponder=yes", "option.=3", "tc=soon", "plain"] {
            assert!(EngineSpec::from_words(["e", word]).is_err(), "{word}");
        }
    }

    #[test]
    fn toml_says_the_same_as_words() {
        let toml = "[[engine]]\ncommand = \"./e 'a b'\"\nname = 'n'\ntc = '10+0.1'\nponder = true\n\
                    dir = 'd'\noptions = { Hash = 64, Own = true, File = 'x y' }\n";
        let words = ["./e 'a b'", "name=n", "tc=10+0.1", "ponder=on", "dir=d", "option.Hash=64", "option.Own=true"];
        let from_words = EngineSpec::from_words(words.into_iter().chain(["option.File=x y"])).unwrap();
        let mut from_toml = EngineSpec::from_toml(toml).unwrap().remove(0);
        // Tables of TOML have no order.
        from_toml.options.sort_by_key(|(name, _)| ["Hash", "Own", "File"].iter().position(|known| known == name));
        assert_eq!(from_toml, from_words);
        assert!(EngineSpec::from_toml("[[engine]]\n").is_err());
        assert!(EngineSpec::from_toml("[[engine]]\ncommand = []\n").is_err());
        assert_eq!(EngineSpec::from_toml(""), Ok(Vec::new()));
    }
}

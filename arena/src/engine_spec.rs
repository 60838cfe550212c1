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

use enbu_language::{messages, pick};
use enbu_usi::OptionValue;
use enbu_usi::client::{Launch, LaunchError};
use serde::Deserialize;

use crate::time_control::{TimeControl, TimeControlError};

/// Description of an engine, from the command line or a TOML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Command, folder and options.
    pub launch: Launch,
    /// Its name in the results, if one was given.
    pub name: Option<String>,
    /// Its time control, if not the common one.
    pub time_control: Option<TimeControl>,
    /// Thinking on the opponent's time.
    pub ponder: Ponder,
}

/// Thinking on the opponent's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ponder {
    /// It does not.
    Off,
    /// It does.
    On,
}

messages! {
/// Faults in the description of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum SpecError {
    Launch(#[from] error: LaunchError) => "{error}", "{error}";
    Word(word: String) =>
        "`{word}` is not name=, option.X=, tc=, dir= or ponder=on|off", "`{word}` は name=、option.X=、tc=、dir=、ponder=on|off のどれでもありません";
    TimeControl(#[from] error: TimeControlError) => "{error}", "{error}";
    Toml(text: String) => "{text}", "{text}";
}}

impl EngineSpec {
    /// Reads an engine from a command and the words after it.
    ///
    /// ```
    /// use enbu_arena::EngineSpec;
    /// let engine = EngineSpec::from_words(["./e --fast", "name=new", "option.USI_Hash=64", "tc=10+0.1"]).unwrap();
    /// assert_eq!(engine.name.as_deref(), Some("new"));
    /// assert_eq!(engine.launch.options, [("USI_Hash".to_owned(), Some("64".to_owned()))]);
    /// ```
    pub fn from_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Result<Self, SpecError> {
        let mut words = words.into_iter();
        let launch = Launch::from_command(words.next().ok_or(LaunchError::NoCommand)?.as_ref())?;
        let mut spec = Self { launch, name: None, time_control: None, ponder: Ponder::Off };
        words.try_for_each(|word| spec.apply(word.as_ref()))?;
        Ok(spec)
    }

    fn apply(&mut self, word: &str) -> Result<(), SpecError> {
        match word.split_once('=') {
            Some(("name", name)) if !name.trim().is_empty() => self.name = Some(name.to_owned()),
            Some(("tc", control)) => self.time_control = Some(control.parse()?),
            Some(("ponder", "on")) => self.ponder = Ponder::On,
            Some(("ponder", "off")) => self.ponder = Ponder::Off,
            _ => self.launch.apply(word).map_err(|_| SpecError::Word(word.chars().take(40).collect()))?,
        }
        Ok(())
    }

    /// Reads the engines of a TOML file.
    ///
    /// ```
    /// use enbu_arena::EngineSpec;
    /// let engines = EngineSpec::from_toml("[[engine]]\ncommand = 'a b'\n[[engine]]\ncommand = ['c']\n").unwrap();
    /// assert_eq!(engines[0].launch.command, ["a", "b"]);
    /// assert!(EngineSpec::from_toml("[[engine]]\ncomand = 'a'\n").is_err());
    /// ```
    pub fn from_toml(text: &str) -> Result<Vec<Self>, SpecError> {
        let file: TomlFile = toml::from_str(text).map_err(|error| SpecError::Toml(toml_fault(&error, text)))?;
        file.engine.into_iter().map(TomlEngine::into_spec).collect()
    }
}

/// The error of a TOML file in the language of the process, with its line.
fn toml_fault(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
    let reason = key_fault(error.message()).unwrap_or_else(|| "書式が正しくありません".to_owned());
    pick(error.to_string(), format!("{line} 行目：{reason}"))
}

/// The message of a library about an unknown or a missing key, in the language of the process.
pub fn key_fault(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (kind, key) = (message.split(' ').next()?, quoted.next()?);
    let japanese = match kind {
        "unknown" => format!("`{key}` という項目はありません（使えるのは {}）", quoted.collect::<Vec<_>>().join("、")),
        "missing" => format!("`{key}` がありません"),
        _ => return None,
    };
    Some(pick(message.to_owned(), japanese))
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
    options: BTreeMap<String, OptionValue>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TomlCommand {
    Text(String),
    Words(Vec<String>),
}

impl TomlEngine {
    fn into_spec(self) -> Result<EngineSpec, SpecError> {
        let mut launch = match self.command {
            TomlCommand::Text(text) => Launch::from_command(&text)?,
            TomlCommand::Words(command) if command.first().is_some_and(|word| !word.is_empty()) => {
                Launch { command, ..Launch::default() }
            }
            TomlCommand::Words(_) => return Err(LaunchError::NoCommand.into()),
        };
        launch.dir = self.dir;
        launch.options = self.options.into_iter().map(|(name, value)| (name, Some(value.text()))).collect();
        Ok(EngineSpec {
            launch,
            name: self.name,
            time_control: self.tc.as_deref().map(str::parse).transpose()?,
            ponder: if self.ponder { Ponder::On } else { Ponder::Off },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_meaning_and_others_are_refused() {
        let spec = EngineSpec::from_words(["e", "dir=/x", "ponder=on", "option.Clear", "option.F=a=b c", "tc=nodes=5"])
            .unwrap();
        assert_eq!(spec.launch.dir, Some("/x".into()));
        assert_eq!((spec.ponder, spec.time_control), (Ponder::On, Some(TimeControl::Nodes(5))));
        let options = [("Clear".to_owned(), None), ("F".to_owned(), Some("a=b c".to_owned()))];
        assert_eq!(spec.launch.options, options);
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
        from_toml
            .launch
            .options
            .sort_by_key(|(name, _)| ["Hash", "Own", "File"].iter().position(|known| known == name));
        assert_eq!(from_toml, from_words);
        assert!(EngineSpec::from_toml("[[engine]]\n").is_err());
        assert!(EngineSpec::from_toml("[[engine]]\ncommand = []\n").is_err());
        assert_eq!(EngineSpec::from_toml(""), Ok(Vec::new()));
    }
}

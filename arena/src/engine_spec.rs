//! The engines of a match, each a command and words after it:
//!
//! | word | meaning |
//! |---|---|
//! | `name=N` | its name in the results; default: its `id name` |
//! | `option.X=V` | `setoption name X value V`; `option.X` alone for a button |
//! | `tc=T` | its time control, if not the common one |
//! | `dir=D` | the folder it runs in |
//! | `ponder=on` | let it think on its opponent's time |

use enbu_language::messages;
use enbu_usi::client::{Launch, LaunchError};

use crate::time_control::{TimeControl, TimeControlError};

/// Description of an engine.
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
}

//! The start of an engine: its command, its folder and its options.

use std::path::PathBuf;

use enbu_language::messages;

/// Command, folder and options of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments; never empty.
    pub command: Vec<String>,
    /// The folder it runs in; the caller's if absent.
    pub dir: Option<PathBuf>,
    /// Options and their values, in order; a button has none.
    pub options: Vec<(String, Option<String>)>,
}

messages! {
/// Faults in the description of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum LaunchError {
    NoCommand => "an engine needs a command", "エンジンのコマンドがありません";
    Quote(command: String) => "unclosed quote in the command `{command}`", "コマンド `{command}` の引用符が閉じていません";
    Word(word: String) => "`{word}` is not option.X= or dir=", "`{word}` は option.X= でも dir= でもありません";
}}

impl Launch {
    /// Splits a command at blanks; `'...'` and `"..."` hold a word with blanks together.
    /// A backslash is a character like any other, because paths on Windows have them.
    pub fn from_command(text: &str) -> Result<Self, LaunchError> {
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
            return Err(LaunchError::Quote(text.chars().take(40).collect()));
        }
        words.extend(word);
        if words.first().is_none_or(String::is_empty) {
            return Err(LaunchError::NoCommand);
        }
        Ok(Self { command: words, ..Self::default() })
    }

    /// Reads a command and the words `option.X=V`, `option.X` (a button) and `dir=D` after it.
    ///
    /// ```
    /// use enbu_usi::client::Launch;
    /// let launch = Launch::from_words(["./e --x 'a b'", "option.USI_Hash=64", "dir=/tmp"]).unwrap();
    /// assert_eq!(launch.command, ["./e", "--x", "a b"]);
    /// assert_eq!(launch.options, [("USI_Hash".to_owned(), Some("64".to_owned()))]);
    /// ```
    pub fn from_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Result<Self, LaunchError> {
        let mut words = words.into_iter();
        let mut launch = Self::from_command(words.next().ok_or(LaunchError::NoCommand)?.as_ref())?;
        words.try_for_each(|word| launch.apply(word.as_ref()))?;
        Ok(launch)
    }

    /// Applies a word after the command. An unknown word changes nothing.
    pub fn apply(&mut self, word: &str) -> Result<(), LaunchError> {
        let (key, value) = word.split_once('=').map_or((word, None), |(key, value)| (key, Some(value)));
        match (key.strip_prefix("option."), value) {
            (Some(name), value) if !name.is_empty() => self.options.push((name.to_owned(), value.map(str::to_owned))),
            (None, Some(dir)) if key == "dir" && !dir.is_empty() => self.dir = Some(dir.into()),
            _ => return Err(LaunchError::Word(word.chars().take(40).collect())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_like_a_person_means_them() {
        let split = |text| Launch::from_command(text).map(|launch| launch.command);
        for (text, words) in [
            ("./e", &["./e"][..]),
            (" ./e  -a\tb ", &["./e", "-a", "b"]),
            (r#""C:\Program Files\e.exe" --x="1 2""#, &[r"C:\Program Files\e.exe", "--x=1 2"]),
            ("e '' x", &["e", "", "x"]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        assert_eq!(split("  "), Err(LaunchError::NoCommand));
        assert_eq!(split("''"), Err(LaunchError::NoCommand));
        assert_eq!(split("a 'b"), Err(LaunchError::Quote("a 'b".to_owned())));
    }

    #[test]
    fn words_of_a_match_are_refused() {
        for word in ["name=x", "tc=1", "ponder=on", "option.=3", "dir=", "dir", "plain"] {
            let refused = Launch::from_words(["e", word]).unwrap_err();
            assert_eq!(refused.to_string(), format!("`{word}` is not option.X= or dir="));
        }
    }
}

//! Passwords: text that no message, log or record may contain.

use std::fmt;

use enbu_language::messages;

/// A password; prints as asterisks.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

messages! {
/// Fault in a password. The message never contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum SecretError {
    Empty => "the password is empty", "パスワードが空です";
    TooLong => "the password is longer than {} bytes", "パスワードが {} バイトを超えています", Secret::MAX_BYTES;
    Character(index: usize) =>
        "the password has a blank or a character outside ASCII (character {index})", "パスワードに空白か ASCII 以外の文字があります（{index} 文字目）";
}}

impl Secret {
    /// Largest length in bytes, game name included.
    pub const MAX_BYTES: usize = 256;

    /// A password from a file or variable, without its line end.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            return Err(SecretError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(SecretError::TooLong);
        }
        match text.chars().position(|letter| !letter.is_ascii_graphic()) {
            Some(index) => Err(SecretError::Character(index + 1)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the word after the user in `LOGIN`: the game and the password.
    pub fn for_game(&self, game: Option<&str>) -> String {
        game.map_or_else(|| self.0.clone(), |game| format!("{game},{}", self.0))
    }

    /// Returns `text` with every occurrence of the password masked.
    pub fn masked(&self, text: &str) -> String {
        text.replace(&self.0, "********")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_do_not_print() {
        let secret = Secret::new("hunter2\r\n").unwrap();
        assert_eq!(format!("{secret:?}"), "********");
        assert_eq!(secret.masked("LOGIN a g-1-1,hunter2"), "LOGIN a g-1-1,********");
        assert_eq!((secret.for_game(Some("g-1-1")), secret.for_game(None)), ("g-1-1,hunter2".into(), "hunter2".into()));
    }

    #[test]
    fn faults_do_not_name_the_password() {
        for (text, fault) in [
            ("", SecretError::Empty),
            ("\n", SecretError::Empty),
            ("two words", SecretError::Character(4)),
            ("合言葉", SecretError::Character(1)),
            (&"x".repeat(257), SecretError::TooLong),
        ] {
            let error = Secret::new(text).unwrap_err();
            assert_eq!(error, fault);
            assert!(text.len() < 2 || !error.to_string().contains(text));
        }
    }
}

//! Headers above the moves: names, event, dates and others.

use crate::terms::{Naming, value_of, word_of};

/// Key of a header.
///
/// Keys that several formats share have a variant; others are kept under
/// the key that the file gives it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeaderKey {
    /// Name of the Black player.
    BlackName,
    /// Name of the White player.
    WhiteName,
    /// Tournament or match.
    Event,
    /// Place of the game.
    Site,
    /// When it began: `YYYY/MM/DD`, with ` HH:MM:SS` where the time is known.
    StartTime,
    /// End of the game, in the same form.
    EndTime,
    /// Opening or strategy.
    Opening,
    /// Remarks; may have several lines, separated by `\n`.
    Note,
    /// Any other header, under its own key.
    Other(String),
}

impl HeaderKey {
    const NAMES: [(Self, &'static str); 8] = [
        (Self::BlackName, "|先手 下手|"),
        (Self::WhiteName, "|後手 上手|"),
        (Self::Event, "EVENT|棋戦|Event"),
        (Self::Site, "SITE|場所|Site"),
        (Self::StartTime, "START_TIME|開始日時|StartTime"),
        (Self::EndTime, "END_TIME|終了日時|EndTime"),
        (Self::Opening, "OPENING|戦型|Opening"),
        (Self::Note, "NOTE|備考|Note"),
    ];

    pub(crate) fn named(name: &str, naming: Naming) -> Self {
        value_of(&Self::NAMES, naming, name).cloned().unwrap_or_else(|| Self::Other(name.to_owned()))
    }

    /// The name of the key; `None` for players where `naming` has no name for them.
    pub(crate) fn name(&self, naming: Naming) -> Option<&str> {
        match self {
            Self::Other(name) => Some(name),
            key => word_of(&Self::NAMES, naming, key),
        }
    }
}

/// The headers of a record in the order of the file.
///
/// ```
/// use enbu_kifu::{HeaderKey, Headers};
/// let mut headers = Headers::default();
/// headers.push(HeaderKey::Event, "Ryuo-sen");
/// assert_eq!(headers.value(&HeaderKey::Event), Some("Ryuo-sen"));
/// assert_eq!(headers.value(&HeaderKey::Site), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    list: Vec<(HeaderKey, String)>,
}

impl Headers {
    /// Adds a header at the end; a key may occur more than once.
    pub fn push(&mut self, key: HeaderKey, value: impl Into<String>) {
        self.list.push((key, value.into()));
    }

    /// Adds a line to the header with this key, or the header when there is none
    /// among the first thousand.
    pub fn push_line(&mut self, key: HeaderKey, line: &str) {
        const MOST_SEARCHED: usize = 1000;
        match self.list.iter_mut().take(MOST_SEARCHED).find(|(known, _)| *known == key) {
            Some((_, value)) => {
                value.push('\n');
                value.push_str(line);
            }
            None => self.push(key, line),
        }
    }

    /// The value of the first header with this key.
    pub fn value(&self, key: &HeaderKey) -> Option<&str> {
        self.iter().find(|(k, _)| *k == key).map(|(_, value)| value)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&HeaderKey, &str)> {
        self.list.iter().map(|(key, value)| (key, value.as_str()))
    }

    /// Returns true if there are no headers.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

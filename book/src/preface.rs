//! Texts about a book.

/// The text of a book besides its positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preface {
    /// The author; only `.sbk` has one.
    pub author: String,
    /// A description: comments before the first position of a `.db`.
    pub description: String,
}

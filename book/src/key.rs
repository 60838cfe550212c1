//! Positions of a book as text.

use std::fmt;

use enbu_movegen::{Position, Setup, SfenError};
use serde::{Deserialize, Serialize};

/// A position without its ply: board, side to move and hands of its canonical SFEN.
///
/// The order is that of the bytes, which is the order of the lines of a sorted `.db`: a
/// blank is smaller than every character of a key, so that no ply after it matters.
///
/// ```
/// use enbu_book::PositionKey;
/// use enbu_movegen::Position;
/// let key = PositionKey::of(&Position::startpos());
/// assert_eq!(key.as_str(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PositionKey(Box<str>);

impl PositionKey {
    /// The key of a position.
    pub fn of(position: &Position) -> Self {
        Self::of_setup(&position.to_setup())
    }

    /// The key of a diagram.
    pub fn of_setup(setup: &Setup) -> Self {
        let mut text = setup.to_string();
        text.truncate(text.rfind(' ').unwrap_or(text.len()));
        Self(text.into())
    }

    /// The key and the ply of an SFEN, which may lack the ply.
    pub fn parse(sfen: &str) -> Result<(Self, Option<u32>), SfenError> {
        let setup: Setup = sfen.parse()?;
        let ply = sfen.split_ascii_whitespace().nth(3).map(|_| u32::from(setup.ply));
        Ok((Self::of_setup(&setup), ply))
    }

    /// The text: three fields of an SFEN.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The diagram, with ply 1.
    pub fn to_setup(&self) -> Setup {
        // A key is the text of a diagram, hence always parsed.
        self.0.parse().unwrap_or_else(|_| Setup::empty())
    }

    /// The key of the position rotated by 180 degrees with the sides exchanged.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self::of_setup(&self.to_setup().flipped())
    }

    /// A digest for tables; equal on every machine.
    pub(crate) fn digest(&self) -> u64 {
        enbu_files::fnv1a(self.0.as_bytes())
    }
}

impl fmt::Display for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_no_ply_and_canonical_hands() {
        let (key, ply) = PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 w 2pRB 12").expect("an SFEN");
        assert_eq!((key.as_str(), ply), ("4k4/9/9/9/9/9/9/9/4K4 w RB2p", Some(12)));
        assert_eq!(PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 w RB2p"), Ok((key.clone(), None)));
        assert_eq!(key.to_setup().to_string(), format!("{key} 1"));
        assert_eq!(key.flipped().as_str(), "4k4/9/9/9/9/9/9/9/4K4 b 2Prb");
        assert_eq!(key.flipped().flipped(), key);
    }

    #[test]
    fn keys_sort_like_the_lines_of_a_file() {
        let key = |hands: &str| PositionKey::parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands}")).expect("an SFEN").0;
        let mut keys = ["R", "RB", "2P", "-", "2P2p", "p", "P"].map(key);
        keys.sort();
        let lines = keys.clone().map(|key| format!("{key} 9"));
        assert!(lines.is_sorted());
    }
}

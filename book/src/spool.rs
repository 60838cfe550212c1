//! Items in temporary files: a private encoding, read back by the process that wrote it.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Items that a [`Sorter`](crate::Sorter) sorts.
pub trait Spooled: Serialize + DeserializeOwned + Debug + 'static {
    /// The order of two items; equal ones keep theirs.
    fn order(&self, other: &Self) -> Ordering;

    /// Approximate bytes of the item in memory.
    fn bytes(&self) -> usize;

    /// Adds the next item in the order to this one; returns it if both stay.
    fn absorb(&mut self, next: Self) -> Option<Self> {
        Some(next)
    }
}

pub(crate) fn write(out: &mut impl Write, item: &impl Serialize) -> io::Result<()> {
    rmp_serde::encode::write(out, item).map_err(io::Error::other)
}

/// Reads the next item; `None` at the end.
pub(crate) fn read<T: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    rmp_serde::from_read(input).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, Entry, Games, Judgement, Page, PositionKey};

    #[test]
    fn pages_survive() {
        let key = PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 w RB2p").expect("an SFEN").0;
        let mv = "P*5e".parse().expect("a move");
        let full = Page {
            ply: Some(7),
            comment: Some("one\ntwo".into()),
            entries: vec![
                Entry::new(mv),
                Entry {
                    mv,
                    ponder: Some(mv),
                    value: Some(-3),
                    depth: Some(4),
                    count: Some(u64::MAX),
                    comment: Some(String::new()),
                    judgement: Some(Judgement::Bad),
                },
            ],
            games: Some(Games { total: 3, black_wins: 2, white_wins: 1 }),
            analyses: vec![Analysis {
                value: -1,
                depth: 2,
                selective_depth: 3,
                nodes: i64::MAX,
                variation: "a b".into(),
                engine: Some("Enbu".into()),
            }],
            ..Page::new(key.clone())
        };
        let mut bytes = Vec::new();
        for page in [&full, &Page::new(key.clone()), &full] {
            write(&mut bytes, page).expect("written");
        }
        let mut input = bytes.as_slice();
        let mut next = || read::<Page>(&mut input).expect("read");
        assert_eq!([next(), next(), next(), next()], [Some(full.clone()), Some(Page::new(key)), Some(full), None]);
        for length in 1..bytes.len() / 3 {
            assert!(read::<Page>(&mut &bytes[..length]).is_err(), "{length}");
        }
    }
}

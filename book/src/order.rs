//! The orders of positions in the formats.

use std::cmp::Ordering;

use enbu_movegen::Packing;
use serde::{Deserialize, Serialize};

use crate::apery;
use crate::format::Format;
use crate::key::PositionKey;
use crate::page::{Entry, Page};
use crate::spool::Spooled;

/// The orders of positions in the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Bytes of the SFEN, as in `.db`.
    Text,
    /// Bytes of the packed position, as in `.ybb`; those that cannot be packed come last.
    Packed,
    /// Apery's keys, as in `book.bin`.
    Apery,
}

/// A page with the bytes that decide first; equal in the order of texts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranked {
    bytes: [u8; 32],
    /// The page.
    pub page: Page,
}

impl Spooled for Ranked {
    fn order(&self, other: &Self) -> Ordering {
        fn rank(ranked: &Ranked) -> (&[u8; 32], &PositionKey, Option<u32>) {
            (&ranked.bytes, &ranked.page.position, ranked.page.ply)
        }
        rank(self).cmp(&rank(other))
    }

    fn bytes(&self) -> usize {
        let page = &self.page;
        let comments = page.entries.iter().filter_map(|entry| entry.comment.as_ref()).chain(&page.comment);
        size_of::<Self>()
            + page.position.as_str().len()
            + page.entries.capacity() * size_of::<Entry>()
            + comments.map(String::len).sum::<usize>()
            + page.analyses.iter().map(|analysis| 64 + analysis.variation.len()).sum::<usize>()
            // Three blocks of the allocator.
            + 48
    }
}

impl Order {
    /// The order in which the pages of a format are written.
    pub const fn of(format: Format) -> Self {
        match format {
            Format::Db | Format::Sbk => Self::Text,
            Format::Ybb => Self::Packed,
            Format::Apery => Self::Apery,
        }
    }

    /// A page with its rank in this order.
    pub fn rank(self, page: Page) -> Ranked {
        let bytes = match self {
            Self::Text => [0; 32],
            Self::Packed => Packing::Sfen.pack(&page.position.to_setup()).unwrap_or([u8::MAX; 32]),
            Self::Apery => {
                let key = apery::key_of_setup(&page.position.to_setup()).to_be_bytes();
                std::array::from_fn(|at| key.get(at).copied().unwrap_or(0))
            }
        };
        Ranked { bytes, page }
    }
}

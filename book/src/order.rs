//! The orders of positions in the formats.

use enbu_movegen::PackedSfen;

use crate::apery;
use crate::format::Format;
use crate::key::PositionKey;
use crate::page::Page;

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
pub(crate) type Item = ([u8; 32], Page);

/// The fields of an item that are compared.
pub(crate) type Rank<'i> = ([u8; 32], &'i PositionKey, Option<u32>);

pub(crate) fn rank(item: &Item) -> Rank<'_> {
    (item.0, &item.1.position, item.1.ply)
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

    pub(crate) fn bytes(self, page: &Page) -> [u8; 32] {
        match self {
            Self::Text => [0; 32],
            Self::Packed => PackedSfen::pack(&page.position.to_setup()).map_or([u8::MAX; 32], |packed| packed.0),
            Self::Apery => {
                let mut bytes = [0; 32];
                let key = apery::key_of_setup(&page.position.to_setup()).to_be_bytes();
                bytes.iter_mut().zip(key).for_each(|(to, from)| *to = from);
                bytes
            }
        }
    }
}

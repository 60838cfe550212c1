//! Games and positions in temporary files, each of which is a shard of a training.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use parking_lot::Mutex;

use crate::codec::{Cursor, decode_plain, encode_game};
use crate::error::FileErrorKind;
use crate::record::{PSV_BYTES, Record};
use crate::source::Item;

/// The first byte of a record, which is that of no game.
const RECORD: u8 = 0xff;

/// A temporary file of games, as in a plain file of games, and of records: [`RECORD`] and a
/// PackedSfenValue.
#[derive(Debug)]
pub(crate) struct Shard {
    /// Its place is that of one reader at a time.
    file: Mutex<BufWriter<File>>,
    items: u64,
    pub(crate) digest: u64,
    /// Its positions to learn from.
    pub(crate) positions: usize,
}

impl Shard {
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::new(tempfile::tempfile_in(folder)?);
        Ok(Self { file: Mutex::new(file), items: 0, digest: 0, positions: 0 })
    }

    pub(crate) fn push(&mut self, item: Item<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        match item {
            Item::Game(game) => {
                encode_game(game, &mut bytes)
                    .ok_or_else(|| io::Error::other("the game does not fit a file of games"))?;
            }
            Item::Record(record) => {
                bytes.push(RECORD);
                bytes.extend(record.to_psv().map_err(io::Error::other)?);
            }
        }
        self.items += 1;
        self.digest = (self.digest ^ enbu_files::fnv1a(&bytes)).wrapping_mul(0x0100_0000_01B3).rotate_left(23);
        self.file.get_mut().write_all(&bytes)
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.file.get_mut().flush()
    }

    /// Visits its items in order.
    pub(crate) fn read(&self, mut visit: impl FnMut(u64, Item<'_>) -> Result<(), FileErrorKind>) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut file = self.file.lock();
        file.rewind()?;
        file.get_mut().read_to_end(&mut bytes)?;
        drop(file);
        let mut cursor = Cursor { bytes: &bytes, at: 0 };
        let visited = (1..=self.items).try_for_each(|number| {
            if cursor.bytes.get(cursor.at) != Some(&RECORD) {
                return visit(number, Item::Game(&decode_plain(&mut cursor, 1)?));
            }
            cursor.at += 1;
            let record = cursor.array("a record").map_err(|_| FileErrorKind::Length(PSV_BYTES))?;
            let record = Record::from_psv(&record).map_err(|error| FileErrorKind::Record { record: 0, error })?;
            visit(number, Item::Record(&record))
        });
        visited.map_err(io::Error::other)
    }
}

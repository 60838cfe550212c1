//! Files of networks.
//!
//! | module | what it reads |
//! |---|---|
//! | [`classic`] | `nn.bin` with one small network behind the transformer, and writes them |
//! | [`stacks`] | `nn.bin` with several, one chosen for each position (SFNN) |
//! | [`own`] | Enbu's own networks, and writes them |
//! | [`shape`] | what a file says about its own sizes |
//!
//! No number of a file is believed before it has been compared with the file's
//! length: nothing is read beyond the end, and no memory is asked for by a number
//! that a file merely claims.

pub mod classic;
mod cursor;
mod leb128;
pub mod own;
pub(crate) mod shape;
pub(crate) mod stacks;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cursor::Cursor;

use super::error::NetworkError;
use super::network::Network;
use super::simd::Simd;

/// The version of `nn.bin` files that all programs write.
pub(crate) const VERSION: u32 = 0x7AF3_2F16;

/// No network is longer: twice the longest that is known.
const MAX_LENGTH: u64 = 1 << 30;

/// The longest description that is believed.
const MAX_TEXT: usize = 4096;

/// Reads a network of any kind.
pub(crate) fn read(bytes: &[u8], simd: Simd) -> Result<Network, NetworkError> {
    if bytes.starts_with(&own::MAGIC) {
        return own::read(bytes, simd);
    }
    let mut cursor = Cursor::new(bytes);
    check_version(cursor.u32("the version")?)?;
    let header = Header::read(&mut cursor)?;
    if stacks::follow(&cursor) { stacks::read(cursor, &header, simd) } else { classic::read(cursor, &header, simd) }
}

fn check_version(found: u32) -> Result<(), NetworkError> {
    if found == VERSION { Ok(()) } else { Err(NetworkError::Version { found }) }
}

/// Reads the file at `path`. What cannot be a network is refused by its first bytes
/// and its length, before the rest is read.
pub(crate) fn load(path: &Path, simd: Simd) -> Result<Network, NetworkError> {
    // Opening a folder succeeds on some systems and fails on others with a reason
    // that does not say so.
    if std::fs::metadata(path)?.is_dir() {
        return Err(NetworkError::NotAFile);
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(NetworkError::NotAFile);
    }
    if metadata.len() > MAX_LENGTH {
        return Err(NetworkError::TooLong { length: metadata.len(), most: MAX_LENGTH });
    }
    let mut bytes = Vec::new();
    file.by_ref().take(own::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if !bytes.starts_with(&own::MAGIC) {
        check_version(Cursor::new(&bytes).u32("the version")?)?;
    }
    bytes.try_reserve_exact(metadata.len() as usize)?;
    // The file may grow meanwhile.
    file.take(MAX_LENGTH).read_to_end(&mut bytes)?;
    read(&bytes, simd)
}

/// What `nn.bin` files of both families begin with, behind the version.
pub(crate) struct Header<'a> {
    /// Of the whole file; wrong in some files that are in use.
    pub(crate) hash: u32,
    /// The description; often wrong.
    pub(crate) text: &'a str,
    /// Where the description ends.
    pub(crate) end: usize,
}

impl<'a> Header<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, NetworkError> {
        let hash = cursor.u32("the file hash")?;
        let offset = cursor.offset();
        let length = cursor.u32("the length of the description")? as usize;
        if length > MAX_TEXT {
            let (part, expected) = ("the length of the description", "0 to 4096");
            return Err(NetworkError::Field { part, offset, value: length as i64, expected });
        }
        let text = cursor.take(length, "the description")?;
        // Only words in ASCII mean anything to us.
        let text = text.utf8_chunks().map(|chunk| chunk.valid()).max_by_key(|text| text.len()).unwrap_or_default();
        Ok(Self { hash, text, end: cursor.offset() })
    }

    /// The scale that some files name, `fv_scale=N` with N from 1 to 128.
    pub(crate) fn scale(&self) -> Option<i32> {
        let (_, rest) = self.text.split_once("fv_scale=")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|scale| (1..=128).contains(scale))
    }
}

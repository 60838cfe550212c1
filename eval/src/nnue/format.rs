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
mod header;
mod leb128;
pub mod own;
pub(crate) mod shape;
pub(crate) mod stacks;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cursor::Cursor;
use header::{Header, VERSION};

use super::error::NetworkError;
use super::network::Network;
use super::simd::Simd;

/// No network is longer: twice the longest that is known.
const MAX_LENGTH: u64 = 1 << 30;

impl Network {
    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// [`NetworkError`] with the offset of what is wrong.
    ///
    /// ```
    /// use enbu_eval::nnue::{Network, Simd};
    /// let error = Network::from_bytes(b"not a network", Simd::best()).expect_err("no network");
    /// assert!(error.to_string().starts_with("is no network of a known version"));
    /// ```
    pub fn from_bytes(bytes: &[u8], simd: Simd) -> Result<Self, NetworkError> {
        read(bytes, simd)
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`NetworkError`] when it cannot be read, or with the offset of what is wrong.
    pub fn load(path: &Path, simd: Simd) -> Result<Self, NetworkError> {
        load(path, simd)
    }
}

/// Reads a network of any kind.
fn read(bytes: &[u8], simd: Simd) -> Result<Network, NetworkError> {
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
fn load(path: &Path, simd: Simd) -> Result<Network, NetworkError> {
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

//! Network files.
//!
//! | module | contents |
//! |---|---|
//! | [`classic`] | `nn.bin` with one small network after the first layer: reader and writer |
//! | [`stacks`] | `nn.bin` with several, one selected for each position (SFNN): reader |
//! | [`own`] | Enbu's own networks: reader and writer |
//!
//! Every length field is checked against the file size before it is used: no read goes
//! past the end, and no allocation exceeds the size of the file.

pub mod classic;
pub(crate) mod cursor;
mod header;
mod leb128;
pub mod own;
pub(crate) mod stacks;

use std::path::Path;

use enbu_files::FileKind;
use enbu_language::Words;

use cursor::Cursor;
use header::{Header, VERSION};

use super::error::NetworkError;
use super::memory::Constants;
use super::network::Network;
use super::simd::Simd;

impl Network {
    /// Reads a network of any family from the bytes of a file.
    ///
    /// # Errors
    /// [`NetworkError`] with the offset of the fault.
    ///
    /// ```
    /// use enbu_eval::nnue::{Network, Simd};
    /// let error = Network::from_bytes(b"not a network", Simd::best()).expect_err("no network");
    /// assert!(error.to_string().starts_with("not a network of a known version"));
    /// ```
    pub fn from_bytes(bytes: &[u8], simd: Simd) -> Result<Self, NetworkError> {
        if bytes.starts_with(&own::MAGIC) {
            return own::read(bytes, simd, own::verify, |cursor, count, part| {
                cursor.words(count, part).map(Constants::Read)
            });
        }
        let mut cursor = Cursor::new(bytes);
        let found = cursor.u32(Words("the version", "バージョン"))?;
        if found != VERSION {
            return Err(NetworkError::Version { found });
        }
        let header = Header::read(&mut cursor)?;
        if stacks::follow(&cursor) { stacks::read(cursor, &header, simd) } else { classic::read(cursor, &header, simd) }
    }

    /// Reads the file at `path`; the whole of it only if it begins as a network does.
    ///
    /// # Errors
    /// [`NetworkError`] when it cannot be read, or with the offset of the fault.
    pub fn load(path: &Path, simd: Simd) -> Result<Self, NetworkError> {
        let is_wanted = |head: &[u8]| head.starts_with(&own::MAGIC) || head.starts_with(&VERSION.to_le_bytes());
        Self::from_bytes(&enbu_files::read_if(path, FileKind::Network, is_wanted)?, simd)
    }
}

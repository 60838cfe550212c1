//! The header of `nn.bin` files of both families.

use enbu_language::Words;

use super::cursor::Cursor;
use crate::nnue::error::NetworkError;

/// The version in all `nn.bin` files.
pub(crate) const VERSION: u32 = 0x7AF3_2F16;

/// The limit of the description in bytes.
const MAX_TEXT: usize = 4096;

/// The header of `nn.bin` files after the version.
pub(crate) struct Header<'a> {
    /// The hash of the shape; wrong in some files that are in use.
    pub(crate) hash: u32,
    /// The description; often wrong.
    pub(crate) text: &'a str,
    pub(crate) end: usize,
}

impl<'a> Header<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self, NetworkError> {
        let hash = cursor.u32(Words("the file hash", "ファイルのハッシュ"))?;
        let offset = cursor.offset();
        let part = Words("the length of the description", "説明文の長さ");
        let length = cursor.u32(part)? as usize;
        if length > MAX_TEXT {
            let expected = Words("0 to 4096", "0～4096");
            return Err(NetworkError::Field { part, offset, value: length as i64, expected });
        }
        let text = cursor.take(length, Words("the description", "説明文"))?;
        // Only ASCII words are evaluated.
        let text = text.utf8_chunks().map(|chunk| chunk.valid()).max_by_key(|text| text.len()).unwrap_or_default();
        Ok(Self { hash, text, end: cursor.offset() })
    }

    /// The scale in the description of some files, `fv_scale=N` with N from 1 to 128.
    pub(crate) fn scale(&self) -> Option<i32> {
        let (_, rest) = self.text.split_once("fv_scale=")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|scale| (1..=128).contains(scale))
    }
}

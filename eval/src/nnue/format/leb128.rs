//! Compressed numbers: signed LEB128, after a magic string and the length in bytes.
//!
//! Each byte holds seven bits, least significant first; its highest bit is set if more
//! follow, and bit 6 of the last byte is the sign. All numbers here fit 16 bits, in at
//! most three bytes.

use enbu_language::Words;

use super::cursor::Cursor;
use crate::nnue::error::NetworkError;

/// The magic string before a block.
pub(crate) const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// A block that has been found but not decoded.
pub(crate) struct Compressed<'a> {
    bytes: &'a [u8],
    offset: usize,
    part: Words,
}

impl<'a> Compressed<'a> {
    /// Finds the next block, which holds `part`.
    pub(crate) fn find(cursor: &mut Cursor<'a>, part: Words) -> Result<Self, NetworkError> {
        let offset = cursor.offset();
        if cursor.take(MAGIC.len(), part)? != MAGIC {
            let reason = Words("COMPRESSED_LEB128 is missing", "COMPRESSED_LEB128 がありません");
            return Err(NetworkError::Compressed { part, offset, reason });
        }
        let size = cursor.u32(part)? as usize;
        let offset = cursor.offset();
        Ok(Self { bytes: cursor.take(size, part)?, offset, part })
    }

    pub(crate) fn count(&self) -> usize {
        self.bytes.iter().filter(|&&byte| byte < 0x80).count()
    }

    /// Decodes all numbers into `numbers`, whose length must be [`count`](Self::count).
    pub(crate) fn decode(&self, numbers: &mut [i16]) -> Result<(), NetworkError> {
        let mut bytes = self.bytes.iter();
        for number in numbers {
            *number = next(&mut bytes).map_err(|reason| self.error(&bytes, reason))?;
        }
        let too_many = Words("there are too many", "数値が多すぎます");
        if bytes.as_slice().is_empty() { Ok(()) } else { Err(self.error(&bytes, too_many)) }
    }

    fn error(&self, bytes: &std::slice::Iter<'_, u8>, reason: Words) -> NetworkError {
        let offset = self.offset + self.bytes.len() - bytes.as_slice().len();
        NetworkError::Compressed { part: self.part, offset, reason }
    }
}

fn next(bytes: &mut std::slice::Iter<'_, u8>) -> Result<i16, Words> {
    let mut value = 0;
    for shift in [0, 7, 14] {
        let byte = *bytes.next().ok_or(Words("the last number is cut off", "最後の数値が途中で切れています"))?;
        value |= i32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            let unused = 25 - shift;
            let too_large = Words("a number exceeds 16 bits", "16 ビットを超える数値があります");
            return i16::try_from(value << unused >> unused).map_err(|_| too_large);
        }
    }
    Err(Words("a number has more than three bytes", "3 バイトを超える数値があります"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Words = Words("test", "試験");

    fn block(numbers: &[u8]) -> Vec<u8> {
        [MAGIC, &(numbers.len() as u32).to_le_bytes()[..], numbers].concat()
    }

    #[test]
    fn numbers_are_decoded() {
        let bytes = block(&[0x7F, 63, 0xC0, 0, 0xBF, 0x7F, 0x88, 0xC0, 0, 0xFF, 0xFF, 1, 0x80, 0x80, 0x7E]);
        let mut cursor = Cursor::new(&bytes);
        let block = Compressed::find(&mut cursor, TEST).expect("a block");
        let mut numbers = [0; 7];
        assert_eq!(block.count(), numbers.len());
        block.decode(&mut numbers).expect("numbers");
        assert_eq!(numbers, [-1, 63, 64, -65, 8200, i16::MAX, i16::MIN]);
        assert!(cursor.end().is_ok());
    }

    #[test]
    fn damaged_numbers_are_named_with_their_offset() {
        for (numbers, count, offset, reason) in [
            (&[1, 2][..], 1, 22, "too many"),
            (&[1, 0x80], 2, 23, "cut off"),
            (&[0x80, 0x80, 0x80, 0], 1, 24, "three bytes"),
            (&[0x80, 0x80, 2], 1, 24, "16 bits"),
            (&[], 1, 21, "cut off"),
        ] {
            let bytes = block(numbers);
            let error = Compressed::find(&mut Cursor::new(&bytes), TEST)
                .expect("a block")
                .decode(&mut vec![0; count])
                .expect_err("damaged");
            let text = error.to_string();
            assert!(text.contains(reason) && text.contains(&format!("offset {offset}:")), "{text}");
        }
    }

    #[test]
    fn a_block_longer_than_the_file_is_refused() {
        let mut bytes = block(&[1, 2, 3]);
        bytes[17..21].copy_from_slice(&u32::MAX.to_le_bytes());
        let found = Compressed::find(&mut Cursor::new(&bytes), TEST);
        assert!(matches!(found, Err(NetworkError::Truncated { needed: 0xFFFF_FFFF, left: 3, .. })));
    }
}

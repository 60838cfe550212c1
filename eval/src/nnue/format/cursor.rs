//! Reading a file from front to back.

use enbu_language::Words;

use crate::nnue::error::NetworkError;
use crate::nnue::memory::Block;

/// A reading position in the bytes of a file.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes that have not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    /// The next `length` bytes, which hold `part`.
    pub(crate) fn take(&mut self, length: usize, part: Words) -> Result<&'a [u8], NetworkError> {
        let rest = self.rest();
        let taken = rest.get(..length).ok_or(NetworkError::Truncated {
            part,
            offset: self.offset,
            needed: length,
            left: rest.len(),
        })?;
        self.offset += length;
        Ok(taken)
    }

    /// The next `count` numbers of `N` bytes each.
    pub(crate) fn numbers<const N: usize>(&mut self, count: usize, part: Words) -> Result<&'a [[u8; N]], NetworkError> {
        Ok(self.take(count.saturating_mul(N), part)?.as_chunks::<N>().0)
    }

    /// The next `count` 16-bit numbers.
    pub(crate) fn words(&mut self, count: usize, part: Words) -> Result<Block<i16>, NetworkError> {
        let numbers = self.numbers::<2>(count, part)?;
        let mut block = Block::zeroed(count)?;
        block.iter_mut().zip(numbers).for_each(|(word, &bytes)| *word = i16::from_le_bytes(bytes));
        Ok(block)
    }

    /// The next `count` 8-bit numbers.
    pub(crate) fn bytes(&mut self, count: usize, part: Words) -> Result<&'a [i8], NetworkError> {
        Ok(bytemuck::cast_slice(self.take(count, part)?))
    }

    /// The next `count` 32-bit numbers.
    pub(crate) fn integers(&mut self, count: usize, part: Words) -> Result<Vec<i32>, NetworkError> {
        Ok(self.numbers(count, part)?.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    pub(crate) fn u32(&mut self, part: Words) -> Result<u32, NetworkError> {
        let numbers = self.numbers(1, part)?;
        Ok(u32::from_le_bytes(numbers.first().copied().unwrap_or_default()))
    }

    /// Checks that the file ends here.
    pub(crate) fn end(&self) -> Result<(), NetworkError> {
        match self.rest().len() {
            0 => Ok(()),
            extra => Err(NetworkError::TooMuch { offset: self.offset, extra }),
        }
    }
}

//! Reading a file at any offset.
//!
//! Books are read rather than mapped into memory: a mapped file that another program
//! truncates kills the engine by SIGBUS, possibly during a game, and a search takes about
//! 30 reads of cached pages.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use parking_lot::Mutex;

use crate::error::{BookError, Fault};

/// An open file and its length.
#[derive(Debug)]
pub(crate) struct Disk {
    file: Mutex<File>,
    pub(crate) len: u64,
}

impl Disk {
    pub(crate) fn new(file: File) -> Result<Self, BookError> {
        let len = file.metadata()?.len();
        Ok(Self { file: Mutex::new(file), len })
    }

    /// The bytes from `offset` on, up to `size`, fewer at the end of the file.
    pub(crate) fn read(&self, offset: u64, size: usize) -> Result<Vec<u8>, BookError> {
        let mut bytes = Vec::with_capacity(size);
        let mut file = self.file.lock();
        let read =
            file.seek(SeekFrom::Start(offset)).and_then(|_| (&mut *file).take(size as u64).read_to_end(&mut bytes));
        read.map_err(|error| BookError::offset(offset, error))?;
        Ok(bytes)
    }

    /// The `N` bytes from `offset` on.
    pub(crate) fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], BookError> {
        self.read(offset, N)?.try_into().map_err(|_| BookError::offset(offset, Fault::Truncated))
    }
}

/// The first of `count` numbers that is not before the place looked for.
pub(crate) fn bisect(count: u64, mut is_before: impl FnMut(u64) -> Result<bool, BookError>) -> Result<u64, BookError> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle)? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

/// Numbers of records all over a file of `count`, which are compared when it is opened.
pub(crate) fn samples(count: u64) -> impl Iterator<Item = u64> {
    const SAMPLES: u64 = 1024;
    let samples = count.min(SAMPLES);
    // No overflow: a file has fewer than 2^60 records.
    (0..samples).map(move |sample| if samples == count { sample } else { count / samples * sample })
}

/// The `N` bytes at an index, or zeros where there are fewer: for records that were read
/// as a whole.
pub(crate) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|part| part.try_into().ok()).unwrap_or([0; N])
}

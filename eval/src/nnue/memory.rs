//! Memory for weights and accumulators, aligned to cache lines, in huge pages if available.
//!
//! Files are read into it rather than mapped, although engines on one machine could share a
//! mapped file. Copying a new network over a mapped one truncates it for a moment, and a
//! process that reads a missing page is killed by SIGBUS, possibly during a game. Mapped
//! files also use small pages: a network of 256 MB (HalfKP 1024x2-8-64) lost 5 % of its
//! nodes per second from matsuri to TLB misses; one of 64 MB lost nothing.

use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// The size from which a block has pages of its own. The rows of a large network are read
/// at random: with small pages each read is a TLB miss as well.
const OWN_PAGES: usize = 4 << 20;

/// A fixed number of integers, aligned to a cache line.
#[derive(Debug)]
pub(crate) struct Block<T> {
    store: Store<T>,
    len: usize,
}

#[derive(Debug)]
enum Store<T> {
    Heap { buffer: Vec<T>, start: usize },
    Pages(MmapMut),
}

impl<T: Pod> Block<T> {
    /// `len` zeros.
    pub(crate) fn zeroed(len: usize) -> Result<Self, TryReserveError> {
        if let Some(pages) = Self::pages(len) {
            return Ok(Self { store: Store::Pages(pages), len });
        }
        let spare = LINE / size_of::<T>();
        let mut buffer = Vec::new();
        if let Ok(zeros) = bytemuck::try_zeroed_vec(len.saturating_add(spare)) {
            // Pages that are zero until they are used.
            buffer = zeros;
        } else {
            buffer.try_reserve_exact(len.saturating_add(spare))?;
            buffer.resize(len + spare, T::zeroed());
        }
        let start = buffer.as_ptr().align_offset(LINE).min(spare);
        Ok(Self { store: Store::Heap { buffer, start }, len })
    }

    /// Pages for a large block, if the system provides any.
    fn pages(len: usize) -> Option<MmapMut> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes >= OWN_PAGES)?;
        let pages = MmapMut::map_anon(bytes).ok()?;
        #[cfg(target_os = "linux")]
        {
            // Affects only speed; not every kernel supports it.
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        Some(pages)
    }

    /// A copy of `numbers`.
    pub(crate) fn copy_of(numbers: &[T]) -> Result<Self, TryReserveError> {
        let mut block = Self::zeroed(numbers.len())?;
        block.copy_from_slice(numbers);
        Ok(block)
    }
}

impl<T: Pod> Deref for Block<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.store {
            Store::Heap { buffer, start } => &buffer[*start..*start + self.len],
            Store::Pages(pages) => &bytemuck::cast_slice(&pages[..self.len * size_of::<T>()])[..self.len],
        }
    }
}

impl<T: Pod> DerefMut for Block<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.store {
            Store::Heap { buffer, start } => &mut buffer[*start..*start + self.len],
            Store::Pages(pages) => &mut bytemuck::cast_slice_mut(&mut pages[..self.len * size_of::<T>()])[..self.len],
        }
    }
}

/// Numbers that do not change, of a file or of the program.
#[derive(Debug)]
pub(crate) enum Constants<T: 'static> {
    Read(Block<T>),
    /// In the program, from the beginning of a cache line on: no system overwrites one that runs.
    InPlace(&'static [T]),
}

impl<T: Pod> Constants<T> {
    /// The numbers in `bytes`, unless they have to be copied.
    pub(crate) fn in_place(bytes: &'static [u8]) -> Option<Self> {
        let is_ready = cfg!(target_endian = "little") && bytes.as_ptr().align_offset(LINE) == 0;
        bytemuck::try_cast_slice(bytes).ok().filter(|_| is_ready).map(Self::InPlace)
    }
}

impl<T: Pod> Deref for Constants<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Read(block) => block,
            Self::InPlace(numbers) => numbers,
        }
    }
}

impl<T: Pod> Clone for Block<T> {
    /// Aborts if out of memory, like every clone.
    fn clone(&self) -> Self {
        let mut buffer = vec![T::zeroed(); self.len + LINE / size_of::<T>()];
        let start = buffer.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        buffer[start..start + self.len].copy_from_slice(self);
        Self { store: Store::Heap { buffer, start }, len: self.len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_on_a_cache_line_and_keep_their_numbers() {
        for len in [0, 1, 31, 32, 33, 1000, OWN_PAGES / 2, OWN_PAGES] {
            let numbers: Vec<i16> = (0..len).map(|index| index as i16).collect();
            let block = Block::copy_of(&numbers).expect("memory");
            assert_eq!(block.as_ptr() as usize % LINE, 0);
            assert_eq!(*block, *numbers);
            assert_eq!(*block.clone(), *numbers);
            assert_eq!(block.clone().as_ptr() as usize % LINE, 0);
        }
    }

    #[test]
    fn more_than_all_memory_is_an_error() {
        assert!(Block::<i16>::zeroed(usize::MAX / 8).is_err());
        assert!(Block::<i32>::zeroed(usize::MAX).is_err());
    }
}

//! Memory from the system for large tables.

use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_slice_box;
use memmap2::{MmapMut, MmapRaw};

/// Size in bytes of the smallest page.
pub(crate) const SMALLEST: usize = 4 << 10;

/// A large table of zeros: pages of the system, or of the heap where the system maps none.
pub(crate) struct Pages<T> {
    store: Store<T>,
    len: usize,
}

enum Store<T> {
    System(MmapRaw),
    Heap(Box<[T]>),
}

impl<T: Zeroable> Pages<T> {
    /// `len` zeros; `None` without the memory. Huge pages if the system has them: large tables are
    /// read at random, and with small pages each read misses the TLB as well.
    ///
    /// Pages that nothing touches take no time and no memory.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        const { assert!(align_of::<T>() <= SMALLEST) };
        let store = match MmapMut::map_anon(len.checked_mul(size_of::<T>())?) {
            Ok(pages) => {
                #[cfg(target_os = "linux")]
                {
                    // Only speed depends on it, and kernels may be built without.
                    let _ = pages.advise(memmap2::Advice::HugePage);
                }
                Store::System(pages.into())
            }
            Err(_) => Store::Heap(try_zeroed_slice_box(len).ok()?),
        };
        Some(Self { store, len })
    }
}

#[expect(unsafe_code, reason = "memory from the system has no type")]
impl<T: Zeroable> Deref for Pages<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.store {
            // SAFETY: the pages are readable, private to this process, on a page boundary, as long as
            // `len` items (`zeroed`), valid at first since zeros are, and live as long as `self`,
            // through which alone they are reached.
            Store::System(pages) => unsafe { std::slice::from_raw_parts(pages.as_ptr().cast(), self.len) },
            Store::Heap(items) => items,
        }
    }
}

#[expect(unsafe_code, reason = "memory from the system has no type")]
impl<T: Zeroable> DerefMut for Pages<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.store {
            // SAFETY: as above; the pages are writable, and `self` is borrowed exclusively.
            Store::System(pages) => unsafe { std::slice::from_raw_parts_mut(pages.as_mut_ptr().cast(), self.len) },
            Store::Heap(items) => items,
        }
    }
}

/// The amount of memory that Linux reports under `field` ("MemTotal:"), in megabytes (2^20 bytes);
/// `None` on other systems.
pub fn system_mb(field: &str) -> Option<usize> {
    megabytes(&std::fs::read_to_string("/proc/meminfo").ok()?, field)
}

fn megabytes(meminfo: &str, field: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_heap_take_the_place_of_those_of_the_system() {
        let heap = Store::Heap(try_zeroed_slice_box(3).expect("memory"));
        for mut pages in [Pages::<u64>::zeroed(3).expect("memory"), Pages { store: heap, len: 3 }] {
            assert_eq!(*pages, [0; 3]);
            pages[1] = 7;
            assert_eq!(*pages, [0, 7, 0]);
        }
        assert!(Pages::<u64>::zeroed(usize::MAX / 2).is_none() && Pages::<u64>::zeroed(1 << 58).is_none());
    }

    #[test]
    fn the_memory_is_read_in_kilobytes() {
        let text = "MemTotal:       24684092 kB\nMemFree:          384012 kB\n";
        assert_eq!((megabytes(text, "MemTotal:"), megabytes(text, "MemFree:")), (Some(24_105), Some(375)));
        for odd in ["", "MemFree: 5 kB\n", "MemTotal:\n", "MemTotal: many\n", "MemTotal: 99999999999999999999 kB\n"] {
            assert_eq!(megabytes(odd, "MemTotal:"), None, "{odd}");
        }
    }
}

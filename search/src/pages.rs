//! Memory from the system for large tables.

use memmap2::MmapMut;

/// Size in bytes of the smallest page.
pub(crate) const SMALLEST: usize = 4 << 10;

/// Zeros on a page boundary, in huge pages where the system has them: large tables are read at
/// random, and with small pages each read misses the TLB as well. `None` without so much memory.
///
/// Pages that nothing touches take no time and no memory.
pub(crate) fn zeroed(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    {
        // Only speed depends on it, and kernels may be built without.
        let _ = pages.advise(memmap2::Advice::HugePage);
    }
    Some(pages)
}

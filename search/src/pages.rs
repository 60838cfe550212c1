//! Memory from the system for large tables.

use memmap2::MmapMut;

/// Size in bytes of the smallest page.
pub(crate) const SMALLEST: usize = 4 << 10;

/// Zeros on a page boundary, in huge pages if the system has them: large tables are read at random,
/// and with small pages each read misses the TLB as well. `None` without the memory.
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
    fn the_memory_is_read_in_kilobytes() {
        let text = "MemTotal:       24684092 kB\nMemFree:          384012 kB\n";
        assert_eq!((megabytes(text, "MemTotal:"), megabytes(text, "MemFree:")), (Some(24_105), Some(375)));
        for odd in ["", "MemFree: 5 kB\n", "MemTotal:\n", "MemTotal: many\n", "MemTotal: 99999999999999999999 kB\n"] {
            assert_eq!(megabytes(odd, "MemTotal:"), None, "{odd}");
        }
    }
}

//! Defaults that depend on the machine: threads and memory.

use std::fs;

/// Most threads that are used without being asked for: beyond it a person should decide.
const MOST_THREADS: i64 = 8;

/// Share of the memory that the transposition table takes by default.
const MEMORY_PER_HASH: u64 = 8;

/// Smallest and largest default of the transposition table, in MB.
const HASH_RANGE: (u64, u64) = (16, 1024);

/// Default where the system does not say how much memory it has, in MB.
const UNKNOWN_HASH: i64 = 512;

/// Files in which Linux names limits of memory for a group of processes, in bytes.
const LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// The processors that this process may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Default of `Threads`: the processors that this process may use, at most 8.
pub(crate) fn threads() -> i64 {
    i64::try_from(processors()).unwrap_or(MOST_THREADS).min(MOST_THREADS)
}

/// Default of `USI_Hash` in MB: an eighth of the memory, rounded down to a power of two,
/// from 16 to 1024; 512 where the system does not name its memory.
pub(crate) fn hash_mb() -> i64 {
    let total = enbu_search::system_mb("MemTotal:").map(|megabytes| (megabytes as u64) << 20);
    let limits = LIMITS.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    total.into_iter().chain(limits).min().map_or(UNKNOWN_HASH, hash_mb_for)
}

fn hash_mb_for(bytes: u64) -> i64 {
    let (least, most) = HASH_RANGE;
    let share = ((bytes >> 20) / MEMORY_PER_HASH).clamp(least, most);
    i64::try_from(1_u64 << share.ilog2()).unwrap_or(UNKNOWN_HASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_an_eighth_of_the_memory_within_bounds() {
        let megabytes = |mb: u64| hash_mb_for(mb << 20);
        assert_eq!([0, 64, 200, 512, 2048].map(megabytes), [16, 16, 16, 64, 256]);
        assert_eq!([3900, 8000, 8192, 24_105, 1 << 40].map(megabytes), [256, 512, 1024, 1024, 1024]);
    }

    #[test]
    fn the_defaults_of_this_machine_are_within_their_bounds() {
        assert!((1..=8).contains(&threads()) && (16..=1024).contains(&hash_mb()));
    }
}

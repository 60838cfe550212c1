//! Lock-free sharing of a cluster of entries between threads.
//!
//! An entry is two words: its data, and its key exclusive-ored with its data. Both are
//! atomic, but not together: a thread may read one word of one entry and one of
//! another. Such a torn pair yields the key of neither, so that no probe takes it
//! for data (Hyatt and Mann 2002).
//!
//! The functions take any words that can be read and written, so that `tests/loom` can
//! run this file on loom's. Its tests try every order in which threads may run with up to two
//! interruptions, and every value that relaxed loads may return, and prove for one and
//! two entries, with up to three threads: data found under a key was stored under that key, whole; and a move that
//! a store keeps was stored under its key. Not part of the proof is one chance in
//! 2^64: that the data of two entries differs by exactly the difference of their keys.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word that threads share.
pub(super) trait Word {
    /// Its value, or an older one that this thread has not seen replaced.
    fn read(&self) -> u64;

    fn write(&self, value: u64);
}

impl Word for AtomicU64 {
    #[inline]
    fn read(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline]
    fn write(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }
}

/// The data stored under `key`; never 0, which is an empty entry.
#[inline]
pub(super) fn find<W: Word>(cluster: &[W], key: u64) -> Option<u64> {
    cluster.chunks_exact(2).find_map(|entry| {
        let data = entry[1].read();
        (entry[0].read() ^ data == key && data != 0).then_some(data)
    })
}

/// Stores under `key` the result of `data` on the data stored there before. If there was none, the
/// entry whose data is `worth` least is replaced.
#[inline]
pub(super) fn put<W: Word>(cluster: &[W], key: u64, worth: impl Fn(u64) -> i32, data: impl FnOnce(Option<u64>) -> u64) {
    let mut victim = 0;
    let mut least = i32::MAX;
    let mut known = None;
    for (slot, entry) in cluster.chunks_exact(2).enumerate() {
        let old = entry[1].read();
        if entry[0].read() ^ old == key {
            known = Some(old);
            victim = slot;
            break;
        }
        let worth = worth(old);
        if worth < least {
            least = worth;
            victim = slot;
        }
    }
    let data = data(known);
    cluster[2 * victim].write(key ^ data);
    cluster[2 * victim + 1].write(data);
}

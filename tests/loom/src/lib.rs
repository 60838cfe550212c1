//! Proofs about a cluster of the transposition table: every order of threads, and every
//! value that relaxed loads may return.

#![cfg(test)]

#[path = "../../../search/src/tt/cluster.rs"]
mod cluster;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64 as ModelWord, Ordering};
use loom::thread;

use cluster::{Word, find, put};

impl Word for ModelWord {
    fn read(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    fn write(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }
}

/// Preemptions of a thread within its operations: without a bound the
/// orders of three threads are too many to try.
const SWITCHES: usize = 2;

const KEYS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

/// Data with its key in the high half and its writer in the next quarter;
/// the lowest quarter is the move.
fn data(key: u64, writer: u64, mv: u64) -> u64 {
    key >> 32 << 32 | writer << 16 | mv
}

/// Operation of a thread: a store with the move (`0`: none), a look, or nothing.
#[derive(Clone, Copy)]
enum Act {
    Put { key: u64, mv: u64 },
    Find { key: u64 },
    Rest,
}

fn act(cluster: &[ModelWord], writer: u64, act: Act) {
    match act {
        Act::Put { key, mv } => put(
            cluster,
            key,
            |old| old as i32 & 0xff,
            |known| {
                let kept = known.filter(|_| mv == 0).map_or(mv, |known| known & 0xffff);
                data(key, writer, kept)
            },
        ),
        Act::Rest => {}
        Act::Find { key } => {
            if let Some(found) = find(cluster, key) {
                is_whole(found, key);
            }
        }
    }
}

/// Whoever stored it stored all of it, and moves follow from keys here.
fn is_whole(found: u64, key: u64) {
    let (writer, mv) = (found >> 16 & 0xffff, found & 0xffff);
    assert_eq!(found, data(key, writer, mv), "torn: {found:x}");
    assert!((1..=3).contains(&writer) && (mv == 0 || mv == move_of(key)), "mixed: {found:x}");
}

fn move_of(key: u64) -> u64 {
    key & 0x7f | 0x80
}

/// Runs the acts of each thread in every order with at most [`SWITCHES`] of them; then looks again.
fn check<const THREADS: usize>(entries: usize, threads: [[Act; 2]; THREADS]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(SWITCHES);
    model.check(move || {
        let words = (0..2 * entries).map(|_| ModelWord::new(0)).collect::<Vec<_>>();
        let cluster = Arc::new(words);
        let running: Vec<_> = (1..)
            .zip(threads)
            .map(|(writer, acts)| {
                let cluster = Arc::clone(&cluster);
                thread::spawn(move || acts.iter().for_each(|&one| act(&cluster, writer, one)))
            })
            .collect();
        running.into_iter().for_each(|thread| thread.join().expect("it ends"));
        for key in KEYS {
            act(&cluster, 9, Act::Find { key });
        }
    });
}

const fn put_of(key: u64) -> Act {
    Act::Put { key, mv: key & 0x7f | 0x80 }
}

const fn find_of(key: u64) -> Act {
    Act::Find { key }
}

#[test]
fn two_stores_and_looks_in_one_entry() {
    check(1, [[put_of(KEYS[0]), find_of(KEYS[0])], [put_of(KEYS[1]), find_of(KEYS[0])]]);
}

#[test]
fn a_third_thread_sees_nothing_torn() {
    check(1, [[put_of(KEYS[0]), Act::Rest], [put_of(KEYS[1]), Act::Rest], [find_of(KEYS[0]), Act::Rest]]);
}

#[test]
fn a_kept_move_is_of_its_own_position() {
    let keep = Act::Put { key: KEYS[0], mv: 0 };
    check(1, [[put_of(KEYS[0]), put_of(KEYS[1])], [keep, find_of(KEYS[0])]]);
}

#[test]
fn stores_that_meet_in_two_entries() {
    let keep = Act::Put { key: KEYS[1], mv: 0 };
    check(2, [[put_of(KEYS[0]), put_of(KEYS[1])], [keep, find_of(KEYS[0])]]);
}

/// Check of the model itself: it must find the fault of a table that keeps bare keys.
#[test]
#[should_panic(expected = "torn")]
fn bare_keys_would_be_torn() {
    loom::model(|| {
        let words = Arc::new([ModelWord::new(0), ModelWord::new(0)]);
        let writers = (1..).zip(KEYS).map(|(writer, key)| {
            let words = Arc::clone(&words);
            thread::spawn(move || {
                words[0].write(key);
                words[1].write(data(key, writer, move_of(key)));
            })
        });
        let writers: Vec<_> = writers.collect();
        let found = words[1].read();
        if found != 0 && words[0].read() == KEYS[0] {
            is_whole(found, KEYS[0]);
        }
        writers.into_iter().for_each(|thread| thread.join().expect("it ends"));
    });
}

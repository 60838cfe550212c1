//! The contracts of the readers for any bytes. The targets of `tests/fuzz` and the seeded
//! test `tests/tests/mutations.rs` check them.
//!
//! A reader refuses or accepts. It never panics, a refusal is one line of text, and what it accepts can be written and read again.

mod books;
mod games;
mod lines;
mod records;
mod server;
mod texts;

use rand::{Rng, RngExt};

use crate::networks::{self, damage};

/// A family of readers, with the name of its target in `tests/fuzz`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Reads any bytes in every way; panics if a contract is broken.
    pub examine: fn(&[u8]),
    /// Returns the seed corpus.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every family.
pub const TARGETS: [Target; 7] = [
    Target { name: "books", examine: books::examine, seeds: books::seeds },
    Target { name: "games", examine: games::examine, seeds: games::seeds },
    Target { name: "lines", examine: lines::examine, seeds: lines::seeds },
    Target { name: "networks", examine: examine_network, seeds: network_files },
    Target { name: "records", examine: records::examine, seeds: records::seeds },
    Target { name: "server", examine: server::examine, seeds: server::seeds },
    Target { name: "texts", examine: texts::examine, seeds: texts::seeds },
];

/// Examines bytes by the contract of the target `name`.
///
/// # Panics
/// If the contract is broken, or no target has the name.
pub fn examine(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no target `{name}`")).examine)(bytes);
}

fn examine_network(bytes: &[u8]) {
    // Most bytes are refused.
    let _ = damage::examine(bytes);
    let _ = damage::examine(&damage::resealed(bytes.to_vec()));
}

fn network_files() -> Vec<Vec<u8>> {
    let file = |shape: &str| {
        let mut bytes = Vec::new();
        networks::write(shape, &mut bytes).unwrap_or_else(|error| panic!("{shape}: {error}"));
        bytes
    };
    ["kp-32x2-8-16", "sfnn-ka2-64-7-8-progress4", "enbu-64-b2", "enbu-64-attacks-16-32"].map(file).to_vec()
}

/// One of `files` with one to six changes: bytes flipped, cut, doubled or moved, numbers at
/// their limits, parts of other files.
pub fn mutated(files: &[Vec<u8>], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = files[random.random_range(0..files.len())].clone();
    for _ in 0..random.random_range(1..=6) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(0..50)).min(bytes.len());
        match random.random_range(0..8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].repeat(random.random_range(1..40));
                drop(bytes.splice(at..at, part));
            }
            3 => {
                let other = &files[random.random_range(0..files.len())];
                let from = random.random_range(0..=other.len());
                let part = other[from..(from + 200).min(other.len())].to_vec();
                drop(bytes.splice(at..end, part));
            }
            4 => bytes.insert(at, *b"\n \t\"'-+[{\\\0\x1b".get(random.random_range(0..16)).unwrap_or(&0x81)),
            5 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            6 if at < bytes.len() => bytes[at] = random.random(),
            _ => {
                let fill = if random.random() { 0xFF } else { b'9' };
                bytes[at..end].iter_mut().take(8).for_each(|byte| *byte = fill);
            }
        }
    }
    bytes
}

/// Asserts that a message is one line of text. Control characters are escaped by the front end.
///
/// # Panics
/// If it is not.
fn check_message(message: impl std::fmt::Display) {
    let text = message.to_string();
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
}

//! Damaged files: whatever is done to the bytes of a record, readers and writers
//! do not panic, and what was read can be written and read again.
//!
//! `ENBU_MUTATIONS` sets how many files are tried for each format (500 without it, 2 000 in the slow tests).
//! When it is set, no file may take longer than half a second of processor time, nor
//! the whole test more than 64 MiB of memory, where the system tells them.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are run for by hand")]

use std::fs;
use std::path::Path;

use enbu_kifu::{Format, Mode, WriteOptions, read_any};

use crate::has_slow_rows;

const FOLDERS: [(&str, Format); 7] = [
    ("kif", Format::Kif),
    ("ki2", Format::Ki2),
    ("bod", Format::Bod),
    ("csa", Format::Csa),
    ("sfen", Format::Usi),
    ("pgn", Format::Pgn),
    ("jkf", Format::Jkf),
];

/// Numbers from a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/records").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_none_or(|extension| extension != "tsv"));
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// One to six changes: bytes flipped, removed, doubled, moved, joined with another file.
fn mutated(chance: &mut Chance, files: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = files[chance.below(files.len())].clone();
    for _ in 0..1 + chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(12)).min(bytes.len());
        match chance.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                let times = chance.below(40);
                bytes.splice(at..at, part.repeat(times));
            }
            3 => {
                let other = &files[chance.below(files.len())];
                let from = chance.below(other.len() + 1);
                bytes.splice(at..end, other[from..].iter().copied().take(200));
            }
            4 => bytes.insert(at, [b'\n', b' ', b'(', b')', b'{', b'"', b'9', 0xff][chance.below(8)]),
            5 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            6 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            _ => {
                let line: Vec<u8> =
                    bytes.split(|&byte| byte == b'\n').nth(chance.below(20)).unwrap_or_default().to_vec();
                bytes.splice(at..at, line);
            }
        }
    }
    bytes
}

/// Seconds that this thread was at work, where the system tells them.
fn seconds_at_work() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds * 1e-9)
}

/// The most memory that this process had at once, in MiB, where the system tells it.
fn most_memory_mib() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

#[test]
fn damaged_files_are_survived() {
    let asked: Option<u64> = std::env::var("ENBU_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let count = asked.unwrap_or(if has_slow_rows() { 2000 } else { 200 });
    for (folder, format) in FOLDERS {
        let files = files(folder);
        let mut slowest = (0.0, 0);
        for seed in 1..=count {
            let before = asked.and_then(|_| seconds_at_work());
            let bytes = mutated(&mut Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), &files);
            survive(folder, seed, format, &bytes);
            if let (Some(before), Some(after)) = (before, before.and_then(|_| seconds_at_work())) {
                slowest = if after - before > slowest.0 { (after - before, seed) } else { slowest };
            }
        }
        if asked.is_some() {
            let memory = most_memory_mib().unwrap_or_default();
            println!("{folder}: slowest {:.4} s (seed {}), at most {memory:.1} MiB so far", slowest.0, slowest.1);
            assert!(slowest.0 < 0.5 && memory < 64.0, "{folder}: too slow or too large");
        }
    }
}

/// Reads a damaged file in both modes and by content, writes it in every format, and
/// reads that again.
fn survive(folder: &str, seed: u64, format: Format, bytes: &[u8]) {
    let _ = format.read_bytes(bytes, Mode::Strict);
    let Ok(reading) = format.read_bytes(bytes, Mode::Tolerant) else { return };
    let _ = read_any(bytes, Mode::Tolerant);
    for to in Format::ALL {
        let text = to.write(&reading.records, WriteOptions::default());
        if matches!(to, Format::Kif | Format::Csa | Format::Jkf | Format::Pgn) {
            let again =
                to.read(&text, Mode::Tolerant).unwrap_or_else(|error| panic!("{folder} {seed} {to}: {error}\n{text}"));
            assert_eq!(again.records.len(), reading.records.len(), "{folder} {seed} {to}\n{text}");
            assert!(again.errors.is_empty(), "{folder} {seed} {to}: {:?}\n{text}", again.errors);
        }
    }
}

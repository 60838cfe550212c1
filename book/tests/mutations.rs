//! Damaged files: whatever is done to the bytes of a book, readers do not panic.
//!
//! `ENBU_MUTATIONS` sets the number of files for each format (300 without it).

use std::fs;
use std::path::Path;

use enbu_book::{Book, Format, OpenOptions, Order, Pages, Preface, Search, Sorter, write};
use enbu_movegen::{Position, Setup};

use crate::sample::{Chance, pages};

/// Books of several sizes.
fn files(format: Format, folder: &Path) -> Vec<Vec<u8>> {
    let file = |&count: &usize| {
        let mut sorter = Sorter::new(Order::of(format), folder, usize::MAX);
        pages(count).into_iter().for_each(|page| sorter.push(page).expect("sorted"));
        let path = folder.join("made");
        write(&path, format, &Preface::default(), sorter.finish().expect("sorted")).expect("written");
        fs::read(path).expect("a file")
    };
    // The large one is rare, since it takes most of the time.
    [1, 5, 40, 5, 40, 1, 40, 300].iter().map(file).collect()
}

/// One to six changes: bytes flipped, removed, doubled, moved, joined with another file.
fn mutated(chance: &mut Chance, files: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = files[chance.below(files.len())].clone();
    for _ in 0..1 + chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(50)).min(bytes.len());
        match chance.below(9) {
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
            4 => bytes.insert(at, [b'\n', b' ', b'#', b's', b'-', 0, 0x80, 0xff][chance.below(8)]),
            5 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            6 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            // A number of eight bytes.
            7 => bytes
                .iter_mut()
                .skip(at / 8 * 8)
                .take(8)
                .for_each(|byte| *byte = if at.is_multiple_of(2) { 0xff } else { 0 }),
            _ => {
                let line: Vec<u8> =
                    bytes.split_inclusive(|&byte| byte == b'\n').nth(chance.below(20)).unwrap_or_default().to_vec();
                bytes.splice(at..at, line);
            }
        }
    }
    bytes
}

/// Reads a file in every way.
fn survive(path: &Path) {
    if let Ok(pages) = Pages::open(path, &Search { roots: vec![Setup::startpos()], gap: 0 }) {
        // Each fault and each page consumes bytes of the file.
        assert!(pages.count() < 1 << 20);
    }
    let mut position = Position::startpos();
    for on_the_fly in [false, true] {
        if let Ok(book) = Book::open(path, &OpenOptions { on_the_fly, ignore_ply: true }) {
            let _ = (book.probe(&position), book.probe_setup(&Setup::empty()));
            position.play("7g7f".parse().expect("a move")).expect("legal");
            let _ = book.probe(&position);
            position.undo_move();
        }
    }
}

#[test]
fn damaged_books_are_survived() {
    let asked: Option<u64> = std::env::var("ENBU_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let folder = tempfile::tempdir().expect("a folder");
    for format in Format::ALL {
        let files = files(format, folder.path());
        let path = folder.path().join("damaged");
        for seed in 1..=asked.unwrap_or(300) {
            let bytes = mutated(&mut Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), &files);
            fs::write(&path, bytes).expect("written");
            let outcome = std::panic::catch_unwind(|| survive(&path));
            assert!(outcome.is_ok(), "{format}, seed {seed}");
        }
    }
}

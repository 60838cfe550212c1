//! Damaged books: each fault is named with its place.

use std::fs;
use std::path::{Path, PathBuf};

use enbu_book::{Book, BookError, Fault, Format, OpenOptions, Order, Pages, Place, Preface, Search, Sorter, write};
use enbu_files::Existing;

use crate::sample::pages;

struct Made {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
}

fn made(format: Format, count: usize) -> Made {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sorter = Sorter::new(folder.path(), usize::MAX);
    pages(count).into_iter().for_each(|page| sorter.push(Order::of(format).rank(page)).expect("sorted"));
    let path = folder.path().join("book");
    write(&path, format, &Preface::default(), sorter.pages().expect("sorted"), Existing::Replace).expect("written");
    let bytes = fs::read(path).expect("a file");
    Made { folder, bytes }
}

impl Made {
    fn put(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("damaged");
        fs::write(&path, bytes).expect("written");
        path
    }

    /// The faults of the file with these bytes.
    fn faults(&self, bytes: &[u8]) -> Vec<BookError> {
        match Pages::open(&self.put(bytes), &Search { gap: 0, ..Search::default() }) {
            Ok(pages) => pages.filter_map(Result::err).collect(),
            Err(error) => vec![error],
        }
    }

    fn opened(&self, bytes: &[u8]) -> Result<Book, BookError> {
        open(&self.put(bytes))
    }
}

fn open(path: &Path) -> Result<Book, BookError> {
    Book::open(path, &OpenOptions { on_the_fly: true, ignore_ply: true })
}

#[test]
fn files_of_zeros_and_other_kinds_are_no_books() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    // 3 GB without a block on the disk.
    fs::File::create(&path).and_then(|file| file.set_len(3 << 30)).expect("a sparse file");
    for options in [OpenOptions::default(), OpenOptions { on_the_fly: true, ignore_ply: false }] {
        assert!(matches!(Book::open(&path, &options), Err(BookError { fault: Fault::UnknownFormat, .. })));
    }
    let others: [&[u8]; 5] =
        [b"PK\x03\x04 zip", b"\n\n\n\n", &[0xff; 64], b"hello, world\n", &[0x0a, 0xff, 0xff, 0x7f]];
    for other in others {
        fs::write(&path, other).expect("written");
        assert!(matches!(open(&path), Err(BookError { fault: Fault::UnknownFormat, .. })), "{other:?}");
    }
    fs::write(&path, "").expect("written");
    assert!(matches!(open(&path), Err(BookError { fault: Fault::Empty, .. })));
}

#[test]
fn ybb_faults_have_offsets() {
    let made = made(Format::Ybb, 100);
    let bytes = &made.bytes;
    let damaged = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    // More positions than bytes, and so many that the size overflows.
    for count in [101_u64 + 1000, u64::MAX, u64::MAX / 44] {
        let file = damaged(16, &count.to_le_bytes());
        assert!(matches!(made.faults(&file)[..], [BookError { place: Place::Offset(16), fault: Fault::Truncated }]));
        assert!(made.opened(&file).is_err());
    }
    assert!(matches!(made.faults(&damaged(24, &[3]))[..], [BookError { fault: Fault::Flags(3), .. }]));
    assert!(matches!(made.faults(&bytes[..20])[..], [BookError { fault: Fault::Truncated, .. }]));
    // The last move is cut off.
    let cut = made.faults(&bytes[..bytes.len() - 1]);
    assert!(matches!(cut[..], [BookError { fault: Fault::Truncated, .. }]), "{cut:?}");
    let far = made.faults(&damaged(32 + 44 * 7 + 32, &[0xff; 8]));
    let at = Place::Offset(32 + 44 * 7 + 32);
    assert!(matches!(far[..], [BookError { place, fault: Fault::Truncated }] if place == at), "{far:?}");
    let king = made.faults(&damaged(32, &[0xff; 2]));
    assert!(king.iter().any(|error| matches!(error.fault, Fault::Unpack(_)) && error.place == Place::Offset(32)));
    let moves = 32 + 44 * 100;
    let bits = made.faults(&damaged(moves + 6, &[0xff; 2]));
    assert!(
        matches!(bits[..], [BookError { fault: Fault::MoveBits(0xffff), place: Place::Offset(at) }] if at == moves as u64 + 6)
    );
    // The first record again in place of the second.
    let mut twice = bytes.clone();
    twice.copy_within(32..76, 76);
    assert!(matches!(made.faults(&twice)[..], [BookError { fault: Fault::Unsorted(_), place: Place::Offset(76) }]));
    assert!(made.opened(&twice).expect_err("unsorted").to_string().contains("enbu book sort"));
}

#[test]
fn apery_faults_have_offsets() {
    let made = made(Format::Apery, 100);
    let bytes = &made.bytes;
    let cut = made.faults(&bytes[..bytes.len() - 3]);
    let at = bytes.len() as u64 - 16;
    assert!(
        matches!(cut[..], [BookError { fault: Fault::PartialRecord(13), place: Place::Offset(place) }] if place == at)
    );
    // The records of another order behind the first ones, which decide about the format.
    let mut unsorted = [bytes.as_slice(); 3].concat();
    let middle = unsorted.len() / 2;
    unsorted[middle..middle + 8].fill(0);
    assert!(matches!(
        made.opened(&unsorted),
        Err(BookError { fault: Fault::NotSearchable(_) | Fault::UnknownFormat, .. })
    ));
}

#[test]
fn sbk_faults_have_offsets() {
    let made = made(Format::Sbk, 100);
    let bytes = &made.bytes;
    assert!(made.faults(bytes).is_empty());
    let cut = made.faults(&bytes[..bytes.len() - 1]);
    assert!(matches!(cut[..], [BookError { fault: Fault::Protobuf(_) | Fault::UnknownFormat, .. }]), "{cut:?}");
    // A first state without a position is the start position, as this one is.
    let tag = bytes.windows(4).position(|window| window == b"lnsg").expect("a position") - 2;
    let mut unnamed = bytes.clone();
    unnamed[tag] = 0x7a;
    assert!(made.faults(&unnamed).is_empty());
    // Without the text of the only position no state has one.
    let text = bytes.windows(9).position(|window| window == b"lnsgkgsnl").expect("the start position");
    let mut lost = bytes.clone();
    lost[text..text + 9].copy_from_slice(b"not sfen ");
    let faults = made.faults(&lost);
    assert!(
        matches!(faults[0].fault, Fault::Sfen(_)) && matches!(faults[1].fault, Fault::Unconnected(0, 99)),
        "{faults:?}"
    );
}

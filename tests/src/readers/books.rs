//! Books in every format.

use std::fs;
use std::path::Path;

use enbu_book::{Book, BookError, Format, OpenOptions, Order, Pages, Preface, Search, Sorter, Verifier, write};
use enbu_movegen::{Position, Setup};

use super::check_message;

pub(super) fn examine(bytes: &[u8]) {
    with_file(|path| {
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{error}"));
        walk(path);
        for on_the_fly in [false, true] {
            let book = Book::open(path, &OpenOptions { on_the_fly, ignore_ply: true });
            if let Some(book) = check(book) {
                check(book.probe(&Position::startpos()));
                check(book.probe_setup(&Setup::empty()));
            }
        }
    });
}

/// Reads and verifies every page; each fault and each page consumes bytes of the file.
fn walk(path: &Path) {
    let Some(pages) = check(Pages::open(path, &search())) else { return };
    let mut verifier = Verifier::new(pages.format());
    let mut count = 0;
    for page in pages {
        if let Some(page) = check(page) {
            verifier.check(&page);
        }
        count += 1;
        assert!(count < 1 << 20, "pages without end");
    }
}

fn check<T>(outcome: Result<T, BookError>) -> Option<T> {
    outcome.map_err(check_message).ok()
}

fn search() -> Search {
    Search { roots: vec![Setup::startpos()], gap: 0 }
}

/// A path for a file in a folder that is removed afterwards.
fn with_file<T>(run: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    run(&folder.path().join("book"))
}

const TEXT: &str = "#YANEURAOU-DB2016 1.00
# a description
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f 3c3d 50 20 12 // a comment
2g2f 8c8d 40 19 7
6i7h none -10 8 1
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
3c3d 2g2f 0 32 9
8c8d 2g2f -5 32 3
";

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut files = vec![TEXT.as_bytes().to_vec()];
    for format in [Format::Ybb, Format::Apery, Format::Sbk] {
        files.push(with_file(|path| converted(path, format).unwrap_or_else(|error| panic!("{format}: {error}"))));
    }
    files
}

/// The book of [`TEXT`] in another format.
fn converted(path: &Path, format: Format) -> Result<Vec<u8>, BookError> {
    fs::write(path, TEXT)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut sorter = Sorter::new(Order::of(format), &folder, usize::MAX);
    for page in Pages::open(path, &search())? {
        sorter.push(page?)?;
    }
    let out = folder.join("converted");
    write(&out, format, &Preface::default(), sorter.finish()?)?;
    Ok(fs::read(&out)?)
}

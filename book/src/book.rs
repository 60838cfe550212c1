//! A book opened for probing.

use std::path::Path;

use enbu_files::{FileKind, open, read};
use enbu_movegen::Setup;

use crate::error::{BookError, Fault};
use crate::format::Format;
use crate::key::PositionKey;
use crate::page::Page;
use crate::pages::detect;
use crate::{apery, db, sbk, ybb};

/// The options of a book in play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// A `.db` is searched on disk, which needs a sorted file; otherwise it is loaded. A
    /// `.ybb` and a `book.bin` are always searched on disk, a `.sbk` is always loaded.
    pub on_the_fly: bool,
    /// A position is found at any ply. Otherwise the ply of the book, where there is one,
    /// must be that of the position.
    pub ignore_ply: bool,
}

/// A book opened for probing.
///
/// ```
/// use enbu_book::{Book, OpenOptions};
/// use enbu_movegen::Setup;
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(
///     file.path(),
///     "#YANEURAOU-DB2016 1.00\n\
///      sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
///      7g7f 3c3d 30 12 150\n",
/// )?;
/// let book = Book::open(file.path(), &OpenOptions::default())?;
/// let page = book.probe(&Setup::startpos())?.expect("a position of the book");
/// assert_eq!(page.entries[0].mv.to_string(), "7g7f");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Book {
    ignore_ply: bool,
    store: Store,
    /// The faults found while loading.
    pub faults: Faults,
}

/// The faults of a loaded book; faulty entries are left out of it.
#[derive(Debug, Default)]
pub struct Faults {
    /// The first ones.
    pub first: Vec<BookError>,
    /// All of them.
    pub count: u64,
}

/// Most legal moves of a position.
const MAX_MOVES: usize = 593;

const KEPT_FAULTS: usize = 10;

#[derive(Debug)]
enum Store {
    Loaded(db::Loaded),
    Searched(db::Searched),
    Ybb(ybb::Searched),
    Apery(apery::Searched),
    Sbk(sbk::Loaded),
}

impl Book {
    /// Opens a book; its format is detected from its content.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, BookError> {
        let mut faults = Faults::default();
        let store = match detect(path)? {
            Format::Db if options.on_the_fly => Store::Searched(db::Searched::open(open(path, FileKind::Stream)?)?),
            Format::Db => Store::Loaded(db::Loaded::new(read(path, FileKind::Book)?, &mut |error| faults.add(error))?),
            Format::Ybb => Store::Ybb(ybb::Searched::open(open(path, FileKind::Stream)?)?),
            Format::Apery => Store::Apery(apery::Searched::open(open(path, FileKind::Stream)?)?),
            Format::Sbk => Store::Sbk(sbk::Loaded::open(path, &mut |error| faults.add(error))?),
        };
        Ok(Self { ignore_ply: options.ignore_ply, store, faults })
    }

    /// The page of a position, if it has moves: for several plies that of the smallest
    /// permitted one.
    pub fn probe(&self, setup: &Setup) -> Result<Option<Page>, BookError> {
        let key = PositionKey::of_setup(setup);
        let pages = match &self.store {
            Store::Loaded(loaded) => loaded.find(&key)?,
            Store::Searched(searched) => searched.find(&key)?,
            Store::Ybb(searched) => Vec::from_iter(searched.find(setup)?),
            Store::Apery(searched) => vec![searched.page(setup)?],
            Store::Sbk(loaded) => Vec::from_iter(loaded.find(&key)?),
        };
        let permitted = |page: &Page| self.ignore_ply || page.ply.is_none_or(|ply| ply == u32::from(setup.ply));
        let pages = pages.into_iter().filter(|page| !page.entries.is_empty() && permitted(page));
        match pages.min_by_key(|page| page.ply) {
            Some(page) if page.entries.len() > MAX_MOVES => Err(BookError::file(Fault::ManyMoves(page.entries.len()))),
            page => Ok(page),
        }
    }

    /// Number of positions; `None` for a book searched on disk that does not name it.
    pub fn positions(&self) -> Option<u64> {
        match &self.store {
            Store::Loaded(loaded) => Some(loaded.index.len() as u64),
            Store::Ybb(searched) => Some(searched.layout.count),
            Store::Sbk(loaded) => Some(loaded.index.len() as u64),
            Store::Searched(_) | Store::Apery(_) => None,
        }
    }
}

impl Faults {
    fn add(&mut self, error: BookError) {
        self.count += 1;
        if self.first.len() < KEPT_FAULTS {
            self.first.push(error);
        }
    }
}

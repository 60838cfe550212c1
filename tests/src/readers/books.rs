//! Books in every format.

use std::fs;
use std::path::Path;

use enbu_book::{
    Analysis, Book, BookError, Entry, Format, Games, Judgement, OpenOptions, Order, Page, Pages, PositionKey, Preface,
    Search, Sorter, Verifier, write,
};
use enbu_movegen::{Move, Position, Setup};

use super::check_message;
use crate::positions::{Walk, legal_moves};

pub(super) fn examine(bytes: &[u8]) {
    with_file(|path| {
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{error}"));
        walk(path);
        for on_the_fly in [false, true] {
            let book = Book::open(path, &OpenOptions { on_the_fly, ignore_ply: true });
            if let Some(book) = check(book) {
                check(book.probe(&Setup::startpos()));
                check(book.probe(&after_a_move().to_setup()));
                check(book.probe(&Setup::empty()));
            }
        }
    });
}

/// The second position of the books of [`seeds`].
fn after_a_move() -> Position {
    let mut position = Position::startpos();
    if let Some(mv) = Walk::new(1).choose(&position) {
        position.do_move(mv);
    }
    position
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

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let file = |(format, count)| {
        with_file(|path| made(path, format, count).unwrap_or_else(|error| panic!("{format}: {error}")))
    };
    let sizes = |format| [1, 5, 40].map(|count| (format, count));
    Format::ALL.into_iter().flat_map(sizes).map(file).collect()
}

/// The bytes of a book of the first positions of a game, with every field that its format has.
fn made(path: &Path, format: Format, count: usize) -> Result<Vec<u8>, BookError> {
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut sorter = Sorter::new(&folder, usize::MAX);
    let (mut position, mut walk) = (Position::startpos(), Walk::new(1));
    for number in 0..count {
        let Some(mv) = walk.choose(&position) else { break };
        sorter.push(Order::of(format).rank(page(&mut position, mv, number as u32)))?;
        position.do_move(mv);
    }
    let preface = Preface { author: "author".to_owned(), description: "two\nlines".to_owned() };
    write(path, format, &preface, sorter.pages()?, enbu_files::Existing::Replace)?;
    Ok(fs::read(path)?)
}

/// A page with `mv` and two more moves, those of odd `number` without most fields.
fn page(position: &mut Position, mv: Move, number: u32) -> Page {
    let is_full = number.is_multiple_of(2);
    let others = legal_moves(position).into_iter().filter(|&other| other != mv).take(2);
    let mut entries: Vec<Entry> = [mv].into_iter().chain(others).map(Entry::new).collect();
    position.do_move(mv);
    let reply = legal_moves(position).first().copied();
    position.undo_move();
    let number_cp = i32::try_from(number).unwrap_or_default();
    if let Some(first) = entries.first_mut() {
        first.ponder = reply;
        first.value = Some(100 - number_cp);
        first.depth = Some(20);
        first.count = Some(u64::from(number) + 1);
        first.comment = is_full.then(|| "コメント".to_owned());
        first.judgement = is_full.then_some(Judgement::Good);
    }
    let analysis = Analysis {
        value: number_cp,
        depth: 12,
        selective_depth: 20,
        nodes: 1_000_000,
        variation: "▲７六歩 △３四歩".to_owned(),
        engine: Some("Enbu".to_owned()),
    };
    Page {
        ply: Some(u32::from(position.ply())),
        comment: is_full.then(|| "a comment\n二行目".to_owned()),
        games: is_full.then_some(Games { total: 10, black_wins: 6, white_wins: 3 }),
        analyses: if is_full { vec![analysis] } else { Vec::new() },
        entries,
        ..Page::new(PositionKey::of(position))
    }
}

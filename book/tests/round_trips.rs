//! Books of every format, written, read and converted into every other.

use std::fs;
use std::path::{Path, PathBuf};

use enbu_book::{
    Book, BookError, Format, Games, OpenOptions, Order, Page, Pages, PositionKey, Preface, Search, Sorter, Verifier,
    Written, write,
};
use enbu_files::Existing;
use enbu_movegen::{Position, Setup};

use crate::sample::{held, pages};

/// Positions of the books that are converted: 10 000 in the slow tests.
fn positions() -> usize {
    if std::env::var_os("ENBU_SLOW_TESTS").is_some() { 10_000 } else { 1500 }
}

fn no_gap() -> Search {
    Search { gap: 0, ..Search::default() }
}

fn sorted(
    to: Format,
    folder: &Path,
    pages: impl IntoIterator<Item = Result<Page, BookError>>,
) -> impl Iterator<Item = Result<Page, BookError>> {
    let mut sorter = Sorter::new(folder, usize::MAX);
    pages.into_iter().for_each(|page| sorter.push(Order::of(to).rank(page.expect("a page"))).expect("sorted"));
    sorter.pages().expect("sorted")
}

fn written(path: &Path, format: Format, pages: &[Page]) -> Written {
    let folder = path.parent().expect("a folder");
    let pages = sorted(format, folder, pages.iter().cloned().map(Ok));
    write(path, format, &Preface::default(), pages, Existing::Replace).expect("written")
}

/// The pages of a file in the order of `.db`.
fn read(path: &Path) -> Vec<Page> {
    let folder = path.parent().expect("a folder");
    let mut pages = Pages::open(path, &no_gap()).expect("a book");
    let sorted: Vec<Page> = sorted(Format::Db, folder, pages.by_ref()).map(|page| page.expect("a page")).collect();
    assert_eq!(pages.unreached(), 0);
    sorted
}

fn convert(from: &Path, to: &Path, format: Format) {
    let folder = to.parent().expect("a folder");
    let pages = Pages::open(from, &no_gap()).expect("a book");
    write(to, format, &Preface::default(), sorted(format, folder, pages), Existing::Replace).expect("written");
}

/// Equality with the first difference in the message.
fn assert_same(found: &[Page], expected: &[Page], context: &str) {
    assert_eq!(found.len(), expected.len(), "{context}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "{context}");
    }
}

fn converts_into_every_other(from: Format) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let pages = pages(positions());
    written(&path("a"), from, &pages);
    let first = held(from, &pages);
    assert_same(&read(&path("a")), &first, from.name());
    for to in Format::ALL.into_iter().filter(|&to| to != from) {
        convert(&path("a"), &path("b"), to);
        let second = held(to, &first);
        assert_same(&read(&path("b")), &second, &format!("{from} to {to}"));
        convert(&path("b"), &path("c"), from);
        assert_same(&read(&path("c")), &held(from, &second), &format!("{from} to {to} and back"));
    }
    // Written again, a file is the same byte for byte.
    convert(&path("a"), &path("b"), from);
    assert!(fs::read(path("a")).expect("a file") == fs::read(path("b")).expect("a file"), "{from}");
}

#[test]
fn db_converts_into_every_other_format() {
    converts_into_every_other(Format::Db);
}

#[test]
fn ybb_converts_into_every_other_format() {
    converts_into_every_other(Format::Ybb);
}

#[test]
fn apery_converts_into_every_other_format() {
    converts_into_every_other(Format::Apery);
}

#[test]
fn sbk_converts_into_every_other_format() {
    converts_into_every_other(Format::Sbk);
}

#[test]
fn every_position_is_found_in_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = pages(1000);
    for format in Format::ALL {
        let path = folder.path().join(format.name());
        written(&path, format, &pages);
        for on_the_fly in [false, true] {
            let book = Book::open(&path, &OpenOptions { on_the_fly, ignore_ply: true }).expect("a book");
            assert_eq!((enbu_book::detect(&path).expect("a book"), book.faults.count), (format, 0));
            for page in held(format, &pages) {
                let setup = page.position.to_setup();
                assert_eq!(book.probe(&setup).expect("read"), Some(page.clone()), "{format}");
                let absent = Setup { turn: !setup.turn, ..setup };
                assert_eq!(book.probe(&absent).expect("read"), None, "{format}");
            }
            let start = Position::startpos();
            let flipped = book.probe(&start.to_setup().flipped()).expect("read");
            assert_eq!(flipped, None);
        }
    }
}

#[test]
fn a_sorted_db_is_written_byte_for_byte_as_documented() {
    let pages = held(Format::Db, &pages(1000));
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    for page in &pages {
        text += &format!("sfen {}", page.position);
        text += &page.ply.map_or(String::new(), |ply| format!(" {ply}"));
        text += "\n";
        page.comment.iter().flat_map(|comment| comment.split('\n')).for_each(|line| text += &format!("#{line}\n"));
        for entry in &page.entries {
            let number = |number: Option<String>| number.unwrap_or_else(|| "none".into());
            let line = format!(
                "{} {} {} {} {}",
                entry.mv,
                number(entry.ponder.map(|mv| mv.to_string())),
                number(entry.value.map(|value| value.to_string())),
                number(entry.depth.map(|depth| depth.to_string())),
                number(entry.count.map(|count| count.to_string())),
            );
            // Absent numbers at the end are left out, the reply is not.
            let mut words: Vec<&str> = line.split(' ').collect();
            while words.len() > 2 && words.last() == Some(&"none") {
                words.pop();
            }
            text += &format!("{}\n", words.join(" "));
            text += &entry.comment.as_ref().map_or(String::new(), |comment| format!("#{comment}\n"));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    written(&path, Format::Db, &pages);
    assert!(fs::read(path).expect("a book") == text.as_bytes());
}

#[test]
fn a_ybb_without_depths_has_four_bytes_a_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pages = held(Format::Ybb, &pages(100));
    let moves: usize = pages.iter().map(|page| page.entries.len()).sum();
    for (move_bytes, depth) in [(6, Some(7)), (4, None)] {
        pages.iter_mut().flat_map(|page| &mut page.entries).for_each(|entry| entry.depth = depth);
        let path = folder.path().join("a.ybb");
        written(&path, Format::Ybb, &pages);
        assert_eq!(fs::metadata(&path).expect("a file").len() as usize, 32 + 44 * pages.len() + move_bytes * moves);
        assert_same(&read(&path), &pages, "depths");
    }
}

#[test]
fn last_positions_of_an_sbk_have_no_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |format: Format| folder.path().join(format.name());
    let mut pages = pages(2);
    pages.retain(|page| page.position == PositionKey::of(&Position::startpos()));
    let first = &mut pages[0];
    first.entries.truncate(1);
    let mut position = Position::startpos();
    position.play(first.entries[0].mv).expect("a legal move");
    let games = Some(Games { total: 1, black_wins: 0, white_wins: 0 });
    pages.push(Page { games, ..Page::new(PositionKey::of(&position)) });
    pages.sort_by(|a, b| a.position.cmp(&b.position));
    written(&path(Format::Sbk), Format::Sbk, &pages);
    let held = held(Format::Sbk, &pages);
    assert_same(&read(&path(Format::Sbk)), &held, "both");
    for format in Format::ALL.into_iter().filter(|&format| format != Format::Sbk) {
        let losses = written(&path(format), format, &held).losses;
        assert!(losses.positions == 0 && losses.games >= 1, "{format}: {losses}");
        assert_eq!(read(&path(format)).len(), 1);
    }
    let book = Book::open(&path(Format::Sbk), &OpenOptions::default()).expect("a book");
    assert!(book.probe(&Setup::startpos()).expect("read").is_some());
    assert!(book.probe(&position.to_setup()).expect("read").is_none());
    let mut verifier = Verifier::new(Format::Sbk);
    assert!(held.iter().all(|page| verifier.check(page).is_empty()));
}

#[test]
fn losses_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = pages(1000);
    let entries = || pages.iter().flat_map(|page| &page.entries);
    let count = |is: fn(&&enbu_book::Entry) -> bool| entries().filter(is).count() as u64;
    let analyses: u64 = pages.iter().map(|page| page.analyses.len() as u64).sum();
    for format in Format::ALL {
        let Written { positions, moves, losses } = written(&folder.path().join(format.name()), format, &pages);
        assert_eq!((positions, moves), (1000, entries().count() as u64));
        assert_eq!(losses.positions, 0, "{format}");
        let is_db = format == Format::Db;
        assert_eq!(losses.replies, if is_db { 0 } else { count(|entry| entry.ponder.is_some()) }, "{format}");
        assert_eq!(losses.analyses, if format == Format::Sbk { 0 } else { analyses }, "{format}");
        assert_eq!(losses.values, if format == Format::Sbk { count(|entry| entry.value.is_some()) } else { 0 });
        assert_eq!(losses.to_string().contains("replies"), !is_db);
    }
}

#[test]
fn the_preface_survives_where_it_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let preface = Preface { author: "著者".into(), description: "two\nlines".into() };
    for (format, author) in [(Format::Db, ""), (Format::Sbk, "著者")] {
        let path = folder.path().join(format.name());
        write(&path, format, &preface, pages(3).into_iter().map(Ok), Existing::Replace).expect("written");
        let mut pages = Pages::open(&path, &Search::default()).expect("a book");
        assert!(pages.by_ref().all(|page| page.is_ok()));
        assert_eq!(pages.preface(), Preface { author: author.into(), ..preface.clone() });
    }
}

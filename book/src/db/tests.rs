//! Tests of the reader, the writer and both searches of `.db` files.

use std::fs;
use std::path::Path;

use enbu_movegen::Setup;

use super::*;
use crate::{Book, BookError, Entry, Fault, Losses, OpenOptions, Page, Place, PositionKey, Preface};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

/// A file in the order of the writer.
const FILE: &str = "#YANEURAOU-DB2016 1.00
# made by hand
sfen 4k4/9/9/9/9/9/9/9/4K4 b RB2p 7
5i5h none
R*5e 5a4a none none 3
sfen 4k4/9/9/9/9/9/9/9/4K4 w RB2p 4
5a5b none 10
sfen 4k4/9/9/9/9/9/9/9/4K4 w RB2p 8
5a5b none 10 2
sfen 8k/9/9/9/9/9/9/9/4K4 b -
#on the position
#two lines
5i5h none -30 32 18446744073709551615
#on the move
5i4h 1a1b 0 0 0
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f 3c3d 30 12 150
2g2f none 25 12 90
";

fn pages(text: &str) -> Vec<Result<Page, BookError>> {
    Reader::new(text.as_bytes()).collect()
}

fn good_pages(text: &str) -> Vec<Page> {
    pages(text).into_iter().map(|page| page.expect("a page")).collect()
}

/// Places and messages of the faults of a text.
fn faults(text: &str) -> Vec<(Place, String)> {
    pages(text).into_iter().filter_map(Result::err).map(|error| (error.place, error.fault.to_string())).collect()
}

fn written(preface: &[String], pages: &[Page]) -> String {
    let preface = Preface { description: preface.join("\n"), ..Preface::default() };
    let mut out = Vec::new();
    write(&mut out, &preface, pages.iter().cloned().map(Ok), &mut Losses::default()).expect("written");
    String::from_utf8(out).expect("text")
}

fn entry(text: &str) -> Entry {
    let pages = good_pages(&format!("sfen {START} 1\n{text}\n"));
    pages[0].entries[0].clone()
}

fn book(text: &str, options: OpenOptions) -> Result<Book, BookError> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), text).expect("written");
    Book::open(file.path(), &options)
}

const ON_THE_FLY: OpenOptions = OpenOptions { on_the_fly: true, ignore_ply: false };

#[test]
fn a_written_file_is_read_back_byte_for_byte() {
    let mut reader = Reader::new(FILE.as_bytes());
    let pages: Vec<Page> = reader.by_ref().map(|page| page.expect("a page")).collect();
    assert_eq!(reader.preface, [" made by hand"]);
    assert_eq!(pages.len(), 5);
    assert_eq!(written(&reader.preface, &pages), FILE);
    assert_eq!(pages[3].comment.as_deref(), Some("on the position\ntwo lines"));
    assert_eq!(pages[3].entries[0].comment.as_deref(), Some("on the move"));
}

#[test]
fn loose_forms_are_read() {
    let crlf = format!("\u{feff}{}", FILE.replace('\n', "\r\n"));
    assert_eq!(good_pages(&crlf), good_pages(FILE));
    let headless = FILE.lines().skip(2).collect::<Vec<_>>().join("\n\n");
    assert_eq!(good_pages(&headless), good_pages(FILE));
    let pages = good_pages("sfen 4k4/9/9/9/9/9/9/9/4K4  w  2pBR\n//one\nresign none\nnone none 1\n");
    assert!(pages[0].position.as_str().ends_with("w RB2p") && pages[0].entries.is_empty());
    let all = Entry {
        ponder: "3c3d".parse().ok(),
        value: Some(-5),
        depth: Some(3),
        count: Some(2),
        ..Entry::new("7g7f".parse().expect("a move"))
    };
    assert_eq!(entry("7g7f 3c3d -5 3 2"), all);
    assert_eq!(entry("7g7f none none none "), Entry::new(all.mv));
    assert_eq!(entry("7g7f none  3 2"), Entry { ponder: None, value: None, ..all.clone() });
    assert_eq!(entry("7g7f 3c3d -5 3 2 #good // move"), Entry { comment: Some("good // move".into()), ..all.clone() });
    assert_eq!(
        entry("7g7f 3c3d -5 // short"),
        Entry { depth: None, count: None, comment: Some(" short".into()), ..all }
    );
}

#[test]
fn faults_have_lines_and_cost_only_their_lines() {
    let text = format!(
        "#YANEURAOU-DB2016 1.00\n7g7f\n2g2f\nsfen {START} 1\n7g7f none x\n9z9z\n2g2f\nsfen 9/9 b - 1\n3g3f\nsfen {START} 2\n1g1f\n"
    );
    let found = faults(&text);
    let lines: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
    assert_eq!(lines, [2, 5, 6, 8].map(Place::Line), "{found:?}");
    assert!(found[1].1.contains("a value: `x`") && found[2].1.contains("9z9z"), "{found:?}");
    let kept: Vec<Page> = pages(&text).into_iter().filter_map(Result::ok).collect();
    assert_eq!(kept.iter().map(|page| page.entries.len()).collect::<Vec<_>>(), [1, 1]);

    let book = book(&text, OpenOptions::default()).expect("a book");
    assert_eq!(book.faults.count, 4);
    assert_eq!(book.faults.first[3].to_string().split(": ").next(), Some("line 8"));
    assert_eq!(book.positions(), Some(2));
}

#[test]
fn other_headers_and_endless_lines_end_the_reading() {
    let found = faults("#YANEURAOU-DB2018 2.00\nsfen 9/9 b - 1\n");
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("2018"), "{found:?}");
    let long = format!("sfen {START} 1\n7g7f\n#{}", "x".repeat(2 << 20));
    assert_eq!(faults(&long).len(), 1);
    for options in [OpenOptions::default(), ON_THE_FLY] {
        let other = FILE.replace("1.00", "2.00");
        assert!(matches!(book(&other, options), Err(BookError { fault: Fault::Header(_), place: Place::Line(1) })));
    }
    assert_eq!(pages(&long).into_iter().filter_map(Result::ok).count(), 1);
    let loaded = book(&long, OpenOptions::default()).expect("a book");
    assert_eq!(loaded.faults.count, 1);
    assert!(matches!(loaded.probe(&Setup::startpos()), Err(BookError { fault: Fault::LongPosition(_), .. })));
    assert!(matches!(book("", ON_THE_FLY), Err(BookError { fault: Fault::Empty, .. })));
    assert!(matches!(book("\0\0\0\0", ON_THE_FLY), Err(BookError { fault: Fault::UnknownFormat, .. })));
    assert!(Book::open(Path::new("no/such/book.db"), &ON_THE_FLY).is_err());
    // Chess and minishogi.
    for other in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rbsgk/4p/5/P4/KGSBR b - 1"] {
        let found = faults(&format!("sfen {other}\ne2e4 e7e5 30 12 9\n"));
        assert_eq!(found.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [Place::Line(1)]);
    }
}

#[test]
fn the_work_of_a_look_up_is_bounded_whatever_the_file_holds() {
    let other = "4k4/9/9/9/9/9/9/9/4K4 b -";
    let head = format!("#YANEURAOU-DB2016 1.00\nsfen {other} 1\n5i5h none\nsfen {START} 1\n7g7f\n");
    let (copy, long) = (format!("sfen {START} 1\n7g7f\n"), "x".repeat(8 << 20));
    let lines = "#a comment of many lines\n".repeat(80_000);
    let hostile = [copy.repeat(100_000), format!("#{long}\n"), format!("7g7f none {long}\n"), lines];
    for text in hostile {
        for options in [OpenOptions::default(), ON_THE_FLY] {
            // Nothing is lost without a word, and the other positions are found unless the file is refused.
            let book = match book(&format!("{head}{text}"), options) {
                Err(error) => {
                    assert!(matches!(error.fault, Fault::NotSearchable(_)) && options.on_the_fly, "{error}");
                    continue;
                }
                Ok(book) => book,
            };
            let probed = book.probe(&Setup::startpos()).expect_err("too long");
            assert!(matches!(probed.fault, Fault::LongPosition(_)), "{probed}");
            let other: Setup = format!("{other} 1").parse().expect("an SFEN");
            assert!(book.probe(&other).expect("read").is_some());
        }
    }
    let moves = format!("{head}{}", "7g7f\n".repeat(1000));
    for options in [OpenOptions::default(), ON_THE_FLY] {
        let probed = book(&moves, options).expect("a book").probe(&Setup::startpos()).expect_err("too many");
        assert!(matches!(probed.fault, Fault::ManyMoves(1001)), "{probed}");
    }
    // A large position leaves those beside it alone.
    let large = format!("{head}#{}\n", "x".repeat(1_000_000)).replacen(
        "5i5h none\n",
        &format!("5i5h none\n#{}\n", "y".repeat(1_000_000)),
        1,
    );
    for options in [OpenOptions::default(), ON_THE_FLY] {
        let book = book(&large, options).expect("a book");
        assert!(book.probe(&Setup::startpos()).expect("read").is_some_and(|page| page.entries.len() == 1));
    }
}

#[test]
fn unsorted_files_are_loaded_but_not_searched() {
    let mut pages = good_pages(FILE);
    pages.reverse();
    let text: String = pages
        .iter()
        .map(|page| written(&[], std::slice::from_ref(page)).replacen("#YANEURAOU-DB2016 1.00\n", "", 1))
        .collect();
    let loaded = book(&text, OpenOptions::default()).expect("a book");
    assert!(loaded.probe(&Setup::startpos()).expect("read").is_some());
    let error = book(&text, ON_THE_FLY).expect_err("unsorted");
    assert!(error.to_string().contains("enbu book sort"), "{error}");
    // Hands in another order are not where the search looks for them.
    let hands = FILE.replace("RB2p", "2pRB");
    assert!(book(&hands, OpenOptions::default()).is_ok() && book(&hands, ON_THE_FLY).is_err());
}

/// A sorted file of many positions: kings on every pair of files and ranks, with comments
/// and moves that make the lines differ in length.
fn many() -> (String, Vec<Setup>) {
    let mut setups: Vec<Setup> = Vec::new();
    for hand in ["P", "2P", "RB2p", "-"] {
        for turn in ["b", "w"] {
            for black in 0..81_usize {
                let mut board = vec![vec!['1'; 9]; 9];
                board[black / 9][black % 9] = 'K';
                let white = (black * 7 + 40) % 81;
                if white.abs_diff(black) < 20 {
                    continue;
                }
                board[white / 9][white % 9] = 'k';
                let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
                setups.push(format!("{} {turn} {hand} 1", ranks.join("/")).parse().expect("an SFEN"));
            }
        }
    }
    let mut pages: Vec<Page> = setups
        .iter()
        .enumerate()
        .map(|(number, setup)| Page {
            ply: Some(1),
            comment: (number % 5 == 0).then(|| "x".repeat(number * 13)),
            entries: vec![
                Entry { value: Some(number as i32), ..Entry::new("P*5e".parse().expect("a move")) };
                1 + number % 7
            ],
            ..Page::new(PositionKey::of_setup(setup))
        })
        .collect();
    pages.sort_by(|a, b| a.position.cmp(&b.position));
    (written(&[], &pages), setups)
}

#[test]
fn every_position_is_found_on_disk_and_in_memory() {
    let (text, setups) = many();
    assert!(text.len() > 200_000);
    let searched = book(&text, ON_THE_FLY).expect("sorted");
    let loaded = book(&text, OpenOptions::default()).expect("a book");
    assert_eq!((searched.positions(), loaded.positions()), (None, Some(setups.len() as u64)));
    for (number, setup) in setups.iter().enumerate() {
        let page = searched.probe(setup).expect("read").unwrap_or_else(|| panic!("{setup}"));
        assert_eq!(page.entries[0].value, Some(number as i32));
        assert_eq!(loaded.probe(setup).expect("read"), Some(page));
        let mut other = setup.clone();
        other.hands.swap(0, 1);
        if other.hands != setup.hands {
            assert_eq!(searched.probe(&other).expect("read"), None);
            assert_eq!(loaded.probe(&other).expect("read"), None);
        }
    }
    assert!(searched.probe(&Setup::startpos()).expect("read").is_none());
}

#[test]
fn crlf_and_long_comments_do_not_mislead_the_search() {
    let (_, setups) = many();
    let mut setups: Vec<Setup> = setups.into_iter().take(150).collect();
    setups.sort_by_key(PositionKey::of_setup);
    // Blocks of long comments and of lines without any, in every phase of the bisection.
    for period in [1, 2, 3, 7, 31] {
        let mut text = format!("\u{feff}{HEADER}\r\n");
        for (number, setup) in setups.iter().enumerate() {
            text += &format!("sfen {}\r\n", PositionKey::of_setup(setup));
            if number % period == 0 {
                text += &format!("#{}\r\n", "x".repeat(4090 + number));
            }
            text += "P*5e none 1\r\n";
        }
        let book = book(&text, ON_THE_FLY).expect("sorted");
        for setup in &setups {
            assert!(book.probe(setup).expect("read").is_some(), "{period}: {setup}");
        }
    }
}

#[test]
fn the_ply_decides_unless_it_is_ignored() {
    let at = |ply: u16, options: OpenOptions| {
        let setup: Setup = format!("4k4/9/9/9/9/9/9/9/4K4 w RB2p {ply}").parse().expect("an SFEN");
        let page = book(FILE, options).expect("a book").probe(&setup).expect("read");
        page.map(|page| page.ply)
    };
    for on_the_fly in [false, true] {
        let exact = OpenOptions { on_the_fly, ignore_ply: false };
        assert_eq!([4, 8, 5].map(|ply| at(ply, exact)), [Some(Some(4)), Some(Some(8)), None]);
        let any = OpenOptions { on_the_fly, ignore_ply: true };
        assert_eq!([4, 8, 5].map(|ply| at(ply, any)), [Some(Some(4)); 3]);
    }
}

#[test]
fn pages_out_of_order_are_not_written() {
    let pages = good_pages(FILE);
    let reversed = [&pages[1], &pages[0]].into_iter().cloned().map(Ok);
    let outcome = write(Vec::new(), &Preface::default(), reversed, &mut Losses::default());
    assert!(matches!(outcome, Err(BookError { fault: Fault::Unsorted(_), .. })));
}

//! `enbu book make`: books from records and from our own search.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use enbu_tests::binary::enbu;
use enbu_tests::session::Session;

fn make(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(enbu());
    command.args(["book", "make"]).args(arguments.split_whitespace()).current_dir(folder);
    command.output().expect("a process")
}

/// Runs the command, which must succeed, and returns its output.
fn made(folder: &Path, arguments: &str) -> String {
    let output = make(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Runs the command, which must fail, and returns the reason.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = make(folder, arguments);
    assert!(!output.status.success(), "{arguments}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The entries of a `.db`: for each position its ply and its lines of moves.
fn entries(path: &Path) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(path).expect("a book");
    let mut pages: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines().skip(1) {
        match line.strip_prefix("sfen ") {
            Some(sfen) => pages.push((sfen.rsplit(' ').next().expect("a ply").to_owned(), Vec::new())),
            None => pages.last_mut().expect("a position").1.push(line.to_owned()),
        }
    }
    pages
}

/// The moves of the book at the start position.
fn first_moves(path: &Path) -> Vec<String> {
    entries(path).into_iter().find(|(ply, _)| ply == "1").expect("the start position").1
}

const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f end=resign winner=black\n\
                     startpos moves 7g7f 8c8d 2g2f end=resign winner=white\n\
                     startpos moves 7g7f 3c3d 6g6f end=sennichite winner=draw\n\
                     startpos moves 2g2f 3c3d 7g7f\n";

#[test]
fn games_become_counts_and_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("games.usi"), GAMES).expect("written");
    let said = made(at, "games.usi -o all.db");
    assert!(said.starts_with("4 games, 12 moves, 6 positions in "), "{said}");
    // A win, a loss and a draw are an even score; without a result there is no value.
    assert_eq!(first_moves(&at.join("all.db")), ["7g7f none 0 none 3", "2g2f none none none 1"]);
    let text = fs::read_to_string(at.join("all.db")).expect("a book");
    assert!(text.starts_with("#YANEURAOU-DB2016 1.00\nsfen "));
    let sfens: Vec<&str> = text.lines().filter(|line| line.starts_with("sfen ")).collect();
    assert!(sfens.is_sorted());
    for (arguments, moves) in [
        ("--result known", &["7g7f none 0 none 3"][..]),
        ("--result decisive", &["7g7f none 0 none 2"]),
        ("--result winner", &["7g7f none 416 none 1"]),
        ("--min-count 2", &["7g7f none 0 none 3"]),
    ] {
        made(at, &format!("games.usi -o some.db --force {arguments}"));
        assert_eq!(first_moves(&at.join("some.db")), moves, "{arguments}");
    }
    made(at, "games.usi -o second.db --from 2 --to 2");
    assert!(entries(&at.join("second.db")).iter().all(|(ply, _)| ply == "2"));
    assert!(refused(at, "games.usi -o all.db").contains("all.db exists; --force overwrites it"));
    assert!(refused(at, "games.usi -o all.txt").contains("all.txt: not the extension of a book"));
    // Where there is no .db of this name, the .ybb is meant.
    for (extension, named) in [("ybb", "ybb"), ("bin", "bin"), ("sbk", "sbk"), ("ybb", "db")] {
        made(at, &format!("games.usi --min-count 2 -o played.{extension} --force"));
        let mut session = Session::ready();
        session.send(&format!("setoption name BookFile value {}", at.join(format!("played.{named}")).display()));
        session.send("setoption name Eval value PieceSquare");
        session.send("go nodes 50");
        session.expect("info string book: 7g7f,");
    }
    assert!(refused(at, "games.usi").contains("--output"));
}

#[test]
fn ratings_are_those_of_shogi_server_and_of_pgn() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let csa = |black: &str, white: &str| {
        format!("V2.2\n'black_rate:a:{black}\n'white_rate:b:{white}\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n")
    };
    fs::write(at.join("strong.csa"), csa("3500.0", "3400.5")).expect("written");
    fs::write(at.join("mixed.csa"), csa("3500.0", "1200.0")).expect("written");
    fs::write(at.join("unrated.usi"), "startpos moves 2g2f\n").expect("written");
    made(at, "strong.csa mixed.csa unrated.usi -o all.db");
    assert_eq!(first_moves(&at.join("all.db")).len(), 2);
    made(at, "strong.csa mixed.csa unrated.usi -o rated.db --min-rating 3400");
    assert_eq!(first_moves(&at.join("rated.db")), ["7g7f none -416 none 1"]);
}

const JOSEKI: &str = "\
先手：Aoki
後手：Baba
手合割：平手
   1 ７六歩(77)
*#評価値=120
   2 ３四歩(33)
*#評価値=90
   3 ２六歩(27)
   4 投了
変化：3手
   3 ６六歩(67)
*#評価値=-30
   4 ８四歩(83)
変化：1手
   1 ２六歩(27)
*#評価値=60
";

#[test]
fn variations_sides_players_and_comments_count_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("joseki.kifu"), JOSEKI).expect("written");
    let book = |arguments: &str| {
        let said = made(at, &format!("joseki.kifu -o b.db --force {arguments}"));
        let mut moves: Vec<String> = entries(&at.join("b.db")).into_iter().flat_map(|(_, moves)| moves).collect();
        moves.sort();
        (said.lines().nth(1).map(str::to_owned), moves.join(", "))
    };
    let left_out = |what: &str| Some(format!("left out: {what}"));
    let cases = [
        (
            "",
            left_out("2 variations (--variations adds them)"),
            "2g2f none 416 none 1, 3c3d none -416 none 1, 7g7f none 416 none 1",
        ),
        (
            "--variations",
            None,
            "2g2f none 416 none 1, 2g2f none none none 1, 3c3d none -416 none 1, 6g6f none none none 1, \
             7g7f none 416 none 1, 8c8d none none none 1",
        ),
        (
            "--variations --values comments",
            None,
            "2g2f none 60 none 1, 2g2f none none none 1, 3c3d none -90 none 1, 6g6f none -30 none 1, \
             7g7f none 120 none 1, 8c8d none none none 1",
        ),
        ("--side white", left_out("2 variations (--variations adds them)"), "3c3d none -416 none 1"),
        ("--player Baba --to 2", left_out("1 variations (--variations adds them)"), "3c3d none -416 none 1"),
        ("--player Baba --side black", left_out("1 games by --result, --min-rating, --player or --side"), ""),
    ];
    for (arguments, said, moves) in cases {
        assert_eq!(book(arguments), (said, moves.to_owned()), "{arguments}");
    }
}

#[test]
fn a_broken_record_counts_up_to_its_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("games.usi"), "startpos moves 7g7f 7g7f\nstartpos moves 2g2f\n").expect("written");
    let output = make(at, "games.usi missing.kif -o book.db");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && errors.contains("games.usi: line 1") && errors.contains("missing.kif"),
        "{errors}"
    );
    assert!(errors.contains("2 inputs had errors"), "{errors}");
    assert_eq!(first_moves(&at.join("book.db")).len(), 2);
}

#[test]
fn a_large_file_of_lines_is_read_in_parts() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // Comments make the file large without many games.
    let padding = format!("# {}\n", "x".repeat(1 << 16)).repeat(60);
    let text = format!(
        "startpos moves 7g7f\n{padding}startpos moves 7g7f\n{padding}startpos moves 2g2f\nstartpos moves 1a1b\n"
    );
    fs::write(at.join("games.usi"), &text).expect("written");
    assert!(text.len() > 7 << 20);
    let output = make(at, "games.usi -o book.db --memory 1");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("games.usi: line 124"), "{errors}");
    assert_eq!(first_moves(&at.join("book.db")), ["7g7f none none none 2", "2g2f none none none 1"]);
}

const SMALL: &str = "--nodes 40 --multipv 3 --eval piece-square --batch 4 --hash 1";

#[test]
fn a_book_grows_the_same_interrupted_and_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).expect("a file");
    let said = made(at, &format!("self -o whole.db --positions 41 --jobs 1 {SMALL}"));
    assert!(said.starts_with("41 positions, value "), "{said}");
    made(at, &format!("self -o threads.db --positions 41 --jobs 3 {SMALL}"));
    assert_eq!(read("whole.db"), read("threads.db"));
    made(at, &format!("self -o parts.db --positions 21 --jobs 2 {SMALL}"));
    // A torn last line is a batch that is searched again.
    let log = read("parts.db.grow.jsonl");
    fs::write(at.join("parts.db.grow.jsonl"), &log[..log.len() - 30]).expect("written");
    made(at, &format!("self -o parts.db --positions 41 --jobs 2 {SMALL}"));
    assert_eq!(read("whole.db"), read("parts.db"));
    assert_eq!(read("whole.db.grow.jsonl"), read("parts.db.grow.jsonl"));
    let other = refused(at, &format!("self -o parts.db --positions 41 {SMALL} --seed 2"));
    assert!(other.contains("parts.db.grow.jsonl was made with seed 1, not 2"), "{other}");
    let start = entries(&at.join("whole.db")).into_iter().find(|(ply, _)| ply == "1").expect("the start").1;
    let [_, reply, value, depth] = start[0].split(' ').collect::<Vec<_>>()[..] else { panic!("{start:?}") };
    assert!(reply != "none" && value.parse::<i32>().is_ok() && depth.parse::<u32>().is_ok());
    made(at, &format!("self -o whole.db --positions 41 --no-depths {SMALL}"));
    assert!(first_moves(&at.join("whole.db"))[0].split(' ').count() == 3);
}

#[test]
fn parts_of_a_book_are_put_together_and_grow_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    for part in 1..=2 {
        made(at, &format!("self -o part{part}.db --positions 84 --shard {part}/2 {SMALL}"));
    }
    let said = made(at, "self -o all.db --state all.jsonl --merge part1.db.grow.jsonl part2.db.grow.jsonl");
    // 64 positions are those of the trunk, which both parts have.
    let positions: usize = said.split(' ').next().expect("a number").parse().expect("a number");
    assert!((100..=104).contains(&positions) && said.ends_with("of 2 logs\n"), "{said}");
    let grown = made(at, &format!("self -o all.db --state all.jsonl --positions 110 {SMALL}"));
    assert!(grown.starts_with("110 positions"), "{grown}");
    assert!(refused(at, "self -o all.db --merge part1.db.grow.jsonl").contains("all.db exists; --force overwrites it"));
    assert!(refused(at, "self -o other.db --merge missing.jsonl").contains("no log of a growing book"));
}

#[test]
fn a_book_grows_from_the_roots_that_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut command = Command::new(enbu());
    command.args(["book", "make", "self", "-o", "roots.db", "--positions", "6"]).args(SMALL.split(' '));
    command.args(["--position", "startpos moves 7g7f 3c3d", "--position", "startpos moves 2g2f"]);
    assert!(command.current_dir(at).output().expect("a process").status.success());
    let plies: Vec<String> = entries(&at.join("roots.db")).into_iter().map(|(ply, _)| ply).collect();
    assert_eq!(plies.len(), 6);
    assert!(plies.contains(&"3".to_owned()) && plies.contains(&"2".to_owned()) && !plies.contains(&"1".to_owned()));
    let wrong = refused(at, "self -o roots.db --position nonsense");
    assert!(wrong.contains("--position nonsense: "), "{wrong}");
}

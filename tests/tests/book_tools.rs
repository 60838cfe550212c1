//! `enbu book convert`, `sort`, `merge`, `prune`, `verify`, `stats` and `show`.

use std::fs;
use std::process::{Command, Output};

use enbu_tests::binary::enbu;
use serde_json::Value;
use tempfile::TempDir;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL";

/// Two positions in the order of `.db`, as `enbu book` writes them.
fn sorted_book() -> String {
    format!(
        "#YANEURAOU-DB2016 1.00\n#made by hand\nsfen {AFTER_7G7F} w - 2\n3c3d 2g2f 20 12 90\n\
         sfen {START} b - 1\n7g7f 3c3d 30 12 150\n#the first move\n2g2f none 25 10 90\n"
    )
}

/// The positions in another order, one of them twice, with moves in another order.
fn unsorted_book() -> String {
    format!(
        "#YANEURAOU-DB2016 1.00\n#made by hand\nsfen {START} b - 1\n2g2f none 25 10 90\n7g7f 3c3d 30 12 150\n\
         #the first move\nsfen {AFTER_7G7F} w - 2\n3c3d 2g2f 20 12 90\nsfen {START} b - 5\n2g2f none 25 9 1\n"
    )
}

/// A folder in which `enbu book` is run.
struct Folder(TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn run(&self, arguments: &str) -> Output {
        let arguments = arguments.split_whitespace();
        Command::new(enbu()).arg("book").args(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Standard output of a command that succeeds without a notice.
    #[track_caller]
    fn quietly(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let notices = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && notices.is_empty(), "{arguments}: {notices}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Standard error of a command that ends with this exit code.
    #[track_caller]
    fn fails(&self, arguments: &str, code: i32) -> String {
        let output = self.run(arguments);
        let notices = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {notices}");
        notices
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn sorting_gives_the_order_of_the_writer() {
    let folder = Folder::with(&[("a.db", &unsorted_book()), ("b.db", &sorted_book())]);
    let said = folder.quietly("sort a.db -o sorted.db");
    assert_eq!(said, "sorted.db: 2 positions, 3 moves, 1 combined with others\n");
    assert_eq!(folder.read("sorted.db"), sorted_book());
    // With the least memory, in place, and a sorted file stays the same.
    folder.quietly("sort a.db -o a.db --memory 1 --force");
    folder.quietly("sort b.db -o b.db --force");
    assert!(folder.read("a.db") == sorted_book() && folder.read("b.db") == sorted_book());
    assert!(folder.fails("sort a.db -o b.db", 1).contains("--force"));
    folder.quietly("sort a.db -o plies.db --keep-plies");
    assert_eq!(folder.names(), ["a.db", "b.db", "plies.db", "sorted.db"]);
}

#[test]
fn moves_of_combined_positions_are_sorted_too() {
    let text = format!("sfen {START} b - 1\n7g7f none 1 1 5\nsfen {START} b - 3\n2g2f none 1 1 9\n");
    let folder = Folder::with(&[("a.db", &text)]);
    for command in ["sort", "merge"] {
        folder.quietly(&format!("{command} a.db -o out.db --force"));
        assert!(folder.read("out.db").ends_with("b - 1\n2g2f none 1 1 9\n7g7f none 1 1 5\n"), "{command}");
    }
}

#[test]
fn plies_are_kept_on_request() {
    let folder = Folder::with(&[("a.db", &unsorted_book())]);
    folder.quietly("sort a.db -o plies.db --keep-plies");
    assert_eq!(folder.read("plies.db"), format!("{}sfen {START} b - 5\n2g2f none 25 9 1\n", sorted_book()));
}

#[test]
fn books_are_converted_into_every_format_and_back() {
    let folder = Folder::with(&[("a.db", &sorted_book())]);
    for (name, lost) in [
        ("a.ybb", ".ybb has no place for 2 replies, 3 counts, 1 comment"),
        ("a.bin", "book.bin of Apery has no place for 2 plies, 2 replies, 3 depths, 1 comment"),
        ("a.sbk", ".sbk has no place for 2 plies, 2 replies, 3 values, 3 depths, 1 comment"),
    ] {
        let output = folder.run(&format!("convert a.db -o {name}"));
        let notices = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {notices}");
        assert_eq!(notices.trim(), format!("enbu: {lost}"));
        folder.quietly(&format!("convert {name} -o back-{name}.db"));
        folder.quietly(&format!("verify back-{name}.db"));
        assert!(folder.quietly(&format!("show {name}")).contains("7g7f"), "{name}");
        assert!(folder.quietly(&format!("stats {name}")).contains("positions  2: "), "{name}");
    }
    let ybb = sorted_book().replace("#made by hand\n", "").replace("#the first move\n", "");
    let without =
        |text: &str, words: &[(&str, &str)]| words.iter().fold(text.to_owned(), |text, (a, b)| text.replace(a, b));
    let numbers = [(" 2g2f 20 12 90", " none 20 12"), (" 3c3d 30 12 150", " none 30 12"), (" 25 10 90", " 25 10")];
    assert_eq!(folder.read("back-a.ybb.db"), without(&ybb, &numbers));
    let weights = [
        (" 2g2f 20 12 90", " none none none 90"),
        (" 3c3d 30 12 150", " none none none 150"),
        (" 25 10 90", " none none 90"),
        ("w - 2", "w -"),
        ("b - 1", "b -"),
        ("#the first move\n", ""),
    ];
    assert_eq!(folder.read("back-a.sbk.db"), without(&sorted_book(), &weights));
    assert!(folder.fails("convert a.db -o a.txt", 2).contains("--to"));
}

#[test]
fn a_position_that_no_path_leads_to_is_named() {
    // Apery's records of a position of which the start position knows nothing.
    let lone = "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\nP*5e none 10 1 2\n";
    let folder = Folder::with(&[("a.db", lone)]);
    folder.run("convert a.db -o a.bin");
    let notices = String::from_utf8(folder.run("convert a.bin -o b.db").stderr).unwrap();
    assert!(notices.contains("1 moves belong to positions that were not found"), "{notices}");
    let arguments = ["book", "convert", "a.bin", "-o", "c.db", "--from", "4k4/9/9/9/9/9/9/9/4K4 b P 1"];
    let output = Command::new(enbu()).args(arguments).current_dir(folder.0.path()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(folder.read("c.db").contains("P*5e none 10 none 2"));
}

#[test]
fn merging_follows_the_rule() {
    let other = format!("sfen {START} b - 1\n7g7f 8c8d 50 30 7\n6i7h\n");
    let folder = Folder::with(&[("a.db", &sorted_book()), ("b.db", &other), ("c.db", &unsorted_book())]);
    let line = |rule: &str| {
        let said = folder.quietly(&format!("merge a.db b.db -o out.db --force --rule {rule}"));
        assert_eq!(said, "out.db: 2 positions, 4 moves, 1 combined with others\n");
        let text = folder.read("out.db");
        text.lines().find(|line| line.starts_with("7g7f")).unwrap().to_owned()
    };
    assert_eq!(line("deeper"), "7g7f 8c8d 50 30 150");
    assert_eq!(line("first"), "7g7f 3c3d 30 12 150");
    assert_eq!(line("add-counts"), "7g7f 8c8d 50 30 157");
    folder.quietly("merge c.db b.db -o unsorted.db");
    folder.quietly("verify unsorted.db");
}

#[test]
fn pruning_keeps_the_moves_that_pass() {
    let folder = Folder::with(&[("a.db", &sorted_book())]);
    for (condition, moves) in
        [("--min-count 100", 1), ("--min-depth 11", 2), ("--max-ply 1", 2), ("--max-moves 1", 2), ("--max-loss 4", 2)]
    {
        let said = folder.quietly(&format!("prune a.db -o out.db --force {condition}"));
        assert!(said.contains(&format!("{moves} moves")), "{condition}: {said}");
    }
    folder.quietly("prune a.db -o same.db --legal --min-value -100");
    assert_eq!(folder.read("same.db"), sorted_book());
}

#[test]
fn faults_are_named_with_their_line() {
    let bad = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {START} b - 1\n7g7f none x\n7g7f\n7g7f\n7g7e\nsfen 9/9 b - 1\n\
         sfen {AFTER_7G7F} w - 2\n8c8d 2g2g 1\n"
    );
    let folder = Folder::with(&[("bad.db", &bad), ("good.db", &sorted_book())]);
    assert_eq!(folder.quietly("verify good.db"), "good.db: .db, 2 positions, 3 moves, no faults\n");
    let output = folder.run("verify good.db bad.db");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for expected in [
        "bad.db: line 3: not a value: `x`",
        "bad.db: line 7: sfen board: not nine ranks in `9/9`",
        "bad.db: line 9: not a move: `2g2g`",
        "bad.db: line 2: the move 7g7f occurs twice",
        "bad.db: line 2: illegal move 7g7e: the piece does not move that way",
        "bad.db: line 8: the position is out of order",
    ] {
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
    let error = folder.fails("sort bad.db -o out.db", 1);
    assert!(error.contains("bad.db: line 3: ") && error.contains("--skip-faults"), "{error}");
    assert!(!folder.names().contains(&"out.db".to_owned()));
    let output = folder.run("prune bad.db -o out.db --skip-faults --legal");
    let notices = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && notices.lines().count() == 3, "{notices}");
    folder.quietly("verify out.db");
    assert!(folder.fails("stats no.db", 1).contains("no.db: "));
}

#[test]
fn positions_are_shown_as_people_and_machines_read_them() {
    let folder = Folder::with(&[("a.db", &sorted_book()), ("b.db", &unsorted_book())]);
    for book in ["a.db", "b.db"] {
        let said = folder.quietly(&format!("show {book} startpos moves 7g7f"));
        assert!(said.starts_with(AFTER_7G7F) && said.contains("\n3c3d  2g2f       20     12         90\n"), "{said}");
    }
    assert_eq!(folder.quietly(&format!("show a.db sfen {START} b - 1")), folder.quietly("show a.db"));
    let flipped = folder.quietly(&format!("show a.db {START} w - 1"));
    assert!(flipped.contains("(flipped in the book)") && flipped.contains("\n3c3d  7g7f "), "{flipped}");
    assert_eq!(folder.run("show a.db startpos moves 2g2f").status.code(), Some(1));
    assert!(folder.fails("show a.db startpos moves 2g2e", 1).contains("column 16: illegal move: `2g2e`"));
    let page: Value = serde_json::from_str(&folder.quietly("show a.db --json")).unwrap();
    assert_eq!(page["moves"][0]["move"], "7g7f");
    assert_eq!(page["moves"][0]["comment"], "the first move");
    assert_eq!(page["moves"][1]["count"], 90);
    let statistics: Value = serde_json::from_str(&folder.quietly("stats b.db --json")).unwrap();
    assert_eq!(statistics["positions"], 3);
    assert_eq!(statistics["max_depth"], 12);
    assert_eq!(statistics["sum_of_counts"], 331);
}

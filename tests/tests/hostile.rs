//! Text of others in names, headers and lines: it never controls a terminal, never names a
//! file elsewhere, and never becomes a part of a page.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use enbu_tests::binary::enbu;

/// Text that clears a screen, sets a title, turns the direction of writing, closes a tag,
/// begins a script, and climbs out of a folder.
const EVIL: &str = "../../x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\"'</title><script>alert(1)</script>&%s";

/// [`EVIL`] as a name of a file.
fn evil_name() -> String {
    EVIL.replace('/', "_")
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Characters that a terminal obeys.
fn controls(text: &str) -> Vec<char> {
    text.chars().filter(|&letter| letter.is_control() && !"\n\r\t".contains(letter)).collect()
}

/// Checks the bytes of a file, or of output that is one. JSON may hold characters from U+0080
/// to U+009F as they are; written to a terminal by the program they are escaped.
#[track_caller]
fn assert_harmless_data(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found: Vec<char> = controls(&text).into_iter().filter(|letter| letter.is_ascii()).collect();
    assert!(found.is_empty(), "{place}: {text:?}: {found:?}");
}

#[track_caller]
fn assert_harmless(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(controls(&text).is_empty(), "{place}: {text:?}");
}

/// Runs a command in a folder and checks that its messages are harmless.
#[track_caller]
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(enbu()).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code <= 2), "{arguments:?}: {output:?}");
    assert_harmless(&format!("{arguments:?}: stderr"), &output.stderr);
    output
}

/// A folder inside another, of which everything else must stay empty.
fn nested() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("a/b/c");
    fs::create_dir_all(&inner).unwrap();
    (outer, inner)
}

/// Checks that no file is outside of `inner`.
#[track_caller]
fn assert_inside(outer: &tempfile::TempDir, inner: &Path) {
    for path in files(outer.path()) {
        assert!(path.starts_with(inner), "{}", path.display());
    }
}

/// Records with [`EVIL`] as players, event and comment.
fn records() -> Vec<(&'static str, String)> {
    // Text with an escape character is taken for a binary file, except where it is encoded.
    let evil = EVIL.replace(['\u{1b}', '\u{7}'], "");
    let unquoted = evil.replace('"', "");
    let json = EVIL.replace('\\', "\\\\").replace('"', "\\\"").replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    vec![
        (
            "a.kifu",
            format!(
                "棋戦：{evil}\n先手：{evil}\n後手：{evil}\n手数----指手--\n   1 ７六歩(77)\n*{evil}\n   2 ３四歩(33)\n   3 投了\n"
            ),
        ),
        ("b.csa", format!("V3.0\nN+{evil}\nN-{evil}\n$EVENT:{evil}\nPI\n+\n+7776FU\n'*{evil}\n-3334FU\n%TORYO\n")),
        (
            "c.jkf",
            format!(
                r#"{{"header":{{"先手":"{json}","後手":"{json}"}},"initial":{{"preset":"HIRATE"}},"moves":[{{"comments":["{json}"]}},{{"move":{{"from":{{"x":7,"y":7}},"to":{{"x":7,"y":6}},"piece":"FU"}}}},{{"special":"TORYO"}}]}}"#
            ),
        ),
        ("d.pgn", format!("[Event \"{}\"]\n[Sente \"{}\"]\n\n1. P-7f {{{evil}}} *\n", unquoted, unquoted)),
        ("e.kif", format!("先手：{EVIL}\n手数----指手--\n   1 {EVIL}\n")),
        ("f.csa", EVIL.to_owned()),
    ]
}

#[test]
fn headers_of_records_reach_no_terminal_path_or_page() {
    let (outer, inner) = nested();
    fs::create_dir(inner.join("in")).unwrap();
    for (name, text) in records() {
        fs::write(inner.join("in").join(name), text).unwrap();
    }
    for format in ["kifu", "ki2u", "csa", "usi", "pgn", "jkf", "sfen"] {
        let output = run(&inner, &["convert", "in", "--to", format, "--encoding", "utf-8"]);
        assert_harmless_data(format, &output.stdout);
    }
    for format in ["jkf", "svg"] {
        run(&inner, &["convert", "in", "-o", "out/", "--to", format]);
    }
    run(
        &inner,
        &["analyse", "in", "-o", "report/", "--format", "html,json,kifu", "--nodes", "5", "--problems", "p.sfen"],
    );
    run(&inner, &["book", "make", "in", "-o", "b.db"]);
    assert_inside(&outer, &inner);
    let made = files(&inner);
    assert!(made.iter().filter(|path| path.extension().is_some_and(|kind| kind == "html")).count() >= 3, "{made:?}");
    for path in made.iter().filter(|path| !path.starts_with(inner.join("in"))) {
        let bytes = fs::read(path).unwrap();
        assert_harmless_data(&path.display().to_string(), &bytes);
        if path.extension().is_some_and(|kind| kind == "html" || kind == "svg") {
            let page = String::from_utf8(bytes).unwrap();
            let evil = ["<script>alert", "</title><", "\u{202e}"].map(|evil| page.contains(evil));
            assert_eq!(evil, [false; 3], "{}", path.display());
        }
    }
}

#[test]
fn names_of_files_reach_no_terminal_or_page() {
    let (outer, inner) = nested();
    let name = evil_name();
    let inputs = inner.join("in");
    fs::create_dir(&inputs).unwrap();
    fs::write(inputs.join(format!("{name}.usi")), "startpos moves 7g7f 3c3d\n").unwrap();
    fs::write(inputs.join(format!("{name}.kif")), "nonsense\n").unwrap();
    fs::write(inputs.join(format!("{name}.db")), "nonsense\n").unwrap();
    let (input, broken, book) = (format!("in/{name}.usi"), format!("in/{name}.kif"), format!("in/{name}.db"));
    let commands: [&[&str]; 17] = [
        &["convert", &input, &broken, "--to", "csa"],
        &["convert", "in", "-o", "out/", "--to", "csa"],
        &["analyse", "in", "-o", "report/", "--nodes", "5"],
        &["analyse", &input, "--format", "json", "--nodes", "5"],
        &["analyse", &input, "-o", &format!("{name}.html"), "--nodes", "5"],
        &["book", "make", &input, &broken, "-o", &format!("{name}.made.db")],
        &["book", "stats", &book],
        &["book", "verify", &book],
        &["book", "sort", &book, "-o", "sorted.db"],
        &["mate", &broken],
        &["selfplay", "stats", &book],
        &["train", &book, "--out", "a.nnue"],
        &["match", "--engine", &broken, "--engine", "self", "--tc", "depth=1"],
        &["openings", &name],
        &["bench", "--eval", &broken],
        &["csa", "--config", &broken],
        &[&name, &format!("--{name}")],
    ];
    for arguments in commands {
        let output = run(&inner, arguments);
        if arguments[0] == "analyse" {
            assert_harmless_data(&format!("{arguments:?}: stdout"), &output.stdout);
        } else {
            assert_harmless(&format!("{arguments:?}: stdout"), &output.stdout);
        }
    }
    assert_inside(&outer, &inner);
    for path in files(&inner).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "html")) {
        let page = fs::read_to_string(&path).unwrap();
        assert!(!page.contains("<script>alert") && !page.contains('\u{202e}'), "{}", path.display());
    }
}

#[test]
fn names_that_are_too_long_are_errors() {
    let (outer, inner) = nested();
    // The longest name of a file; with another ending it is too long.
    let name = format!("{}.usi", "x".repeat(251));
    fs::create_dir(inner.join("in")).unwrap();
    fs::write(inner.join("in").join(&name), "startpos moves 7g7f\n").unwrap();
    for arguments in [
        &["convert", "in", "-o", "out/", "--to", "kifu"][..],
        &["convert", &format!("in/{name}"), "-o", &format!("{}.kifu", "y".repeat(251))],
        &["analyse", "in", "-o", "report/", "--nodes", "5"],
        &["book", "make", "in", "-o", &format!("{}.db", "y".repeat(300))],
    ] {
        let output = run(&inner, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("name too long"), "{arguments:?}: {errors}");
    }
    let longest = format!("{}.kifu", "y".repeat(250));
    let output = run(&inner, &["convert", &format!("in/{name}"), "-o", &longest]);
    assert!(output.status.success() && inner.join(longest).is_file(), "{output:?}");
    assert_inside(&outer, &inner);
}

/// An engine in the shell that calls itself [`EVIL`], and talks so.
const ENGINE: &str = r#"evil=$(cat evil)
while read -r command rest; do
    case $command in
    usi) printf 'id name %s\nid author %s\noption name %s type string default %s\nusiok\n' "$evil" "$evil" "$evil" "$evil" ;;
    isready) printf 'info string %s\nreadyok\n' "$evil" ;;
    go) printf 'info string %s\ninfo depth 1 score cp 1 pv %s\n%s\nbestmove %s\n' "$evil" "$evil" "$evil" "$evil" ;;
    quit) printf '%s\n' "$evil" >&2; exit ;;
    esac
done
"#;

#[test]
fn lines_of_engines_reach_no_terminal_path_or_record() {
    let (outer, inner) = nested();
    fs::write(inner.join("evil"), EVIL).unwrap();
    fs::write(inner.join("engine.sh"), ENGINE).unwrap();
    let output = run(
        &inner,
        &[
            "match",
            "--engine",
            "sh engine.sh",
            "--engine",
            "sh engine.sh",
            "name=b",
            "--tc",
            "depth=1",
            "--games",
            "2",
            "--out",
            "out.jsonl",
            "--csa",
            "csa",
            "--chart",
            "chart.svg",
            "--log",
            "lines.log",
        ],
    );
    assert!(output.status.success(), "{output:?}");
    assert_harmless("stdout", &output.stdout);
    let made = files(&inner);
    assert!(made.len() >= 7, "{made:?}");
    for path in made.iter().filter(|path| !path.ends_with("evil")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_harmless("a name", name.as_bytes());
        assert_harmless(name, &fs::read(path).unwrap());
        if name.ends_with(".svg") {
            assert!(!fs::read_to_string(path).unwrap().contains("<script>"), "{name}");
        }
    }
    assert_inside(&outer, &inner);
    // An engine that cannot play at all is quoted in the reason.
    fs::write(inner.join("broken.sh"), "cat evil; cat evil >&2; exit 3\n").unwrap();
    let arguments =
        ["match", "--engine", "sh broken.sh", "--engine", "sh engine.sh", "--tc", "depth=1", "--out", "no.jsonl"];
    let output = run(&inner, &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let arguments = ["tune", "--engine", "sh engine.sh", "--param", "all", "--tc", "depth=1", "--iterations", "1"];
    let output = run(&inner, &arguments);
    assert_harmless("stdout", &output.stdout);
}

#[test]
fn comments_of_books_reach_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!("#YANEURAOU-DB2016 1.00\n#{EVIL}\nsfen {start}\n7g7f 3c3d 30 12 150\n#{EVIL}\n{EVIL}\n");
    fs::write(folder.path().join("a.db"), book).unwrap();
    for arguments in [
        &["book", "show", "a.db"][..],
        &["book", "show", "a.db", "--json"],
        &["book", "stats", "a.db"],
        &["book", "verify", "a.db"],
    ] {
        let output = run(folder.path(), arguments);
        assert_harmless(&format!("{arguments:?}"), &output.stdout);
    }
    fs::write(folder.path().join("problems"), format!("{EVIL}\n4k4/9/4P4/9/9/9/9/9/4K4 b G 1\t{EVIL}\n")).unwrap();
    for arguments in [&["mate", "problems"][..], &["mate", "problems", "--json"]] {
        assert_harmless("mate", &run(folder.path(), arguments).stdout);
    }
}

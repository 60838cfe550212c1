//! `enbu convert` as people call it: files, folders, pipes, errors, exit codes.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use enbu_tests::binary::{enbu, workspace_root};

fn run(arguments: &[&str]) -> Output {
    Command::new(enbu()).arg("convert").args(arguments).output().unwrap()
}

/// The output of a conversion without a fault.
#[track_caller]
fn convert(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(enbu());
    command.arg("convert").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that is refused may end before it reads anything.
    if let Err(error) = child.stdin.take().unwrap().write_all(input) {
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
    child.wait_with_output().unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder with these files in it.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let path = folder.path().to_owned();
    (folder, path)
}

const KIF: &str =
    "手合割：平手\n先手：甲\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
const CSA: &str = "V2.2\nPI\n+\n+2726FU\n%CHUDAN\n";

/// Each file of the corpus as its table says: games on standard output, or exit code 1
/// and a message.
#[test]
fn every_file_of_the_corpus_gives_its_line() {
    let corpus = workspace_root().join("tests/data/records");
    let mut wrong = Vec::new();
    let mut files = 0;
    for format in ["kif", "ki2", "csa", "bod", "sfen", "pgn", "jkf"] {
        let table = fs::read_to_string(corpus.join(format).join("expected.tsv")).unwrap();
        // The library reads all of them in each run of its own tests.
        for row in table.lines().skip(1).step_by(if enbu_tests::has_slow_rows() { 1 } else { 4 }) {
            let [file, _, expect, start, moves, end, winner, games, ..] =
                row.split('\t').collect::<Vec<_>>().try_into().map(|row: [&str; 9]| row).unwrap();
            files += 1;
            let output = run(&["--to", "usi", "--ends", path(&corpus.join(format).join(file))]);
            let found = String::from_utf8(output.stdout.clone()).unwrap();
            let good = match expect {
                "ok" => output.status.code() == Some(0) && found == lines(start, moves, end, winner, games),
                _ => output.status.code() == Some(1) && stderr(&output).contains(file),
            };
            if !good {
                wrong.push(format!("{format}/{file}: {:?} {found}{}", output.status.code(), stderr(&output)));
            }
        }
    }
    assert!(files >= if enbu_tests::has_slow_rows() { 316 } else { 79 }, "{files} files");
    assert!(wrong.is_empty(), "{} of {files} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The lines that columns of the table stand for; several games are separated by ` | `.
fn lines(start: &str, moves: &str, end: &str, winner: &str, games: &str) -> String {
    let [starts, moves, ends, winners] = [start, moves, end, winner].map(|column| column.split(" | "));
    let games_found: Vec<String> = starts
        .zip(moves)
        .zip(ends.zip(winners))
        .map(|((start, moves), (end, winner))| {
            let start = if start == "startpos" { start.to_owned() } else { format!("sfen {start}") };
            let moves = if moves == "-" { String::new() } else { format!(" moves {moves}") };
            format!("{start}{moves} end={end} winner={winner}\n")
        })
        .collect();
    assert_eq!(games_found.len().to_string(), games);
    games_found.concat()
}

#[test]
fn files_pipes_and_formats_by_extension() {
    let (_guard, dir) = folder(&[("a.kif", KIF)]);
    let (input, output) = (dir.join("a.kif"), dir.join("b.csa"));
    assert_eq!(convert(&[path(&input), "--to", "usi"]), "startpos moves 7g7f 3c3d\n");
    assert_eq!(convert(&[path(&input), "-o", path(&output)]), "");
    let csa = fs::read_to_string(&output).unwrap();
    assert!(csa.starts_with("'CSA encoding=UTF-8\nV3.0\nN+甲\n") && csa.ends_with("%TORYO\n"), "{csa}");
    for arguments in [&["--to", "usi"][..], &["-", "--to", "usi"], &["--to", "usi", "--from", "csa"]] {
        let output = piped(arguments, csa.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "startpos moves 7g7f 3c3d\n", "{}", stderr(&output));
    }
    for format in ["kif", "ki2", "csa", "pgn", "psn", "psn2", "usen", "jkf", "usi"] {
        let there = piped(&["--to", format, "--ends"], KIF.as_bytes()).stdout;
        assert_eq!(
            piped(&["--to", "usi", "--ends"], &there).stdout,
            b"startpos moves 7g7f 3c3d end=resign winner=white\n"
        );
    }
    assert_eq!(piped(&["--to", "uci"], KIF.as_bytes()).stdout, b"position startpos moves c3c4 g7g6\n");
}

/// Programs decode files by their extension.
#[test]
fn the_extension_decides_the_encoding() {
    let (_guard, dir) = folder(&[("a.csa", "V2.2\nN+甲〜\u{20bb7}\nPI\n+\n+2726FU\n%TORYO\n")]);
    let input = dir.join("a.csa");
    let bytes = |name: &str, more: &[&str]| {
        let output = dir.join(name);
        let output = run(&[&[path(&input), "-o", path(&output)][..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        (fs::read(dir.join(name)).unwrap(), stderr(&output))
    };
    for name in ["b.kif", "b.ki2", "B2.KIF"] {
        let (text, messages) = bytes(name, &[]);
        assert!(text.ends_with(b"\r\n") && std::str::from_utf8(&text).is_err(), "{name}");
        assert!(messages.contains("`～` is written for it") && messages.contains("`?` is written"), "{messages}");
        assert_eq!(convert(&[path(&dir.join(name)), "--to", "usi"]), "startpos moves 2g2f\n");
    }
    for (name, more) in [("c.kifu", &[][..]), ("c.ki2u", &[]), ("c.kif", &["--encoding", "utf-8"]), ("c.csa", &[])] {
        let (text, messages) = bytes(name, more);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("甲〜\u{20bb7}") && !text.contains('\r') && messages.is_empty(), "{name}: {messages}");
    }
    for (format, is_utf8) in [("kif", false), ("kifu", true), ("ki2", false), ("ki2u", true), ("json", true)] {
        let folder = dir.join(format!("{format}-out/"));
        run(&[path(&input), "-o", &format!("{}/", path(&folder)), "--to", format]);
        let text = fs::read(folder.join(format!("a.{format}"))).unwrap();
        assert_eq!(std::str::from_utf8(&text).is_ok(), is_utf8, "{format}");
    }
    // Standard output has no extension.
    assert!(convert(&[path(&input), "--to", "kif"]).contains("甲〜\u{20bb7}"));
}

#[test]
fn csa_has_the_version_that_is_asked_for() {
    let timed = KIF.replace("(77)", "(77)   ( 0:16/00:00:16)");
    let read = |version: &str| {
        let output = piped(&["--to", "csa", "--csa-version", version], timed.as_bytes());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(read("2.2"), "V2.2\nN+甲\nPI\n+\n+7776FU\nT16\n-3334FU\n%TORYO\n");
    assert_eq!(read("3.0"), format!("'CSA encoding=UTF-8\n{}", read("2.2").replace("V2.2", "V3.0")));
    assert_eq!(run(&["--to", "csa", "--csa-version", "2.1"]).status.code(), Some(2));
}

/// Json-kifu-format, the reader of Kifu for JS, refuses a comment after the result line.
#[test]
fn a_comment_on_the_end_is_before_the_result_line_of_kif() {
    let csa = "V2.2\nPI\n+\n+7776FU\n%TORYO\n'*because\n";
    let kif = piped(&["--to", "kif"], csa.as_bytes()).stdout;
    let text = String::from_utf8_lossy(&kif);
    assert!(text.ends_with("   2 投了\n*because\nまで1手で先手の勝ち\n"), "{text}");
    assert!(String::from_utf8_lossy(&piped(&["--to", "csa"], &kif).stdout).ends_with("%TORYO\n'*because\n"));
}

/// Each game is read again, from files of their own as from one stream.
#[test]
fn games_of_ki2_stay_apart() {
    let (_guard, dir) = folder(&[("a.kif", KIF), ("b.csa", CSA), ("c.kif", KIF)]);
    let all = dir.join("all.ki2");
    let [a, b, c] = ["a.kif", "b.csa", "c.kif"].map(|name| dir.join(name));
    convert(&[path(&a), path(&b), path(&c), "-o", path(&all)]);
    let (game, other) = ("startpos moves 7g7f 3c3d\n", "startpos moves 2g2f\n");
    for (name, expected) in [("all.ki2", game), ("all_2.ki2", other), ("all_3.ki2", game)] {
        assert_eq!(convert(&[path(&dir.join(name)), "--to", "usi"]), expected, "{name}");
    }
    assert!(!fs::read(&all).unwrap().starts_with(b"#"));
    let stream = convert(&[path(&a), path(&b), "--to", "ki2"]);
    assert_eq!(piped(&["--to", "usi"], stream.as_bytes()).stdout, [game, other].concat().as_bytes());
}

/// Readers of cshogi and python-shogi take two games in a file for one.
#[test]
fn two_games_become_two_files_of_a_format_of_one_game() {
    let (_guard, dir) = folder(&[("x.sfen", "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n")]);
    let input = dir.join("x.sfen");
    for (to, number) in
        [("kif", 2), ("kifu", 2), ("ki2", 2), ("jkf", 2), ("bod", 2), ("svg", 2), ("csa", 1), ("pgn", 1)]
    {
        let out = dir.join(to);
        let ply: &[&str] = if matches!(to, "bod" | "svg") { &["--ply", "1"] } else { &[] };
        let output = run(&[&[path(&input), "-o", &format!("{}/", path(&out)), "--to", to], ply].concat());
        assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
        assert_eq!(fs::read_dir(&out).unwrap().count(), number, "{to}");
        if number == 2 && ply.is_empty() {
            let second = out.join(format!("x-2.{to}"));
            assert_eq!(convert(&[path(&second), "--to", "usi"]), "startpos moves 2g2f 8c8d\n");
        }
    }
    let output = run(&[path(&input), "-o", path(&dir.join("y.kif"))]);
    assert!(output.status.success() && dir.join("y-2.kif").exists() && !dir.join("y.kif").exists());
    assert_eq!(stderr(&output), "enbu: output: warning: 2 games, but kif holds one a file\n");
    let stream = run(&[path(&input), "--to", "kif", "--strict"]);
    assert_eq!((stream.status.code(), stream.stdout.len()), (Some(1), 0), "{}", stderr(&stream));
}

/// Content that the output cannot hold is told with its place, and an error in a strict run.
#[test]
fn losses_are_told() {
    let kif = "手数----\n   1 ７六歩(77)\n*a comment\n   2 ３四歩(33)\n&here\n   3 投了\n変化：2手\n   2 ８四歩(83)\n";
    let told = |arguments: &[&str]| {
        let output = piped(arguments, kif.as_bytes());
        (output.status.code(), !output.stdout.is_empty(), stderr(&output))
    };
    let name = "enbu: standard input: ";
    for (to, lost) in [
        ("usi", "variations (1, move 2), ends (1, move 3), comments (1, move 1), bookmarks (1, move 2)"),
        ("csa", "variations (1, move 2), bookmarks (1, move 2)"),
        (
            "sfen",
            "moves (2, from move 1), variations (1, move 2), ends (1, move 3), comments (1, move 1), bookmarks (1, move 2)",
        ),
    ] {
        assert_eq!(told(&["--to", to]), (Some(0), true, format!("{name}warning: {to} cannot hold {lost}\n")));
        let errors = format!("{name}{to} cannot hold {lost}\nenbu: 1 of 1 inputs had errors\n");
        assert_eq!(told(&["--to", to, "--strict"]), (Some(1), false, errors));
    }
    for to in ["kif", "ki2", "jkf", "pgn"] {
        assert_eq!(told(&["--to", to, "--strict"]), (Some(0), true, String::new()));
    }
    assert_eq!(told(&["--to", "svg", "--strict", "--ply", "1"]), (Some(0), true, String::new()));
    for to in ["svg", "bod", "sfen", "fen"] {
        let refused = format!("{name}--ply 3: the game has 2 moves\nenbu: 1 of 1 inputs had errors\n");
        assert_eq!(told(&["--to", to, "--ply", "3"]), (Some(1), false, refused));
    }
    let (_guard, dir) = folder(&[("a.kif", &KIF.replace('甲', "𠮷"))]);
    let (input, output) = (dir.join("a.kif"), dir.join("b.kif"));
    assert_eq!(run(&[path(&input), "-o", path(&output), "--strict"]).status.code(), Some(1));
    assert!(!output.exists());
}

#[test]
fn openings_are_named_where_no_header_names_them() {
    let game = "startpos moves 7g7f 3c3d 6g6f 8c8d 2h6h\n";
    let (_keep, folder) = folder(&[("game.usi", game), ("named.kif", &KIF.replace("先手：甲", "戦型：力戦"))]);
    let file = folder.join("game.usi");
    for (format, header) in [
        ("kif", "戦型：四間飛車\n"),
        ("csa", "$OPENING:Fourth File Rook\n"),
        ("pgn", "[Opening \"Fourth File Rook\"]\n"),
        ("jkf", "\"戦型\":\"四間飛車\""),
    ] {
        let arguments = [path(&file), "--to", format];
        assert!(!convert(&arguments).contains(header), "{format}");
        assert!(convert(&[&arguments[..], &["--names"]].concat()).contains(header), "{format}");
    }
    let named = convert(&[path(&folder.join("named.kif")), "--to", "kif", "--names"]);
    assert!(named.contains("戦型：力戦\n") && named.matches("戦型").count() == 1, "{named}");
}

#[test]
fn nothing_is_overwritten_unless_asked() {
    let (_guard, dir) = folder(&[("a.kif", KIF), ("b.csa", "old")]);
    let (input, output) = (dir.join("a.kif"), dir.join("b.csa"));
    let refused = run(&[path(&input), "-o", path(&output)]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
    convert(&[path(&input), "-o", path(&output), "--force"]);
    assert!(fs::read_to_string(&output).unwrap().contains("+7776FU"));
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
}

#[test]
fn folders_in_and_out() {
    let files = [("a.kif", KIF), ("2026/b.csa", CSA), ("2026/c.kif", "prose"), ("notes.txt", "no record")];
    let (_guard, dir) = folder(&files);
    let out = dir.join("out");
    let output = run(&[path(&dir), "-o", &format!("{}/", path(&out)), "--to", "pgn"]);
    assert_eq!(output.status.code(), Some(1), "one of the files is no record");
    assert!(stderr(&output).contains("c.kif: line 1, column 1: no record found: `prose`"), "{}", stderr(&output));
    assert!(fs::read_to_string(out.join("a.pgn")).unwrap().contains("1. Pc4 Pg6 0-1"));
    assert!(fs::read_to_string(out.join("2026/b.pgn")).unwrap().contains("1. Ph4"));
    // Many games into one file, and out of it again.
    let (all, games) = (dir.join("all.csa"), [dir.join("a.kif"), dir.join("2026/b.csa")]);
    convert(&[path(&games[0]), path(&games[1]), "-o", path(&all)]);
    assert_eq!(convert(&[path(&all), "--to", "usi"]), "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n");
    // Two inputs do not become one file.
    let (_guard, twins) = folder(&[("a.kif", KIF), ("a.csa", CSA)]);
    convert(&[path(&twins), "-o", &format!("{}/", path(&twins.join("out"))), "--to", "usi"]);
    assert_eq!(fs::read_to_string(twins.join("out/a.usi")).unwrap(), "startpos moves 2g2f\n");
    assert_eq!(fs::read_to_string(twins.join("out/a.kif.usi")).unwrap(), "startpos moves 7g7f 3c3d\n");
}

#[test]
fn every_error_is_told_with_its_place() {
    let bad = KIF.replace("   2 ３四歩(33)", "   2 ３四歩(34)");
    let (_guard, dir) = folder(&[("a.kif", &bad), ("b.csa", "V2.2\nPI\n+\n+7776FU\n/\nPI\n+\n+5554FU\n")]);
    let output = run(&[path(&dir), "--to", "usi", "--ends"]);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    for part in [
        "a.kif: line 5, column 4: no piece on the origin: `2 ３四歩(34)`",
        "b.csa: line 8, column 2: no piece on the origin: `5554FU`",
        "2 of 2 inputs had errors",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let kept = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        kept,
        "startpos moves 7g7f end=unfinished winner=none\nstartpos moves 7g7f end=unfinished winner=none\n"
    );
}

#[test]
fn strict_and_lenient_modes() {
    let odd = KIF.replace("   2 ３四歩(33)", "   9 ３四歩(33)");
    let (_guard, dir) = folder(&[("a.kif", &odd)]);
    let input = dir.join("a.kif");
    for arguments in [&[path(&input), "--to", "usi"][..], &[path(&input), "--to", "usi", "--lenient"]] {
        let output = run(arguments);
        assert!(output.status.success() && stderr(&output).contains("warning: line 5"), "{}", stderr(&output));
    }
    let output = run(&[path(&input), "--to", "usi", "--strict"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", stderr(&output));
}

#[test]
fn encodings_and_line_ends() {
    let (_guard, dir) = folder(&[("a.kif", &KIF.replace('甲', "甲☗"))]);
    let (input, output) = (dir.join("a.kif"), dir.join("b.kif"));
    let lossy = run(&[path(&input), "-o", path(&output), "--encoding", "shift_jis"]);
    assert!(lossy.status.success());
    assert!(
        stderr(&lossy).contains("Shift_JIS has no such character; `▲` is written for it: `☗`"),
        "{}",
        stderr(&lossy)
    );
    let bytes = fs::read(&output).unwrap();
    assert!(bytes.ends_with(b"\r\n") && std::str::from_utf8(&bytes).is_err());
    assert_eq!(convert(&[path(&output), "--to", "usi"]), "startpos moves 7g7f 3c3d\n");
    let euc = piped(&["--to", "ki2", "--encoding", "euc-jp", "--line-end", "crlf"], KIF.as_bytes()).stdout;
    assert_eq!(piped(&["--to", "usi"], &euc).stdout, b"startpos moves 7g7f 3c3d\n");
}

#[test]
fn diagrams_and_positions() {
    let (_guard, dir) = folder(&[("a.kif", KIF)]);
    let input = dir.join("a.kif");
    let picture = convert(&[path(&input), "--to", "svg", "--ply", "1"]);
    assert!(picture.starts_with("<svg ") && picture.matches(">歩<").count() == 18, "{picture}");
    let bod = convert(&[path(&input), "--to", "bod", "--ply", "1"]);
    assert!(bod.contains("後手番") && bod.contains("| ・ ・ 歩 ・"), "{bod}");
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n";
    assert_eq!(convert(&[path(&input), "--to", "sfen", "--ply", "1"]), after);
    let fen = convert(&[path(&input), "--to", "fen", "--ply", "1"]);
    assert_eq!(fen, "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL[-] b - - 0 1\n");
    assert_eq!(piped(&["--to", "sfen"], bod.as_bytes()).stdout, after.as_bytes());
}

/// Names of the files in a folder, in the order of a listing.
fn listing(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.collect();
    names.sort();
    names
}

#[test]
fn several_positions_become_files_that_sort() {
    let long = format!("startpos moves{}\n", " 5i5h 5a5b 5h5i 5b5a".repeat(3));
    let two = "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n";
    let (_guard, dir) = folder(&[("game.usi", &long), ("two.usi", two)]);
    let table: [(&str, &str, &str, &str, &str); 12] = [
        ("game", "svg", "0-2", "out/", "game-000.svg game-001.svg game-002.svg"),
        ("game", "svg", "all/5", "out/", "game-000.svg game-005.svg game-010.svg"),
        ("game", "svg", "11-", "out/", "game-011.svg game-012.svg"),
        ("game", "bod", "3-12/9", "out/", "game-003.bod game-012.bod"),
        ("game", "svg", "3-3", "out/", "game.svg"),
        ("game", "svg", "3", "out/", "game.svg"),
        ("game", "svg", "1-9/4", "out/fig.svg", "fig-001.svg fig-005.svg fig-009.svg"),
        ("game", "svg", "2-3", "out/{ply}th.svg", "002th.svg 003th.svg"),
        ("game", "svg", "2", "out/at{ply}.svg", "at002.svg"),
        ("two", "svg", "1", "out/at{ply}.svg", "at001-1.svg at001-2.svg"),
        ("two", "svg", "0-1", "out/", "two-1-000.svg two-1-001.svg two-2-000.svg two-2-001.svg"),
        ("game", "sfen", "all", "out/", "game.sfen"),
    ];
    for (input, to, ply, out, names) in table {
        let (out, input) = (format!("{}/{out}", path(&dir)), dir.join(format!("{input}.usi")));
        let folder = dir.join("out");
        fs::create_dir(&folder).unwrap();
        convert(&[path(&input), "--to", to, "--ply", ply, "-o", &out]);
        assert_eq!(listing(&folder).join(" "), names, "{ply} {out}");
        if to == "sfen" {
            assert_eq!(fs::read_to_string(folder.join("game.sfen")).unwrap().lines().count(), 13);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    let game = dir.join("game.usi");
    let lines = convert(&[path(&game), "--to", "sfen", "--ply", "0-2/2"]);
    assert!(lines.lines().count() == 2 && lines.ends_with(" b - 3\n"), "{lines}");
    for (ply, told) in [
        ("13", "--ply 13: the game has 12 moves"),
        ("5-13", "--ply 13: the game has 12 moves"),
        ("20-", "--ply 20: the game has 12 moves"),
    ] {
        let output = run(&[path(&game), "--to", "svg", "--ply", ply, "-o", &format!("{}/", path(&dir.join("none")))]);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(told), "{ply}: {}", stderr(&output));
        assert_eq!(listing(&dir.join("none")), [""; 0]);
    }
    let long = format!("startpos moves{}\n", " 5i5h 5a5b 5h5i 5b5a".repeat(600));
    let output = piped(&["--to", "sfen", "--ply", "all"], long.as_bytes());
    assert!(stderr(&output).contains("--ply: 2401 positions of one game, more than 2000"), "{}", stderr(&output));
    assert_eq!(
        piped(&["--to", "sfen", "--ply", "all/100"], long.as_bytes()).stdout.iter().filter(|&&c| c == b'\n').count(),
        25
    );
}

#[test]
fn diagrams_replace_no_file_unless_asked() {
    let (_guard, dir) = folder(&[("a.kif", KIF), ("out/a-001.svg", "old")]);
    let (input, out) = (dir.join("a.kif"), format!("{}/out/", path(&dir)));
    let all = [path(&input), "--to", "svg", "--ply", "all", "-o", &out];
    let refused = run(&all);
    assert!(refused.status.code() == Some(1) && stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(dir.join("out/a-001.svg")).unwrap(), "old");
    convert(&[&all[..], &["--force"]].concat());
    assert!(fs::read_to_string(dir.join("out/a-001.svg")).unwrap().contains("1手目 ▲７六歩まで"));
    assert_eq!(listing(&dir.join("out")), ["a-000.svg", "a-001.svg", "a-002.svg"]);
}

#[test]
fn options_of_diagrams_reach_the_picture() {
    let sfen = "sfen 4k4/9/4+S4/9/9/9/9/9/9 b G2p 1\n";
    for (input, arguments, parts) in [
        (KIF, &["--caption", "第{ply}図 {move}"][..], &["第2図 △３四歩", "▲甲"][..]),
        (KIF, &["--letters", "western"], &["Move 2: △P-34", ">L<"]),
        (KIF, &["--flip"], &["x=\"160\" y=\"260\" width=\"40\""]),
        (KIF, &["--mark", "7g7f,RP*5e", "--mark", "B3c,[5e],Y[5d]"], &["#15803d", "#c1121f", "#1d4ed8", "#b7791f"]),
        (sfen, &["--letters", "western", "--caption", "Mate in 1"], &["Mate in 1", ">+S<", ">G<", ">P2<"]),
        (sfen, &[], &[">全<", ">金<", "<desc>4k4/9/4+S4/9/9/9/9/9/9 b G2p 1</desc>"]),
    ] {
        let output = piped(&[&["--to", "svg"], arguments].concat(), input.as_bytes());
        let picture = String::from_utf8(output.stdout).unwrap();
        for part in parts {
            assert!(picture.contains(part), "{arguments:?}: {part} in {picture}");
        }
    }
    for (arguments, told) in [
        (&["--to", "csa", "--flip"][..], "the options of diagrams are for svg"),
        (&["--to", "kif", "--ply", "1"], "--ply is for bod, svg, sfen and fen"),
        (&["--to", "svg", "--ply", "0-1"], "several positions need -o: a folder, or a file such as game-{ply}.svg"),
        (&["--to", "svg", "--ply", "2-1"], "not a number of moves, a range"),
        (&["--to", "svg", "--ply", "all/0"], "not a number of moves, a range"),
        (&["--to", "svg", "--ply", "x"], "not a number of moves, a range"),
        (&["--to", "svg", "--ply", "1,2"], "not a number of moves, a range"),
        (&["--to", "svg", "--mark", "5e,5e5e"], "not an arrow (7g7f), circle (5e) or frame ([5e])"),
        (&["--to", "svg", "--letters", "latin"], "western"),
    ] {
        let output = piped(arguments, KIF.as_bytes());
        assert!(
            output.status.code() == Some(2) && stderr(&output).contains(told),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn wrong_usage_is_told() {
    for arguments in [&["--to", "xyz"][..], &["-"], &["--strict", "--lenient", "--to", "usi"], &["--encoding", "utf-7"]]
    {
        let output = piped(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    }
    let output = piped(&["-"], b"");
    let message = stderr(&output);
    assert!(message.starts_with("error: the format of the output is not known"), "{message}");
    assert!(message.contains("Usage: enbu convert"), "{message}");
    let (_guard, empty) = folder(&[]);
    let output = run(&[path(&empty), "--to", "csa"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("enbu: no records found in "), "{}", stderr(&output));
    let output = run(&["/no/such/file.kif"]);
    assert_eq!((output.status.code(), stderr(&output).contains("file.kif: ")), (Some(1), true), "{}", stderr(&output));
    let output = run(&["/no/such/file.kif", "--to", "usi"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("file.kif"), "{}", stderr(&output));
}

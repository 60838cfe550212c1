//! `enbu analyse` as people call it: files, folders, resumption, shards, bad input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use enbu_kifu::{Event, Format, Mode, Record, read_any};
use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::files::below;
use enbu_tests::table::rows;
use serde_json::Value;
use tempfile::TempDir;

const FAST: [&str; 2] = ["--nodes", "60"];

const KIF: &str = "先手：甲\n後手：乙\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:03/00:00:03)\n*comment\n\
   2 ３四歩(33)   ( 0:05/00:00:05)\n   3 ２二角成(88)   ( 0:01/00:00:04)\n   4 同　銀(31)\n   5 投了\n\n変化：3手\n   3 ２六歩(27)\n*variation\n";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(enbu());
    command.arg("analyse").args(arguments).args(FAST).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

#[track_caller]
fn analyse(folder: &Path, arguments: &[&str]) -> Output {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with some games in `in/`.
fn games(count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let moves = ["7g7f 3c3d 2g2f 8c8d 2f2e 8d8e", "2g2f 8c8d 2f2e 8d8e", "7g7f 8c8d 7i6h", "5g5f 3c3d 2h5h"];
    for number in 0..count {
        let file = folder.path().join(format!("in/{}/game{number}.usi", number % 2));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("startpos moves {}\n", moves[number % moves.len()])).unwrap();
    }
    folder
}

#[test]
fn one_game_goes_to_standard_output_or_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.kif"), KIF).unwrap();
    let output = analyse(folder.path(), &["a.kif", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["black_name"], report["moves"].as_array().unwrap().len()), (&Value::from("甲"), 4));
    analyse(folder.path(), &["a.kif", "-o", "a.html"]);
    assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().starts_with("<!DOCTYPE html>"));
    let refused = run(folder.path(), &["a.kif", "-o", "a.html"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("exists; --force overwrites it"), "{}", stderr(&refused));
    let wrong = run(folder.path(), &["a.kif", "--format", "html,kif"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
}

#[test]
fn a_summary_names_the_worst_moves_and_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let blunder = KIF.replace("２二角成(88)", "３三角成(88)").replace("同　銀(31)", "同　桂(21)");
    fs::write(folder.path().join("a.kif"), blunder).unwrap();
    let text = |arguments: &[&str]| String::from_utf8(analyse(folder.path(), arguments).stdout).unwrap();
    let english = text(&["a.kif", "--lang", "en"]);
    assert!(english.starts_with("▲ 甲 – △ 乙, 乙 won, resignation, 4 moves\nAccuracy: ▲ "), "{english}");
    assert!(english.contains("    3. ▲B-33+  blunder, -"), "{english}");
    let japanese = text(&["a.kif", "--lang", "ja"]);
    assert!(japanese.starts_with("▲ 甲 – △ 乙　乙の勝ち　投了　4手\n精度：▲ "), "{japanese}");
    assert!(japanese.contains("   3手目 ▲３三角成　大悪手　勝率 −"), "{japanese}");
    assert!(text(&["a.kif", "-o", "A.HTM", "--lang", "en"]).ends_with("\nA.HTM\n"));
    assert!(fs::read_to_string(folder.path().join("A.HTM")).unwrap().starts_with("<!DOCTYPE html>"));
    let refused = run(folder.path(), &["a.kif", "-o", "a.pdf"]);
    assert_eq!((refused.status.code(), folder.path().join("a.pdf").exists()), (Some(2), false));
    assert!(stderr(&refused).contains("no format has the extension .pdf"), "{}", stderr(&refused));
}

/// A program in the place of the one that opens files.
#[cfg(target_os = "linux")]
#[test]
fn a_record_without_a_command_becomes_a_page_beside_it_that_is_opened() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("私の 棋譜")).unwrap();
    fs::write(folder.path().join("私の 棋譜/a.sfen"), "startpos moves 7g7f 3c3d\n").unwrap();
    let opener = folder.path().join("xdg-open");
    fs::write(&opener, "#!/bin/sh\nprintf '%s' \"$1\" > opened\n").unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths(
        std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    // Twice: the page of the first time is replaced.
    for _ in 0..2 {
        let mut command = Command::new(enbu());
        command.arg("私の 棋譜/a.sfen").args(FAST).current_dir(folder.path()).stdin(Stdio::null());
        let output = command.env("PATH", path.as_ref().unwrap()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(folder.path().join("私の 棋譜/a.enbu.html").exists());
    }
    let opened = folder.path().join("opened");
    let deadline = std::time::Instant::now() + enbu_tests::session::patience();
    while fs::read_to_string(&opened).unwrap_or_default().is_empty() && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(fs::read_to_string(&opened).unwrap().ends_with("a.enbu.html"));
}

#[test]
fn openings_castles_and_tactics_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let game = "startpos moves 7g7f 3c3d 6g6f 8c8d 2h6h 5a4b 5i4h 4b3b 4h3h 7a6b 3h2h 6a5b 3i3h 5c5d\n";
    fs::write(folder.path().join("game.usi"), game).unwrap();
    fs::write(folder.path().join("fork.sfen"), "sfen 4k4/1r7/9/9/9/9/9/9/4K4 b B 1 moves B*7c\n").unwrap();
    analyse(folder.path(), &["game.usi", "fork.sfen", "-o", "out", "--format", "html,json,kifu"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let names = |name: &str| serde_json::from_str::<Value>(&read(name)).unwrap()["names"].clone();
    let named = |ja: &str, en: &str, ply: u64| serde_json::json!({ "ja": ja, "en": en, "ply": ply });
    let found = names("game.analysis.json");
    assert_eq!(found["opening"], named("四間飛車", "Fourth File Rook", 5));
    assert_eq!(found["sides"][0]["castles"][0], named("片美濃囲い", "Incomplete Mino", 13));
    assert_eq!(names("fork.analysis.json")["tactics"][0], named("王手飛車取り", "King and Rook Fork", 1));
    let both = |ja: &str, en: &str| {
        format!("<span class=\"ja\" lang=\"ja\">{ja}</span><span class=\"en\" lang=\"en\">{en}</span>")
    };
    let (page, index) = (read("game.html"), read("index.html"));
    assert!(page.contains(&format!("<small>{}</small>", both("片美濃囲い", "Incomplete Mino"))));
    assert!(page.matches(&both("四間飛車", "Fourth File Rook")).count() == 2, "the head and the summary");
    assert!(read("fork.html").contains(&format!("<small>{}</small>", both("王手飛車取り", "King and Rook Fork"))));
    assert!(index.contains(&format!("data-v=\"四間飛車\">{}", both("四間飛車", "Fourth File Rook"))));
    assert!(read("game.kifu").contains("戦型：四間飛車\n"));
}

#[test]
fn records_written_back_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.kifu"), KIF).unwrap();
    for scores in ["shogihome", "shogigui", "floodgate"] {
        let out = format!("out-{scores}");
        analyse(folder.path(), &["a.kifu", "-o", &out, "--format", "kif,ki2u,csa,jkf", "--scores", scores]);
        let (_, original) = read_any(KIF.as_bytes(), Mode::Tolerant).unwrap();
        let original = &original.records[0];
        for (name, format) in
            [("a.kif", Format::Kif), ("a.ki2u", Format::Ki2), ("a.csa", Format::Csa), ("a.jkf", Format::Jkf)]
        {
            let bytes = fs::read(folder.path().join(&out).join(name)).unwrap();
            let reading = format.read_bytes(&bytes, Mode::Strict).unwrap();
            let written: &Record = &reading.records[0];
            assert!(written.moves().eq(original.moves()), "{name}");
            assert_eq!(written.end(), original.end(), "{name}");
            assert!(original.headers.iter().all(|(key, value)| written.headers.value(key) == Some(value)), "{name}");
            assert_eq!(written.has_variations(), format != Format::Csa, "{name}");
            for (one, other) in original.main_line().zip(written.main_line()) {
                let (one, other) = (original.node(one), written.node(other));
                if format != Format::Ki2 {
                    assert_eq!(one.time_ms, other.time_ms, "{name}");
                }
                assert!(one.remarks().comments.iter().all(|text| other.remarks().comments.contains(text)), "{name}");
                let scores = other.remarks().analyses.iter().filter(|analysis| analysis.score_cp.is_some()).count();
                assert_eq!(scores, usize::from(matches!(one.event(), Event::Move(_))), "{name} {scores}");
            }
        }
    }
}

#[test]
fn the_same_command_skips_games_that_are_done() {
    let folder = games(5);
    let arguments = ["in", "-o", "out", "--format", "html,kif", "--jobs", "2", "--problems", "p.tsv"];
    let first = analyse(folder.path(), &arguments);
    assert!(stderr(&first).contains("5 games, "), "{}", stderr(&first));
    let whole = below(&folder.path().join("out"));
    assert_eq!(whole.len(), 3 * 5 + 1);
    let again = analyse(folder.path(), &arguments);
    assert!(stderr(&again).contains("5 games (5 of an earlier run), 0 positions"), "{}", stderr(&again));
    assert_eq!(below(&folder.path().join("out")), whole);
    // A lost file is rendered anew, a lost JSON analysed anew; both as before.
    fs::remove_file(folder.path().join("out/0/game0.html")).unwrap();
    fs::remove_file(folder.path().join("out/1/game1.analysis.json")).unwrap();
    fs::write(folder.path().join("out/0/game2.analysis.json"), "{\"format\":1").unwrap();
    let repaired = analyse(folder.path(), &arguments);
    assert!(stderr(&repaired).contains("5 games (3 of an earlier run)"), "{}", stderr(&repaired));
    assert_eq!(below(&folder.path().join("out")), whole);
    // As after a power cut: empty, cut, and with zeros. Without its JSON a game is analysed anew.
    for (name, part, zeros) in
        [("0/game0.html", 0, 0), ("0/game2.kif", 50, 0), ("1/game1.html", 50, 50), ("1/game3.analysis.json", 0, 0)]
    {
        let path = folder.path().join("out").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        bytes.truncate(length * part / 100);
        bytes.resize(bytes.len() + length * zeros / 100, 0);
        fs::write(&path, bytes).unwrap();
    }
    let repaired = analyse(folder.path(), &arguments);
    assert!(stderr(&repaired).contains("5 games (4 of an earlier run)"), "{}", stderr(&repaired));
    assert_eq!(below(&folder.path().join("out")), whole);
    // Other settings: all of them.
    let other = analyse(folder.path(), &["in", "-o", "out", "--multipv", "2"]);
    assert!(stderr(&other).contains("5 games, "), "{}", stderr(&other));
}

#[test]
fn shards_together_are_the_whole() {
    let folder = games(5);
    analyse(folder.path(), &["in", "-o", "whole", "--jobs", "1"]);
    for shard in ["1/2", "2/2"] {
        analyse(folder.path(), &["in", "-o", "parts", "--jobs", "2", "--shard", shard]);
    }
    assert_eq!(below(&folder.path().join("whole")), below(&folder.path().join("parts")));
}

#[test]
fn several_games_of_a_file_have_numbers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.usi"), "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n").unwrap();
    // The name of the index is taken.
    fs::write(folder.path().join("index.usi"), "startpos moves 7g7f\n").unwrap();
    analyse(folder.path(), &["two.usi", "index.usi", "-o", "out/"]);
    let names: Vec<String> = below(&folder.path().join("out")).keys().map(|path| path.display().to_string()).collect();
    let expected = [
        "index.html",
        "index.usi.analysis.json",
        "index.usi.html",
        "two-1.analysis.json",
        "two-1.html",
        "two-2.analysis.json",
        "two-2.html",
    ];
    assert_eq!(names, expected);
    let lines = String::from_utf8(analyse(folder.path(), &["two.usi", "--format", "json"]).stdout).unwrap();
    assert_eq!(lines.lines().count(), 2);
}

#[test]
fn bad_input_is_named_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("damaged.kif", "手数----指手---------消費時間--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ９九玉(59)\n");
    write("good.usi", "startpos moves 7g7f\n");
    write("kings.sfen", "9/9/9/9/9/9/9/9/9 b - 1\n");
    write("takeable.sfen", "4k4/9/9/9/9/9/9/9/4R3K b - 1\n");
    write("text.kif", "no record\n");
    let output = run(
        folder.path(),
        &["damaged.kif", "good.usi", "kings.sfen", "takeable.sfen", "text.kif", "none.kif", "-o", "out"],
    );
    assert_eq!(output.status.code(), Some(1));
    let messages = stderr(&output);
    for (name, reason) in [
        ("damaged.kif", "line 4"),
        ("kings.sfen", "no black king"),
        ("takeable.sfen", "cannot be played"),
        ("text.kif", "no record found"),
        ("none.kif", "No such file"),
    ] {
        let lines: Vec<&str> = messages.lines().filter(|line| line.starts_with(&format!("enbu: {name}"))).collect();
        assert!(lines.len() == 1 && lines[0].contains(reason), "{name}: {messages}");
    }
    assert!(messages.ends_with("enbu: 5 inputs had errors\n"), "{messages}");
    let damaged = fs::read_to_string(folder.path().join("out/damaged.analysis.json")).unwrap();
    let damaged: Value = serde_json::from_str(&damaged).unwrap();
    assert_eq!(damaged["moves"].as_array().unwrap().len(), 2);
    assert!(folder.path().join("out/good.html").is_file());

    let late = run(folder.path(), &["good.usi", "damaged.kif", "--from", "2", "-o", "out3"]);
    assert_eq!(late.status.code(), Some(1));
    assert!(stderr(&late).contains("enbu: good.usi: --from 2: good.usi has 1 moves\n"), "{}", stderr(&late));
    assert!(folder.path().join("out3/damaged.html").is_file() && !folder.path().join("out3/good.html").exists());

    fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = run(folder.path(), &["empty", "-o", "out2"]);
    assert_eq!((empty.status.code(), stderr(&empty).as_str()), (Some(1), "enbu: no records found in empty\n"));
    let file_as_folder = run(folder.path(), &["good.usi", "-o", "good.usi/out"]);
    assert_eq!((file_as_folder.status.code(), stderr(&file_as_folder).lines().count()), (Some(1), 1));
}

#[test]
fn problems_hold_the_missed_mate() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mate.sfen"), "7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS 1 moves 5i4i 2b3b\n").unwrap();
    analyse(folder.path(), &["mate.sfen", "-o", "out", "--problems", "p.tsv", "--mate", "1000"]);
    let problems = fs::read_to_string(folder.path().join("p.tsv")).unwrap();
    let first = problems.lines().next().unwrap();
    assert!(first.starts_with("7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS 1\tbm S*2c 2b1c G*1d\tam 5i4i\tmate "), "{problems}");
    // The games of the folder are known; ShogiHome's form is made of their reports.
    analyse(folder.path(), &["mate.sfen", "-o", "out", "--problems", "p.json", "--mate", "1000"]);
    let file: Value = serde_json::from_slice(&fs::read(folder.path().join("p.json")).unwrap()).unwrap();
    assert_eq!((&file["format"], &file["version"]), (&"shogihome-next-move".into(), &1.into()));
    assert_eq!(file["metadata"]["title"], "p");
    let made = file["metadata"]["createdAt"].as_str().unwrap();
    assert!(made.len() == 25 && made.as_bytes()[10] == b'T', "{made}");
    let first = &file["problems"][0];
    assert_eq!((&first["candidates"][0]["usi"], &first["candidates"][0]["mate"]), (&"S*2c".into(), &3.into()));
    assert_eq!((&first["actualMove"]["usi"], &first["source"]["path"]), (&"5i4i".into(), &"mate.sfen".into()));
}

#[test]
fn the_example_game_is_analysed_alike_by_one_job_and_two() {
    let root = workspace_root();
    let game = root.join("docs/game.kif");
    let game = game.to_str().unwrap();
    let one = analyse(&root, &[game, "--jobs", "1"]).stdout;
    assert_eq!(analyse(&root, &[game, "--jobs", "2"]).stdout, one);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_soon_and_is_continued() {
    let folder = games(12);
    let arguments = ["in", "-o", "out", "--jobs", "2"];
    let mut command = Command::new(enbu());
    command.arg("analyse").args(arguments).args(["--nodes", "100"]).current_dir(folder.path()).stdin(Stdio::null());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let first = folder.path().join("out/0/game0.analysis.json");
    while !first.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    // It may have ended just before the signal.
    if output.status.code() != Some(0) {
        assert_eq!(output.status.code(), Some(130));
        assert!(stderr(&output).ends_with("interrupted; the same command continues\n"), "{}", stderr(&output));
    }
    let finish = |out: &str| {
        let mut command = Command::new(enbu());
        command.args(["analyse", "in", "-o", out, "--nodes", "100"]).current_dir(folder.path());
        assert!(command.stdin(Stdio::null()).output().unwrap().status.success());
        below(&folder.path().join(out))
    };
    assert_eq!(finish("out"), finish("whole"));
}

/// Missed mates, mates kept by another check, blunders and good moves, as deeper searches
/// and two mate solvers classify them.
#[test]
fn known_mistakes_are_classified() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let rows: Vec<_> = rows("analyse.tsv").into_iter().step_by(2).collect();
    let folder = tempfile::tempdir().unwrap();
    let games: String = rows.iter().map(|row| format!("{} moves {}\n", row.text("sfen"), row.text("move"))).collect();
    fs::write(folder.path().join("games.sfen"), games).unwrap();
    let mut command = Command::new(enbu());
    command
        .args(["analyse", "games.sfen", "--format", "json", "--nodes", "60000", "--mate", "40000"])
        .current_dir(folder.path());
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), rows.len());
    for (row, line) in rows.iter().zip(text.lines()) {
        let report: Value = serde_json::from_str(line).unwrap();
        let mv = &report["moves"][0];
        let class = mv["class"].as_str().unwrap();
        let is_right = match row.text("expected") {
            "missed mate" => mv["missed_mate"].is_array(),
            "mate kept" => mv["missed_mate"].is_null() && mv["loss"].as_f64() < Some(0.05),
            "blunder" => class == "blunder",
            "good" => matches!(class, "best" | "good"),
            other => panic!("{other}"),
        };
        assert!(is_right, "{} {}: {}: {mv}", row.text("sfen"), row.text("move"), row.text("expected"));
    }
}

//! `enbu ratings`: files of results and records in, tables out.

use std::fs;
use std::process::Output;

use enbu_tests::invocation::Invocation;
use serde_json::Value;

/// Games of a match, each a line: Black, White, the points of Black.
fn results(games: &[(&str, &str, &str, usize)]) -> String {
    let mut text = String::new();
    for (black, white, points, count) in games {
        for _ in 0..*count {
            let game = text.lines().count();
            text += &format!(
                "{{\"match\":\"m\",\"game\":{game},\"black\":\"{black}\",\"white\":\"{white}\",\"engine1\":\"b\",\"score1\":{points}}}\n"
            );
        }
    }
    text
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn results_and_records_are_rated_together() {
    let new = Invocation::new("ratings");
    let games = results(&[("a", "b", "1.0", 30), ("b", "a", "0.0", 30), ("b", "a", "1.0", 10), ("a", "b", "0.0", 10)]);
    fs::write(new.path("x.jsonl"), &games).expect("written");
    // A copy, and a line that a crash has torn: no game counts twice.
    fs::write(new.path("y.jsonl"), games.clone() + "{\"match\":\"m\",\"ga").expect("written");
    fs::create_dir(new.path("records")).expect("a folder");
    let kif = |end: &str| format!("先手：c\n後手：b\n手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n3 {end}\n");
    for (name, end) in [("won.kif", "詰み"), ("drawn.kif", "持将棋"), ("open.kif", "中断")] {
        fs::write(new.path("records").join(name), kif(end)).expect("written");
    }
    fs::write(new.path("records/nobody.csa"), "V3.0\nPI\n+\n+7776FU\n%TORYO\n").expect("written");
    let output = new.with(&["x.jsonl", "y.jsonl", "records", "--anchor", "b=1000", "--lang", "en"]).command().output();
    let (table, stderr) = said(&output.expect("it runs"));
    assert!(table.starts_with("82 games;"), "{table}");
    assert!(table.contains("| 2 | b | 1000 | 0 |") || table.contains("| 3 | b | 1000 | 0 |"), "{table}");
    assert!(table.contains("| 80 | 60 : 0 : 20 | 75.0 % |"), "{table}");
    assert_eq!(stderr, "2 games without both names or a result are left out\n");
}

#[test]
fn tables_are_files_of_three_forms() {
    let new = Invocation::new("ratings");
    let games = results(&[("a<b", "b|c", "1.0", 3), ("b|c", "a<b", "1.0", 1), ("winner", "a<b", "1.0", 1)]);
    fs::write(new.path("x.jsonl"), games).expect("written");
    for (file, language, parts) in [
        ("r.md", "en", &["| a<b |", "b\\|c", "no loss to the others", "cannot be compared"][..]),
        (
            "r.html",
            "ja",
            &["<html lang=\"ja\" data-lang=\"ja\">", "a&lt;b", "<svg", "ほかの対局者に負けなし", "比べられません"],
        ),
        ("r.JSON", "en", &["\"rating\": null"]),
    ] {
        let command = |more: &[&str]| {
            let arguments = [&["x.jsonl", "-o", file, "--lang", language], more].concat();
            Invocation::command(&Invocation::new("ratings").with(&arguments))
                .current_dir(new.folder())
                .output()
                .expect("it runs")
        };
        assert!(command(&[]).status.success(), "{file}");
        let text = fs::read_to_string(new.path(file)).expect("written");
        parts.iter().for_each(|part| assert!(text.contains(part), "{file}: {part}: {text}"));
        assert!(!command(&[]).status.success() && command(&["--force"]).status.success(), "{file}");
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(new.path("r.JSON")).expect("written")).expect("JSON");
    let players = json["players"].as_array().expect("a list");
    assert_eq!(players.len(), 3);
    assert!(players[0]["rating"]["value"].as_f64().expect("a number") > 0.0 && players[0]["los"].is_number());
    assert!(json["advantage"]["half_width"].is_number() && json["draws"].is_number());
}

#[test]
fn faults_are_named() {
    let new = Invocation::new("ratings");
    fs::write(new.path("good.jsonl"), results(&[("a", "b", "1.0", 1), ("b", "a", "1.0", 1)])).expect("written");
    fs::write(new.path("bad.jsonl"), "{\"match\":\"m\"}\n").expect("written");
    fs::write(new.path("prose.kif"), "no record").expect("written");
    fs::write(new.path("empty.jsonl"), "").expect("written");
    for (arguments, words, code) in [
        (&["good.jsonl", "bad.jsonl"][..], "bad.jsonl, line 1: missing field `game`", 1),
        (&["good.jsonl", "none.jsonl"], "none.jsonl: ", 1),
        (&["good.jsonl", "prose.kif"], "prose.kif: ", 1),
        (&["empty.jsonl"], "there is no game with two names and a result", 1),
        (&["good.jsonl", "--anchor", "x=5"], "--anchor: no game of x", 1),
        (&["good.jsonl", "--anchor", "five"], "not NAME=ELO", 2),
        (&["good.jsonl", "-o", "r.txt"], "r.txt: the name must end in one of .md, .json, .html", 2),
    ] {
        let arguments = [arguments, &["--lang", "en"]].concat();
        let output =
            Invocation::new("ratings").with(&arguments).command().current_dir(new.folder()).output().expect("it runs");
        let (table, stderr) = said(&output);
        assert!(stderr.contains(words) && output.status.code() == Some(code), "{arguments:?}: {stderr}");
        // The other files are rated all the same.
        let is_rated = arguments.len() == 4 && !arguments.contains(&"--anchor");
        assert_eq!(table.contains("| a |"), is_rated, "{arguments:?}: {table}");
    }
    assert!(!new.path("r.txt").exists());
}

//! The command line in Japanese and English.

use std::process::{Command, Output};

use enbu_tests::binary::enbu;
use enbu_tests::invocation::Invocation;
use enbu_tests::session::Session;

/// Arguments, and parts of the text that they give in Japanese and in English.
const ROWS: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["--help"],
        &["使い方：enbu", "棋譜・詰将棋・設定：", "説明とメッセージの言語"],
        &["Usage: enbu", "For players:"],
    ),
    (&["options", "--help"], &["オプション:", "例："], &["Examples:"]),
    (
        &["mach"],
        &["'mach' というコマンドはありません", "もしかして", "match"],
        &["unrecognized subcommand 'mach'", "match"],
    ),
    (&["analyse", "--node", "10"], &["'--node' というオプションや引数はありません", "--nodes"], &["'--nodes'"]),
    (
        &["analyse", "--nodes", "x"],
        &["'--nodes <NODES>' に 'x' は指定できません：整数ではありません"],
        &["invalid digit"],
    ),
    (&["analyse", "--book", "101"], &["0～100 の範囲で指定してください"], &["101 is not in 0..=100"]),
    (&["analyse", "--comments", "all"], &["指定できる値：replace"], &["[possible values: replace"]),
    (&["convert", "--ply"], &["'--ply", "の値がありません"], &["a value is required"]),
    (&["book"], &["コマンド"], &["Usage: enbu book"]),
    (&["mate"], &["次の引数が必要です"], &["required arguments"]),
];

fn run(arguments: &[&str], language: &str) -> String {
    let invocation = Invocation::new(arguments[0]).with(&arguments[1..]);
    let Output { stdout, stderr, .. } = invocation.command().env("ENBU_LANG", language).output().unwrap();
    String::from_utf8([stdout, stderr].concat()).unwrap()
}

#[test]
fn usi_is_ascii_in_every_language() {
    let mut session = Session::spawn(Command::new(enbu()).env("ENBU_LANG", "ja"));
    session.send("help");
    session.send("こんにちは");
    session.send("usi");
    let lines = session.until("usiok");
    assert!(lines.iter().any(|line| line.starts_with("position SFEN     set the position")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("unknown command `\\u{3053}")), "{lines:?}");
    assert!(lines.iter().all(|line| line.is_ascii()), "{lines:?}");
}

#[test]
fn the_command_line_speaks_the_language_of_the_user() {
    for (arguments, japanese, english) in ROWS {
        for (language, parts) in [("ja", japanese), ("en", english)] {
            let text = run(arguments, language);
            parts.iter().for_each(|part| assert!(text.contains(part), "{arguments:?} in {language}: {text}"));
        }
    }
    assert_eq!(run(&["mach", "--lang", "en"], "ja"), run(&["mach"], "en"));
    // The language of the system counts only where none is named.
    let usage =
        Invocation::new("--help").command().env("LC_ALL", "ja_JP.UTF-8").env("ENBU_LANG", "en").output().unwrap();
    assert!(String::from_utf8(usage.stdout).unwrap().contains("Usage:"));
}

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
        &["mate", "--help"],
        &[
            "使い方：enbu mate",
            "引数:",
            "1問あたりの制限時間（秒）",
            "[既定値：256]",
            "- shortest：最短と証明できるまで",
            "例：",
        ],
        &["Usage: enbu mate", "Time for each problem, in seconds", "- shortest:   Until the shortest is proved"],
    ),
    (
        &["book", "make", "--help"],
        &["書き出す定跡", "- winner：勝者の指し手", "[既定値：any]", "定跡の評価値で指し手を絞ります。"],
        &["The book to write: .db", "Those of the winner", "[default: any]", "choose among the values of a book."],
    ),
    (
        &["match", "--help"],
        &["エンジン:", "ルール:", "同時対局数 [既定値：1]", "入玉ルール（27：27点法", "既存のファイルを上書き"],
        &["Engines:", "Rules:", "Games at once", "Entering king rule", "Overwrite files that exist"],
    ),
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

/// Commands for players, with their subcommands.
const OF_PLAYERS: &[&[&str]] = &[
    &[],
    &["analyse"],
    &["mate"],
    &["convert"],
    &["book"],
    &["book", "make"],
    &["book", "make", "self"],
    &["book", "convert"],
    &["book", "sort"],
    &["book", "merge"],
    &["book", "prune"],
    &["book", "verify"],
    &["book", "stats"],
    &["book", "show"],
    &["options"],
    &["doctor"],
    &["match"],
    &["csa"],
];

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
fn help_for_players_is_whole_in_each_language() {
    for command in OF_PLAYERS {
        let arguments = [command, &["--help"][..]].concat();
        for line in run(&arguments, "ja").lines() {
            // The line of an option, or an example alone.
            let is_code = line.trim_start().starts_with(['<', '[']) || line.starts_with("  enbu ");
            let (is_code, text) = match line.trim_start().split_once('：') {
                Some((name, help)) if name.starts_with("- ") => (false, help),
                _ => (is_code || line.trim_start().starts_with('-'), line),
            };
            assert!(is_code || text.is_empty() || !text.is_ascii(), "{arguments:?}: {line}");
            assert!(!line.contains('‖'), "{arguments:?}: {line}");
        }
        let english = run(&arguments, "en");
        assert!(english.is_ascii(), "{arguments:?}: {english}");
    }
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

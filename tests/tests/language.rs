//! The command line in Japanese and English.

mod play;

use std::fs;
use std::process::{Command, Output};

use enbu_tests::binary::{enbu, workspace_root};
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

/// Files of every kind with faults, by name.
const FILES: &[(&str, &[u8])] = &[
    ("prose.kif", "これは棋譜ではありません。".as_bytes()),
    ("foul.kif", "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角不(88)\n4 ２二銀(31)\n5 ５五歩(57)\n".as_bytes()),
    ("lines.kif", "手合割：平手\n1 ７六歩(77)\n&しおり\n2 ３四歩(33)\n3 中断\n変化：2手\n2 ８四歩(83)\n".as_bytes()),
    ("sign.kif", "先手：☗\n1 ７六歩(77)\n".as_bytes()),
    ("list.sfen", b"startpos moves 7g7f\nlnsgkgsnl/9 b\nstartpos moves 7g7e\n4k4/4R4/9/9/9/9/9/9/4K4 b - 1\n"),
    ("two.usi", b"startpos moves 7g7f\nstartpos moves 2g2f\n"),
    ("broken.jkf", b"{\"moves\":[{}"),
    ("shift.csa", b"V2.2\nPI\n+\n+7776FU\n\x93\xfa\n"),
    ("problems.txt", b"7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1\n4k4/9/9/9/9/9/9/9/9 b G 1\n9/9 b\nstartpos moves 7g7e\n"),
    ("sorted.db", b"#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 30 12 150\n#c\n"),
    ("faults.db", b"#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7e none 1\n7g7f none x\nsfen 9/9 b\n"),
    ("cut.bin", b"0123456789"),
    ("empty.db", b""),
    ("other.db", b"#YANEURAOU-DB2015\n"),
    ("net.nnue", b"This is no network."),
    ("cut.nnue", b"ENBUNNUE\x02\0\0\0"),
];

/// Commands on these files, and a part of what they print in Japanese.
const MESSAGES: &[(&str, &str)] = &[
    ("convert nope.kif --to csa", "nope.kif: ファイルやフォルダがありません"),
    ("convert prose.kif --to csa", "棋譜や局面が見つかりません"),
    ("convert foul.kif --to csa", "反則手です：`5 ５五歩(57)`"),
    ("convert foul.kif --to csa --strict", "行目"),
    ("convert lines.kif --to csa", "csa 形式では表せません：変化（1 件、2 手目）、しおり（1 件、1 手目）"),
    ("convert sign.kif --to kif --encoding shift_jis", "出力の 3 行目 4 文字目"),
    ("convert list.sfen --to usi", "SFEN"),
    ("convert two.usi -o two.kif", "1 ファイルに 1 局です"),
    ("convert two.usi --to bod --ply 9", "--ply 9：棋譜は 1 手です"),
    ("convert broken.jkf --to kif", "JSON が途中で終わっています"),
    ("convert shift.csa --to kif", "行目"),
    ("convert lines.kif", "出力の形式が分かりません"),
    ("convert lines.kif --to xyz", "`xyz` という形式はありません"),
    ("convert lines.kif --to kif --encoding utf-16", "書き込みに使える文字コードではありません"),
    ("convert lines.kif -o sign.kif", "すでにあります"),
    ("convert dir/ --to kif", "dir/ に棋譜がありません"),
    ("mate problems.txt", "▲２三銀 △１三玉 ▲１四金"),
    ("mate problems.txt", "詰み 1、不詰 2、未解決 0"),
    ("mate problems.txt", "9/9` は 9 段ではありません"),
    ("mate problems.txt --sound --all", "  不完全作、3 手：▲２三銀"),
    ("mate nope.sfen", "nope.sfen：ファイルがありません"),
    ("mate 9/9", "ファイルでも SFEN でもありません"),
    ("mate dir/", "dir/ はフォルダです"),
    ("mate lines.kif --ply 9", "9 手目はありません"),
    ("mate problems.txt --time x", "秒数ではありません"),
    ("book show sorted.db", "▲７六歩         △３四歩"),
    ("book show sorted.db startpos moves 2g2f", "定跡にありません"),
    ("book show sorted.db startpos moves 2g2e", "反則手です：`2g2e`"),
    ("book stats sorted.db", "1（先手 1、後手 0）"),
    ("book stats faults.db", "異常"),
    ("book verify sorted.db", "異常なし"),
    ("book verify faults.db cut.bin", "反則手 1"),
    ("book verify empty.db", "ファイルが空です"),
    ("book verify other.db", "ヘッダーが"),
    ("book verify nope.db", "nope.db：ファイルやフォルダがありません"),
    ("book convert sorted.db -o out.bin", "入りません：手数 1 件、応手 1 件、深さ 1 件、コメント 1 件"),
    ("book convert sorted.db -o out", "出力の形式が分かりません"),
    ("book convert faults.db -o out.ybb", "--skip-faults で除きます"),
    ("book sort faults.db -o sorted2.db --skip-faults", "指し手 1"),
    ("book merge sorted.db faults.db -o all.db --skip-faults", "局面 1"),
    ("book prune sorted.db -o all.ybb", "局面 1、指し手 1"),
    ("book make foul.kif lines.kif -o made.db", "変化（--variations で加えます） 1 件"),
    ("book make lines.kif -o made.txt", "定跡の拡張子ではありません"),
    ("book make self -o grown.db --positions 2 --nodes 100 --jobs 1", "局面、評価値"),
    ("book make self -o grown.db --positions 2 --nodes 100 --position x", "--position x："),
    ("book make self -o grown.db --merge sorted.db", "定跡の探索の記録ではありません"),
    ("analyse foul.kif --nodes 100", "反則手の前の 4 手目まで解析しました"),
    ("analyse list.sfen --nodes 100", "相手玉（５一）に王手がかかったまま"),
    ("analyse lines.kif --nodes 100 --eval net.nnue", "対応している評価関数ではありません"),
    ("analyse lines.kif --nodes 100 --eval cut.nnue", "ファイルが途中で終わっています"),
    ("analyse lines.kif --nodes 100 --eval nope.nnue", "ファイルやフォルダがありません"),
];

/// The lines with English words one after the other, outside of quotes, usages and USI lines.
fn english(text: &str) -> Vec<&str> {
    let is_word =
        |word: &str| word.len() > 1 && word.trim_end_matches([',', ';', ':']).bytes().all(|b| b.is_ascii_lowercase());
    let has_words = |line: &&str| {
        let told: String = line.split('`').step_by(2).collect();
        told.split(' ').map(is_word).collect::<Vec<_>>().windows(2).any(|pair| pair == [true, true])
    };
    text.lines().filter(|line| !line.starts_with("startpos") && !line.starts_with("使い方")).filter(has_words).collect()
}

#[test]
fn results_and_faults_are_told_in_the_language_of_the_player() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut wrong = Vec::new();
    for (arguments, part) in MESSAGES {
        let told = ["ja", "en"].map(|language| {
            let words: Vec<&str> = arguments.split(' ').collect();
            let invocation = Invocation::new(words[0]).with(&words[1..]);
            FILES.iter().for_each(|(name, bytes)| fs::write(invocation.path(name), bytes).unwrap());
            fs::create_dir(invocation.path("dir")).unwrap();
            invocation.command().env("ENBU_LANG", language).output().unwrap()
        });
        let [japanese, text] = told.each_ref().map(|Output { stdout, stderr, .. }| {
            String::from_utf8_lossy(&[stdout.clone(), stderr.clone()].concat()).into_owned()
        });
        let is_told = japanese.contains(part) && !text.contains(part) && english(&japanese).is_empty();
        if !is_told || told[0].status != told[1].status {
            wrong.push(format!("{arguments}: {}\n{japanese}\n{text}", told[0].status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faults_of_a_corpus_are_told_in_japanese_as_in_english() {
    let records = workspace_root().join("tests/data/records");
    let told = ["ja", "en"].map(|language| {
        let invocation = Invocation::new("convert").with(&[records.to_str().unwrap(), "-o", "out/", "--to", "csa"]);
        let output = invocation.command().env("ENBU_LANG", language).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    });
    let [japanese, text] = &told;
    assert!(text.lines().count() > 50, "{text}");
    assert_eq!(japanese.lines().count(), text.lines().count());
    assert_eq!(english(japanese), Vec::<&str>::new());
}

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

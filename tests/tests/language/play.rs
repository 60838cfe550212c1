//! Games, settings and the doctor in Japanese.

use std::fs;
use std::process::Output;

use enbu_tests::installation::Installation;
use enbu_tests::session::Session;

use super::english;
use crate::csa;

/// Lines with names after each other: features of processors, options of an engine.
const NAMES: [&str; 3] = ["機能 ", "カーネル", "info string"];

/// The lines with a sentence in English.
fn sentences(text: &str) -> Vec<&str> {
    english(text).into_iter().filter(|line| !NAMES.iter().any(|name| line.contains(name))).collect()
}

fn text(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

/// Runs `enbu` in Japanese with files beside it, and expects these parts and no English sentence.
fn check(files: &[(&str, &str)], arguments: &[&str], parts: &[&str]) {
    let installed = Installation::new();
    for (name, content) in files {
        let path = installed.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let text = text(&installed.run(&[arguments, &["--lang", "ja"]].concat()));
    parts.iter().for_each(|part| assert!(text.contains(part), "{arguments:?} without {part}: {text}"));
    assert_eq!(sentences(&text), Vec::<&str>::new(), "{arguments:?}");
}

/// Arguments of `enbu csa` up to the connection; nothing listens on that port.
const HOST: [&str; 9] = ["csa", "--host", "127.0.0.1", "--port", "1", "--user", "enbu", "--password-file", "trip"];

const TRIP: (&str, &str) = ("trip", "secret\n");

#[test]
fn errors_of_csa_are_in_japanese() {
    check(&[], &["csa"], &["--host か、それを書いた --config が必要です", "使い方：enbu csa"]);
    check(&[], &["csa", "--host", "h"], &["--user か、"]);
    check(&[], &["csa", "--host", "h", "--user", "u"], &["--password-file か --password-env"]);
    check(&[], &HOST, &["trip：ファイルやフォルダがありません"]);
    check(&[("trip", "\n")], &HOST, &["trip：パスワードが空です"]);
    check(&[("trip", "a b\n")], &HOST, &["パスワードに空白か ASCII 以外の文字があります（2 文字目）"]);
    let long = "x".repeat(300);
    check(&[("trip", &long)], &HOST, &["パスワードが 256 バイトを超えています"]);
    for (arguments, part) in [
        (&["--keepalive", "5"][..], "--keepalive は 30 秒以上にしてください"),
        (&["--retry", "nan"], "NaN は秒数ではありません"),
        (&["--game", "floodgate"], "ゲーム名 `floodgate`：floodgate-300-10F のような名前にしてください"),
        (&["--game", "floodgate-300-10F-B"], "floodgate では先後を希望できません"),
        (&["--engine", "self", "name=x"], "`name=x` は option.X= でも dir= でもありません"),
        (&["--engine", "'"], "引用符が閉じていません"),
        (&["--engine", "./none"], "`./none` を起動できません：ファイルやフォルダがありません"),
        (&["--engine", "eval"], "`eval` はフォルダです"),
        (&["--engine", "self", "option.Nothing=1"], "`Nothing` というオプションはありません（あるのは USI_Hash, "),
        (&["--engine", "self", "option.USI_Hash=many"], "USI_Hash：`many` は指定できません（1～33554432 の整数）"),
        (&["--engine", "self", "option.USI_Hash=1"], "127.0.0.1:1 に接続できません：接続を拒否されました"),
    ] {
        check(&[TRIP], &[&HOST[..], arguments].concat(), &[part]);
    }
    let config = ["csa", "--config", "csa.toml"];
    for (text, part) in [
        ("[server]\nhosts = 'h'\n", "csa.toml：2 行目：`hosts` という項目はありません（使えるのは host、"),
        ("[server]\nhost = h\n", "csa.toml：2 行目：書式が正しくありません"),
        ("[server]\nhost = 'h'\n[account]\nuser = 'u'\npassword_file = 'a'\npassword_env = 'b'\n", "どちらか一方に"),
        (
            "[server]\nhost = 'h'\n[account]\nuser = 'u'\npassword_env = 'NO_SUCH'\n",
            "環境変数 NO_SUCH が設定されていません",
        ),
        ("[server]\nhost = 'h'\n[account]\nuser = 'a b'\npassword_file = 'trip'\n", "ログイン名 `a b`：半角英数字と"),
    ] {
        check(&[TRIP, ("csa.toml", text)], &config, &[part]);
    }
}

#[test]
fn errors_of_matches_are_in_japanese() {
    const TWO: [&str; 7] = ["match", "--engine", "self", "--engine", "self", "--tc", "depth=1"];
    check(&[], &["match"], &["エンジンが2つ以上必要です", "使い方：enbu match"]);
    check(&[], &["match", "--engine", "self", "--engine", "self"], &["持ち時間の指定が必要です"]);
    check(&[], &["match", "--engine", "self", "tc=soon"], &["--engine：`soon` は持ち時間の指定ではありません"]);
    check(&[], &["match", "--engine", "self", "nam=x"], &["`nam=x` は name=、option.X=、"]);
    check(&[], &["match", "--engine", ""], &["エンジンのコマンドがありません"]);
    check(&[], &["match", "--tc", "soon"], &["`soon` は持ち時間の指定ではありません"]);
    check(&[], &["match", "--hang", "0"], &["0.001～86400 秒の範囲で指定してください"]);
    check(&[], &["match", "--adjudicate", "600"], &["整数を 2 個、カンマ区切りで指定してください"]);
    check(&[], &["match", "--shard", "5/4"], &["`5/4` は i/n の形ではありません"]);
    check(&[], &["match", "--merge", "none.jsonl"], &["none.jsonl：ファイルやフォルダがありません"]);
    for (arguments, part) in [
        (&["--sprt", "5", "0"][..], "--sprt：SPRT の範囲 [5, 0]"),
        (&["--openings", "none.sfen"], "none.sfen：ファイルやフォルダがありません"),
        (&["--openings", "random:x"], "`random:x` は random:手数,評価値 ではありません"),
        (&["--engine", "./none"], "none：`./none` を起動できません：ファイルやフォルダがありません"),
        (&["--engine", "self x"], "`self` に引数は付けられません"),
        (&["--engine", "self", "option.Nothing=1"], "：`Nothing` というオプションはありません"),
        (&["--engine", "self", "name=a", "--engine", "self", "name=a"], "エンジンの名前 `a` が重なっています"),
    ] {
        check(&[], &[&TWO[..], arguments].concat(), &[part]);
    }
    for (file, part) in [
        ("", "o.sfen：開始局面がありません"),
        ("startpos moves 7g7e\n", "o.sfen：1 行目：1 手目：7g7e は指せません"),
        ("startpos moves 7f7g resign\n", "`resign` は指し手ではありません"),
        ("9/9/9 b -\n", "9 段ではありません"),
        ("nonsense\n", "1 行目：position：`nonsense` の位置には startpos か sfen が必要です"),
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2\n", "すでに終局しています（詰み）"),
    ] {
        check(&[("o.sfen", file)], &[&TWO[..], &["--openings", "o.sfen"]].concat(), &[part]);
    }
    for (toml, part) in [
        ("[[engine]]\ncomand = 'a'\n", "e.toml：2 行目：`comand` という項目はありません。もしかして：command"),
        ("[[engine]]\nname = 'a'\n", "`command` がありません"),
        ("[[engine]\n", "e.toml：1 行目：書式が正しくありません"),
        ("games = 0\n", "e.toml：1 行目：'--games <N>' に '0' は指定できません：1～4294967295 の範囲で"),
    ] {
        check(&[("e.toml", toml)], &["match", "e.toml", "--tc", "depth=1"], &[part]);
    }
    let results = [("match.jsonl", "hello\n")];
    check(&results, &TWO, &["match.jsonl には対局が入っています。--resume で"]);
    check(&results, &[&TWO[..], &["--resume"]].concat(), &["match.jsonl、1 行目：対局の行として読めません"]);
    check(&[("a.jsonl", "hello")], &["match", "--merge", "a.jsonl"], &["a.jsonl は対局結果のファイルではありません"]);
}

#[test]
fn a_match_is_reported_in_japanese_and_saved_in_english() {
    let installed = Installation::new();
    let engine = format!("'{}' illegal", env!("CARGO_BIN_EXE_misbehaving"));
    let engines = ["--engine", "self", "name=甲", "option.USI_Hash=1", "--engine", &engine, "name=乙"];
    let games = ["match", "--lang", "ja", "--tc", "depth=1", "--games", "2"];
    let output = installed.run(&[&games[..], &engines].concat());
    let (page, notices) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in ["甲 対 乙：2局（1組）", "先手番", "Elo 差       –", "終局の理由   反則 2", "乙 の反則手 2 回"]
    {
        assert!(page.contains(part), "{part}: {page}{notices}");
    }
    for part in ["1/2局、残り約 0:00:", "対局 0（反則）：", "（局面 "] {
        assert!(notices.contains(part), "{part}: {notices}");
    }
    assert_eq!([sentences(&page), sentences(&notices)].concat(), Vec::<&str>::new());
    let saved = fs::read_to_string(installed.path("match.jsonl")).unwrap();
    assert!(saved.replace(['甲', '乙'], "").is_ascii() && saved.contains("illegal move"), "{saved}");
    // The same in English.
    let page = text(&installed.run(&["match", "--merge", "match.jsonl", "--lang", "en"]));
    assert!(page.contains(" against ") && page.contains("Elo          – (95 %)"), "{page}");
}

#[test]
fn a_game_on_a_server_is_reported_in_japanese_and_logged_in_english() {
    let server = csa::Server::new();
    let csa = csa::csa(server.port()).with(&csa::QUICK).with(&["--lang", "ja", "--games", "1"]);
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.game("g", '+');
    link.confirm("+");
    link.send("%TORYO\n#RESIGN\n#WIN");
    session.expect("第1局：勝ち（投了）、先手番、相手 B、1手。1勝0敗0引き分け。レーティングの増減は不明");
    let (status, errors) = session.exit();
    assert!(status.success() && errors.contains("に enbu としてログインしました"), "{errors}");
    assert!(errors.contains("第1局：g、先手番、相手 B"), "{errors}");
    let log = fs::read_to_string(csa.path("log.jsonl")).unwrap();
    assert!(log.contains(r#""side":"black","result":"win","reason":"RESIGN""#) && log.is_ascii(), "{log}");
}

#[test]
fn the_doctor_speaks_japanese() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let option = |setting| ["doctor", "--only", "book,folders,hash,network,threads", "--option", setting];
    check(&[], &["doctor"], &["使用中のカーネル", "USI_Hash", "ラージページ"]);
    check(&[], &option("EvalDir=enbu"), &["を読み取れません"]);
    for (setting, parts) in [
        ("USI_Hash=1", &["小さすぎるため", "USI_Hash を 256 以上にしてください。"][..]),
        ("Threads=1024", &["Threads 1024 に対して論理コアは", "異常 "]),
        ("BookFile=missing.db", &["missing.db：", "定跡を使わずに指します"]),
        ("Eval=File", &["評価関数ファイル eval", "ファイルやフォルダがありません。代わりに"]),
    ] {
        check(&[], &option(setting), parts);
    }
    check(&[("eval/nn.bin", "<html>")], &option("Threads=1"), &["評価関数ファイル eval", "代わりに"]);
    check(&[("suisho.bin", "")], &option("Threads=1"), &["suisho.bin がありますが、使われません"]);
    check(&[], &["doctor", "--option", "Threads=many"], &["Threads：`many` は指定できません（1～1024 の整数）"]);
    check(&[], &["doctor", "--option", "Nothing=1"], &["`Nothing` というオプションはありません"]);
}

/// A broken value was `\u{304a}\u{305f}...` in a line that was half English.
#[test]
fn errors_of_the_options_file_are_sentences_with_readable_values() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    const FILE: &str =
        "SkillLevel おためし\nThreads 0\nThreads 1\nThreads 2\nBotch 1\nClear_Hash x\nUSI_Hash\nEval x\n";
    let lines = [
        "engine_options.txt の 1 行目、SkillLevel：`おためし` は指定できません（0～20 の整数）",
        "engine_options.txt の 2 行目、Threads：`0` は指定できません（1～1024 の整数）",
        "engine_options.txt の 4 行目、Threads：3 行目で設定済みです",
        "engine_options.txt の 5 行目、`Botch` というオプションはありません",
        "engine_options.txt の 6 行目、Clear_Hash：ボタンに値はありません",
        "engine_options.txt の 7 行目、USI_Hash：値がありません",
        "engine_options.txt の 8 行目、Eval：`x` は指定できません（Auto、",
        "その行を直すか削除してください。",
        "異常 7 件",
    ];
    check(&[("engine_options.txt", FILE)], &["doctor", "--only", "options-file"], &lines);
    let many = "Botch 1\n".repeat(30);
    check(&[("engine_options.txt", &many)], &["doctor"], &["engine_options.txt：ほかに 20 件の誤り"]);
}

#[test]
fn the_table_of_options_is_in_japanese() {
    check(&[], &["options"], &["| 名前 | 型 | 既定値 | 範囲 | 内容 |", "置換表の大きさ（MB）。"]);
    let table = text(&Installation::new().run(&["options", "--lang", "ja"]));
    for line in table.lines().skip(2) {
        let help = line.rsplit(" | ").next().unwrap().trim_end_matches(" |");
        let sentences = help.split('。').map(|sentence| sentence.trim_end_matches('）'));
        let plain =
            |end: &&str| ["する", "ない", "である", "いる", "使う", "指す"].iter().any(|plain| end.ends_with(plain));
        assert_eq!(sentences.filter(plain).collect::<Vec<_>>(), [""; 0], "{line}");
    }
}

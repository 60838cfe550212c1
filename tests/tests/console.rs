//! The command line and the commands for people, beside the protocol.

use std::process::{Command, Output};

use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::positions::{MATSURI, MOST_MOVES, STARTPOS, from_sfen};
use enbu_tests::session::Session;

fn run(arguments: &[&str]) -> Output {
    Command::new(enbu()).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn files_that_exist_are_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let [file, games] = ["a.db", "a.games"].map(|name| folder.path().join(name));
    for (path, command) in [
        (&file, "openings random:2,2000 --count 1 --out"),
        (&file, "train games --checkpoint"),
        (&file, "train games --chart"),
        (&file, "train games --out"),
        (&file, "match --engine self --engine self --tc nodes=1 --games 2 --chart"),
        (&file, "analyse docs/game.kif --depth 1 --to 1 --problems"),
        (&file, "convert docs/game.kif --to csa -o"),
        (&file, "book make docs/game.kif -o"),
        (&file, "book make self --positions 1 --nodes 1 -o"),
        (&file, "selfplay export games --out"),
        (&file, "selfplay shuffle games --out"),
        (&games, "selfplay merge games --out"),
    ] {
        std::fs::write(path, "old").unwrap();
        let out = if command.starts_with("train") && !command.ends_with("--out") { " --out new" } else { "" };
        let words = format!("{command} {}{out}", path.display());
        let output = Command::new(enbu()).current_dir(workspace_root()).args(words.split(' ')).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let name = path.display();
        assert!(error.contains(&format!("{name} exists; --force overwrites it")), "{command}: {error}");
        assert_eq!(
            (output.status.code(), std::fs::read_to_string(path).unwrap().as_str()),
            (Some(1), "old"),
            "{command}"
        );
    }
    let words = format!("openings random:2,2000 --count 1 --force --out {}", file.display());
    stdout(&words.split(' ').collect::<Vec<_>>());
    assert_ne!(std::fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn d_shows_csa_rows_and_then_one_key_a_line() {
    let mut session = Session::ready();
    let lines = session.reply("d");
    let rows: Vec<&String> = lines.iter().take_while(|line| line.starts_with(['P', '+', '-'])).collect();
    assert_eq!(rows[0], "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY");
    assert_eq!(rows[1], "P2 * -HI *  *  *  *  * -KA * ");
    assert_eq!(rows[8], "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY");
    assert_eq!(rows[rows.len() - 1], "+");
    let keys: Vec<&str> = lines[rows.len()..].iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(keys, ["sfen", "key", "checkers", "repetition", "declaration", "max_moves"]);
    assert_eq!(session.shows("sfen"), STARTPOS);
    assert_eq!(session.shows("checkers"), "-");
    assert_eq!(
        u64::from_str_radix(session.shows("key").trim_start_matches("0x"), 16).unwrap(),
        from_sfen(STARTPOS).key()
    );
}

#[test]
fn d_shows_hands_and_the_side_to_move() {
    let mut session = Session::ready();
    session.accepts("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 w 2Pg 1");
    let lines = session.reply("d");
    assert!(lines.iter().any(|line| line.starts_with("P+00FU00FU")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("P-00KI")), "{lines:?}");
    assert!(lines.iter().any(|line| line == "-"), "{lines:?}");
}

#[test]
fn d_shows_every_checker() {
    let mut session = Session::ready();
    session.accepts("position sfen 4k4/9/5N3/9/9/9/9/9/4R1K2 w - 1");
    let mut checkers: Vec<String> = session.shows("checkers").split(' ').map(str::to_owned).collect();
    checkers.sort();
    assert_eq!(checkers, ["4c", "5i"]);
}

#[test]
fn the_key_is_the_key_of_the_library_along_a_game() {
    let mut session = Session::ready();
    let mut position = from_sfen(STARTPOS);
    let mut line = String::from("position startpos moves");
    for mv in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"] {
        line = format!("{line} {mv}");
        position.play(mv.parse().unwrap()).unwrap();
        session.accepts(&line);
        let key = u64::from_str_radix(session.shows("key").trim_start_matches("0x"), 16).unwrap();
        assert_eq!(key, position.key(), "{line}");
        assert_eq!(session.shows("sfen"), position.to_setup().to_string());
    }
}

#[test]
fn eval_ends_with_a_value_that_is_opposite_for_the_other_side() {
    let value = |sfen: &str| -> i32 {
        let mut session = Session::ready();
        session.accepts(&format!("position sfen {sfen}"));
        let lines = session.reply("eval");
        let last = lines.last().unwrap();
        last.strip_prefix("value ").unwrap_or_else(|| panic!("{lines:?}")).parse().unwrap()
    };
    let setup = from_sfen(MATSURI).to_setup();
    assert_eq!(value(MATSURI), value(&setup.flipped().to_string()), "the same game seen from the other side");
    assert!(value("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G 1") > 1000);
    assert!(value("4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G 1") < -1000);
}

#[test]
fn perft_in_a_session_ends_with_the_count() {
    let mut session = Session::ready();
    assert_eq!(session.reply("perft 3").last().unwrap(), "nodes 25470");
    session.accepts(&format!("position sfen {MATSURI}"));
    assert_eq!(session.reply("perft 2").last().unwrap(), "nodes 28684");
    session.refuses("perft x");
    // Refused, and no search begins instead.
    session.refuses("go perft 99999");
    session.silent_on("info", std::time::Duration::from_millis(200));
    assert_eq!(session.reply("go perft 1").last().unwrap(), "nodes 207");
}

#[test]
fn csa_prints_the_game_so_far() {
    let mut session = Session::ready();
    session.accepts("position startpos moves 7g7f 3c3d 8h2b+");
    let lines = session.reply("csa");
    assert!(lines.iter().any(|line| line == "V3.0"), "{lines:?}");
    let moves: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.len() == 7 && line.starts_with(['+', '-'])).collect();
    assert_eq!(moves, ["+7776FU", "-3334FU", "+8822UM"]);
}

#[test]
fn perft_on_the_command_line_ends_with_the_count() {
    assert_eq!(stdout(&["perft", "3"]).lines().last(), Some("nodes 25470"));
    assert_eq!(stdout(&["perft", "2", "--sfen", MATSURI]).lines().last(), Some("nodes 28684"));
    let divided = stdout(&["perft", "2", "--divide"]);
    let lines: Vec<&str> = divided.lines().collect();
    assert_eq!(lines.last(), Some(&"nodes 900"));
    assert_eq!(lines.iter().filter(|line| line.ends_with(" 30") || line.ends_with(": 30")).count(), 30, "{divided}");
}

/// Two rows of `perft-random.tsv`.
const IN_DOUBLE_CHECK: &str = "2p2S2l/l3R1ks1/ppnp5/r1N2+bp1p/PgP1Ps1P1/3G2P1P/NPNP3g1/5+p2L/Lg3+s1K1 w Pb2p 186";
const PAWN_DROP_MATES: &str = "5rknb/ls2g3l/p1npp1Gpp/1pp6/3PPP2P/6pP1/PPPn2S2/4GRK2/B2S3NL b GSLPp 95";

#[test]
fn perft_counts_the_same_by_lists_as_by_sets_and_however_often() {
    for sfen in [STARTPOS, MATSURI, MOST_MOVES, IN_DOUBLE_CHECK, PAWN_DROP_MATES] {
        for depth in ["0", "1", "2"] {
            let by_sets = stdout(&["perft", depth, "--sfen", sfen]);
            assert_eq!(stdout(&["perft", depth, "--sfen", sfen, "--lists"]), by_sets, "{sfen}");
            assert_eq!(stdout(&["perft", depth, "--sfen", sfen, "--lists", "--repeat", "2"]), by_sets, "{sfen}");
            assert_eq!(stdout(&["perft", depth, "--sfen", sfen, "--repeat", "3"]), by_sets, "{sfen}");
        }
    }
    assert_eq!(stdout(&["perft", "2", "--lists", "--sfen", MOST_MOVES]), "nodes 105677\n");
}

#[test]
fn bad_arguments_are_a_usage_error() {
    for arguments in [
        &["perft"][..],
        &["perft", "x"],
        &["perft", "2", "--divide", "--lists"],
        &["perft", "2", "--repeat", "0"],
        &["nosuchcommand"],
        &["--nosuchflag"],
        &["perft", "2", "--sfen", "nonsense"],
    ] {
        let output = run(arguments);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {}", output.status);
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{arguments:?}");
    }
    assert_eq!(run(&["perft", "x"]).status.code(), Some(2));
}

#[test]
fn options_as_json_are_those_of_the_protocol() {
    let options: serde_json::Value = serde_json::from_str(&stdout(&["options", "--json"])).expect("JSON");
    let mut session = Session::start();
    session.send("usi");
    let declared = session.until("usiok");
    let declared: Vec<&String> = declared.iter().filter(|line| line.starts_with("option name ")).collect();
    let options = options.as_array().expect("an array");
    assert_eq!(options.len(), declared.len());
    for (option, line) in options.iter().zip(declared) {
        let (name, kind) = (option["name"].as_str().unwrap(), option["type"].as_str().unwrap());
        assert!(line.starts_with(&format!("option name {name} type {kind}")), "{option} {line}");
        assert_eq!(kind == "spin", line.contains(&format!(" min {} max {}", option["min"], option["max"])), "{line}");
        assert!(option["help"]["en"].as_str().unwrap().is_ascii(), "{option}");
        assert!(!option["help"]["ja"].as_str().unwrap().is_ascii(), "{option}");
    }
}

#[test]
fn a_missing_file_of_problems_is_named() {
    for (argument, message) in [
        ("nope.sfen", "enbu: nope.sfen: no such file\n"),
        ("/", "enbu: / is a folder; name the files in it\n"),
        ("nonsense", "enbu: `nonsense` is neither a file nor an SFEN: "),
    ] {
        let output = run(&["mate", argument]);
        assert_eq!(output.status.code(), Some(1), "{argument}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with(message), "{argument}: {output:?}");
    }
}

#[test]
fn version_names_commit_target_features_and_kernels() {
    let version = stdout(&["--version"]);
    let rest = version.trim_end().strip_prefix(concat!("enbu ", env!("CARGO_PKG_VERSION"), " (")).expect(&version);
    let parts: Vec<&str> = rest.strip_suffix(')').expect(&version).split("; ").collect();
    let [commit, target, features, kernels] = parts[..] else { panic!("{version}") };
    assert!(!commit.is_empty() && target.contains(std::env::consts::ARCH), "{version}");
    assert!(
        features.starts_with("CPU ") && kernels.starts_with("kernels ") && kernels.ends_with("scalar"),
        "{version}"
    );
    assert!(stdout(&["--help"]).contains("bench"));
}

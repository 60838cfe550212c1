//! Habits of real clients, each trap as a test.
//!
//! The clients are ShogiHome, Shogidokoro, ShogiGUI, Ayane, cshogi, ShogiArena and
//! remote play over ssh.

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use enbu_tests::binary::enbu;
use enbu_tests::positions::{assert_legal, from_usi};
use enbu_tests::session::Session;

/// Time in which an answer that must not come would come: at once, or after a few iterations.
const A_WHILE: Duration = Duration::from_millis(120);

/// One declared option, read the way ShogiHome reads it: split at single spaces,
/// `name`, `type` as the third word, then pairs.
struct Declared {
    name: String,
    kind: String,
    default: Option<String>,
    pairs: Vec<(String, String)>,
}

fn declared(line: &str) -> Declared {
    let words: Vec<&str> = line.split(' ').collect();
    let ["option", "name", name, "type", kind, rest @ ..] = words.as_slice() else {
        panic!("ShogiHome cannot read `{line}`")
    };
    assert_eq!(rest.len() % 2, 0, "a value with a space: `{line}`");
    let pairs: Vec<(String, String)> = rest.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    let default = pairs.iter().find(|(key, _)| key == "default").map(|(_, value)| value.clone());
    Declared { name: (*name).to_owned(), kind: (*kind).to_owned(), default, pairs }
}

fn options(session: &mut Session) -> Vec<Declared> {
    session.send("usi");
    session.until("usiok").iter().filter(|line| line.starts_with("option")).map(|line| declared(line)).collect()
}

/// An `info` line may hold only words that Ayane's parser knows.
fn assert_known_words(info: &str) {
    let mut words = info.split(' ').skip(1);
    while let Some(word) = words.next() {
        let values = match word {
            "pv" | "string" => return,
            "depth" | "seldepth" | "time" | "nodes" | "nps" | "hashfull" | "multipv" => 1,
            "score" => 2,
            "lowerbound" | "upperbound" => 0,
            _ => panic!("`{word}` in `{info}`"),
        };
        for _ in 0..values {
            assert!(words.next().is_some_and(|value| !value.is_empty()), "no value after `{word}` in `{info}`");
        }
    }
}

// Trap 1: Ayane never sends `usi`.
#[test]
fn an_engine_without_usi_plays_shogi() {
    let mut session = Session::start();
    for line in ["setoption name USI_Hash value 16", "setoption name Threads value 1", "isready"] {
        session.send(line);
    }
    session.expect("readyok");
    session.send("usinewgame");
    session.send("position startpos moves 7g7f 3c3d");
    session.send("go btime 1000 wtime 1000 byoyomi 100");
    let lines = session.until("bestmove");
    let (last, infos) = lines.split_last().unwrap();
    assert_legal("startpos moves 7g7f 3c3d", last.split(' ').nth(1).unwrap());
    assert!(!infos.is_empty());
    for info in infos {
        assert!(info.starts_with("info "), "{info}");
        assert_known_words(info);
    }
    // Ayane appends `moves` even with nothing after it.
    session.accepts("position startpos moves");
    session.accepts("position startpos moves ");
}

// Trap 1: Ayane asks for the side to move and takes any one line as the answer.
#[test]
fn side_and_moves_are_one_line_each() {
    let mut session = Session::ready();
    assert_eq!(session.reply("side"), ["black"]);
    session.accepts("position startpos moves 7g7f");
    assert_eq!(session.reply("side"), ["white"]);
    let mut listed = session.moves();
    let mut expected: Vec<String> =
        enbu_tests::positions::legal_moves(&from_usi("startpos moves 7g7f")).iter().map(ToString::to_string).collect();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}

// cshogi's match runner reads the last line before `bestmove`.
#[test]
fn the_last_info_line_is_complete_and_agrees_with_the_answer() {
    for position in ["startpos", "startpos moves 7g7f 3c3d", "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1"] {
        let mut session = Session::ready();
        session.send(&format!("position {position}"));
        session.send("go nodes 20000");
        let lines = session.until("bestmove");
        let [.., info, answer] = lines.as_slice() else { panic!("no info line: {lines:?}") };
        for word in [" depth ", " score ", " nodes ", " nps ", " time ", " pv "] {
            assert!(info.contains(word), "no{word}in `{info}`");
        }
        let words: Vec<&str> = answer.split(' ').collect();
        let pv: Vec<&str> = info.split_once(" pv ").unwrap().1.split(' ').collect();
        assert_eq!(pv[0], words[1], "{info} / {answer}");
        assert!(matches!(words.as_slice(), ["bestmove", _] | ["bestmove", _, "ponder", _]), "{answer}");
        // A ponder move must be legal after the best move, or ShogiHome silently does not ponder.
        let mut position = from_usi(position);
        for mv in words.iter().skip(1).filter(|word| **word != "ponder") {
            position.play(mv.parse().unwrap()).unwrap_or_else(|error| panic!("{answer}: {error}"));
        }
    }
}

// A level's line was that of the best move, not of the one it played; with threads the line of
// another depth came after that of the wanted one. `Session` checks each answer.
#[test]
fn the_last_info_line_is_that_of_the_move_played() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut session = Session::start();
    session.send("setoption name USI_Hash value 16");
    session.send("setoption name PvInterval value 300");
    for (options, go) in [
        ([("SkillLevel", "0"), ("Threads", "1"), ("MultiPV", "1")], "go nodes 3000"),
        ([("SkillLevel", "3"), ("Threads", "1"), ("MultiPV", "3")], "go nodes 3000"),
        ([("SkillLevel", "20"), ("Threads", "1"), ("MultiPV", "3")], "go nodes 3000"),
        ([("SkillLevel", "20"), ("Threads", "4"), ("MultiPV", "1")], "go nodes 30000"),
        ([("SkillLevel", "20"), ("Threads", "4"), ("MultiPV", "1")], "go depth 6"),
        ([("SkillLevel", "20"), ("Threads", "2"), ("MultiPV", "1")], "go movetime 30"),
    ] {
        for (name, value) in options {
            session.send(&format!("setoption name {name} value {value}"));
        }
        let mut line = String::from("position startpos moves");
        for _ in 0..6 {
            session.send(&line);
            session.send(go);
            let lines = session.until("bestmove");
            let [.., info, answer] = lines.as_slice() else { panic!("no info line: {lines:?}") };
            if go == "go depth 6" {
                assert!(info.starts_with("info depth 6 "), "{lines:#?}");
            }
            line = format!("{line} {}", answer.split(' ').nth(1).unwrap());
        }
    }
}

// Trap 2: spaces in names or defaults are lost on ShogiHome.
#[test]
fn option_lines_survive_splitting_at_single_spaces() {
    let mut session = Session::start();
    let options = options(&mut session);
    assert!(options.len() >= 8);
    let mut names = HashMap::new();
    for option in &options {
        assert!(!option.name.is_empty() && option.name.is_ascii());
        assert!(names.insert(option.name.to_lowercase(), ()).is_none(), "{} is declared twice", option.name);
        for (key, value) in &option.pairs {
            assert!(["default", "min", "max", "var"].contains(&key.as_str()), "{} {key}", option.name);
            assert!(!value.is_empty(), "{} {key}: a double space or an empty value", option.name);
            assert!(!["default", "var"].contains(&value.as_str()), "{}: `{value}` confuses ShogiHome", option.name);
        }
    }
}

// Trap 3: ShogiHome sends every declared option back.
#[test]
fn every_declared_option_can_be_sent_back() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut session = Session::start();
    let options = options(&mut session);
    for wanted in ["USI_Hash", "USI_Ponder"] {
        assert!(options.iter().any(|option| option.name == wanted), "{wanted} is not declared");
    }
    for option in &options {
        let default = option.default.as_deref();
        match (option.kind.as_str(), default) {
            ("check", Some("true" | "false")) | ("button", None) => {}
            ("spin", Some(value)) => {
                let bound = |key| option.pairs.iter().find(|(name, _)| name == key).unwrap().1.parse::<i64>().unwrap();
                let value: i64 = value.parse().unwrap();
                assert!((bound("min")..=bound("max")).contains(&value), "{}", option.name);
            }
            ("combo", Some(value)) => {
                assert!(option.pairs.iter().any(|(key, var)| key == "var" && var == value), "{}", option.name);
            }
            ("string" | "filename", Some(_)) => {}
            (kind, default) => panic!("{}: type {kind} with default {default:?}", option.name),
        }
        // An empty string is sent as a trailing space and nothing after it.
        match default {
            Some("<empty>") => {
                session.accepts(&format!("setoption name {} value ", option.name));
                session.accepts(&format!("setoption name {} value <empty>", option.name));
            }
            Some(value) => session.accepts(&format!("setoption name {} value {value}", option.name)),
            None => {
                let lines = session.reply(&format!("setoption name {}", option.name));
                assert!(lines.iter().all(|line| !line.contains("error")), "{lines:?}");
            }
        }
    }
    session.send("usinewgame");
    session.send("go nodes 500");
    assert_legal("startpos", &session.bestmove());
}

// Trap 4, and trap 11: ShogiArena warns at any line before `usi`.
#[test]
fn nothing_is_printed_before_usi_and_usiok_comes_at_once() {
    let mut session = Session::start();
    assert_eq!(session.silent_on("", A_WHILE), Vec::<String>::new());
    session.send("usi");
    session.expect("usiok");
}

// Trap 5: ShogiHome sends `stop`, `gameover` and `isready` without waiting.
#[test]
fn gameover_without_waiting_leaves_exactly_one_answer_before_readyok() {
    for end in ["stop\ngameover lose\n", "gameover draw\n", "gameover\n", "stop\ngameover win\nusinewgame\n"] {
        let mut session = Session::ready();
        for _ in 0..3 {
            session.send("usinewgame");
            session.send("position startpos");
            session.send("go btime 600000 wtime 600000 byoyomi 10000");
            session.send_bytes(format!("{end}isready\n").as_bytes());
            let lines = session.until("readyok");
            let answers = lines.iter().filter(|line| line.starts_with("bestmove")).count();
            assert_eq!(answers, 1, "{end:?}: {lines:?}");
        }
        session.send("position startpos moves 2g2f");
        session.send("go nodes 500");
        assert_legal("startpos moves 2g2f", &session.bestmove());
        session.silent_on("bestmove", A_WHILE);
    }
}

// Trap 6: research mode.
#[test]
fn an_infinite_search_never_answers_before_stop() {
    let mut session = Session::ready();
    for position in [
        "startpos",
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "sfen 4k4/9/9/9/9/9/9/2g6/K8 b - 1",
        "sfen +R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1",
    ] {
        session.send(&format!("position {position}"));
        session.send("go infinite");
        session.silent_on("bestmove", A_WHILE);
        session.send("setoption name MultiPV value 3");
        session.silent_on("bestmove", Duration::from_millis(50));
        session.send("stop");
        let answer = session.bestmove();
        if answer != "win" {
            assert_legal(position, &answer);
        }
        session.send("setoption name MultiPV value 1");
    }
}

// Trap 7: any word but the four known ones is taken as a move.
#[test]
fn go_mate_is_answered_in_the_words_of_the_protocol() {
    for go in ["go mate 500", "go mate infinite", "go mate"] {
        let mut session = Session::ready();
        session.send("position startpos");
        session.send(go);
        session.silent_on("bestmove", Duration::from_millis(100));
        session.send("stop");
        let answers: Vec<String> = session
            .reply("")
            .into_iter()
            .filter(|line| line.starts_with("checkmate") || line.starts_with("bestmove"))
            .collect();
        // The answer may have come before `stop`, and was read above then.
        assert!(answers.len() <= 1, "{answers:?}");
        for answer in answers {
            assert!(
                ["checkmate nomate", "checkmate timeout", "checkmate notimplemented"].contains(&answer.as_str()),
                "{answer}"
            );
        }
        session.silent_on("checkmate", A_WHILE);
    }
}

// Trap 8: early ponder of ShogiHome.
#[test]
fn ponder_without_times_gets_them_with_ponderhit() {
    let mut session = Session::ready();
    for times in
        ["btime 0 wtime 0 byoyomi 300", "btime 300 wtime 300 binc 100 winc 100", "winc 100 binc 100 wtime 0 btime 0"]
    {
        session.send("position startpos moves 7g7f 3c3d");
        session.send("go ponder");
        session.silent_on("bestmove", A_WHILE);
        session.send(&format!("ponderhit {times}"));
        assert_legal("startpos moves 7g7f 3c3d", &session.bestmove());
    }
}

// Trap 8: the ordinary way, with times in advance.
#[test]
fn ponder_with_times_counts_them_from_ponderhit() {
    let mut session = Session::ready();
    session.send("position startpos moves 7g7f 3c3d");
    session.send("go ponder btime 0 wtime 0 byoyomi 100");
    session.silent_on("bestmove", A_WHILE);
    session.send("ponderhit");
    assert_legal("startpos moves 7g7f 3c3d", &session.bestmove());
}

// Stochastic_Ponder: the opponent's choice is searched; exactly one answer, for the
// position that was sent, comes after `ponderhit` or `stop`.
#[test]
fn a_stochastic_ponder_answers_for_the_position_sent() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut session = Session::ready();
    session.accepts("setoption name Stochastic_Ponder value true");
    session.reply("isready");
    for end in ["ponderhit", "stop", "ponderhit btime 0 wtime 0 byoyomi 150"] {
        session.send("position startpos moves 7g7f 3c3d 8h2b+");
        session.send("go ponder btime 0 wtime 0 byoyomi 100");
        session.silent_on("bestmove", A_WHILE);
        session.send(end);
        // White must take back; Black's best move would be none of White's.
        assert_legal("startpos moves 7g7f 3c3d 8h2b+", &session.bestmove());
        session.silent_on("bestmove", Duration::from_millis(50));
    }
    session.send("position startpos");
    session.send("go ponder btime 0 wtime 0 byoyomi 100");
    session.silent_on("bestmove", A_WHILE);
    session.send("ponderhit");
    assert_legal("startpos", &session.bestmove());
}

// Options of YaneuraOu that change how the search plays: whatever they do, one legal
// answer comes.
#[test]
fn every_way_to_search_gives_one_legal_answer() {
    let mut session = Session::ready();
    for option in
        ["Threads value 3", "ConsiderationMode value true", "GenerateAllLegalMoves value true", "SkillLevel value 4"]
    {
        session.accepts(&format!("setoption name {option}"));
        session.reply("isready");
        session.send("position startpos moves 7g7f 3c3d");
        session.send("go depth 7");
        assert_legal("startpos moves 7g7f 3c3d", &session.bestmove());
    }
}

// Trap 9: clocks in all orders and combinations.
#[test]
fn clocks_parse_in_every_order() {
    let mut session = Session::ready();
    for go in [
        "go btime 100 wtime 100 byoyomi 100",
        "go byoyomi 100 wtime 100 btime 100",
        "go btime 100 wtime 100 binc 50 winc 50",
        "go winc 50 binc 50 wtime 100 btime 100",
        "go btime 0 wtime 0 binc 0 winc 0 byoyomi 100",
        "go byoyomi 100 binc 0 winc 0 btime 0 wtime 0",
        "go byoyomi 100",
        "go  btime  100  wtime  100  byoyomi  100 ",
    ] {
        session.send("position startpos");
        session.send(go);
        assert_legal("startpos", &session.bestmove());
    }
}

// Trap 11: ShogiArena refuses engines without a move limit option.
#[test]
fn the_move_limit_is_declared() {
    let mut session = Session::ready();
    let options = options(&mut session);
    let limit = options.iter().find(|option| option.name == "MaxMovesToDraw").expect("MaxMovesToDraw");
    assert_eq!(limit.kind, "spin");
    session.accepts("setoption name MaxMovesToDraw value 320");
}

// Trap 12: the working directory is not always the folder of the binary.
#[test]
fn the_working_directory_does_not_matter() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let mut session = Session::spawn(Command::new(enbu()).current_dir(elsewhere.path()));
    session.send("setoption name USI_Hash value 16");
    session.send("usi");
    session.expect("usiok");
    session.send("isready");
    session.expect("readyok");
    session.send("go nodes 500");
    assert_legal("startpos", &session.bestmove());
    session.send("quit");
    session.exits_cleanly();
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "a file was left behind");
}

// Trap 14: long lines, CRLF, trailing blanks.
#[test]
fn position_lines_of_ten_thousand_characters_with_crlf_are_read_whole() {
    let cycle = " 4i4h 4a4b 4h4i 4b4a";
    let line = format!("position startpos moves{} 7g7f", cycle.repeat(600));
    assert!(line.len() > 10_000);
    let mut session = Session::ready();
    session.send_bytes(format!("{line}  \t \r\n").as_bytes());
    session.send_bytes(b"isready \r\n");
    assert_eq!(session.until("readyok"), ["readyok"]);
    assert_eq!(session.shows("sfen"), "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2402");
    session.send_bytes(b"go nodes 500\r\n");
    assert_legal("startpos moves 7g7f", &session.bestmove());
    session.send_bytes(b"quit\r\n");
    session.exits_cleanly();
}

// Gikou, Apery and others differ in where a second `usi` leads; cshogi sends one.
#[test]
fn a_second_usi_lists_the_same_options() {
    let mut session = Session::start();
    session.send("usi");
    let first = session.until("usiok");
    session.send("setoption name USI_Hash value 8");
    session.send("usi");
    assert_eq!(session.until("usiok"), first);
}

// YaneuraOu's users set its options on every engine; some clients do so during a search.
#[test]
fn options_of_other_engines_are_accepted_without_a_word() {
    let mut session = Session::ready();
    for setting in
        ["USI_OwnBook value true", "BookFile value no_book", "OutputFailLHPV value false", "NumaPolicy value auto"]
    {
        session.accepts(&format!("setoption name {setting}"));
    }
    session.send("go infinite");
    session.send("setoption name BookMoves value 0");
    session.send("setoption name NoSuchOption value 1");
    session.send("isready");
    assert!(session.until("readyok").iter().all(|line| !line.starts_with("info string")));
    session.send("stop");
    session.bestmove();
    assert_eq!(session.reply(""), ["info string unknown option `NoSuchOption`"]);
}

/// Nodes and move of a search to a fixed depth.
fn searched(session: &mut Session) -> (String, String) {
    session.send("go depth 8");
    let lines = session.until("bestmove");
    let last = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a report");
    let nodes = last.split(' ').skip_while(|word| *word != "nodes").nth(1).expect("nodes");
    (nodes.to_owned(), lines.last().expect("an answer").clone())
}

#[test]
fn the_button_makes_the_engine_forget_by_either_name() {
    let mut session = Session::ready();
    // Reports that come by the clock differ from run to run; all reports do not.
    session.accepts("setoption name PvInterval value 0");
    let first = searched(&mut session);
    assert_ne!(searched(&mut session).0, first.0, "the second search remembers the first");
    for name in ["Clear_Hash", "Clear Hash"] {
        session.send(&format!("setoption name {name}"));
        assert_eq!(searched(&mut session), first, "{name}");
    }
}

#[test]
fn the_log_file_holds_everything_received_and_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("\u{901a}\u{4fe1}.log");
    let mut session = Session::ready();
    session.accepts(&format!("setoption name DebugLogFile value {}", path.display()));
    session.send("go nodes 500");
    let answer = format!("bestmove {}", session.bestmove());
    session.send("quit");
    session.exits_cleanly();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.split_once(' ').expect("a time").1).collect();
    assert!(lines[0].ends_with(": > received, < sent"), "{text}");
    assert_eq!(lines[1..3], ["> isready", "< readyok"], "{text}");
    let go = lines.iter().position(|line| line.starts_with("> go nodes 500")).expect("the go");
    let best = lines.iter().position(|line| line.strip_prefix("< ").is_some_and(|line| line.starts_with(&answer)));
    assert!(best.is_some_and(|best| best > go) && lines[go..].iter().any(|line| line.starts_with("< info ")), "{text}");
    // It may be read before the answer is written.
    assert!(lines[lines.len() - 2..].contains(&"> quit"), "{text}");
}

#[test]
fn a_log_that_cannot_be_written_is_an_error_and_play_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::ready();
    session.send(&format!("setoption name DebugLogFile value {}", folder.path().display()));
    assert!(session.expect("info string error: log:").contains(&folder.path().display().to_string()));
    session.send("go nodes 500");
    assert_legal("startpos", &session.bestmove());
}

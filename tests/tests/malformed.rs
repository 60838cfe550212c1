//! Bad `go`, `position` and `setoption` lines.
//!
//! A refused command changes nothing, says why in one line, and the session goes on.
//! One test a row of the contract; its number is in the comment.

use std::time::Duration;

use enbu_tests::positions::{MOST_MOVES, STARTPOS, Walk, assert_legal, from_usi};
use enbu_tests::session::Session;

const TWO_KINGS: &str = "4k4/9/9/9/9/9/9/9/4K4";

/// Sends `go` in the start position; the answer must be a legal move.
fn plays_at_once(session: &mut Session, go: &str) {
    session.send("position startpos");
    session.send(go);
    assert_legal("startpos", &session.bestmove());
}

/// Sends a `position` that must be refused while `kept` stays, and returns the error.
fn refused_position(session: &mut Session, position: &str, kept: &str) -> String {
    let error = session.refuses(&format!("position {position}"));
    assert_eq!(session.shows("sfen"), kept, "{position:.100}");
    error
}

// U28
#[test]
fn no_time_at_all_gives_a_legal_move() {
    plays_at_once(&mut Session::ready(), "go btime 0 wtime 0 byoyomi 0");
}

// U29
#[test]
fn negative_times_count_as_zero() {
    let mut session = Session::ready();
    plays_at_once(&mut session, "go btime -1 wtime -5000 byoyomi -1");
    plays_at_once(&mut session, "go btime -9223372036854775808 wtime 0 binc -1 winc -1");
    plays_at_once(&mut session, "go movetime -100");
}

// U30
#[test]
fn huge_numbers_do_not_overflow_and_stop_works() {
    let mut session = Session::ready();
    for number in [
        "2147483647",
        "2147483648",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "1234567890123456789012345678901234567890",
    ] {
        for go in [
            format!("go btime {number} wtime {number} byoyomi {number}"),
            format!("go btime {number} wtime {number} binc {number} winc {number}"),
            format!("go movetime {number}"),
            format!("go nodes {number}"),
            format!("go mate {number}"),
        ] {
            session.send("position startpos");
            session.send(&go);
            session.send("stop");
            let answer = session.reply("");
            let wanted = if go.starts_with("go mate") { "checkmate " } else { "bestmove " };
            assert_eq!(answer.iter().filter(|line| line.starts_with(wanted)).count(), 1, "{go}: {answer:?}");
        }
    }
}

// U31
#[test]
fn missing_clock_values_are_zero() {
    let mut session = Session::ready();
    for go in [
        "go wtime 600000",
        "go wtime 600000 byoyomi 100",
        "go byoyomi 100",
        "go binc 100 winc 100",
        "go binc 100",
        "go btime 100",
    ] {
        plays_at_once(&mut session, go);
    }
}

// U32
#[test]
fn limits_too_small_to_search_still_give_a_legal_move() {
    let mut session = Session::ready();
    for go in ["go depth 0", "go depth -1", "go nodes 0", "go nodes 1", "go nodes -5", "go depth 1", "go movetime 0"] {
        plays_at_once(&mut session, go);
    }
}

// U32
#[test]
fn a_depth_beyond_the_maximum_is_searched_until_stop() {
    let mut session = Session::ready();
    for depth in ["1000", "2147483648", "99999999999999999999"] {
        session.send("position startpos");
        session.send(&format!("go depth {depth}"));
        session.silent_on("bestmove", Duration::from_millis(100));
        session.send("stop");
        assert_legal("startpos", &session.bestmove());
    }
}

// U33
#[test]
fn a_limit_that_is_no_number_is_named_and_the_search_ends_by_itself() {
    let rows = [
        ("go depth 12x", "12x"),
        ("go movetime 100ms", "100ms"),
        ("go byoyomi abc", "abc"),
        ("go nodes 1e9", "1e9"),
        ("go depth", "depth"),
        ("go btime", "btime"),
    ];
    let mut session = Session::ready();
    for (go, token) in rows {
        session.send("position startpos");
        session.send(go);
        // One second each.
        if !enbu_tests::has_slow_rows() {
            session.send("stop");
        }
        let lines = session.until("bestmove");
        let errors: Vec<&String> = lines.iter().filter(|line| line.starts_with("info string error: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains(token), "{go}: {errors:?}");
        let mv = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap();
        assert_legal("startpos", mv);
    }
}

// U33
#[test]
fn the_other_limits_count_beside_a_refused_one() {
    let mut session = Session::ready();
    session.send("go depth 12x nodes 500");
    let lines = session.until("bestmove");
    let nodes =
        lines.iter().filter_map(|line| line.split_once(" nodes ")?.1.split(' ').next()?.parse::<u64>().ok()).max();
    assert!(nodes.is_none_or(|nodes| nodes < 5_000), "{lines:?}");
}

// U34
#[test]
fn byoyomi_shorter_than_the_network_delay_is_neither_overstepped_nor_resigned() {
    let mut session = Session::start();
    session.send("setoption name USI_Hash value 16");
    session.send("setoption name NetworkDelay value 1000");
    session.send("setoption name NetworkDelay2 value 2000");
    session.send("setoption name MinimumThinkingTime value 2000");
    plays_at_once(&mut session, "go btime 0 wtime 0 byoyomi 100");
    plays_at_once(&mut session, "go btime 0 wtime 0 binc 100 winc 100");
}

// U35
#[test]
fn unknown_words_between_limits_are_skipped() {
    let mut session = Session::ready();
    for go in [
        "go movestogo 10 btime 100 wtime 100",
        "go foo nodes 100",
        "go nodes 100 bar",
        "go movestogo x nodes 100",
        "go \u{5c06}\u{68cb} nodes 100",
    ] {
        plays_at_once(&mut session, go);
    }
}

// U36
#[test]
fn a_position_with_hundreds_of_checks_is_searched_and_stopped() {
    let mut session = Session::ready();
    session.send(&format!("position sfen {MOST_MOVES}"));
    session.send("go infinite");
    session.silent_on("bestmove", Duration::from_millis(200));
    session.send("stop");
    assert_legal(&format!("sfen {MOST_MOVES}"), &session.bestmove());
}

// U38, U39
#[test]
fn go_mate_is_answered_by_one_checkmate() {
    for position in [
        "startpos",
        "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1",
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "sfen 9/9/9/9/4G4/9/9/9/9 b P 1",
    ] {
        let mut session = Session::ready();
        session.send(&format!("position {position}"));
        session.send("go mate 1000");
        let lines = session.until("checkmate");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:?}");
        let answer = lines.last().and_then(|line| line.strip_prefix("checkmate ")).expect("an answer");
        if !["nomate", "timeout"].contains(&answer) {
            let mut mated = from_usi(position);
            for mv in answer.split(' ') {
                mated.play(mv.parse().unwrap()).unwrap_or_else(|error| panic!("{position}: {error}"));
            }
            assert!(enbu_tests::positions::legal_moves(&mated).is_empty(), "{position}: {answer}");
        }
        assert_ne!((position, answer), ("startpos", ""), "an empty answer");
        session.silent_on("bestmove", Duration::from_millis(100));
    }
}

// U40
#[test]
fn an_illegal_move_refuses_the_whole_position() {
    let mut session = Session::ready();
    session.accepts("position startpos moves 2g2f");
    let kept = session.shows("sfen");
    for (position, mv, number) in [
        ("startpos moves 7g7f 7f7e", "7f7e", "2"),
        ("startpos moves 3c3d", "3c3d", "1"),
        ("startpos moves 8h2b", "8h2b", "1"),
        ("startpos moves 7g7f 3c3d 8h2b+ 3a2b 2b3c", "2b3c", "5"),
        ("startpos moves P*5e", "P*5e", "1"),
        ("startpos moves 9i9h 9a9b 5e5d", "5e5d", "3"),
        ("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*2b", "B*2b", "5"),
        ("sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1 moves P*5e", "P*5e", "1"),
        ("sfen 4k4/9/9/9/4r4/9/9/9/4K4 b - 1 moves 5i5h", "5i5h", "1"),
    ] {
        let error = refused_position(&mut session, position, &kept);
        assert!(error.contains(mv) && error.contains(number), "{position}: {error}");
        session.send("go nodes 500");
        assert_legal("startpos moves 2g2f", &session.bestmove());
    }
}

// U41
#[test]
fn a_malformed_move_refuses_the_whole_position() {
    let mut session = Session::ready();
    session.accepts("position startpos moves 2g2f");
    let kept = session.shows("sfen");
    let long = "7g7f".repeat(25_000);
    for mv in ["7g7", "P*", "K*5e", "7j7f", "0000", "none", "pass", "7g7f7e", "P*5e+", "\u{ff17}g7f", &long] {
        let error = refused_position(&mut session, &format!("startpos moves 7g7f {mv}"), &kept);
        let shown: String = mv.chars().take(4).filter(char::is_ascii).collect();
        assert!(error.contains(&shown), "{error}");
        assert!(error.len() < 300, "{error}");
    }
}

// U42
#[test]
fn legal_moves_without_promotion_are_accepted() {
    let mut session = Session::ready();
    for (sfen, mv) in [
        ("4k4/9/2P6/9/9/9/9/9/4K4 b - 1", "7c7b"),
        ("8k/9/9/2R6/9/9/9/9/4K4 b - 1", "7d7b"),
        ("8k/9/9/2R6/9/9/9/9/4K4 b - 1", "7d7a"),
        ("8k/9/9/9/2B6/9/9/9/4K4 b - 1", "7e9c"),
        ("4k4/9/9/9/2B6/9/9/9/4K4 b - 1", "7e4b"),
        ("4k4/9/9/L8/9/9/9/9/4K4 b - 1", "9d9b"),
        ("4k4/9/9/9/9/9/2p6/9/4K4 w - 1", "7g7h"),
        ("4k4/9/9/9/9/2l6/9/9/4K4 w - 1", "7f7h"),
    ] {
        assert_legal(&format!("sfen {sfen}"), mv);
        session.accepts(&format!("position sfen {sfen} moves {mv}"));
        assert_ne!(session.shows("sfen"), sfen);
    }
}

// U43
#[test]
fn ten_thousand_moves_are_read() {
    let mut session = Session::ready();
    session.accepts(&format!("position startpos moves{}", " 4i4h 4a4b 4h4i 4b4a".repeat(2_500)));
    assert_eq!(session.shows("sfen"), STARTPOS.replace(" b - 1", " b - 10001"));
    session.send("go nodes 500");
    assert_legal("startpos", &session.bestmove());
}

// U43
#[test]
fn a_position_line_of_one_mebibyte_is_read() {
    let mut session = Session::ready();
    let cycle = " 4i4h 4a4b 4h4i 4b4a";
    session.accepts(&format!("position startpos moves{}", cycle.repeat((1 << 20) / cycle.len())));
    assert_eq!(session.shows("sfen"), STARTPOS.replace(" b - 1", " b - 65535"));
    session.send("go nodes 500");
    assert_legal("startpos", &session.bestmove());
}

// U44, U46
#[test]
fn impossible_diagrams_are_refused_or_searched() {
    let mut session = Session::ready();
    for sfen in [
        "9/9/9/9/9/9/9/9/9 b - 1",
        "9/9/9/9/9/9/9/9/9 w 2R2B4G4S4N4L18P 1",
        "4k4/9/9/9/9/9/9/9/9 b G 1",
        "9/9/9/9/9/9/9/9/4K4 b G 1",
        "4k4/4k4/9/9/9/9/9/9/4K4 b G 1",
        "4k4/9/9/9/9/9/9/4K4/4K4 b G 1",
        "kkkkkkkkk/9/9/9/9/9/9/9/KKKKKKKKK b - 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 31P 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 5G5g 1",
        "ppppppppp/ppppppppp/ppppppppp/ppppkpppp/ppppppppp/PPPPPPPPP/PPPPKPPPP/PPPPPPPPP/PPPPPPPPP b - 1",
        "GGGGGGGGG/GGGGGGGGG/9/k8/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/4P4/4P4/4P4/9/4K4 b P 1",
        "P3k4/9/9/9/9/9/9/9/4K4 b - 1",
        "L3k3N/7N1/9/9/9/9/9/1n7/n3K3p b - 1",
        "k8/+R+R+R+R+R+R+R+R+R/9/9/9/9/9/9/4K4 w - 1",
        "R8/+B+B+B+B+B+B+B+B+B/9/8k/9/9/9/9/4K4 b 7R7B7G7S15N15L31P 1",
    ] {
        let lines = session.reply(&format!("position sfen {sfen}"));
        assert!(lines.len() <= 1 && lines.iter().all(|line| line.starts_with("info string ")), "{sfen}: {lines:?}");
        let moves = session.moves();
        session.send("go nodes 500");
        let answer = session.bestmove();
        assert!(answer == "resign" || answer == "win" || moves.contains(&answer), "{sfen}: {answer}");
        assert_eq!(answer == "resign", moves.is_empty(), "{sfen}: {answer}");
    }
}

// U46
#[test]
fn more_pieces_than_a_set_are_accepted_with_a_remark() {
    let mut session = Session::ready();
    let example = "lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b B2P 5";
    let lines = session.reply(&format!("position sfen {example}"));
    assert!(
        matches!(lines.as_slice(), [line] if line.starts_with("info string ") && !line.contains("error")),
        "{lines:?}"
    );
    assert_eq!(session.shows("sfen"), example);
}

// U45
#[test]
fn a_position_whose_king_could_be_taken_is_refused() {
    let mut session = Session::ready();
    for sfen in ["4k4/9/9/9/4R4/9/9/9/4K4 b - 1", "4k4/9/9/9/4r4/9/9/9/4K4 w - 1"] {
        let error = refused_position(&mut session, &format!("sfen {sfen}"), STARTPOS);
        assert!(error.contains("check"), "{error}");
    }
}

// U47
#[test]
fn counts_in_hand_do_not_wrap_around() {
    let mut session = Session::ready();
    for hand in ["99P", "0P", "256P", "4294967297P", "18446744073709551617P", "P2", "2", "K", "+P", "1\u{6b69}"] {
        refused_position(&mut session, &format!("sfen {TWO_KINGS} b {hand} 1"), STARTPOS);
    }
}

// U48
#[test]
fn boards_of_a_wrong_shape_are_refused() {
    let mut session = Session::ready();
    for board in [
        "4k4/9/9/9/9/9/9/4K4",
        "4k4/9/9/9/9/9/9/9/9/4K4",
        "4k3/9/9/9/9/9/9/9/4K4",
        "4k5/9/9/9/9/9/9/9/4K4",
        "4+k4/9/9/9/9/9/9/9/4K4",
        "4k4/4+G4/9/9/9/9/9/9/4K4",
        "4k4/+9/9/9/9/9/9/9/4K4",
        "4k4/4x4/9/9/9/9/9/9/4K4",
        "4k4/9/9/9/9/9/9/9/4K4+",
        "////////",
        "",
    ] {
        refused_position(&mut session, &format!("sfen {board} b - 1"), STARTPOS);
    }
}

// U49
#[test]
fn hand_and_move_number_have_defaults_and_the_side_has_none() {
    let mut session = Session::ready();
    for given in [
        format!("{TWO_KINGS} w"),
        format!("{TWO_KINGS} w -"),
        format!("{TWO_KINGS} w - 1"),
        format!("{TWO_KINGS} w moves"),
    ] {
        session.accepts(&format!("position sfen {given}"));
        assert_eq!(session.shows("sfen"), format!("{TWO_KINGS} w - 1"), "{given}");
        session.accepts("position startpos");
    }
    for given in [format!("sfen {TWO_KINGS}"), "sfen".to_owned(), String::new(), format!("sfen {TWO_KINGS} moves 5i5h")]
    {
        refused_position(&mut session, &given, STARTPOS);
    }
}

// U50
#[test]
fn the_move_number_is_clamped() {
    let mut session = Session::ready();
    for (number, shown) in [
        ("0", "1"),
        ("-1", "1"),
        ("65535", "65535"),
        ("65536", "65535"),
        ("2147483648", "65535"),
        ("9223372036854775808", "65535"),
    ] {
        session.accepts(&format!("position sfen {TWO_KINGS} b - {number}"));
        assert_eq!(session.shows("sfen"), format!("{TWO_KINGS} b - {shown}"), "{number}");
    }
}

// U51
#[test]
fn a_refused_option_keeps_its_old_value() {
    let mut session = Session::start();
    session.send("setoption name USI_Hash value 16");
    session.send("setoption name EnteringKingRule value CSARule27");
    session.send("setoption name MaxMovesToDraw value 7");
    session.accepts("position sfen +R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 9");
    let kept = session.reply("getoption");
    for (name, value) in [
        ("EnteringKingRule", "NoSuchRule"),
        ("EnteringKingRule", "CSARule27 CSARule24"),
        ("MaxMovesToDraw", "abc"),
        ("MaxMovesToDraw", "12x"),
        ("MaxMovesToDraw", "1e3"),
        ("MaxMovesToDraw", "-1"),
        ("MaxMovesToDraw", "99999999999999999999"),
        ("MaxMovesToDraw", ""),
        ("EnteringKingRule", ""),
        ("USI_Hash", "0"),
        ("USI_Hash", "two"),
        ("MultiPV", "0"),
        ("USI_Ponder", "maybe"),
        ("USI_Ponder", "1"),
    ] {
        let error = session.refuses(&format!("setoption name {name} value {value}"));
        assert!(error.contains(name), "{error}");
        assert_eq!(session.reply("getoption"), kept, "{name} {value}");
        assert_eq!(session.shows("declaration"), "win", "{name} {value}");
        assert_eq!(session.shows("max_moves"), "draw", "{name} {value}");
    }
}

// U51
#[test]
fn an_incomplete_setoption_is_one_remark() {
    let mut session = Session::ready();
    for line in ["setoption", "setoption name", "setoption value 3", "setoption foo", "setoption name MaxMovesToDraw"] {
        session.refuses(line);
    }
    for line in ["setoption name NoSuchOption value 1", "setoption name NoSuchOption", "setoption name  value 7"] {
        let lines = session.reply(line);
        assert!(matches!(lines.as_slice(), [line] if line.starts_with("info string ")), "{line}: {lines:?}");
    }
}

#[test]
fn option_names_are_matched_without_regard_to_case() {
    let mut session = Session::ready();
    session.accepts("setoption name maxmovestodraw value 3");
    session.accepts("position startpos moves 7g7f 3c3d 2g2f");
    assert_eq!(session.shows("max_moves"), "draw");
}

// U52
#[cfg(target_os = "linux")]
#[test]
fn a_hash_table_that_does_not_fit_is_replaced_by_a_smaller_one() {
    let mut command = std::process::Command::new("sh");
    // Four GiB of address space: a 16 GiB table cannot be allocated on any machine.
    command.args(["-c", "ulimit -v 4194304; exec \"$0\""]).arg(enbu_tests::binary::enbu());
    let mut session = Session::spawn(&mut command);
    session.send("setoption name USI_Hash value 16384");
    let lines = session.reply("isready");
    assert!(lines.iter().any(|line| line.starts_with("info string ")), "{lines:?}");
    session.until("readyok");
    plays_at_once(&mut session, "go nodes 2000");
}

#[test]
fn blank_lines_and_unknown_commands_are_harmless() {
    let mut session = Session::ready();
    for line in
        ["", " ", "\t", "\r", "foo", "debug on", "register later", "\u{0}", "\u{5c06}\u{68cb}", "go\u{0}", "7g7f"]
    {
        let lines = session.reply(line);
        assert!(lines.len() <= 1 && lines.iter().all(|line| line.starts_with("info string ")), "{line:?}: {lines:?}");
    }
    session.send_bytes(b"position startpos moves \xff\xfe\n");
    session.send_bytes(&[0x80; 100_000]);
    session.send_bytes(b"\n");
    session.send(&"go ".repeat(100_000).replacen("go ", "x", 1));
    assert_eq!(session.shows("sfen"), STARTPOS);
    plays_at_once(&mut session, "go nodes 500");
}

#[test]
fn random_lines_from_the_grammar_never_end_the_session() {
    const WORDS: [&str; 44] = [
        "position",
        "startpos",
        "sfen",
        "moves",
        "7g7f",
        "3c3d",
        "P*5e",
        "8h2b+",
        STARTPOS,
        "b",
        "w",
        "-",
        "1",
        "-1",
        "setoption",
        "name",
        "value",
        "USI_Hash",
        "Threads",
        "MultiPV",
        "MaxMovesToDraw",
        "go",
        "ponder",
        "btime",
        "wtime",
        "byoyomi",
        "binc",
        "depth",
        "nodes",
        "movetime",
        "mate",
        "searchmoves",
        "infinite",
        "99999999999999999999",
        "stop",
        "ponderhit",
        "gameover",
        "usinewgame",
        "isready",
        "usi",
        "d",
        "moves",
        "perft",
        "eval",
    ];
    let mut walk = Walk::new(1);
    let mut session = Session::ready();
    for _ in 0..if enbu_tests::has_slow_rows() { 400 } else { 150 } {
        let line: Vec<&str> = (0..=walk.below(8)).map(|_| WORDS[walk.below(WORDS.len())]).collect();
        // Counting or allocating by a random number is the request itself, not a fault.
        if line.contains(&"perft") || line.contains(&"USI_Hash") && line.contains(&"setoption") {
            continue;
        }
        session.send(&line.join(" "));
        session.send("stop");
    }
    session.send("position startpos");
    session.send("isready");
    session.until("readyok");
    session.send("quit");
    session.exits_cleanly();
}

//! The grammar, line by line, and: every command prints as itself.

use proptest::prelude::*;

use super::*;
use crate::command::go::DEFAULT_MOVETIME_MS;

fn command(line: &str) -> Command {
    let parsed = Command::parse(line);
    assert_eq!(parsed.problems, [], "{line}");
    parsed.command.unwrap_or_else(|| panic!("{line} is no command"))
}

fn go(line: &str) -> GoRequest {
    match command(line) {
        Command::Go(request) => request,
        other => panic!("{line} is {other:?}"),
    }
}

/// The request and the message of its only fault.
fn go_with_fault(line: &str) -> (GoRequest, String) {
    let parsed = Command::parse(line);
    let [problem] = &parsed.problems[..] else { panic!("{line}: {:?}", parsed.problems) };
    match parsed.command {
        Some(Command::Go(request)) => (request, problem.to_string()),
        other => panic!("{line} is {other:?}"),
    }
}

fn position(line: &str) -> PositionCommand {
    match command(line) {
        Command::Position(position) => position,
        other => panic!("{line} is {other:?}"),
    }
}

/// The message with which a line is refused.
fn refusal(line: &str) -> String {
    let parsed = Command::parse(line);
    assert_eq!(parsed.command, None, "{line}");
    let [problem] = &parsed.problems[..] else { panic!("{line}: {:?}", parsed.problems) };
    problem.to_string()
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

#[test]
fn simple_commands_tolerate_blanks_and_words_after_them() {
    for (line, expected) in [
        ("usi", Command::Usi),
        ("  usi \t\r", Command::Usi),
        ("isready now", Command::IsReady),
        ("usinewgame", Command::UsiNewGame),
        ("stop", Command::Stop),
        ("ponderhit", Command::PonderHit(None)),
        ("gameover", Command::GameOver(None)),
        ("gameover  win", Command::GameOver(Some(GameResult::Win))),
        ("gameover lose", Command::GameOver(Some(GameResult::Lose))),
        ("gameover draw", Command::GameOver(Some(GameResult::Draw))),
        ("gameover abort", Command::GameOver(None)),
        ("quit", Command::Quit),
        ("help", Command::Help),
        ("side", Command::Side),
        ("moves", Command::Moves),
        ("d", Command::Display),
        ("eval", Command::Eval),
        ("csa", Command::Csa),
        ("perft 5", Command::Perft(5)),
        ("getoption", Command::GetOption(None)),
        ("getoption Threads", Command::GetOption(Some("Threads".into()))),
        ("getoption name Threads", Command::GetOption(Some("Threads".into()))),
    ] {
        assert_eq!(command(line), expected, "{line}");
    }
}

#[test]
fn blank_lines_are_nothing_and_unknown_ones_are_named() {
    for line in ["", " ", "\r", "\t\r"] {
        assert_eq!(Command::parse(line), Parsed { command: None, problems: Vec::new() });
    }
    assert_eq!(refusal("xyzzy 1 2"), "unknown command `xyzzy`");
    assert_eq!(refusal("USI"), "unknown command `USI`");
    assert_eq!(refusal("\u{fffd}"), "unknown command `\\u{fffd}`");
    assert!(refusal(&"x".repeat(100_000)).len() < 100);
}

#[test]
fn a_perft_too_deep_is_refused() {
    assert_eq!(refusal("perft"), "perft: the depth missing");
    assert_eq!(refusal("perft x"), "perft depth: `x` is not a whole number");
    assert_eq!(refusal("perft -1"), "perft: `-1` is out of range, 0 to 20 is needed");
    assert_eq!(
        refusal("perft 99999999999999999999"),
        "perft: `99999999999999999999` is out of range, 0 to 20 is needed"
    );
    // No search is meant by any of them.
    assert_eq!(refusal("go perft 99999"), "go perft: `99999` is out of range, 0 to 20 is needed");
    assert_eq!(refusal("go depth 3 perft x"), "go perft depth: `x` is not a whole number");
    assert_eq!(refusal("go infinite perft"), "go perft: the depth missing");
}

#[test]
fn an_option_value_is_the_rest_of_the_line() {
    let set =
        |name: &str, value: Option<&str>| Command::SetOption { name: name.into(), value: value.map(str::to_owned) };
    assert_eq!(command("setoption name USI_Hash value 64"), set("USI_Hash", Some("64")));
    assert_eq!(command("setoption name BookDir value C:/my  books "), set("BookDir", Some("C:/my  books")));
    assert_eq!(command("setoption name BookFile value <empty>"), set("BookFile", Some("<empty>")));
    assert_eq!(command("setoption name BookFile value "), set("BookFile", Some("")));
    assert_eq!(command("setoption name Clear_Hash"), set("Clear_Hash", None));
    assert_eq!(command("setoption name Skill  Level value 3"), set("Skill Level", Some("3")));
    assert_eq!(command("setoption name X value value value"), set("X", Some("value value")));
    assert_eq!(refusal("setoption"), "setoption: the word name missing");
    assert_eq!(refusal("setoption name"), "setoption: the option's name missing");
    assert_eq!(refusal("setoption name value 3"), "setoption: the option's name missing");
    assert_eq!(refusal("setoption Hash 3"), "setoption: unexpected `Hash`, the word name is needed");
}

#[test]
fn go_reads_its_words_in_any_order() {
    let clock = Clock {
        black_ms: Some(33_000),
        white_ms: Some(30_000),
        byoyomi_ms: None,
        black_increment_ms: Some(5000),
        white_increment_ms: Some(5000),
    };
    for line in ["go btime 33000 wtime 30000 binc 5000 winc 5000", "go  winc 5000 binc 5000 wtime 30000\tbtime 33000\r"]
    {
        assert_eq!(go(line), GoRequest { clock, ..GoRequest::default() }, "{line}");
    }
    assert_eq!(go("go"), GoRequest::default());
    assert!(go("go ponder").ponder);
    assert!(go("go infinite").infinite);
    assert_eq!(go("go movetime 100 nodes 5 depth 3").to_string(), "go movetime 100 nodes 5 depth 3");
    assert_eq!(go("go rtime 100").random_time_ms, Some(100));
    assert_eq!(go("go perft 4").perft, Some(4));
    assert_eq!(go("go searchmoves 7g7f P*5e depth 3").searchmoves, [mv("7g7f"), mv("P*5e")]);
    assert_eq!(go("go searchmoves 7g7f depth 3").depth, Some(3));
}

#[test]
fn go_mate_takes_milliseconds() {
    assert_eq!(go("go mate 1000").mate, Some(MateLimit::WithinMs(1000)));
    assert_eq!(go("go mate -1").mate, Some(MateLimit::WithinMs(0)));
    assert_eq!(go("go mate infinite").mate, Some(MateLimit::Unlimited));
    assert!(!go("go mate infinite").infinite);
    assert_eq!(go("go mate").mate, Some(MateLimit::Unlimited));
    assert_eq!(go("go mate nodes 5").nodes, Some(5));
    let (request, fault) = go_with_fault("go mate 3s");
    assert_eq!(request.mate, Some(MateLimit::WithinMs(DEFAULT_MOVETIME_MS)));
    assert_eq!(fault, "go mate: `3s` is not a whole number");
}

#[test]
fn u29_u30_times_are_clamped_and_saturate() {
    let clock = go("go btime -1 wtime -9223372036854775809 byoyomi 9223372036854775807 binc 2147483648").clock;
    assert_eq!(clock.black_ms, Some(0));
    assert_eq!(clock.white_ms, Some(0));
    assert_eq!(clock.byoyomi_ms, Some(i64::MAX as u64));
    assert_eq!(clock.black_increment_ms, Some(1 << 31));
    assert_eq!(go(&format!("go movetime {}", "9".repeat(40))).movetime_ms, Some(i64::MAX as u64));
    assert_eq!(go("go depth 4294967296").depth, Some(u32::MAX));
    assert_eq!(go("go depth -1 nodes -1"), GoRequest { depth: Some(0), nodes: Some(0), ..GoRequest::default() });
}

#[test]
fn u33_a_malformed_value_is_named_and_the_rest_counts() {
    let (request, fault) = go_with_fault("go depth 12x nodes 100");
    assert_eq!((request.depth, request.nodes, request.movetime_ms), (None, Some(100), None));
    assert_eq!(fault, "go depth: `12x` is not a whole number");
    let (request, _) = go_with_fault("go depth 3 depth 1e9");
    assert_eq!(request.depth, Some(3));
    for line in ["go movetime 100ms", "go byoyomi abc", "go depth", "go depth ponder", "go nodes 1.5"] {
        let (request, _) = go_with_fault(line);
        assert_eq!(request.movetime_ms, Some(DEFAULT_MOVETIME_MS), "{line}");
        assert_eq!(request.ponder, line.contains("ponder"), "{line}");
    }
    let (request, _) = go_with_fault("go infinite depth x");
    assert_eq!(request, GoRequest { infinite: true, ..GoRequest::default() });
    let (request, fault) = go_with_fault("go depth 3 searchmoves 7g7f K*5e 2g2f");
    assert_eq!(request.searchmoves, [mv("7g7f"), mv("2g2f")]);
    assert_eq!(fault, "go searchmoves: `K*5e` is not a move (move 2)");
}

#[test]
fn u35_unknown_words_between_known_ones_are_skipped() {
    assert_eq!(
        go("go btime 1000 movestogo 40 wtime 2000 foo byoyomi 10 bar").to_string(),
        "go btime 1000 wtime 2000 byoyomi 10"
    );
}

#[test]
fn faults_told_of_one_line_are_few() {
    let parsed = Command::parse(&format!("go {}", "depth x ".repeat(100_000)));
    assert_eq!(parsed.problems.len(), MAX_PROBLEMS);
}

#[test]
fn ponderhit_may_bring_times() {
    let clock = Clock { black_ms: Some(36_000), byoyomi_ms: Some(0), ..Clock::default() };
    assert_eq!(command("ponderhit btime 36000 byoyomi 0"), Command::PonderHit(Some(clock)));
    let parsed = Command::parse("ponderhit btime 1x");
    assert_eq!(parsed.command, Some(Command::PonderHit(None)));
    assert_eq!(parsed.problems[0].to_string(), "ponderhit btime: `1x` is not a whole number");
}

#[test]
fn positions_come_in_many_forms() {
    let start = PositionCommand { setup: Setup::startpos(), moves: Vec::new(), tail: None };
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for line in [
        "position startpos".to_owned(),
        "position startpos moves".to_owned(),
        "position  startpos\tmoves \r".to_owned(),
        format!("position sfen {board} b - 1"),
        format!("position sfen {board} b -"),
        format!("position sfen {board} b"),
        format!("position sfen {board} b 1 moves"),
        format!("position {board}  b -  1 moves"),
    ] {
        assert_eq!(position(&line), start, "{line}");
    }
    let moved = position("position startpos moves 7g7f 3c3d 8h2b+ B*5e 7f7e=");
    assert_eq!(moved.moves, ["7g7f", "3c3d", "8h2b+", "B*5e", "7f7e"].map(mv));
    for (number, ply) in [("0", 1), ("-1", 1), ("65536", 65535), ("9223372036854775808", 65535), ("7", 7)] {
        assert_eq!(position(&format!("position sfen {board} b - {number}")).setup.ply, ply);
    }
}

#[test]
fn a_pseudo_move_ends_the_list() {
    for word in PSEUDO_MOVES {
        let ended = position(&format!("position startpos moves 7g7f {word} nonsense"));
        assert_eq!((ended.moves, ended.tail.as_deref()), (vec![mv("7g7f")], Some(word)));
    }
}

#[test]
fn u41_a_malformed_move_is_named_with_its_number() {
    for word in ["7g7", "P*", "K*5e", "7j7f", "0000", "none", "pass", "7g7g", "position"] {
        assert_eq!(
            refusal(&format!("position startpos moves 7g7f {word} 3c3d")),
            format!("position: `{word}` is not a move (move 2)")
        );
    }
    let message = refusal(&format!("position startpos moves {}", "7g7f".repeat(25_000)));
    assert!(message.len() < 100 && message.contains("7g7f7g7f") && message.contains("move 1"), "{message}");
}

#[test]
fn u48_u49_broken_diagrams_are_refused_with_the_place() {
    assert_eq!(refusal("position"), "position: startpos or sfen missing");
    assert_eq!(refusal("position foo"), "position: unexpected `foo`, startpos or sfen is needed");
    assert!(refusal("position startpos 7g7f").contains("`7g7f`"));
    assert!(refusal("position sfen").contains("board"));
    assert!(refusal("position sfen startpos").contains("rank 1"));
    assert!(refusal("position sfen 9/9/9/9/9/9/9/9/9").contains("side to move"));
    assert!(refusal("position sfen 9/9/9/9/9/9/9/9/9 b - 1 2").contains("`2`"));
    assert!(refusal("position sfen 9/9/9/9/9/9/9/9/9 b - x").contains("`x`"));
    assert!(refusal("position sfen 9/9/9x/9/9/9/9/9/9 b - 1").contains("rank 3"));
}

fn any_move() -> impl Strategy<Value = Move> {
    any::<u16>().prop_filter_map("not a move", Move::from_raw)
}

fn any_time() -> impl Strategy<Value = Option<u64>> {
    prop::option::of(0..=i64::MAX as u64)
}

prop_compose! {
    fn any_clock()(black_ms in any_time(), white_ms in any_time(), byoyomi_ms in any_time(),
        black_increment_ms in any_time(), white_increment_ms in any_time()) -> Clock {
        Clock { black_ms, white_ms, byoyomi_ms, black_increment_ms, white_increment_ms }
    }
}

prop_compose! {
    fn any_request()(ponder: bool, infinite: bool, clock in any_clock(), movetime_ms in any_time(),
        random_time_ms in any_time(), nodes in any_time(), depth: Option<u32>,
        mate in prop::option::of(prop_oneof![
            Just(MateLimit::Unlimited), (0..=i64::MAX as u64).prop_map(MateLimit::WithinMs)]),
        searchmoves in prop::collection::vec(any_move(), 0..4),
        perft in prop::option::of(0..=MAX_PERFT_DEPTH)) -> GoRequest {
        GoRequest { ponder, infinite, clock, movetime_ms, random_time_ms, nodes, depth, mate, searchmoves, perft }
    }
}

fn any_setup() -> impl Strategy<Value = Setup> {
    prop_oneof![
        Just(Setup::startpos()),
        (any::<bool>(), 1..=u16::MAX).prop_map(|(flipped, ply)| {
            let mut setup: Setup =
                "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1".parse().unwrap();
            setup.ply = ply;
            if flipped { setup.flipped() } else { setup }
        }),
    ]
}

fn any_command() -> impl Strategy<Value = Command> {
    let name = "[A-Za-z_]{1,12}";
    let value = "[!-~]{1,8}( {1,2}[!-~]{1,8}){0,3}";
    prop_oneof![
        prop::sample::select(vec![
            Command::Usi,
            Command::IsReady,
            Command::UsiNewGame,
            Command::Stop,
            Command::Quit,
            Command::Help,
            Command::Side,
            Command::Moves,
            Command::Display,
            Command::Eval,
            Command::Csa,
            Command::PonderHit(None),
            Command::GameOver(None),
            Command::GameOver(Some(GameResult::Win)),
            Command::GameOver(Some(GameResult::Lose)),
            Command::GameOver(Some(GameResult::Draw)),
            Command::GetOption(None),
        ]),
        (name, prop::option::of(prop_oneof![Just(String::new()), value]))
            .prop_map(|(name, value)| Command::SetOption { name, value }),
        (any_setup(), prop::collection::vec(any_move(), 0..20), prop::option::of(prop::sample::select(&PSEUDO_MOVES)))
            .prop_map(|(setup, moves, tail)| {
                Command::Position(PositionCommand { setup, moves, tail: tail.map(str::to_owned) })
            }),
        any_request().prop_map(Command::Go),
        any_clock().prop_map(|clock| Command::PonderHit(Some(clock).filter(|clock| !clock.is_empty()))),
        (0..=MAX_PERFT_DEPTH).prop_map(Command::Perft),
        name.prop_map(|name| Command::GetOption(Some(name))),
    ]
}

proptest! {
    #[test]
    fn every_command_prints_as_itself(expected in any_command()) {
        let parsed = Command::parse(&expected.to_string());
        prop_assert_eq!(parsed.problems, []);
        prop_assert_eq!(parsed.command, Some(expected));
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "(usi|go|position|setoption|ponderhit|perft)?( |[a-zA-Z0-9+*/-]|\\PC){0,80}") {
        let parsed = Command::parse(&line);
        for problem in parsed.problems {
            prop_assert!(problem.to_string().len() < 600);
        }
    }
}

//! Whole games: ends from both sides, clocks, packets, pondering, comments.

use super::*;

/// Plays one game to the given last lines of the server. Black has moved once; the client
/// answers with `%TORYO` where the steps expect it.
fn ended(side: char, last: Vec<Step>, answers: &[&str]) -> Played {
    let mut steps = login();
    steps.extend(begin("g", side));
    steps.extend(if side == '+' {
        [expect("+7776FU"), send("+7776FU,T2"), send("-3334FU,T3")]
    } else {
        [send("+7776FU,T2"), expect("-3334FU"), send("-3334FU,T3")]
    });
    steps.extend(last);
    steps.push(Close);
    let first = if side == '+' { "7g7f" } else { "3c3d" };
    let answers: Vec<&str> = std::iter::once(first).chain(answers.iter().copied()).collect();
    Scenario::new(steps).answers(&answers).play()
}

/// Checks each end, as either side; `+` to move.
fn check(lines: &str, result: &str, record_end: [&str; 2]) {
    for (side, end) in ['+', '-'].into_iter().zip(record_end) {
        // As Black the client is to move and silent.
        let played = ended(side, vec![send(lines)], &["hangs"]);
        assert_eq!(played.results(), [result], "{side}");
        assert_eq!(played.records.len(), 1);
        let record = &played.records[0];
        assert!(record.contains("+7776FU\nT2\n"), "{record}");
        assert!(record.contains("-3334FU\nT3\n"), "{record}");
        let tail = &record[record.find("\n%").unwrap()..];
        assert!(tail.starts_with(end), "{side}: {tail:?} in place of {end:?}");
        let words = ["win", "lose"].map(|word| result.starts_with(word));
        let gameover = if words[0] {
            "Win"
        } else if words[1] {
            "Lose"
        } else {
            "Draw"
        };
        assert!(played.calls.contains(&format!("gameover {gameover}")), "{:?}", played.calls);
    }
}

macro_rules! ends {
    ($($name:ident: $lines:expr, $result:expr, $ends:expr;)*) => {
        $(#[test] fn $name() { check($lines, $result, $ends); })*
    };
}

ends! {
    won_by_resignation: "%TORYO\n#RESIGN\n#WIN", "win RESIGN", ["\n%TORYO\n'summary:toryo:A win", "\n%TORYO\n"];
    lost_by_resignation: "%TORYO,T3\n#RESIGN\n#LOSE", "lose RESIGN", ["\n%TORYO\n", "\n%TORYO\n'summary"];
    won_on_time: "#TIME_UP\n#WIN", "win TIME_UP", ["\n%TIME_UP\n'summary", "\n%TIME_UP\n"];
    lost_on_time: "#TIME_UP\n#LOSE", "lose TIME_UP", ["\n%TIME_UP\n", "\n%TIME_UP\n'summary"];
    won_by_an_illegal_move: "#ILLEGAL_MOVE\n#WIN", "win ILLEGAL_MOVE", ["\n%ILLEGAL_MOVE\n'summary", "\n%ILLEGAL_MOVE\n"];
    lost_by_an_illegal_move: "#ILLEGAL_MOVE\n#LOSE", "lose ILLEGAL_MOVE", ["\n%ILLEGAL_MOVE\n", "\n%ILLEGAL_MOVE\n'summary"];
    won_by_an_illegal_action: "#ILLEGAL_ACTION\n#WIN", "win ILLEGAL_ACTION", ["\n%-ILLEGAL_ACTION", "\n%+ILLEGAL_ACTION"];
    lost_by_an_illegal_action: "#ILLEGAL_ACTION\n#LOSE", "lose ILLEGAL_ACTION", ["\n%+ILLEGAL_ACTION", "\n%-ILLEGAL_ACTION"];
    drawn_by_repetition: "#SENNICHITE\n#DRAW", "draw SENNICHITE", ["\n%SENNICHITE", "\n%SENNICHITE"];
    won_by_perpetual_check: "#OUTE_SENNICHITE\n#WIN", "win OUTE_SENNICHITE", ["\n%-ILLEGAL_ACTION\n'*perpetual", "\n%+ILLEGAL_ACTION\n'*perpetual"];
    lost_by_perpetual_check: "#OUTE_SENNICHITE\n#LOSE", "lose OUTE_SENNICHITE", ["\n%+ILLEGAL_ACTION\n'*perpetual", "\n%-ILLEGAL_ACTION\n'*perpetual"];
    won_by_declaration: "%KACHI,T5\n%KACHI\n#JISHOGI\n#WIN", "win JISHOGI", ["\n%KACHI\n", "\n%KACHI\n'summary"];
    lost_by_declaration: "%KACHI,T5\n%KACHI\n#JISHOGI\n#LOSE", "lose JISHOGI", ["\n%KACHI\n'summary", "\n%KACHI\n"];
    lost_by_a_false_declaration: "%KACHI,T0\n%KACHI\n#ILLEGAL_MOVE\n#LOSE", "lose ILLEGAL_MOVE", ["\n%ILLEGAL_MOVE", "\n%ILLEGAL_MOVE"];
    drawn_by_points: "%KACHI,T5\n#JISHOGI\n#DRAW", "draw JISHOGI", ["\n%HIKIWAKE", "\n%HIKIWAKE"];
    censored_at_the_move_limit: "#MAX_MOVES\n#CENSORED", "censored MAX_MOVES", ["\n%MAX_MOVES", "\n%MAX_MOVES"];
    interrupted_by_the_server: "#CHUDAN", "interrupted CHUDAN", ["\n%CHUDAN", "\n%CHUDAN"];
    won_for_an_unknown_reason: "#SUNSPOTS\n#WIN", "win SUNSPOTS", ["\n%ERROR", "\n%ERROR"];
    lost_without_a_reason: "#LOSE", "lose no reason given", ["\n%ERROR", "\n%ERROR"];
}

#[test]
fn the_client_resigns_as_either_side() {
    let last = || vec![expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")];
    assert_eq!(ended('+', last(), &["resign"]).results(), ["lose RESIGN"]);
    let mut white = vec![send("+2726FU,T0")];
    white.extend(last());
    assert_eq!(ended('-', white, &["resign"]).results(), ["lose RESIGN"]);
}

/// The clocks that the engine is given at its first and second move.
fn clocks(clock: &str) -> Vec<Clock> {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', clock)), expect("AGREE g"), send("START:g"), expect("+7776FU")]);
    steps.extend([send("+7776FU,T12\n-3334FU,T5"), expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    Scenario::new(steps).answers(&["7g7f"]).play().clocks
}

fn clock(times: [u64; 2], byoyomi: Option<u64>, increments: Option<[u64; 2]>) -> Clock {
    Clock {
        black_ms: Some(times[0]),
        white_ms: Some(times[1]),
        byoyomi_ms: byoyomi,
        black_increment_ms: increments.map(|gains| gains[0]),
        white_increment_ms: increments.map(|gains| gains[1]),
    }
}

fn time(lines: &str) -> String {
    format!("BEGIN Time\n{lines}\nEND Time")
}

#[test]
fn fischer_clocks_add_the_increment_after_the_charge() {
    let found = clocks(&time("Total_Time:300\nIncrement:10"));
    let expected = [([300_000; 2]), ([298_000, 305_000])].map(|times| clock(times, None, Some([10_000; 2])));
    assert_eq!(found, expected);
}

#[test]
fn byoyomi_clocks_lose_main_time_only() {
    let found = clocks(&time("Total_Time:10\nByoyomi:30"));
    assert_eq!(found, [[10_000, 10_000], [0, 5000]].map(|times| clock(times, Some(30_000), None)));
}

#[test]
fn byoyomi_and_increment_are_both_passed_on() {
    let found = clocks(&time("Total_Time:60\nByoyomi:5\nIncrement:2"));
    assert_eq!(found, [[60_000, 60_000], [50_000, 57_000]].map(|times| clock(times, Some(5000), Some([2000; 2]))));
}

#[test]
fn sudden_death_has_neither() {
    let found = clocks(&time("Total_Time:60"));
    assert_eq!(found, [[60_000, 60_000], [48_000, 55_000]].map(|times| clock(times, Some(0), None)));
}

#[test]
fn a_game_without_limit_gives_no_clock() {
    assert_eq!(clocks(&time("Total_Time:0\nByoyomi:0")), [Clock::default(); 2]);
}

#[test]
fn units_of_minutes_and_milliseconds() {
    assert_eq!(clocks(&time("Time_Unit:1min\nTotal_Time:5"))[1], clock([288_000, 295_000], Some(0), None));
    assert_eq!(
        clocks(&time("Time_Unit:100msec\nTotal_Time:600\nByoyomi:5"))[1],
        clock([48_000, 55_000], Some(500), None)
    );
}

#[test]
fn each_side_has_its_clock() {
    let found =
        clocks("BEGIN Time+\nTotal_Time:60\nByoyomi:1\nEND Time+\nBEGIN Time-\nTotal_Time:30\nIncrement:3\nEND Time-");
    assert_eq!(found[1], clock([48_000, 28_000], Some(1000), Some([0, 3000])));
}

#[test]
fn a_delay_is_free_time_of_each_move() {
    let found = clocks(&time("Total_Time:60\nDelay:5"));
    assert_eq!(found[1], clock([53_000, 60_000], None, Some([5000; 2])));
}

/// Milliseconds left to Black, rounded up to minutes, after a move that the server confirmed
/// without its time. On a busy machine the clock is cut by the time that the next search begins
/// late.
fn left_after_estimate(clock: &str) -> u64 {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', &time(clock))), expect("AGREE g"), send("START:g"), expect("+7776FU")]);
    steps.extend([Pause(20), send("+7776FU\n-3334FU"), expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    Scenario::new(steps).answers(&["7g7f"]).play().clocks[1].black_ms.unwrap().div_ceil(60_000) * 60_000
}

#[test]
fn a_least_time_is_charged_for_each_move() {
    assert_eq!(left_after_estimate("Time_Unit:1min\nTotal_Time:9\nLeast_Time_Per_Move:2"), 420_000);
}

#[test]
fn a_unit_that_has_begun_is_charged_where_times_are_rounded_up() {
    assert_eq!(left_after_estimate("Time_Unit:1min\nTotal_Time:9\nTime_Roundup:YES"), 480_000);
}

#[test]
fn a_stop_watch_charges_whole_minutes() {
    assert_eq!(left_after_estimate("Time_Unit:1min\nTotal_Time:9\nByoyomi:1\nTime_Roundup:NO"), 540_000);
}

/// A game whose start comes `ms` after the agreement.
fn started_after(ms: u64) -> Scenario {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', &time("Total_Time:1\nByoyomi:1"))), expect("AGREE g"), Pause(ms)]);
    steps.extend([send("START:g"), expect("+7776FU"), send("+7776FU,T0\n%TORYO\n#RESIGN\n#WIN")]);
    Scenario::new(steps).answers(&["7g7f"])
}

#[test]
fn a_start_may_take_up_to_its_limit() {
    // A hundredth of the protocol's times.
    for ms in [0, 10, 100, 300, 600] {
        assert_eq!(started_after(ms).impatient(60_000).play().results(), ["win RESIGN"], "{ms}");
    }
}

#[test]
fn a_start_after_a_minute_is_awaited() {
    if std::env::var_os("ENBU_SLOW_TESTS").is_none() {
        return;
    }
    thread::scope(|scope| {
        for ms in [1000, 10_000, 30_000, 45_000, 60_000] {
            scope.spawn(move || assert_eq!(started_after(ms).play().results(), ["win RESIGN"], "{ms}"));
        }
    });
}

#[test]
fn a_clock_that_ran_out_shows_nothing() {
    let found = clocks(&time("Total_Time:3\nByoyomi:20"));
    assert_eq!(found[1], clock([0, 0], Some(20_000), None));
}

#[test]
fn a_late_start_is_the_start_of_the_clock() {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', &time("Total_Time:1\nByoyomi:1"))), expect("AGREE g"), Pause(2500)]);
    steps.extend([send("START:g"), expect("+7776FU"), send("+7776FU,T0\n%TORYO\n#RESIGN\n#WIN")]);
    let played = Scenario::new(steps).answers(&["7g7f"]).play();
    assert_eq!(played.results(), ["win RESIGN"]);
    assert_eq!(played.clocks[0], clock([1000, 1000], Some(1000), None));
}

#[test]
fn slow_echoes_shorten_the_clock_of_the_engine() {
    let mut steps = login();
    steps.extend(begin("g", '+'));
    steps.extend([
        expect("+7776FU"),
        Pause(400),
        send("+7776FU,T1\n-3334FU,T0"),
        expect("%TORYO"),
        send("#RESIGN\n#LOSE"),
    ]);
    let played = Scenario::new(steps).answers(&["7g7f"]).play();
    // 400 ms and a quarter, less the 100 ms of NetworkDelay2. The pause may begin a moment before the clock.
    let black = played.clocks[1].black_ms.unwrap();
    assert!((57_000..=58_650).contains(&black), "{black}");
    assert!(played.games[0].echo_ms >= 380);
}

#[test]
fn an_engine_is_hurried_at_the_end_of_its_time() {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', &time("Total_Time:0\nByoyomi:1"))), expect("AGREE g"), send("START:g")]);
    steps.extend([expect("+9998KY"), send("+9998KY,T0\n%TORYO\n#RESIGN\n#WIN")]);
    let played = Scenario::new(steps).answers(&["hangs"]).play();
    assert!(played.calls.contains(&"stop".to_owned()), "{:?}", played.calls);
    assert_eq!(played.results(), ["win RESIGN"]);
}

#[test]
fn packets_may_be_split_anywhere() {
    let mut steps = vec![Accept, expect("LOGIN enbu ")];
    let text = format!("LOGIN:enbu OK\r\n\n{}\n", offer("g", '+', CLOCK));
    steps.extend(text.as_bytes().chunks(7).map(|chunk| Raw(chunk.to_vec())));
    steps.extend([expect("AGREE g"), Raw(b"STA".to_vec()), Pause(60), Raw(b"RT:g\r\n".to_vec()), expect("+7776FU")]);
    steps.extend([
        Raw(b"+7776FU,".to_vec()),
        Pause(60),
        Raw(b"T1\n-3334FU".to_vec()),
        Pause(60),
        Raw(b",T1\n".to_vec()),
    ]);
    steps.extend([expect("%TORYO"), Raw(b"%TORYO\n#RESIGN\n#LO".to_vec()), Pause(60), Raw(b"SE\n".to_vec())]);
    let played = Scenario::new(steps).answers(&["7g7f"]).play();
    assert_eq!(played.results(), ["lose RESIGN"]);
}

#[test]
fn packets_may_hold_many_lines() {
    let mut steps = vec![Accept, expect("LOGIN enbu ")];
    steps.push(send(&format!("LOGIN:enbu OK\n{}", offer("g", '-', CLOCK))));
    steps.extend([expect("AGREE g"), send("START:g\n+7776FU,T1"), expect("-3334FU")]);
    steps.push(send("-3334FU,T1\n+2726FU,T1\n%TORYO\n#RESIGN\n#WIN"));
    let played = Scenario::new(steps).answers(&["3c3d", "hangs"]).play();
    assert_eq!((played.results(), played.games[0].moves), (vec!["win RESIGN".to_owned()], 3));
}

#[test]
fn two_summaries_in_a_row_are_one_game() {
    let mut steps = login();
    steps.push(send(&format!("{}\n{}", offer("g1", '+', CLOCK), offer("g2", '-', CLOCK))));
    steps.extend([expect("AGREE g1"), expect("AGREE g2"), send("START:g2\n+7776FU,T0"), expect("%TORYO")]);
    steps.push(send("%TORYO\n#RESIGN\n#LOSE"));
    let played = Scenario::new(steps).play();
    assert_eq!((played.games[0].game_id.as_str(), played.games[0].side), ("g2", "white"));
}

#[test]
fn a_game_may_begin_with_moves() {
    let mut steps = login();
    let with_moves = offer("g", '-', CLOCK).replace("PI\n+\n", "PI\n+\n+7776FU,T9\n-3334FU,T9\n+2726FU,T9\n");
    steps.extend([send(&with_moves), expect("AGREE g"), send("START:g"), expect("-8384FU")]);
    steps.extend([send("-8384FU,T1\n%TORYO\n#RESIGN\n#WIN")]);
    let played = Scenario::new(steps).answers(&["8c8d"]).play();
    assert_eq!(played.calls[4], "go No 2g2f", "{:?}", played.calls);
    assert_eq!(played.clocks[0], clock([42_000, 51_000], Some(10_000), None), "earlier times are charged");
    assert!(played.records[0].contains("+2726FU\nT9\n-8384FU\nT1\n"), "{}", played.records[0]);
}

#[test]
fn a_handicap_game_begins_with_the_side_of_its_position() {
    let mut steps = login();
    let handicap = offer("g", '-', CLOCK).replace("PI\n+\n", "PI82HI\n-\n").replace("To_Move:+", "To_Move:-");
    steps.extend([
        send(&handicap),
        expect("AGREE g"),
        send("START:g"),
        expect("-3334FU"),
        send("-3334FU,T1\n#TIME_UP\n#WIN"),
    ]);
    assert_eq!(Scenario::new(steps).answers(&["3c3d"]).play().results(), ["win TIME_UP"]);
}

#[test]
fn the_rules_of_an_offer_reach_the_engine() {
    let mut steps = login();
    steps.extend(short_game("g", '+'));
    let played = Scenario::new(steps).play();
    assert_eq!(played.calls[..4], ["prepare", "MaxMovesToDraw=256", "EnteringKingRule=CSARule27", "prepare"]);
    assert!(played.records[0].contains("$MAX_MOVES:256\n"));
}

#[test]
fn a_limit_of_moves_that_the_engine_does_not_take_is_none() {
    for limit in ["1001", "99999999999999999999"] {
        let mut steps = login();
        steps.extend([send(&offer("g", '+', CLOCK).replace("Max_Moves:256", &format!("Max_Moves:{limit}")))]);
        steps.extend([expect("AGREE g"), send("START:g"), expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
        let played = Scenario::new(steps).play();
        assert_eq!((played.calls[1].as_str(), played.results()), ("MaxMovesToDraw=0", vec!["lose RESIGN".to_owned()]));
    }
}

#[test]
fn the_clocks_of_a_resumed_game_are_those_that_it_left() {
    let mut steps = login();
    let resumed = offer("g", '+', &time("Total_Time:600")).replace("PI\n+\n", "PI\n+\n+7776FU,T12\n-3334FU,T30\n");
    steps.extend([
        send(&resumed),
        expect("AGREE g"),
        send("START:g"),
        expect("+2726FU"),
        send("+2726FU,T3\n#TIME_UP\n#WIN"),
    ]);
    let played = Scenario::new(steps).answers(&["2g2f"]).play();
    assert_eq!(played.clocks[0], clock([588_000, 570_000], Some(0), None));
    assert_eq!(played.games[0].own_ms, 3000, "of this session");
}

#[test]
fn a_ponder_hit_is_early_and_goes_on() {
    let mut steps = login();
    steps.extend(begin("g", '+'));
    // The engine ponders before the echo comes.
    steps.extend([
        expect("+7776FU"),
        Pause(100),
        send("+7776FU,T1\n-3334FU,T1"),
        expect("+2726FU"),
        send("#TIME_UP\n#WIN"),
    ]);
    let mut scenario = Scenario::new(steps).answers(&["7g7f>3c3d", "2g2f"]);
    scenario.ponder = Pondering::Yes;
    let played = scenario.play();
    assert_eq!(played.calls[4..7], ["go No ", "go Yes 3c3d", "hit"], "{:?}", played.calls);
    assert_eq!(played.games[0].ponder_hits, 1);
    let black = played.clocks[2].black_ms.unwrap();
    assert!((58_000..=59_000).contains(&black), "{black}: the charge that the server named, less the delay");
}

#[test]
fn a_ponder_miss_is_stopped_and_searched_anew() {
    let mut steps = login();
    steps.extend(begin("g", '+'));
    steps.extend([expect("+7776FU"), send("+7776FU,T1\n-8384FU,T1"), expect("+2726FU"), send("#TIME_UP\n#WIN")]);
    let mut scenario = Scenario::new(steps).answers(&["7g7f>3c3d", "2g2f"]);
    scenario.ponder = Pondering::Yes;
    let played = scenario.play();
    assert_eq!(played.calls[4..8], ["go No ", "go Yes 3c3d", "stop", "go No 8c8d"], "{:?}", played.calls);
    assert_eq!(played.games[0].ponder_hits, 0);
}

#[test]
fn floodgate_games_have_comments_from_blacks_view() {
    for (side, line) in [('+', "+7776FU,'* 55 -3334FU"), ('-', "-3334FU,'* -55 +2726FU")] {
        let mut steps = login();
        steps.extend(begin("wdoor+floodgate-300-10F+A+B+1", side));
        if side == '-' {
            steps.push(send("+7776FU,T0"));
        }
        steps.push(expect(line));
        steps.push(send(&format!("{},T0\n#TIME_UP\n#WIN", &line[..7])));
        let answer = if side == '+' { "7g7f>3c3d" } else { "3c3d>2g2f" };
        let mut scenario = Scenario::new(steps).answers(&[answer]);
        scenario.game = Some("floodgate-300-10F".to_owned());
        let played = scenario.play();
        assert_eq!(played.received[0], format!("LOGIN enbu floodgate-300-10F,{PASSWORD}"));
        assert!(played.records[0].contains(&line.replace(",'* ", "\nT0\n'** ")), "{}", played.records[0]);
    }
}

#[test]
fn other_games_have_none() {
    let played = ended('+', vec![send("#TIME_UP\n#WIN")], &["hangs"]);
    assert_eq!(played.received[2], "+7776FU");
    assert!(played.records[0].contains("'** 55"), "the record has it");
}

#[test]
fn a_won_declaration_is_sent() {
    let board = "P1 *  *  * +OU *  *  *  *  * \nP2+HI+HI+KA+KA+KI+KI+GI+GI * \nP3+KY+KY+FU+FU+FU * +KI+KI * \n\
        P9 *  *  *  * -OU *  *  *  * \nP+00GI00GI00KE00KE00KE00KE00KY00KY00FU00FU00FU00FU00FU00FU\n+";
    let mut steps = login();
    steps.extend([send(&offer("g", '+', CLOCK).replace("PI\n+", board)), expect("AGREE g"), send("START:g")]);
    steps.extend([expect("%KACHI"), send("%KACHI,T1\n%KACHI\n#JISHOGI\n#WIN")]);
    assert_eq!(Scenario::new(steps).answers(&["win"]).play().results(), ["win JISHOGI"]);
}

/// A king in the zone with 22 points, pawns on 5d and 9g, and so many more in hand.
fn entered(pawns: usize) -> String {
    format!(
        "P1 *  *  * +OU *  *  *  *  * \nP2+HI+HI+KA+KI+KI+GI+GI+FU+FU\nP3 *  *  * +FU *  *  *  *  * \n\
         P9 *  *  *  * -OU *  *  *  * \nP+54FU97FU{}\n+",
        "00FU".repeat(pawns)
    )
}

/// A game from a position under a rule, in which the engine's `answers` follow.
fn declared(rule: &str, pawns: usize, answers: &[&str], end: &[Step]) -> Played {
    let text = offer("g", '+', CLOCK).replace("PI\n+", &entered(pawns)).replace("Jishogi 1.1", rule);
    let mut steps = login();
    steps.extend([send(&text), expect("AGREE g"), send("START:g")]);
    steps.extend(end.iter().cloned());
    Scenario::new(steps).answers(answers).play()
}

#[test]
fn declarations_follow_the_rule_of_the_offer() {
    let won = [expect("%KACHI"), send("%KACHI,T1\n%KACHI\n#JISHOGI\n#WIN")];
    let goes_on = [expect("+9796FU"), send("+9796FU,T1\n#TIME_UP\n#WIN")];
    for (rule, pawns, is_won) in
        [("Jishogi 1.1", 6, true), ("Jishogi 1.1", 5, false), ("24", 9, true), ("24", 8, false), ("NO", 9, false)]
    {
        let played = declared(rule, pawns, &["win", "9g9f"], if is_won { &won } else { &goes_on });
        let expected = if is_won { "win JISHOGI" } else { "win TIME_UP" };
        assert_eq!(played.results(), [expected], "{rule}: {:?}", played.notices);
        assert_eq!(played.tally().faults, 0);
        let searches = played.calls.iter().filter(|call| call.starts_with("go ")).count();
        assert_eq!(searches, if is_won { 1 } else { 2 }, "{:?}", played.calls);
        assert_eq!(played.calls.contains(&"EnteringKingRule=NoEnteringKing".to_owned()), !is_won || rule == "NO");
    }
}

#[test]
fn an_engine_that_declared_falsely_is_declared_for() {
    let end = [
        expect("+5453FU"),
        send("+5453FU,T1\n-5958OU,T1"),
        expect("%KACHI"),
        send("%KACHI,T1\n%KACHI\n#JISHOGI\n#WIN"),
    ];
    // 27 points, and 28 after a pawn has entered the zone.
    let played = declared("Jishogi 1.1", 5, &["win", "5d5c", "resign"], &end);
    assert_eq!(played.results(), ["win JISHOGI"], "{:?}", played.notices);
}

#[test]
fn statistics_and_records_follow_several_games() {
    let mut steps = Vec::new();
    for (id, side) in [("../g1", '+'), ("g/2", '-'), ("g3", '+')] {
        steps.extend(login());
        steps.extend(short_game(id, side));
    }
    let played = Scenario::new(steps).games(3).play();
    assert_eq!(played.tally(), Tally { games: 3, losses: 3, ..Tally::default() });
    assert_eq!((played.games[2].game, played.records.len()), (3, 3));
    assert_eq!(
        played.games[2].line(&played.tally()),
        "game 3: lose (RESIGN) as black against B, 0 moves; 0 won, 3 lost, 0 drawn; rating gain unknown"
    );
    let json: serde_json::Value = serde_json::from_str(&serde_json::to_string(&played.games[0]).unwrap()).unwrap();
    assert_eq!((json["game_id"].as_str(), json["result"].as_str()), (Some("../g1"), Some("lose")));
}

//! Tests of the summary of a game.

use super::*;

const HEAD: &str = "Protocol_Version:1.2\nGame_ID:a+floodgate-300-10F+B+W+1\nName+:B\nName-:W\nYour_Turn:-\nTo_Move:+";
const START: &str = "BEGIN Position\nPI\n+\nEND Position";

fn parse(text: &str) -> Result<Summary, SummaryError> {
    Summary::parse(&text.lines().collect::<Vec<_>>())
}

fn with_clock(clock: &str) -> Summary {
    parse(&format!("{HEAD}\n{clock}\n{START}")).unwrap()
}

#[test]
fn every_key_is_read_in_any_order() {
    let summary = parse(
        "BEGIN Position\nPI\n+\nEND Position\nRematch_On_Draw:YES\nMax_Moves:256\nJishogi_Declaration:24\nFormat:Shogi 1.0\n\
         Protocol_Mode:Server\nSomething_New:x:y\nBEGIN Else\nMax_Moves:1\nEND Else\nno key\nName-:W\nName+:B\nYour_Turn:+\nGame_ID:g",
    )
    .unwrap();
    assert_eq!((summary.your_turn, summary.opponent(), summary.game_id.as_str()), (Color::Black, "W", "g"));
    assert!(!summary.is_floodgate());
    assert_eq!((summary.max_moves, summary.declaration), (Some(256), EnteringKingRule::Csa24));
    assert!(summary.clocks.iter().all(|clock| clock.total_ms.is_none()));
}

#[test]
fn clocks_are_read_in_their_units() {
    let clock = with_clock(
        "BEGIN Time\nTime_Unit:100msec\nTotal_Time:10\nByoyomi:5\nIncrement:2\nDelay:1\nLeast_Time_Per_Move:3\nTime_Roundup:YES\nEND Time",
    );
    let expected = TimeRules {
        unit_ms: 100,
        total_ms: Some(1000),
        byoyomi_ms: 500,
        delay_ms: 100,
        increment_ms: 200,
        least_ms: 300,
        rounds_up: true,
    };
    assert_eq!(clock.clocks, [expected; 2]);
    assert_eq!([0, 301, 400].map(|ms| expected.charged_ms(ms)), [300, 400, 400]);
    assert!(clock.is_floodgate());
    let minutes = with_clock("BEGIN Time\nTime_Unit:1min\nTotal_Time:8\nByoyomi:4\nEND Time").clocks[0];
    assert_eq!((minutes.total_ms, minutes.byoyomi_ms), (Some(480_000), 240_000));
    assert_eq!([999, 59_999, 60_000].map(|ms| minutes.charged_ms(ms)), [0, 0, 60_000]);
}

#[test]
fn each_side_may_have_its_own_clock() {
    let clocks =
        with_clock("BEGIN Time+\nTotal_Time:60\nEND Time+\nBEGIN Time-\nTotal_Time:30\nByoyomi:2\nEND Time-").clocks;
    assert_eq!(clocks.map(|clock| (clock.total_ms, clock.byoyomi_ms)), [(Some(60_000), 0), (Some(30_000), 2000)]);
    let mixed = with_clock("BEGIN Time\nTotal_Time:60\nEND Time\nBEGIN Time-\nTotal_Time:0\nEND Time-").clocks;
    assert_eq!(mixed.map(|clock| clock.total_ms), [Some(60_000), None]);
}

#[test]
fn a_position_has_a_side_and_moves() {
    let text = |position: &str| format!("{HEAD}\nBEGIN Position\n{position}\nEND Position");
    let played = parse(&text("PI\n+\n+7776FU,T12\n-3334FU,T3.5")).unwrap();
    assert_eq!(
        played.moves.iter().map(|&(mv, ms)| (mv.to_string(), ms)).collect::<Vec<_>>(),
        [("7g7f".to_owned(), Some(12_000)), ("3c3d".to_owned(), Some(3500))]
    );
    assert_eq!(played.position().unwrap().turn(), Color::Black);
    let unnamed = parse(&text("PI").replace("To_Move:+", "To_Move:-")).unwrap();
    assert_eq!(unnamed.setup.turn, Color::White);
    let handicap = parse(&text("PI82HI22KA\n-")).unwrap();
    assert_eq!(handicap.setup.turn, Color::White);
}

#[test]
fn what_cannot_be_played_is_refused_with_the_reason() {
    for (text, reason) in [
        (format!("{HEAD}\n"), "the game summary has no Position"),
        (format!("{HEAD}\n{START}").replace("Game_ID", "Game"), "the game summary has no Game_ID"),
        (format!("{HEAD}\n{START}").replace("Your_Turn", "Turn"), "the game summary has no Your_Turn"),
        (format!("{HEAD}\n{START}").replace("Turn:-", "Turn:*"), "the game summary has Your_Turn:*"),
        (format!("{HEAD}\nMax_Moves:-1\n{START}"), "the game summary has Max_Moves:-1"),
        (format!("{HEAD}\nBEGIN Time\nTotal_Time:99999999999999999999\nEND Time\n{START}"), "Total_Time:999"),
        (format!("{HEAD}\nBEGIN Time\nTime_Unit:0sec\nEND Time\n{START}"), "the game summary has Time_Unit:0sec"),
        (format!("{HEAD}\nBEGIN Position\nPI\n+\n+7775FU\nEND Position"), "the position of the game summary"),
        (format!("{HEAD}\nBEGIN Position\nP1-OU\n+\nEND Position"), "the position of the game summary"),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(Summary::parse(&vec![""; MAX_BYTES + 1]), Err(SummaryError::TooLong));
}

/// Parses an offer with the position section `position`.
fn with_position(position: &str) -> Result<Summary, SummaryError> {
    parse(&format!("{HEAD}\nBEGIN Position\n{position}\nEND Position"))
}

#[test]
fn positions_that_no_game_begins_with_are_refused() {
    for (position, reason) in [
        ("P1 *  *  *  * -OU *  *  *  * \n+", "Black has no king"),
        ("P9 *  *  *  * +OU *  *  *  * \n+", "White has no king"),
        ("P+59OU77FU76FU\nP-51OU\n+", "Black has two pawns on file 7 (nifu)"),
        ("P+59OU\nP-51OU23FU24FU\n+", "White has two pawns on file 2 (nifu)"),
        ("P+59OU71FU\nP-51OU\n+", "the P of Black on 7a can never move"),
        ("P+59OU\nP-51OU19KY\n+", "the L of White on 1i can never move"),
        ("P+59OU\nP-51OU38KE\n+", "the N of White on 3h can never move"),
        ("P+59OU52HI\nP-51OU\n+", "opponent in check"),
        ("P+59OU49OU\nP-51OU\n+", "the position of the game summary"),
        ("P+59OU\nP-51OU\nP+00HI00HI00HI\n+", "the position of the game summary"),
    ] {
        let error = with_position(position).unwrap_err().to_string();
        assert!(error.contains(reason), "{position}: {error}");
    }
    // A promoted pawn is no pawn, and pieces may be missing.
    let odds = with_position("P+59OU77FU76TO\nP-51OU\nP+00AL\n+").unwrap();
    assert_eq!(odds.position().unwrap().turn(), Color::Black);
}

#[test]
fn times_of_earlier_moves_are_charged_by_the_rules_of_the_clock() {
    const MOVES: &str = "PI\n+\n+7776FU,T12\n-3334FU,T30\n+2726FU,T3.5";
    let left = |clock: &str, moves: &str| {
        let text = format!("{HEAD}\n{clock}\nBEGIN Position\n{moves}\nEND Position");
        parse(&text).unwrap().remaining_ms()
    };
    for (clock, expected) in [
        ("BEGIN Time\nTotal_Time:600\nEND Time", [Some(584_500), Some(570_000)]),
        ("BEGIN Time\nTime_Unit:1min\nTotal_Time:10\nEND Time", [Some(584_500), Some(570_000)]),
        ("BEGIN Time\nTime_Unit:100msec\nTotal_Time:6000\nEND Time", [Some(584_500), Some(570_000)]),
        ("BEGIN Time\nTotal_Time:600\nIncrement:10\nEND Time", [Some(604_500), Some(580_000)]),
        ("BEGIN Time\nTotal_Time:600\nDelay:5\nEND Time", [Some(593_000), Some(575_000)]),
        ("BEGIN Time\nTotal_Time:20\nByoyomi:60\nEND Time", [Some(4_500), Some(0)]),
        (
            "BEGIN Time+\nTotal_Time:600\nEND Time+\nBEGIN Time-\nTotal_Time:40\nEND Time-",
            [Some(584_500), Some(10_000)],
        ),
        ("BEGIN Time\nTotal_Time:0\nEND Time", [None, None]),
    ] {
        assert_eq!(left(clock, MOVES), expected, "{clock}");
    }
    let least = "BEGIN Time\nTotal_Time:60\nLeast_Time_Per_Move:2\nEND Time";
    assert_eq!(left(least, "PI\n+\n+7776FU\n-3334FU,T5"), [Some(58_000), Some(55_000)], "a move without a time");
    let white_first = "BEGIN Time\nTotal_Time:60\nEND Time";
    assert_eq!(left(white_first, "PI82HI\n-\n-3334FU,T5"), [Some(60_000), Some(55_000)]);
    let buoy =
        format!("{HEAD}\n{least}\nBEGIN Position\n{MOVES}\nEND Position").replace("floodgate-300-10F", "buoy_x-60-0");
    assert_eq!(parse(&buoy).unwrap().remaining_ms(), [Some(60_000); 2], "measured on shogi-server");
}

#[test]
fn the_largest_times_do_not_wrap() {
    let clock = "Time_Unit:86400000min\nTotal_Time:1099511627776\nByoyomi:1099511627776\nIncrement:1099511627776";
    let clock = with_clock(&format!("BEGIN Time\n{clock}\nEND Time")).clocks[0];
    assert_eq!((clock.total_ms, clock.byoyomi_ms, clock.increment_ms), (Some(MAX_MS), MAX_MS, MAX_MS));
    assert_eq!(TimeRules { rounds_up: true, ..clock }.charged_ms(u64::MAX), u64::MAX);
}

#[test]
fn limits_of_moves_and_rules_of_declarations_are_read() {
    for (value, expected) in
        [("256", Some(256)), ("0", None), ("100001", Some(100_001)), ("99999999999999999999", None)]
    {
        assert_eq!(parse(&format!("{HEAD}\nMax_Moves:{value}\n{START}")).unwrap().max_moves, expected, "{value}");
    }
    for (value, expected) in [
        ("Declaration:Jishogi 1.1", EnteringKingRule::Csa27),
        ("Jishogi_Declaration:1.1", EnteringKingRule::Csa27),
        ("Declaration:27", EnteringKingRule::Csa27),
        ("Declaration:24", EnteringKingRule::Csa24),
        ("Declaration:NO", EnteringKingRule::NoEnteringKing),
        ("Declaration:none", EnteringKingRule::NoEnteringKing),
        ("Declaration:TRY", EnteringKingRule::Try),
        ("Declaration:of another kind", EnteringKingRule::NoEnteringKing),
        ("Max_Moves:1", EnteringKingRule::Csa27),
    ] {
        assert_eq!(parse(&format!("{HEAD}\n{value}\n{START}")).unwrap().declaration, expected, "{value}");
    }
}

//! The cases C01 to C16 and A01 to A04 of the specification of bad inputs, and
//! the contract that holds for all of them.

use enbu_kifu::{EndKind, Event, Format, GameResult, HeaderKey, KifuError, Mode, Problem, Reading, csa};
use enbu_language::Words;
use enbu_movegen::{Color, EnteringKingRule, HandPiece};

use crate::has_slow_rows;

fn read(text: &str) -> Reading {
    csa::read(text, Mode::Tolerant).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn moves(reading: &Reading) -> String {
    reading.records[0].moves().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// The faults as `line:column problem`.
fn places<'f>(faults: impl IntoIterator<Item = &'f KifuError>) -> Vec<(usize, usize, Problem)> {
    faults.into_iter().map(|fault| (fault.line, fault.column, fault.problem.clone())).collect()
}

#[track_caller]
fn check_warnings(text: &str, expected: &[(usize, usize, Problem)]) -> Reading {
    let reading = read(text);
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    assert_eq!(places(reading.warnings.iter()), expected);
    if let Some((line, column, problem)) = expected.first() {
        let error = csa::read(text, Mode::Strict).unwrap_err();
        assert_eq!((error.line, error.column, &error.problem), (*line, *column, problem));
    }
    reading
}

/// The text must fail, in both modes, at this place.
#[track_caller]
fn check_error(text: &str, line: usize, column: usize, problem: Problem) {
    for mode in [Mode::Tolerant, Mode::Strict] {
        let error = csa::read(text, mode).unwrap_err();
        assert_eq!((error.line, error.column, error.problem), (line, column, problem.clone()), "{mode:?}");
    }
}

/// The moves before the fault are kept, and the fault is the error.
#[track_caller]
fn check_broken(text: &str, kept: &str, line: usize, column: usize, problem: Problem) {
    let reading = read(text);
    assert_eq!(moves(&reading), kept);
    assert_eq!(reading.records[0].end(), None);
    assert_eq!(places(reading.errors.iter()), [(line, column, problem.clone())]);
    assert_eq!(places(&[csa::read(text, Mode::Strict).unwrap_err()]), [(line, column, problem)]);
}

#[test]
fn c01_time_before_any_move() {
    let reading = check_warnings("V2.2\nPI\n+\nT5\n+7776FU\nT1\n", &[(4, 1, Problem::StrayTime)]);
    let record = &reading.records[0];
    let first = record.main_line().next().unwrap();
    assert_eq!((record.node(record.root()).time_ms, record.node(first).time_ms), (None, Some(1000)));
    check_warnings("V2.2\nT5\nPI\n+\n+7776FU\n", &[(2, 1, Problem::StrayTime)]);
}

#[test]
fn c02_move_glued_to_a_comment() {
    check_broken("V2.2\nPI\n+\n+7776FU\n'*thinking -3334FU\n+2726FU\n", "7g7f", 6, 1, Problem::WrongTurn);
}

#[test]
fn c03_the_rest_of_the_set_twice() {
    let reading = check_warnings("V2.2\nP-51OU\nP+00AL\nP+00AL\n+\n", &[(4, 3, Problem::NothingLeft)]);
    assert_eq!(reading.records[0].setup().hands[0].count(HandPiece::Pawn), 18);
    check_error("V2.2\nP-51OU\nP+00AL\nP-00HI\n+\n", 4, 3, Problem::AfterAllPieces);
    check_error("V2.2\nP-51OU\nP+00AL00HI\n+\n", 3, 7, Problem::AfterAllPieces);
    check_error("V2.2\nP-51OU\nP+00AL\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n+\n", 4, 1, Problem::AfterAllPieces);
}

#[test]
fn c04_removing_from_the_even_position() {
    let reading = check_warnings("V2.2\nPI82HI22KA91KY\n-\n", &[]);
    let sfen = "1nsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!(reading.records[0].setup().to_string(), sfen);
    check_error("PI82HI55FU\n-\n", 1, 7, Problem::PieceNotThere);
    check_error("PI82HI82HI\n-\n", 1, 7, Problem::PieceNotThere);
    check_error("PI82KA\n-\n", 1, 3, Problem::PieceNotThere);
    check_error("PI82XX\n-\n", 1, 5, Problem::UnknownPiece);
    check_error("PI00FU\n-\n", 1, 3, Problem::UnknownSquare);
    // What was removed is in the box again.
    let reading = check_warnings("PI82HI\nP+00AL\n-\n", &[]);
    assert_eq!(reading.records[0].setup().hands[0].count(HandPiece::Rook), 1);
}

#[test]
fn c05_several_pieces_in_hand() {
    let reading = check_warnings("P-51OU\nP+59OU00FU00FU00KI\nP+00FU\nP-00HI\n+\n", &[]);
    assert_eq!(reading.records[0].setup().to_string(), "4k4/9/9/9/9/9/9/9/4K4 b G3Pr 1");
    check_error("P+59OU00FU00TO\n+\n", 1, 13, Problem::NotAHandPiece);
    check_error("P+59OU00OU\n+\n", 1, 9, Problem::NotAHandPiece);
    check_error("P+00KIOOFU\n+\n", 1, 7, Problem::UnknownSquare);
    check_error("P+00KI00F\n+\n", 1, 7, Problem::UnknownSquare);
    let rooks = csa::read(&format!("P+{}\n+\n", "00HI".repeat(8)), Mode::Tolerant).unwrap_err();
    assert_eq!((rooks.column, rooks.problem), (31, Problem::HandOverflow));
}

#[test]
fn c06_ranks() {
    let rows = |second: &str| format!("P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n{second}\n+\n");
    let full = "P2 * -HI *  *  *  *  * -KA * ";
    let expected = read(&rows(full)).records[0].setup().clone();
    assert_eq!(expected.to_string(), "lnsgkgsnl/1r5b1/9/9/9/9/9/9/9 b - 1");
    for (row, warnings) in [
        (full.trim_end(), 0),
        ("P2   -HI               -KA   ", 0),
        ("P2 * -HI *  *  *  *  * -KA *    \t", 0),
        ("P2 . -HI . . . . . -KA .", 1),
        ("P2 * -HI * * * * * -KA *", 1),
        ("P2*-HI* * * * *-KA*", 1),
        ("P2 ・-HI ・ ・ ・ ・ ・-KA ・", 1),
        ("P2...-HI...............-KA...", 0),
    ] {
        let reading = read(&rows(row));
        assert_eq!(*reading.records[0].setup(), expected, "{row}");
        assert_eq!(reading.warnings.count(), warnings, "{row}");
    }
    check_error(&rows("P2 * -HI * "), 2, 1, Problem::RankCells);
    check_error(&rows("P2-KY-KE-GI-KI-OU-KI-GI-KE"), 2, 1, Problem::RankCells);
    check_error(&rows("P2-KY-KE-GI-KI-OU-KI-GI-KE-KY-KY"), 2, 1, Problem::RankCells);
    check_error(&rows("P2"), 2, 1, Problem::RankCells);
    // Blanks alone say nothing once they are trimmed.
    check_error(&rows("P2   -HI               -KA"), 2, 1, Problem::RankCells);
    let blank = check_warnings(&rows(&format!("P2{}", " ".repeat(27))), &[]);
    assert_eq!(blank.records[0].setup().to_string(), "lnsgkgsnl/9/9/9/9/9/9/9/9 b - 1");
    check_error(&rows("P2 * -XX *  *  *  *  * -KA * "), 2, 7, Problem::UnknownPiece);
    check_warnings(
        "V2\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP0\nPX\n+\n",
        &[(3, 1, Problem::UnknownStatement), (4, 1, Problem::UnknownStatement)],
    );
}

#[test]
fn c07_moves_before_the_board_or_the_side() {
    check_error("V2.2\n+7776FU\nPI\n+\n", 2, 1, Problem::NoBoard);
    check_error("V2.2\n+\n+7776FU\n", 3, 1, Problem::NoBoard);
    check_error("V2.2\nPI\n+7776FU\n+\n", 3, 1, Problem::NoTurn);
    check_error("V2.2\nPI\n%TORYO\n", 3, 1, Problem::NoTurn);
    check_error("V2.2\nPI\n", 2, 1, Problem::NoTurn);
}

#[test]
fn c08_moves_that_do_not_fit_the_board() {
    let game = |mv: &str| format!("V2.2\nPI\n+\n+7776FU,T1\n{mv}\n%TORYO\n");
    for (mv, column, problem) in [
        ("+2726FU", 1, Problem::WrongTurn),
        ("-5554FU", 2, Problem::EmptyOrigin),
        ("-7675FU", 2, Problem::OpponentsPiece),
        ("-3334KI", 6, Problem::OtherPiece),
        ("-3334TO", 6, Problem::NoPromotion),
        ("-5152GY", 6, Problem::UnknownPiece),
        ("-3304FU", 4, Problem::UnknownSquare),
        ("-33 4FU", 4, Problem::UnknownSquare),
        ("-3334", 1, Problem::MoveSyntax),
        ("-3334FU+", 1, Problem::MoveSyntax),
        ("-3334歩", 1, Problem::MoveSyntax),
        ("-0055FU", 1, Problem::NotInHand),
        ("-9192KY,-1112KY", 9, Problem::WrongTurn),
    ] {
        if mv.contains(',') {
            check_broken(&game(mv), "7g7f 9a9b", 5, column, problem);
            continue;
        }
        check_broken(&game(mv), "7g7f", 5, column, problem);
    }
    check_error("V2.2\nPI\n+\n-3334FU\n", 4, 1, Problem::WrongTurn);
}

#[test]
fn c09_impossible_drops_and_promotions() {
    let setup = "P-51OU\nP+59OU\nP+55HI\nP+00HI\nP-53FU\n+\n";
    for (mv, column, problem) in [
        ("+0055RY", 6, Problem::NotAHandPiece),
        ("+0044RY", 6, Problem::NotAHandPiece),
        ("+0044KA", 1, Problem::NotInHand),
        ("+0055HI", 1, Problem::DestinationTaken),
        ("+5554RY", 6, Problem::NoPromotion),
        ("+5555HI", 4, Problem::NoMovement),
        ("+5959OU", 4, Problem::NoMovement),
        ("+5151KI", 2, Problem::OpponentsPiece),
    ] {
        check_error(&format!("V2.2\n{setup}{mv}\n"), 8, column, problem);
    }
    assert_eq!(moves(&read(&format!("V2.2\n{setup}+5553RY\n"))), "5e5c+");
}

#[test]
fn c10_ends_and_winners() {
    use EndKind::*;
    let (black, white, draw) = (Some(GameResult::BlackWins), Some(GameResult::WhiteWins), Some(GameResult::Draw));
    // Black is to move.
    for (word, kind, result) in [
        ("TORYO", Resign, white),
        ("CHUDAN", Abort, None),
        ("SENNICHITE", Repetition, draw),
        ("TIME_UP", TimeUp, white),
        ("ILLEGAL_MOVE", IllegalMove, white),
        ("+ILLEGAL_ACTION", IllegalAction(Color::Black), white),
        ("-ILLEGAL_ACTION", IllegalAction(Color::White), black),
        ("JISHOGI", Impasse, draw),
        ("KACHI", DeclarationWin, black),
        ("HIKIWAKE", DeclarationDraw, draw),
        ("MAX_MOVES", MaxMoves, draw),
        ("MATTA", TakeBack, None),
        ("TSUMI", Mate, white),
        ("FUZUMI", NoMate, None),
        ("ERROR", Error, None),
        ("FOO_BAR", Other("FOO_BAR".to_owned()), None),
    ] {
        let text = format!("'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\n-3334FU\n%{word}\nT2\n");
        let reading = check_warnings(&text, &[]);
        let record = &reading.records[0];
        let end = record.end().unwrap();
        assert_eq!((&end.kind, end.result), (&kind, result), "{word}");
        assert_eq!(record.node(record.main_line().last().unwrap()).time_ms, Some(2000));
    }
    assert_eq!(csa::read("PI\n+\n%FOO\n", Mode::Strict).unwrap_err().problem, Problem::UnknownEnd);
}

#[test]
fn a_foul_stays_as_the_last_move() {
    // Nifu by Black.
    let setup = "P-51OU\nP+59OU\nP+57FU\nP+00FU\n+\n";
    for (word, kind) in
        [("ILLEGAL_MOVE", EndKind::IllegalMove), ("+ILLEGAL_ACTION", EndKind::IllegalAction(Color::Black))]
    {
        let reading = check_warnings(&format!("V2.2\n{setup}+0055FU\n%{word}\n"), &[]);
        let record = &reading.records[0];
        let last = record.main_line().next().unwrap();
        assert_eq!(record.node(last).event(), &Event::Foul("P*5e".parse().unwrap()));
        assert_eq!(record.end().map(|end| (&end.kind, end.result)), Some((&kind, Some(GameResult::WhiteWins))));
    }
    // In the middle of a game it is warned of, and play goes on.
    let text = format!("V2.2\n{setup}+0055FU\n-5142OU\n+5554FU\n%TORYO\n");
    let reading = check_warnings(&text, &[(7, 1, Problem::IllegalMove)]);
    assert_eq!(moves(&reading), "P*5e 5a4b 5e5d");
}

#[test]
fn c11_times() {
    let time = |statement: &str, version: &str| {
        let reading = read(&format!("'CSA encoding=UTF-8\n{version}\nPI\n+\n+7776FU,{statement}\n-3334FU\n"));
        let record = &reading.records[0];
        assert_eq!(record.moves().count(), 2, "{statement}");
        let first = record.main_line().next().unwrap();
        (record.node(first).time_ms, reading.warnings.first().map(|warning| warning.problem.clone()))
    };
    assert_eq!(time("T12", "V2.2"), (Some(12_000), None));
    assert_eq!(time("T0.5", "V3.0"), (Some(500), None));
    assert_eq!(time("T6.123", "V3.0"), (Some(6123), None));
    assert_eq!(time("T0.5", "V2.2"), (Some(500), Some(Problem::WrongVersion)));
    assert_eq!(time("T99999999999999999999", "V3.0"), (Some(u64::MAX), Some(Problem::TimeValue)));
    for bad in ["T-1", "T", "T1e3", "Tx", "T1.2.3", "T１"] {
        assert_eq!(time(bad, "V3.0"), (None, Some(Problem::TimeValue)), "{bad}");
    }
    check_warnings("V2\nPI\n+\n+7776FU,T1,T2\n", &[(4, 12, Problem::StrayTime)]);
}

#[test]
fn c12_several_games() {
    let one = "PI\n+\n+7776FU\n%TORYO\n";
    for (text, games) in [
        (format!("V2.2\n{one}/\n{one}"), 2),
        (format!("V2.2\n{one}/\n{one}/\n"), 2),
        (format!("/\n/\nV2.2\n{one}/\n/\n'comment\n/\n{one}/\n"), 2),
        (format!("V2.2\nN+a/b\n'/\n'*/\n{one}/ \nV2.2\n{one}"), 2),
    ] {
        assert_eq!(check_warnings(&text, &[]).records.len(), games, "{text}");
    }
    // A damaged game does not take the next one with it.
    let reading = read(&format!("V2.2\nPI\n+\n-3334FU\n+7776FU\n/\n{one}/\nPI\n+\n+2726FU\n-2222FU\n%TORYO\n"));
    assert_eq!(reading.records.len(), 2);
    assert_eq!(places(reading.errors.iter()), [(4, 1, Problem::WrongTurn), (15, 4, Problem::NoMovement)]);
    // Joined without a separator.
    assert_eq!(read(&format!("V2.2\n{one}V2.2\n{one}")).records.len(), 2);
}

#[test]
fn c13_headers_after_the_moves() {
    let reading = check_warnings(
        "V2.2\nPI\n+\n+7776FU\n%TORYO\n$END_TIME:2026/11/20 12:00:00\n",
        &[(6, 1, Problem::OutOfPlace(Words("header", "ヘッダー")))],
    );
    assert_eq!(reading.records[0].headers.value(&HeaderKey::EndTime), Some("2026/11/20 12:00:00"));
}

#[test]
fn c14_statements_joined_by_commas() {
    let reading = check_warnings("V2.2,PI,+\n+7776FU,T12,'* 30, and more, +2726FU\n-3334FU , T3\n", &[]);
    let record = &reading.records[0];
    assert_eq!(moves(&reading), "7g7f 3c3d");
    let line: Vec<_> = record.main_line().map(|id| record.node(id)).collect();
    assert_eq!(line[0].remarks().comments, [" 30, and more, +2726FU"]);
    assert_eq!((line[0].time_ms, line[1].time_ms), (Some(12_000), Some(3000)));
    let reading = check_warnings("V2.2,N+a,N-b\n$EVENT:c,PI\nPI,+\n", &[]);
    assert_eq!(reading.records[0].headers.value(&HeaderKey::BlackName), Some("a,N-b"));
    assert_eq!(reading.records[0].headers.value(&HeaderKey::Event), Some("c,PI"));
    // The column of a fault counts from the start of the line.
    check_broken("PI,+\n+7776FU, -5554FU\n", "7g7f", 2, 11, Problem::EmptyOrigin);
}

#[test]
fn c15_headers_of_other_versions() {
    let reading = check_warnings(
        "V2.2\n$MAX_MOVES:320\n$JISHOGI:27\n$TIME:900+0+5\n$NOTE:a\\nb\nPI\n+\n",
        &[2, 3, 4, 5].map(|line| (line, 2, Problem::WrongVersion)),
    );
    let record = &reading.records[0];
    assert_eq!(record.rules.max_moves, Some(320));
    assert_eq!(record.rules.entering_king, Some(EnteringKingRule::Csa27));
    assert_eq!(record.rules.time.map(|time| time.map(|time| time.increment_ms)), [Some(5000); 2]);
    assert_eq!(record.headers.value(&HeaderKey::Note), Some("a\nb"));
    let reading =
        check_warnings("'CSA encoding=UTF-8\nV3.0\n$TIME_LIMIT:00:25+00\nPI\n+\n", &[(3, 2, Problem::WrongVersion)]);
    assert_eq!(reading.records[0].rules.time[0].map(|time| time.main_ms), Some(1_500_000));
    check_warnings("V4.0\nPI\n+\n", &[(1, 1, Problem::UnknownVersion)]);
}

#[test]
fn bad_headers_are_dropped_one_by_one() {
    let text = "'CSA encoding=UTF-8\nV3.0\n$TIME:x\n$MAX_MOVES:-1\n$JISHOGI:25\n$FOO\n$:x\nN=x\nfoo\n$MAX_MOVES:99999999999\nPI\n+\n";
    let reading = read(text);
    assert_eq!(places(reading.warnings.iter()).iter().map(|place| place.0).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(reading.warnings.first().map(|warning| (warning.column, warning.text.as_str())), Some((7, "x")));
    assert_eq!(reading.records[0].rules.max_moves, Some(u32::MAX));
    assert!(reading.records[0].headers.is_empty());
}

#[test]
fn c16_positions_of_single_pieces() {
    for (text, sfen) in [
        ("P+53FU\nP-51OU\n+\n", "4k4/9/4P4/9/9/9/9/9/9 b - 1"),
        ("P+53FU00KI\nP-00FU\n-\n", "9/9/4P4/9/9/9/9/9/9 w Gp 1"),
        ("P-51OU\nP+53TO\nP-00AL\n+\n", "4k4/9/4+P4/9/9/9/9/9/9 b 2r2b4g4s4n4l17p 1"),
        ("P+\nP-\n+\n", "9/9/9/9/9/9/9/9/9 b - 1"),
    ] {
        assert_eq!(check_warnings(text, &[]).records[0].setup().to_string(), sfen, "{text}");
    }
    let warnings = [(2, 3, Problem::SquareTaken)];
    assert_eq!(
        check_warnings("P+53FU\nP-53KY\n+\n", &warnings).records[0].setup().to_string(),
        "9/9/4l4/9/9/9/9/9/9 b - 1"
    );
    // More than a set has: read, but strict mode minds.
    let three_rooks = "P+11HI22HI33HI\n+\n";
    assert_eq!(check_warnings(three_rooks, &[]).records.len(), 1);
    assert_eq!(csa::read(three_rooks, Mode::Strict).unwrap_err().problem, Problem::MoreThanASet);
}

#[test]
fn a01_nothing_to_read() {
    let noise: Vec<u8> = (0u32..65_536).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [&b""[..], b"\n", b"\r\n\r\n", &[0; 65_536], &noise, b"hello, world\n", b"'comment\n", b"V2.2\n"] {
        let error = Format::Csa.read_bytes(bytes, Mode::Tolerant).unwrap_err();
        assert_eq!(error.problem, Problem::NoRecord, "{error}");
    }
}

#[test]
fn headers_alone_are_a_game_without_moves() {
    let reading = check_warnings("V2.2\nN+a\nN-b\n", &[(3, 1, Problem::NoBoard)]);
    assert_eq!(*reading.records[0].setup(), enbu_movegen::Setup::startpos());
}

/// Each of these took minutes with a reader that looked at its input twice over.
#[test]
fn a03_large_input_of_every_shape() {
    let size = if has_slow_rows() { 1 << 20 } else { 1 << 17 };
    let rooks = "+2838HI,-8272HI,+3828HI,-7282HI,";
    let bishops = "+8878KA,-2232KA,+7888KA,-3222KA,";
    let pv = "'** 1 +7776FU -3334FU +2726FU -8384FU #1\n";
    for (head, unit, records) in [
        ("", "x", None),
        ("", ",", None),
        ("", "\n", None),
        ("P+", "11FU", None),
        ("P1", "-KY", None),
        ("T", "9", None),
        ("PI,+\n", rooks, Some(1)),
        ("PI,+\n", bishops, Some(1)),
        ("PI\n+\n", pv, Some(1)),
        ("PI\n+\n", "'** 1\n", Some(1)),
        ("PI\n+\n'** 1", " +7776FU -3334FU", Some(1)),
        ("PI\n+\n", "'*\n", Some(1)),
        ("PI\n+\n", "T\n", Some(1)),
        ("PI\n+\n+7776FU", "\n%A", Some(1)),
        ("$NOTE:", "\\n", Some(1)),
        ("", "PI\n+\n/\n", Some(size / 7)),
        ("", "N+\n/\n", Some(1)),
    ] {
        let text = format!("{head}{}", unit.repeat((size - head.len()) / unit.len()));
        let reading = Format::Csa.read_bytes(text.as_bytes(), Mode::Tolerant).ok();
        assert_eq!(reading.map(|reading| reading.records.len()), records, "{head:?} {unit:?}");
    }
}

#[test]
fn a04_utf16() {
    let text = "\u{feff}V2.2\r\nN+先手\r\nPI\r\n+\r\n+7776FU\r\n";
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        let reading = Format::Csa.read_bytes(&bytes, Mode::Strict).unwrap();
        assert_eq!(moves(&reading), "7g7f");
        assert_eq!(reading.records[0].headers.value(&HeaderKey::BlackName), Some("先手"));
    }
}

#[test]
fn line_ends_and_blanks_do_not_matter() {
    let lines = ["V2.2", "N+a", "PI", "+", "+7776FU", "T1", "-3334FU", "%TORYO"];
    let plain = read(&lines.join("\n"));
    for end in ["\n", "\r\n", "\r", "\n\n", " \t\n", "\u{3000}\r\n", "\r\n\n\r"] {
        for tail in ["", "\u{1a}", "\0"] {
            let text = format!("{}{end}{tail}", lines.join(end));
            let reading =
                Format::Csa.read_bytes(text.as_bytes(), Mode::Strict).unwrap_or_else(|error| panic!("{end:?} {error}"));
            assert_eq!(reading.records, plain.records, "{end:?}");
        }
    }
}

//! Dialects of programs beyond the corpus of files: one line for each dialect, and the
//! game that it tells.

use enbu_kifu::{Encoding, Mode, Reading, read_any, usi};

/// Reads a text of any format, and expects these games and no damage.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_bytes(text.as_bytes(), expected);
}

#[track_caller]
fn check_bytes(bytes: &[u8], expected: &str) {
    let shown = String::from_utf8_lossy(bytes);
    let (_, reading) = read_any(bytes, Mode::Tolerant).unwrap_or_else(|error| panic!("{error}\n{shown}"));
    assert!(reading.errors.is_empty(), "{:?}\n{shown}", reading.errors);
    assert_eq!(lines(&reading), expected, "{shown}");
}

fn lines(reading: &Reading) -> String {
    let lines: Vec<String> = reading.records.iter().map(|record| usi::write(record, usi::Ends::Words)).collect();
    lines.join(" | ")
}

/// Three moves: 7g7f 3c3d 8h2b+.
const KIF: &str = "手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n";
const PLAYED: &str = "startpos moves 7g7f 3c3d 8h2b+";

#[test]
fn words_for_ends_in_kif() {
    for (word, end) in [
        ("投了", "resign winner=black"),
        ("中断", "abort winner=none"),
        ("千日手", "sennichite winner=draw"),
        ("持将棋", "jishogi winner=draw"),
        ("詰み", "mate winner=black"),
        ("詰", "mate winner=black"),
        ("不詰", "no_mate winner=none"),
        ("切れ負け", "time_up winner=black"),
        ("反則勝ち", "illegal_action_black winner=white"),
        ("反則負け", "illegal_move winner=black"),
        ("入玉勝ち", "declaration_win winner=white"),
        ("入玉宣言", "declaration_win winner=white"),
        ("不戦勝", "win_by_default winner=white"),
        ("不戦敗", "lose_by_default winner=black"),
        ("封じ手", "other:封じ手 winner=none"),
        ("最大手数", "max_moves winner=draw"),
        ("トライ", "other:トライ winner=none"),
        ("引き分け", "declaration_draw winner=draw"),
        ("勝ち宣言", "declaration_win winner=white"),
    ] {
        check(&format!("{KIF}   4 {word}     ( 0:05/00:00:05)\n"), &format!("{PLAYED} end={end}"));
    }
}

#[test]
fn result_lines_in_kif_and_ki2() {
    for (line, end) in [
        ("まで3手で先手の勝ち", "resign winner=black"),
        ("まで、3手で先手の勝ち", "resign winner=black"),
        ("まで三手で先手の勝ち", "resign winner=black"),
        ("まで３手にて先手の勝ち。", "resign winner=black"),
        ("まで3手で下手の勝ち", "resign winner=black"),
        ("まで3手で後手の投了", "resign winner=black"),
        ("まで3手で時間切れにより先手の勝ち", "time_up winner=black"),
        ("まで3手で後手の切れ負け", "time_up winner=black"),
        ("まで3手で先手の時間切れ勝ち", "time_up winner=black"),
        ("まで3手で後手の反則負け", "illegal_move winner=black"),
        ("まで3手で先手の反則負け", "illegal_action_black winner=white"),
        ("まで3手で千日手", "sennichite winner=draw"),
        ("まで3手で持将棋", "jishogi winner=draw"),
        ("まで3手で中断", "abort winner=none"),
        ("まで3手で入玉勝ち", "declaration_win winner=white"),
        ("まで3手で先手の入玉勝ち", "declaration_win winner=black"),
        ("まで3手で不詰", "no_mate winner=none"),
        ("まで3手で最大手数", "max_moves winner=draw"),
        ("まで3手で封じ手", "other:封じ手 winner=none"),
    ] {
        check(&format!("{KIF}{line}\n"), &format!("{PLAYED} end={end}"));
        check(&format!("▲７六歩 △３四歩 ▲２二角成\n{line}\n"), &format!("{PLAYED} end={end}"));
    }
}

#[test]
fn handicaps_by_their_names() {
    for (name, position) in [
        ("飛車落ち", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("飛香落ち", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("右香落ち", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("十枚落ち", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("九枚落ち", "4kg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
        ("裸玉", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("トンボ", "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("トンボ＋香", "l3k3l/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("二枚得", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1"),
        ("２枚落ち　", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ] {
        let text = format!("手合割：{name}\n手数----\n   1 ６二玉(51)\n");
        check(&text, &format!("sfen {position} moves 5a6b end=unfinished winner=none"));
    }
    // The gold on 6a moves, so that on 4a was given.
    check(
        "手合割：九枚落ち\n手数----\n   1 ６二金(61)\n",
        "sfen 3gk4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 6a6b end=unfinished winner=none",
    );
}

#[test]
fn moves_of_kif_and_ki2_in_every_spelling() {
    for text in [
        "   1 ▼７六歩(77)\n   2 ▽３四歩(33)\n   3 ☗２二角(88)成\n",
        "1 七六歩(77)\n2 三四歩（33）\n3 22角成(８８)\n",
        "１ ７六歩(77) ( 0:00/)\n２ ３四歩 (1:02:03/1:02:03)\n３ ２二角成+\n",
        "1. ７六歩(77)\n2．３四歩(33)\n3. ２二角成(88)\n",
        "1.備考：値\n手数----指手---\n1. ７六歩(77)\n2．３四歩(33)\n3. ２二角成(88)\n",
        "▽７六歩 ▼３四歩 ▽２二角成\n",
        "７六歩　３四歩　２二角成\n",
        "▲７六歩(77) △３四歩(33)\n*comment\n▲２二角成(88)\n",
        "▲７六歩△３四歩\n&bookmark\n▲２二角右上成\n",
    ] {
        check(text, &format!("{PLAYED} end=unfinished winner=none"));
        for encoding in [Encoding::EucJp, Encoding::Iso2022Jp, Encoding::ShiftJis] {
            if let Some(bytes) = encoding.encode(&text.replace('\n', "\r\n")) {
                check_bytes(&bytes, &format!("{PLAYED} end=unfinished winner=none"));
            }
        }
    }
}

/// The examples by which the Japan Shogi Association explains its words.
#[test]
fn words_of_the_association() {
    for (pieces, hand, mv, expected) in [
        (&["91龍", "84龍"][..], "", "８二龍引", "9a8b"),
        (&["91龍", "84龍"], "", "８二龍上", "8d8b"),
        (&["52龍", "23龍"], "", "４三龍寄", "2c4c"),
        (&["52龍", "23龍"], "", "４三龍引", "5b4c"),
        (&["55龍", "15龍"], "", "３五龍左", "5e3e"),
        (&["55龍", "15龍"], "", "３五龍右", "1e3e"),
        (&["28龍", "19龍"], "", "１七龍左", "2h1g"),
        (&["28龍", "19龍"], "", "１七龍右", "1i1g"),
        (&["91馬", "81馬"], "", "８二馬左", "9a8b"),
        (&["91馬", "81馬"], "", "８二馬右", "8a8b"),
        (&["95馬", "63馬"], "", "８五馬寄", "9e8e"),
        (&["95馬", "63馬"], "", "８五馬引", "6c8e"),
        (&["11馬", "34馬"], "", "１二馬引", "1a1b"),
        (&["11馬", "34馬"], "", "１二馬上", "3d1b"),
        (&["47馬", "18馬"], "", "２九馬左", "4g2i"),
        (&["47馬", "18馬"], "", "２九馬右", "1h2i"),
        (&["92金", "72金"], "", "８一金左", "9b8a"),
        (&["92金", "72金"], "", "８一金右", "7b8a"),
        (&["43金", "22金"], "", "３二金上", "4c3b"),
        (&["43金", "22金"], "", "３二金寄", "2b3b"),
        (&["49金", "59金", "39金"], "", "４八金直", "4i4h"),
        (&["49金", "59金", "39金"], "", "４八金左", "5i4h"),
        (&["79と", "89と", "98と", "87と", "99と"], "", "８八と左上", "9i8h"),
        (&["79と", "89と", "98と", "87と", "99と"], "", "８八と直", "8i8h"),
        (&["79と", "89と", "98と", "87と", "99と"], "", "８八と左寄", "9h8h"),
        (&["79と", "89と", "98と", "87と", "99と"], "", "８八と引", "8g8h"),
        (&["39銀", "29銀", "37銀", "17銀"], "", "２八銀左引", "3g2h"),
        (&["39銀", "29銀", "37銀", "17銀"], "", "２八銀右", "1g2h"),
        (&["68金"], "金", "６七金打", "G*6g"),
        (&["68金"], "金", "６七金", "6h6g"),
        (&["68金"], "金", "４四金", "G*4d"),
    ] {
        let text = format!("{}▲{mv}\n", board(pieces, hand));
        let (_, reading) = read_any(text.as_bytes(), Mode::Strict).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let moves: Vec<String> = reading.records[0].moves().map(|mv| mv.to_string()).collect();
        assert_eq!(moves, [expected], "{text}");
        let written = enbu_kifu::Format::Ki2.write(&reading.records[..1], enbu_kifu::WriteOptions::default());
        let again = read_any(written.as_bytes(), Mode::Strict).unwrap().1;
        assert_eq!(again.records[0].moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), [expected], "{written}");
    }
}

/// A board with these pieces of Black, and kings where they are out of the way.
fn board(pieces: &[&str], hand: &str) -> String {
    let mut text = format!("先手の持駒：{hand}\n");
    for rank in 1..=9 {
        text.push('|');
        for file in (1..=9).rev() {
            let place = format!("{file}{rank}");
            match pieces.iter().find_map(|piece| piece.strip_prefix(place.as_str())) {
                Some(name) => text.push_str(&format!(" {name}")),
                None if place == "51" => text.push_str("v玉"),
                None => text.push_str(" ・"),
            }
        }
        text.push_str("|\n");
    }
    text
}

#[test]
fn special_moves_of_csa() {
    for (word, end) in [
        ("TORYO", "resign winner=white"),
        ("CHUDAN", "abort winner=none"),
        ("SENNICHITE", "sennichite winner=draw"),
        ("TIME_UP", "time_up winner=white"),
        ("ILLEGAL_MOVE", "illegal_move winner=white"),
        ("+ILLEGAL_ACTION", "illegal_action_black winner=white"),
        ("-ILLEGAL_ACTION", "illegal_action_white winner=black"),
        ("JISHOGI", "jishogi winner=draw"),
        ("KACHI", "declaration_win winner=black"),
        ("HIKIWAKE", "declaration_draw winner=draw"),
        ("MAX_MOVES", "max_moves winner=draw"),
        ("MATTA", "other:MATTA winner=none"),
        ("TSUMI", "mate winner=white"),
        ("FUZUMI", "no_mate winner=none"),
        ("ERROR", "error winner=none"),
        ("FOO_BAR", "other:FOO_BAR winner=none"),
    ] {
        check(
            &format!("V3.0\nPI\n+\n+7776FU\n-3334FU\n%{word}\nT1.5\n"),
            &format!("startpos moves 7g7f 3c3d end={end}"),
        );
        let jkf = format!("{{\"moves\":[{{}},{A},{B},{{\"special\":\"{word}\"}}]}}");
        check(&jkf, &format!("startpos moves 7g7f 3c3d end={end}"));
    }
}

const A: &str = r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}"#;
const B: &str = r#"{"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}}"#;

#[test]
fn summaries_of_floodgate() {
    let head = "V2\nN+AAA\nN-BBB\n'Max_Moves:256\n$EVENT:x\nPI\n'black_rate:AAA:2000.0\n+\n+7776FU\nT1\n'** 30 -3334FU\n-3334FU\nT2\n";
    for (tail, end) in [
        ("%TORYO\n'summary:toryo:AAA lose:BBB win\n", "resign winner=white"),
        ("'summary:max_moves:AAA draw:BBB draw\n", "max_moves winner=draw"),
        ("%SENNICHITE\n'summary:sennichite:AAA draw:BBB draw\n", "sennichite winner=draw"),
        ("'summary:oute_sennichite:AAA win:BBB lose\n", "illegal_action_white winner=black"),
        ("%TIME_UP\n'summary:time up:AAA lose:BBB win\n", "time_up winner=white"),
        ("%KACHI\n'summary:kachi:AAA win:BBB lose\n", "declaration_win winner=black"),
        ("'ILLEGAL_MOVE(+5555FU)\n'summary:illegal move:AAA lose:BBB win\n", "illegal_move winner=white"),
        ("'summary:illegal kachi:AAA lose:BBB win\n", "illegal_move winner=white"),
        ("'summary:uchifuzume:AAA lose:BBB win\n", "illegal_move winner=white"),
        ("'summary:abnormal:AAA lose:BBB win\n", "abort winner=white"),
    ] {
        let text = format!("{head}{tail}'$END_TIME:2026/11/20 12:10:00\n");
        check(&text, &format!("startpos moves 7g7f 3c3d end={end}"));
    }
}

#[test]
fn positions_of_csa() {
    const END: &str = "end=unfinished winner=none";
    for (text, expected) in [
        ("PI82HI22KA11KY\n-\n", "sfen lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("P-22KA51OU\nP+99KY89KE59OU\nP+00KI00FU\nP-00AL\n+\n", "sfen 4k4/7b1/9/9/9/9/9/9/LN2K4 b GP2rb3g4s3n3l17p 1"),
        ("P+59OU\nP-51OU\nP+00AL\n-\n", "sfen 4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1"),
        ("P1 * * * * -OU * * * *\nP9 *  *  *  * +OU *  *  *  *\nP+\nP-\n+\n", "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1"),
        // V3.0, 2.6 (5): without a position the board is empty.
        ("V2.2\n+\n", "sfen 9/9/9/9/9/9/9/9/9 b - 1"),
        (
            "PI\n+\n/\nPI\n-\n/\n",
            "startpos end=unfinished winner=none | sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        ),
    ] {
        check(text, &format!("{expected} {END}"));
    }
}

#[test]
fn notations_of_pgn() {
    for moves in [
        "1. Pc3-c4 Pg7-g6 2. Bb2xh8=H",
        "1. Pc3c4 Pg7g6 2. Bb2h8+",
        "1. c3c4 g7g6 2. b2h8+",
        "1. 7g7f 3c3d 2. 8h2b+",
        "1. P-76 P-34 2. Bx22+",
        "1. P-7f P-3d 2. Bx2b+",
        "1.P76 2.P34 3.Bx22+",
        "1. P7f P3d 2. B88x2b+",
        "1 Pc4 Pg6 2 . Bxh8+",
        "1. 歩-76 歩-34 2. 角x22+",
        "1. ☗７六歩 ☖３四歩 2. ☗２二角成",
    ] {
        check(&format!("[Variant \"Shogi\"]\n\n{moves} *\n"), &format!("{PLAYED} end=unfinished winner=none"));
    }
}

/// The first game does not say that it ends; its `=H` is nothing to the second one.
#[test]
fn each_game_of_pgn_tells_what_its_own_plus_means() {
    let text = "[Event \"a\"]\n\n1. Pc4 Pg6 2. Bxh8=H\n\n[Event \"b\"]\n\n1. Pc4 Pg6 2. Bxh8+\n";
    let played = format!("{PLAYED} end=unfinished winner=none");
    check(text, &format!("{played} | {played}"));
}

#[test]
fn terminations_of_pgn() {
    for (termination, result, end) in [
        ("normal", "0-1", "resign winner=white"),
        ("Time forfeit", "1-0", "time_up winner=black"),
        ("rules infraction", "0-1", "illegal_move winner=white"),
        ("illegal move", "1-0", "illegal_action_white winner=black"),
        ("abandoned", "1-0", "abort winner=black"),
        ("stalled connection", "1-0", "abort winner=black"),
        ("adjudication", "1/2-1/2", "other:1/2-1/2 winner=draw"),
        ("unterminated", "*", "unfinished winner=none"),
    ] {
        let text = format!(
            "[Result \"{result}\"]\n[Variant \"Shogi\"]\n[Termination \"{termination}\"]\n\n1. Pc4 Pg6 {result}\n"
        );
        check(&text, &format!("startpos moves 7g7f 3c3d end={end}"));
    }
}

#[test]
fn forms_of_jkf() {
    for text in [
        format!("[{{\"header\":{{}},\"moves\":[{{}},{A},{B}]}}]"),
        format!("{{\"moves\":[{A},{B}]}}"),
        format!("{{\"header\":null,\"initial\":null,\"moves\":[{{\"comments\":null}},{A},{B}]}}"),
    ] {
        check(&text, "startpos moves 7g7f 3c3d end=unfinished winner=none");
    }
    let shared = r#"{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"special":"TORYO"}"#;
    check(&format!("{{\"moves\":[{A},{shared}]}}"), "startpos moves 7g7f 3c3d end=resign winner=white");
    let drop = r#"{"move":{"from":{"x":0,"y":0},"to":{"x":5,"y":2},"piece":"KI"}}"#;
    let board = format!("{:?}", vec![vec!["{}"; 9]; 9]).replace('"', "");
    check(
        &format!(
            "{{\"initial\":{{\"preset\":\"OTHER\",\"data\":{{\"color\":0,\"board\":{board},\"hands\":[{{\"KI\":1}}]}}}},\"moves\":[{drop}]}}"
        ),
        "sfen 9/9/9/9/9/9/9/9/9 b G 1 moves G*5b end=unfinished winner=none",
    );
}

/// A variation that is numbered beyond the end of the line before it.
#[test]
fn variations_branch_off_from_the_latest_line_that_can_hold_them() {
    let text = format!(
        "{KIF}   4 投了\n\n変化：3手\n   3 ２六歩(27)\n   4 ８四歩(83)\n   5 ２五歩(26)\n   6 ８五歩(84)\n   7 ７八金(69)\n\n\
         変化：5手\n   5 ５六歩(57)\n\n変化：7手\n   7 ９六歩(97)\n\n変化：4手\n   4 ５四歩(53)\n\n変化：1手\n   1 ２六歩(27)\n\n変化：9手\n   9 １六歩(17)\n"
    );
    let (_, reading) = read_any(text.as_bytes(), Mode::Tolerant).unwrap();
    let record = &reading.records[0];
    let after = |line: &[&str]| {
        let mut at = record.root();
        for text in line {
            let next = record
                .children(at)
                .find(|&id| record.node(id).event().played().is_some_and(|mv| mv.to_string() == *text));
            at = next.unwrap_or_else(|| panic!("{text} of {line:?}"));
        }
        record
            .children(at)
            .filter_map(|id| record.node(id).event().played())
            .map(|mv| mv.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(after(&[]), ["7g7f", "2g2f"]);
    assert_eq!(after(&["7g7f", "3c3d"]), ["8h2b+", "2g2f"]);
    assert_eq!(after(&["7g7f", "3c3d", "2g2f"]), ["8c8d", "5c5d"]);
    assert_eq!(after(&["7g7f", "3c3d", "2g2f", "8c8d"]), ["2f2e", "5g5f"]);
    assert_eq!(after(&["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"]), ["6i7h", "9g9f"]);
    assert_eq!(reading.warnings.count(), 1, "only the ninth move has no place");
    // A line that goes on where the main line was resigned.
    let text = format!("{KIF}   4 投了\n\n変化：4手\n   4 同　銀(31)\n");
    let (_, reading) = read_any(text.as_bytes(), Mode::Strict).unwrap();
    let last = reading.records[0].main_line().nth(2).unwrap();
    assert_eq!(reading.records[0].children(last).count(), 2);
}

/// A damaged line costs only itself.
#[test]
fn variations_after_a_damage_are_kept() {
    let text = format!(
        "{KIF}   4 ５五歩(54)\n   5 ２六歩(27)\n\n変化：3手\n   3 ２六歩(27)\n   4 ９九象(11)\n\n変化：2手\n   2 ８四歩(83)\n"
    );
    let (_, reading) = read_any(text.as_bytes(), Mode::Tolerant).unwrap();
    let record = &reading.records[0];
    assert_eq!((reading.errors.count(), reading.records.len()), (2, 1));
    assert_eq!(record.moves().count(), 3);
    let first = record.main_line().next().unwrap();
    assert_eq!(record.children(first).count(), 2);
}

//! The cases K01 to K24, B01 to B06, J01 to J05, S01 to S05, P01 to P11 and A01 to
//! A04 of the specification of bad inputs; those of CSA stand in `csa_bad_inputs.rs`.

use enbu_kifu::{Encoding, EndKind, Event, Format, HeaderKey, Mode, Problem, Reading, Record, read_any, usi};

use crate::has_slow_rows;

fn read(format: Format, text: &str) -> Reading {
    format.read_bytes(text.as_bytes(), Mode::Tolerant).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn moves(record: &Record) -> String {
    record.moves().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

fn end(record: &Record) -> String {
    usi::end_word(record.end())
}

/// Reads a text that has nothing wrong with it.
#[track_caller]
fn good(format: Format, text: &str) -> Record {
    let reading = read(format, text);
    assert!(reading.errors.is_empty(), "{:?}\n{text}", reading.errors);
    assert!(reading.warnings.is_empty(), "{:?}\n{text}", reading.warnings);
    assert!(format.read(text, Mode::Strict).is_ok());
    reading.records.into_iter().next().unwrap()
}

/// Reads a text that is odd, but does no harm; strict mode takes it as an error.
#[track_caller]
fn odd(format: Format, text: &str) -> Record {
    let reading = read(format, text);
    assert!(reading.errors.is_empty(), "{:?}\n{text}", reading.errors);
    assert!(!reading.warnings.is_empty(), "{text}");
    assert!(format.read_bytes(text.as_bytes(), Mode::Strict).is_err(), "{text}");
    reading.records.into_iter().next().unwrap()
}

/// The game breaks off at this line; what came before is kept.
#[track_caller]
fn broken(format: Format, text: &str, kept: &str, line: usize) -> Problem {
    match format.read(text, Mode::Tolerant) {
        Ok(reading) => {
            assert_eq!(moves(&reading.records[0]), kept, "{text}");
            let error = reading.errors.first().unwrap_or_else(|| panic!("no error\n{text}"));
            assert_eq!(error.line, line, "{error}\n{text}");
            error.problem.clone()
        }
        Err(error) => {
            assert_eq!((kept, error.line), ("", line), "{error}\n{text}");
            error.problem
        }
    }
}

fn kif(moves: &str) -> String {
    format!("手合割：平手\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n{moves}")
}

const TWO: &str = "   1 ７六歩(77)\n   2 ３四歩(33)\n";

#[test]
fn k01_k02_ends_of_lines_and_of_the_file() {
    for text in [
        kif(TWO.trim_end()),
        kif(&TWO.replace('\n', " \t\u{3000}\n")),
        kif(TWO).replace('\n', "\r\n"),
        kif(TWO).replace('\n', "\r"),
    ] {
        assert_eq!(moves(&good(Format::Kif, &text)), "7g7f 3c3d");
    }
}

#[test]
fn k03_k04_encodings() {
    assert_eq!(moves(&good(Format::Kif, &kif(TWO))), "7g7f 3c3d");
    assert_eq!(read(Format::Kif, &format!("\u{feff}{}", kif(TWO))).warnings.count(), 0);
    assert_eq!(read(Format::Kif, &format!("\u{feff}\u{feff}{}", kif(TWO))).warnings.count(), 1);
    let sjis = |text: &str| Encoding::ShiftJis.encode(text).unwrap();
    let (format, reading) = read_any(&sjis(&kif(TWO)), Mode::Strict).unwrap();
    assert_eq!((format, reading.warnings.count()), (Format::Kif, 0));
    let lying = sjis(&format!("#KIF version=2.0 encoding=UTF-8\n{}", kif(TWO)));
    let (_, reading) = read_any(&lying, Mode::Tolerant).unwrap();
    assert_eq!((moves(&reading.records[0]).as_str(), reading.warnings.count()), ("7g7f 3c3d", 1));
}

#[test]
fn k05_handicaps_that_nobody_knows() {
    let board = "|v玉 ・ ・ ・ ・ ・ ・ ・ ・|\n".to_owned() + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(8);
    for name in ["詰将棋", "青空将棋", "その他"] {
        let record = good(Format::Kif, &format!("手合割：{name}\n{board}先手の持駒：飛\n手数----\n   1 ８一飛打\n"));
        assert_eq!(
            (record.setup().to_string().as_str(), moves(&record).as_str()),
            ("k8/9/9/9/9/9/9/9/9 b R 1", "R*8a")
        );
        // Without a board it is an even game, but never silently.
        let reading = read(Format::Kif, &format!("手合割：{name}\n{TWO}"));
        assert_eq!((moves(&reading.records[0]).as_str(), reading.errors.count()), ("7g7f 3c3d", 1));
        assert_eq!(reading.errors.first().unwrap().problem, Problem::UnknownHandicap);
    }
}

#[test]
fn k06_to_k09_odd_lines_above_the_moves() {
    let record = good(Format::Kif, &format!("盤面回転\n*一\n変化：\n掲載：https://a/b:c：d\n{}", kif(TWO)));
    assert_eq!(record.node(record.root()).remarks().comments, ["一"]);
    assert_eq!(record.headers.value(&HeaderKey::Other("掲載".to_owned())), Some("https://a/b:c：d"));
}

#[test]
fn k10_variations_without_a_place() {
    for number in ["8", "0", "4294967296", "99999999999999999999", ""] {
        let text = kif(&format!("{TWO}   3 投了\n\n変化：{number}手\n   8 ２六歩(27)\n"));
        let record = odd(Format::Kif, &text);
        assert_eq!((moves(&record).as_str(), record.has_variations()), ("7g7f 3c3d", false));
    }
    // Rising instead of falling: the second belongs to the main line, as the first is too short.
    let text = kif(&format!(
        "{TWO}   3 ２六歩(27)\n   4 ８四歩(83)\n\n変化：2手\n   2 ８四歩(83)\n\n変化：4手\n   4 ４四歩(43)\n"
    ));
    let record = good(Format::Kif, &text);
    let third = record.main_line().nth(2).unwrap();
    assert_eq!(record.children(third).count(), 2);
}

#[test]
fn k11_the_same_variation_again_and_again() {
    let text = kif(&format!("{TWO}\n{}", "変化：2手\n   2 ８四歩(83)\n".repeat(5000)));
    let record = good(Format::Kif, &text);
    let first = record.main_line().next().unwrap();
    assert_eq!(record.children(first).count(), 2);
}

#[test]
fn k12_k13_the_square_of_the_last_move() {
    let open = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n";
    for same in ["同　銀(31)", "同 銀(31)", "同銀(31)"] {
        let text = kif(&format!("{open}*comment\n   4 {same}\n"));
        assert_eq!(moves(&good(Format::Kif, &text)), "7g7f 3c3d 8h2b+ 3a2b");
    }
    assert_eq!(broken(Format::Kif, &kif("   1 同　歩(77)\n"), "", 5), Problem::NoLastMove);
}

#[test]
fn k14_k15_words_and_digits() {
    for text in ["76歩(77)", "７6歩(77)", "七六歩(77)", "７六歩(７７)"] {
        assert_eq!(moves(&good(Format::Kif, &kif(&format!("   1 {text}\n")))), "7g7f");
    }
    let text = kif(&format!("{TWO}   3 ２二角不成(88)\n   4 同　銀(31)\n   5 ５八王(59)\n   6 ６二玉(51)\n"));
    assert_eq!(moves(&good(Format::Kif, &text)), "7g7f 3c3d 8h2b 3a2b 5i5h 5a6b");
}

#[test]
fn k16_origins_missing_and_wrong() {
    assert_eq!(moves(&good(Format::Kif, &kif("   1 ７六歩\n"))), "7g7f");
    for (text, problem) in [
        ("７六歩(00)", Problem::UnknownSquare),
        ("７六歩()", Problem::UnknownSquare),
        ("７六歩(99)", Problem::OtherPiece),
        ("７六歩(33)", Problem::OpponentsPiece),
        ("７六歩(55)", Problem::EmptyOrigin),
        ("５八金", Problem::Ambiguous("49, 69".to_owned())),
    ] {
        assert_eq!(broken(Format::Kif, &kif(&format!("   1 {text}\n")), "", 5), problem);
    }
}

#[test]
fn k17_move_numbers() {
    for numbers in [["2", "3"], ["1", "3"], ["1", "1"], ["0", "1"], ["4294967296", "4294967297"]] {
        let [a, b] = numbers;
        let record = odd(Format::Kif, &kif(&format!("   {a} ７六歩(77)\n   {b} ３四歩(33)\n")));
        assert_eq!(moves(&record), "7g7f 3c3d");
    }
}

#[test]
fn k18_k19_words_for_ends() {
    let record = good(Format::Kif, &kif(&format!("{TWO}   3 封じ手\n")));
    assert_eq!(end(&record), "other:封じ手");
    assert_eq!(end(&good(Format::Kif, &kif("   1 投了\n"))), "resign");
    let record = odd(Format::Kif, &kif(&format!("{TWO}   3 投了\n   4 ２六歩(27)\n")));
    assert_eq!((moves(&record).as_str(), end(&record).as_str()), ("7g7f 3c3d", "resign"));
}

#[test]
fn k20_times() {
    for (text, ms) in [
        ("( 0:00/00:00:00)", Some(0)),
        ("(0:5/)", Some(5000)),
        ("", None),
        ("( 0:01.5/00:00:01)", Some(1500)),
        ("( 999999999:99/..)", Some(59_999_999_940_000 + 99_000)),
    ] {
        let record = good(Format::Kif, &kif(&format!("   1 ７六歩(77)   {text}\n")));
        assert_eq!(record.node(record.main_line().next().unwrap()).time_ms, ms, "{text}");
    }
    let record = odd(Format::Kif, &kif("   1 ７六歩(77)   (x:y/z)\n"));
    assert_eq!(moves(&record), "7g7f");
}

#[test]
fn k21_marks_bookmarks_and_evaluations() {
    let text = kif(
        "   1 ７六歩(77)   ( 0:01/00:00:01)+\n&本\n**対局 評価値 -186 読み筋 △３三角打(00)\n*   2 ８四歩(83)\n   2 ３四歩(33)\n",
    );
    let record = good(Format::Kif, &text);
    let first = record.node(record.main_line().next().unwrap());
    assert_eq!((first.remarks().bookmark.as_deref(), first.remarks().comments.len()), (Some("本"), 2));
    assert_eq!(first.remarks().analyses[0].score_cp, Some(-186));
    assert_eq!(moves(&record), "7g7f 3c3d");
}

#[test]
fn k22_fouls() {
    let record = odd(Format::Kif, &kif("   1 ７五歩(77)\n   2 ３四歩(33)\n"));
    let first = record.main_line().next().unwrap();
    assert!(matches!(record.node(first).event(), Event::Foul(_)));
    assert_eq!(moves(&record), "7g7e 3c3d");
    // The foul that ends the game is no deviation.
    let record = good(Format::Kif, &kif("   1 ７五歩(77)\n   2 反則勝ち\n"));
    assert_eq!(end(&record), "illegal_action_black");
}

#[test]
fn k23_long_records() {
    let mut text = kif("");
    let cycle = ["２八飛(38)", "８二飛(72)", "３八飛(28)", "７二飛(82)"];
    text.push_str("   1 ３八飛(28)\n   2 ７二飛(82)\n");
    for number in 3..=20_000 {
        text.push_str(&format!("{number:>4} {}\n", cycle[(number + 1) % 4]));
    }
    text.push_str(&"*comment\n".repeat(100_000));
    assert_eq!(good(Format::Kif, &text).moves().count(), 20_000);
}

#[test]
fn k24_comments_and_a_missing_line_above_the_moves() {
    let text = kif(TWO).replace("手数----指手---------消費時間--\n", "*a\n");
    let record = good(Format::Kif, &text);
    assert_eq!((record.node(record.root()).remarks().comments.len(), moves(&record).as_str()), (1, "7g7f 3c3d"));
}

fn board(first: &str, rows: usize) -> String {
    format!("{first}\n{}", "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(rows))
}

#[test]
fn b01_b02_ranks_and_cells() {
    let good_rank = "|v玉^歩V歩 口 ．　・ ・ ・|";
    assert_eq!(good(Format::Bod, &board(good_rank, 8)).setup().to_string(), "kPp6/9/9/9/9/9/9/9/9 b - 1");
    for (text, line) in [
        (board("| ・ ・ ・ ・ ・ ・ ・ ・|", 8), 1),
        (board("| ・ ・ ・ ・ ・ ・ ・ ・ ・ ・|", 8), 1),
        (board(good_rank, 7), 8),
        (board(good_rank, 9), 10),
    ] {
        broken(Format::Bod, &text, "", line);
    }
}

#[test]
fn b03_to_b05_hands() {
    let rank = "|v玉 ・ ・ ・ ・ ・ ・ ・ ・|";
    for (hand, sfen) in
        [("歩十八", "18P"), ("歩18", "18P"), ("歩１８", "18P"), ("なし", "-"), ("", "-"), ("飛角金二歩", "RB2GP")]
    {
        let record = good(Format::Bod, &format!("{}先手の持駒：{hand}\n", board(rank, 8)));
        assert_eq!(record.setup().to_string(), format!("k8/9/9/9/9/9/9/9/9 b {sfen} 1"), "{hand}");
    }
    for hand in ["歩二十", "と", "玉", "龍", "x"] {
        broken(Format::Bod, &format!("{}先手の持駒：{hand}\n", board(rank, 8)), "", 10);
    }
}

#[test]
fn b06_who_is_to_move() {
    let rank = "|v玉 ・ ・ ・ ・ ・ ・ ・ ・|";
    for (footer, tail) in [
        ("", "b - 1"),
        ("手数＝5  △２二玉 まで\n", "b - 6"),
        ("手数＝6  ▲２二玉 まで\n", "w - 7"),
        ("後手番\n", "w - 1"),
    ] {
        let record = good(Format::Bod, &format!("{}{footer}", board(rank, 8)));
        assert_eq!(record.setup().to_string(), format!("k8/9/9/9/9/9/9/9/9 {tail}"));
    }
}

#[test]
fn j01_to_j04_moves_of_ki2() {
    assert_eq!(broken(Format::Ki2, "▲５八金\n", "", 1), Problem::Ambiguous("49, 69".to_owned()));
    for text in ["▲５八金右△３二金", "☗５八金右☖３二金", "▼58金右 ▽32金", "▲５八金右上 △３二金上"]
    {
        assert_eq!(moves(&good(Format::Ki2, text)), "4i5h 4a3b", "{text}");
    }
    for word in ["上", "行", "入"] {
        let reading = Format::Ki2.read(&format!("▲５八金右{word}\n"), Mode::Strict).unwrap();
        assert_eq!(moves(&reading.records[0]), "4i5h");
    }
}

#[test]
fn j05_results_with_wrong_numbers() {
    let record = odd(Format::Ki2, "▲７六歩 △３四歩\nまで8手で後手の勝ち\n");
    assert_eq!(end(&record), "resign");
    assert_eq!(end(&good(Format::Ki2, "▲７六歩 △３四歩\nまで後手の勝ち\n")), "resign");
}

#[test]
fn s01_to_s05_lines() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for line in
        [format!("  position \t sfen {start}  b  -  1 \r\n"), format!("{start} b"), format!("sfen {start} b - 1")]
    {
        assert_eq!(good(Format::Usi, &line).setup().to_string(), format!("{start} b - 1"));
    }
    for tail in ["B - 1", "x - 1", "b P2 1", "b 99P 1", "b 0P 1", "b 4294967297P 1", "b - x", "b K 1"] {
        assert!(Format::Usi.read(&format!("{start} {tail}"), Mode::Tolerant).is_err(), "{tail}");
    }
    assert_eq!(odd(Format::Usi, &format!("{start} b - 1 extra")).setup().to_string(), format!("{start} b - 1"));
    assert_eq!(odd(Format::Usi, "9/9/9/9/9/9/9/9/9 b 1P 1").setup().to_string(), "9/9/9/9/9/9/9/9/9 b P 1");
    assert_eq!(good(Format::Usi, "9/9/9/9/9/9/9/9/9 b 2pRP 1").setup().to_string(), "9/9/9/9/9/9/9/9/9 b RP2p 1");
}

#[test]
fn p01_to_p04_tags_and_comments() {
    let record = good(Format::Pgn, "[Event \"a [b] \\\"c\\\" \\\\ ]\"]\n\n1. Pc4 {a ; b ( ) c} Pg6 ; d { e\n*\n");
    assert_eq!(record.headers.value(&HeaderKey::Event), Some("a [b] \"c\" \\ ]"));
    assert_eq!(moves(&record), "7g7f 3c3d");
    for text in ["[Event \"x\n1. Pc4 *", "1. Pc4 (1. Ph4"] {
        assert_eq!(moves(&odd(Format::Pgn, text)), "7g7f", "{text}");
    }
    // A comment without end is told as an error, and the game is kept.
    for text in ["1. Pc4 {", "1. Pc4 {a} {b", "1. Pc4\n{x} {\n"] {
        let reading = read(Format::Pgn, text);
        assert_eq!((moves(&reading.records[0]).as_str(), reading.errors.count()), ("7g7f", 1), "{text}");
    }
}

#[test]
fn p05_nested_variations() {
    for text in [format!("1. Pc4 {} *", "(".repeat(100_000)), format!("1. Pc4 {} *", ")".repeat(100_000))] {
        assert_eq!(moves(&odd(Format::Pgn, &text)), "7g7f");
    }
}

#[test]
fn p06_glyphs() {
    assert_eq!(moves(&odd(Format::Pgn, "1. Pc4 $999999999999 $ Pg6!? *")), "7g7f 3c3d");
    let record = good(Format::Pgn, "1. Pc4 $1 Pg6!? *");
    let nags: Vec<_> = record.main_line().map(|id| record.node(id).remarks().nags.clone()).collect();
    assert_eq!(nags, [[1], [5]]);
}

#[test]
fn p07_p08_variants_and_illegal_moves() {
    assert_eq!(moves(&odd(Format::Pgn, "[Variant \"Foo\"]\n1. Pc4 *")), "7g7f");
    let reading = read(Format::Pgn, "[Event \"1\"]\n1. Pc4 Pc5 2. Ph4 (2. Pb4) *\n[Event \"2\"]\n1. Ph4 *");
    assert_eq!(reading.records.iter().map(moves).collect::<Vec<_>>(), ["7g7f", "2g2f"]);
    assert_eq!(reading.errors.count(), 1);
}

#[test]
fn p09_p11_games_after_an_open_comment() {
    let text = "[Event \"1\"]\n1. Pc4 {open\n\n[Event \"2\"]\n1. Ph4 *\n";
    let reading = read(Format::Pgn, text);
    assert_eq!(reading.records.iter().map(moves).collect::<Vec<_>>(), ["7g7f", "2g2f"]);
}

#[test]
fn p10_bytes_that_are_no_text_and_escapes() {
    let mut bytes = b"\xef\xbb\xbf%escape 1. Ph4\n[White \"x\"]\n1. Pc4 *\n".to_vec();
    assert_eq!(moves(&read_any(&bytes, Mode::Strict).unwrap().1.records[0]), "7g7f");
    let at = bytes.iter().position(|&byte| byte == b'x').unwrap();
    bytes[at] = 0xff;
    let (_, reading) = read_any(&bytes, Mode::Tolerant).unwrap();
    assert_eq!((moves(&reading.records[0]).as_str(), reading.warnings.count()), ("7g7f", 1));
}

#[test]
fn a01_nothing_to_read() {
    let noise: Vec<u8> = (0..65_536u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [&b""[..], b"\n", &[0; 4096], &noise] {
        assert_eq!(read_any(bytes, Mode::Tolerant).unwrap_err().problem, Problem::NoRecord);
    }
    // Whatever stands by chance at the start of a line.
    for seed in 0..if has_slow_rows() { 200 } else { 20 } {
        let mut state: u64 = seed * 2 + 1;
        let noise: Vec<u8> = (0..8192)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        assert_eq!(read_any(&noise, Mode::Tolerant).unwrap_err().problem, Problem::NoRecord, "{seed}");
    }
}

#[test]
fn a02_formats_named_wrongly() {
    let reading = read(Format::Kif, "V2.2\nPI\n+\n+7776FU\n");
    assert_eq!((moves(&reading.records[0]).as_str(), reading.warnings.count()), ("7g7f", 1));
}

#[test]
fn a03_a_line_of_four_mebibytes() {
    let long = "x".repeat(if has_slow_rows() { 4 << 20 } else { 1 << 17 });
    for text in [
        kif(&format!("   1 ７六歩(77)\n*{long}\n")),
        format!("▲７六歩\n*{long}\n"),
        format!("1. Pc4 {{{long}}} *\n"),
        format!("startpos moves 7g7f\n# {long}\n"),
    ] {
        let (_, reading) = read_any(text.as_bytes(), Mode::Tolerant).unwrap();
        assert_eq!(moves(&reading.records[0]), "7g7f");
    }
    for format in Format::ALL {
        assert!(format.read(&long, Mode::Tolerant).is_err(), "{format}");
    }
}

#[test]
fn a04_sixteen_bits() {
    let text = format!("\u{feff}{}", kif(TWO));
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        assert_eq!(moves(&read_any(&bytes, Mode::Strict).unwrap().1.records[0]), "7g7f 3c3d");
    }
}

/// The kinds of ends that words of the wild stand for.
#[test]
fn ends_of_the_wild() {
    for (word, kind) in [
        ("最大手数", EndKind::MaxMoves),
        ("引き分け", EndKind::DeclarationDraw),
        ("勝ち宣言", EndKind::DeclarationWin),
        ("不戦勝", EndKind::WinByDefault),
        ("詰", EndKind::Mate),
    ] {
        let record = good(Format::Kif, &kif(&format!("{TWO}   3 {word}\n")));
        assert_eq!(record.end().map(|end| &end.kind), Some(&kind));
    }
}

//! Content of files beyond moves and ends: the examples of the specifications and
//! floodgate's dialect, word by word.

use enbu_kifu::{EndKind, GameResult, HeaderKey, Mode, Node, Problem, Record, TimeControl, csa};
use enbu_movegen::{Color, EnteringKingRule, Setup};

fn one(text: &str) -> Record {
    let reading = csa::read(text, Mode::Tolerant).unwrap_or_else(|error| panic!("{error}"));
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    assert_eq!(reading.records.len(), 1);
    reading.records.into_iter().next().unwrap()
}

fn line(record: &Record) -> Vec<&Node> {
    record.main_line().map(|id| record.node(id)).collect()
}

fn usi<'m>(moves: impl IntoIterator<Item = &'m enbu_movegen::Move>) -> String {
    moves.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A game of 7g7f 3c3d with `extra` after the first move.
fn with_remark(extra: &str) -> Record {
    one(&format!("'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\n{extra}\n-3334FU\n"))
}

/// The example of the V3.0 specification, with its ranks squeezed as it prints them.
const V3_EXAMPLE: &str = r#"'CSA encoding=UTF-8
'----------棋譜ファイルの例 "example.csa"---------------
'バージョン
V3.0
'対局者名
N+先手
N-後手
'棋譜情報
$EVENT:34th World Computer Shogi Championship
$SITE:INTERNET
$START_TIME:2024/05/05 15:05:40
$END_TIME:2024/05/05 15:31:22
'持ち時間:フイッシャー方式、初期持ち時間:900秒、加算:5秒
$TIME:900+0+5
$OPENING:YAGURA
$MAX_MOVES:320
$JISHOGI:27
$NOTE:備考1行目\n2行目\\
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI * * * * * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 * * * * * * * * *
P5 * * * * * * * * *
P6 * * * * * * * * *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA * * * * * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
'先手番
+
'指し手と消費時間
+2726FU,T0
'評価値、読み筋、ノード数
'** 30 -8384FU +2625FU -8485FU +6978KI -4132KI +3938GI -7172GI #1234
-3334FU
'ミリ秒単位の消費時間
T6.123
'*プログラムが読むコメント1行目
'*プログラムが読むコメント2行目
%CHUDAN
'-------------------------------------------------
"#;

#[test]
fn the_example_of_v3() {
    let record = one(V3_EXAMPLE);
    let headers: Vec<(&HeaderKey, &str)> = record.headers.iter().collect();
    assert_eq!(
        headers,
        [
            (&HeaderKey::BlackName, "先手"),
            (&HeaderKey::WhiteName, "後手"),
            (&HeaderKey::Event, "34th World Computer Shogi Championship"),
            (&HeaderKey::Site, "INTERNET"),
            (&HeaderKey::StartTime, "2024/05/05 15:05:40"),
            (&HeaderKey::EndTime, "2024/05/05 15:31:22"),
            (&HeaderKey::Opening, "YAGURA"),
            (&HeaderKey::Note, "備考1行目\n2行目\\"),
        ]
    );
    let time = TimeControl { main_ms: 900_000, byoyomi_ms: 0, increment_ms: 5000 };
    assert_eq!(record.rules.time, [Some(time); 2]);
    assert_eq!(record.rules.max_moves, Some(320));
    assert_eq!(record.rules.entering_king, Some(EnteringKingRule::Csa27));
    assert_eq!(*record.setup(), Setup::startpos());
    let [first, second, end] = line(&record)[..] else { panic!("three nodes") };
    assert_eq!((first.time_ms, second.time_ms, end.time_ms), (Some(0), Some(6123), None));
    let [analysis] = &first.remarks().analyses[..] else { panic!("one analysis") };
    assert_eq!((analysis.score_cp, analysis.nodes), (Some(30), Some(1234)));
    assert_eq!(usi(&analysis.pv), "8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b");
    assert_eq!(second.remarks().comments, ["プログラムが読むコメント1行目", "プログラムが読むコメント2行目"]);
    assert_eq!(record.end().map(|end| (&end.kind, end.result)), Some((&EndKind::Abort, None)));
}

#[test]
fn clocks_of_both_sides_in_all_spellings() {
    let clock = |header: &str| one(&format!("'CSA encoding=UTF-8\nV3.0\n{header}\nPI\n+\n")).rules.time;
    let control = |main_ms, byoyomi_ms, increment_ms| Some(TimeControl { main_ms, byoyomi_ms, increment_ms });
    assert_eq!(clock("$TIME:10.5+0+5.5"), [control(10_500, 0, 5500); 2]);
    for (black, white) in [("TIME+", "TIME-"), ("TIMET+", "TIMET-")] {
        let both = clock(&format!("${black}:450+0+5\n${white}:900+30+0"));
        assert_eq!(both, [control(450_000, 0, 5000), control(900_000, 30_000, 0)]);
    }
    assert_eq!(clock("$TIME-:1+2+3"), [None, control(1000, 2000, 3000)]);
    assert_eq!(clock("$TIME:900+0+5\n$TIME+:60+0+0"), [control(60_000, 0, 0), control(900_000, 0, 5000)]);
}

#[test]
fn evaluations_in_their_three_forms_and_beyond() {
    let analysis = |text: &str| {
        let record = with_remark(text);
        let node = line(&record)[0].clone();
        assert!(node.remarks().comments.is_empty(), "{node:?}");
        let [analysis] = <[_; 1]>::try_from(node.remarks().analyses.clone()).unwrap();
        (analysis.score_cp, usi(&analysis.pv), analysis.pv_end, analysis.nodes)
    };
    let plain = |score, pv: &str, nodes| (Some(score), pv.to_owned(), None, nodes);
    assert_eq!(analysis("'** 30"), plain(30, "", None));
    assert_eq!(analysis("'** -45 -3334FU +8822UM"), plain(-45, "3c3d 8h2b+", None));
    assert_eq!(analysis("'** 0 -3334FU #99"), plain(0, "3c3d", Some(99)));
    assert_eq!(analysis("'** 5 #99"), plain(5, "", Some(99)));
    assert_eq!(analysis("'** +7"), plain(7, "", None));
    assert_eq!(analysis("'** 99999999999"), plain(i32::MAX, "", None));
    assert_eq!(analysis("'**  12   -3334FU  #1 "), plain(12, "3c3d", Some(1)));
    let mated = (Some(30_000), "3c3d".to_owned(), Some(EndKind::Resign), Some(7));
    assert_eq!(analysis("'** 30000 -3334FU %TORYO #7"), mated);
    // Some programs repeat the move just played.
    assert_eq!(analysis("'** 30 +7776FU -3334FU"), plain(30, "3c3d", None));
    // What cannot be played cuts the line.
    assert_eq!(analysis("'** 30 -3334FU +9998FU -8384FU #3"), plain(30, "3c3d", Some(3)));
}

#[test]
fn broken_lines_are_warned_of_with_their_place() {
    let text = "PI\n+\n+7776FU\n'** 30 -3334FU +9998FU #3\n";
    let reading = csa::read(text, Mode::Tolerant).unwrap();
    let warnings: Vec<_> = reading.warnings.iter().map(|fault| (fault.line, fault.column, &fault.problem)).collect();
    assert_eq!(warnings, [(4, 16, &Problem::BrokenPv)]);
    assert_eq!(reading.warnings.first().map(|fault| fault.text.as_str()), Some("+9998FU"));
}

#[test]
fn what_is_no_evaluation_is_a_comment() {
    for (text, comment) in [
        ("'*text", "text"),
        ("'*", ""),
        ("'* 30 -3334FU", " 30 -3334FU"),
        ("'** text", "* text"),
        ("'**30", "*30"),
        ("'** 0.5", "* 0.5"),
        ("'***", "**"),
    ] {
        let record = with_remark(text);
        let node = line(&record)[0];
        assert_eq!(node.remarks().comments, [comment], "{text}");
        assert!(node.remarks().analyses.is_empty());
        assert_eq!(one(&csa::write(&record)), record);
    }
    let record = with_remark("'**\n'plain\n'");
    assert!(line(&record)[0].remarks().comments.is_empty() && line(&record)[0].remarks().analyses.is_empty());
}

#[test]
fn a_comment_that_looks_like_an_evaluation_is_not_written_as_one() {
    let mut record = Record::new(Setup::startpos());
    let root = record.root();
    record.node_mut(root).remarks_mut().comments = vec!["* 30 +7776FU".to_owned(), "a\nb".to_owned(), "*".to_owned()];
    let back = one(&csa::write(&record));
    assert!(back.node(back.root()).remarks().analyses.is_empty());
    assert_eq!(back.node(back.root()).remarks().comments, [" * 30 +7776FU", "a", "b", " *"]);
}

#[test]
fn remarks_on_the_start_may_stand_before_the_board_is_complete() {
    let record = one("V2.2\n'*one\nPI\n'** 20 +7776FU\n+\n'*two\n+7776FU\n'*three\n");
    let root = record.node(record.root());
    assert_eq!(root.remarks().comments, ["one", "two"]);
    assert_eq!(usi(&root.remarks().analyses[0].pv), "7g7f");
    assert_eq!(line(&record)[0].remarks().comments, ["three"]);
}

/// A game of floodgate; `end` stands where the `%` line and the summary do.
fn floodgate(end: &str) -> Record {
    one(&format!(
        "V2\nN+AAA\nN-BBB\n'Max_Moves:256\n'Least_Time_Per_Move:0\n'Increment:10\n\
         $EVENT:wdoor+floodgate-300-10F+AAA+BBB+20261120120000\n$START_TIME:2026/11/20 12:00:00\nPI\n+\n\
         'rating:AAA+0123:BBB+4567\n'black_rate:AAA+0123:2500.0\n'white_rate:BBB+4567:2400.0\n\
         +7776FU\n'** 30 -3334FU +2726FU\nT10\n-3334FU\nT3\n{end}\n'$END_TIME:2026/11/20 12:10:00\n"
    ))
}

#[test]
fn floodgate_tells_rules_rates_and_times_in_its_own_way() {
    let record = floodgate("%TORYO\n'P1-KY-KE\n'summary:toryo:AAA lose:BBB win");
    let clock = TimeControl { main_ms: 300_000, byoyomi_ms: 0, increment_ms: 10_000 };
    assert_eq!((record.rules.time, record.rules.max_moves), ([Some(clock); 2], Some(256)));
    assert_eq!(record.headers.value(&HeaderKey::EndTime), Some("2026/11/20 12:10:00"));
    assert_eq!(record.headers.value(&HeaderKey::Other("BLACK_RATE".to_owned())), Some("AAA+0123:2500.0"));
    let totals = record.total_times();
    let spent: Vec<u64> = record.main_line().map(|id| totals.ms(id)).collect();
    assert_eq!(spent, [10_000, 3000, 10_000]);
    assert_eq!(usi(&line(&record)[0].remarks().analyses[0].pv), "3c3d 2g2f");
    assert_eq!(one(&csa::write(&record)), record);
}

#[test]
fn the_summary_of_floodgate_tells_the_end() {
    use EndKind::*;
    let (black, white, draw) = (Some(GameResult::BlackWins), Some(GameResult::WhiteWins), Some(GameResult::Draw));
    for (end, kind, result) in [
        ("%TORYO\n'summary:toryo:AAA lose:BBB win", Resign, white),
        ("'summary:time up:AAA lose:BBB win", TimeUp, white),
        ("'summary:illegal move:AAA lose:BBB win", IllegalMove, white),
        // The fouler is not the side to move: the move stands in the record.
        ("'summary:illegal move:AAA win:BBB lose", IllegalAction(Color::White), black),
        ("'summary:oute_sennichite:AAA lose:BBB win", IllegalAction(Color::Black), white),
        ("'summary:sennichite:AAA draw:BBB draw", Repetition, draw),
        ("'summary:max_moves:AAA draw:BBB draw", MaxMoves, draw),
        ("%KACHI\n'summary:kachi:AAA win:BBB lose", DeclarationWin, black),
        ("'summary:kachi:AAA win:BBB lose", DeclarationWin, black),
        ("'summary:abnormal:AAA win:BBB lose", Abort, black),
        ("%CHUDAN\n'summary:chudan:AAA lose:BBB win", Abort, white),
        ("'summary:new reason:AAA lose:BBB win", Other("new reason".to_owned()), white),
    ] {
        let record = floodgate(end);
        let found = record.end().unwrap();
        assert_eq!((&found.kind, found.result), (&kind, result), "{end}");
        if !matches!(kind, Other(_)) {
            assert_eq!(one(&csa::write(&record)), record, "{}", csa::write(&record));
        }
    }
    assert_eq!(floodgate("'summary").end(), None);
}

#[test]
fn positions_beyond_a_set_and_unplayable_ones_are_kept() {
    for sfen in [
        "4k4/9/9/9/9/9/9/9/4K4 b 20P 1",
        // White's king could be taken at once.
        "4k4/9/4L4/9/9/9/9/9/4K4 b - 1",
        "kkk6/9/9/9/9/9/9/9/4K4 w - 1",
        "9/9/9/9/9/9/9/9/9 b - 1",
    ] {
        let record = Record::new(sfen.parse().unwrap());
        let text = csa::write(&record);
        let reading = csa::read(&text, Mode::Tolerant).unwrap();
        assert_eq!((reading.records, reading.warnings.count()), (vec![record], 0), "{text}");
    }
}

#[test]
fn handicaps_without_a_convention() {
    let record = one("V2.2\nPI82HI22KA\n-\n-5142OU\n");
    assert_eq!(record.setup().turn, Color::White);
    let text = csa::write(&record);
    assert!(text.contains("P2 *  *  *  *  *  *  *  *  * \n") && text.contains("\n-\n-5142OU\n"), "{text}");
}

//! No input makes the reader panic, and what is written is read back.

use enbu_kifu::csa::FileVersion;
use enbu_kifu::{
    Analysis, Board, End, EndKind, Event, Format, GameResult, HeaderKey, Mode, Record, Rules, TimeControl, csa,
};
use enbu_movegen::{EnteringKingRule, MoveList, Position, Setup};
use proptest::prelude::*;

/// Pieces of CSA text, so that noise reaches beyond the first statement.
fn fragment() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "V2.2\n",
        "V3.0\n",
        "'CSA encoding=UTF-8\n",
        "N+",
        "N-a\n",
        "$TIME:",
        "$TIME_LIMIT:00:30+30\n",
        "$NOTE:\\n",
        "PI\n",
        "PI82HI",
        "22KA\n",
        "P1",
        "-KY-KE",
        " * ",
        "P+",
        "P-",
        "00AL\n",
        "55TO",
        "00FU",
        "99KY\n",
        "+\n",
        "-\n",
        "+7776FU",
        "-3334FU",
        "+8822UM",
        "-3122GI",
        "+0045KA",
        "+5958OU",
        "+2822HI",
        "-0055FU",
        "T1\n",
        "T1.234",
        "%TORYO\n",
        "%CHUDAN\n",
        "%+ILLEGAL_ACTION",
        "%",
        "'*",
        "'** 30 ",
        "'** -5 +7776FU",
        "#12",
        "'summary:toryo:a win:b lose\n",
        "'summary:",
        "ILLEGAL_MOVE(",
        "/\n",
        "\n",
        "\r",
        ",",
        " ",
        "\u{3000}",
        "歩",
        "\0",
        "\u{feff}",
    ]);
    prop_oneof![8 => words.prop_map(str::to_owned), 1 => "\\PC{0,3}"]
}

/// A text without line ends, as a file can hold it.
fn line() -> impl Strategy<Value = String> {
    "[ -~ぁ-ん一-龠]{0,12}".prop_map(|text| text.trim().to_owned())
}

fn time_control() -> impl Strategy<Value = TimeControl> {
    (0u64..10_000_000, 0u64..100_000, 0u64..100_000).prop_map(|(main_ms, byoyomi_ms, increment_ms)| TimeControl {
        main_ms,
        byoyomi_ms,
        increment_ms,
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    let entering_king = prop::sample::select(vec![
        None,
        Some(EnteringKingRule::Csa24),
        Some(EnteringKingRule::Csa27),
        Some(EnteringKingRule::Try),
        Some(EnteringKingRule::NoEnteringKing),
    ]);
    let time = (prop::option::of(time_control()), prop::option::of(time_control()));
    (time, prop::option::of(1u32..10_000), entering_king).prop_map(|((black, white), max_moves, entering_king)| Rules {
        time: [black, white],
        max_moves,
        entering_king,
    })
}

fn end_kind() -> impl Strategy<Value = EndKind> {
    let others = [EndKind::Other("FOO".to_owned())];
    prop::sample::select(EndKind::all().chain(others).collect::<Vec<_>>())
}

fn setup() -> impl Strategy<Value = Setup> {
    prop::sample::select(vec![
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
        "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1",
        "4k4/9/4G4/9/9/9/9/9/4K4 b 20P 1",
    ])
    .prop_map(|sfen| sfen.parse().expect("an SFEN of the list"))
}

/// The content of one move: its index among the legal ones, time, comments, score and nodes, length of the variation.
type Step = (prop::sample::Index, Option<u64>, Vec<String>, Option<(i32, Option<u64>)>, usize);

fn step() -> impl Strategy<Value = Step> {
    (
        any::<prop::sample::Index>(),
        prop::option::of(0u64..100_000),
        prop::collection::vec(line().prop_filter("no evaluation", |text| !text.starts_with('*')), 0..3),
        prop::option::of((any::<i32>(), prop::option::of(any::<u64>()))),
        0usize..4,
    )
}

fn legal_move(position: &Position, index: prop::sample::Index) -> Option<enbu_movegen::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    (!moves.is_empty()).then(|| *index.get(&moves))
}

/// A line of legal moves, chosen by `index` every time.
fn variation(position: &Position, index: prop::sample::Index, length: usize) -> Vec<enbu_movegen::Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    while line.len() < length
        && let Some(mv) = legal_move(&position, index)
    {
        position.do_move(mv);
        line.push(mv);
    }
    line
}

fn record() -> impl Strategy<Value = Record> {
    let headers = (line(), line(), "[\\\\n\nあ-んa-z]{0,9}", "X[A-Z]{1,8}");
    let end = prop::option::of((
        end_kind(),
        prop::option::of(prop::sample::select(vec![
            None,
            Some(GameResult::BlackWins),
            Some(GameResult::WhiteWins),
            Some(GameResult::Draw),
        ])),
    ));
    (setup(), headers, rules(), prop::collection::vec(step(), 0..12), end).prop_map(
        |(setup, (black, event, note, key), rules, steps, end)| {
            let mut position = Position::from_setup(&setup).expect("a position of the list");
            let mut record = Record::new(setup);
            record.headers.push(HeaderKey::BlackName, black);
            record.headers.push(HeaderKey::Event, event.clone());
            record.headers.push(HeaderKey::Note, note.trim());
            record.headers.push(HeaderKey::Other(key), event);
            record.rules = rules;
            let mut at = record.root();
            for (index, time_ms, comments, score, length) in steps {
                let Some(mv) = legal_move(&position, index) else { break };
                position.do_move(mv);
                at = record.add(at, Event::Move(mv));
                let pv = variation(&position, index, length);
                let node = record.node_mut(at);
                node.time_ms = time_ms;
                node.remarks_mut().comments = comments;
                node.remarks_mut().analyses.extend(score.map(|(score_cp, nodes)| Analysis {
                    score_cp: Some(score_cp),
                    pv,
                    nodes,
                    ..Analysis::default()
                }));
            }
            if let Some((kind, result)) = end {
                let mut end = End::new(kind, position.turn());
                end.result = result.unwrap_or(end.result);
                at = record.add(at, Event::from(end));
                record.node_mut(at).time_ms = Some(1500);
            }
            record
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for mode in [Mode::Tolerant, Mode::Strict] {
            let _ = Format::Csa.read_bytes(&bytes, mode);
        }
    }

    #[test]
    fn scrambled_statements_never_panic(parts in prop::collection::vec(fragment(), 0..60)) {
        let text = parts.concat();
        for mode in [Mode::Tolerant, Mode::Strict] {
            // What was read, however odd, can be replayed and written.
            let Ok(reading) = csa::read(&text, mode) else { continue };
            for record in &reading.records {
                let mut board = Board::new(record.setup());
                for id in record.main_line() {
                    prop_assert!(board.follow(record.node(id).event()).is_ok());
                }
            }
            let written = csa::write_all(&reading.records, FileVersion::V3_0);
            let again = csa::read(&written, Mode::Tolerant);
            prop_assert!(again.is_ok_and(|again| again.errors.is_empty() && again.records.len() == reading.records.len()), "{written}");
        }
    }

    #[test]
    fn cut_files_keep_what_came_before(record in record(), cut in any::<prop::sample::Index>()) {
        let text = csa::write(&record);
        let end = text.floor_char_boundary(cut.index(text.len() + 1));
        if let Ok(reading) = csa::read(&text[..end], Mode::Tolerant) {
            let whole: Vec<_> = record.moves().collect();
            let read: Vec<_> = reading.records[0].moves().collect();
            prop_assert!(whole.starts_with(&read));
        }
    }

    #[test]
    fn records_survive_being_written(records in prop::collection::vec(record(), 1..4)) {
        let text = csa::write_all(&records, FileVersion::V3_0);
        let reading = Format::Csa.read_bytes(text.as_bytes(), Mode::Tolerant);
        let reading = reading.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert!(reading.warnings.is_empty() && reading.errors.is_empty(), "{:?}\n{text}", reading.warnings);
        prop_assert_eq!(&reading.records, &records, "{}", text);
    }
    #[test]
    fn version_2_2_keeps_moves_and_results(record in record()) {
        let text = csa::write_all([&record], FileVersion::V2_2);
        let reading = csa::read(&text, Mode::Tolerant);
        let reading = reading.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert!(reading.warnings.is_empty() && reading.errors.is_empty(), "{:?}\n{text}", reading.warnings);
        let read = &reading.records[0];
        prop_assert_eq!(read.setup(), record.setup());
        prop_assert!(read.moves().eq(record.moves()), "{}", text);
        prop_assert_eq!(read.end().map(|end| end.result), record.end().map(|end| end.result), "{}", text);
        let seconds = |record: &Record| {
            let times = record.main_line().map(|id| record.node(id)).filter(|node| node.event().played().is_some());
            times.map(|node| node.time_ms.map(|ms| ms / 1000)).collect::<Vec<_>>()
        };
        prop_assert_eq!(seconds(read), seconds(&record), "{}", text);
        let only_in_3 = ["V3", "'CSA encoding", "$TIME:", "$TIME+", "$TIME-", "$MAX_MOVES", "$JISHOGI", "$NOTE", "%MAX_MOVES"];
        let foreign = |line: &str| {
            only_in_3.iter().any(|head| line.starts_with(head)) || (line.starts_with('T') && line.contains('.'))
        };
        prop_assert!(!text.lines().any(foreign), "{}", text);
    }
}

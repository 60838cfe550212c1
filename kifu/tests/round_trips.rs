//! Round trips: each format reads the text that it writes, and a record survives the way through another.

use enbu_kifu::{
    Analysis, Board, End, EndKind, Event, Format, GameResult, HeaderKey, Mode, NodeId, Record, Rules, TimeControl,
    WriteOptions, usi,
};
use enbu_movegen::{EnteringKingRule, Move, MoveList, Setup};
use proptest::prelude::*;

use crate::has_slow_rows;

/// Records for each property: 200 in the slow tests.
fn cases() -> u32 {
    if has_slow_rows() { 200 } else { 20 }
}

/// A stream of numbers from a seed (splitmix64), so that a case is one number.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % limit
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

const SETUPS: [&str; 9] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    "9/9/4+P4/9/9/9/9/9/9 b 2R 1",
    "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 71",
    "4k4/9/3G1G3/3GGG3/9/3s1s3/3sss3/9/4K4 w RBrb 40",
];

const TEXTS: [&str; 12] =
    ["a", "名前", "x: y：z", "#1", "まで3手で中断", "変化：2手", "(7)", "\"q\" \\n", "7g7f", "投了", "a  b", "☗"];

/// Legal moves from here, or those that pieces and squares allow where there is no king.
fn legal_moves(board: &Board) -> Vec<Move> {
    let Some(position) = board.position() else { return Vec::new() };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().copied().collect()
}

fn remarks(chance: &mut Chance, record: &mut Record, id: NodeId, board: &Board) {
    let mut comments = Vec::new();
    while chance.one_in(4) {
        comments.push(chance.pick(&TEXTS).to_owned());
    }
    let mut analyses = Vec::new();
    if chance.one_in(5) {
        let mut copy = board.clone();
        let mut pv = Vec::new();
        while pv.len() < 3 {
            let moves = legal_moves(&copy);
            if moves.is_empty() {
                break;
            }
            let mv = chance.pick(&moves);
            copy.play(mv).unwrap();
            pv.push(mv);
        }
        analyses.push(Analysis {
            score_cp: Some(chance.below(4000) as i32 - 2000),
            pv,
            nodes: chance.one_in(2).then_some(12_345),
            depth: chance.one_in(2).then_some(20),
            engine: chance.one_in(2).then(|| "Enbu 1".to_owned()),
            ..Analysis::default()
        });
    }
    let node = record.node_mut(id);
    node.remarks_mut().comments = comments;
    node.remarks_mut().analyses = analyses;
    if chance.one_in(10) {
        node.remarks_mut().bookmark = Some("しおり".to_owned());
    }
}

/// Adds a line of moves, variations and an end below `at`.
fn grow(chance: &mut Chance, record: &mut Record, mut at: NodeId, board: &mut Board, length: usize, depth: usize) {
    let played = board.plies_played();
    for _ in 0..length {
        let moves = legal_moves(board);
        if moves.is_empty() {
            break;
        }
        let main = chance.pick(&moves);
        let child = record.add(at, Event::Move(main));
        let others = if depth < 3 && chance.one_in(4) { 1 + chance.below(2) } else { 0 };
        for _ in 0..others {
            let other = chance.pick(&moves);
            if other != main {
                let id = record.add(at, Event::Move(other));
                board.play(other).unwrap();
                // A variation that was there already goes on as it did.
                if record.children(id).next().is_none() {
                    remarks(chance, record, id, board);
                    let length = chance.below(5);
                    grow(chance, record, id, board, length, depth + 1);
                }
                board.undo();
            }
        }
        board.play(main).unwrap();
        remarks(chance, record, child, board);
        record.node_mut(child).time_ms = chance.one_in(2).then(|| chance.below(5000) as u64 * 1000);
        at = child;
    }
    if chance.one_in(2) {
        let kind = chance.pick(&EndKind::all().collect::<Vec<_>>());
        let id = record.add(at, Event::from(End::new(kind, board.turn())));
        record.node_mut(id).time_ms = chance.one_in(3).then_some(3000);
        // Somebody asks what else could have been played.
        let other = legal_moves(board);
        if chance.one_in(3) && !other.is_empty() {
            record.add(at, Event::Move(chance.pick(&other)));
        }
    }
    while board.plies_played() > played {
        board.undo();
    }
}

pub(crate) fn record(seed: u64) -> Record {
    let chance = &mut Chance(seed);
    let setup: Setup = chance.pick(&SETUPS).parse().unwrap();
    let mut board = Board::new(&setup);
    let mut record = Record::new(setup);
    for key in [HeaderKey::BlackName, HeaderKey::WhiteName, HeaderKey::Event, HeaderKey::Site, HeaderKey::Opening] {
        if chance.one_in(2) {
            record.headers.push(key, chance.pick(&TEXTS));
        }
    }
    if chance.one_in(2) {
        record.headers.push(HeaderKey::StartTime, "2026/11/20 10:00:00");
        record.headers.push(HeaderKey::Other("表題".to_owned()), "題");
        record.headers.push(HeaderKey::Note, "一\n二");
    }
    let control = TimeControl { main_ms: 600_000, byoyomi_ms: 30_000 * chance.below(2) as u64, increment_ms: 0 };
    record.rules = Rules {
        time: [chance.one_in(2).then_some(control); 2],
        max_moves: chance.one_in(3).then_some(256),
        entering_king: chance.one_in(3).then_some(EnteringKingRule::Csa27),
    };
    let root = record.root();
    remarks(chance, &mut record, root, &board);
    let length = chance.below(25);
    grow(chance, &mut record, root, &mut board, length, 0);
    record
}

/// A copy without what a format cannot hold.
fn reduced(record: &Record, keep: impl Fn(&mut enbu_kifu::Node)) -> Record {
    let mut copy = record.clone();
    let mut ids = vec![copy.root()];
    while let Some(id) = ids.pop() {
        ids.extend(copy.children(id).collect::<Vec<_>>());
        keep(copy.node_mut(id));
    }
    copy
}

fn main_line_only(record: &Record) -> Record {
    let mut copy = Record::new(record.setup().clone());
    copy.headers = record.headers.clone();
    copy.rules = record.rules.clone();
    let mut at = copy.root();
    let take = |copy: &mut Record, to: NodeId, from: NodeId| {
        let (node, source) = (copy.node_mut(to), record.node(from));
        node.time_ms = source.time_ms;
        node.remarks_mut().comments.clone_from(&source.remarks().comments);
        node.remarks_mut().analyses.clone_from(&source.remarks().analyses);
    };
    take(&mut copy, at, record.root());
    for id in record.main_line() {
        at = copy.add(at, record.node(id).event().clone());
        take(&mut copy, at, id);
    }
    copy
}

/// Fouls have one word in KIF: the side that fouled is told, the rest is told again.
fn foul_kinds_agree(a: &EndKind, b: &EndKind) -> bool {
    let foul = |kind: &EndKind| matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
    a == b || (foul(a) && foul(b))
}

/// Writes, reads strictly, and expects the same, and the same text a second time.
fn there_and_back(record: &Record, format: Format) -> Record {
    let options = WriteOptions { ends: usi::Ends::Words, ..WriteOptions::default() };
    let text = format.write(std::slice::from_ref(record), options.clone());
    let reading = format.read(&text, Mode::Strict).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
    assert_eq!(reading.records.len(), 1, "{text}");
    let again = reading.records.into_iter().next().unwrap();
    let second = format.write(std::slice::from_ref(&again), options.clone());
    let third = format.read(&second, Mode::Strict).unwrap().records.remove(0);
    assert_eq!(third, again, "{format} is not stable\n{text}\n{second}");
    assert_eq!(format.write(&[third], options), second);
    again
}

#[track_caller]
fn assert_same_game(found: &Record, expected: &Record, format: Format) {
    let mut pairs = vec![(found.root(), expected.root())];
    assert_eq!(found.setup(), expected.setup(), "{format}");
    while let Some((a, b)) = pairs.pop() {
        let (x, y) = (found.node(a), expected.node(b));
        match (x.event(), y.event()) {
            (Event::End(e), Event::End(f)) => {
                assert_eq!(e.result, f.result, "{format}");
                assert!(foul_kinds_agree(&e.kind, &f.kind), "{format}: {e:?} {f:?}");
            }
            (e, f) => assert_eq!(e, f, "{format}"),
        }
        assert_eq!(
            (&x.remarks().comments, &x.remarks().analyses, x.time_ms, &x.remarks().bookmark),
            (&y.remarks().comments, &y.remarks().analyses, y.time_ms, &y.remarks().bookmark),
            "{format}"
        );
        let (m, n): (Vec<_>, Vec<_>) = (found.children(a).collect(), expected.children(b).collect());
        assert_eq!(m.len(), n.len(), "{format}");
        pairs.extend(m.into_iter().zip(n));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_survive(seed in any::<u64>()) {
        let whole = record(seed);
        for format in [Format::Kif, Format::Jkf, Format::Pgn] {
            let again = there_and_back(&whole, format);
            assert_same_game(&again, &whole, format);
            prop_assert_eq!(&again.rules, &whole.rules);
            if format == Format::Kif {
                prop_assert_eq!(&again.headers, &whole.headers);
            }
        }
        let untimed = reduced(&whole, |node| node.time_ms = None);
        assert_same_game(&there_and_back(&whole, Format::Ki2), &untimed, Format::Ki2);
    }

    #[test]
    fn main_lines_survive(seed in any::<u64>()) {
        let line = main_line_only(&record(seed));
        // CSA has no move number and neither depth nor program of an evaluation.
        let mut plain = reduced(&line, |node| for analysis in &mut node.remarks_mut().analyses {
            analysis.depth = None;
            analysis.engine = None;
        });
        if plain.setup().ply == 1 {
            plain.headers = enbu_kifu::Headers::default();
            assert_same_game(&there_and_back(&plain, Format::Csa), &plain, Format::Csa);
        }
        let bare = reduced(&line, |node| {
            node.time_ms = None;
            node.remarks_mut().comments.clear();
            node.remarks_mut().analyses.clear();
        });
        assert_same_game(&there_and_back(&bare, Format::Usi), &bare, Format::Usi);
    }

    #[test]
    fn what_goes_through_another_format_comes_back(seed in any::<u64>()) {
        let whole = record(seed);
        for through in [Format::Kif, Format::Jkf, Format::Pgn] {
            let there = there_and_back(&whole, through);
            for back in [Format::Kif, Format::Jkf, Format::Pgn] {
                assert_same_game(&there_and_back(&there, back), &whole, back);
            }
        }
    }

    #[test]
    fn what_a_poorer_format_can_hold_comes_back(seed in any::<u64>()) {
        let whole = record(seed);
        let untimed = reduced(&whole, |node| node.time_ms = None);
        for back in [Format::Kif, Format::Jkf, Format::Pgn] {
            let books = there_and_back(&there_and_back(&whole, Format::Ki2), back);
            assert_same_game(&there_and_back(&books, Format::Ki2), &untimed, Format::Ki2);
        }
        let mut plain = reduced(&main_line_only(&whole), |node| for analysis in &mut node.remarks_mut().analyses {
            analysis.depth = None;
            analysis.engine = None;
        });
        if plain.setup().ply == 1 {
            plain.headers = enbu_kifu::Headers::default();
            for back in [Format::Kif, Format::Jkf, Format::Pgn] {
                let other = there_and_back(&there_and_back(&plain, Format::Csa), back);
                assert_same_game(&other, &plain, back);
                assert_same_game(&there_and_back(&other, Format::Csa), &plain, Format::Csa);
            }
        }
    }

    #[test]
    fn results_that_a_referee_decided_survive(
        seed in any::<u64>(),
        kind in prop::sample::select(EndKind::all().collect::<Vec<_>>()),
        result in prop::sample::select(vec![None, Some(GameResult::BlackWins), Some(GameResult::WhiteWins), Some(GameResult::Draw)]),
    ) {
        let mut record = main_line_only(&record(seed));
        let last = record.main_line().last().filter(|&id| matches!(record.node(id).event(), Event::End(_)));
        let Some(end) = last else { return Ok(()) };
        let mut decided = Record::new(record.setup().clone());
        let mut at = decided.root();
        for mv in record.moves() {
            at = decided.add(at, Event::Move(mv));
        }
        decided.add(at, Event::from(End { kind: kind.clone(), result }));
        record.end_mut(end).unwrap().result = result;
        // A foul that nobody won is no foul that KIF or PGN could tell.
        let foul = matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
        for format in [Format::Kif, Format::Ki2, Format::Jkf, Format::Pgn, Format::Usi] {
            if !(foul && (result.is_none() || result == Some(GameResult::Draw))) {
                assert_same_game(&there_and_back(&decided, format), &decided, format);
            }
        }
    }
}

/// Positions of random games in every format that holds one: all equal, but for the number of
/// the move, which is reported where a format does not hold it. 10 000 in the slow tests.
#[test]
fn positions_survive_every_format() {
    use std::io::Write as _;
    let wanted = if has_slow_rows() { 10_000 } else { 300 };
    let mut counts = std::collections::BTreeMap::new();
    let chance = &mut Chance(1);
    let mut board = Board::new(&Setup::startpos());
    for _ in 0..wanted {
        let moves = legal_moves(&board);
        if moves.is_empty() || board.plies_played() > 150 || chance.one_in(60) {
            board = Board::new(&chance.pick(&SETUPS).parse().unwrap());
        } else {
            board.play(chance.pick(&moves)).unwrap();
        }
        let setup = board.to_setup();
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Svg) {
            let written = format.write_counted(&[Record::new(setup.clone())], WriteOptions::default());
            let again = format.read(&written.text, Mode::Tolerant).unwrap().records.remove(0);
            let has_number = !written.losses.iter().any(|loss| loss.part == enbu_kifu::Part::MoveNumbers);
            let ply = if has_number { setup.ply } else { again.setup().ply };
            assert_eq!(*again.setup(), Setup { ply, ..setup.clone() }, "{format}\n{}", written.text);
            assert!(written.losses.len() == usize::from(!has_number), "{format}: {:?}", written.losses);
            *counts.entry(format.name()).or_insert(0) += 1;
        }
    }
    writeln!(std::io::stderr(), "positions equal: {counts:?}").unwrap();
}

//! Reasons of mistakes: positions whose facts are known by construction, and games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enbu_analysis::{
    Analyst, BestLine, Class, GameReport, Limit, MoveReport, PositionReport, Reason, Score, Settings, Side, analyse,
    explain,
};
use enbu_eval::Evaluation;
use enbu_kifu::{Event, Record};
use enbu_movegen::{EnteringKingRule, PieceType, Position};
use enbu_tests::claims::{english, false_reasons};
use enbu_tests::positions::{self, Walk};
use enbu_tests::table::{Row, check, equal, rows};

const RULE: EnteringKingRule = EnteringKingRule::Csa27;

fn analyst(nodes: u64) -> Analyst {
    let settings = Settings { limit: Limit::Nodes(nodes), mate_nodes: 2000, hash_mb: 1, ..Settings::default() };
    Analyst::new(&settings, &Evaluation::default(), "Enbu", Arc::default()).expect("a megabyte")
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A report whose last move is a mistake with the lines of a row.
fn report(row: &Row) -> GameReport {
    let mut position = positions::from_sfen(row.text("sfen"));
    let mut report = GameReport::default();
    let moves = words(row.text("moves"));
    let at = |position: &Position, line: &str, mate: &str| PositionReport {
        ply: position.plies_played(),
        sfen: position.to_setup().to_string(),
        score: Some(Score::Cp(0)),
        win: Some(0.5),
        depth: 1,
        nodes: 1,
        lines: vec![BestLine { score: Score::Cp(0), win: 0.5, moves: words(line), end: None }],
        mate: (!mate.is_empty()).then(|| words(mate)),
    };
    for (index, usi) in moves.iter().enumerate() {
        let is_last = index + 1 == moves.len();
        let (best, mate) = if is_last { (row.text("best"), row.text("mate_before")) } else { ("", "") };
        report.positions.push(at(&position, best, mate));
        report.moves.push(MoveReport {
            ply: index + 1,
            usi: usi.clone(),
            side: Side::from(position.turn()),
            loss: Some(0.5),
            class: Some(if is_last { Class::Blunder } else { Class::Good }),
            ..MoveReport::default()
        });
        position.play(usi.parse().expect("a move")).expect("a legal move");
    }
    report.positions.push(at(&position, row.text("answer"), row.text("mate_after")));
    report
}

/// Every line of a row is legal, so that a silence is not that of a row in error.
fn is_legal(position: &Position, line: &str) -> Result<(), String> {
    let mut position = position.clone();
    let mut play = |text: &String| {
        position.play(text.parse().map_err(|error| format!("{error}"))?).map_err(|error| format!("{text}: {error}"))
    };
    words(line).iter().try_for_each(|text| play(text).map(drop))
}

/// Pieces in alphabetical order: that of squares changes where a board is turned.
fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names
}

/// Names of the pieces of a row, letters as in SFEN.
fn pieces(text: &str) -> Vec<String> {
    let letter = |kind: &PieceType| format!("{}{}", if kind.is_promoted() { "+" } else { "" }, kind.letter());
    let kind = |text: String| PieceType::ALL.into_iter().find(|kind| letter(kind) == text).expect("a piece");
    sorted(words(text).into_iter().map(|text| english(kind(text)).to_owned()))
}

#[test]
fn reasons_are_those_known_by_construction() {
    assert!(rows("reasons.tsv").len() >= 100);
    check("reasons.tsv", |row| {
        let mut report = report(row);
        let (last, end) = (report.moves.len() - 1, report.moves.len());
        is_legal(&positions::from_sfen(&report.positions[last].sfen), row.text("best"))?;
        is_legal(&positions::from_sfen(&report.positions[end].sfen), row.text("answer"))?;
        explain(&mut report, RULE, &mut analyst(1));
        let Some(reason) = &report.moves[last].reason else { return equal(row.text("theme"), "-", row.text("fact")) };
        let fact = serde_json::to_value(reason.fact).expect("a name");
        let theme = format!("{}: {reason:?}", row.text("theme"));
        equal(&theme, fact.as_str(), Some(row.text("fact")))?;
        equal(&theme, reason.by.as_deref().unwrap_or_default(), row.text("by"))?;
        equal(&theme, sorted(reason.pieces.clone()), pieces(row.text("pieces")))?;
        equal(&theme, sorted(reason.given.clone()), pieces(row.text("given")))?;
        equal(&theme, if reason.free { "free" } else { "" }, row.text("free"))?;
        equal(&theme, reason.plies.map(|plies| plies.to_string()).unwrap_or_default(), row.text("plies").to_owned())?;
        equal(&theme, false_reasons(&report, RULE), Vec::new())
    });
}

/// The referee of claims refuses reasons that are not true.
#[test]
fn false_reasons_are_refused() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut refused = 0;
    for row in rows("reasons.tsv") {
        let mut report = report(&row);
        explain(&mut report, RULE, &mut analyst(1));
        let last = report.moves.len() - 1;
        let Some(reason) = report.moves[last].reason.clone() else { continue };
        let Some(last_piece) = reason.pieces.last() else { continue };
        let other = if last_piece == "lance" { "knight" } else { "lance" };
        let wrong = [
            Reason {
                pieces: [&reason.pieces[..reason.pieces.len() - 1], &[other.to_owned()]].concat(),
                ..reason.clone()
            },
            Reason { by: Some("5e5d".to_owned()), ..reason },
        ];
        for reason in wrong {
            report.moves[last].reason = Some(reason.clone());
            assert_eq!(false_reasons(&report, RULE).len(), 1, "{}: {reason:?}", row.text("theme"));
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Games of moves at random, most of them mistakes: no reason is false.
#[test]
fn reasons_of_games_are_true() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut analyst = analyst(300);
    let mut reasons = 0;
    for seed in 0..12 {
        let record = game_at_random(seed);
        let report = analyse(&record, &mut analyst, &AtomicBool::new(false), &mut || {}).expect("a game");
        assert_eq!(false_reasons(&report, RULE), Vec::<String>::new());
        reasons += report.moves.iter().filter(|mv| mv.reason.is_some()).count();
    }
    assert!(reasons > 10, "{reasons}");
}

/// A game of 120 plies, many of them captures, promotions and drops.
fn game_at_random(seed: u64) -> Record {
    let mut walk = Walk::new(seed);
    let mut position = Position::startpos();
    let mut record = Record::new(position.to_setup());
    let mut node = record.root();
    for _ in 0..120 {
        let Some(mv) = walk.choose(&position) else { break };
        position.do_move(mv);
        node = record.add(node, Event::Move(mv));
    }
    record
}

/// A sentence of each template: theme, Japanese, English without the marks of the sides.
const SENTENCES: [(&str, &str, &str); 24] = [
    ("S moves before a rook", "△同　飛で銀をただで取られます。", "Rx55 wins a silver for nothing."),
    ("S moves before a pawn, protected", "△同　歩で銀と歩の交換になります。", "Px55 wins a silver for a pawn."),
    (
        "S stays attacked",
        "銀取りを受けておらず、△５五飛で銀をただで取られます。",
        "Leaves the silver attacked: Rx55 wins a silver for nothing.",
    ),
    (
        "S loses its protection",
        "▲５七金で銀のひもが外れ、△５五飛で銀をただで取られます。",
        "G-57 gives up protection of the silver: Rx55 wins a silver for nothing.",
    ),
    (
        "knight attacks G and R",
        "△５四桂で金と飛車の両取りがかかります。",
        "N*54 attacks the gold and the rook and wins one.",
    ),
    ("bishop checks and attacks a rook", "△３六角で王手飛車取りがかかります。", "B*36 gives check and wins the rook."),
    (
        "pawn attacks a knight without a way out",
        "△５四歩で桂が助からなくなります。",
        "P-54 wins the knight, which cannot be saved.",
    ),
    ("silver could take B", "▲５四銀で角をただで取れました。", "Sx54 would have won a bishop for nothing."),
    (
        "silver could take B, protected",
        "▲５四銀で角と銀の交換にできました。",
        "Sx54 would have won a bishop for a silver.",
    ),
    (
        "knight could attack S and S",
        "▲５六桂で銀2枚の両取りがかかりました。",
        "N*56 would have attacked 2 silvers and won one.",
    ),
    ("r promotes", "△５七飛成で龍を作られます。", "R-57+ makes a dragon."),
    ("P could promote", "▲５三歩成でと金を作れました。", "P-53+ would have made a tokin."),
    ("rook does not promote", "ここは▲５三飛成とするところでした。", "Promoting was better: R-53+."),
    ("silver should not promote", "ここは▲５三銀不成とするところでした。", "Not promoting was better: S-53=."),
    ("king enters", "△５七玉と入玉されます。", "K-57 enters the camp with the king."),
    ("declaration of 28 points", "入玉宣言で勝ちでした。", "A declaration by entering king would have won."),
    (
        "mate in one is threatened",
        "詰めろを受けておらず、△５八金で詰まされます。",
        "Leaves a threat of mate: G*58 mates.",
    ),
    ("a gold leaves the square of the mate", "△５八金の一手詰を見落としています。", "Overlooks mate by G*58."),
    ("mate in three is there", "▲２三銀からの3手詰を逃しました。", "Misses a mate in 3 plies by S*23."),
    ("silver threatens mate", "△５七銀不成が詰めろになります。", "S-57= threatens mate."),
    ("silver could threaten mate", "▲５三銀不成なら詰めろでした。", "S-53= would have threatened mate."),
    ("S is lost two moves later", "△１四歩以下の読み筋で銀を取られます。", "The best line from P-14 on wins a silver."),
    (
        "S could be won two moves later",
        "▲８六歩以下の読み筋で銀を取れました。",
        "The best line from P-86 on would have won a silver.",
    ),
    ("a fourth time", "千日手になります。", "Repeats the position for the fourth time: a draw."),
];

#[test]
fn sentences_are_those_of_players() {
    let rows = rows("reasons.tsv");
    let wrong: Vec<String> = SENTENCES
        .iter()
        .filter_map(|&(theme, ja, en)| {
            let row = rows.iter().find(|row| row.text("theme") == theme).expect("a row");
            let mut report = report(row);
            explain(&mut report, RULE, &mut analyst(1));
            let reason = report.moves.last().and_then(|mv| mv.reason.clone()).expect("a reason");
            let found = (reason.ja, reason.en.replace(['▲', '△'], ""));
            (found != (ja.to_owned(), en.to_owned())).then(|| format!("{theme}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

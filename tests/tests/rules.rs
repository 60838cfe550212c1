//! Repetition, legality, declaration and the move limit.
//!
//! Each row of the table through the library and through the binary.

use enbu_movegen::{Declaration, EnteringKingRule, Move, MoveParts, Position, Ruling};
use enbu_tests::positions::{from_usi, legal_moves};
use enbu_tests::session::Session;
use enbu_tests::table::{Row, check_rows, equal};

fn kind(kind: &str) -> impl Fn(&Row) -> bool + '_ {
    move |row| row.text("kind") == kind
}

fn rule(row: &Row) -> (EnteringKingRule, &'static str) {
    match row.parameter("rule") {
        "csa24" => (EnteringKingRule::Csa24, "CSARule24"),
        "csa27" => (EnteringKingRule::Csa27, "CSARule27"),
        "try" => (EnteringKingRule::Try, "TryRule"),
        other => panic!("unknown rule {other}"),
    }
}

fn max_moves(row: &Row) -> u32 {
    row.parameter("max_moves").parse().unwrap()
}

/// An engine that shows the position of the row.
fn at(row: &Row, options: &[(&str, &str)]) -> Session {
    let mut session = Session::start();
    session.send("setoption name USI_Hash value 1");
    for (name, value) in options {
        session.send(&format!("setoption name {name} value {value}"));
    }
    session.accepts(&format!("position {}", row.text("position")));
    session
}

#[test]
fn repetition_through_the_library() {
    check_rows("rules.tsv", kind("repetition"), |row| {
        let position = from_usi(row.text("position"));
        let verdict = position.repetition().to_string();
        equal("plies", position.history().count() as u64, row.number("ply"))?;
        equal(row.text("id"), verdict.as_str(), row.text("expected"))
    });
}

#[test]
fn repetition_through_the_binary() {
    check_rows("rules.tsv", kind("repetition"), |row| {
        equal(row.text("id"), at(row, &[]).shows("repetition"), row.text("expected").to_owned())
    });
}

#[test]
fn repetitions_as_the_search_takes_them() {
    use enbu_movegen::Cycle::{Draw, Inferior, Loss, Superior, Win};
    let checks = "sfen 4k4/9/9/9/9/9/9/5R3/K8 b - 1 moves 4h5h 5a4a 5h4h 4a5a";
    let lost_pawn = "sfen 4k4/9/9/9/4G4/9/9/9/K8 w p 1 moves P*5d 5e5d 5a4a 5d5e 4a4b 9i9h 4b5a 9h9i";
    let won_pawn = "sfen 4k4/9/9/9/4g4/9/9/9/K8 w P 1 moves 5a4a P*5f 5e5f 9i9h 5f5e 9h8h 4a5a 8h9i";
    // A loop of other moves before the two loops of checks, which are repeated until the fourth occurrence.
    let mixed =
        format!("sfen 4k4/9/9/9/9/9/9/5R3/K8 b - 1 moves 9i9h 5a5b 9h9i 5b5a{}", checks.split_once("moves").unwrap().1);
    for (moves, distance, expected) in [
        ("startpos moves 2h3h 8b7b 3h2h 7b8b", 4, Some(Draw)),
        ("startpos moves 2h3h 8b7b 3h4h 7b6b 4h2h 6b8b", 6, Some(Draw)),
        ("startpos moves 2h3h 8b7b 3h2h 7b6b", 4, None),
        (checks, 4, Some(Loss)),
        (&format!("{checks} 4h5h"), 4, Some(Win)),
        (&mixed, 4, Some(Draw)),
        (lost_pawn, 8, Some(Inferior)),
        (won_pawn, 8, Some(Superior)),
    ] {
        let position = from_usi(moves);
        assert_eq!(position.cycle(distance + 1), expected.map(|cycle| (cycle, distance)), "{moves}");
        assert_eq!(position.cycle(distance), None, "{moves}: a repetition of the root");
    }
}

#[test]
fn repetition_of_the_colour_flipped_game() {
    let mirror = |verdict| match verdict {
        Ruling::Win(color) => Ruling::Win(!color),
        other => other,
    };
    check_rows("rules.tsv", kind("repetition"), |row| {
        let position = from_usi(row.text("position"));
        let mut start = position.clone();
        while start.undo_move().is_some() {}
        let mut flipped = Position::from_setup(&start.to_setup().flipped()).unwrap();
        for mv in position.history() {
            let mv = match mv.parts() {
                MoveParts::Drop { piece, to } => Move::drop(piece, to.rotated()),
                MoveParts::Board { from, to, promote: true } => Move::promotion(from.rotated(), to.rotated()),
                MoveParts::Board { from, to, promote: false } => Move::board(from.rotated(), to.rotated()),
            };
            flipped.play(mv).map_err(|error| error.to_string())?;
        }
        equal(row.text("id"), flipped.repetition(), mirror(position.repetition()))
    });
}

#[test]
fn single_moves_through_the_library() {
    check_rows("rules.tsv", kind("move"), |row| {
        let mut position = from_usi(row.text("position"));
        let mv: Move = row.parameter("move").parse().unwrap();
        let expected = row.text("expected") == "legal";
        equal("is_legal", position.is_legal(mv), expected)?;
        equal("generated", legal_moves(&position).contains(&mv), expected)?;
        equal("played", position.play(mv).is_ok(), expected)
    });
}

#[test]
fn single_moves_through_the_binary() {
    check_rows("rules.tsv", kind("move"), |row| {
        let mut session = at(row, &[]);
        let mv = row.parameter("move");
        let before = session.shows("sfen");
        let command = format!("position {} moves {mv}", row.text("position"));
        let expected = row.text("expected") == "legal";
        equal("listed", session.moves().iter().any(|listed| listed == mv), expected)?;
        if expected {
            session.accepts(&command);
            equal("a position that changed", session.shows("sfen") != before, true)
        } else {
            let error = session.refuses(&command);
            equal("names the move", error.contains(mv), true)?;
            equal("position", session.shows("sfen"), before)
        }
    });
}

#[test]
fn declaration_through_the_library() {
    check_rows("rules.tsv", kind("declaration"), |row| {
        let verdict = match from_usi(row.text("position")).declaration(rule(row).0) {
            Declaration::None => "none",
            Declaration::Lose => "lose",
            Declaration::Draw => "draw",
            Declaration::Win => "win",
        };
        equal(row.text("id"), verdict, row.text("expected"))
    });
}

#[test]
fn a_king_wins_on_the_start_square_of_the_other_under_the_try_rule() {
    for (sfen, expected) in [
        ("sfen 9/4K4/9/9/9/9/9/9/k8 b - 1", Some("5b5a")),
        ("sfen r8/4K4/9/9/9/9/9/9/k8 b - 1", None),
        ("sfen K8/9/9/9/9/9/9/3k5/9 w - 1", Some("6h5i")),
        ("sfen K8/9/9/9/9/9/3k5/9/9 w - 1", None),
    ] {
        let position = from_usi(sfen);
        assert_eq!(position.try_move().map(|mv| mv.to_string()).as_deref(), expected, "{sfen}");
        let verdict = if expected.is_some() { Declaration::Win } else { Declaration::None };
        assert_eq!(position.declaration(EnteringKingRule::Try), verdict, "{sfen}");
    }
}

#[test]
fn the_giver_of_a_handicap_declares_with_the_points_of_the_missing_pieces() {
    // Without a rook and a bishop; ten pieces in the zone and seven pawns in hand.
    let white = from_usi("sfen 4K4/9/9/9/9/9/9/+nlgskgsl+n/+p+p7 w RB2G2S2N2L9P7p 1");
    let black = Position::from_setup(&white.to_setup().flipped()).unwrap();
    for (rule, by_white, by_black) in [
        (EnteringKingRule::Csa27Handicap, Declaration::Win, Declaration::Lose),
        (EnteringKingRule::Csa27, Declaration::Lose, Declaration::Lose),
        (EnteringKingRule::Csa24Handicap, Declaration::Draw, Declaration::Lose),
        (EnteringKingRule::Csa24, Declaration::Lose, Declaration::Lose),
    ] {
        assert_eq!((white.declaration(rule), black.declaration(rule)), (by_white, by_black), "{rule:?}");
    }
}

#[test]
fn declaration_through_the_binary() {
    check_rows("rules.tsv", kind("declaration"), |row| {
        let mut session = at(row, &[("EnteringKingRule", rule(row).1)]);
        equal(row.text("id"), session.shows("declaration"), row.text("expected").to_owned())
    });
}

#[test]
fn a_winning_declaration_is_made() {
    check_rows(
        "rules.tsv",
        |row| kind("declaration")(row) && row.text("expected") == "win",
        |row| {
            let mut session = at(row, &[("EnteringKingRule", rule(row).1)]);
            session.send("go nodes 1000");
            equal(row.text("id"), session.bestmove(), "win".to_owned())?;
            let mut session = at(row, &[("EnteringKingRule", "NoEnteringKing")]);
            session.send("go nodes 1000");
            equal("without a rule", session.bestmove() == "win", false)
        },
    );
}

#[test]
fn declaration_under_every_rule_in_the_start_position() {
    let start = Position::startpos();
    for (rule, name, verdict) in [
        (EnteringKingRule::NoEnteringKing, "NoEnteringKing", "none"),
        (EnteringKingRule::Csa24, "CSARule24", "lose"),
        (EnteringKingRule::Csa24Handicap, "CSARule24H", "lose"),
        (EnteringKingRule::Csa27, "CSARule27", "lose"),
        (EnteringKingRule::Csa27Handicap, "CSARule27H", "lose"),
        (EnteringKingRule::Try, "TryRule", "none"),
    ] {
        assert_eq!(format!("{:?}", start.declaration(rule)).to_lowercase(), verdict, "{name}");
        let mut session = Session::ready();
        session.send(&format!("setoption name EnteringKingRule value {name}"));
        assert_eq!(session.shows("declaration"), verdict, "{name}");
    }
}

#[test]
fn move_limit_through_the_library() {
    check_rows("rules.tsv", kind("max_moves"), |row| {
        let verdict = from_usi(row.text("position")).max_moves(max_moves(row)).to_string();
        equal(row.text("id"), verdict.as_str(), row.text("expected"))
    });
}

#[test]
fn move_limit_through_the_binary() {
    check_rows("rules.tsv", kind("max_moves"), |row| {
        let mut session = at(row, &[("MaxMovesToDraw", &max_moves(row).to_string())]);
        equal(row.text("id"), session.shows("max_moves"), row.text("expected").to_owned())
    });
}

#[test]
fn no_move_limit_is_no_verdict() {
    let mut session = Session::ready();
    session.accepts("position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 60000");
    assert_eq!(session.shows("max_moves"), "none");
}

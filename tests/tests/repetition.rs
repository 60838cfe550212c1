//! Repetitions before and within a search, and endings that need a plan instead.

use enbu_tests::has_slow_rows;
use enbu_tests::session::Session;
use enbu_tests::table::{Row, check_rows, equal};

fn engine(options: &[(&str, &str)]) -> Session {
    let mut session = Session::start();
    for (name, value) in [("Threads", "1"), ("USI_Hash", "16"), ("USI_OwnBook", "false")].iter().chain(options) {
        session.send(&format!("setoption name {name} value {value}"));
    }
    session.reply("isready");
    session
}

/// Score and line of the last report, and the answer.
fn searched(session: &mut Session, position: &str, go: &str) -> (String, String, String) {
    session.send(&format!("position {position}"));
    session.send(go);
    let lines = session.until("bestmove");
    let last = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line of play");
    let words: Vec<&str> = last.split(' ').skip_while(|word| *word != "score").skip(1).take(2).collect();
    let line = last.split_once(" pv ").expect("a line of play").1;
    (words.join(" "), line.to_owned(), lines.last().expect("the answer").clone())
}

#[test]
fn a_loop_before_the_root_changes_no_score() {
    let is_wanted = |row: &Row| has_slow_rows() || ["mate 3", "cp 27999"].contains(&row.text("score"));
    check_rows("repetition.tsv", is_wanted, |row| {
        let (position, mut session) = (row.text("position"), engine(&[]));
        let (score, ..) = searched(&mut session, position, &format!("go nodes {}", row.text("nodes")));
        equal("score", score.as_str(), row.text("score"))
    });
}

#[test]
fn a_bishop_is_not_given_away_for_a_draw_that_is_none() {
    if !has_slow_rows() {
        return;
    }
    let position =
        "sfen lnsg2snl/1r2k2b1/pppg1pppp/3pp4/9/2P3P2/PP1PPP1PP/1B3GSR1/LNS1K2NL b g 1 moves 8h5e 3a4b 5e8h 4b3a";
    let (score, _, answer) = searched(&mut engine(&[]), position, "go nodes 100000");
    let cp: i32 = score.strip_prefix("cp ").expect("no mate").parse().unwrap();
    assert!((-2000..-800).contains(&cp) && !answer.starts_with("bestmove 8h5e"), "{score} {answer}");
}

#[test]
fn the_rule_that_ends_a_line_is_named_where_wanted() {
    let declared = "sfen 1+P+P+PK+P+P+P1/1+P3+P2+P/9/9/9/9/6ppp/6psk/6pgg b 2RB2G2SNPbs3n4l 1 moves B*6b";
    let twice = " 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b";
    let (draw, checks) = (format!("startpos moves{twice} 2h3h 8b7b 3h2h"), " 4h5h 5a4a 5h4h 4a5a".repeat(2));
    let checks = format!("sfen 4k4/9/9/9/9/9/9/5R3/K8 b - 1 moves{checks} 4h5h 5a4a 5h4h");
    for (position, go, score, line, end) in [
        (declared, "go nodes 20000", "mate -2", "L*1a", " win"),
        (&draw, "go nodes 2000 searchmoves 7b8b", "cp -2", "7b8b", " rep_draw"),
        (&checks, "go nodes 2000", "cp 27999", "4a5a", " rep_lose"),
    ] {
        for (shown, end) in [("false", ""), ("true", end)] {
            let (found, pv, _) = searched(&mut engine(&[("ShowLineEnds", shown)]), position, go);
            assert_eq!((found.as_str(), pv), (score, format!("{line}{end}")), "{position}");
        }
    }
}

#[test]
fn won_endings_are_won() {
    if !has_slow_rows() {
        return;
    }
    check_rows(
        "won.tsv",
        |_| true,
        |row| row.text("nodes").split(' ').try_for_each(|nodes| is_won(row.text("sfen"), nodes)),
    );
}

/// Plays an ending out, both sides with this many nodes a move.
fn is_won(sfen: &str, nodes: &str) -> Result<(), String> {
    let mut sides = [engine(&[]), engine(&[])];
    let mut position = format!("sfen {sfen} moves");
    for ply in 0..320 {
        let (_, _, answer) = searched(&mut sides[ply % 2], &position, &format!("go nodes {nodes}"));
        let mv = answer.split(' ').nth(1).expect("a move");
        if mv == "resign" {
            return equal("the side that resigns", ply % 2, 1);
        }
        position += &format!(" {mv}");
        sides[0].accepts(&format!("position {position}"));
        equal("repetition", sides[0].shows("repetition").as_str(), "none")?;
    }
    Err(format!("no win in 320 plies with {nodes} nodes: {position}"))
}

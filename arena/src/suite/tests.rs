//! Forms of suites, and lines that are none.

use super::*;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Name, task, answers, wrong moves.
fn words(problem: &Problem) -> String {
    let moves = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    format!("{} {:?} [{}] [{}]", problem.name, problem.task, moves(&problem.best), moves(&problem.avoid))
}

fn read(text: &str, bare: Option<Task>) -> Vec<String> {
    let suite = Suite::read(text, "f", bare);
    let faults = suite.faults.iter().map(|fault| fault.english.clone());
    suite.problems.iter().map(words).chain(faults).collect()
}

#[test]
fn every_form_is_read() {
    let collection = |problems: &str| {
        format!("\u{feff}{{\"format\":\"shogihome-next-move\",\"version\":1,\"problems\":[{problems}],\"x\":2}}")
    };
    let listed = format!(
        "{{\"sfen\":\"{START}\",\"actualMove\":{{}},\"candidates\":[{{\"usi\":\"2g2f\",\"score\":3}},{{\"usi\":\"7g7f\",\"accepted\":true}},{{\"usi\":\"5g5f\"}}]}}"
    );
    for (text, bare, expected) in [
        ("startpos bm 7g7f 2g2f; am 5g5f;".to_owned(), None, "f:1 Move [7g7f 2g2f] [5g5f]"),
        ("startpos moves 7g7f bm 3c3d am 1c1d 9c9d".to_owned(), None, "f:1 Move [3c3d] [1c1d 9c9d]"),
        (format!("# a comment\n\nsfen {START}; bm 2g2f; c0 \"a word\"; id \"no. 3\";\r"), None, "no. 3 Move [2g2f] []"),
        (format!("{START} mate 3"), None, "f:1 Mate [] []"),
        (format!("{START} mate; bm 7g7f"), None, "f:1 Mate [7g7f] []"),
        (START.to_owned(), Some(Task::Mate), "f:1 Mate [] []"),
        (
            format!("{START}\tbm 7g7f 3c3d 2g2f\tbm 2g2f\tam 5g5f\tblunder 31.5\ta.kif#1 move 4"),
            None,
            "f:1 Move [7g7f 2g2f] [5g5f]",
        ),
        (format!("sfen\tmate_plies\tnote\n{START}\t3\tmate in 3"), Some(Task::Mate), "f:2 Mate [] []"),
        (format!("sfen\tbm\tmate\n{START}\t7g7f 2g2f\t"), None, "f:2 Mate [7g7f 2g2f] []"),
        (format!("sfen,bm,note\n\"{START}\",7g7f 2g2f,bm 5g5f"), None, "f:2 Move [7g7f 2g2f] []"),
        (format!("sfen,id,am\n{START},one,7g7f"), None, "one Move [] [7g7f]"),
        (collection(&listed), None, "f#1 Move [2g2f 7g7f] []"),
    ] {
        assert_eq!(read(&text, bare), [expected], "{text}");
    }
}

#[test]
fn lines_that_are_no_problems_are_named_and_the_others_kept() {
    for (text, fault) in [
        ("startpos", "f:1: no bm, am or mate (--mate takes such lines for mate problems): `startpos`"),
        ("startpos\tnote", "f:1: no bm, am or mate (--mate takes such lines for mate problems): `startpos\tnote`"),
        ("startpos bm", "f:1: no bm, am or mate (--mate takes such lines for mate problems): `startpos bm`"),
        ("startpos bm 7g7e", "f:1: `7g7e` is not a move here: `startpos bm 7g7e`"),
        ("startpos bm 7g7f 3c3d", "f:1: `3c3d` is not a move here: `startpos bm 7g7f 3c3d`"),
        ("startpos am xyzzy;", "f:1: `xyzzy` is not a move here: `startpos am xyzzy;`"),
        ("startpos mate soon", "f:1: mate: `soon` is not a number of plies: `startpos mate soon`"),
        (
            "4k4/4R4/9/9/9/9/9/9/4K4 b - 1 bm 5b5a",
            "f:1: opponent in check: the king on 5a could be captured: `4k4/4R4/9/9/9/9/9/9/4K4 b - 1 bm 5b5a`",
        ),
        ("what is this", "f:1: position: "),
        (
            "{\"format\":\"shogihome-next-move\",\"version\":2,\"problems\":[]}",
            "f: not shogihome-next-move of version 1: shogihome-next-move 2: ``",
        ),
        ("{\"format\":\"x\",\"version\":1,\"problems\":[]}", "f: not shogihome-next-move of version 1: x 1: ``"),
        ("{\n\"format\"", "f:2: EOF while parsing"),
        (
            "{\"format\":\"shogihome-next-move\",\"version\":1,\"problems\":[{\"sfen\":\"startpos\",\"candidates\":[]}]}",
            "f#1: no bm, am or mate",
        ),
        (
            "{\"format\":\"shogihome-next-move\",\"version\":1,\"problems\":[{\"sfen\":\"startpos\",\"candidates\":[{\"usi\":\"3c3d\"}]}]}",
            "f#1: `3c3d` is not a move here: `startpos`",
        ),
    ] {
        let found = read(text, None);
        assert!(found.len() == 1 && found[0].starts_with(fault), "{text}: {found:?}");
    }
    let mixed = read("startpos bm 7g7f\nnonsense\nstartpos bm 2g2f\n", None);
    assert_eq!((mixed.len(), &mixed[1][..]), (3, "f:3 Move [2g2f] []"));
}

#[test]
fn the_sign_test_has_its_known_values() {
    for (first, second, p) in
        [(1, 0, 1.0), (2, 8, 0.109_375), (0, 10, 0.001_953_125), (60, 40, 0.056_887_9), (400, 600, 2.727e-10)]
    {
        for p_found in [crate::sign_test(first, second), crate::sign_test(second, first)] {
            assert!((p_found / p - 1.0).abs() < 1e-3, "{first} {second}: {p_found}");
        }
    }
    assert!(crate::sign_test(50_000, 50_300) > 0.3, "counts beyond the range of a power of two");
}

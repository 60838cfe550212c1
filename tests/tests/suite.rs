//! `enbu suite`: problems in, verdicts of engines out.

use std::fs;
use std::process::Output;

use enbu_movegen::{Move, MoveList, Position};
use enbu_tests::invocation::Invocation;
use serde_json::Value;

const MATE_IN_3: &str = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1";
const ROOK: &str = "3k5/9/9/9/4r4/9/9/9/2K1R4 b - 1";

/// A suite of a text and arguments after its file.
fn suite(text: &str, arguments: &[&str]) -> Invocation {
    let new = Invocation::new("suite");
    fs::write(new.path("s.tsv"), text).expect("written");
    new.with(&["s.tsv"]).with(arguments).with(&["--lang", "en", "--quiet"])
}

fn run(suite: &Invocation) -> (Output, Value) {
    let output = suite.command().arg("--json").output().expect("it runs");
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, json)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// An engine with one fault.
fn misbehaving(fault: &str) -> String {
    format!("'{}' {fault}", env!("CARGO_BIN_EXE_misbehaving"))
}

#[test]
fn engines_are_compared_and_equal_runs_print_equal_results() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let text = format!("{ROOK}\tbm 5i5e\tam 7i7h\tblunder 30.0\n{MATE_IN_3} mate 3; id \"three plies\"\n");
    let resigning = misbehaving("resigns");
    let engines = ["--engine", "self", "name=E", "--engine", &resigning, "name=R", "--tc", "nodes=3000"];
    let new = suite(&text, &engines);
    let (output, json) = run(&new);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let attempt = |problem: usize, engine: usize| &json["problems"][problem]["attempts"][engine];
    assert_eq!((&attempt(0, 0)["verdict"], &attempt(0, 0)["line"][0]), (&"solved".into(), &"5i5e".into()));
    assert_eq!(attempt(1, 0)["line"], serde_json::json!(["S*2c", "2b1c", "G*1d"]));
    assert_eq!(json["problems"][1]["name"], "three plies");
    for problem in 0..2 {
        let [nodes, stable] = ["nodes", "stable_nodes"].map(|key| attempt(problem, 0)[key].as_u64().expect("a number"));
        assert!(0 < stable && stable <= nodes && nodes <= 3100, "{json:#}");
        assert_eq!(attempt(problem, 0)["ms"], Value::Null, "no time where it decides nothing");
    }
    // The other engine resigns, and answers `go mate` so as well.
    let verdicts = [0, 1].map(|problem| attempt(problem, 1)["verdict"].as_str().expect("a word"));
    assert_eq!(verdicts, ["wrong", "not_implemented"]);
    let comparison = &json["comparisons"][0];
    assert_eq!(
        (&comparison["only_first"], &comparison["only_second"], &comparison["p"]),
        (&1.into(), &0.into(), &1.0.into())
    );
    assert_eq!((&json["engines"][1]["problems"], &json["engines"][1]["solved"]), (&1.into(), &0.into()));
    assert_eq!(run(&new).0.stdout, output.stdout);

    let table = |more: &[&str]| new.command().args(more).output().expect("it runs");
    let (once, again) = (table(&[]).stdout, table(&[]).stdout);
    assert_eq!(once, again);
    let shown = String::from_utf8(once.clone()).expect("UTF-8");
    assert!(shown.contains("| three plies | solved S*2c (3 plies) ["), "{shown}");
    assert!(shown.contains("| R | nodes=3000 | 0 | 1 | 0.0 | – | 0 | 1 | 0 |"), "{shown}");
    assert!(shown.contains("E against R: 1 problems solved by the first alone"), "{shown}");
    assert!(table(&["-o", "t.md"]).status.success());
    assert_eq!(fs::read(new.path("t.md")).expect("a file"), once);
    assert!(stderr(&table(&["-o", "t.txt"])).contains("--output t.txt: the name must end in one of .md, .json"));
    assert_eq!(table(&["-o", "t.md"]).status.code(), Some(1), "a file that exists");
}

#[test]
fn times_are_shown_where_they_count() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let new = suite("startpos bm 1g1f\n", &["--engine", &misbehaving("fine"), "tc=movetime=1"]);
    let (output, json) = run(&new);
    let attempt = &json["problems"][0]["attempts"][0];
    assert_eq!(attempt["verdict"], "solved", "{}", stderr(&output));
    assert!(attempt["stable_ms"].as_u64() <= attempt["ms"].as_u64() && attempt["stable_ms"].is_u64(), "{attempt}");
    assert!(json["engines"][0]["median_stable_ms"].is_u64());
}

/// The verdicts and exit codes of engines with faults; an engine is started again after one.
#[test]
fn faults_of_engines_are_named_and_the_next_problem_is_put_to_them() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let (moves, mates) = ("startpos bm 7g7f\nstartpos am 7g7f\n", format!("{MATE_IN_3} mate 3\n{MATE_IN_3} mate 3\n"));
    for (fault, text, tc, verdicts, said) in [
        ("fine", moves, "nodes=9", ["wrong", "solved"], ""),
        ("fine", &mates, "nodes=9", ["not_implemented", "not_implemented"], ""),
        ("resigns", moves, "nodes=9", ["wrong", "wrong"], ""),
        ("declares", moves, "nodes=9", ["wrong", "wrong"], ""),
        ("garbage-lines", moves, "nodes=9", ["wrong", "solved"], ""),
        ("two-answers", moves, "nodes=9", ["wrong", "solved"], ""),
        ("dies", moves, "nodes=9", ["fault", "fault"], "ended with exit status: 3, stderr: out of luck"),
        ("dies", &mates, "nodes=9", ["fault", "fault"], "ended with exit status: 3, stderr: out of luck"),
        ("silent", moves, "nodes=9", ["fault", "fault"], "no bestmove within 0.7 s"),
        ("silent", &mates, "nodes=9", ["fault", "fault"], "no checkmate within 1.4 s"),
        ("deaf", moves, "nodes=9", ["fault", "fault"], "no bestmove within 0.7 s"),
        ("flood", moves, "nodes=9", ["fault", "fault"], "no bestmove within 0.7 s"),
        ("slow", moves, "movetime=0.1", ["fault", "fault"], "ms used of 100"),
        ("illegal", moves, "nodes=9", ["fault", "fault"], "illegal move P*5e"),
        ("garbage-answer", moves, "nodes=9", ["fault", "fault"], "bestmove: `xyzzy` is not a move"),
        ("reports-error", moves, "nodes=9", ["fault", "fault"], "X: Error! : nn.bin"),
        ("empty-answer", moves, "nodes=9", ["fault", "fault"], "bestmove: `` is not a move"),
    ] {
        let new = suite(text, &["--engine", &misbehaving(fault), "name=X", "--tc", tc, "--hang", "0.7"]);
        let (output, json) = run(&new);
        let found =
            [0, 1].map(|problem| json["problems"][problem]["attempts"][0]["verdict"].as_str().unwrap_or_default());
        assert_eq!(found, verdicts, "{fault}: {}", stderr(&output));
        assert!(stderr(&output).contains(said) && !stderr(&output).contains('\u{1b}'), "{fault}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(i32::from(!said.is_empty())), "{fault}");
    }
}

#[test]
fn an_engine_that_does_not_start_ends_the_suite() {
    for (fault, said) in [("no-usiok", "no usiok within 0.5 s"), ("dies-at-start", "ended with exit status: 4")] {
        let arguments = ["--engine", &misbehaving(fault), "name=X", "--tc", "nodes=9", "--start-timeout", "0.5"];
        let (output, json) = run(&suite("startpos bm 7g7f\n", &arguments));
        assert_eq!((output.status.code(), json), (Some(1), Value::Null));
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn bad_lines_and_arguments_are_named() {
    let engine = ["--engine", "self", "--tc", "nodes=200"];
    for (text, arguments, code, said) in [
        ("startpos bm 7g7e\nstartpos am 1c1d\n", &engine[..], 2, ""),
        (
            "startpos bm 7g7e\nstartpos am 1g1f\n",
            &engine,
            1,
            "enbu: s.tsv:1: `7g7e` is not a move here: `startpos bm 7g7e`",
        ),
        ("startpos\n", &engine, 1, "no bm, am or mate"),
        ("# nothing\n", &engine, 1, "there are no problems to solve"),
        (
            "{\"format\":\"shogihome-next-move\",\"version\":3,\"problems\":[]}",
            &engine,
            1,
            "s.tsv: not shogihome-next-move",
        ),
        ("startpos bm 7g7f\n", &[], 2, "an engine is needed: --engine"),
        ("startpos bm 7g7f\n", &["--engine", "self"], 2, "a time control is needed"),
        ("startpos bm 7g7f\n", &["--engine", "self", "color=red"], 2, "--engine: `color=red` is not name="),
        ("startpos am 1g1f\n", &["--engine", "self", "--tc", "nodes=200", "--min-solved", "1"], 0, ""),
        ("startpos am 1g1f\n", &["--engine", "self", "--tc", "nodes=200", "--min-solved", "2"], 1, ""),
    ] {
        let (output, _) = run(&suite(text, arguments));
        let (found, code) = (output.status.code(), if code == 2 && said.is_empty() { 1 } else { code });
        assert_eq!(found, Some(code), "{text} {arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{text} {arguments:?}: {}", stderr(&output));
    }
}

fn moves(position: &Position, generate: impl Fn(&Position, &mut MoveList)) -> impl Iterator<Item = (Move, Position)> {
    let (mut list, from) = (MoveList::new(), position.clone());
    generate(position, &mut list);
    let list: Vec<Move> = list.into_iter().collect();
    list.into_iter().map(move |mv| {
        let mut after = from.clone();
        after.do_move(mv);
        (mv, after)
    })
}

/// A line of three plies to a mate in which the defender helps.
fn helpmate(position: &Position) -> String {
    let is_mate = |position: &Position| position.in_check() && !position.has_legal_move();
    for (first, after) in moves(position, |position, list| position.checks(list)) {
        for (reply, next) in moves(&after, Position::legal_moves) {
            let last = moves(&next, |position, list| position.checks(list)).find(|(_, end)| is_mate(end));
            if let Some((last, _)) = last.filter(|_| first.to_string() != "S*2c") {
                return format!("{first} {reply} {last}");
            }
        }
    }
    panic!("no helpmate");
}

#[cfg(unix)]
#[test]
fn mating_lines_are_checked() {
    let position = Position::from_setup(&MATE_IN_3.parse().expect("an SFEN")).expect("playable");
    for (answer, verdict) in [
        ("S*2c 2b1c G*1d".to_owned(), "solved"),
        (helpmate(&position), "wrong"),
        ("S*2c 2b1c".to_owned(), "wrong"),
        ("G*5e 2b1c S*2d".to_owned(), "wrong"),
        ("S*2c 2b1c G*1c".to_owned(), "fault"),
        ("nomate".to_owned(), "wrong"),
        ("timeout".to_owned(), "wrong"),
        ("notimplemented".to_owned(), "not_implemented"),
    ] {
        let new = suite(&format!("{MATE_IN_3} mate 3\n"), &["--engine", "sh e.sh", "name=X", "--tc", "movetime=1"]);
        let script = format!(
            "while read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;; quit) exit;; \
             'go mate 1000') echo checkmate {answer};; go*) exit 9;; esac; done"
        );
        fs::write(new.path("e.sh"), script).expect("written");
        let (output, json) = run(&new);
        assert_eq!(json["problems"][0]["attempts"][0]["verdict"], verdict, "{answer}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_suite_prints_what_was_done() {
    let text = "startpos am 7g7f\n".repeat(3000);
    let new = suite(&text, &["--engine", &misbehaving("fine"), "name=X", "--tc", "nodes=9", "--log", "log"]);
    let file = |name: &str| fs::File::create(new.path(name)).expect("a file");
    let mut command = new.command();
    let mut child = command.arg("--json").stdout(file("out")).stderr(file("err")).spawn().expect("it runs");
    let is_begun = || fs::read_to_string(new.path("log")).is_ok_and(|log| log.matches("go nodes 9").count() > 2);
    while !is_begun() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("a signal").success());
    let code = child.wait().expect("an end").code();
    let json: Value = serde_json::from_slice(&fs::read(new.path("out")).expect("a file")).expect("JSON");
    let done = json["problems"].as_array().expect("a list").len();
    assert!(done > 0 && done < 3000 && json["engines"][0]["solved"] == done, "{done}");
    assert_eq!(code, Some(130));
}

//! Tests of the driver against scripted engines.

use super::*;

fn info(line: &str) -> (Info, Option<ReplyError>) {
    let Heard { reply: Some(Reply::Info(info)), problem } = parse_reply(line) else { panic!("{line}") };
    (info, problem)
}

fn report(lines: &[&str]) -> LastReport {
    let mut report = LastReport::default();
    for line in lines {
        let (info, problem) = info(line);
        report.update(info, problem);
    }
    report
}

#[test]
fn the_last_report_is_of_the_best_line_and_exact() {
    let last = report(&[
        "info depth 4 score cp 30 nodes 10 pv 7g7f 3c3d",
        "info depth 5 score cp 90 lowerbound nodes 20 pv 2g2f",
        "info depth 5 multipv 2 score cp -5 nodes 30 pv 9g9f",
        "info nodes 40 nps 5",
    ]);
    assert_eq!((last.score, last.depth, last.nodes), (Some(Score::Cp(30)), Some(5), Some(40)));
    assert_eq!(last.pv, ["2g2f".parse().unwrap()]);
    assert_eq!(last.pv_fault, None);
}

#[test]
fn a_fault_in_the_line_of_play_stands_until_the_next_line() {
    let bad = ["info depth 4 pv 7g7f oops"];
    assert_eq!(report(&bad).pv_fault.as_deref(), Some("oops"));
    assert_eq!(report(&[bad[0], "info depth 5 pv 7g7f"]).pv_fault, None);
}

#[test]
fn a_program_that_does_not_exist_is_an_error_not_a_panic() {
    let launch = Launch { command: vec!["./no such program".to_owned()], ..Launch::default() };
    let started = Driver::start(&launch, Duration::from_secs(1), &Cancel::default(), None);
    let error = started.err().unwrap().to_string();
    assert!(error.starts_with("`./no such program` cannot be started: "), "{error}");
}

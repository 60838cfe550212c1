//! Commands in any order: the number of answers is always right.

use proptest::prelude::*;

use super::fake::{Behaviour, Rig, play};
use crate::Exit;

const COMMANDS: [&str; 22] = [
    "go",
    "go infinite",
    "go infinite depth 1",
    "go ponder",
    "go ponder depth 1",
    "go ponder infinite",
    "go depth 1",
    "go depth x",
    "go mate infinite",
    "go perft 1",
    "stop",
    "ponderhit",
    "gameover win",
    "usinewgame",
    "isready",
    "usi",
    "position startpos",
    "position startpos moves 7g7f",
    "position startpos moves 7g7f 7g7f",
    "setoption name USI_Hash value 5",
    "d",
    "xyzzy",
];

/// The event that the unanswered `go` waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// The end of the search, which comes by itself.
    End,
    /// `stop` or one of its kin.
    Stop,
    /// `ponderhit` or `stop`; then this.
    Hit { ends: bool, infinite: bool },
}

/// Number of answers due for a sequence of commands.
fn answers_due(commands: &[&str]) -> usize {
    let (mut answers, mut open) = (0, None);
    for command in commands {
        match command.split(' ').next() {
            Some("go") => {
                answers += usize::from(open.take().is_some());
                let has = |word| command.split(' ').any(|other| other == word);
                let (ends, infinite) = (has("1"), has("infinite") && !has("mate"));
                open = match (has("perft"), has("ponder"), ends && !infinite) {
                    (true, ..) => None,
                    (_, true, _) => Some(Awaits::Hit { ends, infinite }),
                    (_, _, true) => Some(Awaits::End),
                    _ => Some(Awaits::Stop),
                };
            }
            Some("stop" | "gameover" | "usinewgame") => answers += usize::from(open.take().is_some()),
            Some("ponderhit") => {
                if let Some(Awaits::Hit { ends, infinite }) = open {
                    open = Some(if ends && !infinite { Awaits::End } else { Awaits::Stop });
                }
            }
            _ => {}
        }
    }
    answers + usize::from(open == Some(Awaits::End))
}

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.split(' ').next() == Some(word)).count()
}

fn answers(lines: &[String]) -> usize {
    count(lines, "bestmove") + count(lines, "checkmate")
}

#[test]
fn the_model_counts_what_is_due() {
    assert_eq!(answers_due(&["go depth 1", "go infinite", "stop", "stop"]), 2);
    assert_eq!(answers_due(&["go ponder depth 1"]), 0);
    assert_eq!(answers_due(&["go ponder depth 1", "ponderhit"]), 1);
    assert_eq!(answers_due(&["go ponder infinite", "ponderhit"]), 0);
    assert_eq!(answers_due(&["go perft 1"]), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn every_go_gets_one_answer_and_none_too_early(
        commands in prop::collection::vec(prop::sample::select(&COMMANDS), 0..40), in_one_write: bool,
    ) {
        let outcome = Some(play("2g2f"));
        let rig = Rig::with(Behaviour { on_stop: outcome.clone(), at_depth: outcome, ..Behaviour::default() });
        if in_one_write {
            rig.send(&commands.join("\n"));
        } else {
            commands.iter().for_each(|command| rig.send(command));
        }
        // The second question comes after all events of the first.
        let mut lines = Vec::new();
        for _ in 0..2 {
            rig.send("getoption Nonsense");
            lines.extend(std::iter::repeat_with(|| rig.line()).take_while(|line| !line.contains("Nonsense")));
        }
        prop_assert_eq!(answers(&lines), answers_due(&commands), "{:?}", lines);
        prop_assert_eq!(count(&lines, "readyok"), commands.iter().filter(|&&line| line == "isready").count());
        prop_assert_eq!(count(&lines, "usiok"), commands.iter().filter(|&&line| line == "usi").count());
        rig.send("quit");
        let (exit, rest) = rig.end();
        lines.extend(rest);
        prop_assert_eq!(exit, Exit::Quit);
        let searches = commands.iter().filter(|line| line.starts_with("go") && !line.contains("perft")).count();
        prop_assert_eq!(answers(&lines), searches);
    }
}

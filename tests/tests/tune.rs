//! Tuning by `enbu tune`: values move towards wins, and an interrupted tuning resumes.

use std::fs;
use std::ops::Deref;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use enbu_tests::binary;
use enbu_tests::invocation::Invocation;
#[cfg(unix)]
use enbu_tests::session::patience;
use serde_json::Value;

/// One tuning that has not begun yet, or is to be gone on with.
struct Tuning(Invocation);

impl Deref for Tuning {
    type Target = Invocation;

    fn deref(&self) -> &Invocation {
        &self.0
    }
}

impl Tuning {
    /// Eight iterations of one pair with the engine of `src/bin/tunable.rs`.
    fn new() -> Self {
        Self::of(&format!("'{}'", env!("CARGO_BIN_EXE_tunable"))).with(&["--iterations", "8"])
    }

    /// Like [`new`](Self::new), with an engine that fails at its `limit`-th start.
    fn failing_at(limit: usize) -> Self {
        // The folder of the tuning is the working directory of its engines.
        Self::of(&format!("'{}' starts {limit}", env!("CARGO_BIN_EXE_tunable"))).with(&["--iterations", "8"])
    }

    fn of(engine: &str) -> Self {
        let new = Self(Invocation::new("tune").with_openings());
        new.with(&["--engine", engine, "--param", "all", "--param", "endurance:2", "--rate", "0.1"])
            .with(&["--tc", "depth=1", "--quiet"])
    }

    fn with(self, arguments: &[&str]) -> Self {
        Self(self.0.with(arguments))
    }

    fn run(&self) -> Output {
        self.command().output().unwrap()
    }

    /// Runs it to its end and returns its output.
    fn table(&self) -> String {
        let output = self.run();
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    }

    /// Runs it and sees it refused; why.
    fn refusal(&self) -> String {
        let output = self.run();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        text(&output.stderr)
    }

    fn state(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path("tune.json")).unwrap()).unwrap()
    }
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn values_move_to_what_wins() {
    let tuning = Tuning::new();
    let table = tuning.table();
    let state = tuning.state();
    assert_eq!(state["parameters"][0]["name"], "endurance");
    let endurance = state["values"][0].as_f64().unwrap();
    // Both games of every pair are won by the side with more: eight moves of at least
    // 2 * 0.1 * 2.
    assert!(endurance > 13.2, "{state}");
    let games = &state["games"];
    assert_eq!(games["won"].as_u64().unwrap() + games["lost"].as_u64().unwrap(), 16, "{state}");
    for line in [
        &format!("endurance              10 {endurance:>11.2}        2 "),
        "iteration 8 of 8, games +",
        &format!("    endurance: i32 = {}, 1..=20, 2;", endurance.round()),
        "    colour_of_stones: i32 = ",
    ] {
        assert!(table.contains(line), "{line:?} in {table}");
    }
    let show = Command::new(binary::enbu()).args(["tune", "--show", "--state"]).arg(tuning.path("tune.json")).output();
    assert_eq!(text(&show.unwrap().stdout), table);
    assert_eq!(tuning.table(), table, "nothing is played when all is done");
    assert_eq!(tuning.state(), state);
}

#[test]
fn a_tuning_that_was_cut_short_goes_on_where_it_stopped() {
    let whole = Tuning::new().with(&["--pairs", "2"]);
    whole.table();
    // The engine is started once to ask for its options and four times an iteration.
    let cut = Tuning::failing_at(1 + 4 * 3 + 2).with(&["--pairs", "2"]);
    let message = cut.refusal();
    assert!(message.contains("minus: "), "{message}");
    assert_eq!((&cut.state()["done"], &cut.state()["games"]["drawn"]), (&3.into(), &0.into()));
    // More games at once change nothing.
    let cut = cut.with(&["--concurrency", "2"]);
    let output = cut.run();
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains("going on with tune.json"), "{output:?}");
    assert_eq!(cut.state(), whole.state());
    assert_eq!(whole.state()["done"], 8);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_all_whole_iterations() {
    let endless = Tuning::of(&format!("'{}'", env!("CARGO_BIN_EXE_tunable"))).with(&["--iterations", "1000000"]);
    let mut before = 0;
    for _ in 0..2 {
        let mut child = endless.command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = Instant::now() + 3 * patience();
        let done = || if endless.path("tune.json").exists() { endless.state()["done"].as_u64().unwrap() } else { 0 };
        while done() < before + 2 {
            assert!(Instant::now() < deadline, "nothing is learnt");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the tuning does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(text(&output.stderr).contains("interrupted; the same command goes on"), "{output:?}");
        assert!(done() >= before + 2, "iterations are lost");
        before = done();
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let tuning = Tuning::new();
    tuning.table();
    let state = tuning.state();
    for (arguments, message) in [
        (&["--seed", "2"][..], "tune.json does not fit: it was begun with seed 1, not 2"),
        (&["--concurrency", "2"], "tune.json does not fit: it was begun with pairs 1, not 2"),
        (&["--max-moves", "200"], "it was begun with the rules max-moves=320 rule=27, not max-moves=200 rule=27"),
        (&["--slack", "5"], "it was begun with the clock depth=1, not depth=1 slack=5"),
        (&["--param", "usi_hash:1"], "with the parameters endurance, colour_of_stones, not USI_Hash, endurance, "),
    ] {
        let output = tuning.command().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(text(&output.stderr).contains(message), "{message}: {output:?}");
    }
    fs::write(tuning.path("openings"), "startpos\n").unwrap();
    assert!(tuning.refusal().contains("it was begun with openings 3 ("));
    assert_eq!(tuning.state(), state);
    fs::write(tuning.path("tune.json"), "{\"some\": \"thing else\"}").unwrap();
    assert!(tuning.refusal().contains("tune.json is not the state of a tuning"));
    assert_eq!(tuning.state()["some"], "thing else", "the file is not touched");
}

#[test]
fn what_cannot_be_tuned_is_refused_before_any_game() {
    for (arguments, message) in [
        (&["--param", "speed"][..], "no spin option is named `speed`; there are USI_Hash, endurance, colour_of_stones"),
        (&["--param", "polite"], "no spin option is named `polite`; there are USI_Hash, "),
        (&["--param", "endurance"], "endurance is given twice"),
        (&["--param", "usi_hash:20"], "USI_Hash: the step 20 is not from 0.5 to 8, the width of its range"),
    ] {
        let tuning = Tuning::new().with(arguments);
        let refusal = tuning.refusal();
        assert!(refusal.contains(message), "{refusal}");
        assert!(!tuning.path("tune.json").exists());
    }
    for arguments in [
        &["tune"][..],
        &["tune", "--engine", "self", "--param", "a:b", "--iterations", "1"],
        &["tune", "--engine", "self", "nonsense", "--param", "all", "--iterations", "1"],
        &["tune", "--engine", "self", "--param", "all", "--iterations", "0"],
    ] {
        let output = Command::new(binary::enbu()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    }
    let missing = Command::new(binary::enbu()).args(["tune", "--show", "--state", "no-such-file"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("no-such-file: "));
}

#[test]
fn our_own_engine_is_tuned_from_the_values_it_is_given() {
    let own = Invocation::new("tune")
        .with(&["--engine", "self", "option.USI_Hash=1", "option.DrawValueBlack=40", "tc=nodes=30"])
        .with(&["--param", "DrawValueBlack:10", "--iterations", "2", "--max-moves", "30", "--state", "own.json"]);
    let output = own.command().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let table = text(&output.stdout);
    assert!(table.contains("DrawValueBlack       40 "), "{table}");
    assert!(table.contains("iteration 2 of 2, games +"), "{table}");
    assert!(text(&output.stderr).contains("iteration 0 of 2, games +0 =0 -0  DrawValueBlack 40 -> 40.0"), "{output:?}");
    let state = fs::read_to_string(own.path("own.json")).unwrap();
    assert!(state.contains("\"options\": \"USI_Hash=1\""), "{state}");
}

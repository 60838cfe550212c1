//! Matches by `enbu match`: faults get the right verdict, no game is lost, no process is left.

use std::fs;
use std::iter;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use enbu_arena::{EloModel, Pentanomial, Sprt};
use enbu_tests::invocation::Invocation;
use enbu_tests::session::{is_running, patience};
use enbu_tests::{binary, has_slow_rows, table};
use serde_json::Value;

/// One match that has not been played yet.
struct Match(Invocation);

impl Deref for Match {
    type Target = Invocation;

    fn deref(&self) -> &Invocation {
        &self.0
    }
}

impl Match {
    /// A match of one engine of each kind; see `src/bin/misbehaving.rs`.
    fn between(first: &str, second: &str) -> Self {
        let mut new = Self(Invocation::new("match"));
        for (name, fault) in [("one", first), ("two", second)] {
            let command = format!("'{}' {fault} '{}'", env!("CARGO_BIN_EXE_misbehaving"), new.path("pids").display());
            new = new.with(&["--engine", &command, &format!("name={name}")]);
        }
        new.with(&["--out", "out.jsonl", "--hang", "0.7", "--quiet"])
    }

    fn with(self, arguments: &[&str]) -> Self {
        Self(self.0.with(arguments))
    }

    /// Plays it, and sees that no process is left.
    fn play(&self) -> Output {
        let output = self.command().output().unwrap();
        self.no_process_is_left();
        output
    }

    /// Plays it; its games.
    fn games(&self) -> Vec<Value> {
        let output = self.play();
        assert!(output.status.success(), "{output:?}");
        games(&self.path("out.jsonl"))
    }

    fn no_process_is_left(&self) {
        let Ok(pids) = fs::read_to_string(self.path("pids")) else { return };
        for pid in pids.lines() {
            assert!(!is_running(pid), "process {pid} is left of {:?}", self.command());
        }
    }
}

fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// The fields of a game that do not depend on the time or the order of play.
fn essence(game: &Value) -> Value {
    let mut game = game.clone();
    let object = game.as_object_mut().unwrap();
    for field in ["log", "over_ms", "stall_ms"] {
        object.remove(field);
    }
    game
}

/// A match of the binary against itself: legal games with many endings, quickly.
fn self_match(games: usize) -> Match {
    let new = Match(Invocation::new("match").with_openings());
    new.with(&["--engine", "self", "name=a", "option.USI_Hash=1", "tc=nodes=60"])
        .with(&["--engine", "self", "name=b", "option.USI_Hash=1", "tc=nodes=40"])
        .with(&["--games", &games.to_string(), "--max-moves", "60", "--quiet", "--out", "out.jsonl"])
}

#[test]
fn faults_that_lose_lose_with_their_reason() {
    if !has_slow_rows() {
        return;
    }
    for (fault, reason, kind, told) in [
        ("silent", "hang", "hang", "no bestmove within"),
        ("deaf", "hang", "hang", "no bestmove within"),
        ("flood", "hang", "hang", "no bestmove within"),
        ("endless-line", "hang", "hang", "no bestmove within"),
        ("no-readyok", "hang", "hang", "no readyok within"),
        ("dies", "crash", "crash", "exit status: 3, stderr: out of luck"),
        ("forks", "crash", "crash", "exit status: 0"),
        ("garbage-answer", "illegal", "illegal", "bestmove `xyzzy`: not a move at lnsgk"),
        ("empty-answer", "illegal", "illegal", "bestmove ``: not a move at lnsgk"),
        ("illegal", "illegal", "illegal", "illegal move P*5e: the piece is not in hand at lnsgk"),
        ("declares", "illegal", "illegal", "the conditions of a declaration are not met at lnsgk"),
    ] {
        // Long where nothing should hang, so that a busy machine makes no difference.
        let hang = if kind == "hang" { "1" } else { "30" };
        let ready = if fault == "no-readyok" { "1" } else { "30" };
        let played = Match::between(fault, "fine").with(&["--tc", "movetime=0.2", "--games", "2"]);
        let games = played.with(&["--hang", hang, "--ready-timeout", ready]).games();
        assert_eq!(games.len(), 2, "{fault}");
        for game in games {
            assert_eq!((&game["score1"], &game["reason"]), (&0.0.into(), &reason.into()), "{fault}: {game}");
            assert_eq!(game["faults1"][kind], 1, "{fault}: {game}");
            assert_eq!(game["faults2"], serde_json::json!({}), "{fault}: {game}");
            assert!(game["text"].as_str().unwrap().contains(told) || cfg!(windows), "{fault}: {game}");
        }
    }
}

#[test]
fn an_engine_that_is_late_loses_by_time_and_slack_forgives() {
    let slow =
        |control: &str| Match::between("slow", "fine").with(&["--games", "1", "--tc", control, "--max-moves", "2"]);
    for control in ["movetime=0.1", "0+0.1b", "0.1", "0.1+0.1"] {
        let game = &slow(control).with(&["--hang", "30"]).games()[0];
        assert_eq!((&game["score1"], &game["reason"]), (&0.0.into(), &"time".into()), "{game}");
        assert!(game["over_ms"].as_f64().unwrap() > 200.0, "{game}");
        assert!(game["text"].as_str().unwrap().contains("stalls of this machine"), "{game}");
    }
    let game = &slow("movetime=0.1").with(&["--slack", "60000"]).games()[0];
    assert_eq!((&game["score1"], &game["reason"]), (&0.5.into(), &"max_moves".into()), "{game}");
}

#[test]
fn faults_that_lose_nothing_are_counted() {
    for (fault, kind, most) in [
        ("garbage-lines", "garbage", 30),
        ("flood-then-play", "flood", u64::MAX),
        ("two-answers", "stray", 30),
        ("bad-pv", "bad_pv", 30),
        ("word-in-pv", "bad_pv", 30),
        ("bad-ponder", "bad_ponder", 30),
    ] {
        let played = Match::between(fault, "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "4"]);
        let games = played.with(&["--hang", "30"]).games();
        assert_eq!(games.len(), 2);
        let count: u64 = games.iter().map(|game| game["faults1"][kind].as_u64().unwrap_or(0)).sum();
        assert!((1..=most).contains(&count), "{fault}: {games:?}");
        for game in games {
            assert_eq!(game["reason"], "max_moves", "{fault}: {game}");
            assert_eq!(game["faults2"], serde_json::json!({}), "{fault}: {game}");
        }
    }
}

/// Such an engine may play with another evaluation than the one that is to be judged.
#[test]
fn an_error_that_an_engine_reports_is_counted_and_shown() {
    let played = Match::between("reports-error", "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "2"]);
    let played = played.with(&["--hang", "30"]);
    let output = played.play();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.contains("one: error 2"), "{stdout}");
    assert!(stderr.contains("game 1: max_moves: one: Error! : nn.bin"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
    for game in games(&played.path("out.jsonl")) {
        assert_eq!((&game["faults1"], &game["faults2"]), (&serde_json::json!({"error": 1}), &serde_json::json!({})));
        assert!(game["text"].as_str().unwrap().starts_with("one: Error! : nn.bin"), "{game}");
    }
}

#[test]
fn pondering_engines_are_held_to_the_protocol() {
    let ponder = |fault| {
        Match::between(fault, "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "9", "--ponder"])
    };
    for game in ponder("fine").games() {
        assert_eq!((&game["reason"], &game["faults1"]), (&"max_moves".into(), &serde_json::json!({})), "{game}");
    }
    let early: u64 = ponder("early").games().iter().map(|game| game["faults1"]["early"].as_u64().unwrap_or(0)).sum();
    assert!(early > 0);
    // Both guess each other's move, so that only the end of the game interrupts.
    let games = ponder("ignores-stop").games();
    assert!(games.iter().any(|game| game["faults1"]["hang"] == 1), "{games:?}");
    assert!(games.iter().all(|game| game["reason"] == "max_moves"), "{games:?}");
}

#[test]
fn talk_after_the_game_and_after_quit_is_noticed() {
    let games =
        Match::between("talks-after-game", "fine").with(&["--tc", "depth=1", "--games", "4", "--max-moves", "4"]);
    let games = games.games();
    let count = |kind: &str| games.iter().map(|game| game["faults1"][kind].as_u64().unwrap_or(0)).sum::<u64>();
    assert!(count("stray") > 0 && count("stray") + count("late") >= 3, "{games:?}");
    let output =
        Match::between("talks-after-quit", "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "4"]);
    let output = output.play();
    assert!(text(&output.stderr).contains("one after its last game: late (1)"), "{output:?}");
}

#[test]
fn an_engine_that_ended_after_a_game_is_started_again() {
    let games =
        Match::between("dies-after-game", "fine").with(&["--tc", "depth=1", "--games", "4", "--max-moves", "4"]);
    let games = games.games();
    assert_eq!(games.len(), 4);
    // Whether its end is seen before the next game is asked for is a matter of luck.
    assert!(games.iter().all(|game| ["max_moves", "crash"].contains(&game["reason"].as_str().unwrap())), "{games:?}");
}

#[test]
fn an_engine_that_ignores_quit_is_ended() {
    let ended = Match::between("ignores-quit", "resigns").with(&["--tc", "depth=1", "--games", "2", "--restart"]);
    let games = ended.games();
    assert!(games.iter().all(|game| game["score1"] == 1.0 && game["reason"] == "resign"), "{games:?}");
}

#[test]
fn an_engine_that_cannot_play_at_all_is_an_error() {
    for (fault, message) in [("no-usiok", "one: no usiok within 0.5 s"), ("dies-at-start", "one: ended with ")] {
        let output = Match::between(fault, "fine").with(&["--tc", "depth=1", "--start-timeout", "0.5"]).play();
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(message), "{output:?}");
    }
    for (arguments, message) in [
        (&["--engine", "./no-such-engine", "name=x"][..], "x: `./no-such-engine` cannot be started"),
        (&["--engine", "self", "name=x", "option.Speed=3"], "x has no option named `Speed`; it has USI_Hash, "),
        (&["--engine", "self", "name=x", "option.USI_Hash=0"], "x: option USI_Hash: `0` refused"),
        (&["--engine", "self", "name=one"], "two engines are named `one`"),
    ] {
        let output = Match::between("fine", "fine").with(&["--tc", "depth=1"]).with(arguments).play();
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(message), "{output:?}");
    }
}

#[test]
fn openings_that_cannot_be_played_are_an_error() {
    for (line, message) in [
        ("startpos moves 7g7e", "openings: line 2: move 1: illegal move 7g7e"),
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2", "openings: line 2: the game is already over (mate)"),
        ("gibberish", "openings: line 2: position: unexpected `gibberish`"),
    ] {
        let played = Match::between("fine", "fine").with(&["--tc", "depth=1", "--openings", "openings"]);
        fs::write(played.path("openings"), format!("startpos\n{line}\n")).unwrap();
        let output = played.play();
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(message), "{output:?}");
        assert!(!played.path("out.jsonl").exists(), "nothing was begun");
    }
}

#[test]
fn results_do_not_depend_on_concurrency_shards_or_interruptions() {
    if !has_slow_rows() {
        return;
    }
    let whole = self_match(6);
    let expected: Vec<Value> = whole.games().iter().map(essence).collect();
    assert_eq!(expected.len(), 6);
    assert!(expected.iter().all(|game| game["faults1"].as_object().unwrap().is_empty()));

    let mut parallel: Vec<Value> = self_match(6).with(&["--concurrency", "3"]).games().iter().map(essence).collect();
    parallel.sort_by_key(|game| game["game"].as_u64());
    assert_eq!(parallel, expected);

    let resumed = self_match(6);
    let records = resumed.path("csa");
    let resumed = resumed.with(&["--resume", "--csa", records.to_str().unwrap()]);
    let text = fs::read_to_string(whole.path("out.jsonl")).unwrap();
    let third_line = text.match_indices('\n').nth(2).unwrap().0;
    fs::write(resumed.path("out.jsonl"), &text[..third_line + 100]).unwrap();
    let after: Vec<Value> = resumed.games().iter().map(essence).collect();
    assert_eq!(after, expected, "a torn line is played again, whole ones are not");
    assert_eq!(fs::read_dir(records).unwrap().count(), 6, "also those of the games played before");

    let merged = whole.path("merged.jsonl");
    let parts: Vec<Match> = ["1/3", "2/3", "3/3"].map(|shard| self_match(6).with(&["--shard", shard])).into();
    let files: Vec<PathBuf> = parts.iter().map(|part| part.path("out.jsonl")).collect();
    parts.iter().for_each(|part| drop(part.games()));
    let mut merge = Command::new(binary::enbu());
    merge.args(["match", "--merge"]).args(&files).args(["--json", "--out"]).arg(&merged);
    let output = merge.arg("--csa").arg(whole.path("csa")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(games(&merged).iter().map(essence).collect::<Vec<_>>(), expected);
    assert_eq!(fs::read_dir(whole.path("csa")).unwrap().count(), 6);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["pairings"][0]["pairs"].as_array().unwrap().len(), 5);
}

#[test]
fn files_of_other_matches_are_not_gone_on_with() {
    let first = self_match(2);
    first.games();
    let again = first.command().output().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("already holds games"), "{again:?}");
    let other = first.command().args(["--resume", "--seed", "2"]).output().unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stderr).contains("belongs to a match with other engines"), "{other:?}");
}

#[test]
fn tournaments_of_several_engines_are_played_and_ranked() {
    let three = || {
        let new = Match::between("resigns", "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "5"]);
        new.with(&["--engine", &format!("'{}' illegal", env!("CARGO_BIN_EXE_misbehaving")), "name=three"])
    };
    let output = three().play();
    assert!(output.status.success(), "{output:?}");
    let table: Vec<String> =
        text(&output.stdout).lines().skip_while(|line| !line.starts_with("rank")).map(str::to_owned).collect();
    assert_eq!(table.len(), 4, "{output:?}");
    assert!(table[1].starts_with("   1  two"), "{table:?}");
    assert_eq!(three().with(&["--format", "gauntlet"]).games().len(), 4);
    assert_eq!(three().games().len(), 6);
}

#[test]
fn a_file_says_what_the_command_line_can_say() {
    if !has_slow_rows() {
        return;
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/match/tournament.toml");
    let short = ["--each", "tc=nodes=1", "--slack", "5000", "--rounds", "1", "--openings", "openings"];
    let new = Match(Invocation::new("match").with(&[example.to_str().unwrap()]).with_openings());
    let played = new.with(&short).with(&["--max-moves", "30", "--quiet", "--json"]);
    let output = played.play();
    assert!(output.status.success(), "{output:?}");
    let games = games(&played.path("tournament.jsonl"));
    assert_eq!(games.len(), 4, "the rounds of the command line");
    assert_eq!(fs::read_dir(played.path("games")).unwrap().count(), 4, "the folder of the file");
    let clock = |name: &str| {
        let found = games.iter().find_map(|game| {
            let at = [1, 2].into_iter().find(|at| game[format!("name{at}")] == name)?;
            Some(game[format!("tc{at}")].as_str().unwrap().to_owned())
        });
        found.unwrap()
    };
    assert_eq!(["network", "half time"].map(clock), ["nodes=1", "0.5+0.05"], "an engine's own words win");

    // An engine of the command line is the first one.
    let gauntlet = Match(Invocation::new("match")).with(&["--config", "t.toml", "--engine", "self", "name=new"]);
    let file = "tc = \"depth=1\"\nformat = \"gauntlet\"\ngames = 2\nmax-moves = 0x4\nquiet = true\nresume = false\n\
                sprt = [-5, 0]\nout = \"-o.jsonl\"\n[[engine]]\ncommand = [\"self\"]\nname = \"it's \\\"old\\\"\"\n";
    fs::write(gauntlet.path("t.toml"), file).unwrap();
    let output = gauntlet.play();
    assert!(output.status.success(), "{output:?}");
    let lines = fs::read_to_string(gauntlet.path("-o.jsonl")).unwrap();
    assert!(lines.lines().all(|game| game.contains(r#""name1":"new","name2":"it's \"old\"""#)), "{lines}");
    assert!(text(&output.stdout).contains("[-5, 0] Elo: LLR"), "{output:?}");
}

#[test]
fn a_wrong_line_of_a_file_is_named() {
    for (file, message) in [
        ("gamse = 2", "t.toml:1: there is no key `gamse`; did you mean `games`?"),
        ("\n[[engine]]\ncomand = \"a\"", "t.toml:3: there is no key `comand`; did you mean `command`?"),
        ("[each]\nname = \"a\"", "t.toml:2: there is no key `name`"),
        ("[each]\noption = {}", "t.toml:2: there is no key `option`; did you mean `options`?"),
        ("[xyz]", "t.toml:1: there is no key `xyz`"),
        ("config = \"a\"", "t.toml:1: there is no key `config`"),
        ("# a\n[[engine]]\nname = \"a\"", "t.toml:2: `command` is missing"),
        ("[[engine]]\ncommand = []", "t.toml:1: an engine needs a command"),
        ("[[engine]]\ncommand = \"'a\"", "t.toml:1: unclosed quote in the command `'a`"),
        ("[[engine]]\ncommand = \"a\"\ntc = \"soon\"", "t.toml:3: `soon` is not a time control"),
        ("[[engine]]\ncommand = \"a\"\nponder = \"yes\"", "t.toml:3: `ponder=yes` is not name=, option.X="),
        ("engine = 3", "t.toml:1: `engine` cannot be of type integer"),
        ("each = 3", "t.toml:1: `each` cannot be of type integer"),
        ("engine = [3]", "t.toml:1: `engine` cannot be of type integer"),
        ("\n\ngames = 0", "t.toml:3: invalid value '0' for '--games <N>': 0 is not in 1..=4294967295"),
        ("games = \"many\"", "t.toml:1: invalid value 'many' for '--games <N>': invalid digit found in string"),
        ("games = {}", "t.toml:1: `games` cannot be of type table"),
        ("games = [1, [2]]", "t.toml:1: `games` cannot be of type array"),
        ("resume = 1", "t.toml:1: `resume` cannot be of type integer"),
        ("tc = true", "t.toml:1: `tc` cannot be of type boolean"),
        ("sprt = 5", "t.toml:1: 2 values required for '--sprt <ELO0> <ELO1>' but 1 was provided"),
        ("format = \"swis\"", "t.toml:1: invalid value 'swis' for '--format <FORMAT>' [possible values: round-robin, "),
        ("tc = 1\ntc = 2", "t.toml:2: duplicate key"),
        ("a = [\n1\n", "t.toml:"),
        ("--games 2", "t.toml:1: "),
    ] {
        let played = Match(Invocation::new("match")).with(&["t.toml"]);
        fs::write(played.path("t.toml"), file).unwrap();
        let output = played.play();
        assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
        assert!(text(&output.stderr).starts_with(&format!("enbu: {message}")), "{file}: {}", text(&output.stderr));
    }
}

#[test]
fn facts_decide_games_that_the_engines_would_play_on() {
    let mate = "lnsgs2+Pl/3kg4/p1pppN2p/6pp1/9/7R1/P1PP1Sg1P/1S3+b3/LN5KL w Nrbg6p 58";
    let entered = "+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1";
    let play = |arguments: &[&str]| {
        let played = Match::between("fine", "fine").with(&["--tc", "depth=1", "--games", "4", "--order", "sequential"]);
        let played = played.with(&["--openings", "openings", "--max-moves", "80", "--csa", "csa"]).with(arguments);
        fs::write(played.path("openings"), format!("{mate}\n{entered}\n")).unwrap();
        let output = played.play();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let records = fs::read_dir(played.path("csa")).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()));
        (games(&played.path("out.jsonl")), records.map(Result::unwrap).collect::<Vec<_>>(), text(&output.stdout))
    };
    let (decided, records, summary) = play(&["--adjudicate-facts"]);
    let ends: Vec<(&str, u64)> =
        decided.iter().map(|game| (game["reason"].as_str().unwrap(), game["plies"].as_u64().unwrap())).collect();
    assert_eq!(ends, [("proven_mate", 0), ("proven_mate", 0), ("declarable", 0), ("declarable", 0)]);
    let points: Vec<f64> = decided.iter().map(|game| game["score1"].as_f64().unwrap()).collect();
    assert_eq!(points, [1.0, 0.0, 1.0, 0.0], "the side to move wins");
    let proof = decided[0]["text"].as_str().unwrap();
    let (length, line) = proof.split_once(": ").unwrap();
    let plies: usize = length.strip_prefix("mate in ").unwrap().parse().unwrap();
    assert!(plies >= 5 && line.split(' ').count() == plies, "{proof}");
    assert!(records.iter().any(|record| record.contains(&format!("'*proven_mate\n'*{proof}\n"))), "{records:?}");
    assert!(summary.contains("declarable 2, proven_mate 2"), "{summary}");
    let (played, ..) = play(&[]);
    assert!(played.iter().all(|game| game["plies"] != 0 && game["reason"] != "proven_mate"), "{played:?}");
}

/// A tournament of five engines, of which two have ends of the same games.
fn tournament(format: &str) -> Match {
    let new = Match(Invocation::new("match").with_openings());
    let engine = |new: Match, (name, nodes): (&str, &str)| {
        new.with(&["--engine", "self", &format!("name={name}"), "option.USI_Hash=1", &format!("tc=nodes={nodes}")])
    };
    let nodes = [("a", "1"), ("b", "50"), ("c", "1"), ("d", "40"), ("e", "10")];
    let new = nodes.into_iter().fold(new, engine);
    new.with(&["--format", format, "--games", "2", "--max-moves", "40", "--quiet", "--json", "--resume"])
}

#[test]
fn tournaments_by_rounds_go_on_exactly_wherever_they_were_cut() {
    if !has_slow_rows() {
        return;
    }
    for format in ["swiss", "knockout"] {
        let whole = tournament(format).with(&["--out", "out.jsonl"]);
        let output = whole.play();
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(whole.path("out.jsonl")).unwrap();
        let expected: Vec<Value> = games(&whole.path("out.jsonl")).iter().map(essence).collect();
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        let byes = |round: &Value| round.as_array().unwrap().iter().filter(|one| one["engines"][1].is_null()).count();
        let rounds = summary["tournament"]["rounds"].as_array().unwrap();
        assert_eq!(rounds.iter().map(byes).collect::<Vec<_>>(), if format == "swiss" { [1; 3] } else { [3, 0, 0] });
        // Before the first game; then by turns within a line, before its end, after it.
        let ends = text.match_indices('\n').map(|(end, _)| end);
        let places = ends.enumerate().map(|(line, end)| [end - 20, end, end + 1][line % 3]);
        for cut in iter::once(0).chain(places).step_by(2) {
            let resumed = tournament(format).with(&["--out", "out.jsonl", "--concurrency", "2"]);
            fs::write(resumed.path("out.jsonl"), &text[..cut]).unwrap();
            let output = resumed.play();
            assert!(output.status.success(), "{output:?}");
            let mut after: Vec<Value> = games(&resumed.path("out.jsonl")).iter().map(essence).collect();
            after.sort_by_key(|game| game["game"].as_u64());
            assert_eq!(after, expected, "{format}, cut at byte {cut}");
            let again: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(again["tournament"], summary["tournament"], "{format}, cut at byte {cut}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_tournament_that_is_killed_goes_on_with_the_same_pairings() {
    if !has_slow_rows() {
        return;
    }
    let whole = tournament("swiss").with(&["--rounds", "4", "--out", "out.jsonl"]);
    let expected: Vec<Value> = whole.games().iter().map(essence).collect();
    let killed = tournament("swiss").with(&["--rounds", "4", "--out", "out.jsonl", "--concurrency", "3"]);
    for least in (1..expected.len()).step_by(3) {
        let mut child = killed.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + 3 * patience();
        let lines = || fs::read_to_string(killed.path("out.jsonl")).map_or(0, |text| text.lines().count());
        while lines() < least && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the match does not go on");
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    let mut games: Vec<Value> = killed.games().iter().map(essence).collect();
    games.sort_by_key(|game| game["game"].as_u64());
    assert_eq!(games, expected);
    assert_eq!(expected.len(), 16);
}

#[test]
fn formats_and_options_that_exclude_each_other_are_refused() {
    for (arguments, message) in [
        (&["--format", "swiss", "--shard", "1/2"][..], "the pairings of swiss and knockout depend on the results"),
        (&["--format", "knockout", "--shard", "2/2"], "the pairings of swiss and knockout depend on the results"),
        (&["--format", "knockout", "--rounds", "3"], "--rounds goes with --format swiss only"),
        (&["--rounds", "3"], "--rounds goes with --format swiss only"),
    ] {
        let output = Match::between("fine", "fine").with(&["--tc", "depth=1"]).with(arguments).play();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(message), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_no_game() {
    let full = Match::between("resigns", "fine").with(&["--tc", "depth=1", "--games", "100000"]);
    let plain = full.command();
    // No file may have more than a block; the signal that comes with the error is ignored.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""]).arg(plain.get_program());
    command.args(plain.get_args()).current_dir(plain.get_current_dir().unwrap());
    let output = command.output().unwrap();
    full.no_process_is_left();
    assert_eq!(output.status.code(), Some(1));
    let saved = text(&output.stdout);
    let lines: Vec<Value> = saved.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!((1..50_000).contains(&lines.len()), "{} games: the match does not end early", lines.len());
    let told = format!("{} games could not be saved", lines.len());
    assert!(text(&output.stderr).contains(&told), "{told} expected, {} told", text(&output.stderr));
    assert!(lines.iter().all(|game| game["reason"] == "resign"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_every_process_and_keeps_every_game() {
    if !has_slow_rows() {
        return;
    }
    let long = self_match(100_000).with(&["--concurrency", "2"]);
    let silent = Match::between("silent", "ignores-quit").with(&["--tc", "depth=1", "--hang", "600"]);
    for (played, wants_games) in [(long, true), (silent, false)] {
        let mut child = played.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = Instant::now() + 3 * patience();
        let begun = || {
            let lines = |name: &str| fs::read_to_string(played.path(name)).map_or(0, |text| text.lines().count());
            if wants_games { lines("out.jsonl") >= 3 } else { lines("pids") >= 4 }
        };
        while !begun() {
            assert!(Instant::now() < deadline, "the match does not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(signalled.success());
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the match does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.code(), Some(130));
        played.no_process_is_left();
        let before = games(&played.path("out.jsonl"));
        assert_eq!(before.len() >= 3, wants_games);
    }
}

#[test]
fn wrong_usage_is_told_from_failure() {
    for arguments in [
        &["match", "--tc", "soon"][..],
        &["match", "--engine", "a", "nonsense"],
        &["match", "--shard", "3/2"],
        &["match", "--games", "0"],
        &["openings", "random:0,5"],
        &["openings"],
        &["match"],
        &["match", "--engine", "self", "--tc", "1"],
        &["match", "--engine", "self", "--engine", "self"],
        &["match", "--engine", "self", "opton.Hash=3"],
        &["match", "--engine", "self", "--engine", "self", "--tc", "1", "--sprt", "5", "0"],
    ] {
        let output = Command::new(binary::enbu()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        // Errors that clap finds itself name the argument instead.
        let names_argument = text(&output.stderr).starts_with("error: invalid value");
        let usage = format!("Usage: enbu {}", arguments[0]);
        assert!(names_argument || text(&output.stderr).contains(&usage), "{arguments:?}: {output:?}");
    }
    let empty = tempfile::NamedTempFile::new().unwrap();
    let empty = empty.path().to_str().unwrap();
    for arguments in
        [&["match", "--merge", "no-such-file"][..], &["match", "--merge", "Cargo.toml"], &["match", "--merge", empty]]
    {
        let output = Command::new(binary::enbu()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    }
}

/// Level 0 loses half at least to a player who has just learnt the moves, `src/bin/taker.rs`, and level 6 does not.
#[test]
fn the_lowest_level_loses_to_a_beginner() {
    if !has_slow_rows() {
        return;
    }
    let points = |level: &str| -> f64 {
        let taker = format!("'{}' 3", env!("CARGO_BIN_EXE_taker"));
        let new = Match(Invocation::new("match").with(&["--openings", "random:16,80"]));
        let new = new.with(&["--engine", "self", &format!("option.SkillLevel={level}"), "option.SkillSeed=7"]);
        let new = new.with(&["--engine", &taker, "name=taker", "--tc", "nodes=400000", "--games", "20", "--quiet"]);
        new.with(&["--out", "out.jsonl"]).games().iter().map(|game| game["score1"].as_f64().unwrap()).sum()
    };
    let [lowest, sixth] = ["0", "6"].map(points);
    assert!(lowest <= 10.0 && sixth > 10.0, "{lowest} and {sixth} points of 20");
}

#[test]
fn a_match_of_equal_games_warns_and_counts_them() {
    let arguments = ["--tc", "depth=1", "--games", "6", "--max-moves", "4"];
    let run = |played: Match| {
        let output = played.play();
        assert!(output.status.success(), "{output:?}");
        (text(&output.stdout), text(&output.stderr))
    };
    let (summary, notices) = run(Match::between("fine", "fine").with(&arguments));
    assert!(notices.contains("warning: more pairs than openings"), "{notices}");
    assert!(summary.contains("  repeated     4 games equal an earlier one move for move"), "{summary}");
    let (_, notices) =
        run(Match::between("fine", "fine").with(&["--tc", "depth=1", "--games", "2", "--max-moves", "4"]));
    assert_eq!(notices, "");
    let (_, notices) = run(Match::between("fine", "fine").with(&["--tc", "1", "--games", "4", "--max-moves", "4"]));
    assert_eq!(notices, "");
}

#[test]
fn an_engine_is_named_with_the_program_that_was_tried() {
    let refused = |engine: &str| {
        let invocation =
            Invocation::new("match").with(&["--engine", engine, "name=b", "--engine", "self", "--tc", "1"]);
        fs::create_dir(invocation.path("folder")).unwrap();
        fs::create_dir(invocation.path("a")).unwrap();
        fs::write(invocation.path("a/b c"), "").unwrap();
        let output = invocation.command().output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        text(&output.stderr)
    };
    assert!(refused("no-such-engine").contains("enbu: b: `no-such-engine` cannot be started: "));
    assert!(refused("folder").contains("enbu: `folder` is a folder, not the program of an engine"));
    assert!(refused("./folder").contains("enbu: `./folder` is a folder"));
    assert!(
        refused("self x=1")
            .contains("enbu: `self` takes no arguments; settings are words of their own: --engine self x=1")
    );
    let cut = refused("a/b c");
    assert!(
        cut.contains("`a/b` is not a program; a path with blanks needs quotes of its own: --engine \"'a/b c'\""),
        "{cut}"
    );
}

#[test]
fn openings_are_made_and_played_from() {
    if !has_slow_rows() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let make = |seed: &str| {
        let arguments = ["openings", "random:8,100", "--count", "2", "--seed", seed];
        let output = Command::new(binary::enbu()).args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    let made = make("1");
    assert_eq!(made.lines().filter(|line| line.starts_with("startpos moves ")).count(), 2, "{made}");
    assert_eq!(made, make("1"));
    assert_ne!(made, make("2"));
    let played = Match::between("resigns", "fine").with(&["--tc", "depth=1", "--games", "4", "--openings", "made"]);
    fs::write(played.path("made"), made).unwrap();
    assert_eq!(played.games().len(), 4);
}

#[test]
fn openings_are_judged_by_an_engine_that_does_not_play() {
    let make = |words: &[&str]| {
        let made = Invocation::new("openings").with(&["random:6,300", "--count", "2", "--engine"]).with(words);
        made.command().output().unwrap()
    };
    let judge = ["self", "option.USI_Hash=1", "tc=nodes=1000"];
    let output = make(&judge);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let made = text(&output.stdout);
    assert!(made.starts_with("# 2 openings made by enbu ") && made.contains(" with Enbu "), "{made}");
    assert!(made.contains(" (nodes=1000): random:6,300 --seed 1\n"), "{made}");
    assert_eq!(made.lines().filter(|line| line.starts_with("startpos moves ")).count(), 2, "{made}");
    assert_eq!(made, text(&make(&judge).stdout));
    // Another opinion, other openings.
    let other = text(&make(&["self", "option.USI_Hash=1", "option.Eval=PieceSquare", "tc=nodes=1000"]).stdout);
    assert_ne!(made.split_once('\n').unwrap().1, other.split_once('\n').unwrap().1);
    let engine = |fault: &str| format!("'{}' {fault}", env!("CARGO_BIN_EXE_misbehaving"));
    for (words, code, message) in [
        (&[engine("fine").as_str()][..], 1, "has no option named `MultiPV`"),
        (&[engine("dies-at-start").as_str()], 1, "ended with "),
        (&["./none"], 1, "`./none` cannot be started"),
        (&["self", "option.EvalDir=none"], 1, "(nodes=50000): error: evaluation file none"),
        (&["self", "tc=10+0.1"], 2, "--engine: tc=10+0.1 is not tc=nodes=N or tc=movetime=S"),
        (&["self", "nodes=5"], 2, "--engine: `nodes=5` is not name=, option.X="),
    ] {
        let output = make(words);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(text(&output.stderr).contains(message) && output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn statistics_equal_those_of_an_independent_program() {
    table::check("match-statistics.tsv", |row| {
        let decimal = |column| row.text(column).parse::<f64>().unwrap();
        let pairs = Pentanomial(["p0", "p1", "p2", "p3", "p4"].map(|column| row.number(column)));
        let model = match row.text("model") {
            "logistic" => EloModel::Logistic,
            "normalized" => EloModel::Normalised,
            other => return Err(format!("unknown model {other}")),
        };
        let sprt = Sprt::new(decimal("elo0"), decimal("elo1"), 0.05, 0.05, model).unwrap();
        let elo = pairs.elo();
        for (column, value) in [("elo", elo.value), ("half_width", elo.half_width), ("llr", sprt.llr(&pairs))] {
            if (value - decimal(column)).abs() > 1e-3 {
                return Err(format!("{column} is {value}, expected {}", decimal(column)));
            }
        }
        Ok(())
    });
}

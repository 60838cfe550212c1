//! Hostile engines in `enbu match`, against one that keeps to the protocol.

use super::*;

/// The engine of a row.
enum Engine {
    /// A fault of `misbehaving`.
    Fault(&'static str),
    /// A shell script.
    Script(&'static str),
    /// A shell script for `go`; everything else is answered.
    Go(&'static str),
}

use Engine::{Fault, Go, Script};

/// Event that ends a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The match.
    Itself,
    /// SIGINT, some time after the script wrote the file `mark`.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// A name, the engine, further arguments, the text of the verdict, and seconds to the end.
type Row = (&'static str, Engine, &'static [&'static str], &'static str, f64, End);

const QUIT: f64 = 2.0;

/// Options in a shell variable: a word of 60 000 letters.
const LONG: &str = "x=$(printf %060000d 0); ";

/// The rows, each of a pair of games. The limits are 1 s for `usiok`, `readyok` and a hang, 0.2 s a move, 2 s for `quit`.
const ROWS: &[Row] = &[
    ("ends at once", Script("exit 7"), &[], "one: ended with exit status: 7", 0.2, End::Itself),
    ("is killed by a signal", Script("kill -SEGV $$"), &[], "one: ended with signal: 11", 0.2, End::Itself),
    ("no usiok", Fault("no-usiok"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    ("stops itself", Script("kill -STOP $$"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    ("a flood in place of usiok", Script("yes info"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    (
        "options without end",
        Script("yes 'option name A type string default xyz'"),
        &[],
        "no usiok within 1 s",
        1.0,
        End::Itself,
    ),
    (
        "options of 60 kB",
        Script("LONG yes \"option name A type string default $x\""),
        &[],
        "no usiok within 1 s",
        1.0,
        End::Itself,
    ),
    ("one line without end", Script("cat /dev/zero"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    ("random bytes", Script("cat /dev/urandom"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    ("a flood on stderr", Script("yes error >&2"), &[], "one: no usiok within 1 s", 1.0, End::Itself),
    ("closes its output", Script("exec >&-; sleep 60"), &[], "one: closed its output and went on", 0.5, End::Itself),
    (
        "closes its input",
        Script("read -r usi; echo usiok; exec <&-; sleep 60"),
        &["option.USI_Hash=1"],
        "one: ",
        1.2,
        End::Itself,
    ),
    (
        "dies, its child holds the pipes",
        Script("sleep 5 & exit 3"),
        &[],
        "one: ended with exit status: 3",
        0.7,
        End::Itself,
    ),
    (
        "dies, its child left the group",
        Script("setsid sleep 5 & exit 3"),
        &[],
        "one: ended with exit status: 3",
        0.7,
        End::Itself,
    ),
    (
        "a name of 60 kB",
        // It waits for `usi`: the referee reads nothing of one that has ended by then.
        Script("LONG read usi; echo \"id name $x\"; echo usiok"),
        &["option.NoSuch=1"],
        "has no option named `NoSuch`",
        0.5,
        End::Itself,
    ),
    (
        "reads nothing",
        Script("echo 'option name Filler type string default x'; echo usiok; sleep 60"),
        &["FILLER=70000"],
        "no reading of its input within 1 s",
        1.0,
        End::Itself,
    ),
    (
        "answers without reading",
        Script(
            "echo 'option name Filler type string default x'; echo usiok; while :; do printf 'readyok\nbestmove resign\n'; sleep 0.01; done",
        ),
        &["FILLER=60000", "--games", "100"],
        "hang",
        3.0 + 2.0 * QUIT,
        End::Itself,
    ),
    ("no readyok", Fault("no-readyok"), &[], "no readyok within 1 s", 2.0, End::Itself),
    (
        "a flood in place of readyok",
        Script("echo usiok; yes info"),
        &[],
        "no readyok within 1 s",
        2.0 + QUIT,
        End::Itself,
    ),
    ("no bestmove", Fault("silent"), &[], "no bestmove within 1.2 s", 2.4, End::Itself),
    ("deaf", Fault("deaf"), &[], "no bestmove within 1.2 s", 2.4, End::Itself),
    (
        "a flood in place of bestmove",
        Fault("flood"),
        &["--log", "lines.log"],
        "no bestmove within 1.2 s",
        2.4,
        End::Itself,
    ),
    (
        "a flood that is logged",
        Go("yes info string a flood"),
        &["--log", "lines.log"],
        "no bestmove within 1.2 s",
        2.4,
        End::Itself,
    ),
    (
        "lines of 60 kB",
        Go("LONG yes \"info string $x\""),
        &["--log", "lines.log"],
        "no bestmove within 1.2 s",
        2.4,
        End::Itself,
    ),
    ("a line without end", Fault("endless-line"), &[], "no bestmove within 1.2 s", 2.4, End::Itself),
    (
        "a flood and a move",
        Fault("flood-then-play"),
        &["--max-moves", "4", "--hang", "30", "--slack", "60000"],
        "max_moves",
        2.0,
        End::Itself,
    ),
    ("a bestmove of 60 kB", Go("LONG echo \"bestmove $x\""), &[], "not a move at", 0.2, End::Itself),
    ("a flood of bestmove", Go("yes 'bestmove 9g9f'"), &[], "illegal", QUIT, End::Itself),
    (
        "a line of play of 60 kB",
        Go("LONG echo \"info depth 1 pv 7g7f $x\"; echo bestmove resign"),
        &[],
        "move 2 of the pv 7g7f, at",
        0.2,
        End::Itself,
    ),
    (
        "a line of play of 10 000 moves",
        Go("m=$(yes '7g7f 3c3d' | head -5000 | tr '\\n' ' '); echo \"info depth 1 pv $m\"; echo bestmove resign"),
        &[],
        "illegal `7g7f`, move 3 of the pv 7g7f 3c3d, at",
        0.2,
        End::Itself,
    ),
    ("dies at go", Fault("dies"), &[], "exit status: 3, stderr: out of luck", 0.4, End::Itself),
    ("dies at go, its child holds the pipes", Fault("forks"), &[], "exit status: 0", 1.2, End::Itself),
    ("stops itself at go", Go("kill -STOP $$"), &[], "no bestmove within 1.2 s", 2.4, End::Itself),
    (
        "no answer to stop",
        Fault("ignores-stop"),
        &["--ponder", "--tc", "depth=1", "--max-moves", "9"],
        "hang",
        2.0,
        End::Itself,
    ),
    ("talks after quit", Fault("talks-after-quit"), &["--max-moves", "4"], "late (1)", 0.5, End::Itself),
    (
        "never ends at quit",
        Script(
            "trap '' TERM INT HUP; while :; do while read -r c r; do case $c in usi) echo usiok;; isready) echo readyok;; go) echo bestmove resign;; esac; done; sleep 0.05; done",
        ),
        &[],
        "resign",
        2.0 * QUIT,
        End::Itself,
    ),
    (
        "a flood after quit",
        Script(
            "while read -r c r; do case $c in usi) echo usiok;; isready) echo readyok;; go) echo bestmove resign;; quit) yes info;; esac; done",
        ),
        &[],
        "resign",
        2.0 * QUIT,
        End::Itself,
    ),
    ("interrupted before usiok", Script(": > mark; sleep 60"), &["--start-timeout", "60"], "", 0.2, End::Interrupt),
    ("interrupted in a flood", Script(": > mark; yes info"), &["--start-timeout", "60"], "", 0.2, End::Interrupt),
    (
        "interrupted before readyok",
        Script("echo usiok; while read -r c r; do case $c in isready) : > mark;; quit) exit;; esac; done"),
        &["--ready-timeout", "60"],
        "",
        0.2,
        End::Interrupt,
    ),
    (
        "interrupted while it reads nothing",
        Script("echo 'option name Filler type string default x'; echo usiok; : > mark; sleep 60"),
        &["FILLER=70000", "--start-timeout", "60"],
        "",
        0.2,
        End::Interrupt,
    ),
    ("interrupted before bestmove", Go(": > mark"), &["--hang", "60"], "", 0.2, End::Interrupt),
    ("terminated before bestmove", Go(": > mark; yes info"), &["--hang", "60"], "", 0.2, End::Terminate),
    (
        "interrupted at quit",
        Script("while read -r c r; do case $c in usi) echo usiok;; quit) : > mark; sleep 60;; esac; done"),
        &[],
        "",
        0.2,
        End::Interrupt,
    ),
];

/// The arguments of a row.
fn invocation(engine: &Engine, arguments: &[&str]) -> Invocation {
    let new = Invocation::new("match");
    let script = match engine {
        Fault(_) => String::new(),
        Script(text) => text.replace("LONG ", LONG),
        Go(text) => format!(
            "{LONG}while read -r c r; do case $c in usi) echo usiok;; isready) echo readyok;; quit) exit;; go) {} ;; esac; done",
            text.replace("LONG ", "")
        ),
    };
    fs::write(new.path("peer.sh"), script).unwrap();
    let misbehaving = env!("CARGO_BIN_EXE_misbehaving");
    let first = if let Fault(fault) = engine { format!("'{misbehaving}' {fault}") } else { "sh peer.sh".to_owned() };
    let is_word = |word: &&&str| word.starts_with("FILLER=") || word.starts_with("option.");
    let (words, others): (Vec<&str>, Vec<&str>) = arguments.iter().partition(is_word);
    let filled = |word: &&str| match word.strip_prefix("FILLER=") {
        Some(bytes) => format!("option.Filler={}", "x".repeat(bytes.parse().unwrap())),
        None => (*word).to_owned(),
    };
    let words: Vec<String> = words.iter().map(filled).collect();
    new.with(&["--engine", &first, "name=one"])
        .with(&words.iter().map(String::as_str).collect::<Vec<_>>())
        .with(&["--engine", &format!("'{misbehaving}' fine"), "name=two"])
        .with(&["--start-timeout", "1", "--ready-timeout", "1", "--hang", "1", "--tc", "movetime=0.2", "--games", "1"])
        .with(&["--out", "out.jsonl"])
        .with(&others)
}

fn play((name, engine, arguments, says, deadline, end): &Row) {
    let invocation = invocation(engine, arguments);
    let mut run = Run::start(&invocation);
    if *end != End::Itself {
        let mark = invocation.path("mark");
        run.wait(name, 10.0, || mark.exists());
        thread::sleep(Duration::from_millis(200));
        run.signal(if *end == End::Interrupt { "-INT" } else { "-TERM" });
    }
    let time = run.wait(name, *deadline, || false);
    judge(&format!("engine: {name}"), &invocation, &run, *deadline, time, says);
    let log = fs::metadata(invocation.path("lines.log")).map_or(0, |log| log.len());
    assert!(log < 40 << 20, "{name}: a log of {log} bytes");
}

#[test]
fn no_engine_delays_or_fills_a_match() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    for_each(ROWS, play);
}

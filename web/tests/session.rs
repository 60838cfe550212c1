//! The session of one thread and the questions of the page, on the machine of the tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use enbu_eval::nnue::{Network, Simd};
use enbu_web::{Host, Session, Signal, answer};
use serde_json::{Value, json};

/// A host that keeps the lines, and sends one signal.
struct Fake {
    lines: Mutex<Vec<String>>,
    signal: Signal,
}

impl Fake {
    fn new(signal: Signal) -> Arc<Self> {
        Arc::new(Self { lines: Mutex::default(), signal })
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().unwrap())
    }
}

impl Host for Fake {
    fn emit(&self, line: &str) {
        assert!(!line.contains('\n') && line.is_ascii(), "{line}");
        self.lines.lock().unwrap().push(line.to_owned());
    }

    fn signal(&self) -> Signal {
        self.signal
    }
}

fn session(signal: Signal) -> (Arc<Fake>, Session) {
    let host = Fake::new(signal);
    let mut session = Session::new(Arc::clone(&host) as Arc<dyn Host>);
    session.line("setoption name USI_Hash value 1");
    (host, session)
}

/// The lines that answer `line`.
fn said(host: &Fake, session: &mut Session, line: &str) -> Vec<String> {
    session.line(line);
    host.take()
}

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(word)).count()
}

/// The event that ends a `go` without limits.
#[derive(Clone, Copy, PartialEq)]
enum Waits {
    ForStop,
    ForHit,
}

/// The commands of the sequences.
const LINES: [&str; 9] = [
    "position startpos moves 7g7f",
    "go depth 1",
    "go infinite depth 1",
    "go ponder depth 1",
    "stop",
    "ponderhit",
    "isready",
    "usinewgame",
    "gameover win",
];

/// Answers that a line causes, by the table at the head of `usi::session`.
fn answers(line: &str, waiting: &mut Option<Waits>) -> usize {
    let ends = line.starts_with("go") || ["stop", "usinewgame", "gameover win"].contains(&line);
    let released = waiting.is_some() && (ends || line == "ponderhit" && *waiting == Some(Waits::ForHit));
    if released {
        *waiting = None;
    }
    match line {
        "go infinite depth 1" => *waiting = Some(Waits::ForStop),
        "go ponder depth 1" => *waiting = Some(Waits::ForHit),
        "go depth 1" => return usize::from(released) + 1,
        _ => {}
    }
    usize::from(released)
}

#[test]
fn every_go_has_one_answer_in_every_order_of_commands() {
    // Every fifth of the orders, unless slow rows are to run.
    let step = if std::env::var_os("ENBU_SLOW_TESTS").is_some() { 1 } else { 5 };
    for signal in [Signal::None, Signal::Never] {
        let (host, mut session) = session(signal);
        for sequence in (0..LINES.len().pow(4)).step_by(step) {
            let order = [0, 1, 2, 3].map(|place| LINES[sequence / LINES.len().pow(place) % LINES.len()]);
            let mut waiting = None;
            for line in order.into_iter().chain(["stop"]) {
                let expected = answers(line, &mut waiting);
                let lines = said(&host, &mut session, line);
                assert_eq!(count(&lines, "bestmove"), expected, "{line} of {order:?}: {lines:?}");
                assert_eq!(count(&lines, "readyok"), usize::from(line == "isready"), "{order:?}");
                assert_eq!(count(&lines, "info string"), 0, "{lines:?}");
            }
        }
    }
}

#[test]
fn signals_end_a_search_and_its_pondering() {
    let (host, mut session) = session(Signal::Stop);
    for go in ["go infinite", "go ponder byoyomi 100000", "go"] {
        assert_eq!(count(&said(&host, &mut session, go), "bestmove"), 1, "{go}");
    }
    let (host, mut session) = self::session(Signal::Hit);
    assert_eq!(count(&said(&host, &mut session, "go ponder byoyomi 30"), "bestmove"), 1);
}

#[test]
fn refused_commands_are_named_and_change_nothing() {
    let (host, mut session) = session(Signal::None);
    let sfen = |session: &mut Session| {
        said(&host, session, "d").into_iter().find(|line| line.starts_with("sfen")).expect("a position")
    };
    session.line("position startpos moves 7g7f");
    let before = sfen(&mut session);
    for (line, error) in [
        ("position startpos moves 7g7f 7g7f", "position: "),
        ("position sfen 4k4/9/9", "position: "),
        ("position", "position: startpos or sfen missing"),
        ("setoption name MultiPV value 9", "setoption: option MultiPV: `9` refused"),
        ("setoption MultiPV 3", "setoption: unexpected `MultiPV`"),
        ("getoption Threads", "getoption: unknown option `Threads`"),
        ("go searchmoves 5a5c depth 1", "go searchmoves: illegal move 5a5c"),
        ("go perft 3", "go perft 3: only the program"),
        ("eval", "eval: only the program"),
        ("fly", "unknown command `fly`"),
    ] {
        let lines = said(&host, &mut session, line);
        let [first, ..] = &lines[..] else { panic!("{line}: nothing is said") };
        assert!(first.starts_with(&format!("info string error: {error}")), "{line}: {lines:?}");
        assert_eq!(count(&lines, "bestmove"), usize::from(line.contains("depth")), "{line}");
        assert_eq!(sfen(&mut session), before, "{line}");
    }
    assert_eq!(said(&host, &mut session, "getoption MultiPV"), ["MultiPV 1"]);
    assert_eq!(said(&host, &mut session, "go mate 1000 searchmoves 3c3d").last().unwrap(), "checkmate notimplemented");
    session.line("quit");
    assert!(said(&host, &mut session, "usi").is_empty());
}

#[test]
fn mates_are_solved() {
    let (host, mut session) = session(Signal::None);
    for (sfen, answer) in [
        ("7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1", "checkmate S*2c 2b1c G*1d"),
        ("4k4/9/9/9/9/9/9/9/9 b P 1", "checkmate nomate"),
    ] {
        session.line(&format!("position sfen {sfen}"));
        assert_eq!(said(&host, &mut session, "go mate infinite").last().unwrap(), answer);
    }
}

/// The manifest of the ABI `shogihome-wasm-engine/1`, from the lines that the engine declares itself by.
fn manifest() -> Value {
    let host = Fake::new(Signal::None);
    let lines = said(&host, &mut Session::new(Arc::clone(&host) as Arc<dyn Host>), "usi");
    let of = |word: &str| lines.iter().find_map(|line| line.strip_prefix(word)).expect("it is declared").to_owned();
    let option = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let value = |word: &str| words.iter().position(|known| *known == word).map(|at| words[at + 1]);
        let typed = |text: &str| match value("type") {
            Some("spin") => json!(text.parse::<i64>().expect("a number")),
            Some("check") => json!(text == "true"),
            _ => json!(text),
        };
        let mut option =
            json!({ "name": value("name"), "type": value("type"), "default": typed(value("default").unwrap()) });
        for bound in ["min", "max"] {
            if let Some(text) = value(bound) {
                option[bound] = typed(text);
            }
        }
        let vars: Vec<&str> = words.windows(2).filter(|pair| pair[0] == "var").map(|pair| pair[1]).collect();
        if !vars.is_empty() {
            option["vars"] = json!(vars);
        }
        option
    };
    let options: Vec<Value> = lines.iter().filter_map(|line| line.strip_prefix("option ")).map(option).collect();
    let preset = |id: &str, name: &str, level: u32| json!({ "id": id, "displayName": name, "values": { "USI_Hash": 64, "SkillLevel": level } });
    json!({
        "abi": "shogihome-wasm-engine/1", "module": "enbu.js", "moduleFormat": "esm",
        "name": of("id name "), "author": of("id author "), "options": options,
        "presets": [
            preset("enbu-full", "Enbu", 20),
            preset("enbu-level-03", "Enbu Lv. 3", 3),
            preset("enbu-level-08", "Enbu Lv. 8", 8),
            preset("enbu-level-13", "Enbu Lv. 13", 13),
            preset("enbu-level-17", "Enbu Lv. 17", 17),
        ],
    })
}

#[test]
fn the_network_has_its_checksum() {
    assert!(Network::from_bytes(include_bytes!("../network.nnue"), Simd::best()).is_ok());
}

#[test]
fn the_manifest_says_what_the_session_declares() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/engine.json");
    let text = format!("{:#}\n", manifest());
    if std::env::var_os("ENBU_UPDATE_DOCS").is_some() {
        fs::write(&path, &text).expect("written");
    }
    assert_eq!(fs::read_to_string(&path).expect("the manifest"), text, "ENBU_UPDATE_DOCS=1 writes it");
    let package: Value = serde_json::from_str(include_str!("../js/package.json")).expect("JSON");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
}

fn asked(question: &str) -> Value {
    let host = Fake::new(Signal::None);
    serde_json::from_str(&answer(question.as_bytes(), &*host, &mut |_| {})).expect("JSON")
}

#[test]
fn positions_are_shown_with_their_moves_and_ends() {
    let view = asked("view\nstartpos moves 7g7f");
    assert_eq!(
        (&view["turn"], &view["over"], view["moves"].as_array().map(Vec::len)),
        (&json!("w"), &Value::Null, Some(30))
    );
    assert!(view["board"].as_str().is_some_and(|board| board.starts_with("<svg")));
    let mated = asked("view\nsfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    assert_eq!(mated["over"], json!({ "by": "mate", "winner": "b" }));
    let again = "7g7f 3c3d 2h3h 8b7b 3h2h 7b8b ".to_owned() + &"2h3h 8b7b 3h2h 7b8b ".repeat(3);
    assert_eq!(asked(&format!("view\nstartpos moves {again}"))["over"], json!({ "by": "repetition" }));
    assert_eq!(
        asked("view\nsfen 4k4/9/9/9/9/9/9/9/4K4 b 2P3g 1")["hands"],
        json!({ "b": [["P", 2]], "w": [["G", 3]] })
    );
    for bad in ["view\nstartpos moves 7g7e", "view\nnothing", "fly", ""] {
        assert!(asked(bad)["error"].is_string(), "{bad}");
    }
}

#[test]
fn records_are_read_written_and_judged() {
    let found = asked(
        "read\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n*前書き\n1 ７六歩(77)\n*一手目\n2 ３四歩(33)\n3 投了\n",
    );
    assert_eq!((&found["moves"], &found["names"]), (&json!(["7g7f", "3c3d"]), &json!(["甲", "乙"])));
    assert_eq!((&found["comment"], &found["comments"][0]), (&json!("前書き"), &json!("一手目")));
    assert_eq!(found["texts"][0], json!(["▲７六歩", "▲P-76"]));
    let handicap = asked("read\n手合割：二枚落ち\n手数----指手---------消費時間--\n");
    assert_eq!(handicap["sfen"], "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    for (format, part) in [
        ("kif", "７六歩(77)"),
        ("csa", "+7776FU"),
        ("ki2", "▲７六歩"),
        ("usi", "moves 7g7f"),
        ("sfen", "lnsgkgsnl/1r5b1"),
    ] {
        let written = asked(&format!("write {format}\nstartpos moves 7g7f resign\n甲\n乙"));
        let text = written["text"].as_str().expect("a record");
        assert!(text.contains(part), "{format}: {text}");
        assert_eq!(asked(&format!("read\n{text}"))["error"], Value::Null, "{format}");
    }
    assert!(asked("read\nprose")["error"].as_str().is_some_and(|error| error.contains("no record")));
    assert!(
        asked("read ja\nprose")["error"].as_str().is_some_and(|error| error.contains("棋譜や局面が見つかりません"))
    );
    assert!(asked("write gif\nstartpos")["error"].is_string());
    let judged = asked("analyse 200 ja\nstartpos moves 7g7f 3c3d 8h2b+");
    assert!(
        judged["html"].as_str().is_some_and(|page| page.contains("data-lang=\"ja\"") && page.contains("▲２二角成"))
    );
    assert!(asked("analyse many ja\nstartpos moves 7g7f")["error"].is_string());
}

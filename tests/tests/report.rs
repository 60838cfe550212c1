//! The pages of `enbu analyse` in a real browser.
//!
//! A headless Chromium loads the report of a game, is driven by keys and clicks over its
//! debugging pipe, and must show what the JSON of the analysis says. The browser is
//! `$ENBU_BROWSER` or the first one found; without one the tests pass and say so.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use enbu_kifu::svg;
use enbu_movegen::{Position, Setup};
use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::session::patience;
use enbu_tests::skipped;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Number, board, score, hands and pieces on a page.
struct Shown {
    ply: String,
    sfen: String,
    score: String,
    hands: [String; 2],
    /// Places and names.
    pieces: String,
}

/// A running browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    last_id: u64,
    /// Errors on the console, and requests that leave the file.
    faults: Vec<String>,
    /// The server that the page may send requests to.
    pub(crate) server: Option<String>,
    loaded: bool,
    _folder: TempDir,
}

fn browser_path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("ENBU_BROWSER") {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts a browser with a window of this size; `None` where none is installed.
    pub(crate) fn start(width: u32, height: u32) -> Option<Self> {
        let Some(path) = browser_path() else {
            skipped("no browser is installed (apt-get install chromium)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let pipes = ["in", "out"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        // The pipes are the file descriptors 3 and 4 of the browser.
        let script = "exec \"$0\" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
                      --disable-background-networking --user-data-dir=\"$1\" --window-size=$2 --lang=en-US \
                      --remote-debugging-pipe about:blank 3<\"$3\" 4>\"$4\"";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(path)
            .arg(folder.path().join("profile"))
            .arg(format!("{width},{height}"))
            .args(&pipes)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = File::options().write(true).open(&pipes[0]).unwrap();
        let from = BufReader::new(File::open(&pipes[1]).unwrap());
        let mut browser = Self {
            child,
            to,
            from,
            session: None,
            last_id: 0,
            faults: Vec::new(),
            server: None,
            loaded: false,
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", attached)["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        // A headless window is never narrower than 500 pixels; the page's view can be.
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        Some(browser)
    }

    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.loaded = true,
            Some("Runtime.exceptionThrown") => self.faults.push(params.to_string()),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => self.faults.push(params.to_string()),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => self.faults.push(params.to_string()),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                let is_local = url.starts_with("file:") && url.ends_with(".html");
                let is_served = self.server.as_ref().is_some_and(|server| url.starts_with(server));
                if !is_local && !is_served && !url.starts_with("data:") && url != "about:blank" {
                    self.faults.push(format!("request of {url}"));
                }
            }
            _ => {}
        }
        message
    }

    /// Calls a method of the debugging protocol.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.next();
            if answer["id"] == self.last_id {
                return if answer.get("error").is_some() { Err(answer) } else { Ok(answer["result"].take()) };
            }
        }
    }

    pub(crate) fn load(&mut self, page: &Path) {
        self.visit(&format!("file://{}", page.display()));
    }

    /// Loads the page of an address.
    pub(crate) fn visit(&mut self, url: &str) {
        self.loaded = false;
        self.call("Page.navigate", json!({ "url": url }));
        while !self.loaded {
            self.next();
        }
    }

    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until a script has this value, on a page that may load itself meanwhile.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, script: &str, expected: &Value) {
        let deadline = Instant::now() + 3 * patience();
        let mut seen = Value::Null;
        while Instant::now() < deadline {
            // Fails while the page is loaded.
            let answer = self.try_call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
            seen = answer.map_or(Value::Null, |mut answer| answer["result"]["value"].take());
            if seen == *expected {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("{script}: {seen}, not {expected}");
    }

    pub(crate) fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// Clicks into the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        let script = format!(
            "(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2] }})(document.querySelector({}))",
            json!(selector)
        );
        let at = self.evaluate(&script);
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// The state that the page shows.
    fn shown(&mut self) -> Shown {
        let state = self.evaluate(
            "(text => [text('ply'), document.getElementById('board').dataset.sfen, text('score'), \
             text('hand-black'), text('hand-white'), \
             [...document.querySelectorAll('#board .pieces text')].map(e => \
             ['x', 'y', 'transform'].map(name => e.getAttribute(name) || '').concat(e.textContent).join(' ')).join(', ')])\
             (id => document.getElementById(id).textContent)",
        );
        let [ply, sfen, score, black, white, pieces] =
            [0, 1, 2, 3, 4, 5].map(|index: usize| state[index].as_str().unwrap().to_owned());
        Shown { ply, sfen, score, hands: [black, white], pieces }
    }

    /// Pixels by which the page is wider than its window.
    pub(crate) fn overflow(&mut self) -> Value {
        self.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    }

    #[track_caller]
    pub(crate) fn assert_no_faults(&self) {
        assert!(self.faults.is_empty(), "{:#?}", self.faults);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a score on an English page.
fn score_text(score: &Value) -> String {
    if let Some(cp) = score["cp"].as_i64() {
        return if cp > 0 { format!("+{cp}") } else { cp.to_string() };
    }
    let Some(mate) = score.get("mate") else { return "–".to_owned() };
    let winner = if mate["winner"] == "black" { "Black" } else { "White" };
    match mate["plies"].as_u64().unwrap() {
        0 => format!("{winner} wins"),
        plies => format!("{winner} mates in {plies}"),
    }
}

/// Places and names of the pieces in the picture that `kifu::svg` draws.
pub(crate) fn drawn(sfen: &str) -> String {
    let setup: Setup = sfen.parse().unwrap();
    let picture = svg::board(&setup, None);
    let (_, pieces) = picture.split_once("<g class=\"pieces\">").unwrap();
    let pieces = pieces.split("</text>").filter_map(|text| text.rsplit_once('>'));
    let piece = |(tag, name): (&str, &str)| {
        let attribute = |key: &str| {
            let (_, rest) = tag.split_once(&format!(" {key}=\"")).unwrap_or_default();
            rest.split('"').next().unwrap_or_default().to_owned()
        };
        [attribute("x"), attribute("y"), attribute("transform"), name.trim().to_owned()].join(" ")
    };
    pieces.filter(|(tag, _)| tag.contains("<text")).map(piece).collect::<Vec<_>>().join(", ")
}

/// The hands of Black and White on an English page.
fn hands(sfen: &str) -> [String; 2] {
    let field = sfen.split(' ').nth(2).unwrap();
    let count = |letter: char| {
        let Some((before, _)) = field.split_once(letter) else { return 0 };
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap();
        if digits.is_empty() { 1 } else { digits.parse().unwrap() }
    };
    let numbers = "／／二／三／四／五／六／七／八／九／十／十一／十二／十三／十四／十五／十六／十七／十八";
    let numbers: Vec<&str> = numbers.split('／').collect();
    [["R飛", "B角", "G金", "S銀", "N桂", "L香", "P歩"], ["r飛", "b角", "g金", "s銀", "n桂", "l香", "p歩"]].map(
        |kinds| {
            let held = kinds.iter().filter_map(|kind| {
                let letter = kind.chars().next().unwrap();
                let name = kind.trim_start_matches(letter);
                let count: usize = count(letter);
                (count > 0).then(|| format!("{name}{}", numbers[count]))
            });
            let held: Vec<String> = held.collect();
            if held.is_empty() { "none".to_owned() } else { held.join(" ") }
        },
    )
}

/// Analyses a record and loads its page; returns the JSON too.
fn analysed(browser: &mut Browser, record: &Path, options: &[&str]) -> (TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = Command::new(enbu());
    command.arg("analyse").arg(record).arg("-o").arg(&out).args(["--nodes", "100", "--lang", "en"]).args(options);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stem = record.file_stem().unwrap().to_str().unwrap();
    let json = fs::read_to_string(out.join(format!("{stem}.analysis.json"))).unwrap();
    browser.load(&out.join(format!("{stem}.html")));
    (folder, serde_json::from_str(&json).unwrap())
}

/// Steps through the main line and compares each state with the JSON.
#[track_caller]
fn step_through(browser: &mut Browser, report: &Value) {
    let positions = report["positions"].as_array().unwrap();
    browser.key("Home");
    for position in positions {
        let Shown { ply, sfen, score, hands: shown_hands, pieces } = browser.shown();
        assert_eq!((ply, sfen.as_str()), (position["ply"].to_string(), position["sfen"].as_str().unwrap()));
        assert_eq!(score, score_text(&position["score"]), "{sfen}");
        assert_eq!(pieces, drawn(&sfen), "{sfen}");
        assert_eq!(shown_hands, hands(&sfen), "{sfen}");
        browser.key("ArrowRight");
    }
    // The end is the end, and back leads to the position before it.
    assert_eq!(browser.shown().ply, positions.last().unwrap()["ply"].to_string());
    browser.key("ArrowLeft");
    assert_eq!(browser.shown().sfen, positions[positions.len() - 2]["sfen"].as_str().unwrap());
}

#[test]
fn the_page_of_a_game_shows_the_analysis() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 1000) else { return };
    let (_folder, report) = analysed(&mut browser, &workspace_root().join("docs/game.kif"), &[]);
    step_through(&mut browser, &report);
    // Clicks on moves and on the moves of a line.
    browser.click("#moves button[data-ply='60']");
    assert_eq!(browser.shown().sfen, report["positions"][60]["sfen"].as_str().unwrap());
    let mut position = Position::from_setup(&browser.shown().sfen.parse().unwrap()).unwrap();
    let line = report["positions"][60]["lines"][0]["moves"].as_array().unwrap();
    for (step, mv) in (1..).zip(line.iter().take(3)) {
        position.play(mv.as_str().unwrap().parse().unwrap()).unwrap();
        browser.click(&format!("#pvs button[data-pv='0'][data-step='{step}']"));
        let Shown { ply, sfen, score, .. } = browser.shown();
        assert_eq!((ply, sfen), (format!("60 + {step}"), position.to_setup().to_string()));
        assert_eq!(score, score_text(&report["positions"][60]["lines"][0]["score"]));
    }
    browser.key("Escape");
    assert_eq!(browser.shown().ply, "60");
    // Keys and buttons to the mistakes and the ends.
    let moves = report["moves"].as_array().unwrap();
    let mistakes: Vec<String> = moves.iter().filter(|mv| is_mistake(mv)).map(|mv| mv["ply"].to_string()).collect();
    assert!(mistakes.len() > 1, "no mistakes to step through");
    browser.key("Home");
    for (number, ply) in mistakes.iter().enumerate() {
        if number % 2 == 0 {
            browser.key("ArrowDown")
        } else {
            browser.click("#mistake")
        }
        assert_eq!(&browser.shown().ply, ply);
    }
    browser.key("ArrowUp");
    assert_eq!(browser.shown().ply, mistakes[mistakes.len() - 2]);
    browser.key("End");
    let last = browser.shown();
    browser.click("#back");
    assert_eq!(browser.shown().ply, (last.ply.parse::<usize>().unwrap() - 1).to_string());
    browser.click("#end");
    assert_eq!(browser.shown().sfen, last.sfen);
    // The curve, the buttons, the language.
    browser.click("#curve svg");
    let middle: usize = browser.shown().ply.parse().unwrap();
    assert!((40..60).contains(&middle), "{middle}");
    browser.click("#forward");
    assert_eq!(browser.shown().ply, (middle + 1).to_string());
    browser.click("#first");
    assert_eq!(browser.shown().ply, "0");
    browser.click("#lang");
    assert_eq!(browser.evaluate("document.getElementById('mv').textContent"), "開始局面");
    browser.click("#flip");
    assert_eq!(browser.evaluate("document.querySelector('#board svg').style.transform"), "rotate(180deg)");
    browser.key("f");
    assert_eq!(browser.evaluate("document.querySelector('#board svg').style.transform"), "");
    for width in [320, 400, 1280] {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        assert_eq!(browser.overflow(), 0, "a window of {width} pixels scrolls sideways");
        let smallest = browser.evaluate(
            "Math.min(...[...document.querySelectorAll('#curve text')].map(e => parseFloat(getComputedStyle(e).fontSize) * \
             document.querySelector('#curve svg').getBoundingClientRect().width / 720))",
        );
        assert!(smallest.as_f64().unwrap() >= 8.0, "the curve's text has {smallest} pixels at {width}");
    }
    let labels = browser.evaluate("[...document.querySelectorAll('button')].filter(b => !b.textContent.trim()).length");
    assert_eq!(labels, 0, "buttons without a name");
    browser.assert_no_faults();
}

const HANDICAP: &str = "手合割：香落ち\n下手：下手\n上手：上手\n手数----指手---------消費時間--\n   1 ３四歩(33)   ( 0:05/00:00:05)\n\
*上手の初手\n   2 ７六歩(77)   ( 0:10/00:00:10)\n   3 ４四歩(43)   ( 1:05/00:01:10)\n   4 中断\n\n\
変化：2手\n   2 ２六歩(27)   ( 0:07/00:00:07)\n*変化\n   3 ３二銀(31)\n   4 ２五歩(26)\n\n変化：3手\n   3 ５四歩(53)\n";

/// Returns true for a move that the list of mistakes holds.
fn is_mistake(mv: &Value) -> bool {
    mv["missed_mate"].is_array() || !matches!(mv["class"].as_str(), Some("best" | "good"))
}

/// The move of the better line before a mistake.
fn better_move(report: &Value, ply: usize) -> String {
    let missed = &report["moves"][ply - 1]["missed_mate"];
    let line = if missed.is_array() { missed } else { &report["positions"][ply - 1]["lines"][0]["moves"] };
    line[0].as_str().unwrap().to_owned()
}

/// Moves of the arrows on the board: the better one and the reply. Fails where one does not lie
/// over the squares of its move.
#[track_caller]
fn arrows(browser: &mut Browser) -> [Option<String>; 2] {
    ["better", "reply"].map(|name| {
        let arrow = browser.evaluate(&format!(
            "(e => e && [e.dataset.usi, ...(b => [b.x, b.y, b.x + b.width, b.y + b.height])(e.getBBox())])\
             (document.querySelector('#board .arrow.{name}'))"
        ));
        let usi = arrow[0].as_str()?.to_owned();
        let mv: enbu_movegen::Move = usi.parse().unwrap();
        let bounds = [1, 2, 3, 4].map(|index: usize| arrow[index].as_f64().unwrap());
        for square in mv.from().into_iter().chain([mv.to()]) {
            let centre = [460.0 - 40.0 * f64::from(square.file()), 40.0 + 40.0 * f64::from(square.rank())];
            let is_in = |axis: usize| (bounds[axis] - 12.0..=bounds[axis + 2] + 12.0).contains(&centre[axis]);
            assert!(is_in(0) && is_in(1), "{usi}: {centre:?} outside {bounds:?}");
        }
        Some(usi)
    })
}

#[test]
fn the_list_of_mistakes_leads_to_the_board() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    let (_folder, report) = analysed(&mut browser, &workspace_root().join("docs/game.kif"), &["--mate", "5000"]);
    let moves = report["moves"].as_array().unwrap();
    let mistakes: Vec<usize> = (1..).zip(moves).filter(|(_, mv)| is_mistake(mv)).map(|(ply, _)| ply).collect();
    let deciding = report["deciding_ply"].as_u64().unwrap();
    assert_eq!(browser.shown().ply, deciding.to_string(), "the page begins at the losing move");
    let listed =
        browser.evaluate("[...document.querySelectorAll('#mistakes li button:first-child')].map(b => b.dataset.ply)");
    assert_eq!(listed, json!(mistakes.iter().map(ToString::to_string).collect::<Vec<_>>()));
    for &ply in &mistakes {
        browser.click(&format!("#mistakes button[data-ply='{ply}']:not(.better)"));
        let Shown { sfen, .. } = browser.shown();
        assert_eq!(sfen, report["positions"][ply]["sfen"].as_str().unwrap());
        let better = better_move(&report, ply);
        let reply = report["positions"][ply]["lines"][0]["moves"][0].as_str().map(str::to_owned);
        assert_eq!(arrows(&mut browser), [Some(better.clone()), reply], "move {ply}");
        // The better line is shown on the board.
        browser.click(&format!("#mistakes .better[data-ply='{ply}']"));
        let before = report["positions"][ply - 1]["sfen"].as_str().unwrap();
        let mut position = Position::from_setup(&before.parse().unwrap()).unwrap();
        position.play(better.parse().unwrap()).unwrap();
        assert_eq!(browser.shown().sfen, position.to_setup().to_string());
        assert_eq!(arrows(&mut browser), [None, None]);
    }
    browser.click("#deciding");
    assert_eq!(browser.shown().ply, deciding.to_string());
    // By keyboard, and in a window in which the list hides the board.
    browser.evaluate(&format!("document.querySelector('#mistakes button[data-ply=\"{}\"]').focus()", mistakes[0]));
    for kind in ["keyDown", "keyUp"] {
        browser.call(
            "Input.dispatchKeyEvent",
            json!({ "type": kind, "key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r" }),
        );
    }
    assert_eq!(browser.shown().ply, mistakes[0].to_string());
    let size = json!({ "width": 380, "height": 700, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", size);
    browser.evaluate("scrollTo(0, 0)");
    browser.click(&format!("#mistakes button[data-ply='{}']", mistakes[1]));
    let board = browser
        .evaluate("(b => [b.top, b.bottom - innerHeight])(document.getElementById('board').getBoundingClientRect())");
    assert!(board[0].as_f64() >= Some(0.0) && board[1].as_f64() <= Some(0.0), "{board}");
    browser.assert_no_faults();
}

/// Presses a copy button and returns the text of the clipboard.
fn copied(browser: &mut Browser, what: &str, form: &str) -> String {
    browser.evaluate("document.getElementById('copied').textContent = ''");
    browser.click(&format!("button[data-copy='{what}'][data-form='{form}']"));
    while browser.evaluate("document.getElementById('copied').textContent") == "" {}
    let read = json!({ "expression": "navigator.clipboard.readText()", "awaitPromise": true, "returnByValue": true });
    browser.call("Runtime.evaluate", read)["result"]["value"].as_str().expect("a text").to_owned()
}

/// Compares the copied texts with the moves that lead to the shown position, those of the whole
/// line, and those of the line that is shown, with the position that it begins with.
#[track_caller]
fn check_copies(browser: &mut Browser, here: &[&str], whole: &[&str], own: (&str, &[&str])) {
    let start = |text: &str| -> (Setup, Vec<String>) {
        let (_, reading) =
            enbu_kifu::read_any(text.as_bytes(), enbu_kifu::Mode::Strict).unwrap_or_else(|e| panic!("{text}{e}"));
        let record = &reading.records[0];
        (record.setup().clone(), record.moves().map(|mv| mv.to_string()).collect())
    };
    let Shown { sfen, .. } = browser.shown();
    assert_eq!(copied(browser, "position", "sfen"), sfen);
    let (diagram, moves) = start(&copied(browser, "position", "kif"));
    assert_eq!((sfen.rsplit_once(' ').unwrap().0, moves.len()), (diagram.to_string().rsplit_once(' ').unwrap().0, 0));
    let usi = copied(browser, "position", "usi");
    let (first, moves) = start(usi.strip_prefix("position ").unwrap());
    assert_eq!(moves, here, "{usi}");
    assert_eq!(
        start(&copied(browser, "line", "kif")),
        (first.clone(), whole.iter().map(ToString::to_string).collect())
    );
    let usi = copied(browser, "line", "usi");
    assert_eq!(start(usi.strip_prefix("position ").unwrap()).1, whole, "{usi}");
    let sfen = copied(browser, "line", "sfen");
    assert_eq!(sfen, format!("sfen {} moves {}", own.0, own.1.join(" ")));
}

#[test]
fn positions_and_lines_are_copied_as_kif_sfen_and_usi() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    browser.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
    let folder = tempfile::tempdir().unwrap();
    let handicap = folder.path().join("handicap.kif");
    fs::write(&handicap, HANDICAP).unwrap();
    for (record, ply) in [(workspace_root().join("docs/game.kif"), 58), (handicap, 2)] {
        let (_folder, report) = analysed(&mut browser, &record, &[]);
        browser.call(
            "Browser.grantPermissions",
            json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] }),
        );
        let text = |value: &'_ Value| value.as_str().unwrap().to_owned();
        let played: Vec<String> = report["moves"].as_array().unwrap().iter().map(|mv| text(&mv["usi"])).collect();
        let played: Vec<&str> = played.iter().map(String::as_str).collect();
        let start = text(&report["positions"][0]["sfen"]);
        browser.click(&format!("#moves button[data-ply='{ply}']"));
        check_copies(&mut browser, &played[..ply], &played, (&start, &played));
        let position = &report["positions"][ply];
        let line: Vec<String> = position["lines"][0]["moves"].as_array().unwrap().iter().take(20).map(text).collect();
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let with = |count: usize| [&played[..ply], &line[..count]].concat();
        let step = line.len().min(2);
        browser.click(&format!("#pvs button[data-pv='0'][data-step='{step}']"));
        check_copies(&mut browser, &with(step), &with(line.len()), (&text(&position["sfen"]), &line));
    }
    browser.assert_no_faults();
}

#[test]
fn a_handicap_game_is_named_and_has_its_own_words_for_the_sides() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("handicap.kif");
    for (name, english) in
        [("香落ち", "Lance handicap"), ("二枚落ち", "Two-piece handicap"), ("三枚落ち", "Three-piece handicap")]
    {
        let text =
            format!("手合割：{name}\n手数----指手---------消費時間--\n   1 ３四歩(33)\n   2 ７六歩(77)\n   3 投了\n");
        fs::write(&record, text.replace("３四歩(33)", "６二銀(71)")).unwrap();
        let (_folder, _) = analysed(&mut browser, &record, &[]);
        let heading = "document.querySelector('h1').innerText";
        assert_eq!(browser.evaluate(heading), format!("▲ Black – △ White {english}"));
        browser.click("#lang");
        assert_eq!(browser.evaluate(heading), format!("▲ 下手 – △ 上手 {name}"));
        let shown = browser.evaluate("document.body.innerText");
        let shown = shown.as_str().unwrap();
        assert!(shown.contains("下手の勝率") && shown.contains("下手の勝ち"), "{shown}");
        assert!(!shown.contains("先手") && !shown.contains("後手"), "{shown}");
    }
    browser.assert_no_faults();
}

#[test]
fn texts_contrast_with_their_background_in_light_and_dark_and_on_paper() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    let (folder, report) = analysed(&mut browser, &workspace_root().join("docs/game.kif"), &[]);
    // Contrast by WCAG 2.1 of each text with the nearest background that is opaque.
    let least = "(() => { const parse = text => text.match(/[\\d.]+/g).map(Number), \
         light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b }; \
         let least = [99, '']; const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); \
         while (walk.nextNode()) { const e = walk.currentNode.parentElement; \
         if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest('svg, script')) continue; \
         let at = e, under = [255, 255, 255]; for (; at; at = at.parentElement) { const c = parse(getComputedStyle(at).backgroundColor); if (c.length < 4 || c[3] === 1) { under = c; break } } \
         const [a, b] = [light(parse(getComputedStyle(e).color)), light(under)].sort((a, b) => b - a), ratio = (a + .05) / (b + .05); \
         if (ratio < least[0]) least = [ratio, e.outerHTML] } return least })()";
    for page in ["game.html", "index.html"] {
        browser.load(&folder.path().join("out").join(page));
        for (media, scheme) in [("screen", "light"), ("screen", "dark"), ("print", "light"), ("print", "dark")] {
            let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
            browser.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
            let found = browser.evaluate(least);
            assert!(found[0].as_f64().unwrap() >= 4.5, "{page} {media} {scheme}: {found}");
            if (page, media) == ("game.html", "print") {
                let listed = browser.evaluate(
                    "[[...document.querySelectorAll('#mistakes li')].filter(e => e.checkVisibility()).length, \
                     [...document.querySelectorAll('#moves, .bar, .keys, .copy')].filter(e => e.checkVisibility()).length, \
                     (e => e.scrollHeight - e.clientHeight)(document.getElementById('mistakes'))]",
                );
                let mistakes = report["moves"].as_array().unwrap().iter().filter(|mv| is_mistake(mv)).count();
                assert_eq!(listed, json!([mistakes, 0, 0]), "the list on paper");
            }
        }
    }
    browser.assert_no_faults();
}

#[test]
fn the_index_names_what_costs_a_player_most_and_fits_a_narrow_window() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(380, 800) else { return };
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    let game = fs::read(workspace_root().join("docs/game.kif")).unwrap();
    let (_, reading) = enbu_kifu::read_any(&game, enbu_kifu::Mode::Tolerant).unwrap();
    for (number, opponent) in
        ["佐藤", "a player with a name that is longer than a narrow window", "佐藤"].iter().enumerate()
    {
        let mut record = reading.records[0].clone();
        if number == 2 {
            record = enbu_kifu::Record::new(Setup::startpos());
            let mut at = record.root();
            for mv in "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b".split(' ') {
                at = record.add(at, enbu_kifu::Event::Move(mv.parse().unwrap()));
            }
        }
        record.headers = enbu_kifu::Headers::default();
        record.headers.push(enbu_kifu::HeaderKey::BlackName, if number == 1 { opponent } else { "Player" });
        record.headers.push(enbu_kifu::HeaderKey::WhiteName, if number == 1 { "Player" } else { opponent });
        record.headers.push(enbu_kifu::HeaderKey::StartTime, format!("2026/11/0{number} 20:00:00"));
        let text = enbu_kifu::Format::Kif.write(&[record], enbu_kifu::WriteOptions::default());
        fs::write(games.join(format!("{number}.kifu")), text).unwrap();
    }
    let out = folder.path().join("out");
    let status = Command::new(enbu())
        .arg("analyse")
        .arg(&games)
        .arg("-o")
        .arg(&out)
        .args(["--nodes", "100"])
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    browser.load(&out.join("index.html"));
    for language in ["en", "ja"] {
        assert_eq!(browser.evaluate("document.documentElement.dataset.lang"), language);
        for width in [320, 380, 1280] {
            let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
            browser.call("Emulation.setDeviceMetricsOverride", size);
            assert_eq!(browser.overflow(), 0, "{width} pixels scroll sideways");
            let cut = browser.evaluate(
                "[...document.querySelectorAll('.index td, .groups td, .groups th')].filter(e => e.checkVisibility() && \
                 (e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML)",
            );
            assert_eq!(cut, json!([]), "cells are cut off at {width}");
        }
        browser.click("#lang");
    }
    let report = fs::read_to_string(out.join("2.analysis.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let opening = report["names"]["sides"][0]["opening"]["en"].as_str().unwrap();
    let summary = browser.evaluate("document.querySelector('details[open]').innerText");
    let summary = summary.as_str().unwrap();
    for part in ["Player", "3 games", "the middlegame", "games as Black", "games as White", "佐藤", opening] {
        assert!(summary.contains(part), "no {part}: {summary}");
    }
    // The groups of a kind hold all moves of the player, and each worst move leads to its position.
    let of = |key: &str| {
        format!(
            "[...document.querySelectorAll('details[open] .groups tbody tr')].filter(e => {key}.includes(e.cells[0].innerText)).map(e => +e.cells[2].innerText)"
        )
    };
    let sum = |moves: Value| moves.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum::<u64>();
    let all = sum(browser.evaluate(&of("['all moves']")));
    assert_eq!(all, sum(browser.evaluate(&of("['the opening', 'the middlegame', 'the endgame']"))));
    assert_eq!(all, sum(browser.evaluate(&of("['games as Black', 'games as White']"))));
    let link = browser.evaluate("document.querySelector('.moments a').getAttribute('href')");
    let (page, ply) = link.as_str().unwrap().split_once('#').unwrap();
    browser.load(Path::new(&format!("{}#{ply}", out.join(page).display())));
    assert_eq!(browser.shown().ply, ply);
    browser.assert_no_faults();
}

#[test]
fn the_page_of_a_handicap_game_shows_variations_and_clocks() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(400, 900) else { return };
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("handicap.kif");
    fs::write(&record, HANDICAP).unwrap();
    let (_folder, report) = analysed(&mut browser, &record, &["--variations"]);
    step_through(&mut browser, &report);
    assert_eq!(browser.evaluate("document.getElementById('clock-white').textContent"), "0:05");
    browser.key("End");
    assert_eq!(browser.evaluate("document.getElementById('clock-white').textContent"), "1:05 / 1:10");
    for (number, variation) in (1..).zip(report["variations"].as_array().unwrap()) {
        let from = variation["from"].as_u64().unwrap();
        for (ply, position) in (from + 1..).zip(variation["positions"].as_array().unwrap().iter().skip(1)) {
            browser.click(&format!("#moves button[data-line='{number}'][data-ply='{ply}']"));
            let Shown { sfen, score, .. } = browser.shown();
            assert_eq!(sfen, position["sfen"].as_str().unwrap());
            assert_eq!(score, score_text(&position["score"]));
        }
        browser.click(&format!("#moves button[data-line='{number}'][data-ply='{}']", from + 1));
        browser.key("ArrowLeft");
        assert_eq!(browser.shown().ply, from.to_string());
    }
    assert_eq!(browser.overflow(), 0, "a narrow window scrolls sideways");
    browser.assert_no_faults();
}

#[test]
fn hostile_headers_and_comments_are_only_text() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(800, 900) else { return };
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("hostile.kif");
    let attack = "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\">'\"&amp;<!--";
    let long = "長い<b>コメント</b>\"'".repeat(6000);
    let text = format!(
        "先手：{attack}\n後手：{long}\n棋戦：{attack}\n開始日時：{attack}\n備考：{long}\n手数----指手---------消費時間--\n*{attack}\n\
         1 ７六歩(77)\n*{attack}\n*{long}\n2 ３四歩(33)\n3 中断\n"
    );
    fs::write(&record, &text).unwrap();
    let (out, report) = analysed(&mut browser, &record, &[]);
    step_through(&mut browser, &report);
    browser.click("#moves button[data-ply='1']");
    let comment = browser.evaluate("document.getElementById('comment').textContent");
    let comment = comment.as_str().unwrap();
    assert!(
        comment.starts_with(attack) && comment.contains(&long),
        "{}",
        comment.chars().take(200).collect::<String>()
    );
    assert_eq!(browser.evaluate("String(window.hacked)"), "undefined");
    assert_eq!(browser.evaluate("document.images.length"), 0);
    let title = browser.evaluate("document.title");
    assert!(title.as_str().unwrap().starts_with(&attack[..60]), "{title}");
    assert_eq!(browser.overflow(), 0, "long names scroll the page sideways");
    // The index links the page, and its columns sort.
    browser.load(&out.path().join("out/index.html"));
    assert_eq!(browser.evaluate("document.querySelector('tbody a').getAttribute('href')"), "hostile.html");
    browser.click("th:nth-child(6) button");
    assert_eq!(browser.evaluate("document.querySelector('th:nth-child(6)').getAttribute('aria-sort')"), "ascending");
    assert_eq!(browser.evaluate("String(window.hacked)"), "undefined");
    browser.assert_no_faults();
}

/// Texts of a diagram that leave it, or that lie on another text beside the board, as a browser measures them.
#[test]
fn no_text_of_a_diagram_leaves_its_place() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(600, 520) else { return };
    let folder = tempfile::tempdir().unwrap();
    let hand = "2R2B4G4S4N4L18P2r2b4g4s4n4l18p";
    for (number, name) in ["龍", "W", "m", "Ag", "0", "ー（", "\u{1f600}", "&"].into_iter().enumerate() {
        let names = name.repeat(60);
        let record = format!("先手：{names}\n後手：{names}\n棋戦：{names}\n手数----\n   1 ７六歩(77)\n   2 中断\n");
        let position = format!("sfen 4k4/9/9/9/9/9/9/9/4K4 b {hand} 1 moves 5i5h\n");
        for (kind, text, letters) in
            [("kif", &record, "japanese"), ("usi", &position, "japanese"), ("usi", &position, "western")]
        {
            let (file, page) = (folder.path().join(format!("{number}.{kind}")), folder.path().join("page.html"));
            fs::write(&file, text).unwrap();
            let arguments = ["--to", "svg", "--letters", letters, "--caption"];
            let output = Command::new(enbu())
                .arg("convert")
                .arg(&file)
                .args(arguments)
                .arg(format!("{{event}}{names}"))
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            fs::write(
                &page,
                [b"<!doctype html><meta charset=utf-8><body style='margin:0'>", &output.stdout[..]].concat(),
            )
            .unwrap();
            browser.load(&page);
            let wrong = browser.evaluate(
                "(() => { const box = e => e.getBoundingClientRect(), all = [...document.querySelectorAll('svg > text, svg > g > text')], \
                 picture = box(document.querySelector('svg')), \
                 out = all.filter(e => { const b = box(e); return b.left < picture.left || b.right > picture.right || b.top < picture.top || b.bottom > picture.bottom; }), \
                 sides = all.filter(e => e.parentNode.tagName === 'g'), \
                 over = sides.filter(e => sides.some(f => { const a = box(e), b = box(f); return e !== f && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && \
                   Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.max(4, .35 * Math.min(a.height, b.height)); })); \
                 return out.concat(over).map(e => e.outerHTML).join(); })()",
            );
            assert_eq!(wrong, "", "{name} {kind} {letters}");
        }
    }
}

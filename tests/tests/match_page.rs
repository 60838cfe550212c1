//! The page of `enbu match --page`: written whole, watched in a browser from a disk and from a server.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use enbu_movegen::Position;
use enbu_tests::has_slow_rows;
use enbu_tests::invocation::Invocation;
use enbu_tests::session::patience;
use serde_json::{Value, json};

use crate::report::{Browser, drawn};

/// A match of three engines, one of which has a name that could be markup.
fn watched(games: usize, max_moves: &str) -> Invocation {
    let mut new = Invocation::new("match").with_openings();
    for (name, limit) in [("name=<i>a", "tc=nodes=60"), ("name=b", "tc=nodes=40"), ("name=c", "tc=nodes=20")] {
        new = new.with(&["--engine", "self", name, "option.USI_Hash=1", limit]);
    }
    new.with(&["--games", &games.to_string(), "--max-moves", max_moves, "--quiet", "--out", "out.jsonl", "--resume"])
}

fn begun(played: &Invocation, page: &Path) -> Child {
    let child = played.command().stdout(Stdio::null()).spawn().unwrap();
    until(|| page.exists());
    child
}

#[track_caller]
fn until(is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + 3 * patience();
    while !is_done() {
        assert!(Instant::now() < deadline, "it takes too long");
        thread::sleep(Duration::from_millis(10));
    }
}

fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The standings and the crosstable of a page.
fn tables(page: &Path) -> [Value; 2] {
    let text = fs::read_to_string(page).unwrap();
    let (_, data) = text.split_once("id=\"data\">").unwrap();
    let mut data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    // In the order of their first games, which depends on the threads.
    data["pairings"].as_array_mut().unwrap().sort_by_key(|one| one["names"].to_string());
    ["standings", "pairings"].map(|table| data[table].take())
}

#[test]
fn standings_after_two_kills_equal_those_of_an_undisturbed_match() {
    if !has_slow_rows() {
        return;
    }
    let whole = watched(6, "150").with(&["--page", "page"]);
    assert!(whole.command().output().unwrap().status.success());
    let expected = tables(&whole.path("page/index.html"));
    let played = |row: &Value| row["games"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!(expected[0].as_array().unwrap().iter().map(played).collect::<Vec<_>>(), [12; 3]);
    assert_eq!(expected[1].as_array().unwrap().iter().map(played).collect::<Vec<_>>(), [6; 3]);
    let killed = watched(6, "150").with(&["--page", "page", "--concurrency", "2"]);
    for least in [2, 6] {
        let mut child = killed.command().args(["--pace", "0.02"]).stdout(Stdio::null()).spawn().unwrap();
        until(|| games(&killed.path("out.jsonl")).len() >= least);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(games(&killed.path("out.jsonl")).len() < 18, "the match was over before it was killed");
        assert_ne!(tables(&killed.path("page/index.html")), expected);
    }
    assert!(killed.command().output().unwrap().status.success());
    assert_eq!(tables(&killed.path("page/index.html")), expected);
    let merge = whole.path("merged");
    let merged = Invocation::new("match").with(&["--merge", killed.path("out.jsonl").to_str().unwrap(), "--page"]);
    assert!(merged.command().arg(&merge).output().unwrap().status.success());
    assert_eq!(tables(&merge.join("index.html")), expected);
}

#[test]
fn without_a_folder_nothing_is_written_and_a_file_of_others_stays() {
    let plain = watched(2, "60");
    assert!(plain.command().output().unwrap().status.success());
    let mut names: Vec<_> = fs::read_dir(plain.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["openings", "out.jsonl"]);
    fs::create_dir(plain.path("site")).unwrap();
    fs::write(plain.path("site/index.html"), "mine").unwrap();
    let output = plain.command().args(["--page", "site"]).output().unwrap();
    assert!(output.status.success(), "a resumed match replaces its page");
    fs::write(plain.path("site/index.html"), "mine").unwrap();
    let fresh =
        Invocation::new("match").with(&["--engine", "self", "--engine", "self", "--tc", "depth=1", "--lang", "en"]);
    let output = fresh.command().arg("--page").arg(plain.path("site")).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("index.html exists; --force overwrites it"), "{error}");
    assert_eq!(fs::read_to_string(plain.path("site/index.html")).unwrap(), "mine");
    assert!(!fresh.path("match.jsonl").exists());
}

/// Number of the move that the chosen card shows.
const PLY: &str = "document.querySelector('.chosen .move small').textContent.trim()";

/// Steps through a game of the list, and compares each position with the results.
#[track_caller]
fn step_through(browser: &mut Browser, game: &Value) {
    browser.click(&format!("#game-{}", game["game"]));
    browser.key("Home");
    let mut position = Position::startpos();
    let moves = game["moves"].as_str().unwrap();
    for (ply, mv) in moves.split(' ').enumerate() {
        browser.key("ArrowRight");
        position.play(mv.parse().unwrap()).unwrap();
        assert_eq!(browser.evaluate(PLY), format!("{}.", ply + 1));
        let pieces = "[...document.querySelectorAll('.chosen .board .pieces text')].map(e => \
                      ['x', 'y', 'transform'].map(name => e.getAttribute(name) || '').concat(e.textContent).join(' ')).sort().join(', ')";
        let mut expected: Vec<_> = drawn(&position.to_setup().to_string()).split(", ").map(str::to_owned).collect();
        expected.sort();
        assert_eq!(browser.evaluate(pieces), expected.join(", "), "{mv}");
    }
}

#[test]
fn a_page_from_a_disk_loads_itself_and_keeps_the_place_of_the_visitor() {
    if !has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(380, 800) else { return };
    let played = watched(2, "60").with(&["--page", "page", "--concurrency", "2", "--pace", "0.1"]);
    let page = played.path("page/index.html");
    let mut child = begun(&played, &page);
    browser.load(&page);
    browser.wait_for("document.querySelectorAll('#games .card').length", &json!(2));
    browser.wait_for("+document.querySelector('.card .move small').textContent.replace('.', '') > 12", &json!(true));
    let number = browser.evaluate("document.querySelector('#games h2').textContent.replace(/\\D/g, '')");
    let number = number.as_str().unwrap().to_owned();
    browser.evaluate(&format!("location.hash = '#{number}.5'"));
    browser.wait_for(PLY, &json!("5."));
    browser.evaluate(&format!(
        "document.getElementById('lang').click(); scrollTo(0, 150); \
         document.getElementById('back-{number}').focus({{ preventScroll: true }}); window.old = 1"
    ));
    // Loaded anew, with the place and the language.
    let state = format!("[window.old, {PLY}, scrollY, document.activeElement.id].join()");
    browser.wait_for(&state, &format!(",5手目,150,back-{number}").into());
    browser.wait_for("getComputedStyle(document.querySelector('.en')).display", &json!("none"));
    browser.wait_for("document.documentElement.scrollWidth - document.documentElement.clientWidth", &json!(0));
    browser.wait_for("document.getElementById('facts').innerText.includes('終了')", &json!(true));
    assert!(child.wait().unwrap().success());
    // All is over: the page stays. The button stops it before that.
    browser.click("#pause");
    assert_eq!(browser.evaluate("document.getElementById('age').textContent"), "停止中");
    browser.evaluate("window.old = 1; document.getElementById('lang').click()");
    let played = games(&played.path("out.jsonl"));
    assert_eq!(browser.evaluate("document.querySelectorAll('#last li').length"), played.len());
    step_through(&mut browser, played.last().unwrap());
    assert_eq!(browser.evaluate("window.old"), 1);
    let names =
        browser.evaluate("[...document.querySelectorAll('#standings th')].map(e => e.textContent).sort().join()");
    assert_eq!(names, "<i>a,b,c");
    assert_eq!(browser.evaluate("document.querySelectorAll('main i').length"), 0);
    for scheme in ["dark", "light"] {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call("Emulation.setEmulatedMedia", features);
        assert_eq!(browser.overflow(), 0, "{scheme}");
    }
    browser.assert_no_faults();
}

/// Serves a file on a port of its own; returns the address.
fn served(file: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = BufReader::new(stream.try_clone().unwrap()).lines();
            let read = head.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let body = fs::read(&file).unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            // A browser may open a connection and send nothing.
            let _ = if read > 0 { stream.write_all(&[head.as_bytes(), &body].concat()) } else { Ok(()) };
        }
    });
    address
}

#[test]
fn a_page_from_a_server_fetches_itself_without_a_reload() {
    if !has_slow_rows() {
        return;
    }
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    let played = watched(2, "60").with(&["--page", "page", "--pace", "0.05"]);
    let page = played.path("page/index.html");
    let mut child = begun(&played, &page);
    let address = served(page.clone());
    browser.server = Some(address.clone());
    browser.visit(&address);
    browser.evaluate("window.old = 1");
    browser.wait_for("document.querySelectorAll('#last li').length > 1", &json!(true));
    browser.click("#last li:last-child a");
    browser.key("ArrowLeft");
    let ply = browser.evaluate(PLY);
    browser.wait_for("document.getElementById('facts').innerText.includes('finished')", &json!(true));
    assert!(child.wait().unwrap().success());
    assert_eq!(browser.evaluate(PLY), ply, "a place is kept");
    assert_eq!(browser.evaluate("window.old"), 1, "no reload");
    let rows = browser.evaluate("document.querySelectorAll('#standings tr').length");
    assert_eq!((rows, browser.overflow()), (json!(3), json!(0)));
    step_through(&mut browser, games(&played.path("out.jsonl")).last().unwrap());
    browser.assert_no_faults();
}

//! `enbu csa` as a process, against a server that the test plays.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use enbu_tests::faults::{self, Fault};
use enbu_tests::invocation::Invocation;
use enbu_tests::session::{Session, patience};
use serde_json::Value;

/// It must appear nowhere but in the login line.
const PASSWORD: &str = "trip-of-a-process-test";

/// The server's listener.
pub(crate) struct Server(TcpListener);

impl Server {
    pub(crate) fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// The next connection, which must come in time, after its login.
    pub(crate) fn login(&self) -> Link {
        self.0.set_nonblocking(true).unwrap();
        let deadline = Instant::now() + patience();
        let stream = loop {
            if let Ok((stream, _)) = self.0.accept() {
                break stream;
            }
            assert!(Instant::now() < deadline, "the client does not connect");
            thread::sleep(Duration::from_millis(2));
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        let mut link = Link { stream: stream.try_clone().unwrap(), lines: BufReader::new(stream) };
        assert_eq!(link.line(), format!("LOGIN enbu {PASSWORD}"));
        link
    }

    /// Like [`login`](Self::login), but accepted, and with a game begun.
    pub(crate) fn game(&self, id: &str, side: char) -> Link {
        let mut link = self.login();
        link.send("LOGIN:enbu OK");
        link.begin(id, side);
        link
    }
}

/// A connection.
pub(crate) struct Link {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Link {
    pub(crate) fn send(&mut self, text: &str) {
        self.stream.write_all(format!("{text}\n").as_bytes()).unwrap();
    }

    /// Sends bytes to a client that may have gone; returns false then.
    pub(crate) fn try_send(&mut self, text: &str) -> bool {
        self.stream.write_all(text.as_bytes()).is_ok()
    }

    /// The next line that is not blank; empty at the end of the connection.
    pub(crate) fn line(&mut self) -> String {
        let mut line = "\n".to_owned();
        while line == "\n" {
            line.clear();
            self.lines.read_line(&mut line).unwrap();
        }
        line.trim_end().to_owned()
    }

    pub(crate) fn expect(&mut self, start: &str) -> String {
        let line = self.line();
        assert!(line.starts_with(start), "{line:?} in place of {start}");
        line
    }

    pub(crate) fn begin(&mut self, id: &str, side: char) {
        self.send(&format!(
            "BEGIN Game_Summary\nProtocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\nGame_ID:{id}\nName+:A\nName-:B\n\
             Your_Turn:{side}\nTo_Move:+\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:60\nEND Time\n\
             BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary"
        ));
        self.expect(&format!("AGREE {id}"));
        self.send(&format!("START:{id}"));
    }

    /// Takes the client's move and confirms it.
    pub(crate) fn confirm(&mut self, side: &str) {
        let line = self.expect(side);
        self.send(&format!("{},T1", &line[..7]));
    }

    /// Takes the client's resignation and ends the game.
    pub(crate) fn resigned(&mut self) {
        self.expect("%TORYO");
        self.send("%TORYO\n#RESIGN\n#LOSE");
    }

    /// Checks that the client closes the connection, without `LOGOUT`.
    pub(crate) fn closed(&mut self) {
        assert_eq!(self.line(), "");
    }
}

/// The command with the password in a file.
pub(crate) fn csa(port: u16) -> Invocation {
    let csa = Invocation::new("csa");
    fs::write(csa.path("trip"), format!("{PASSWORD}\n")).unwrap();
    csa.with(&["--host", "127.0.0.1", "--port", &port.to_string(), "--user", "enbu", "--password-file", "trip"])
        .with(&["--retry", "0.05", "--retry-max", "0.1", "--records", "records", "--log", "log.jsonl"])
        .with(&["--trace", "trace.txt"])
}

/// Enbu itself, quick.
pub(crate) const QUICK: [&str; 4] = ["--engine", "self", "option.USI_Hash=1", "option.NodesLimit=100"];

/// An engine of the tests that notes its processes in `pids`.
fn external(csa: Invocation, fault: &str) -> Invocation {
    let engine = format!("'{}' {fault} '{}'", env!("CARGO_BIN_EXE_misbehaving"), csa.path("pids").display());
    csa.with(&["--engine", &engine])
}

fn no_process_is_left(csa: &Invocation) {
    let pids = fs::read_to_string(csa.path("pids")).unwrap();
    assert!(pids.lines().count() > 0);
    for pid in pids.lines() {
        assert!(!enbu_tests::session::is_running(pid), "process {pid} is left of {:?}", csa.command());
    }
}

/// Checks that the password is in no file of the folder except `trip`.
fn no_file_holds_the_password(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            no_file_holds_the_password(&path);
        } else if path.file_name().is_some_and(|name| name != "trip") {
            let bytes = fs::read(&path).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD), "{}", path.display());
        }
    }
}

/// Waits for the end; returns the exit code and stderr.
fn end(session: &mut Session, csa: &Invocation) -> (Option<i32>, String) {
    let (status, errors) = session.exit();
    assert!(!errors.contains(PASSWORD), "{errors}");
    no_file_holds_the_password(csa.folder());
    (status.code(), errors)
}

fn log(csa: &Invocation) -> Vec<Value> {
    let text = fs::read_to_string(csa.path("log.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[cfg(unix)]
fn signal(session: &Session, name: &str) {
    assert!(Command::new("kill").args([name, &session.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_game_by_a_configuration_is_played_to_its_end() {
    let server = Server::new();
    let csa = Invocation::new("csa").with(&["--config", "csa.toml", "--games", "2"]);
    fs::write(csa.path("trip"), format!("{PASSWORD}\n")).unwrap();
    let port = server.port();
    let config = format!(
        "[server]\nhost = '127.0.0.1'\nport = {port}\nretry = 0.05\n[account]\nuser = 'enbu'\npassword_file = 'trip'\n\
         [engine]\ncommand = 'self'\n[engine.options]\nUSI_Hash = 1\nNodesLimit = 100\n[play]\ngames = 9\nponder = true\n\
         [records]\ndir = 'records'\nkif = true\nlog = 'log.jsonl'\ntrace = 'trace.txt'\n"
    );
    fs::write(csa.path("csa.toml"), config).unwrap();
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.game("e+test+1", '-');
    #[cfg(target_os = "linux")]
    for file in ["cmdline", "environ"] {
        let shown = fs::read(format!("/proc/{}/{file}", session.id())).unwrap();
        assert!(!String::from_utf8_lossy(&shown).contains(PASSWORD), "the process list shows the password");
    }
    link.send("+7776FU,T1");
    link.confirm("-");
    link.send("+2726FU,T1");
    link.confirm("-");
    link.send("%TORYO\n#RESIGN\n#WIN");
    assert!(session.expect("game 1:").contains("win (RESIGN) as white against A, 4 moves; 1 won"));
    link.closed();
    let mut link = server.game("e+test+2", '+');
    link.confirm("+");
    link.send("#TIME_UP\n#WIN");
    assert!(session.expect("game 2:").contains("2 won"));
    link.closed();
    let (code, errors) = end(&mut session, &csa);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("logged in to 127.0.0.1"), "{errors}");
    let record = fs::read_to_string(csa.path("records/e+test+1.csa")).unwrap();
    assert!(record.contains("+7776FU\nT1\n") && record.ends_with("%TORYO\n"), "{record}");
    let names: Vec<_> = fs::read_dir(csa.path("records")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "two records, each as CSA and KIF: {names:?}");
    let results: Vec<_> = log(&csa).iter().map(|game| game["result"].as_str().unwrap().to_owned()).collect();
    assert_eq!(results, ["win", "win"]);
    let trace = fs::read_to_string(csa.path("trace.txt")).unwrap();
    assert!(trace.contains("> LOGIN enbu ********\n") && trace.contains("< START:e+test+2\n"), "{trace}");
}

#[test]
fn the_engine_declares_by_the_rule_of_the_offer() {
    // 28 points of Black: a win by 27 points, a draw by 24.
    let entered = "P1 *  *  * +OU *  *  *  *  * \nP2+HI+HI+KA+KI+KI+GI+GI+FU+FU\nP3 *  *  * +FU *  *  *  *  * \n\
        P9 *  *  *  * -OU *  *  *  * \nP+00FU00FU00FU00FU00FU00FU\n+";
    let server = Server::new();
    let csa = csa(server.port()).with(&QUICK).with(&["--games", "3"]);
    let mut session = Session::spawn(&mut csa.command());
    for (rule, answer) in [("24", "+"), ("Jishogi 1.1", "%KACHI"), ("NO", "+")] {
        let mut link = server.login();
        link.send(&format!(
            "LOGIN:enbu OK\nBEGIN Game_Summary\nDeclaration:{rule}\nGame_ID:g\nYour_Turn:+\nMax_Moves:100001\n\
             BEGIN Position\n{entered}\nEND Position\nEND Game_Summary"
        ));
        link.expect("AGREE g");
        link.send("START:g");
        link.expect(answer);
        link.send("#JISHOGI\n#WIN");
        link.closed();
    }
    let (code, errors) = end(&mut session, &csa);
    assert!(code == Some(0) && !errors.contains("the rules do not give"), "{code:?} {errors}");
}

#[test]
fn wrong_usage_contacts_nothing() {
    let server = Server::new();
    let port = server.port();
    for (arguments, reason) in [
        (&["--keepalive", "5"][..], "at least 30 seconds"),
        (&["--user", "two words"], "user `two words`"),
        (&["--game", "floodgate"], "unknown game `floodgate`"),
        (&["--password-env", "TRIP"], "cannot be used with"),
    ] {
        // An argument replaces the one before it only in a command of its own.
        let csa = if arguments[0] == "--user" {
            let csa = Invocation::new("csa").with(&["--host", "127.0.0.1", "--port", &port.to_string()]);
            fs::write(csa.path("trip"), PASSWORD).unwrap();
            csa.with(&["--password-file", "trip"])
        } else {
            csa(port)
        };
        let output = csa.with(arguments).command().output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(reason) && errors.contains("Usage: enbu csa"), "{errors}");
    }
    let output = Invocation::new("csa").command().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--host is needed"));
    server.0.set_nonblocking(true).unwrap();
    assert!(server.0.accept().is_err(), "a connection was made");
}

#[test]
fn refusals_are_one_line_and_exit_code_1() {
    let server = Server::new();
    let csa = csa(server.port()).with(&QUICK);
    let mut session = Session::spawn(&mut csa.command());
    server.login().send("LOGIN:incorrect");
    let (code, errors) = end(&mut session, &csa);
    assert_eq!(code, Some(1));
    assert!(errors.contains("refused the login of enbu: wrong password, or the name is in use"), "{errors}");
    assert_eq!(errors.lines().filter(|line| line.contains("refused")).count(), 1, "{errors}");
    // No server.
    drop(server);
    let mut session = Session::spawn(&mut csa.command());
    let (code, errors) = end(&mut session, &csa);
    assert_eq!(code, Some(1));
    assert!(errors.contains("cannot connect to 127.0.0.1"), "{errors}");
}

#[test]
fn an_unknown_game_is_one_line_and_exit_code_1() {
    let server = Server::new();
    let csa = csa(server.port()).with(&QUICK);
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.login();
    link.send("LOGIN:enbu OK\n##[ERROR] invalid game name");
    let (code, errors) = end(&mut session, &csa);
    assert!(code == Some(1) && errors.contains("invalid game name"), "{code:?} {errors}");
}

#[test]
fn a_server_that_was_away_is_found_again() {
    let server = Server::new();
    let port = server.port();
    let csa = csa(port).with(&QUICK).with(&["--games", "2"]);
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.game("cut", '+');
    link.confirm("+");
    // The daily restart: connection closed, port closed, and open again.
    drop((link, server));
    assert!(session.expect("game 1:").contains("unknown (connection lost"));
    session.expect_error("cannot connect: ");
    let server = Server(TcpListener::bind(("127.0.0.1", port)).unwrap());
    let mut link = server.game("after", '+');
    link.confirm("+");
    link.send("%TORYO\n#RESIGN\n#WIN");
    let (code, errors) = end(&mut session, &csa);
    assert_eq!(code, Some(0), "{errors}");
    let record = fs::read_to_string(csa.path("records/cut.csa")).unwrap();
    assert!(record.contains("%CHUDAN\n'*connection lost"), "{record}");
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_waits_for_the_end_of_the_game() {
    let server = Server::new();
    let csa = csa(server.port()).with(&QUICK).with(&["--games", "0"]);
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.game("g", '+');
    link.confirm("+");
    signal(&session, "-INT");
    session.expect_error("interrupt again to resign");
    link.send("-3334FU,T1");
    link.confirm("+");
    link.send("%TORYO\n#RESIGN\n#WIN");
    link.closed();
    let (code, errors) = end(&mut session, &csa);
    assert_eq!(code, Some(0), "{errors}");
}

#[cfg(unix)]
#[test]
fn the_second_interrupt_and_a_termination_resign() {
    for is_interrupted in [true, false] {
        let server = Server::new();
        let csa = external(csa(server.port()), "silent").with(&["--games", "0"]);
        let mut session = Session::spawn(&mut csa.command());
        let mut link = server.game("g", '+');
        session.expect_error("game 1: g as black");
        if is_interrupted {
            signal(&session, "-INT");
            session.expect_error("interrupt again to resign");
            signal(&session, "-INT");
        } else {
            signal(&session, "-TERM");
        }
        link.resigned();
        link.closed();
        let (code, errors) = end(&mut session, &csa);
        assert_eq!(code, Some(0), "{errors}");
        assert!(fs::read_to_string(csa.path("records/g.csa")).unwrap().contains("interrupted by the user"));
        no_process_is_left(&csa);
    }
}

#[test]
fn no_engine_outlives_the_program() {
    for (fault, code) in [("fine", 0), ("ignores-quit", 0), ("dies", 1), ("illegal", 1), ("garbage-answer", 1)] {
        let server = Server::new();
        let csa = external(csa(server.port()), fault);
        let mut session = Session::spawn(&mut csa.command());
        let mut link = server.game("g", '+');
        if code == 0 {
            link.confirm("+");
            link.send("%TORYO\n#RESIGN\n#WIN");
        } else {
            link.resigned();
        }
        let (found, errors) = end(&mut session, &csa);
        assert_eq!(found, Some(code), "{fault}: {errors}");
        assert_eq!(log(&csa)[0]["fault"].is_null(), code == 0, "{fault}");
        no_process_is_left(&csa);
    }
}

#[test]
fn an_engine_that_cannot_be_started_contacts_nothing() {
    let server = Server::new();
    for csa in [external(csa(server.port()), "dies-at-start"), csa(server.port()).with(&["--engine", "./no-engine"])] {
        let output = csa.command().output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    server.0.set_nonblocking(true).unwrap();
    assert!(server.0.accept().is_err(), "a connection was made");
}

#[cfg(unix)]
#[test]
fn text_of_a_server_reaches_no_terminal_or_path() {
    let harmful = "\u{1b}[2J\u{1b}]0;t\u{7}\u{202e}";
    let server = Server::new();
    let csa = csa(server.port()).with(&QUICK).with(&["--games", "1", "--kif"]);
    let mut session = Session::spawn(&mut csa.command());
    let mut link = server.login();
    link.send("LOGIN:enbu OK");
    link.send(&format!("##[CHAT] {harmful}"));
    link.send(harmful);
    link.begin(&format!("../../x{harmful}y"), '-');
    link.send(&format!("+7776FU,T1,'* 1 {harmful}"));
    link.confirm("-");
    link.send(&format!("##[ERROR] {harmful}"));
    link.send("%TORYO\n#RESIGN\n#WIN");
    let line = session.expect("game 1:");
    link.closed();
    let (_, errors) = end(&mut session, &csa);
    let controls = |text: &str| text.chars().any(|letter| letter.is_control() && !"\n\r\t".contains(letter));
    assert!(!controls(&line) && !controls(&errors), "{line} {errors:?}");
    let names: Vec<_> = fs::read_dir(csa.path("records")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for path in names.into_iter().chain([csa.path("trace.txt"), csa.path("log.jsonl")]) {
        assert!(!controls(path.to_str().unwrap()), "{path:?}");
        assert!(!controls(&String::from_utf8_lossy(&fs::read(&path).unwrap())), "{path:?}");
    }
}

#[test]
fn a_full_disk_loses_no_game_and_leaves_no_half_record() {
    for room in [0, 150, 400] {
        let server = Server::new();
        let csa = csa(server.port()).with(&QUICK).with(&["--games", "1"]);
        let mut command = csa.command();
        if !faults::give(&mut command, &[Fault::Disk(room)]) {
            return;
        }
        let mut session = Session::spawn(&mut command);
        let mut link = server.game("e+full+1", '-');
        link.send("+7776FU,T1");
        link.confirm("-");
        link.send("%TORYO\n#RESIGN\n#WIN");
        link.closed();
        let (code, errors) = end(&mut session, &csa);
        assert_eq!(code, Some(1), "{room}: {errors}");
        assert!(errors.contains("No space left on device"), "{room}: {errors}");
        let record = fs::read_to_string(csa.path("records/e+full+1.csa"));
        assert!(record.as_ref().map_or(true, |text| text.ends_with("%TORYO\n")), "{room}: {record:?}");
        assert!(fs::read_dir(csa.path("records")).unwrap().all(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            !name.ends_with(".part")
        }));
    }
}

//! `engine_options.txt` beside the executable, over the protocol.

use std::fs;
use std::process::Command;

use enbu_tests::installation::Installation;
use enbu_tests::session::Session;

fn session(installed: &Installation) -> Session {
    Session::spawn(&mut Command::new(installed.executable()))
}

/// The `info string` lines that answer `isready`, without the evaluation's.
fn notices(session: &mut Session) -> Vec<String> {
    session.send("isready");
    let lines = session.until("readyok");
    let texts = lines.iter().filter_map(|line| line.strip_prefix("info string "));
    texts.filter(|text| !text.starts_with("evaluation ")).map(str::to_owned).collect()
}

#[test]
fn options_are_set_and_frozen_and_errors_are_named_by_line() {
    let installed = Installation::new();
    let text = "# for two games at once\r\nThreads 1\r\noption name USI_Hash type spin default 8 min 1 max 64\r\n\
                MultiPV=2\r\nNoSuchOption 1\r\nEvalDir\r\n";
    fs::write(installed.path("engine_options.txt"), text).unwrap();
    let mut session = session(&installed);
    session.send("usi");
    let declared = session.until("usiok");
    for line in [
        "option name Threads type spin default 1 min 1 max 1024",
        "option name USI_Hash type spin default 8 min 1 max 33554432",
        "option name MultiPV type spin default 2 min 1 max 600",
    ] {
        assert!(declared.iter().any(|declared| declared == line), "{line}: {declared:?}");
    }
    let faults = [
        "error: engine_options.txt line 5: unknown option `NoSuchOption`",
        "error: engine_options.txt line 6: option EvalDir: value missing, a name and a value are needed",
    ];
    let all = [&["engine_options.txt sets Threads 1, USI_Hash 8, MultiPV 2"][..], &faults].concat();
    assert_eq!(notices(&mut session), all);
    // A client sets every option that it knows; nothing is said, and nothing changes.
    for command in ["USI_Hash value 64", "Hash value 64", "usi_hash value 64", "Threads value 3", "USI_Hash value x"] {
        session.send(&format!("setoption name {command}"));
    }
    session.send("setoption name NetworkDelay value 60");
    assert_eq!(notices(&mut session), faults);
    for (name, value) in [("USI_Hash", "8"), ("Threads", "1"), ("MultiPV", "2"), ("NetworkDelay", "60")] {
        session.send(&format!("getoption {name}"));
        assert_eq!(session.expect(name), format!("{name} {value}"));
    }
    session.send("position startpos");
    session.send("go depth 2");
    let reports = session.until("bestmove");
    assert!(reports.iter().any(|line| line.contains(" multipv 2 ")), "{reports:?}");
    session.send("quit");
    session.exits_cleanly();
}

#[test]
fn the_log_that_the_file_names_holds_the_first_command() {
    let installed = Installation::new();
    fs::write(installed.path("engine_options.txt"), "DebugLogFile session.log\nUSI_Hash 1\n").unwrap();
    let mut session = session(&installed);
    session.send("usi");
    session.until("usiok");
    session.send("quit");
    session.exits_cleanly();
    let log = fs::read_to_string(installed.path("session.log")).unwrap();
    assert!(log.contains(" > usi") && log.contains("USI_Hash type spin default 1 min"), "{log}");
}

#[test]
fn no_file_ends_the_session_or_changes_an_option_by_mistake() {
    let installed = Installation::new();
    let place = installed.path("engine_options.txt");
    let garbage: Vec<u8> = (0..3000_u32).map(|number| (number * number % 251) as u8).collect();
    for (bytes, least) in [(&b""[..], 0), (b"\xef\xbb\xbf// only a comment\n", 0), (&garbage, 1)] {
        fs::write(&place, bytes).unwrap();
        let mut session = session(&installed);
        session.send("setoption name USI_Hash value 1");
        let said = notices(&mut session);
        let well_formed = said.iter().all(|text| text.starts_with("error: engine_options.txt") && text.is_ascii());
        assert!(said.len() >= least && said.len() <= 11 && well_formed, "{said:?}");
        session.send("quit");
        session.exits_cleanly();
    }
    // A folder of that name cannot be read, and is named.
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    let mut session = session(&installed);
    session.send("setoption name USI_Hash value 1");
    let said = notices(&mut session);
    assert!(said.len() == 1 && said[0].starts_with("error: engine_options.txt: "), "{said:?}");
}

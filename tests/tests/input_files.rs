//! Pipes, devices, folders, circles of links and files of 2 GiB in place of the files that
//! the engine and its commands take; two commands that write one file.
//! `scripts/hostile_files.py` does it for every command and a hundred files.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use enbu_tests::binary::enbu;
use enbu_tests::installation::Installation;
use enbu_tests::session::Session;

/// Far longer than any of these commands takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Paths that are no regular file, each with the reason for its refusal.
fn irregular(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let at = |name: &str| folder.join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.usi")).status().unwrap().success());
    symlink("pipe.usi", at("link.usi")).unwrap();
    symlink("/dev/zero", at("zero.usi")).unwrap();
    symlink("circle.usi", at("circle.usi")).unwrap();
    File::create(at("large.usi")).and_then(|file| file.set_len(2 << 30)).unwrap();
    [
        ("pipe.usi", "a pipe, not a regular file"),
        ("link.usi", "a pipe, not a regular file"),
        ("zero.usi", "a device, not a regular file"),
        ("circle.usi", "symbolic links"),
        ("large.usi", "too large"),
    ]
    .map(|(name, reason)| (at(name), reason))
    .into()
}

/// The output of a command that ends by itself.
fn ends(mut child: Child, what: &str) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{what} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn start(folder: &Path, arguments: &[&str], input: Stdio) -> Child {
    let mut command = Command::new(enbu());
    command.args(arguments).current_dir(folder).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn commands_refuse_what_is_no_file_of_their_kind() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (path, reason) in irregular(folder.path()) {
        let file = path.to_str().unwrap();
        let is_large = reason == "too large";
        for arguments in [
            &["convert", file, "--to", "csa"][..],
            &["analyse", file, "--nodes", "5"],
            &["mate", file],
            &["book", "make", file, "-o", "b.db", "--force"],
            &["book", "stats", file],
            &["book", "convert", file, "-o", "b.ybb", "--force"],
            &["bench", "--network", file, "--depth", "1"],
            &["match", "--merge", file],
            &["match", "--engine", "self", "--engine", "self", "--tc", "depth=1", "--openings", file],
            &["match", "--engines-file", file, "--tc", "depth=1"],
            &["csa", "--config", file],
            &["csa", "--host", "localhost", "--user", "a", "--password-file", file],
        ] {
            let output = ends(start(folder.path(), arguments, Stdio::null()), &format!("{arguments:?}"));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {output:?}");
            // Books and lists of games are read piece by piece; their content is refused.
            let is_read = is_large && arguments[0] == "book";
            assert!(is_read || errors.contains(reason) || arguments[0] == "mate", "{arguments:?}: {errors}");
        }
    }
    let output = ends(
        start(folder.path(), &["convert", "-", "--to", "csa"], File::open("/dev/zero").unwrap().into()),
        "endless standard input",
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("too large"), "{output:?}");
}

#[test]
fn the_session_answers_whatever_its_files_are() {
    let folder = tempfile::tempdir().unwrap();
    for (path, reason) in irregular(folder.path()) {
        let installed = Installation::new();
        for name in ["engine_options.txt", "engine_name.txt"] {
            symlink(&path, installed.path(name)).unwrap();
        }
        let mut session = Session::spawn(&mut Command::new(installed.executable()));
        session.send("usi");
        session.until("usiok");
        session.send("setoption name USI_Hash value 16");
        for option in ["EvalFile", "BookFile", "DebugLogFile"] {
            // A log may be of any size.
            if option != "DebugLogFile" || reason != "too large" {
                session.send(&format!("setoption name {option} value {}", path.display()));
            }
        }
        session.send("isready");
        let told = session.until("readyok").join("\n");
        assert!(told.contains("evaluation file") && told.contains(reason), "{}: {told}", path.display());
        session.send("position startpos");
        session.send("go depth 1");
        session.bestmove();
        session.send("quit");
        let (status, _) = session.exit();
        assert!(status.success(), "{}: {status}", path.display());
    }
}

#[test]
fn a_folder_with_links_to_itself_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("in/b");
    fs::create_dir_all(&inputs).unwrap();
    fs::write(inputs.join("a.usi"), "startpos moves 7g7f\n").unwrap();
    symlink("..", inputs.join("up")).unwrap();
    symlink(".", inputs.join("here")).unwrap();
    symlink("b", folder.path().join("in/c")).unwrap();
    let output = ends(start(folder.path(), &["convert", "in", "--to", "usi"], Stdio::null()), "convert");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{output:?}");
}

#[test]
fn of_two_commands_that_write_one_file_one_wins() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, mv) in [("a.usi", "7g7f"), ("b.usi", "2g2f")] {
        fs::write(folder.path().join(name), format!("startpos moves {mv}\n").repeat(2000)).unwrap();
    }
    for round in 0..10 {
        let out = format!("{round}.usi");
        let both = ["a.usi", "b.usi"]
            .map(|input| (input, start(folder.path(), &["convert", input, "-o", &out], Stdio::null())));
        let ended = both.map(|(input, child)| (input, ends(child, "convert")));
        let won: Vec<&str> =
            ended.iter().filter(|(_, output)| output.status.success()).map(|(input, _)| *input).collect();
        let [winner] = won[..] else { panic!("{ended:?}") };
        for (_, output) in ended.iter().filter(|(input, _)| *input != winner) {
            assert!(String::from_utf8_lossy(&output.stderr).contains("exists; --force overwrites it"), "{output:?}");
        }
        let written = fs::read(folder.path().join(&out)).unwrap();
        assert_eq!(written, fs::read(folder.path().join(winner)).unwrap(), "round {round}");
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 12, "temporary files are left");
}

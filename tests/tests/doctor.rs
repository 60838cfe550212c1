//! `enbu doctor`: healthy installations, and faults that it must name.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use enbu_eval::nnue::Simd;
use enbu_tests::installation::Installation;
use enbu_tests::networks::write;
use serde_json::Value;

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Runs `enbu doctor --lang en` with these arguments; returns the exit code and the page.
fn doctor(installed: &Installation, arguments: &[&str]) -> (Option<i32>, String) {
    let output = installed.run(&[&["doctor", "--lang", "en"], arguments].concat());
    assert!(output.stderr.is_empty(), "{output:?}");
    (output.status.code(), text(&output))
}

/// Runs `enbu doctor` with `arguments` and expects one fault, with all these words in the
/// line that names it, and a remedy after it.
fn names(installed: &Installation, arguments: &[&str], words: &[&str]) {
    let (code, page) = doctor(installed, arguments);
    let mut lines = page.lines().skip_while(|line| !line.starts_with("FAULT"));
    let line = lines.next().unwrap_or_else(|| panic!("{arguments:?} is healthy: {page}"));
    assert_eq!((code, page.matches("FAULT").count()), (Some(1), 1), "{arguments:?}: {page}");
    words.iter().for_each(|word| assert!(line.contains(word), "{arguments:?}, {word}: {page}"));
    assert!(lines.next().is_some_and(|line| line.trim_start().starts_with("-> ")), "{page}");
}

#[test]
fn a_healthy_machine_passes_every_check() {
    let installed = Installation::new();
    let arguments = ["doctor", "--json", "--option", "USI_Hash=16", "--option", "Threads=1", "--lang", "en"];
    let output = installed.run(&arguments);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &report["healthy"]), (Some(0), &Value::Bool(true)), "{report:#}");
    let checks = report["checks"].as_array().expect("checks");
    let names: Vec<&str> = checks.iter().filter_map(|check| check["name"].as_str()).collect();
    assert_eq!(names, ["processor", "threads", "hash", "options-file", "network", "book", "folders"]);
    let page = report.to_string();
    assert!(page.contains(&format!("{} in use", Simd::best().name())) && page.contains("USI_Hash 16 MB"), "{page}");
}

#[test]
fn a_wrong_network_file_is_named_with_the_reason() {
    let installed = Installation::new();
    let only = ["--only", "network"];
    let (code, page) = doctor(&installed, &only);
    assert!(code == Some(0) && page.contains("(built in)") && page.contains("no file eval"), "{page}");
    fs::write(installed.path("suisho.bin"), "").unwrap();
    let (code, page) = doctor(&installed, &only);
    assert!(code == Some(0) && page.contains("there is suisho.bin, which is not used"), "{page}");
    names(&installed, &["--only", "network", "--option", "Eval=File"], &["nn.bin", "instead"]);
    let place = installed.path("eval").join("nn.bin");
    fs::write(&place, "<html>Not Found</html>").unwrap();
    names(&installed, &only, &["nn.bin", "not a network of a known version", "the engine plays with"]);
    let mut bytes = Vec::new();
    write("kp-32x2-8-16", &mut bytes).unwrap();
    fs::write(&place, &bytes[..bytes.len() / 2]).unwrap();
    names(&installed, &only, &["nn.bin", "the engine plays with"]);
    fs::write(&place, &bytes).unwrap();
    let (code, page) = doctor(&installed, &only);
    assert!(code == Some(0) && page.contains("kp-32x2-8-16 from eval") && page.contains("FV_SCALE 16"), "{page}");
}

#[test]
fn a_book_is_described_or_named_with_the_reason() {
    let installed = Installation::new();
    let with = |file: &str| ["--only".to_owned(), "book".to_owned(), "--option".to_owned(), format!("BookFile={file}")];
    for (file, words) in [("standard_book.db", "no file book"), ("no_book", "none, by ")] {
        let arguments = with(file);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, page) = doctor(&installed, &arguments);
        assert!(code == Some(0) && page.contains(words), "{file}: {page}");
    }
    fs::create_dir(installed.path("book")).unwrap();
    fs::write(installed.path("book").join("wrong.db"), "<html>Not Found</html>\n").unwrap();
    for file in ["missing.db", "wrong.db"] {
        let arguments = with(file);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        names(&installed, &arguments, &[file, "playing without a book"]);
    }
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!("#YANEURAOU-DB2016 1.00\nsfen {sfen}\n7g7f 3c3d 0 32 1\n");
    fs::write(installed.path("book").join("standard_book.db"), book).unwrap();
    let (code, page) = doctor(&installed, &["--only", "book,folders"]);
    assert!(code == Some(0) && page.contains("1 positions") && page.contains("BookDir book"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let installed = Installation::new();
    fs::write(installed.path("file"), "").unwrap();
    let setting = |option: &str, path: &Path| format!("{option}={}", path.display());
    for (option, path) in [
        ("CsaLogDir", installed.path("file").join("games")),
        ("CsaLogDir", installed.path("file")),
        ("DebugLogFile", installed.path("file").join("log")),
        ("DebugLogFile", installed.path("none").join("log")),
    ] {
        let arguments = ["--only", "folders", "--option", &setting(option, &path)];
        names(&installed, &arguments, &[option, "cannot be written"]);
    }
    names(&installed, &["--only", "folders", "--option", "EvalDir=file"], &["EvalDir", "cannot be read"]);
    let games = setting("CsaLogDir", &installed.path("games").join("new"));
    let log = setting("DebugLogFile", &installed.path("file"));
    let (code, page) = doctor(&installed, &["--only", "folders", "--option", &games, "--option", &log]);
    assert!(code == Some(0) && !installed.path("games").exists(), "{page}");
}

#[test]
#[cfg(unix)]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let installed = Installation::new();
    let mut locked = installed.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        // Permissions do not bind this user, but there no user makes a file.
        locked = "/proc".into();
    }
    let setting = format!("CsaLogDir={}", locked.display());
    names(&installed, &["--only", "folders", "--option", &setting], &["CsaLogDir", "cannot be written"]);
}

#[test]
fn a_hash_of_1_mb_and_one_too_large_are_named() {
    let installed = Installation::new();
    let with = |size: &str| ["--only".to_owned(), "hash".to_owned(), "--option".to_owned(), format!("USI_Hash={size}")];
    for (size, words) in [("1", "too small"), ("33554432", "too large")] {
        let arguments = with(size);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        names(&installed, &arguments, &[&format!("USI_Hash {size} MB"), words]);
    }
    let threads = ["--only", "threads", "--option", "Threads=1024"];
    names(&installed, &threads, &["Threads 1024"]);
}

#[test]
fn each_path_of_kernels_is_named() {
    let installed = Installation::new();
    let run = |kernels: &str| {
        let mut command = installed.command(&["doctor", "--lang", "en", "--only", "processor"]);
        let output = command.env("ENBU_SIMD", kernels).output().unwrap();
        (output.status.code(), text(&output))
    };
    for simd in Simd::all() {
        let (code, page) = run(simd.name());
        assert!(code == Some(0) && page.contains(&format!("{} in use", simd.name())), "{page}");
        assert_eq!(page.contains("by ENBU_SIMD"), simd != Simd::best(), "{page}");
    }
    let (code, page) = run("mmx");
    assert!(code == Some(1) && page.contains("FAULT  ") && page.contains("`mmx`"), "{page}");
    assert!(page.contains("piece-square tables instead of a network"), "{page}");
}

#[test]
fn the_options_file_is_shown_with_its_errors() {
    let installed = Installation::new();
    let only = ["--only", "options-file,threads"];
    let (code, page) = doctor(&installed, &only);
    assert!(code == Some(0) && page.contains("no engine_options.txt"), "{page}");
    fs::write(installed.path("engine_options.txt"), "Threads 1\nUSI_Hash many\n").unwrap();
    names(&installed, &only, &["engine_options.txt line 2", "USI_Hash", "`many`"]);
    // What the GUI sets does not change a frozen option.
    let (_, page) = doctor(&installed, &["--only", "options-file,threads", "--option", "Threads=7"]);
    assert!(page.contains("sets Threads 1;") && page.contains("Threads 1 on "), "{page}");
}

#[test]
fn the_page_is_in_the_language_of_the_system_or_of_the_argument() {
    let installed = Installation::new();
    let run = |lang: &str, arguments: &[&str]| {
        let mut command: Command = installed.command(&[&["doctor", "--only", "threads"], arguments].concat());
        for name in ["LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANGUAGE"] {
            command.env_remove(name);
        }
        text(&command.env("LANG", lang).output().unwrap()).contains("スレッド")
    };
    assert!(run("en_US.UTF-8", &["--lang", "ja"]) && !run("ja_JP.UTF-8", &["--lang", "en"]));
    if cfg!(unix) && !cfg!(target_os = "macos") {
        assert!(run("ja_JP.UTF-8", &[]) && !run("C", &[]) && !run("en_US.UTF-8", &[]));
    }
    let output = installed.run(&["doctor", "--option", "Threads=many"]);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("option Threads: `many` refused"), "{output:?}");
}

//! From nothing to a network that the engine plays with: `enbu selfplay`, `enbu train`.

use std::path::Path;
use std::process::{Command, Output};

use enbu_tests::binary::enbu;
use enbu_tests::session::Session;

fn run(folder: &Path, arguments: &str) -> Output {
    let output = Command::new(enbu()).current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn games_become_a_network_that_plays() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "selfplay --games 16 --games-per-file 4 --nodes 30 --hash 1 --out games";
    let first = said(&run(folder, play));
    assert!(first.starts_with("files 4/4 games 16 positions "), "{first}");
    // Given again, there is nothing left to do.
    let again = said(&run(folder, play));
    assert!(again.starts_with("files 4/4 games 16 positions ") && again.contains("this run: 0 "), "{again}");
    let stats = said(&run(folder, "selfplay stats games"));
    assert!(stats.starts_with("games 16\n") && stats.contains("points fit"), "{stats}");

    let train = "train games --width 64 --epochs 2 --batch 512 --scale 600 --name tiny";
    let files = "--out tiny.nnue --checkpoint tiny.checkpoint --chart tiny.svg";
    let trained = said(&run(folder, &format!("{train} {files}")));
    assert!(trained.contains("plan: deep width=64") && trained.contains("positions/s"), "{trained}");
    run(folder, &format!("{train} --out same.nnue --threads 1"));
    let network = std::fs::read(folder.join("tiny.nnue")).unwrap();
    assert!(network == std::fs::read(folder.join("same.nnue")).unwrap(), "threads changed the network");
    assert!(std::fs::read_to_string(folder.join("tiny.svg")).unwrap().contains("<polyline"));

    let yardstick = "selfplay yardstick games --positions 50 --nodes 300 --hash 1 --out yardstick.games";
    assert!(said(&run(folder, yardstick)).starts_with("50 of 50 positions written"));
    let judged = said(&run(folder, "selfplay stats yardstick.games --eval tiny.nnue --eval embedded"));
    let losses: Vec<f64> = judged
        .lines()
        .filter(|line| line.starts_with("loss of "))
        .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(losses.len() == 2 && losses[1] < 0.75 * losses[0], "{judged}");
    let measured = said(&run(folder, &format!("{train} --out again.nnue --yardstick yardstick.games")));
    assert!(measured.contains("yardstick:\npositions"), "{measured}");

    // The next generation is played with the network, and differs.
    run(folder, "selfplay --games 2 --nodes 30 --hash 1 --eval tiny.nnue --out next");
    let by_network = std::fs::read(folder.join("next/000000.games")).unwrap();
    run(folder, "selfplay --games 2 --nodes 30 --hash 1 --out plain");
    let plain = std::fs::read(folder.join("plain/000000.games")).unwrap();
    assert_ne!(by_network, plain);
    run(folder, "selfplay --games 2 --nodes 30 --hash 1 --eval embedded --out embedded");
    assert_eq!(
        std::fs::read(folder.join("embedded/000000.games")).unwrap(),
        plain,
        "the default is the embedded network"
    );
}

#[test]
fn a_standard_network_is_made_for_other_programs() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, "selfplay --games 6 --nodes 30 --hash 1 --out games");
    let train = "train games --shape kp --epochs 2 --batch 512 --scale 600 --name tiny";
    let trained = said(&run(folder, &format!("{train} --out nn.bin --checkpoint a.checkpoint --chart a.svg")));
    assert!(trained.contains("plan: kp-256x2-32-32 ") && trained.contains("file against floating point"), "{trained}");
    assert!(std::fs::read_to_string(folder.join("a.svg")).unwrap().contains("<polyline"));
    let network = std::fs::read(folder.join("nn.bin")).unwrap();
    run(folder, &format!("{train} --out same.bin --threads 1"));
    assert!(network == std::fs::read(folder.join("same.bin")).unwrap(), "threads changed the network");
    let resumed = said(&run(folder, &format!("{train} --out again.bin --checkpoint a.checkpoint --resume")));
    assert!(resumed.contains("going on from batch"), "{resumed}");
    assert!(network == std::fs::read(folder.join("again.bin")).unwrap(), "the checkpoint holds another network");

    let mut session = Session::start();
    session.send("setoption name USI_Hash value 16");
    session.send(&format!("setoption name EvalFile value {}", folder.join("nn.bin").display()));
    session.send("isready");
    let lines = session.until("readyok");
    let named = lines.iter().any(|line| {
        line.starts_with("info string evaluation kp-256x2-32-32 from ") && line.contains("FV_SCALE 16 (automatic)")
    });
    assert!(named, "{lines:?}");
    session.send("go nodes 100");
    session.bestmove();
}

#[test]
fn piece_square_tables_are_fitted_and_written_as_text() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, "selfplay --games 20 --nodes 30 --hash 1 --out games");
    let trained = said(&run(folder, "train games --shape piece-square --epochs 2 --batch 512 --out tables.txt"));
    assert!(trained.contains("\ntables of "), "{trained}");
    assert!(trained.contains("plan: piece-square "), "{trained}");
    let source = std::fs::read_to_string(folder.join("tables.txt")).unwrap();
    assert!(source.contains("\n# tempo\n") && source.contains("\n# threat\n"), "{source}");
    let arguments = "train games --shape piece-square --width 64 --out tables.txt";
    let refused = Command::new(enbu()).current_dir(folder).args(arguments.split(' ')).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("--width is for --shape deep"), "{error}");
}

#[test]
fn files_of_a_training_are_checked_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "--out none/a.nnue",
        "--out .",
        "--out a.nnue --chart none/a.svg",
        "--out a.nnue --checkpoint none/a.checkpoint",
        "--out a.nnue --start none/a.checkpoint",
    ] {
        // The sources are missing as well, and are read after the check.
        let words = format!("train games {arguments}");
        let output = Command::new(enbu()).current_dir(folder.path()).args(words.split(' ')).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {error}");
        assert!(!error.contains("games"), "{arguments}: {error}");
        let named = arguments.rsplit(' ').next().unwrap();
        assert!(error.contains(&format!("enbu: {named}: ")), "{arguments}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn formats_are_converted_and_wrong_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, "selfplay --games 4 --games-per-file 2 --nodes 20 --hash 1 --out games");
    for (out, action) in [("a.psv", "shuffle"), ("a.hcpe", "export"), ("a.pack", "export"), ("a.games", "merge")] {
        run(folder, &format!("selfplay {action} games --out {out}"));
    }
    let counts: Vec<String> = ["games", "a.psv", "a.hcpe", "a.pack", "a.games"]
        .iter()
        .map(|source| {
            let stats = said(&run(folder, &format!("selfplay stats {source}")));
            stats.lines().find(|line| line.starts_with("positions ")).unwrap().to_owned()
        })
        .collect();
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");

    for arguments in ["train nope --out a.nnue", "selfplay stats nope", "selfplay export nope --out b.psv"] {
        let output = Command::new(enbu()).current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("nope: ") && !error.contains("must end"), "{error}");
    }
    let damaged = folder.join("games/000001.games");
    let mut bytes = std::fs::read(&damaged).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    for arguments in ["selfplay stats games", "train games --out a.nnue"] {
        let output = Command::new(enbu()).current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("000001.games") && error.contains("is damaged"), "{error}");
    }
}

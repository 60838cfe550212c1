//! Files of networks as users have them: right ones, wrong ones, none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use enbu_eval::nnue::{Network, Simd};
use enbu_tests::binary::enbu;
use enbu_tests::installation::Installation;
use enbu_tests::networks::damage::{damaged, examine, resealed};
use enbu_tests::networks::write;
use enbu_tests::session::Session;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Small networks of every family that the reader knows.
const SMALL: [&str; 5] =
    ["kp-32x2-8-16", "sfnn-ka2-64-7-8-progress4", "enbu-64-b2", "enbu-64-attacks-16-32", "kp-64x2-16-32"];

fn file(shape: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(shape, &mut bytes).unwrap();
    bytes
}

/// The reader's error for these bytes.
fn refusal(bytes: &[u8]) -> Option<String> {
    Network::from_bytes(bytes, Simd::SCALAR).err().map(|error| error.to_string())
}

#[test]
fn small_networks_of_every_family_are_read() {
    for shape in SMALL {
        let network = Network::from_bytes(&file(shape), Simd::best()).unwrap();
        assert_eq!(network.shape().to_string(), shape);
    }
}

#[test]
fn no_cut_or_longer_file_is_taken_for_a_network() {
    for shape in SMALL {
        let mut bytes = file(shape);
        let full = bytes.len();
        for length in (0..300).chain((1..200).map(|part| full * part / 200)).chain(full - 300..full) {
            let error = refusal(&bytes[..length]).unwrap_or_else(|| panic!("{shape} cut to {length}"));
            assert!(!error.is_empty() && error.is_ascii());
        }
        for extra in 1..70 {
            bytes.push(extra);
            assert!(refusal(&bytes).is_some(), "{shape} and {extra} bytes more");
        }
    }
}

#[test]
fn damage_is_named_or_harmless() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(66);
    for shape in SMALL {
        let good = file(shape);
        assert!(examine(&good).is_ok(), "{shape}");
        let mut refused = 0;
        for _ in 0..200 {
            let bytes = damaged(&good, &mut random);
            refused += u32::from(examine(&bytes).is_err());
            refused += u32::from(examine(&resealed(bytes)).is_err());
        }
        // Most faults are in sizes; the rest changes weights, of which all are allowed.
        assert!((200..400).contains(&refused), "{shape}: {refused} of 400 refused");
    }
}

#[test]
fn random_bytes_are_no_network() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(67);
    for mark in
        [&[][..], &[0x16, 0x2F, 0xF3, 0x7A], b"ENBUNNUE", b"\x16\x2F\xF3\x7A\0\0\0\0\0\0\0\0\0\0\0\0COMPRESSED_LEB128"]
    {
        for _ in 0..200 {
            let mut bytes = mark.to_vec();
            bytes.resize(mark.len() + random.random_range(0..100_000), 0);
            random.fill_bytes(&mut bytes[mark.len()..]);
            assert!(examine(&bytes).is_err());
        }
    }
}

#[test]
fn each_fault_is_named() {
    let good = file("kp-256x2-32-32");
    let changed = |offset: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        file
    };
    for (bytes, words) in [
        (Vec::new(), "ends too early: the version at offset 0 needs 4 bytes, 0 are left"),
        (changed(0, &[0x20]), "it begins with 7af32f20"),
        (changed(8, &[0xFF; 4]), "the length of the description at offset 8 is 4294967295, not 0 to 4096"),
        (good[..100].to_vec(), "the description at offset 12 needs"),
        (good[..good.len() - 1].to_vec(), "not the 893740 of kp-256x2-32-32"),
        ([&good[..], &[0]].concat(), "893741 bytes follow the description"),
    ] {
        let error = refusal(&bytes).unwrap();
        assert!(error.contains(words), "{error}");
    }
    let stacks = file("sfnn-ka2-64-7-8-progress4");
    let mark = stacks.windows(17).position(|bytes| bytes == b"COMPRESSED_LEB128").unwrap();
    let mut damaged = stacks.clone();
    damaged[mark + 17..mark + 21].fill(0xFF);
    let error = refusal(&damaged).unwrap();
    assert!(error.contains(&format!("at offset {} needs 4294967295 bytes", mark + 21)), "{error}");
}

/// The place of the network file.
fn network(installed: &Installation) -> PathBuf {
    installed.path("eval").join("nn.bin")
}

/// Registers as ShogiHome does: every option is set to its default; then lets it
/// evaluate and play. Returns the lines that the user sees at `isready`, and the answer to `eval`.
fn play(installed: &Installation, settings: &[&str]) -> (String, String) {
    let mut session = Session::spawn(&mut Command::new(installed.executable()));
    session.send("usi");
    let declared = session.until("usiok");
    for line in declared.iter().filter(|line| line.starts_with("option ") && !line.ends_with(" type button")) {
        let words: Vec<&str> = line.split(' ').collect();
        let default = words.iter().position(|&word| word == "default").map(|at| words[at + 1]).unwrap();
        session.send(&format!("setoption name {} value {default}", words[2]));
    }
    session.send("setoption name USI_Hash value 16");
    settings.iter().for_each(|setting| session.send(setting));
    session.send("isready");
    let seen: Vec<String> =
        session.until("readyok").into_iter().filter(|line| line.starts_with("info string")).collect();
    session.send("usinewgame");
    session.send("position startpos moves 7g7f");
    let mut eval = session.reply("eval");
    eval.retain(|line| !line.starts_with("info string"));
    assert!(eval.last().unwrap().starts_with("value "), "{eval:?}");
    session.send("go nodes 500");
    session.bestmove();
    session.send("quit");
    (seen.join("\n"), eval.join("\n"))
}

#[test]
fn without_a_file_the_built_in_evaluation_plays_and_says_so() {
    let installed = Installation::new();
    let (seen, eval) = play(&installed, &[]);
    assert!(seen.starts_with("info string evaluation ") && !seen.contains("error"), "{seen}");
    // Nothing is wrong, so no file is named.
    assert!(seen.contains(" (built in), ") && !seen.contains("nn.bin"), "{seen}");
    assert!(eval.starts_with("evaluation "), "{eval}");
}

#[test]
fn a_file_beside_the_executable_is_used_and_named() {
    let installed = Installation::new();
    fs::write(network(&installed), file("kp-256x2-32-32")).unwrap();
    let (seen, eval) = play(&installed, &[]);
    // Its path is shown from the folder of the executable on.
    assert!(seen.starts_with("info string evaluation kp-256x2-32-32 from eval"), "{seen}");
    assert!(seen.contains("nn.bin, FV_SCALE 16 (automatic)"), "{seen}");
    assert!(eval.starts_with("evaluation kp-256x2-32-32\nfile ") && eval.contains("\nraw "), "{eval}");
    let number = |key: &str| -> i64 { eval.lines().find_map(|line| line.strip_prefix(key)).unwrap().parse().unwrap() };
    assert_eq!(number("value "), number("raw ") / 16);
    let (seen, eval_at_24) = play(&installed, &["setoption name FV_SCALE value 24"]);
    assert!(seen.contains("FV_SCALE 24") && !seen.contains("automatic"), "{seen}");
    assert!(eval_at_24.ends_with(&format!("value {}", number("raw ") / 24)), "{eval_at_24}");
    let (seen, _) = play(&installed, &["setoption name Eval value PieceSquare"]);
    assert_eq!(seen, "info string evaluation piece-square");
}

/// Name in the answer to `usi`.
fn name(session: &mut Session) -> String {
    session.send("usi");
    let lines = session.until("usiok");
    lines.iter().find_map(|line| line.strip_prefix("id name ")).unwrap().to_owned()
}

#[test]
fn the_name_of_the_engine_names_its_evaluation() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let installed = Installation::new();
    let mut session = Session::spawn(&mut Command::new(installed.executable()));
    let own = name(&mut session);
    assert!(own.starts_with("Enbu ") && own.ends_with(')'), "{own}");
    let evaluation = own.split_once(" (").unwrap().1.trim_end_matches(')');
    session.send("setoption name USI_Hash value 16");
    session.send("isready");
    let seen = session.until("readyok").join("\n");
    assert!(seen.contains(&format!("evaluation {evaluation} (built in)")), "{own}: {seen}");
    assert_eq!(name(&mut session), own);
    session.send("setoption name Eval value PieceSquare");
    assert!(name(&mut session).ends_with(" (piece-square)"));
    // A file goes by its path until it is read, whatever it holds, and by its shape after that.
    fs::write(network(&installed), file("kp-32x2-8-16")).unwrap();
    session.send("setoption name Eval value Auto");
    assert!(name(&mut session).ends_with("nn.bin)"));
    session.send("isready");
    session.until("readyok");
    assert!(name(&mut session).ends_with(" (kp-32x2-8-16)"));
    fs::write(network(&installed), "no network").unwrap();
    session.send("isready");
    session.until("readyok");
    assert!(name(&mut session).contains(&format!(" ({evaluation} instead of ")));
}

#[test]
fn a_file_beside_the_executable_gives_the_engine_another_name() {
    let installed = Installation::new();
    let japanese = "\u{6f14}\u{6b66} \u{7d42}\u{76e4}\u{7528}";
    fs::write(installed.path("engine_name.txt"), format!("{japanese}\r\nme\r\n")).unwrap();
    let mut session = Session::spawn(&mut Command::new(installed.executable()));
    session.send("usi");
    let lines = session.until("usiok");
    assert_eq!(lines[..2], [format!("id name {japanese}"), "id author me".to_owned()]);
}

#[test]
fn a_folder_with_a_japanese_name_is_shown_as_it_is() {
    let installed = Installation::new();
    let folder = installed.path("\u{8a55}\u{4fa1}");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("nn.bin"), file("kp-32x2-8-16")).unwrap();
    let (seen, _) = play(&installed, &["setoption name EvalDir value \u{8a55}\u{4fa1}"]);
    assert!(seen.starts_with("info string evaluation kp-32x2-8-16 from \u{8a55}\u{4fa1}"), "{seen}");
}

#[test]
fn a_wrong_file_is_named_with_the_reason_and_play_goes_on() {
    let installed = Installation::new();
    let good = file("kp-256x2-32-32");
    let cases: [(&[u8], &str); 4] = [
        (b"<html>Not Found</html>", "not a network of a known version"),
        (b"", "ends too early"),
        (&good[..400_000], "not the 893740 of kp-256x2-32-32"),
        (&[&good[..], b"\r\n"].concat(), "not the 893740 of kp-256x2-32-32"),
    ];
    for (bytes, reason) in cases {
        fs::write(network(&installed), bytes).unwrap();
        let (seen, eval) = play(&installed, &[]);
        assert!(seen.starts_with("info string error: evaluation file "), "{seen}");
        assert!(seen.contains("nn.bin") && seen.contains(reason) && seen.contains("; using "), "{seen}");
        assert!(!eval.contains("kp-256"), "{eval}");
    }
}

#[test]
fn what_is_no_file_or_is_missing_where_it_was_named_is_an_error() {
    let installed = Installation::new();
    fs::create_dir(network(&installed)).unwrap();
    let (seen, _) = play(&installed, &[]);
    assert!(seen.contains("error: evaluation file") && seen.contains("a folder, not a regular file"), "{seen}");
    for setting in ["EvalFile value missing.bin", "EvalDir value nowhere"] {
        let (seen, _) = play(&installed, &[&format!("setoption name {setting}")]);
        assert!(seen.contains("error: evaluation file") && seen.contains("cannot be read"), "{seen}");
    }
    fs::remove_dir(network(&installed)).unwrap();
    let (seen, _) = play(&installed, &["setoption name Eval value File"]);
    assert!(seen.contains("error: evaluation file") && seen.contains("cannot be read"), "{seen}");
}

#[cfg(unix)]
#[test]
fn a_file_or_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let installed = Installation::new();
    fs::write(network(&installed), file("kp-32x2-8-16")).unwrap();
    let folder = network(&installed).parent().unwrap().to_owned();
    for locked in [network(&installed), folder] {
        let usual = fs::metadata(&locked).unwrap().permissions();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).unwrap();
        let is_above_permissions = fs::read(network(&installed)).is_ok();
        let (seen, _) = play(&installed, &[]);
        fs::set_permissions(&locked, usual).unwrap();
        if is_above_permissions {
            assert!(seen.contains("evaluation kp-32x2-8-16 from"), "{seen}");
        } else {
            assert!(seen.contains("error: evaluation file") && seen.contains("cannot be read"), "{seen}");
        }
    }
}

#[test]
fn a_file_of_two_gigabytes_is_refused_without_reading_it() {
    let installed = Installation::new();
    let sparse = fs::File::create(network(&installed)).unwrap();
    if sparse.set_len(2 << 30).is_err() {
        enbu_tests::skipped("a file system without files of holes has no room for 2 GiB");
        return;
    }
    let (seen, _) = play(&installed, &[]);
    assert!(seen.contains("too large: 2147483648 bytes, at most"), "{seen}");
}

#[test]
fn a_replaced_file_is_read_again_at_the_next_isready() {
    let installed = Installation::new();
    fs::write(network(&installed), file("kp-256x2-32-32")).unwrap();
    let mut session = Session::spawn(&mut Command::new(installed.executable()));
    session.send("setoption name USI_Hash value 16");
    let mut ready = || {
        session.send("isready");
        session.until("readyok").join("\n")
    };
    assert!(ready().contains("evaluation kp-256x2-32-32"));
    assert!(!ready().contains("evaluation"), "nothing new to say");
    fs::write(network(&installed), file("enbu-64-b2")).unwrap();
    assert!(ready().contains("evaluation enbu-64-b2"));
    fs::remove_file(network(&installed)).unwrap();
    assert!(ready().contains(" (built in), "));
}

fn bench(network: &Path, kernels: &str) -> Output {
    let mut command = Command::new(enbu());
    command.args(["bench", "--depth", "2", "--network"]).arg(network).env("ENBU_SIMD", kernels).output().unwrap()
}

#[test]
fn the_signature_of_each_kind_is_the_same_on_every_path() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = [
        "kp-256x2-32-32",
        "enbu-64-attacks",
        "enbu-64-attacks-16-32",
        "enbu-128-b4",
        "halfkpvm-256x2-32-32",
        "sfnn-ka2-256-8-32-hand16-k9k9-progress4",
    ];
    for shape in shapes.into_iter().take(if enbu_tests::has_slow_rows() { 6 } else { 1 }) {
        let path = folder.path().join("nn.bin");
        fs::write(&path, file(shape)).unwrap();
        let signatures: Vec<String> = Simd::all()
            .into_iter()
            .map(|simd| {
                let output = bench(&path, simd.name());
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let text = String::from_utf8(output.stdout).unwrap();
                assert!(text.starts_with(&format!("evaluation {shape}\n")), "{text}");
                text.lines().last().unwrap().to_owned()
            })
            .collect();
        assert!(signatures[0].starts_with("Bench: "), "{signatures:?}");
        assert!(signatures.iter().all(|signature| *signature == signatures[0]), "{shape}: {signatures:?}");
    }
}

#[test]
fn kernels_that_do_not_exist_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    fs::write(&path, file("kp-32x2-8-16")).unwrap();
    let output = bench(&path, "mmx");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("kernels `mmx` are not available on this processor, only"),
        "{error}"
    );
}

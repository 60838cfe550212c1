//! The shape of the workspace.
//!
//! The permitted edges between crates, in agreement with ARCHITECTURE.md, no import circle
//! between modules, files opened by one crate, and unsafe code only in its rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use enbu_tests::binary::workspace_root;
use enbu_tests::modules::Modules;
use serde_json::Value;

/// For each crate (by its folder) the crates of ours that it may depend on. Any other
/// edge, of any kind, is an error; so is a crate that is not listed.
const ALLOWED: [(&str, &[&str]); 19] = [
    ("files", &["language"]),
    ("isa", &[]),
    ("language", &[]),
    ("movegen", &["isa", "language"]),
    ("eval", &["movegen", "files", "isa", "language"]),
    ("mate", &["movegen", "isa", "language"]),
    ("kifu", &["movegen", "language"]),
    ("book", &["movegen", "files", "language"]),
    ("usi", &["movegen", "kifu", "files", "language"]),
    ("search", &["movegen", "eval", "mate", "isa"]),
    ("adapter", &["usi", "search", "mate", "movegen"]),
    ("arena", &["usi", "kifu", "mate", "movegen", "files", "language"]),
    ("csa", &["usi", "kifu", "movegen", "files", "language"]),
    ("learn", &["search", "eval", "movegen", "files", "isa"]),
    ("analysis", &["search", "eval", "mate", "kifu", "movegen", "language"]),
    ("web", &["adapter", "analysis", "search", "eval", "usi", "kifu", "movegen", "language"]),
    (
        "engine",
        &[
            "files", "isa", "movegen", "eval", "mate", "kifu", "book", "usi", "search", "arena", "csa", "learn",
            "analysis", "language", "adapter",
        ],
    ),
    (
        "tests",
        &[
            "files", "isa", "movegen", "eval", "mate", "kifu", "book", "usi", "search", "arena", "csa", "learn",
            "analysis", "engine", "language", "adapter", "web",
        ],
    ),
    ("xtask", &[]),
];

/// Crates that must not contain a line of unsafe code.
const SAFE: [&str; 13] = [
    "files", "language", "usi", "adapter", "kifu", "book", "arena", "csa", "learn", "analysis", "engine", "tests",
    "xtask",
];

/// Functions of the standard library that open a file or a folder by its name.
const OPENERS: [(&str, &[&str]); 3] = [
    ("File", &["open", "create", "create_new", "options"]),
    ("OpenOptions", &["new"]),
    ("fs", &["read", "read_to_string", "read_dir", "write", "copy", "rename", "hard_link"]),
];

/// Files that call them: `files`, and readers of `/proc` and `/sys`, whose paths are constants.
const OPENING: [&str; 6] = [
    "arena/src/stall.rs",
    "engine/src/commands/doctor/machine.rs",
    "engine/src/machine.rs",
    "files/src/draft.rs",
    "files/src/input.rs",
    "search/src/pages.rs",
];

/// The word that opens a lint for one place.
const EXCEPTION: &str = concat!("unsafe", "_code");

/// Most packages in Cargo.lock, our own included.
const MAX_PACKAGES: usize = 130;

/// No file is longer, tables apart.
const MAX_LINES: usize = 900;

/// The packages of the workspace, by folder.
fn packages() -> Vec<(String, Value)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(workspace_root())
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|package| (folder(package["manifest_path"].as_str().unwrap()), package.clone())).collect()
}

fn folder(manifest: &str) -> String {
    Path::new(manifest).parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned()
}

/// The folder of the crate of ours that a dependency names, if it is one.
fn ours(dependency: &Value) -> Option<String> {
    let path = dependency["path"].as_str()?;
    Some(Path::new(path).file_name()?.to_string_lossy().into_owned())
}

#[test]
fn crates_depend_only_where_the_design_allows() {
    let packages = packages();
    assert!(packages.len() >= 3);
    for (crate_name, package) in &packages {
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| name == crate_name)
            .unwrap_or_else(|| panic!("the crate {crate_name} has no line in ALLOWED and ARCHITECTURE.md"));
        for dependency in package["dependencies"].as_array().unwrap() {
            if let Some(target) = ours(dependency) {
                assert!(allowed.contains(&target.as_str()), "{crate_name} must not depend on {target}");
            }
        }
    }
}

#[test]
fn the_rules_need_only_instruction_dispatch_and_error_messages() {
    let packages = packages();
    for (crate_name, needs) in
        [("movegen", &["enbu-isa", "enbu-language", "thiserror"][..]), ("language", &[]), ("isa", &[])]
    {
        let (_, package) = packages.iter().find(|(name, _)| name == crate_name).unwrap();
        let dependencies = package["dependencies"].as_array().unwrap();
        let at_run_time = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let names: Vec<&str> = at_run_time.map(|dependency| dependency["name"].as_str().unwrap()).collect();
        assert_eq!(names, needs, "{crate_name}");
    }
}

#[test]
fn the_libraries_of_the_design_are_used_directly() {
    let packages = packages();
    let depends = |library: &str| {
        packages.iter().filter(|(name, _)| !["tests", "xtask"].contains(&name.as_str())).any(|(_, package)| {
            let dependencies = package["dependencies"].as_array().unwrap();
            dependencies.iter().any(|dependency| dependency["name"] == library && dependency["kind"].is_null())
        })
    };
    for library in ["clap", "crossbeam-channel", "once_cell", "parking_lot", "rand"] {
        assert!(depends(library), "{library}");
    }
}

#[test]
fn the_yardsticks_are_outside_the_dependency_tree() {
    let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).unwrap();
    for library in ["haitaka", "rsshogi"] {
        assert!(!lock.contains(&format!("name = \"{library}\"")), "{library} is in Cargo.lock");
    }
}

#[test]
fn the_lock_file_stays_small_and_each_library_has_a_reason() {
    let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).unwrap();
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(packages <= MAX_PACKAGES, "{packages} packages");
    let manifest = fs::read_to_string(workspace_root().join("Cargo.toml")).unwrap();
    let (_, table) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let (table, _) = table.split_once("\n[").unwrap();
    // A comment holds for the lines up to the next blank line or comment.
    for group in table.split("\n\n").filter(|group| !group.starts_with("enbu-")) {
        assert!(group.trim_start().starts_with('#'), "no reason: {group}");
    }
}

#[test]
fn input_facing_crates_forbid_unsafe_code() {
    for (name, package) in packages() {
        if !SAFE.contains(&name.as_str()) {
            continue;
        }
        for target in package["targets"].as_array().unwrap() {
            let kind = target["kind"][0].as_str().unwrap();
            if kind == "lib" || kind == "bin" {
                let root = target["src_path"].as_str().unwrap();
                let text = fs::read_to_string(root).unwrap();
                assert!(text.contains("#![forbid(unsafe_code)]"), "{root} does not forbid unsafe code");
            }
        }
    }
}

#[test]
fn the_solver_is_unsafe_only_where_it_asks_the_processor() {
    // `multiversion!` of isa holds the one block; no file of mate may open the lint.
    let mut files = BTreeSet::new();
    rust_files(&workspace_root().join("mate/src"), &mut files);
    assert!(files.len() > 5);
    for file in files {
        let text = fs::read_to_string(workspace_root().join(&file)).unwrap();
        assert!(!text.contains(EXCEPTION), "{file}");
    }
}

/// Every Rust file below `folder`, as a path from the workspace root with `/`.
fn rust_files(folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let path = path.strip_prefix(workspace_root()).unwrap();
            let parts: Vec<String> =
                path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            files.insert(parts.join("/"));
        }
    }
}

fn all_rust_files() -> BTreeSet<String> {
    let root = workspace_root();
    let mut files = BTreeSet::new();
    for (name, _) in packages() {
        for folder in ["src", "tests", "benches", "examples"] {
            let folder: PathBuf = root.join(&name).join(folder);
            if folder.is_dir() {
                rust_files(&folder, &mut files);
            }
        }
    }
    for folder in ["bench/yardsticks/src", "bench/parts/benches"] {
        rust_files(&root.join(folder), &mut files);
    }
    files
}

/// The crate tables of ARCHITECTURE.md: each crate with the crates that it may depend on.
/// `nothing` is an empty list, `all but` a list of the crates left out.
fn mapped_crates(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let names = |list: &str| list.split(", ").map(unquoted).collect::<BTreeSet<String>>();
    let rows: Vec<[&str; 3]> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            cells.try_into().unwrap_or_else(|_| panic!("three cells: {row}"))
        })
        .collect();
    let edges = |name: &str, edges: &str| match edges.strip_prefix("all but ") {
        Some(list) => {
            let all = rows.iter().map(|[name, ..]| unquoted(name));
            all.filter(|other| other != name && !names(list).contains(other)).collect()
        }
        None if edges == "nothing" => BTreeSet::new(),
        None => names(edges),
    };
    rows.iter().map(|[name, _, list]| (unquoted(name), edges(&unquoted(name), list))).collect()
}

/// The text between the backticks of `word`.
fn unquoted(word: &str) -> String {
    let inner = word.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inner.unwrap_or_else(|| panic!("not in backticks: {word}")).into()
}

fn architecture() -> String {
    fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).unwrap().replace('\r', "")
}

#[test]
fn architecture_lists_the_crates_and_their_edges() {
    let allowed = ALLOWED.map(|(name, edges)| (name.to_string(), edges.iter().map(ToString::to_string).collect()));
    assert_eq!(mapped_crates(&architecture()), BTreeMap::from(allowed));
}

#[test]
fn architecture_names_only_files_that_exist() {
    let text = architecture();
    let existing = all_rust_files();
    let quoted = text.split('`').skip(1).step_by(2).filter(|word| word.ends_with(".rs"));
    let stale: Vec<&str> = quoted
        .filter(|&word| !existing.iter().any(|file| file == word || file.ends_with(&format!("/{word}"))))
        .collect();
    assert!(stale.is_empty(), "ARCHITECTURE.md names {stale:?}");
}

#[test]
fn modules_import_each_other_in_no_circle() {
    let mut circles = Vec::new();
    for (name, _) in packages() {
        let roots = ["lib.rs", "main.rs"].map(|root| workspace_root().join(&name).join("src").join(root));
        for root in roots.iter().filter(|root| root.is_file()) {
            circles.extend(
                Modules::read(root)
                    .circles()
                    .into_iter()
                    .map(|circle| format!("{name}: {:?}\n    {}", circle.files, circle.imports.join("\n    "))),
            );
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn files_are_opened_by_the_crate_that_bounds_them() {
    let opens = |path: &[String]| {
        let [.., of, name] = path else { return false };
        OPENERS.iter().any(|(kind, names)| of == kind && names.contains(&name.as_str()))
    };
    let mut found = BTreeSet::new();
    for (name, _) in packages().iter().filter(|(name, _)| !["tests", "xtask"].contains(&name.as_str())) {
        for root in ["lib.rs", "main.rs"].map(|root| workspace_root().join(name).join("src").join(root)) {
            let modules = if root.is_file() { Modules::read(&root) } else { Modules::default() };
            let files = modules.names().filter(|(_, path)| opens(path)).map(|(file, _)| format!("{name}/src/{file}"));
            found.extend(files.collect::<Vec<_>>());
        }
    }
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), OPENING);
}

#[test]
fn every_test_file_is_part_of_the_test_program() {
    let files = all_rust_files();
    let programs: Vec<&str> = files.iter().filter_map(|file| file.strip_suffix("/tests/main.rs")).collect();
    assert_eq!(programs, ["book", "kifu", "tests"]);
    for program in programs {
        let folder = format!("{program}/tests/");
        let main = fs::read_to_string(workspace_root().join(format!("{folder}main.rs"))).unwrap();
        let modules = files.iter().filter_map(|file| file.strip_prefix(&folder)?.strip_suffix(".rs"));
        for module in modules.filter(|&module| module != "main" && !module.contains('/')) {
            assert!(main.contains(&format!("\nmod {module};\n")), "{folder}main.rs lacks `mod {module};`");
        }
    }
}

#[test]
fn programs_without_tests_are_the_ones_that_are_not_tested() {
    for (name, package) in packages() {
        for target in package["targets"].as_array().unwrap() {
            let is_program = ["lib", "bin"].iter().any(|kind| target["kind"][0] == *kind);
            if !is_program || target["test"] == true {
                continue;
            }
            let mut files = BTreeSet::from([target["src_path"].as_str().unwrap().to_owned()]);
            if target["kind"][0] == "lib" {
                rust_files(&workspace_root().join(&name).join("src"), &mut files);
            }
            for file in files {
                let text = fs::read_to_string(workspace_root().join(&file)).unwrap();
                assert!(
                    !text.contains("#[test]"),
                    "the test in {file} never runs: {name}/Cargo.toml has `test = false`"
                );
            }
        }
    }
}

/// Each package and its features, as `cargo tree` lists them.
fn features(arguments: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace_root()).args(["tree", "--prefix", "none", "--format", "{p} {f}"]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned()).collect()
}

/// Of a library with a feature that only the tests enable there are two builds, and of
/// every crate above it: one for the tests, one for the engine that they start.
#[test]
fn the_engine_of_the_tests_needs_no_build_of_its_own() {
    let engine = features(&["--package", "enbu", "--edges", "normal,build"]);
    let tests = features(&["--workspace", "--edges", "normal,build,dev"]);
    let missing: Vec<&String> = engine.difference(&tests).collect();
    assert!(engine.len() > 50 && missing.is_empty(), "not in the build of the tests: {missing:#?}");
}

#[test]
fn files_stay_short() {
    for file in all_rust_files() {
        let lines = fs::read_to_string(workspace_root().join(&file)).unwrap().lines().count();
        assert!(lines <= MAX_LINES, "{file} has {lines} lines");
    }
}

#[test]
fn no_test_is_switched_off() {
    // Spelled in two parts, so that this file does not contain the attribute.
    let ignored = concat!("#[", "ignore");
    for file in all_rust_files() {
        let text = fs::read_to_string(workspace_root().join(&file)).unwrap();
        assert!(!text.lines().any(|line| line.trim_start().starts_with(ignored)), "{file}");
    }
}

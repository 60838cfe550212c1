//! The shape of the workspace.
//!
//! Which crate may know which, where unsafe code may be, and that ARCHITECTURE.md has
//! a room for every file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use enbu_tests::binary::workspace_root;
use serde_json::Value;

/// For each crate (by its folder) the crates of ours that it may depend on. Any other
/// edge, of any kind, is an error; so is a crate that is not listed.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("files", &[]),
    ("movegen", &[]),
    ("eval", &["movegen"]),
    ("mate", &["movegen"]),
    ("kifu", &["movegen"]),
    ("usi", &["movegen", "kifu"]),
    ("search", &["movegen", "eval", "mate"]),
    ("arena", &["usi", "kifu", "movegen", "files"]),
    ("learn", &["search", "eval", "movegen", "files"]),
    ("engine", &["files", "movegen", "eval", "mate", "kifu", "usi", "search", "arena", "learn"]),
    ("tests", &["movegen", "eval", "mate", "kifu", "usi", "search", "arena", "learn", "engine"]),
];

/// Crates that must not contain a line of unsafe code.
const SAFE: [&str; 7] = ["files", "usi", "kifu", "arena", "learn", "engine", "tests"];

/// The word that opens a lint for one place.
const EXCEPTION: &str = concat!("unsafe", "_code");

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
fn the_rules_need_no_other_crate() {
    let packages = packages();
    let (_, movegen) = packages.iter().find(|(name, _)| name == "movegen").unwrap();
    let needed: Vec<&Value> =
        movegen["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null()).collect();
    assert!(needed.is_empty(), "movegen depends on {needed:?}");
}

#[test]
fn the_yardsticks_are_outside_the_dependency_tree() {
    let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).unwrap();
    for library in ["haitaka", "rsshogi"] {
        assert!(!lock.contains(&format!("name = \"{library}\"")), "{library} is in Cargo.lock");
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
    // `multiversion!` of movegen holds the one block; no file of mate may open the lint.
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
    rust_files(&root.join("bench/yardsticks/src"), &mut files);
    files
}

/// The files in the map of ARCHITECTURE.md: inside its code blocks an unindented line
/// that ends with `/` names a folder, and the first word of each indented line is a
/// file in it.
fn mapped_files() -> BTreeSet<String> {
    let text = fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).unwrap();
    let mut files = BTreeSet::new();
    let mut folder = None;
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            folder = None;
        } else if in_block && !line.starts_with(' ') {
            folder = line.split_whitespace().next().and_then(|word| word.strip_suffix('/'));
        } else if let (true, Some(folder), Some(file)) = (in_block, folder, line.split_whitespace().next()) {
            assert!(files.insert(format!("{folder}/{file}")), "ARCHITECTURE.md names {folder}/{file} twice");
        }
    }
    files.retain(|file| file.ends_with(".rs"));
    files
}

#[test]
fn architecture_has_a_room_for_every_file() {
    let (existing, mapped) = (all_rust_files(), mapped_files());
    let missing: Vec<&String> = existing.difference(&mapped).collect();
    let stale: Vec<&String> = mapped.difference(&existing).collect();
    assert!(missing.is_empty() && stale.is_empty(), "ARCHITECTURE.md lacks {missing:#?}\nand names {stale:#?}");
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
    // Spelled in two parts, so that this file does not contain what it looks for.
    let ignored = concat!("#[", "ignore");
    for file in all_rust_files() {
        let text = fs::read_to_string(workspace_root().join(&file)).unwrap();
        assert!(!text.lines().any(|line| line.trim_start().starts_with(ignored)), "{file}");
    }
}

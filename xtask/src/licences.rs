//! Licences of everything that is linked into a program: checked, and gathered into one text.
//!
//! The libraries come from `cargo metadata` for the target, the permitted licences from
//! `deny.toml`. Libraries that run only while building (procedural macros, build scripts)
//! are not part of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::builds::{self, TARGETS, Target};
use crate::expression;
use crate::stage::root;
use crate::tool::{self, At, Fault, Outcome};

/// File names that licences have, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

const RULE: &str = "================================================================================";

/// A library that is linked in.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    name: String,
    version: String,
    licence: String,
    source: String,
    folder: PathBuf,
}

/// Checks the licences for all targets.
pub(crate) fn check() -> Outcome {
    for target in &TARGETS {
        let libraries = linked(target)?;
        check_permitted(&libraries)?;
        for library in &libraries {
            texts_of(library)?;
        }
        tool::say(&format!("{}: the licences of {} libraries are permitted", target.name, libraries.len()));
    }
    Ok(())
}

/// The text with all licences for a target.
pub(crate) fn gather(target: &Target) -> Outcome<String> {
    let libraries = linked(target)?;
    check_permitted(&libraries)?;
    let mut text = format!(
        "Libraries in this program ({}), and their licences\n\n\
         Enbu itself: MIT OR Apache-2.0, see LICENSE-MIT and LICENSE-APACHE.\n\n",
        target.triple
    );
    // The users of each text, in the order of the first user.
    let mut users: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |text: String, user: String| match users.iter_mut().find(|(known, _)| *known == text) {
        Some((_, names)) => names.push(user),
        None => users.push((text, vec![user])),
    };
    for library in &libraries {
        let Library { name, version, licence, source, .. } = library;
        let _ = writeln!(text, "{name} {version}: {licence}{}{source}", if source.is_empty() { "" } else { ", " });
        for licence in texts_of(library)? {
            add(licence, format!("{name} {version}"));
        }
    }
    for library in target.system {
        let _ = writeln!(text, "{}: {}", library.name, library.licence);
        let path = builds::licence_file(target, library)?
            .ok_or_else(|| Fault::Other(format!("no licence of {} among {:?}", library.name, library.texts)))?;
        add(normalised(&path)?, library.name.to_owned());
    }
    for (licence, names) in users {
        let _ = write!(text, "\n{RULE}\n{}\n{RULE}\n\n{licence}", names.join(", "));
    }
    Ok(text)
}

/// Fails with the names of libraries whose licences are not permitted.
fn check_permitted(libraries: &BTreeSet<Library>) -> Outcome {
    let permitted = permitted()?;
    let is_permitted = |name: &str| permitted.iter().any(|known| known == name);
    let refused: Vec<String> = libraries
        .iter()
        .filter(|library| !expression::is_satisfied(&library.licence, is_permitted))
        .map(|library| format!("{} {} ({})", library.name, library.version, library.licence))
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(Fault::Other(format!("not permitted: {}", refused.join(", ")))) }
}

/// The licences that `deny.toml` permits.
fn permitted() -> Outcome<Vec<String>> {
    let path = root().join("deny.toml");
    let text = fs::read_to_string(&path).at(&path)?;
    let rules: toml::Table = text.parse().map_err(|error| Fault::Other(format!("{}: {error}", path.display())))?;
    let listed = rules.get("licenses").and_then(|table| table.get("allow")).and_then(toml::Value::as_array);
    let names = listed.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect();
    Ok(names)
}

/// The libraries of others that are linked into the program for a target.
fn linked(target: &Target) -> Outcome<BTreeSet<Library>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["metadata", "--locked", "--format-version", "1", "--filter-platform"]);
    let text = tool::output(cargo.arg(target.triple))?;
    let metadata = serde_json::from_slice(&text).map_err(|error| Fault::Other(format!("cargo metadata: {error}")))?;
    Ok(reachable(&metadata))
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Everything that `enbu` needs at run time, without the crates of the workspace.
fn reachable(metadata: &Value) -> BTreeSet<Library> {
    let packages: BTreeMap<&str, &Value> =
        list(metadata, "packages").map(|package| (word(package, "id"), package)).collect();
    let nodes = metadata.get("resolve").map(|resolve| list(resolve, "nodes")).into_iter().flatten();
    let nodes: BTreeMap<&str, &Value> = nodes.map(|node| (word(node, "id"), node)).collect();
    let is_macro = |id: &str| {
        packages.get(id).is_some_and(|package| {
            list(package, "targets").any(|target| list(target, "kind").any(|kind| kind == "proc-macro"))
        })
    };
    let mut open: Vec<&str> =
        packages.iter().filter(|(_, package)| word(package, "name") == "enbu").map(|(id, _)| *id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if is_macro(id) || !seen.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| list(node, "deps")) {
            if list(dependency, "dep_kinds").any(|kind| kind.get("kind").is_none_or(Value::is_null)) {
                open.push(word(dependency, "pkg"));
            }
        }
    }
    // Packages of the workspace have no source.
    let foreign = seen.iter().filter_map(|id| packages.get(id)).filter(|package| !word(package, "source").is_empty());
    foreign
        .map(|package| Library {
            name: word(package, "name").to_owned(),
            version: word(package, "version").to_owned(),
            licence: word(package, "license").to_owned(),
            source: word(package, "repository").to_owned(),
            folder: Path::new(word(package, "manifest_path")).parent().map(Path::to_owned).unwrap_or_default(),
        })
        .collect()
}

/// The licence texts that a library brings.
fn texts_of(library: &Library) -> Outcome<Vec<String>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(&library.folder)
        .at(&library.folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && is_licence(path))
        .collect();
    paths.sort();
    if paths.is_empty() {
        return Err(Fault::Other(format!("{} {} brings no licence text", library.name, library.version)));
    }
    paths.iter().map(|path| normalised(path)).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
    NAMES.iter().any(|start| name.starts_with(start))
}

/// A text with line ends of Unix, without blanks at the ends of lines, so that texts of one licence are equal.
fn normalised(path: &Path) -> Outcome<String> {
    let bytes = fs::read(path).at(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.trim_matches(['\r', '\n', '\u{feff}']).lines().map(str::trim_end).collect();
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_runs_is_linked() {
        let package = |name: &str, source: Value, kind: &str| {
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source,
                "manifest_path": format!("/{name}/Cargo.toml"), "targets": [{"kind": [kind]}]})
        };
        let dependency = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package("enbu", Value::Null, "bin"), package("enbu-files", Value::Null, "lib"),
                package("linked", json!("registry"), "lib"), package("deep", json!("registry"), "lib"),
                package("macro", json!("registry"), "proc-macro"), package("parser", json!("registry"), "lib"),
                package("script", json!("registry"), "lib"), package("test", json!("registry"), "lib"),
            ],
            "resolve": {"nodes": [
                {"id": "enbu", "deps": [dependency("enbu-files", Value::Null), dependency("script", json!("build")),
                    dependency("test", json!("dev"))]},
                {"id": "enbu-files", "deps": [dependency("linked", Value::Null), dependency("macro", Value::Null)]},
                {"id": "linked", "deps": [dependency("deep", Value::Null), dependency("enbu-files", Value::Null)]},
                {"id": "macro", "deps": [dependency("parser", Value::Null)]},
            ]},
        });
        let names: Vec<String> = reachable(&metadata).into_iter().map(|library| library.name).collect();
        assert_eq!(names, ["deep", "linked"]);
    }

    #[test]
    fn licences_are_recognised_by_their_names() {
        for (name, expected) in
            [("LICENSE-MIT", true), ("license.txt", true), ("UNLICENSE", true), ("README.md", false), ("mit", false)]
        {
            assert_eq!(is_licence(Path::new(name)), expected, "{name}");
        }
    }
}

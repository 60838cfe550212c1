//! Licences of everything that is linked into a program: checked, and gathered into one text.
//!
//! The libraries come from `cargo tree` for the target, the permitted licences from
//! `deny.toml`. Libraries that run only while building (procedural macros, build scripts)
//! are not part of the program.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};
use xshell::Shell;

use crate::builds::{self, TARGETS, Target, WEB};
use crate::stage::root;
use crate::tool::{self, Outcome};

/// File names that licences have, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

const RULE: &str = "================================================================================";

/// A library of others.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Library {
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

impl Library {
    fn licence(&self) -> &str {
        self.license.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The part of `cargo metadata` that is read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Library>,
}

pub(crate) fn check() -> Outcome {
    let sh = &Shell::new()?;
    for target in TARGETS.iter().chain([&WEB]) {
        let libraries = linked(sh, target)?;
        check_permitted(&libraries)?;
        for library in &libraries {
            texts_of(library)?;
        }
        tool::say(&format!("{}: the licences of {} libraries are permitted", target.name, libraries.len()));
    }
    Ok(())
}

pub(crate) fn gather(sh: &Shell, target: &Target) -> Outcome<String> {
    let libraries = linked(sh, target)?;
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
        let repository = library.repository.iter().map(|address| format!(", {address}")).collect::<String>();
        let _ = writeln!(text, "{library}: {}{repository}", library.licence());
        for licence in texts_of(library)? {
            add(licence, library.to_string());
        }
    }
    for library in target.system {
        let _ = writeln!(text, "{}: {}", library.name, library.licence);
        let path = builds::licence_file(sh, target, library)?
            .ok_or_else(|| format!("no licence of {} among {:?}", library.name, library.texts))?;
        add(normalised(&path)?, library.name.to_owned());
    }
    for (licence, names) in users {
        let _ = write!(text, "\n{RULE}\n{}\n{RULE}\n\n{licence}", names.join(", "));
    }
    Ok(text)
}

/// Fails with the names of libraries whose licences `deny.toml` does not permit.
fn check_permitted(libraries: &[Library]) -> Outcome {
    let path = root().join("deny.toml");
    let rules: toml::Table = fs::read_to_string(path)?.parse()?;
    let listed = rules.get("licenses").and_then(|table| table.get("allow")).and_then(toml::Value::as_array);
    let names = listed.into_iter().flatten().filter_map(toml::Value::as_str);
    let permitted: Vec<Licensee> = names.filter_map(|name| Licensee::parse(name).ok()).collect();
    let is_permitted = |library: &&Library| {
        let expression = Expression::parse_mode(library.licence(), ParseMode::LAX);
        expression
            .is_ok_and(|expression| expression.evaluate(|needed| permitted.iter().any(|known| known.satisfies(needed))))
    };
    let refused = libraries.iter().filter(|library| !is_permitted(library));
    let refused: Vec<String> = refused.map(|library| format!("{library} ({})", library.licence())).collect();
    if refused.is_empty() { Ok(()) } else { Err(format!("not permitted: {}", refused.join(", ")).into()) }
}

/// The libraries of others that are linked into the program for a target.
fn linked(sh: &Shell, target: &Target) -> Outcome<Vec<Library>> {
    let cargo = |arguments: &[&str]| builds::cargo(sh).quiet().args(arguments).arg("--locked").read();
    let _root = sh.push_dir(root());
    let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    let package = target.package.first().copied().unwrap_or_default();
    let tree = cargo(&[&["tree", "--package", package, "--target", target.triple], &edges[..]].concat())?;
    // A line is `rand v0.10.3 (*)`.
    let words = tree.lines().filter_map(|line| line.split_once(" v"));
    let linked: BTreeSet<(&str, &str)> =
        words.map(|(name, rest)| (name, rest.split(' ').next().unwrap_or(rest))).collect();
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", target.triple])?;
    let metadata: Metadata = serde_json::from_str(&metadata)?;
    let is_linked = |library: &Library| linked.contains(&(library.name.as_str(), library.version.as_str()));
    // Packages of the workspace have no source.
    let mut libraries: Vec<Library> = metadata.packages;
    libraries.retain(|library| library.source.is_some() && is_linked(library));
    libraries.sort();
    Ok(libraries)
}

fn texts_of(library: &Library) -> Outcome<Vec<String>> {
    let folder = library.manifest_path.parent().unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file() && is_licence(path)).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{library} brings no licence text").into());
    }
    paths.iter().map(|path| normalised(path)).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
    NAMES.iter().any(|start| name.starts_with(start))
}

/// A text with line ends of Unix, without blanks at the ends of lines, so that texts of one licence are equal.
fn normalised(path: &Path) -> Outcome<String> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.trim_matches(['\r', '\n', '\u{feff}']).lines().map(str::trim_end).collect();
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_is_linked() {
        let libraries = linked(&Shell::new().expect("a shell"), &TARGETS[0]).expect("cargo");
        let has = |name: &str| libraries.iter().any(|library| library.name == name);
        assert!(has("serde") && has("clap_builder") && has("rustix"));
        // A procedural macro and its parts, a test's library, another system's, our own.
        assert!(!["serde_derive", "syn", "proptest", "windows-sys", "enbu-files"].into_iter().any(has));
        check_permitted(&libraries).expect("permitted");
    }

    #[test]
    fn expressions_of_licences_are_understood() {
        let library = |license: &str| {
            let json =
                format!("{{\"name\":\"a\",\"version\":\"1.0.0\",\"license\":\"{license}\",\"manifest_path\":\"\"}}");
            serde_json::from_str::<Library>(&json).expect("a library")
        };
        for (license, permitted) in [
            ("MIT", true),
            ("MIT OR GPL-3.0-only", true),
            ("MIT/Apache-2.0", true),
            ("(MIT OR GPL-3.0-only) AND Zlib", true),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", true),
            ("GPL-3.0-only", false),
            ("MIT AND GPL-3.0-only", false),
            ("", false),
            ("(MIT", false),
        ] {
            assert_eq!(check_permitted(&[library(license)]).is_ok(), permitted, "{license}");
        }
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

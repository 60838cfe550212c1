//! Results of tasks, and what the user sees of them.

use std::error::Error;
use std::io::{self, Write};

/// Result of a task or a part of it.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Debian packages of the programs that are not on every machine.
const PACKAGES: [(&str, &str); 5] = [
    ("dpkg-deb", "dpkg"),
    ("git", "git"),
    ("musl-gcc", "musl-tools"),
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-posix"),
    ("zip", "zip"),
];

/// The text of an error; for a program that is missing with its package.
pub(crate) fn explained(error: &dyn Error) -> String {
    let text = error.to_string();
    let named = |(program, _): &&(&str, &str)| text.contains(&format!("not found: `{program}`"));
    match PACKAGES.iter().find(named) {
        Some((_, package)) => format!("{text}; Debian has it in the package {package}"),
        None => text,
    }
}

/// Reports a step to the user.
pub(crate) fn say(text: &str) {
    // The work does not depend on the report.
    let _ = writeln!(io::stderr(), "{text}");
}

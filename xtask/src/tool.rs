//! Other programs: running them, and naming those that are missing.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reasons for which a task ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// A program is not installed.
    #[error("{program} cannot be started ({error}); Debian has it in the package {package}")]
    Missing {
        /// Name of the program.
        program: String,
        /// Debian package that has it.
        package: &'static str,
        /// Answer of the system.
        error: io::Error,
    },
    /// A program ended with a failure.
    #[error("{command} failed")]
    Failed {
        /// The command with its arguments.
        command: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Answer of the system.
        error: io::Error,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// Result of a task or a part of it.
pub(crate) type Outcome<T = ()> = Result<T, Fault>;

/// Adds the path to errors of files.
pub(crate) trait At<T> {
    /// The value, or the error with the path.
    fn at(self, path: &Path) -> Outcome<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Outcome<T> {
        self.map_err(|error| Fault::File { path: path.to_owned(), error })
    }
}

/// Debian packages of the programs that are not on every machine.
const PACKAGES: [(&str, &str); 6] = [
    ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("dpkg-deb", "dpkg"),
    ("git", "git"),
    ("musl-gcc", "musl-tools"),
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-posix"),
    ("zip", "zip"),
];

fn missing(command: &Command, error: io::Error) -> Fault {
    let program = command.get_program().to_string_lossy().into_owned();
    let package = PACKAGES.iter().find(|(name, _)| *name == program).map_or("of its name", |(_, package)| package);
    Fault::Missing { program, package, error }
}

fn failed(command: &Command) -> Fault {
    Fault::Failed { command: format!("{command:?}") }
}

/// Runs a command whose output the user sees.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| missing(command, error))?;
    if status.success() { Ok(()) } else { Err(failed(command)) }
}

/// Runs a command and returns its output.
pub(crate) fn output(command: &mut Command) -> Outcome<Vec<u8>> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| missing(command, error))?;
    if output.status.success() { Ok(output.stdout) } else { Err(failed(command)) }
}

/// Runs a command and returns the first line of its output.
pub(crate) fn line(command: &mut Command) -> Outcome<String> {
    let text = text(command)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Runs a command and returns its output as text.
pub(crate) fn text(command: &mut Command) -> Outcome<String> {
    Ok(String::from_utf8_lossy(&output(command)?).into_owned())
}

/// Runs a command with the given input and returns its output.
pub(crate) fn filter(command: &mut Command, input: &[u8]) -> Outcome<Vec<u8>> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| missing(command, error))?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    match output {
        Ok(output) if output.status.success() => Ok(output.stdout),
        _ => Err(failed(command)),
    }
}

/// Reports a step to the user.
pub(crate) fn say(text: &str) {
    // The work does not depend on the report.
    let _ = writeln!(io::stderr(), "{text}");
}

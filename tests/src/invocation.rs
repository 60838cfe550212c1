//! One command of the binary, run in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::binary;

/// A command of `enbu` that has not been run yet, and the folder that it will run in,
/// which goes when this does.
#[derive(Debug)]
pub struct Invocation {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Invocation {
    /// The command `subcommand` without arguments, in an empty folder.
    ///
    /// # Panics
    /// If there is no place for a folder.
    pub fn new(subcommand: &str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), arguments: vec![subcommand.to_owned()] }
    }

    /// Appends arguments.
    #[must_use]
    pub fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        self
    }

    /// With a file of three openings, and the argument that names it.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[must_use]
    pub fn with_openings(self) -> Self {
        let openings = "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\nstartpos moves 7g7f 3c3d 2g2f\n";
        fs::write(self.path("openings"), openings).expect("a file");
        self.with(&["--openings", "openings"])
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file of this name in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The command, which reads nothing and may be run many times.
    pub fn command(&self) -> Command {
        let mut command = Command::new(binary::enbu());
        command.args(&self.arguments).current_dir(self.folder()).stdin(Stdio::null());
        command
    }
}

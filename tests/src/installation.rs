//! The executable in a folder of its own, as after unpacking a release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::binary;

/// A folder with the executable and an empty folder `eval`; it goes when this does.
#[derive(Debug)]
pub struct Installation(TempDir);

impl Installation {
    /// A new folder.
    ///
    /// # Panics
    /// If it cannot be made.
    #[expect(clippy::new_without_default, reason = "each one is a new folder")]
    pub fn new() -> Self {
        let installed = Self(tempfile::tempdir().expect("a folder"));
        // A link is never open for writing: a copy may be, in a process that another test
        // just forked, and cannot be executed then.
        let (source, target) = (binary::enbu(), installed.executable());
        fs::hard_link(&source, &target).or_else(|_| fs::copy(&source, &target).map(drop)).expect("an executable");
        fs::create_dir(installed.path("eval")).expect("a folder");
        installed
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file of this name in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The executable.
    pub fn executable(&self) -> PathBuf {
        let name = binary::enbu().file_name().map(PathBuf::from).unwrap_or_default();
        self.folder().join(name)
    }

    /// A command of the executable that runs in the folder and reads nothing.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.executable());
        command.args(arguments).current_dir(self.folder()).stdin(Stdio::null());
        command
    }

    /// The output of a command.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the executable runs")
    }
}

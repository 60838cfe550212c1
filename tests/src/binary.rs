//! The path of the built `enbu`.
//!
//! Cargo gives a test the path of a binary only inside the binary's own package, so
//! these tests ask cargo to build it (nothing to do when it is up to date) and read
//! from cargo's own report where it lies. That works for `cargo test --workspace`,
//! for `cargo test -p enbu-tests` on a fresh clone, and with any target directory.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The profile that the binary is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// `cargo build`: some optimisation, debug assertions on.
    Dev,
    /// `cargo build --release`.
    Release,
}

impl Profile {
    /// The profile that this test was compiled with.
    pub const fn current() -> Self {
        if cfg!(debug_assertions) { Self::Dev } else { Self::Release }
    }
}

/// The engine to test: `$ENBU_BIN`, or a fresh build in the profile of this test.
///
/// # Panics
/// If the build fails.
pub fn enbu() -> PathBuf {
    match std::env::var_os("ENBU_BIN") {
        Some(path) => path.into(),
        None => built(Profile::current()),
    }
}

/// The engine built with `profile`.
///
/// # Panics
/// If the build fails.
pub fn built(profile: Profile) -> PathBuf {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[profile as usize].get_or_init(|| build(profile)).clone()
}

fn build(profile: Profile) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace_root()).stdin(Stdio::null()).stderr(Stdio::inherit());
    command.args([
        "build",
        "--quiet",
        "--package",
        "enbu",
        "--bin",
        "enbu",
        "--message-format=json-render-diagnostics",
    ]);
    if profile == Profile::Release {
        command.arg("--release");
    }
    let output = command.output().expect("cargo can be started");
    assert!(output.status.success(), "building enbu failed: {}", output.status);
    let report = String::from_utf8_lossy(&output.stdout);
    report.lines().find_map(executable).unwrap_or_else(|| panic!("cargo reported no executable:\n{report}"))
}

/// The path in a cargo message about the binary, if this is one.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let is_enbu = message["target"]["name"] == "enbu";
    message["executable"].as_str().filter(|_| is_enbu).map(PathBuf::from)
}

/// The folder that cargo builds this test into.
///
/// # Panics
/// If the path of the running program is unknown.
pub fn built_folder() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    program.parent().expect("a folder").to_owned()
}

/// The folder of the workspace.
pub fn workspace_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

//! Passes the commit and the target of the build to the program.

use std::path::Path;
use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "HEAD"]).or_else(archived_commit);
    let commit = commit.as_deref().and_then(|commit| commit.get(..10)).unwrap_or("unknown commit");
    println!("cargo::rustc-env=ENBU_COMMIT={commit}");
    // Set by cargo for every build script.
    println!("cargo::rustc-env=ENBU_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    // Where these lie differs between a clone and a worktree; a path that is not
    // there would mean a rebuild every time.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// The commit of a source archive: `git archive` writes it into the file.
fn archived_commit() -> Option<String> {
    println!("cargo::rerun-if-changed=commit.txt");
    let text = std::fs::read_to_string("commit.txt").ok()?;
    let commit = text.trim();
    commit.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| commit.to_owned())
}

/// The output of a git command; `None` without git or outside a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

//! `cargo xtask dist`: the files of a release.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::builds::{self, TARGETS};
use crate::stage::{Stage, generate, portable, root};
use crate::tool::{self, At, Fault, Outcome, say};
use crate::{archives, licences};

/// Arguments of `cargo xtask dist`.
#[derive(Args)]
pub(crate) struct DistArgs {
    /// Make only these files; the program for Linux x86-64, which writes pages for the
    /// others, is built in any case
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Work with changes that are not committed; the files are not those of a release
    #[arg(long)]
    dirty: bool,
    /// Try the files that are in dist/ and make none
    #[arg(long, conflicts_with_all = ["only", "dirty"])]
    check: bool,
}

/// A file of the release.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The archive for Linux x86-64
    Linux,
    /// The archive for Linux aarch64
    Aarch64,
    /// The archive for Windows x86-64
    Windows,
    /// The Debian package
    Deb,
    /// The source archive
    Source,
}

/// The parts in the order of [`TARGETS`].
const PORTABLE: [Part; 3] = [Part::Linux, Part::Aarch64, Part::Windows];

/// Scripts of `--check`, in their order.
const CHECKS: [&str; 2] = ["scripts/dist.sh", "scripts/ports.sh"];

/// Runs the task.
pub(crate) fn run(args: &DistArgs) -> Outcome {
    if args.check { check() } else { make(args) }
}

/// Tries the files in `dist/`.
fn check() -> Outcome {
    let dist = root().join("dist");
    if !dist.join("SHA256SUMS").exists() {
        return Err(Fault::Other("dist/ is empty; `cargo xtask dist` fills it".into()));
    }
    tool::run(Command::new("sha256sum").current_dir(&dist).args(["--check", "--strict", "SHA256SUMS"]))?;
    for script in CHECKS {
        say(&format!("==> {script}"));
        tool::run(&mut Command::new(root().join(script)))?;
    }
    Ok(())
}

fn git(arguments: &[&str]) -> Outcome<String> {
    Ok(tool::text(Command::new("git").current_dir(root()).args(arguments))?.trim().to_owned())
}

/// Makes the files in `dist/`.
fn make(args: &DistArgs) -> Outcome {
    let (root, version) = (root(), env!("CARGO_PKG_VERSION"));
    if !args.dirty && !git(&["status", "--porcelain"])?.is_empty() {
        return Err(Fault::Other("there are changes that are not committed (--dirty: work with them)".into()));
    }
    let wants = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let epoch_text = git(&["log", "-1", "--format=%ct"])?;
    let epoch = epoch_text.parse().map_err(|_| Fault::Other("the commit has no date".into()))?;
    let date = git(&["log", "-1", "--format=%cD"])?;
    let (dist, work) = (root.join("dist"), root.join("target/dist/stage"));
    if args.only.is_empty() && dist.exists() {
        fs::remove_dir_all(&dist).at(&dist)?;
    }
    for folder in [&dist, &work] {
        fs::create_dir_all(folder).at(folder)?;
    }
    let mut generated = None;
    for (target, part) in TARGETS.iter().zip(PORTABLE) {
        if generated.is_some() && !wants(part) {
            continue;
        }
        let began = Instant::now();
        let path = builds::build(target, &root, &epoch_text)?;
        let program = fs::read(&path).at(&path)?;
        say(&format!("{}: {} kB in {} s", target.name, program.len() / 1000, began.elapsed().as_secs()));
        let generated = match &generated {
            Some(known) => known,
            None => generated.insert(generate(&path, &work)?),
        };
        let licences = licences::gather(target)?;
        let name = format!("enbu-{version}-{}", target.name);
        let stage = Stage::new(work.join(&name), epoch)?;
        if wants(part) {
            portable(&stage, target, &program, &licences, generated)?;
            if part == Part::Windows {
                archives::zip(&stage, &dist.join(format!("{name}.zip")))?;
            } else {
                archives::tar(&stage, &dist.join(format!("{name}.tar.gz")), epoch)?;
            }
        }
        if part == Part::Linux && wants(Part::Deb) {
            let stage = Stage::new(work.join("deb"), epoch)?;
            archives::debian_files(&stage, version, &date, &program, &licences, generated)?;
            archives::debian(&stage, version, epoch, &dist.join(format!("enbu_{version}-1_amd64.deb")))?;
        }
    }
    if wants(Part::Source) {
        archives::source(version, &dist.join(format!("enbu-{version}.tar.gz")))?;
    }
    report(&dist)
}

/// Writes the sums and prints the sizes.
fn report(dist: &Path) -> Outcome {
    for name in archives::sums(dist)? {
        let path = dist.join(&name);
        say(&format!("{:>9} kB  dist/{name}", fs::metadata(&path).at(&path)?.len().div_ceil(1000)));
    }
    Ok(())
}

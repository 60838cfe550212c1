//! `cargo xtask dist`: the files of a release.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use xshell::{Shell, cmd};

use crate::builds::{self, Optimisation, TARGETS, Target, WEB};
use crate::stage::{Contents, Stage, generate, portable, root};
use crate::tool::{Outcome, say};
use crate::{archives, licences, profile, web};

/// Arguments of `cargo xtask dist`.
#[derive(Args)]
pub(crate) struct DistArgs {
    /// Make only these files; the program for Linux x86-64, which writes pages for the
    /// other programs, is built for each of them
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
    /// The page with the engine for browsers, and the package for npm
    Web,
    /// The source archive
    Source,
}

/// The parts in the order of [`TARGETS`].
const PORTABLE: [Part; 3] = [Part::Linux, Part::Aarch64, Part::Windows];

/// Scripts of `--check`, in their order.
const CHECKS: [&str; 3] = ["scripts/dist.sh", "scripts/ports.sh", "scripts/web.sh"];

pub(crate) fn run(args: &DistArgs) -> Outcome {
    let sh = Shell::new()?;
    sh.change_dir(root());
    if args.check { check(&sh) } else { make(&sh, args) }
}

/// Tries the files in `dist/`.
fn check(sh: &Shell) -> Outcome {
    if !sh.path_exists("dist/SHA256SUMS") {
        return Err("dist/ is empty; `cargo xtask dist` fills it".into());
    }
    {
        let _dist = sh.push_dir("dist");
        cmd!(sh, "sha256sum --check --strict SHA256SUMS").run()?;
    }
    CHECKS.iter().try_for_each(|script| Ok(cmd!(sh, "{script}").run()?))
}

fn make(sh: &Shell, args: &DistArgs) -> Outcome {
    let (root, version) = (root(), env!("CARGO_PKG_VERSION"));
    if !args.dirty && !cmd!(sh, "git status --porcelain").quiet().read()?.is_empty() {
        return Err("there are changes that are not committed (--dirty: work with them)".into());
    }
    let wants = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let epoch_text = cmd!(sh, "git log -1 --format=%ct").quiet().read()?;
    let epoch = epoch_text.parse()?;
    let date = cmd!(sh, "git log -1 --format=%cD").quiet().read()?;
    let (dist, work) = (root.join("dist"), root.join("target/dist/stage"));
    if args.only.is_empty() {
        sh.remove_path(&dist)?;
    }
    sh.create_dir(&dist)?;
    sh.create_dir(&work)?;
    let mut generated = None;
    let has_program = PORTABLE.into_iter().chain([Part::Deb]).any(wants);
    for (target, part) in TARGETS.iter().zip(PORTABLE).filter(|_| has_program) {
        if generated.is_some() && !wants(part) {
            continue;
        }
        let began = Instant::now();
        let path = match part {
            Part::Linux if wants(Part::Linux) || wants(Part::Deb) => profiled(sh, target, &root, &epoch_text)?,
            _ => builds::build(sh, target, &root, &epoch_text, Optimisation::Guessed)?,
        };
        let program = sh.read_binary_file(&path)?;
        say(&format!("{}: {} kB in {} s", target.name, program.len() / 1000, began.elapsed().as_secs()));
        let generated = match &generated {
            Some(known) => known,
            None => generated.insert(generate(sh, &path, &work)?),
        };
        let licences = licences::gather(sh, target)?;
        let contents = Contents { target, program: &program, licences: &licences, generated };
        let name = format!("enbu-{version}-{}", target.name);
        if wants(part) {
            let stage = Stage::new(sh, work.join(&name), epoch)?;
            portable(sh, &stage, &contents)?;
            if part == Part::Windows {
                archives::zip(sh, &stage, &dist.join(format!("{name}.zip")))?;
            } else {
                archives::tar(sh, &stage, &dist.join(format!("{name}.tar.gz")), epoch)?;
            }
        }
        if part == Part::Linux && wants(Part::Deb) {
            let stage = Stage::new(sh, work.join("deb"), epoch)?;
            archives::debian_files(sh, &stage, &date, &contents)?;
            archives::debian(sh, &stage, epoch, &dist.join(format!("enbu_{version}-1_amd64.deb")))?;
        }
    }
    if wants(Part::Web) {
        let module = sh.read_binary_file(builds::build(sh, &WEB, &root, &epoch_text, Optimisation::Guessed)?)?;
        say(&format!("{}: {} kB", WEB.name, module.len() / 1000));
        web::make(sh, &module, &licences::gather(sh, &WEB)?, (work, dist.clone()), epoch)?;
    }
    if wants(Part::Source) {
        archives::source(sh, version, &dist.join(format!("enbu-{version}.tar.gz")))?;
    }
    for name in archives::sums(sh, &dist)? {
        say(&format!("{:>9} kB  dist/{name}", fs::metadata(dist.join(&name))?.len().div_ceil(1000)));
    }
    Ok(())
}

/// The program for the target on which the releases are made, optimised by its own counts; by Debian's
/// compiler, which cannot count, as ever.
fn profiled(sh: &Shell, target: &Target, root: &Path, epoch: &str) -> Outcome<PathBuf> {
    let Some(tool) = builds::llvm_profdata(sh, target)? else {
        return builds::build(sh, target, root, epoch, Optimisation::Guessed);
    };
    let profile = profile::record(sh, target, root, epoch, &tool)?;
    builds::build(sh, target, root, epoch, Optimisation::Counted(&profile))
}

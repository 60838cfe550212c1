//! The program for each target, equal bytes for equal commits.
//!
//! The standard library of a target comes from rustup (`rustup target add`) or is built
//! from the sources that Debian's compiler brings (packages `rustc-web`, `cargo-web`,
//! `rust-web-src`); the second way needs no network.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use xshell::{Cmd, Shell, cmd};

use crate::tool::Outcome;

/// A target of the releases.
pub(crate) struct Target {
    /// Name for the compiler.
    pub(crate) triple: &'static str,
    /// Name in the files of the release.
    pub(crate) name: &'static str,
    /// File name of the program.
    pub(crate) program: &'static str,
    /// The package and its part that is built.
    pub(crate) package: &'static [&'static str],
    linker: &'static str,
    flags: &'static [&'static str],
    /// Libraries beside those of `Cargo.lock` that the program contains, with their
    /// licence and the files in which systems keep its text.
    pub(crate) system: &'static [SystemLibrary],
}

/// A library of the system that is linked in.
pub(crate) struct SystemLibrary {
    pub(crate) name: &'static str,
    pub(crate) licence: &'static str,
    /// Files with the text of the licence, of which one must exist.
    pub(crate) texts: &'static [&'static str],
}

/// The linker that comes with rustup's standard libraries; Debian's compiler has none for these targets.
const RUSTUP_LINKER: &str = "rust-lld";

const RUST: SystemLibrary = SystemLibrary {
    name: "Rust standard library",
    licence: "MIT OR Apache-2.0",
    texts: &["/usr/share/doc/libstd-rust-web-dev/copyright", "SYSROOT/share/doc/rust/COPYRIGHT-library.html"],
};

/// The engine for pages. Its other flags are in `.cargo/config.toml`.
pub(crate) const WEB: Target = Target {
    triple: "wasm32-unknown-unknown",
    name: "web",
    program: "enbu_web.wasm",
    // Records are read one at a time here: small code, so that the module stays below 3 MB.
    package: &["enbu-web", "--lib", "--config", "profile.dist.package.enbu-kifu.opt-level='s'"],
    linker: "wasm-ld",
    flags: &[],
    system: &[RUST],
};

const MUSL: SystemLibrary =
    SystemLibrary { name: "musl", licence: "MIT", texts: &["/usr/share/doc/musl-dev/copyright"] };

const MINGW: SystemLibrary = SystemLibrary {
    name: "mingw-w64 runtime",
    licence: "ZPL-2.1 and public domain",
    texts: &["/usr/share/doc/mingw-w64-x86-64-dev/copyright", "/usr/share/doc/mingw-w64-common/copyright"],
};

/// The target where the releases are made.
const LINUX: Target = Target {
    triple: "x86_64-unknown-linux-musl",
    name: "linux-x86_64",
    program: "enbu",
    package: &["enbu", "--bin", "enbu"],
    linker: "musl-gcc",
    flags: &["-Ctarget-feature=+crt-static", "-Crelocation-model=static"],
    system: &[RUST, MUSL],
};

/// Targets of the releases. The first runs where the releases are made.
pub(crate) const TARGETS: [Target; 3] = [
    LINUX,
    // Static, for the shells of Android, too, which have no glibc. Debian has no musl for another processor.
    Target { triple: "aarch64-unknown-linux-musl", name: "linux-aarch64", linker: RUSTUP_LINKER, ..LINUX },
    // Without the time of the build, which the linker would write into the file.
    Target {
        triple: "x86_64-pc-windows-gnu",
        name: "windows-x86_64",
        program: "enbu.exe",
        linker: "x86_64-w64-mingw32-gcc",
        flags: &["-Ctarget-feature=+crt-static", "-Clink-arg=-Wl,--no-insert-timestamp"],
        system: &[RUST, MINGW],
        ..LINUX
    },
];

/// The compiler that builds for a target.
struct Compiler {
    /// Debian's, which builds the standard library first, not that of the project with one for the target.
    is_debian: bool,
    sysroot: PathBuf,
}

const DEBIAN: &str = "/usr/bin";

impl Compiler {
    fn find(sh: &Shell, target: &Target) -> Outcome<Self> {
        let triple = target.triple;
        let sysroot = PathBuf::from(cmd!(sh, "rustc --print sysroot").quiet().read()?);
        if sysroot.join("lib/rustlib").join(triple).join("lib").exists() {
            return Ok(Self { is_debian: false, sysroot });
        }
        let is_for_debian = target.linker != RUSTUP_LINKER;
        if is_for_debian && ["rustc", "cargo"].iter().all(|name| Path::new(DEBIAN).join(name).exists()) {
            let sysroot = PathBuf::from(cmd!(sh, "{DEBIAN}/rustc --print sysroot").quiet().read()?);
            if sysroot.join("lib/rustlib/src/rust/library").exists() {
                return Ok(Self { is_debian: true, sysroot });
            }
        }
        let debian =
            if is_for_debian { ", or on Debian `apt-get install rustc-web cargo-web rust-web-src`" } else { "" };
        Err(format!("no standard library for {triple}: `rustup target add {triple}`{debian}").into())
    }

    /// Cargo, and the PATH with which it finds the compiler.
    fn cargo<'s>(&self, sh: &'s Shell) -> (Cmd<'s>, OsString) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !self.is_debian {
            return (cargo(sh), path);
        }
        let path = joined(DEBIAN.into(), path);
        let cargo = cmd!(sh, "{DEBIAN}/cargo").env("PATH", &path).env("RUSTC_BOOTSTRAP", "1");
        // Set by the cargo that runs this task; they would choose its compiler again.
        let chosen = ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"];
        (chosen.into_iter().fold(cargo, |cargo, name| cargo.env_remove(name)), path)
    }
}

/// The cargo that runs this task.
pub(crate) fn cargo(sh: &Shell) -> Cmd<'_> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    cmd!(sh, "{cargo}")
}

/// A list of folders with one before it.
fn joined(mut first: OsString, rest: OsString) -> OsString {
    first.push(":");
    first.push(rest);
    first
}

/// Path of a text of [`SystemLibrary`] on this machine, if there is one.
pub(crate) fn licence_file(sh: &Shell, target: &Target, library: &SystemLibrary) -> Outcome<Option<PathBuf>> {
    let compiler = Compiler::find(sh, target)?;
    let sysroot = compiler.sysroot.to_string_lossy();
    let paths = library.texts.iter().map(|path| PathBuf::from(path.replace("SYSROOT", &sysroot)));
    let mut existing = paths.filter(|path| path.exists());
    // Debian's text belongs to Debian's compiler.
    let is_rustup = !compiler.is_debian && library.name == RUST.name;
    Ok(if is_rustup { existing.next_back() } else { existing.next() })
}

/// The way in which the compiler finds out what is worth its effort.
#[derive(Clone, Copy)]
pub(crate) enum Optimisation<'a> {
    /// By its own guesses.
    Guessed,
    /// By its own guesses; the program counts how often its parts run.
    Counting,
    /// By this file of such counts.
    Counted(&'a Path),
}

/// The program that reads and writes profiles for the compiler of a target; `None` for Debian's, which
/// cannot count.
pub(crate) fn llvm_profdata(sh: &Shell, target: &Target) -> Outcome<Option<PathBuf>> {
    if Compiler::find(sh, target)?.is_debian {
        return Ok(None);
    }
    let folder = PathBuf::from(cmd!(sh, "rustc --print target-libdir").quiet().read()?);
    let tool = folder.with_file_name("bin").join("llvm-profdata");
    if tool.exists() { Ok(Some(tool)) } else { Err("no llvm-profdata: `rustup component add llvm-tools`".into()) }
}

/// Builds the program for a target and returns its path.
pub(crate) fn build(
    sh: &Shell,
    target: &Target,
    root: &Path,
    epoch: &str,
    optimisation: Optimisation<'_>,
) -> Outcome<PathBuf> {
    let compiler = Compiler::find(sh, target)?;
    let folder = root.join("target/dist");
    let mut flags: Vec<String> = target.flags.iter().map(ToString::to_string).collect();
    match optimisation {
        Optimisation::Guessed => {}
        Optimisation::Counting => flags.push("-Cprofile-generate".to_owned()),
        Optimisation::Counted(profile) => flags.push(format!("-Cprofile-use={}", profile.display())),
    }
    flags.extend(remaps(root, &compiler.sysroot));
    let (mut cargo, path) = compiler.cargo(sh);
    cargo = cargo.args(["build", "--locked", "--profile", "dist", "--package"]).args(target.package);
    cargo = cargo.args(["--target", target.triple, "--target-dir"]).arg(&folder);
    let is_web = target.triple == WEB.triple;
    if compiler.is_debian {
        cargo = cargo.arg(if is_web { "-Zbuild-std=std,panic_abort" } else { "-Zbuild-std=std,panic_unwind" });
    }
    // Those of rustup for musl and WebAssembly come with it.
    if compiler.is_debian || !["musl-gcc", WEB.linker].contains(&target.linker) {
        let triple = target.triple.to_uppercase().replace('-', "_");
        cargo = cargo.env(format!("CARGO_TARGET_{triple}_LINKER"), target.linker);
    }
    if compiler.is_debian && target.linker == "musl-gcc" {
        flags.extend(musl_without_llvm(sh, &folder)?);
    }
    if target.triple.contains("windows") {
        cargo = sort_imports_alike(sh, cargo, path, target, root, &folder)?;
    }
    cargo = if is_web {
        cargo.arg("--config").arg(format!("target.{}.rustflags={flags:?}", target.triple))
    } else {
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
    };
    cargo.env("SOURCE_DATE_EPOCH", epoch).env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS").run()?;
    Ok(folder.join(target.triple).join("dist").join(target.program))
}

/// Gives the linker paths from the root of the repository: it sorts the imports of a
/// Windows program by the paths of the files that they come from.
fn sort_imports_alike<'s>(
    sh: &Shell,
    cargo: Cmd<'s>,
    path: OsString,
    target: &Target,
    root: &Path,
    folder: &Path,
) -> Outcome<Cmd<'s>> {
    const SCRIPT: &str = "#!/bin/sh\nfor argument; do shift; set -- \"$@\" \"${argument#\"$ENBU_ROOT/\"}\"; done\n\
                          exec \"$ENBU_LINKER\" \"$@\"\n";
    let (scripts, temporary, linker) = (folder.join("linker"), folder.join("tmp"), target.linker);
    let (find, script) = ("command -v \"$1\"", scripts.join(linker));
    let linker = cmd!(sh, "sh -c {find} sh {linker}").quiet().read()?;
    sh.create_dir(&temporary)?;
    sh.write_file(&script, SCRIPT)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let path = joined(scripts.into(), path);
    Ok(cargo.env("PATH", path).env("TMPDIR", temporary).env("ENBU_ROOT", root).env("ENBU_LINKER", linker))
}

/// Flags that take the folders of this machine out of the program.
fn remaps(root: &Path, sysroot: &Path) -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let from = [(root.to_owned(), "/enbu"), (home, "/cargo"), (sysroot.join("lib/rustlib/src/rust"), "/rust")];
    from.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect()
}

/// Flags for musl without the files that rustup brings: the unwinder of gcc takes the
/// place of LLVM's, with an answer to its question for glibc.
fn musl_without_llvm(sh: &Shell, folder: &Path) -> Outcome<[String; 2]> {
    let folder = folder.join("musl");
    let [source, object, library] = ["find_object.c", "find_object.o", "libunwind.a"].map(|name| folder.join(name));
    sh.write_file(&source, include_str!("find_object.c"))?;
    sh.copy_file(cmd!(sh, "gcc -print-file-name=libgcc_eh.a").quiet().read()?, &library)?;
    cmd!(sh, "musl-gcc -O2 -c {source} -o {object}").quiet().run()?;
    cmd!(sh, "ar rD {library} {object}").quiet().run()?;
    Ok(["-Clink-self-contained=no".to_owned(), format!("-Lnative={}", folder.display())])
}

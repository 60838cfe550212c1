//! Faults of the system below a command: a library for `LD_PRELOAD`, built from
//! `tests/faults/shim.c` on first use.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::OnceLock;

use crate::{binary, skipped};

/// A fault of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Standard output takes up to five bytes at a time.
    ShortOutput,
    /// Every second write to standard output is refused for now.
    BusyOutput,
    /// Every second read of standard input is refused for now.
    BusyInput,
    /// Only this number of threads can be started.
    Threads(u32),
    /// The allocation with this number fails; they are counted from the first `readyok`.
    Allocation(u32),
    /// Every allocation whose number is a multiple of this fails.
    Allocations(u32),
    /// Allocations are counted from the start of the process.
    Armed,
    /// The disk has room for this number of bytes.
    Disk(u64),
    /// Files cannot be synced.
    Sync,
    /// The time of day goes back and forth by an hour.
    Clock,
}

impl Fault {
    /// The variable that switches it on, and its value.
    fn variable(self) -> (&'static str, String) {
        let on = String::from("1");
        match self {
            Self::ShortOutput => ("ENBU_FAULT_SHORT_OUTPUT", on),
            Self::BusyOutput => ("ENBU_FAULT_BUSY_OUTPUT", on),
            Self::BusyInput => ("ENBU_FAULT_BUSY_INPUT", on),
            Self::Threads(count) => ("ENBU_FAULT_THREADS", count.to_string()),
            Self::Allocation(number) => ("ENBU_FAULT_ALLOCATION", number.to_string()),
            Self::Allocations(interval) => ("ENBU_FAULT_ALLOCATIONS", interval.to_string()),
            Self::Armed => ("ENBU_FAULT_ARMED", on),
            Self::Disk(bytes) => ("ENBU_FAULT_DISK", bytes.to_string()),
            Self::Sync => ("ENBU_FAULT_SYNC", on),
            Self::Clock => ("ENBU_FAULT_CLOCK", on),
        }
    }
}

/// Gives a command the faults. Returns `false` ([`skipped`]) where there is no C compiler or
/// another system than Linux with glibc.
pub fn give(command: &mut Command, faults: &[Fault]) -> bool {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let Some(shim) = SHIM.get_or_init(build) else {
        skipped("faults of the system need Linux with glibc and a C compiler");
        return false;
    };
    command.env("LD_PRELOAD", shim).envs(faults.iter().map(|fault| fault.variable()));
    true
}

/// A command of `enbu` with faults; `None` where there are none to give.
pub fn enbu(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, faults: &[Fault]) -> Option<Command> {
    let mut command = Command::new(binary::enbu());
    command.args(arguments);
    give(&mut command, faults).then_some(command)
}

/// The library beside the engine; `None` without a compiler for it.
fn build() -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/shim.c");
    let folder = binary::built_folder();
    let library = folder.join("enbu-faults.so");
    let draft = folder.join(format!("enbu-faults-{}.so", process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built =
        Command::new(compiler).args(["-O1", "-shared", "-fPIC", "-o"]).arg(&draft).arg(source).arg("-ldl").status();
    if !built.ok()?.success() {
        return None;
    }
    fs::rename(draft, &library).ok()?;
    Some(library)
}

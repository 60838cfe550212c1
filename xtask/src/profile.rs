//! Profiles: how often the hot functions run in `enbu bench`, by which the compiler optimises them
//! (profile-guided optimisation).
//!
//! A profile keeps only functions of a million steps, and of their counts only those of a thousand and
//! more. The others depend on threads and clocks, and without a profile they are compiled as ever:
//! counts of 0 would make the reading of records, which no bench position needs, small instead of fast.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::builds::{self, Optimisation, Target};
use crate::tool::{Outcome, say};

/// The fewest steps of a function in the profile, at the point where it has most.
const HOT: u64 = 1_000_000;
/// Smaller counts become 0.
const RARE: u64 = 1000;

/// Shapes of networks that users bring, searched with beside the embedded one: a branch that no position
/// took would be compiled to be small.
const SHAPES: [&str; 5] =
    ["enbu-64-attacks", "kp-256x2-32-32", "halfkp-256x2-32-32", "halfkp-1024x2-8-64", "sfnn-halfkahm2-1536-15-32-k3k3"];

/// Paths of kernels that the positions are searched with; those that this processor lacks have no profile.
const KERNELS: [&str; 2] = ["avx512", "avx2"];

/// Builds the program for `target`, which must run here, so that it counts; returns the file of its
/// profile in `enbu bench`.
pub(crate) fn record(sh: &Shell, target: &Target, root: &Path, epoch: &str, tool: &Path) -> Outcome<PathBuf> {
    let program = builds::build(sh, target, root, epoch, Optimisation::Counting)?;
    let folder = root.join("target/dist/profile");
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    let mut networks = vec![None];
    let writer =
        ["build", "--locked", "--profile", "thorough", "--package", "enbu-tests", "--example", "write_network"];
    builds::cargo(sh).args(writer).run()?;
    for shape in SHAPES {
        let path = folder.join(shape);
        cmd!(sh, "target/thorough/examples/write_network {shape} {path}").quiet().run()?;
        networks.push(Some(path));
    }
    for kernels in KERNELS {
        for (number, network) in networks.iter().enumerate() {
            let counts = folder.join(format!("{kernels}-{number}.profraw"));
            let other = network.iter().flat_map(|path| [OsStr::new("--network"), path.as_os_str()]);
            let bench = cmd!(sh, "{program} bench --depth 8 {other...}").env("ENBU_SIMD", kernels);
            let bench = bench.env("LLVM_PROFILE_FILE", counts).quiet().ignore_stdout().ignore_stderr();
            // Refused by a processor without such kernels, which then have no profile.
            if bench.run().is_err() {
                say(&format!("profile: `enbu bench` does not run by {kernels}"));
                break;
            }
        }
    }
    let is_count = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "profraw");
    let counts: Vec<PathBuf> = sh.read_dir(&folder)?.into_iter().filter(is_count).collect();
    let text = cmd!(sh, "{tool} merge --text -o - {counts...}").quiet().read()?;
    let functions: Vec<String> = hot(&text).collect();
    say(&format!("profile of {} hot functions", functions.len()));
    let [text, profile] = ["hot.txt", "hot.profdata"].map(|name| folder.join(name));
    sh.write_file(&text, format!(":ir\n{}", functions.join("\n")))?;
    cmd!(sh, "{tool} merge -o {profile} {text}").quiet().run()?;
    Ok(profile)
}

/// The hot functions of a profile in text form: the lines of each.
fn hot(profile: &str) -> impl Iterator<Item = String> {
    profile.split("\n\n").filter_map(|function| {
        let mut lines = function.lines().skip_while(|line| line.starts_with([':', '#']));
        let (name, lines) = (lines.next()?, lines.collect::<Vec<_>>());
        let first = lines.iter().position(|line| line.ends_with("Counter Values:"))? + 1;
        let counts = first..first + lines.get(first.checked_sub(2)?)?.parse::<usize>().ok()?;
        let count = |line: &str| line.parse::<u64>().unwrap_or(0);
        let is_hot = lines.get(counts.clone())?.iter().any(|line| count(line) >= HOT);
        let is_rare = |index: usize, line| counts.contains(&index) && count(line) < RARE;
        let kept = lines.iter().enumerate().map(|(index, line)| if is_rare(index, line) { "0" } else { line });
        is_hot.then(|| format!("{name}\n{}\n", kept.collect::<Vec<_>>().join("\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# IR level Instrumentation Flag
:ir
_ZN4core4cold17h0123456789abcdefE
# Func Hash:
7
# Num Counters:
1
# Counter Values:
999999

lib.5f-cgu.0;_ZN3lib3hot17hfedcba9876543210E
# Func Hash:
8
# Num Counters:
3
# Counter Values:
1000000
41
1000
# Num Value Kinds:
1
";

    #[test]
    fn a_profile_keeps_what_is_hot_whatever_the_threads_do() {
        let functions: Vec<_> = hot(TEXT).collect();
        let lines = "lib.5f-cgu.0;_ZN3lib3hot17hfedcba9876543210E\n# Func Hash:\n8\n# Num Counters:\n3\n# Counter Values:\n1000000\n0\n1000\n# Num Value Kinds:\n1\n";
        assert_eq!(functions, [lines]);
    }
}

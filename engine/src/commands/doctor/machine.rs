//! Processor and kernels, threads, and the memory of the transposition table.

use std::fs;

use enbu_language::{pick, text};
use enbu_search::Search;

use super::report::Check;
use crate::evaluation::{self, SIMD_VARIABLE};
use crate::options::{Id, Options};
use crate::{identity, machine};

/// Name and features of the processor, the operating system, and the kernels in use.
pub(super) fn processor(check: &mut Check) {
    let (name, features) = (processor_name(), identity::cpu_features().join(" "));
    // Of the kernel, on Linux.
    let version = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = format!("{} {}", std::env::consts::OS, version.trim());
    let (system, processors) = (system.trim_end(), machine::processors());
    check.fine(text!(
        "{name}, {processors} processors for this program; {system}",
        "{name}、使える論理コア {processors}、{system}"
    ));
    if cfg!(target_arch = "x86_64") && !features.contains("avx2") {
        check.note(
            text!("features {features}: no AVX2", "機能 {features}：AVX2 がありません"),
            text!(
                "Enbu runs on such a processor, about half as fast. In a virtual machine, let it have all features.",
                "動作しますが、速度は半分ほどです。仮想マシンなら CPU の全機能を使えるように設定してください。"
            ),
        );
    } else {
        check.fine(text!("features {features}", "機能 {features}"));
    }
    kernels(check);
}

fn processor_name() -> String {
    let from_linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let unnamed = || text!("unnamed {} processor", "名前のわからない {} の CPU", std::env::consts::ARCH).to_string();
    // Windows names family and model there.
    from_linux.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok()).unwrap_or_else(unnamed)
}

/// The kernels in use and those available.
fn kernels(check: &mut Check) {
    let available = identity::kernels();
    let (best, list) = (available.first().copied().unwrap_or("scalar"), available.join(" "));
    match evaluation::kernels().map(|kernels| kernels.name()) {
        Ok(name) if name == best => {
            check.fine(text!("{name} in use; available: {list}", "使用中のカーネル {name}、使えるもの：{list}"));
        }
        Ok(name) => check.note(
            text!(
                "{name} in use by {SIMD_VARIABLE}; {best} is faster; available: {list}",
                "{SIMD_VARIABLE} により使用中のカーネル {name}（{best} のほうが速い）、使えるもの：{list}"
            ),
            text!("Remove the environment variable {SIMD_VARIABLE}.", "環境変数 {SIMD_VARIABLE} を削除してください。"),
        ),
        Err(error) => check.fault(
            text!(
                "{error}; the engine plays with piece-square tables instead of a network",
                "{error}。ネットワークの代わりに駒位置評価で指します"
            ),
            text!(
                "Remove the environment variable {SIMD_VARIABLE}, or set it to one of: {list}.",
                "環境変数 {SIMD_VARIABLE} を削除するか、{list} のどれかにしてください。"
            ),
        ),
    }
}

/// `Threads` against the processors.
pub(super) fn threads(check: &mut Check, options: &Options) {
    let (threads, processors) = (options.number::<usize>(Id::Threads), machine::processors());
    if threads <= processors {
        let text = text!("Threads {threads} on {processors} processors", "Threads {threads}、論理コア {processors}");
        return check.fine(text);
    }
    check.fault(
        text!(
            "Threads {threads}, but only {processors} processors: the search loses time to switching",
            "Threads {threads} に対して論理コアは {processors} しかなく、切り替えで遅くなります"
        ),
        text!("Set Threads to {processors} or less.", "Threads を {processors} 以下にしてください。"),
    );
}

/// Sizes below this one fill up within a second of search, in MB.
const LEAST_MB: usize = 16;

/// The file in which Linux shows and takes the mode of huge pages.
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Allocates the table of `USI_Hash` as the engine does, and counts its huge pages.
pub(super) fn hash(check: &mut Check, options: &Options) {
    let wanted = options.number(Id::Hash);
    let before = provided_mb();
    // Kept until the pages are counted.
    let mut search = Search::new();
    let refused = search.as_mut().map_or(true, |search| search.set_hash_mb(wanted).is_err());
    judge_size(check, wanted, enbu_search::system_mb("MemAvailable:"), refused);
    if !refused && let Some((before, after)) = before.zip(provided_mb()) {
        judge_pages(check, after[0].saturating_sub(before[0]), after[1].saturating_sub(before[1]));
    }
}

/// Judges the size of the table; `available` is the free memory in MB, where known.
fn judge_size(check: &mut Check, wanted: usize, available: Option<usize>, refused: bool) {
    let free = available.map_or_else(|| "?".to_owned(), |mb| mb.to_string());
    let size = text!("USI_Hash {wanted} MB; {free} MB of memory free", "USI_Hash {wanted} MB、空きメモリ {free} MB");
    // A limit of the process or its group may be lower than the free memory.
    let half = available.map_or(wanted / 2, |mb| if refused { (mb / 2).min(wanted / 2) } else { mb / 2 }).max(LEAST_MB);
    let smaller = text!("Set USI_Hash to {half} or less.", "USI_Hash を {half} 以下にしてください。");
    if refused {
        let text = "：大きすぎるため、エンジンは小さい置換表で指します";
        let text = pick(": too large, the engine plays with a smaller table", text);
        check.fault(format_args!("{size}{text}"), smaller);
    } else if wanted < LEAST_MB {
        let text = "：小さすぎるため、1 秒もたたずにいっぱいになります";
        let text = pick(": too small, the table is full within a second", text);
        let larger = text!("Set USI_Hash to 256 or more.", "USI_Hash を 256 以上にしてください。");
        check.fault(format_args!("{size}{text}"), larger);
    } else if available.is_some_and(|mb| wanted > mb / 2) {
        let text = "：空きの半分を超えるため、ほかのソフトのメモリが足りなくなるおそれがあります";
        let text = pick(": more than half of it, other programs may have to swap", text);
        check.note(format_args!("{size}{text}"), smaller);
    } else {
        check.fine(size);
    }
}

/// Memory of this process that the system has provided, and its huge pages, in MB; `None`
/// where the system does not count them.
fn provided_mb() -> Option<[usize; 2]> {
    let text = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let megabytes = |key| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.split_ascii_whitespace().next()?.parse::<usize>().ok()? / 1024)
    };
    Some([megabytes("Rss:")?, megabytes("AnonHugePages:")?])
}

/// Judges the huge pages of a table, of which `all` MB are provided so far: the engine
/// touches a large one for half a second only.
fn judge_pages(check: &mut Check, all: usize, huge: usize) {
    let pages = text!("huge pages: {huge} MB of the first {all} MB", "ラージページ：最初の {all} MB のうち {huge} MB");
    // A small table may share its pages with other things.
    if huge * 2 >= all || all < LEAST_MB {
        return check.fine(pages);
    }
    check.note(
        text!("{pages}; switched off, or the memory is too fragmented", "{pages}（無効の設定か、メモリの断片化）"),
        text!(
            "The search is some percent slower. As root: echo madvise > {HUGE_PAGES}",
            "探索が数 % 遅くなります。root で echo madvise > {HUGE_PAGES} を実行してください。"
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::super::report::{Status, Topic};
    use super::*;

    #[test]
    fn sizes_are_judged_by_the_free_memory() {
        for (wanted, available, refused, expected) in [
            (1024, Some(4096), false, Status::Fine),
            (16, None, false, Status::Fine),
            (3000, Some(4096), false, Status::Note),
            (5000, Some(4096), true, Status::Fault),
            (5000, None, true, Status::Fault),
            (1, Some(4096), false, Status::Fault),
        ] {
            let mut check = Check::new(Topic::Hash);
            judge_size(&mut check, wanted, available, refused);
            assert_eq!(check.status(), expected, "{wanted} {available:?}");
        }
    }

    #[test]
    fn missing_huge_pages_are_a_note() {
        for (all, huge, expected) in
            [(64, 64, Status::Fine), (64, 40, Status::Fine), (64, 0, Status::Note), (1, 0, Status::Fine)]
        {
            let mut check = Check::new(Topic::Hash);
            judge_pages(&mut check, all, huge);
            assert_eq!(check.status(), expected);
        }
    }
}

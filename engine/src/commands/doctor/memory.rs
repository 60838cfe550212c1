//! The transposition table: its memory and its huge pages.

use std::fs;

use enbu_search::Search;

use super::report::{Check, Text, Topic};
use crate::options::Options;

/// Sizes below this one fill up within a second of search, in MB.
const LEAST_MB: usize = 16;

/// The file in which Linux shows and takes the mode of huge pages.
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Allocates the table of `USI_Hash` as the engine does, and counts its huge pages.
pub(super) fn hash(options: &Options) -> Check {
    let mut check = Check::new(Topic::Hash);
    let (wanted, available) = (options.hash_mb(), enbu_search::system_mb("MemAvailable:"));
    check.set("hash_mb", wanted);
    check.set("available_mb", available);
    let before = Pages::now();
    // Kept until the pages are counted.
    let mut search = Search::new();
    let refused = search.as_mut().map_or(true, |search| search.set_hash_mb(wanted).is_err());
    judge_size(&mut check, wanted, available, refused);
    if !refused {
        let gained = Pages::now().zip(before).map(|(after, before)| after.since(&before));
        judge_pages(&mut check, gained);
    }
    check
}

/// Judges the size of the table; `available` is the free memory in MB, where known.
fn judge_size(check: &mut Check, wanted: usize, available: Option<usize>, refused: bool) {
    let memory = available.map_or_else(
        || Text::new("free memory unknown", "空きメモリは不明"),
        |mb| Text::new(format!("{mb} MB of memory free"), format!("空きメモリ {mb} MB")),
    );
    let size = Text::new(format!("USI_Hash {wanted} MB; "), format!("USI_Hash {wanted} MB、")).then(&memory);
    // A limit of the process or its group may be lower than the free memory.
    let half = available.map_or(wanted / 2, |mb| if refused { (mb / 2).min(wanted / 2) } else { mb / 2 }).max(LEAST_MB);
    let smaller = Text::new(format!("Set USI_Hash to {half} or less."), format!("USI_Hash を {half} 以下にします。"));
    if refused {
        let text = Text::new(
            ": too large, the engine plays with a smaller table",
            "：大きすぎるため、エンジンは小さい置換表で指します",
        );
        check.fault(size.then(&text), smaller);
    } else if wanted < LEAST_MB {
        let text = Text::new(
            ": too small, the table is full within a second",
            "：小さすぎるため、1 秒もたたずにいっぱいになります",
        );
        let larger = Text::new("Set USI_Hash to 256 or more.", "USI_Hash を 256 以上にします。");
        check.fault(size.then(&text), larger);
    } else if available.is_some_and(|mb| wanted > mb / 2) {
        let text = Text::new(
            ": more than half of it, other programs may have to swap",
            "：空きの半分を超えるため、ほかのソフトのメモリが足りなくなるおそれがあります",
        );
        check.note(size.then(&text), smaller);
    } else {
        check.fine(size);
    }
}

/// Memory of this process that the system has provided, in MB.
#[derive(Clone, Copy)]
struct Pages {
    all: usize,
    huge: usize,
}

impl Pages {
    /// The present memory; `None` where the system does not count it.
    fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
        let megabytes = |key| {
            let line = text.lines().find_map(|line| line.strip_prefix(key))?;
            let kilobytes: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
            Some(kilobytes / 1024)
        };
        Some(Self { all: megabytes("Rss:")?, huge: megabytes("AnonHugePages:")? })
    }

    const fn since(self, before: &Self) -> Self {
        Self { all: self.all.saturating_sub(before.all), huge: self.huge.saturating_sub(before.huge) }
    }
}

/// Judges the huge pages of a table, of which `touched` is provided so far: the engine
/// touches a large one for half a second only.
fn judge_pages(check: &mut Check, touched: Option<Pages>) {
    check.set("huge_pages_mb", touched.map(|touched| touched.huge));
    check.set("touched_mb", touched.map(|touched| touched.all));
    let Some(Pages { all, huge }) = touched else {
        let text = Text::new("huge pages: not counted on this system", "ラージページ: このシステムでは調べられません");
        check.fine(text);
        return;
    };
    let count = Text::new(
        format!("huge pages: {huge} MB of the first {all} MB"),
        format!("ラージページ: 最初の {all} MB のうち {huge} MB"),
    );
    // A small table may share its pages with other things.
    if huge * 2 >= all || all < LEAST_MB {
        check.fine(count);
        return;
    }
    let mode = fs::read_to_string(HUGE_PAGES).unwrap_or_default();
    let reason = if mode.contains("[never]") {
        Text::new("; they are switched off", "（無効に設定されています）")
    } else {
        Text::new(
            "; the memory is too fragmented, or the system has none",
            "（メモリが断片化しているか、システムにありません）",
        )
    };
    check.note(
        count.then(&reason),
        Text::new(
            format!("The search is some percent slower. As root: echo madvise > {HUGE_PAGES}"),
            format!("探索が数 % 遅くなります。root で echo madvise > {HUGE_PAGES}"),
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::super::report::Status;
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
        let pages = |all, huge| Some(Pages { all, huge });
        for (touched, expected) in [
            (pages(64, 64), Status::Fine),
            (pages(64, 40), Status::Fine),
            (pages(64, 0), Status::Note),
            (pages(1, 0), Status::Fine),
            (None, Status::Fine),
        ] {
            let mut check = Check::new(Topic::Hash);
            judge_pages(&mut check, touched);
            assert_eq!(check.status(), expected);
        }
    }
}

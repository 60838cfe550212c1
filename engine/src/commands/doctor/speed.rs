//! Speed of the search, beside the speed expected of this processor.
//!
//! The expected number is no table of processors. Perft runs in the caches and uses
//! neither the network nor the transposition table; its speed measures the processor
//! itself. It is multiplied by the ratio of search to perft that a healthy machine has with
//! the same kernels. What slows both alike, such as heat or other programs, does not show
//! in the ratio: therefore perft is reported too, beside the perft of that machine. On Linux
//! the time spent waiting for a processor is known and taken out of the comparison.

use super::report::{Check, Text, Topic};
use super::selftest::{SelfTest, without_waiting};

/// Nodes of the search for each million leaves of perft, by kernels, on [`REFERENCE`]: the
/// medians of 11 runs of `scripts/doctor_ratio.sh`, by processor time beside other programs.
/// The embedded network is small: its kernels differ by less than the runs do.
const NODES_PER_MILLION_LEAVES: &[(&str, u64)] = &[("avx512", 2_730), ("avx2", 2_710), ("scalar", 2_200)];

/// The machine on which the ratios were measured, its day, and its leaves per second.
const REFERENCE: (&str, &str, u64) = ("AMD EPYC, 2 cores", "2026-11-23", 387_000_000);

/// A search slower than this share of the expected speed has a cause that can be found.
const SLOW_PERCENT: u64 = 60;

/// A search that waited longer than this for a processor was disturbed, in percent.
const BUSY_PERCENT: u64 = 20;

/// Nodes per second, measured and expected.
pub(super) fn speed(test: &SelfTest) -> Check {
    let mut check = Check::new(Topic::Speed);
    let measured = test.nodes_per_second;
    let alone = without_waiting(measured, test.waited_percent);
    check.set("nodes_per_second", measured);
    check.set("nodes_per_processor_second", alone);
    check.set("leaves_per_second", test.leaves_per_second);
    check.set("waited_percent", test.waited_percent);
    if cfg!(debug_assertions) {
        check.note(
            Text::new(
                format!("{measured} nodes/s by one thread: a build with debug assertions"),
                format!("1 スレッド {measured} ノード/秒（デバッグビルド）"),
            ),
            Text::new("Build with --release to play.", "対局には --release でビルドします。"),
        );
        return check;
    }
    let expected = test.kernels.and_then(|kernels| expected(kernels, test.leaves_per_second));
    check.set("expected_nodes_per_second", expected);
    busy(&mut check, measured, test.waited_percent);
    compare(&mut check, alone, expected);
    explain(&mut check, test);
    check
}

/// The expected nodes per second of a processor with this speed of perft.
fn expected(kernels: &str, leaves_per_second: u64) -> Option<u64> {
    let &(_, ratio) = NODES_PER_MILLION_LEAVES.iter().find(|(name, _)| *name == kernels)?;
    // No more digits than such an estimate has.
    const ROUNDING: u64 = 10_000;
    Some((leaves_per_second / 1_000_000 * ratio).next_multiple_of(ROUNDING))
}

fn compare(check: &mut Check, measured: u64, expected: Option<u64>) {
    let Some(expected) = expected else {
        check.fine(Text::new(
            format!("{measured} nodes/s by one thread; no reference for these kernels"),
            format!("1 スレッド {measured} ノード/秒（このカーネルの基準値はありません）"),
        ));
        return;
    };
    let percent = measured.saturating_mul(100) / expected.max(1);
    let text = Text::new(
        format!("{measured} nodes/s by one thread; about {expected} expected ({percent} %)"),
        format!("1 スレッド {measured} ノード/秒、目安は {expected} 前後（{percent} %）"),
    );
    if percent >= SLOW_PERCENT {
        check.fine(text);
        return;
    }
    check.note(
        text,
        Text::new(
            "Close other programs and run it again; then see the lines on kernels and huge pages.",
            "ほかのソフトを閉じて実行し直します。変わらなければ、カーネルとラージページの行を確認します。",
        ),
    );
}

/// Says how the expected number is made.
fn explain(check: &mut Check, test: &SelfTest) {
    let (machine, day, leaves) = REFERENCE;
    let percent = test.leaves_per_second.saturating_mul(100) / leaves;
    check.set("perft_percent_of_reference", percent);
    let millions = test.leaves_per_second / 1_000_000;
    check.fine(Text::new(
        format!("expected: perft here ({millions} million leaves/s, {percent} % of that of {machine})"),
        format!(
            "目安: この PC の perft（毎秒 {}.{} 億局面、{machine} の {percent} %）",
            millions / 100,
            millions / 10 % 10
        ),
    ));
    check.fine(Text::new(
        format!("times the ratio of search to perft there ({day}, same kernels); a third more or less is usual"),
        format!("× その PC での探索と perft の比（{day}、同じカーネル）。3 割ほどのずれは普通です"),
    ));
}

/// Names the time for which other programs had the processor.
fn busy(check: &mut Check, measured: u64, waited_percent: Option<u64>) {
    let Some(percent) = waited_percent.filter(|&percent| percent > BUSY_PERCENT) else { return };
    check.note(
        Text::new(
            format!("{measured} nodes/s, waiting for a processor {percent} % of the time: other programs are running"),
            format!("{measured} ノード/秒、時間の {percent} % は CPU の空き待ちでした（ほかのソフトが動いています）"),
        ),
        Text::new(
            "Close them, or lower Threads. The next line leaves the waiting out.",
            "それらを閉じるか、Threads を減らします。次の行は空き待ちを除いた値です。",
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::super::report::Status;
    use super::*;

    #[test]
    fn the_expected_speed_follows_perft_and_kernels() {
        for (kernels, ratio) in NODES_PER_MILLION_LEAVES {
            assert_eq!(expected(kernels, 1_000_000_000), Some(1000 * ratio));
        }
        assert_eq!(expected("neon", 100_000_000), None);
    }

    #[test]
    fn a_slow_search_and_a_busy_machine_are_notes() {
        for (measured, expected, status) in [
            (100, Some(100), Status::Fine),
            (60, Some(100), Status::Fine),
            (59, Some(100), Status::Note),
            (1, None, Status::Fine),
        ] {
            let mut check = Check::new(Topic::Speed);
            compare(&mut check, measured, expected);
            assert_eq!(check.status(), status, "{measured} of {expected:?}");
        }
        for (percent, status) in [(None, Status::Fine), (Some(20), Status::Fine), (Some(21), Status::Note)] {
            let mut check = Check::new(Topic::Speed);
            busy(&mut check, 1000, percent);
            assert_eq!(check.status(), status, "{percent:?}");
        }
    }
}

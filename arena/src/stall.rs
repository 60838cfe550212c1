//! Stalls of the host: an engine that oversteps its time may be slow, or the machine may have
//! given its processors to others.
//!
//! Linux counts the time in which some task waited for a processor (`/proc/pressure/cpu`), and
//! the time that a hypervisor took from this machine (`steal` in `/proc/stat`).

use std::fs;
use std::time::Duration;

/// Returns the sum of both since the start of the system; zero on systems without these counters.
pub(crate) fn stalled() -> Duration {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    waited(&read("/proc/pressure/cpu")).unwrap_or_default() + stolen(&read("/proc/stat")).unwrap_or_default()
}

fn waited(pressure: &str) -> Option<Duration> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    line.rsplit_once("total=")?.1.parse().ok().map(Duration::from_micros)
}

fn stolen(stat: &str) -> Option<Duration> {
    let ticks: u64 = stat.lines().next()?.split_ascii_whitespace().nth(8)?.parse().ok()?;
    // The kernel shows programs 100 ticks a second, whatever it counts itself.
    Some(Duration::from_millis(ticks.saturating_mul(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_linux_are_read() {
        let pressure = "some avg10=8.40 avg60=11.84 avg300=13.07 total=8974061558\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(waited(pressure), Some(Duration::from_micros(8_974_061_558)));
        let stat = "cpu  2045579 129844 280578 435901 2990 0 2090 8756 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n";
        assert_eq!(stolen(stat), Some(Duration::from_millis(87_560)));
        for text in ["", "some", "cpu 1 2", "some total=x", "cpu  1 2 3 4 5 6 7 -8"] {
            assert_eq!((waited(text), stolen(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn stalls_only_grow() {
        let before = stalled();
        assert!(stalled() >= before);
    }
}

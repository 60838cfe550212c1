//! How late this machine wakes its sleepers.
//!
//! An engine that oversteps its time may be slow, or the machine may have stood still.
//! A thread that sleeps for a moment, again and again, and notes when it woke up too
//! late tells one from the other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long the thread sleeps, and the least lateness that is noted.
const NAP: Duration = Duration::from_millis(2);

/// How long lateness is remembered.
const MEMORY: Duration = Duration::from_mins(10);

/// A nap that was too long: when it ended and by how much.
type Oversleep = (Instant, Duration);

/// Measures stalls of the machine while it lives.
#[derive(Debug)]
pub struct StallMeter {
    late: Arc<Mutex<VecDeque<Oversleep>>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StallMeter {
    /// Begins to measure. Where no thread can be had, no stall is ever seen.
    pub fn start() -> Self {
        let late = Arc::new(Mutex::new(VecDeque::new()));
        let (stop, stopped) = channel();
        let shared = Arc::clone(&late);
        let measure = move || {
            loop {
                let due = Instant::now() + NAP;
                if stopped.recv_timeout(NAP) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                note(&mut shared.lock(), due, Instant::now());
            }
        };
        let thread = thread::Builder::new().name("stall meter".into()).spawn(measure).ok();
        Self { late, stop: Some(stop), thread }
    }

    /// The longest stall that ended after `since`; zero if there was none of 2 ms or more.
    pub fn worst_since(&self, since: Instant) -> Duration {
        self.late.lock().iter().filter(|(end, _)| *end >= since).map(|&(_, late)| late).max().unwrap_or_default()
    }
}

/// Notes a nap that should have ended at `due`, and forgets old ones.
fn note(late: &mut VecDeque<Oversleep>, due: Instant, now: Instant) {
    let by = now.saturating_duration_since(due);
    if by > NAP {
        while late.front().is_some_and(|(end, _)| now.saturating_duration_since(*end) > MEMORY) {
            late.pop_front();
        }
        late.push_back((now, by));
    }
}

impl Drop for StallMeter {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It only sleeps and notes; it has nothing to report.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_late_awakenings_count_and_old_ones_are_forgotten() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut late = VecDeque::new();
        note(&mut late, at(10), at(11));
        assert!(late.is_empty());
        note(&mut late, at(20), at(50));
        note(&mut late, at(700_100), at(700_110));
        assert_eq!(late, [(at(700_110), Duration::from_millis(10))]);
    }

    #[test]
    fn a_meter_ends_with_its_thread() {
        let meter = StallMeter::start();
        assert!(meter.thread.is_some());
        let future = Instant::now() + Duration::from_secs(3600);
        assert_eq!(meter.worst_since(future), Duration::ZERO);
    }
}

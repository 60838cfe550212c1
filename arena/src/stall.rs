//! Stalls of the host: the lateness of a thread that sleeps.
//!
//! An engine that oversteps its time may be slow, or the machine may have stood still.
//! A thread that sleeps for a moment, again and again, and notes when it woke up too
//! late distinguishes them. Often only one CPU of a machine stalls, so
//! there is such a thread on each of them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Sleep of the thread, and the least lateness that is recorded.
const NAP: Duration = Duration::from_millis(2);

/// Time for which lateness is kept.
const MEMORY: Duration = Duration::from_mins(10);

/// A nap that was too long: when it ended and by how much.
type Oversleep = (Instant, Duration);

/// Measures stalls of the machine while it lives.
#[derive(Debug)]
pub struct StallMeter {
    /// In the order of their ends.
    late: Arc<Mutex<VecDeque<Oversleep>>>,
    stop: Arc<AtomicBool>,
    began: Instant,
    /// A thread on each processor, and when its nap is to end: microseconds since `began`.
    threads: Vec<(JoinHandle<()>, Arc<AtomicU64>)>,
}

impl StallMeter {
    /// Begins to measure on every processor that this program may use. Where no thread can
    /// be started, no stall is ever seen.
    pub fn start() -> Self {
        let late = Arc::default();
        let stop = Arc::default();
        let began = Instant::now();
        let measure_on = |processor| {
            let (late, stop) = (Arc::clone(&late), Arc::clone(&stop));
            let due = Arc::new(AtomicU64::new(u64::MAX));
            let nap_end = Arc::clone(&due);
            let measure = move || {
                pin(processor);
                measure(&late, &stop, |end| due.store(micros(end - began), Ordering::Relaxed));
            };
            let thread = thread::Builder::new().name("stall meter".into()).spawn(measure).ok()?;
            Some((thread, nap_end))
        };
        let threads = processors().into_iter().filter_map(measure_on).collect();
        Self { late, stop, began, threads }
    }

    /// The longest stall that ended after `since` or still lasts; zero if there was none of
    /// 2 ms or more.
    pub fn worst_since(&self, since: Instant) -> Duration {
        let late = self.late.lock();
        let over = late.iter().rev().take_while(|(end, _)| *end >= since).map(|&(_, late)| late);
        let now = micros(self.began.elapsed());
        let lasting = self.threads.iter().map(|(_, due)| lateness(due.load(Ordering::Relaxed), now));
        over.chain(lasting).max().unwrap_or_default()
    }
}

/// The processors that this program may use, by their numbers.
fn processors() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)) {
        return (0..nix::sched::CpuSet::count()).filter(|&number| set.is_set(number) == Ok(true)).collect();
    }
    (0..thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// Binds the calling thread to a processor. Without permission it runs on any of them,
/// and on systems other than Linux on the one that the system prefers for it.
fn pin(processor: usize) {
    #[cfg(target_os = "linux")]
    {
        let mut set = nix::sched::CpuSet::new();
        let this_thread = nix::unistd::Pid::from_raw(0);
        let _ = set.set(processor).and_then(|()| nix::sched::sched_setaffinity(this_thread, &set));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The lateness so far of a nap that should have ended at `due`, both in microseconds; zero
/// below 2 ms.
fn lateness(due: u64, now: u64) -> Duration {
    let by = Duration::from_micros(now.saturating_sub(due));
    if by > NAP { by } else { Duration::ZERO }
}

/// Sleeps and records lateness until stopped; `announce` hears when each nap is to end.
fn measure(late: &Mutex<VecDeque<Oversleep>>, stop: &AtomicBool, announce: impl Fn(Instant)) {
    while !stop.load(Ordering::Relaxed) {
        let due = Instant::now() + NAP;
        announce(due);
        thread::sleep(NAP);
        if Instant::now() > due + NAP {
            let mut late = late.lock();
            // After the lock, so that they are in order.
            note(&mut late, due, Instant::now());
        }
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
        self.stop.store(true, Ordering::Relaxed);
        for (thread, _) in self.threads.drain(..) {
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
    fn a_stall_that_lasts_counts() {
        let ms = Duration::from_millis;
        assert_eq!(lateness(10_000, 12_000), Duration::ZERO);
        assert_eq!(lateness(10_000, 700_000), ms(690));
        assert_eq!(lateness(u64::MAX, 1), Duration::ZERO);
        // Since 300 ms a thread should be awake.
        let asleep = (thread::spawn(|| ()), Arc::new(AtomicU64::new(0)));
        let since = Instant::now();
        let meter =
            StallMeter { late: Arc::default(), stop: Arc::default(), began: since - ms(300), threads: vec![asleep] };
        assert!(meter.worst_since(since) >= ms(300));
    }

    #[test]
    fn a_meter_naps_on_every_processor_and_ends_with_its_threads() {
        let meter = StallMeter::start();
        assert_eq!(meter.threads.len(), processors().len());
        assert!(thread::available_parallelism().is_ok_and(|found| found.get() <= meter.threads.len()));
        let future = Instant::now() + Duration::from_secs(3600);
        assert_eq!(meter.worst_since(future), Duration::ZERO);
        let (late, stop) = (Arc::clone(&meter.late), Arc::clone(&meter.stop));
        drop(meter);
        assert_eq!((Arc::strong_count(&late), Arc::strong_count(&stop)), (1, 1));
    }

    #[test]
    fn the_worst_stall_since_a_moment_is_told() {
        let meter = StallMeter::start();
        let start = Instant::now() + Duration::from_secs(3600);
        let at = |ms| start + Duration::from_millis(ms);
        for (end, late) in [(10, 9), (20, 3), (30, 5)] {
            meter.late.lock().push_back((at(end), Duration::from_millis(late)));
        }
        assert_eq!(meter.worst_since(at(15)), Duration::from_millis(5));
        assert_eq!(meter.worst_since(at(10)), Duration::from_millis(9));
        assert_eq!(meter.worst_since(at(31)), Duration::ZERO);
    }
}

//! Hostile peers: engines of `enbu match` and servers of `enbu csa` that hang, flood or lie.
//!
//! Each row of the two tables names the peer, the text by which it is judged, and the sum of
//! the deadlines that it runs into. A row fails when the text is missing, a message is longer
//! than [`MAX_MESSAGE`], more than [`MAX_KIB`] of memory is used, or the end does not come
//! within [`patience`] after the deadline. With `ENBU_PEERS_TABLE=FILE` the rows run one
//! after the other and FILE gets them with their measured times, which
//! `scripts/peers.sh` judges by the deadlines alone.
#![cfg(unix)]

mod engines;
mod servers;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use enbu_tests::invocation::Invocation;
use enbu_tests::session::patience;

/// Largest memory of the binary in KiB, and longest line of its messages in bytes.
const MAX_KIB: u64 = 300 << 10;
const MAX_MESSAGE: usize = 3000;

/// A run of the binary against a peer, until it ends.
struct Run {
    child: Child,
    since: Instant,
    peak_kib: u64,
}

impl Run {
    /// Starts the command, with its output in files of its folder.
    fn start(invocation: &Invocation) -> Self {
        let file = |name: &str| File::create(invocation.path(name)).unwrap();
        let child = invocation.command().stdout(file("stdout")).stderr(file("stderr")).spawn().unwrap();
        Self { child, since: Instant::now(), peak_kib: 0 }
    }

    /// Sends a signal, from which on time is measured.
    fn signal(&mut self, name: &str) {
        // One that has ended is measured from its end.
        let _ = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        self.since = Instant::now();
    }

    /// Returns true if the process has ended; notes its memory.
    fn has_ended(&mut self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        self.peak_kib = self.peak_kib.max(peak.unwrap_or(0));
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until `is_done` or the end, within `deadline` and some more; returns the time.
    fn wait(&mut self, name: &str, deadline: f64, mut is_done: impl FnMut() -> bool) -> Duration {
        while !self.has_ended() && !is_done() {
            if self.since.elapsed() > Duration::from_secs_f64(deadline) + patience() {
                let _ = self.child.kill();
                panic!("{name}: no end {deadline} s after its begin");
            }
            // A wait of minutes does not read the files hundreds of times a second.
            thread::sleep((self.since.elapsed() / 100).clamp(Duration::from_millis(3), Duration::from_millis(100)));
        }
        self.since.elapsed()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything that a run left in its folder.
fn left(invocation: &Invocation) -> String {
    let names = ["stderr", "stdout", "out.jsonl", "log.jsonl", "trace.txt", "lines.log"];
    names.map(|name| fs::read_to_string(invocation.path(name)).unwrap_or_default()).concat()
}

/// Judges a row and adds it to the table.
fn judge(name: &str, invocation: &Invocation, run: &Run, deadline: f64, time: Duration, says: &str) {
    let (found, messages) = (left(invocation), fs::read_to_string(invocation.path("stderr")).unwrap());
    let shown: String = messages.chars().take(2000).collect();
    assert!(found.contains(says), "{name}: no `{says}`: {shown}");
    let longest = messages.lines().map(str::len).max().unwrap_or(0);
    assert!(longest <= MAX_MESSAGE, "{name}: a message of {longest} bytes: {shown}");
    assert!(run.peak_kib <= MAX_KIB, "{name}: {} KiB", run.peak_kib);
    if let Some(path) = std::env::var_os("ENBU_PEERS_TABLE") {
        let mut table = OpenOptions::new().create(true).append(true).open(path).unwrap();
        let (time, memory) = (time.as_secs_f64(), run.peak_kib as f64 / 1024.0);
        writeln!(table, "{name}\t{deadline}\t{time:.2}\t{memory:.1}\t{says}").unwrap();
    }
}

/// Runs `play` for each row, several at once unless times are to be measured.
fn for_each<R: Sync>(rows: &[R], play: impl Fn(&R) + Sync) {
    let rows = Mutex::new(rows.iter());
    let threads = if std::env::var_os("ENBU_PEERS_TABLE").is_some() { 1 } else { 4 };
    let next = || rows.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(row) = next() {
                    play(row);
                }
            });
        }
    });
}

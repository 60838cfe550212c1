//! The log of everything received and sent, for reports of faults.
//!
//! A thread of its own opens the file and writes, so that a slow disk holds up neither
//! the session nor a search. Lines after [`LINES_WAITING`] queued ones are
//! left out and counted; the next line of the log states their number. A log opens its
//! file once the log before it is written.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use jiff::civil::DateTime;

use crate::session::now;

/// Maximum number of queued lines, for a slow disk.
const LINES_WAITING: usize = 1 << 14;

/// An open log. Clones write to the same file, which is closed with the last of them.
#[derive(Clone)]
pub(super) struct TrafficLog {
    entries: Sender<Entry>,
    left_out: Arc<AtomicU64>,
    end: Written,
}

/// Receiver of the end of a log: disconnected once everything is written, or nothing can be.
pub(super) type Written = Receiver<()>;

/// A task of the writing thread.
enum Entry {
    Line {
        at: DateTime,
        direction: Direction,
        text: String,
    },
    /// Drop the sender once everything before it is written.
    Flush(Sender<()>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// From the client to the engine.
    Received,
    /// From the engine to the client.
    Sent,
}

impl TrafficLog {
    /// Starts a log at the end of the file `path`, after the log before it. Its first
    /// error ends it, and is passed to `failed` with the path.
    pub(super) fn start(path: PathBuf, before: Written, failed: impl FnOnce(String) + Send + 'static) -> Self {
        let (entries, inbox) = bounded(LINES_WAITING);
        let (ending, end) = bounded(0);
        let log = Self { entries, left_out: Arc::default(), end };
        let left_out = Arc::clone(&log.left_out);
        let work = move || {
            let _ending = ending;
            // Both may have the same file.
            let _ = before.recv();
            if let Err(error) = write_all(&path, &inbox, &left_out) {
                failed(format!("{}: {error}", path.display()));
            }
        };
        // Without a thread there is no log; the channel is closed then, which is no error.
        let _ = thread::Builder::new().name("usi-log".into()).spawn(work);
        log
    }

    /// Queues a line, or counts it if the queue is full.
    pub(super) fn add(&self, direction: Direction, text: &str) {
        let text = text.trim_end_matches(['\r', '\n']).to_owned();
        let line = Entry::Line { at: now(), direction, text };
        if let Err(TrySendError::Full(_)) = self.entries.try_send(line) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Receiver of the end, after the last clone is dropped.
    pub(super) fn end(&self) -> Written {
        self.end.clone()
    }

    /// Blocks until everything is written, up to `patience`.
    pub(super) fn flush(&self, patience: Duration) {
        let (sender, flushed) = bounded(0);
        if self.entries.send_timeout(Entry::Flush(sender), patience).is_ok() {
            // An error: the thread has dropped its end, or has not yet.
            let _ = flushed.recv_timeout(patience);
        }
    }
}

/// Receiver that is disconnected already, for the first log.
pub(super) fn no_log() -> Written {
    bounded(0).1
}

fn write_all(path: &Path, inbox: &Receiver<Entry>, left_out: &AtomicU64) -> io::Result<()> {
    let mut file = BufWriter::new(enbu_files::append(path)?);
    let (begin, process) = (now(), process::id());
    writeln!(file, "{} = {}, process {process}: > received, < sent", time_of_day(begin), begin.date())?;
    for entry in inbox {
        match entry {
            Entry::Line { at, direction, text } => {
                let missing = left_out.swap(0, Ordering::Relaxed);
                if missing > 0 {
                    writeln!(file, "{} = {missing} lines left out", time_of_day(at))?;
                }
                let mark = if direction == Direction::Received { '>' } else { '<' };
                writeln!(file, "{} {mark} {text}", time_of_day(at))?;
            }
            Entry::Flush(done) => {
                file.flush()?;
                drop(done);
            }
        }
        // The file is complete whenever the queue is empty: a crash loses no line.
        if inbox.is_empty() {
            file.flush()?;
        }
    }
    file.flush()
}

/// The time of day, to the millisecond.
fn time_of_day(time: DateTime) -> impl std::fmt::Display {
    time.strftime("%H:%M:%S%.3f")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crossbeam_channel::{RecvTimeoutError, unbounded};

    use super::*;

    /// Far longer than any file takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// The lines of a log without their times.
    fn lines(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    }

    #[test]
    fn lines_are_appended_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("traffic.log");
        for round in 1..=2 {
            let log = TrafficLog::start(path.clone(), no_log(), |error| panic!("{error}"));
            log.add(Direction::Received, "go depth 1\r");
            log.clone().add(Direction::Sent, "bestmove 7g7f\n");
            log.flush(PATIENCE);
            let written = lines(&path);
            assert_eq!(written.len(), 3 * round);
            assert!(written[3 * round - 3].ends_with(": > received, < sent"));
            assert_eq!(written[3 * round - 2..], ["> go depth 1", "< bestmove 7g7f"]);
        }
    }

    #[test]
    fn a_log_waits_for_the_end_of_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("traffic.log");
        let (first_goes_on, before) = bounded(0);
        let first = TrafficLog::start(path.clone(), before, |error| panic!("{error}"));
        let second = TrafficLog::start(path.clone(), first.end(), |error| panic!("{error}"));
        second.add(Direction::Received, "second");
        first.add(Direction::Received, "first");
        second.flush(Duration::from_millis(50));
        assert!(!path.exists());
        let end = second.end();
        drop((first_goes_on, first, second));
        assert_eq!(end.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
        let heard: Vec<_> = lines(&path).into_iter().filter(|line| line.starts_with('>')).collect();
        assert_eq!(heard, ["> first", "> second"]);
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_named_once() {
        let dir = tempfile::tempdir().unwrap();
        let (sender, errors) = unbounded();
        let log = TrafficLog::start(dir.path().to_path_buf(), no_log(), move |error| sender.send(error).unwrap());
        let error = errors.recv_timeout(PATIENCE).unwrap();
        assert!(error.starts_with(&dir.path().display().to_string()), "{error}");
        for _ in 0..2 * LINES_WAITING {
            log.add(Direction::Sent, "info");
        }
        log.flush(PATIENCE);
        assert!(errors.recv().is_err());
    }

    #[test]
    fn lines_that_find_no_room_are_counted() {
        let (entries, inbox) = bounded(1);
        let log = TrafficLog { entries, left_out: Arc::default(), end: no_log() };
        (0..5).for_each(|_| log.add(Direction::Received, "stop"));
        let left_out = Arc::clone(&log.left_out);
        drop(log);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("traffic.log");
        write_all(&path, &inbox, &left_out).unwrap();
        assert_eq!(lines(&path)[1..], ["= 4 lines left out", "> stop"]);
    }

    #[test]
    fn times_are_shown_to_the_millisecond() {
        let time = jiff::civil::date(2026, 11, 22).at(1, 2, 3, 4_000_000);
        assert_eq!(time_of_day(time).to_string(), "01:02:03.004");
    }
}

//! Output: whole lines, in order, flushed, without blocking the session.
//!
//! A thread of its own writes, so that a reader who does not read stops neither
//! the session nor a search. Lines that may be lost (`info`) are dropped, oldest
//! first, when the queue is too long; answers are kept.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::reply::Reply;
use crate::session::input::wait_after;
use crate::session::traffic::{Direction, TrafficLog};

/// Maximum size in bytes of the queued `info` lines.
const MAX_INFO_BYTES: usize = 64 << 10;

/// Maximum size in bytes of the queued answers. A reader that leaves more is taken for dead.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// The queue of lines and the thread that writes them.
pub(super) struct Output {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Gets every line before it is written.
    log: Mutex<Option<TrafficLog>>,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Line>,
    info_bytes: usize,
    answer_bytes: usize,
    state: State,
}

struct Line {
    text: String,
    class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// May be dropped.
    Info,
    /// Must arrive.
    Answer,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Open,
    /// Closed to further lines; the queue is written out.
    Closing,
    /// All is written, or nothing can be.
    Finished,
}

impl Output {
    /// Starts the thread that writes. It calls `lost` when it cannot write any more.
    pub(super) fn start(stdout: impl Write + Send + 'static, lost: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("usi-output".into()).spawn(move || {
            let written = theirs.write_all(stdout);
            theirs.queue.lock().finish();
            theirs.changed.notify_all();
            if written.is_err() {
                lost();
            }
        })?;
        Ok(Self { shared })
    }

    pub(super) fn send(&self, reply: &Reply) {
        let class = match reply {
            Reply::Info(_) | Reply::Text(_) => Class::Info,
            _ => Class::Answer,
        };
        self.shared.queue.lock().push(Line { text: format!("{reply}\n"), class });
        self.shared.changed.notify_all();
    }

    /// Adds every line to `log` from now on, just before it is written.
    pub(super) fn set_log(&self, log: Option<TrafficLog>) {
        *self.shared.log.lock() = log;
    }

    /// Blocks until everything is written, up to `patience`.
    pub(super) fn close(&self, patience: Duration) {
        let mut queue = self.shared.queue.lock();
        if queue.state == State::Open {
            queue.state = State::Closing;
        }
        self.shared.changed.notify_all();
        self.shared.changed.wait_while_for(&mut queue, |queue| queue.state != State::Finished, patience);
    }
}

impl Shared {
    fn write_all(&self, mut stdout: impl Write) -> io::Result<()> {
        while let Some(line) = self.next()? {
            // Before the line is written: the client's reaction to it is logged by another thread.
            if let Some(log) = &*self.log.lock() {
                log.add(Direction::Sent, &line.text);
            }
            write_line(&mut stdout, line.text.as_bytes())?;
        }
        Ok(())
    }

    /// The next line, once there is one; `None` after the last.
    fn next(&self) -> io::Result<Option<Line>> {
        let mut queue = self.queue.lock();
        self.changed.wait_while(&mut queue, |queue| queue.lines.is_empty() && queue.state == State::Open);
        if queue.answer_bytes > MAX_ANSWER_BYTES {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(queue.pop(0))
    }
}

/// Writes and flushes a line; retries on a stream that is not ready.
fn write_line(out: &mut impl Write, mut line: &[u8]) -> io::Result<()> {
    while !line.is_empty() {
        match out.write(line) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => line = line.get(count..).unwrap_or_default(),
            Err(error) if wait_after(&error) => {}
            Err(error) => return Err(error),
        }
    }
    loop {
        match out.flush() {
            Err(error) if wait_after(&error) => {}
            flushed => return flushed,
        }
    }
}

impl Queue {
    fn push(&mut self, line: Line) {
        // Beyond the limit the writer gives up as soon as it wakes.
        if self.state == State::Finished || self.answer_bytes > MAX_ANSWER_BYTES {
            return;
        }
        *self.bytes(line.class) += line.text.len();
        self.lines.push_back(line);
        while self.info_bytes > MAX_INFO_BYTES {
            let oldest = self.lines.iter().position(|line| line.class == Class::Info);
            if oldest.and_then(|oldest| self.pop(oldest)).is_none() {
                return;
            }
        }
    }

    fn pop(&mut self, index: usize) -> Option<Line> {
        let line = self.lines.remove(index)?;
        *self.bytes(line.class) -= line.text.len();
        Some(line)
    }

    const fn bytes(&mut self, class: Class) -> &mut usize {
        match class {
            Class::Info => &mut self.info_bytes,
            Class::Answer => &mut self.answer_bytes,
        }
    }

    fn finish(&mut self) {
        *self = Self { state: State::Finished, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Output {
        /// An output without a thread: its lines stay in the queue.
        pub(in crate::session) fn unwritten() -> Self {
            Self { shared: Arc::default() }
        }

        /// The lines of an output without a thread since the last call, without their line ends.
        pub(in crate::session) fn take_lines(&self) -> Vec<String> {
            let mut queue = self.shared.queue.lock();
            std::iter::from_fn(|| queue.pop(0)).map(|line| line.text.trim_end().to_owned()).collect()
        }
    }

    /// Takes up to three bytes at a time, and none at every second attempt.
    #[derive(Default)]
    struct Halting {
        taken: Vec<u8>,
        attempts: usize,
    }

    impl Halting {
        fn attempt(&mut self) -> io::Result<()> {
            self.attempts += 1;
            match self.attempts % 4 {
                1 => Err(ErrorKind::WouldBlock.into()),
                3 => Err(ErrorKind::Interrupted.into()),
                _ => Ok(()),
            }
        }
    }

    impl Write for Halting {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.attempt()?;
            let count = bytes.len().min(3);
            self.taken.extend(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.attempt()
        }
    }

    #[test]
    fn a_stream_that_is_not_ready_gets_whole_lines() {
        let mut out = Halting::default();
        for _ in 0..3 {
            write_line(&mut out, b"bestmove 7g7f\n").unwrap();
        }
        assert_eq!(out.taken, b"bestmove 7g7f\n".repeat(3));
        assert_eq!(write_line(&mut &mut [0_u8; 2][..], b"usiok\n").unwrap_err().kind(), ErrorKind::WriteZero);
    }
}

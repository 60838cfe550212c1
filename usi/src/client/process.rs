//! An engine's process: its pipes, and the limits it is held to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{Cancel, ClientError, family};
use crate::token::{ascii, printable};

/// The longest line that is read from an engine, in bytes. The rest of a longer one
/// is skipped.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Maximum number of unread lines of an engine. When there are
/// more, the oldest `info` line is dropped, or the newest line if there is none.
pub const MAX_WAITING_LINES: usize = 4096;

/// Length of the tail of an engine's stderr that is kept, in bytes.
const STDERR_TAIL_BYTES: usize = 512;

/// Interval between checks for the process's exit while waiting.
const LIFE_CHECK: Duration = Duration::from_millis(100);

/// Time limit for draining the pipe of an exited process.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A line of an engine, without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Arrival time.
    pub at: Instant,
    /// The line; bytes that are no UTF-8 are replaced.
    pub text: String,
}

impl Line {
    fn is_info(&self) -> bool {
        self.text.starts_with("info")
    }
}

/// Callback of a caller that does not wait for lines.
pub(super) type Waker = Box<dyn Fn() + Send>;

/// State shared by the reader threads and the owner.
#[derive(Default)]
struct Inbox {
    lines: VecDeque<Line>,
    /// Number of `info` lines among them.
    infos: usize,
    waker: Option<Waker>,
    lost: u32,
    closed: bool,
    stderr_tail: VecDeque<u8>,
    stderr_closed: bool,
}

impl Inbox {
    fn push(&mut self, line: Line) {
        if self.lines.len() >= MAX_WAITING_LINES {
            self.lost += 1;
            if self.infos == 0 {
                return;
            }
            let oldest = self.lines.iter().position(Line::is_info);
            self.infos -= usize::from(oldest.and_then(|oldest| self.lines.remove(oldest)).is_some());
        }
        self.infos += usize::from(line.is_info());
        self.lines.push_back(line);
    }

    fn pop(&mut self) -> Option<Line> {
        let line = self.lines.pop_front()?;
        self.infos -= usize::from(line.is_info());
        Some(line)
    }

    fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker();
        }
    }
}

type Shared = Arc<(Mutex<Inbox>, Condvar)>;

/// A process whose child processes end with it.
pub(super) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    shared: Shared,
    cancel: Cancel,
    ended: Option<ExitStatus>,
}

impl Process {
    pub(super) fn spawn(mut command: Command, cancel: Cancel) -> std::io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = family::spawn(&mut command)?;
        let shared = Shared::default();
        let stdin = child.stdin.take();
        if let Some(stdout) = child.stdout.take() {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("engine stdout".into()).spawn(move || read_lines(stdout, &shared))?;
        }
        if let Some(stderr) = child.stderr.take() {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("engine stderr".into()).spawn(move || read_tail(stderr, &shared))?;
        }
        Ok(Self { child, stdin, shared, cancel, ended: None })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line. An engine that reads nothing makes this wait once the pipe is
    /// full (64 KiB); no caller sends that much without an answer in between.
    pub(super) fn send(&mut self, line: &str) -> Result<(), ClientError> {
        let text = format!("{line}\n");
        let sent = match &mut self.stdin {
            Some(stdin) => stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|_| self.death())
    }

    /// The next line, or why there is none before `deadline`.
    pub(super) fn line(&mut self, expected: &'static str, deadline: Instant) -> Result<Line, ClientError> {
        let began = Instant::now();
        let mut last_words = None;
        loop {
            // First of all: an engine that always has something to say must not keep
            // the caller from noticing.
            if self.cancel.is_cancelled() {
                return Err(ClientError::Cancelled);
            }
            let wake = deadline.min(Instant::now() + LIFE_CHECK);
            {
                let (inbox, arrival) = &*self.shared;
                let mut inbox = inbox.lock();
                while inbox.lines.is_empty() && !inbox.closed && !arrival.wait_until(&mut inbox, wake).timed_out() {}
                // An engine that floods always has a line, at last one that came too late.
                if inbox.lines.front().is_some_and(|line| line.at > deadline) {
                    return Err(ClientError::Silent { expected, waited: deadline.saturating_duration_since(began) });
                }
                if let Some(line) = inbox.pop() {
                    return Ok(line);
                }
                if inbox.closed {
                    drop(inbox);
                    return Err(self.death());
                }
            }
            let now = Instant::now();
            // A process that is gone may have left its pipe to one that it started.
            if self.has_ended() && now > *last_words.get_or_insert(now + LAST_WORDS) {
                return Err(self.death());
            }
            if now >= deadline {
                return Err(ClientError::Silent { expected, waited: now.saturating_duration_since(began) });
            }
        }
    }

    /// Sets the callback for arrivals, and calls it if something has arrived.
    pub(super) fn set_waker(&self, waker: Waker) {
        let mut inbox = self.shared.0.lock();
        inbox.waker = Some(waker);
        inbox.wake();
    }

    /// The next line that has arrived, or the death of a process that has no more.
    pub(super) fn poll_line(&mut self) -> Result<Option<Line>, ClientError> {
        let (line, closed) = {
            let mut inbox = self.shared.0.lock();
            (inbox.pop(), inbox.closed)
        };
        if line.is_none() && closed { Err(self.death()) } else { Ok(line) }
    }

    /// A line that has already arrived.
    pub(super) fn waiting_line(&mut self) -> Option<Line> {
        self.shared.0.lock().pop()
    }

    /// Returns `true` if an unread line satisfies `wanted`.
    pub(super) fn any_waiting(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.shared.0.lock().lines.iter().any(|line| wanted(&line.text))
    }

    /// Number of lines lost since the last call.
    pub(super) fn take_lost(&mut self) -> u32 {
        std::mem::take(&mut self.shared.0.lock().lost)
    }

    /// Closes the input, waits up to `grace` for the process to end, ends it, and
    /// returns the unread lines.
    pub(super) fn end(&mut self, grace: Duration) -> Vec<Line> {
        self.stdin = None;
        let deadline = Instant::now() + grace;
        let (inbox, arrival) = &*self.shared;
        {
            let mut inbox = inbox.lock();
            while !inbox.closed && !arrival.wait_until(&mut inbox, deadline).timed_out() {}
        }
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        let mut inbox = self.shared.0.lock();
        std::iter::from_fn(|| inbox.pop()).collect()
    }

    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended.is_some()
    }

    /// Ends the process with those that it started, and takes its exit status.
    fn kill(&mut self) {
        family::kill(&mut self.child);
        if let Ok(status) = self.child.wait() {
            self.ended = Some(status);
        }
    }

    /// Exit status of the process, with the tail of its stderr. A process
    /// that closed its output without ending is ended.
    fn death(&mut self) -> ClientError {
        let deadline = Instant::now() + LAST_WORDS;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        let alive = self.ended.is_none();
        self.kill();
        let (inbox, arrival) = &*self.shared;
        let mut inbox = inbox.lock();
        while !inbox.stderr_closed && !arrival.wait_until(&mut inbox, deadline).timed_out() {}
        let tail: Vec<u8> = inbox.stderr_tail.iter().copied().collect();
        let tail = String::from_utf8_lossy(&tail).trim().replace(['\r', '\n'], " | ");
        let mut text = match self.ended {
            _ if alive => "closed its output and went on".to_owned(),
            Some(status) => format!("ended with {status}"),
            None => "ended".to_owned(),
        };
        if !tail.is_empty() {
            text = format!("{text}, stderr: {}", ascii(&tail));
        }
        ClientError::Died(text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin = None;
        self.kill();
    }
}

/// Reads lines until the pipe closes. A last line without a newline counts.
/// Lines of one read are handed over together: of two answers written at once, the
/// first is never seen alone.
fn read_lines(pipe: impl Read, shared: &Shared) {
    let mut pipe = BufReader::new(pipe);
    let mut line = PartOfLine::default();
    let (inbox, arrival) = &**shared;
    loop {
        let chunk = match pipe.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let at = Instant::now();
        let mut parts = chunk.split(|&byte| byte == b'\n');
        // Its line goes on in the next chunk.
        let last = parts.next_back().unwrap_or_default();
        {
            let mut inbox = inbox.lock();
            for part in parts {
                line.extend(part);
                line.deliver(at, &mut inbox);
            }
            // An engine that floods does not keep the owner from the lock.
            MutexGuard::unlock_fair(inbox);
        }
        line.extend(last);
        let used = chunk.len();
        pipe.consume(used);
        inbox.lock().wake();
        arrival.notify_all();
    }
    let mut inbox = inbox.lock();
    if !line.bytes.is_empty() {
        line.deliver(Instant::now(), &mut inbox);
    }
    inbox.closed = true;
    inbox.wake();
    drop(inbox);
    arrival.notify_all();
}

/// A line whose end has not been read yet.
#[derive(Default)]
struct PartOfLine {
    bytes: Vec<u8>,
    /// The line exceeds the limit and was cut.
    cut: bool,
}

impl PartOfLine {
    fn extend(&mut self, part: &[u8]) {
        let room = MAX_LINE_BYTES - self.bytes.len();
        self.cut |= part.len() > room;
        self.bytes.extend(part.iter().take(room));
    }

    /// Hands over a line that is complete (or cut, which counts as a loss), and begins
    /// the next one.
    fn deliver(&mut self, at: Instant, inbox: &mut Inbox) {
        let Self { bytes, cut } = std::mem::take(self);
        let text = String::from_utf8_lossy(&bytes);
        // Names and quoted words reach messages, records and logs.
        let text = printable(text.trim_end_matches('\r')).into_owned();
        if cut {
            inbox.lost += 1;
        }
        inbox.push(Line { at, text });
    }
}

/// Reads stderr so that the engine never waits for it, and keeps its end.
fn read_tail(mut pipe: impl Read, shared: &Shared) {
    let mut chunk = [0; 4096];
    let (inbox, arrival) = &**shared;
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                let mut inbox = inbox.lock();
                inbox.stderr_tail.extend(chunk.iter().take(length));
                let surplus = inbox.stderr_tail.len().saturating_sub(STDERR_TAIL_BYTES);
                inbox.stderr_tail.drain(..surplus);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    inbox.lock().stderr_closed = true;
    arrival.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes two lines at once, the given number of times.
    struct Pairs(u32);

    impl Read for Pairs {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some(left) = self.0.checked_sub(1) else { return Ok(0) };
            self.0 = left;
            b"one\ntwo\n".as_slice().read(buffer)
        }
    }

    #[test]
    fn lines_that_were_written_at_once_are_handed_over_at_once() {
        let shared = Shared::default();
        let reader = Arc::clone(&shared);
        let reader = thread::spawn(move || read_lines(Pairs(20_000), &reader));
        let mut closed = false;
        while !closed {
            let mut inbox = shared.0.lock();
            closed = inbox.closed;
            let lines: Vec<String> = std::iter::from_fn(|| inbox.pop()).map(|line| line.text).collect();
            drop(inbox);
            assert!(lines.chunks(2).all(|pair| pair == ["one", "two"]), "{lines:?}");
        }
        reader.join().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_flood_does_not_move_the_deadline() {
        for text in ["info depth 1", "nonsense"] {
            let mut command = Command::new("yes");
            command.arg(text);
            let mut process = Process::spawn(command, Cancel::default()).unwrap();
            let deadline = Instant::now() + Duration::from_millis(50);
            let limit = deadline + Duration::from_secs(20);
            let fault = loop {
                assert!(Instant::now() < limit, "`{text}` is read for ever");
                if let Err(fault) = process.line("bestmove", deadline) {
                    break fault;
                }
            };
            assert!(matches!(fault, ClientError::Silent { .. }), "{fault}");
        }
    }

    #[test]
    fn lines_are_put_together_from_their_pieces() {
        let long = format!("{}\nend", "x".repeat(MAX_LINE_BYTES + 1));
        let pieces = b"a\r\nb".chain(b"c\n\nd".as_slice()).chain(b"\n".as_slice()).chain(long.as_bytes());
        let shared = Shared::default();
        read_lines(pieces, &shared);
        let inbox = shared.0.lock();
        let lengths: Vec<usize> = inbox.lines.iter().map(|line| line.text.len()).collect();
        let texts: Vec<&str> =
            inbox.lines.iter().map(|line| line.text.as_str()).filter(|text| text.len() < 9).collect();
        assert_eq!((texts, inbox.lost, inbox.closed), (vec!["a", "bc", "", "d", "end"], 1, true));
        assert_eq!(lengths, [1, 2, 0, 1, MAX_LINE_BYTES, 3]);
    }
}

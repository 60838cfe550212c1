//! An engine's process: its pipes, and the limits it is held to.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use enbu_language::{Both, text};
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{Cancel, ClientError, family};
use crate::lines::Splitter;
use crate::token::{ascii, printable};

/// The longest line that is read from an engine, in bytes. Longer ones are lost.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Maximum number of unread lines of an engine. When there are
/// more, the oldest `info` line is dropped, or the newest line if there is none.
pub(super) const MAX_WAITING_LINES: usize = 4096;

/// Maximum size of the unread lines of an engine in bytes, which is held in the same way.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// Length of the tail of an engine's stderr that is kept, in bytes.
const STDERR_TAIL_BYTES: usize = 512;

/// Interval between checks for the process's exit.
const LIFE_CHECK: Duration = Duration::from_millis(100);

/// Time limit for draining the pipe of an exited process.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Time limit for the end of a killed process.
const KILL_LIMIT: Duration = Duration::from_millis(500);

/// A line of an engine, without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) at: Instant,
    /// The line; bytes that are no UTF-8 are replaced.
    pub(super) text: String,
}

impl Line {
    fn is_info(&self) -> bool {
        self.text.starts_with("info")
    }
}

/// Callback for arrivals, in place of a blocking read.
pub(super) type Waker = Box<dyn Fn() + Send>;

/// State shared by the threads of the pipes and the owner.
#[derive(Default)]
struct Inbox {
    lines: VecDeque<Line>,
    /// Their size.
    bytes: usize,
    /// Number of `info` lines among them.
    infos: usize,
    waker: Option<Waker>,
    lost: u32,
    closed: bool,
    /// Number of texts written to the process.
    written: u64,
    input_closed: bool,
    stderr_tail: VecDeque<u8>,
    stderr_closed: bool,
}

impl Inbox {
    /// Takes a line that arrived; one that was too long is lost.
    fn take(&mut self, line: Option<String>, at: Instant) -> Result<(), Infallible> {
        match line {
            // Names and quoted words reach messages, records and logs.
            Some(text) => self.push(Line { at, text: printable(text.trim_end_matches('\r')).into_owned() }),
            None => self.lost += 1,
        }
        Ok(())
    }

    fn push(&mut self, line: Line) {
        while self.lines.len() >= MAX_WAITING_LINES || self.bytes + line.text.len() > MAX_WAITING_BYTES {
            self.lost += 1;
            let oldest = if self.infos > 0 { self.lines.iter().position(Line::is_info) } else { None };
            let Some(dropped) = oldest.and_then(|oldest| self.lines.remove(oldest)) else { return };
            self.infos -= 1;
            self.bytes -= dropped.text.len();
        }
        self.infos += usize::from(line.is_info());
        self.bytes += line.text.len();
        self.lines.push_back(line);
    }

    fn pop(&mut self) -> Option<Line> {
        let line = self.lines.pop_front()?;
        self.infos -= usize::from(line.is_info());
        self.bytes -= line.text.len();
        Some(line)
    }

    fn wake(&self) {
        self.waker.iter().for_each(|waker| waker());
    }
}

type Shared = Arc<(Mutex<Inbox>, Condvar)>;

/// A process whose child processes end with it.
pub(super) struct Process {
    child: Child,
    /// To the thread that writes; dropping it closes the input.
    input: Option<Sender<String>>,
    /// Number of texts handed to that thread.
    sent: u64,
    shared: Shared,
    cancel: Cancel,
    ended: Option<ExitStatus>,
    /// Time at which no more lines of an ended process are expected.
    last_words: Option<Instant>,
}

impl Process {
    pub(super) fn spawn(mut command: Command, cancel: Cancel) -> std::io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = family::spawn(&mut command)?;
        let (input, texts) = unbounded();
        let shared = Shared::default();
        let (ended, last_words) = (None, None);
        // From here on dropping it ends the child.
        let mut process = Self { child, input: Some(input), sent: 0, shared, cancel, ended, last_words };
        if let Some(stdin) = process.child.stdin.take() {
            process.serve("engine stdin", move |shared| write_texts(stdin, &texts, shared))?;
        }
        if let Some(stdout) = process.child.stdout.take() {
            process.serve("engine stdout", |shared| read_lines(stdout, shared))?;
        }
        if let Some(stderr) = process.child.stderr.take() {
            process.serve("engine stderr", |shared| read_tail(stderr, shared))?;
        }
        Ok(process)
    }

    fn serve(&self, name: &str, serve: impl FnOnce(&Shared) + Send + 'static) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        thread::Builder::new().name(name.into()).spawn(move || serve(&shared)).map(drop)
    }

    /// Writes a text, and returns when the pipe has taken it. An engine that reads nothing
    /// fills it (64 KiB), and is silent after `limit`.
    pub(super) fn send(&mut self, text: String, limit: Duration) -> Result<(), ClientError> {
        let deadline = Instant::now() + limit;
        self.sent += 1;
        if self.input.as_ref().is_none_or(|input| input.send(text).is_err()) {
            return Err(self.death());
        }
        let (inbox, change) = &*self.shared;
        let mut inbox = inbox.lock();
        while inbox.written < self.sent && !inbox.input_closed {
            if self.cancel.is_cancelled() {
                return Err(ClientError::Cancelled);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(ClientError::Deaf(limit));
            }
            change.wait_until(&mut inbox, deadline.min(now + LIFE_CHECK));
        }
        let is_written = inbox.written >= self.sent;
        drop(inbox);
        if is_written { Ok(()) } else { Err(self.death()) }
    }

    /// The next line, or the reason why there is none within `limit` after `since`.
    pub(super) fn line(
        &mut self,
        expected: &'static str,
        since: Instant,
        limit: Duration,
    ) -> Result<Line, ClientError> {
        let deadline = since + limit;
        loop {
            // First of all: a flood of lines must not hide it.
            if self.cancel.is_cancelled() {
                return Err(ClientError::Cancelled);
            }
            let wake = deadline.min(Instant::now() + LIFE_CHECK);
            {
                let (inbox, arrival) = &*self.shared;
                let mut inbox = inbox.lock();
                arrival.wait_while_until(&mut inbox, |inbox| inbox.lines.is_empty() && !inbox.closed, wake);
                // An engine that floods always has a line, at last one after the deadline.
                if inbox.lines.front().is_some_and(|line| line.at > deadline) {
                    return Err(ClientError::Silent(expected, limit));
                }
                if let Some(line) = inbox.pop() {
                    return Ok(line);
                }
                if inbox.closed {
                    drop(inbox);
                    return Err(self.death());
                }
            }
            if self.is_past_last_words() {
                return Err(self.death());
            }
            if Instant::now() >= deadline {
                return Err(ClientError::Silent(expected, limit));
            }
        }
    }

    /// Returns true some time after the end of a process, which may have left its pipe to one
    /// that it started.
    fn is_past_last_words(&mut self) -> bool {
        let now = Instant::now();
        self.has_ended() && now > *self.last_words.get_or_insert(now + LAST_WORDS)
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
        if line.is_none() && (closed || self.is_past_last_words()) { Err(self.death()) } else { Ok(line) }
    }

    /// The lines that have already arrived.
    pub(super) fn waiting_lines(&mut self) -> VecDeque<Line> {
        let mut inbox = self.shared.0.lock();
        (inbox.infos, inbox.bytes) = (0, 0);
        std::mem::take(&mut inbox.lines)
    }

    /// Returns `true` if an unread line satisfies `wanted`.
    pub(super) fn any_waiting(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.shared.0.lock().lines.iter().any(|line| wanted(&line.text))
    }

    /// Number of lines lost since the last call.
    pub(super) fn take_lost(&mut self) -> u32 {
        std::mem::take(&mut self.shared.0.lock().lost)
    }

    /// Closes the input, kills the process if it has not ended after `grace`, and
    /// returns the unread lines.
    pub(super) fn end(&mut self, grace: Duration) -> VecDeque<Line> {
        self.input = None;
        let deadline = Instant::now() + grace;
        while !self.has_ended() && Instant::now() < deadline && !self.cancel.is_cancelled() {
            let (inbox, arrival) = &*self.shared;
            let mut inbox = inbox.lock();
            let pause = if inbox.closed { Duration::from_millis(1) } else { LIFE_CHECK };
            arrival.wait_until(&mut inbox, deadline.min(Instant::now() + pause));
        }
        if self.has_ended() {
            let (inbox, arrival) = &*self.shared;
            arrival.wait_while_for(&mut inbox.lock(), |inbox| !inbox.closed, LAST_WORDS);
        }
        self.kill();
        self.waiting_lines()
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
        // One that the system holds is left to it.
        self.wait_for_end(KILL_LIMIT);
    }

    /// Polls for the exit of the process, up to `limit`.
    fn wait_for_end(&mut self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Exit status of the process, with the tail of its stderr. A process
    /// that closed its output without ending is ended.
    fn death(&mut self) -> ClientError {
        let deadline = Instant::now() + LAST_WORDS;
        self.wait_for_end(LAST_WORDS);
        let alive = self.ended.is_none();
        self.kill();
        let (inbox, arrival) = &*self.shared;
        let mut inbox = inbox.lock();
        arrival.wait_while_until(&mut inbox, |inbox| !inbox.stderr_closed, deadline);
        let tail: Vec<u8> = inbox.stderr_tail.iter().copied().collect();
        let tail = String::from_utf8_lossy(&tail).trim().replace(['\r', '\n'], " | ");
        let ended = match self.ended {
            _ if alive && inbox.closed => {
                Both::of(text!("closed its output and went on", "出力を閉じたまま動き続けました"))
            }
            _ if alive => Both::of(text!("reads no more and went on", "入力を読まずに動き続けました")),
            Some(status) => {
                let code = status.code().map_or_else(|| status.to_string(), |code| format!("終了コード {code}"));
                Both { english: format!("ended with {status}"), japanese: format!("終了しました（{code}）") }
            }
            None => Both::of(text!("ended", "終了しました")),
        };
        let last_words = if tail.is_empty() { String::new() } else { format!(", stderr: {}", ascii(&tail)) };
        ClientError::Died(Both::of(text!("{ended}{last_words}", "{ended}{last_words}")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.kill();
    }
}

/// Writes texts until the owner has no more or the process reads no more.
fn write_texts(mut pipe: impl Write, texts: &Receiver<String>, shared: &Shared) {
    let (inbox, change) = &**shared;
    for text in texts {
        let written = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
        let mut inbox = inbox.lock();
        inbox.written += u64::from(written.is_ok());
        inbox.input_closed |= written.is_err();
        drop(inbox);
        change.notify_all();
        if written.is_err() {
            return;
        }
    }
}

/// Reads lines until the pipe closes. A last line without a newline counts.
/// Lines of one read are handed over together: of two answers written at once, the
/// first is never seen alone.
fn read_lines(mut pipe: impl Read, shared: &Shared) {
    let mut splitter = Splitter::new(MAX_LINE_BYTES);
    let mut buffer = vec![0; 8 << 10];
    let (inbox, arrival) = &**shared;
    loop {
        let bytes = match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let at = Instant::now();
        let mut inbox = inbox.lock();
        let Ok(()) = splitter.feed(bytes, &mut |line| inbox.take(line, at));
        inbox.wake();
        // An engine that floods does not keep the owner from the lock.
        MutexGuard::unlock_fair(inbox);
        arrival.notify_all();
    }
    let mut inbox = inbox.lock();
    let Ok(()) = splitter.end(&mut |line| inbox.take(line, Instant::now()));
    inbox.closed = true;
    inbox.wake();
    drop(inbox);
    arrival.notify_all();
}

/// Reads stderr, so that the engine never blocks on it, and keeps its end.
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
            let (since, limit) = (Instant::now(), Duration::from_millis(50));
            let fault = loop {
                assert!(since.elapsed() < Duration::from_secs(20), "`{text}` is read for ever");
                if let Err(fault) = process.line("bestmove", since, limit) {
                    break fault;
                }
            };
            assert_eq!(fault.to_string(), "no bestmove within 0.05 s");
        }
    }

    #[test]
    fn unread_lines_are_bounded_in_number_and_size() {
        let mut inbox = Inbox::default();
        let line = |text: String| Line { at: Instant::now(), text };
        inbox.push(line("readyok".to_owned()));
        for _ in 0..200 {
            inbox.push(line(format!("info {}", "x".repeat(MAX_LINE_BYTES - 5))));
        }
        assert!(inbox.bytes <= MAX_WAITING_BYTES && inbox.lines.len() + inbox.lost as usize == 201);
        inbox.push(line("y".repeat(MAX_LINE_BYTES)));
        assert_eq!(
            (inbox.pop().unwrap().text.as_str(), inbox.lines.back().unwrap().text.as_bytes()[0]),
            ("readyok", b'y')
        );
        while inbox.pop().is_some() {}
        assert_eq!((inbox.bytes, inbox.infos), (0, 0));
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_that_reads_nothing_is_silent_after_the_limit() {
        let mut command = Command::new("sleep");
        command.arg("60");
        let mut process = Process::spawn(command, Cancel::default()).unwrap();
        let limit = Duration::from_millis(100);
        let sent = (0..1000).try_for_each(|_| process.send(format!("{}\n", "x".repeat(1000)), limit));
        assert_eq!(sent.unwrap_err().to_string(), "no reading of its input within 0.1 s");
        process.cancel.cancel();
        assert_eq!(process.send("y".to_owned(), Duration::from_secs(600)), Err(ClientError::Cancelled));
    }

    #[cfg(unix)]
    #[test]
    fn the_end_of_an_engine_is_noticed_though_its_child_holds_the_pipe() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & exit 3"]);
        let mut process = Process::spawn(command, Cancel::default()).unwrap();
        let limit = Instant::now() + Duration::from_secs(20);
        let fault = loop {
            assert!(Instant::now() < limit, "the end is not noticed");
            if let Err(fault) = process.poll_line() {
                break fault;
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert!(fault.to_string().starts_with("ended with exit status: 3"), "{fault}");
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
        assert_eq!(lengths, [1, 2, 0, 1, 3]);
    }
}

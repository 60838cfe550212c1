//! Lines from the GUI, each with the moment it arrived.

use std::io::{self, ErrorKind, Read};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, SendError, Sender, bounded};

/// The longest line that is read, in bytes. A game of 10 000 moves takes 50 kB.
pub(super) const MAX_LINE_BYTES: usize = 16 << 20;

/// Number of lines read ahead of the session. It takes them at once, so this limits
/// memory and does not affect speed.
const LINES_AHEAD: usize = 8;

/// Interval between two attempts at a stream that is not ready. A parent that made its own
/// end of a shared stream non-blocking made this one so as well.
pub(super) const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// One line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A line without its line end.
    Line {
        /// The text; bytes that are not UTF-8 are replaced.
        text: String,
        /// Arrival time.
        at: Instant,
    },
    /// A line longer than [`MAX_LINE_BYTES`], which was skipped.
    TooLong,
}

/// Starts the thread that reads. The channel closes at the end of input.
///
/// # Errors
/// When no thread can be started.
pub(super) fn start<R: Read + Send + 'static>(stdin: R) -> io::Result<Receiver<Input>> {
    let (sender, receiver) = bounded(LINES_AHEAD);
    thread::Builder::new().name("usi-input".into()).spawn(move || read_all(stdin, &sender))?;
    Ok(receiver)
}

fn read_all(mut stdin: impl Read, lines: &Sender<Input>) {
    let mut splitter = Splitter::new(MAX_LINE_BYTES);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let bytes = match stdin.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(RETRY_INTERVAL);
                continue;
            }
            Err(_) => break,
        };
        if splitter.feed(bytes, Instant::now(), &mut |line| lines.send(line)).is_err() {
            return;
        }
    }
    // A last line without its end counts too; the session may be gone by now.
    let _ = splitter.end(Instant::now(), &mut |line| lines.send(line));
}

type Sent = Result<(), SendError<Input>>;

/// Cuts a stream of bytes into lines.
struct Splitter {
    limit: usize,
    line: Vec<u8>,
    /// The rest of the current line is skipped.
    skipping: bool,
}

impl Splitter {
    const fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), skipping: false }
    }

    fn feed(&mut self, mut bytes: &[u8], at: Instant, emit: &mut impl FnMut(Input) -> Sent) -> Sent {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (head, tail) = bytes.split_at(end);
            self.keep(head);
            self.emit(at, emit)?;
            bytes = tail.get(1..).unwrap_or_default();
        }
        self.keep(bytes);
        Ok(())
    }

    fn end(&mut self, at: Instant, emit: &mut impl FnMut(Input) -> Sent) -> Sent {
        if self.line.is_empty() && !self.skipping { Ok(()) } else { self.emit(at, emit) }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skipping || self.line.len() + bytes.len() > self.limit {
            self.skipping = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn emit(&mut self, at: Instant, emit: &mut impl FnMut(Input) -> Sent) -> Sent {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.skipping) {
            return emit(Input::TooLong);
        }
        let text =
            String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        emit(Input::Line { text, at })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// The texts of the lines; `None` for one that was too long.
    fn split(limit: usize, chunks: &[&[u8]]) -> Vec<Option<String>> {
        let mut splitter = Splitter::new(limit);
        let mut lines = Vec::new();
        let at = Instant::now();
        let mut emit = |input| {
            lines.push(match input {
                Input::Line { text, .. } => Some(text),
                Input::TooLong => None,
            });
            Ok(())
        };
        for chunk in chunks {
            splitter.feed(chunk, at, &mut emit).unwrap();
        }
        splitter.end(at, &mut emit).unwrap();
        lines
    }

    fn texts(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn lines_are_whole_however_the_bytes_come() {
        assert_eq!(split(100, &[b"usi\nisr", b"eady\r\n", b"\n", b"go"]), texts(&["usi", "isready\r", "", "go"]));
        assert_eq!(split(100, &[]), []);
        assert_eq!(split(100, &[b"usi\n"]), texts(&["usi"]));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(split(100, &[b"d\xff\x82\n"]), texts(&["d\u{fffd}\u{fffd}"]));
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        let mut expected = texts(&["12345"]);
        expected.push(None);
        expected.extend(texts(&["d"]));
        assert_eq!(split(5, &[b"12345\n123", b"456", b"789\nd\n"]), expected);
        assert_eq!(split(5, &[b"123456"]), [None]);
    }

    /// Bytes one by one, with an error that passes before each.
    struct Halting(VecDeque<u8>, bool);

    impl Read for Halting {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                let kinds = [ErrorKind::WouldBlock, ErrorKind::Interrupted];
                return Err(kinds[self.0.len() % 2].into());
            }
            Ok(self.0.pop_front().map_or(0, |byte| {
                buffer[0] = byte;
                1
            }))
        }
    }

    #[test]
    fn a_stream_that_is_not_ready_is_no_end_of_input() {
        let (sender, lines) = bounded(LINES_AHEAD);
        read_all(Halting(b"usi\nquit".iter().copied().collect(), false), &sender);
        drop(sender);
        let lines: Vec<Input> = lines.iter().collect();
        assert!(matches!(&lines[..], [Input::Line { text, .. }, Input::Line { .. }] if text == "usi"), "{lines:?}");
    }

    #[test]
    fn the_channel_closes_at_the_end_of_input() {
        let lines = start(&b"usi\nquit"[..]).unwrap();
        assert_eq!(lines.iter().count(), 2);
    }
}

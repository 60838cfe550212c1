//! Lines from the GUI, each with the moment it arrived.

use std::io::{self, ErrorKind, Read};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::lines::Splitter;

/// The longest line that is read, in bytes. A game of 10 000 moves takes 50 kB.
pub(super) const MAX_LINE_BYTES: usize = 16 << 20;

/// Number of lines read ahead of the session. It takes them at once, so this limits
/// memory and does not affect speed.
const LINES_AHEAD: usize = 8;

/// Interval between two attempts at a stream that is not ready. A parent that made its own
/// end of a shared stream non-blocking made this one so as well.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// Returns true after a transient error of a stream, once it is time for another attempt.
pub(super) fn wait_after(error: &io::Error) -> bool {
    if error.kind() == ErrorKind::WouldBlock {
        thread::sleep(RETRY_INTERVAL);
    }
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// A line without its line end, in which bytes that are not UTF-8 are replaced, or `None` for
/// one of more than [`MAX_LINE_BYTES`], which was skipped; and its arrival time.
pub(super) type Input = (Option<String>, Instant);

/// Starts the thread that reads. The channel closes at the end of input.
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
            Err(error) if wait_after(&error) => continue,
            Err(_) => break,
        };
        let at = Instant::now();
        if splitter.feed(bytes, &mut |line| lines.send((line, at))).is_err() {
            return;
        }
    }
    let at = Instant::now();
    // A last line without its end counts too; the session may have ended.
    let _ = splitter.end(&mut |line| lines.send((line, at)));
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

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
        assert!(matches!(&lines[..], [(Some(text), _), (Some(_), _)] if text == "usi"), "{lines:?}");
    }

    #[test]
    fn the_channel_closes_at_the_end_of_input() {
        let lines = start(&b"usi\nquit"[..]).unwrap();
        assert_eq!(lines.iter().count(), 2);
    }
}

//! The connection: a socket whose lines arrive in a channel, each with its time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use enbu_files::reason;
use enbu_language::{Both, pick, text};
use enbu_usi::Splitter;
use socket2::{SockRef, TcpKeepalive};

/// The longest line that is read, in bytes. The rest of a longer one is skipped.
pub(crate) const MAX_LINE_BYTES: usize = 64 * 1024;

/// Number of lines read ahead of the client; the rest stays in the socket.
const LINES_AHEAD: usize = 64;

/// Limit for one address to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Limit for a line to be taken by the system.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// A line without its line feed.
    Line {
        /// The text; bytes that are no UTF-8 are replaced.
        text: String,
        /// Arrival time of its last byte.
        at: Instant,
    },
    /// A line of more than [`MAX_LINE_BYTES`], which was skipped.
    TooLong,
    /// The end, with its reason and the number of bytes of a line that was cut off.
    Closed { reason: Both, cut_bytes: usize },
}

/// An open connection. Dropping it closes the socket.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// Time that the connection took to be made: one round trip.
    pub(crate) round_trip: Duration,
    pub(crate) incoming: Receiver<Incoming>,
}

impl Connection {
    /// Connects to the first address of `host` that accepts, in a thread of its own; the
    /// result arrives in the channel.
    pub(crate) fn open(host: &str, port: u16) -> Receiver<io::Result<Self>> {
        let (sender, receiver) = bounded(1);
        let host = host.to_owned();
        let opened = sender.clone();
        let spawned = thread::Builder::new().name("csa-connect".into()).spawn(move || {
            // A client that was interrupted does not take the connection.
            let _ = opened.send(connect(&host, port).and_then(|(stream, took)| Self::start(stream, took)));
        });
        if let Err(error) = spawned {
            let _ = sender.send(Err(error));
        }
        receiver
    }

    fn start(stream: TcpStream, round_trip: Duration) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(10)).with_interval(Duration::from_secs(10));
        // Without it a dead line is noticed later; that is no reason not to play.
        let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
        let reader = stream.try_clone()?;
        let (sender, incoming) = bounded(LINES_AHEAD);
        thread::Builder::new().name("csa-input".into()).spawn(move || read_all(reader, &sender))?;
        Ok(Self { stream, round_trip, incoming })
    }

    /// Sends a line, and returns the time after it was handed to the system.
    pub(crate) fn send(&mut self, line: &str) -> io::Result<Instant> {
        self.stream.write_all(format!("{line}\n").as_bytes())?;
        Ok(Instant::now())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Ends the reader as well; a closed connection is no error here.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn connect(host: &str, port: u16) -> io::Result<(TcpStream, Duration)> {
    let mut last =
        io::Error::new(ErrorKind::NotFound, pick("the name has no address", "ホスト名のアドレスがありません"));
    // The library names no kind of this error.
    let unknown = |error: io::Error| pick(error.to_string(), "ホスト名が見つかりません".to_owned());
    let addresses = (host, port).to_socket_addrs().map_err(|error| io::Error::new(error.kind(), unknown(error)))?;
    for address in addresses {
        let begun = Instant::now();
        match TcpStream::connect_timeout(&address, CONNECT_LIMIT) {
            Ok(stream) => return Ok((stream, begun.elapsed())),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn read_all(mut stream: impl Read, lines: &Sender<Incoming>) {
    let mut splitter = Splitter::new(MAX_LINE_BYTES);
    let mut buffer = vec![0; 16 << 10];
    let end = loop {
        let bytes = match stream.read(&mut buffer) {
            Ok(0) => break Both::of(text!("closed by the server", "サーバーが接続を閉じました")),
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => break Both::of(reason(&error)),
        };
        let at = Instant::now();
        let incoming = |text: Option<String>| text.map_or(Incoming::TooLong, |text| Incoming::Line { text, at });
        if splitter.feed(bytes, &mut |text| lines.send(incoming(text))).is_err() {
            return;
        }
    };
    // The client may have ended first.
    let _ = lines.send(Incoming::Closed { reason: end, cut_bytes: splitter.begun() });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Incoming> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        read_all(bytes, &sender);
        drop(sender);
        receiver.iter().collect()
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        let text = |incoming| match incoming {
            Incoming::Line { text, .. } => text,
            Incoming::TooLong => "TOO LONG".to_owned(),
            Incoming::Closed { cut_bytes, .. } => format!("CLOSED {cut_bytes}"),
        };
        read(bytes).into_iter().map(text).collect()
    }

    #[test]
    fn lines_of_any_bytes_are_cut() {
        assert_eq!(texts(b"LOGIN:a OK\r\n\n+77"), ["LOGIN:a OK\r", "", "CLOSED 3"]);
        assert_eq!(texts(b"Name+:\x90\xe6\x8e\xe8\n"), ["Name+:\u{fffd}\u{fffd}\u{fffd}", "CLOSED 0"]);
        let mut long = vec![b'x'; MAX_LINE_BYTES];
        long.extend_from_slice(b"\nx");
        assert_eq!(texts(&long).iter().map(String::len).collect::<Vec<_>>(), [MAX_LINE_BYTES, 8]);
        long.insert(0, b'y');
        assert_eq!(texts(&long), ["TOO LONG", "CLOSED 1"]);
    }
}

//! A running `enbu`, spoken to over its pipes.
//!
//! Every wait has a deadline. The deadlines are generous: an answer that the protocol wants
//! within 100 ms fails only after [`patience`], so that a busy machine fails no
//! test while an engine that hangs still does. Everything the engine prints is held
//! to the transport rules: whole lines, LF only, UTF-8, at most 8 KiB.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::binary;

/// The time limit for anything that an engine should do at once, on a machine with much else
/// to do: on a busy one processes stood still for 20 s.
pub const fn patience() -> Duration {
    Duration::from_secs(60)
}

/// The longest line an engine may print, in bytes.
pub const MAX_LINE_BYTES: usize = 8 * 1024;

/// Messages of the thread that reads the engine's output.
#[derive(Debug)]
enum Output {
    Line(String),
    Fault(String),
}

/// A running engine. Dropping it kills the process.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    lines: Receiver<Output>,
    sender: Option<Sender<Output>>,
    /// Bytes of stderr, read by `errors_reader`.
    errors: Arc<Mutex<Vec<u8>>>,
    errors_reader: Option<JoinHandle<()>>,
    transcript: Vec<String>,
    /// The last `info` line before an answer.
    last_info: String,
}

impl Session {
    /// Starts the engine without arguments and sends nothing.
    pub fn start() -> Self {
        Self::spawn(&mut Command::new(binary::enbu()))
    }

    /// Starts the engine with one thread and a small hash, as on any machine, and waits
    /// until it has answered `isready`.
    pub fn ready() -> Self {
        let mut session = Self::start();
        session.send("setoption name Threads value 1");
        session.send("setoption name USI_Hash value 16");
        session.send("isready");
        session.until("readyok");
        session
    }

    /// Starts `command` with pipes for its input and outputs.
    ///
    /// # Panics
    /// If the process cannot be started.
    pub fn spawn(command: &mut Command) -> Self {
        let mut session = Self::spawn_unread(command);
        session.read_output();
        session
    }

    /// Like [`spawn`](Self::spawn), but the output is not read before
    /// [`read_output`](Self::read_output).
    ///
    /// # Panics
    /// If the process cannot be started.
    pub fn spawn_unread(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let errors = Arc::default();
        let kept = Arc::clone(&errors);
        let errors_reader = child.stderr.take().map(|stderr| thread::spawn(move || read_errors(stderr, &kept)));
        let (sender, lines) = channel();
        let (transcript, last_info, sender) = (Vec::new(), String::new(), Some(sender));
        Self { child, stdin, stdout, lines, sender, errors, errors_reader, transcript, last_info }
    }

    /// Begins to read the engine's output.
    pub fn read_output(&mut self) {
        if let (Some(stdout), Some(sender)) = (self.stdout.take(), self.sender.take()) {
            thread::spawn(move || read_lines(stdout, &sender));
        }
    }

    /// Closes the read end of the engine's output; only before [`read_output`](Self::read_output).
    ///
    /// # Panics
    /// If the output is already being read.
    pub fn close_output(&mut self) {
        assert!(self.stdout.take().is_some(), "the output is already being read");
    }

    /// The process id, for signals.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line.
    ///
    /// # Panics
    /// If the engine no longer reads.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are, in one write.
    ///
    /// # Panics
    /// If the engine no longer reads.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let shown: String = String::from_utf8_lossy(bytes).chars().take(200).collect();
        self.transcript.push(format!("> {}", shown.trim_end()));
        let stdin = self.stdin.as_mut().expect("the input is still open");
        let sent = stdin.write_all(bytes).and_then(|()| stdin.flush());
        if let Err(error) = sent {
            self.fail(&format!("the engine does not read: {error}"));
        }
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.transcript.push("> (end of input)".to_owned());
        self.stdin = None;
    }

    /// The next line, or `None` when the engine closed its output or `deadline` passed.
    fn next_line(&mut self, deadline: Instant) -> Result<String, RecvTimeoutError> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))? {
            Output::Line(line) => {
                self.transcript.push(format!("< {line}"));
                self.check_last_word(&line);
                Ok(line)
            }
            Output::Fault(fault) => self.fail(&fault),
        }
    }

    /// Checks that the last `info` before a `bestmove` is the line of its move with all counters. Faults of
    /// the log are told whenever it finds them.
    fn check_last_word(&mut self, line: &str) {
        if line.starts_with("info ") && !line.starts_with("info string error: log: ") {
            line.clone_into(&mut self.last_info);
        }
        let Some(best) = line.strip_prefix("bestmove ").and_then(|answer| answer.split(' ').next()) else { return };
        let info = std::mem::take(&mut self.last_info);
        let first = info.split_once(" pv ").and_then(|(_, pv)| pv.split(' ').next());
        let is_complete = ["nodes", "nps", "hashfull", "time"].iter().all(|word| info.contains(&format!(" {word} ")));
        // What is resigned may have moves.
        if !is_complete || first.is_none() || best != "resign" && first != Some(best) {
            self.fail(&format!("`{info}` is no last line before `{line}`"));
        }
    }

    /// All lines up to and including the first whose leading words are `words`.
    ///
    /// # Panics
    /// If no such line comes within [`patience`] or the engine ends before.
    pub fn until(&mut self, words: &str) -> Vec<String> {
        let deadline = Instant::now() + patience();
        let mut seen = Vec::new();
        loop {
            match self.next_line(deadline) {
                Ok(line) => {
                    let found = begins_with_words(&line, words);
                    seen.push(line);
                    if found {
                        return seen;
                    }
                }
                Err(error) => self.fail(&format!("no `{words}`: {error}")),
            }
        }
    }

    /// The remaining lines, until the engine closes its output.
    ///
    /// # Panics
    /// If it does not within [`patience`].
    pub fn rest(&mut self) -> Vec<String> {
        let deadline = Instant::now() + patience();
        let mut seen = Vec::new();
        loop {
            match self.next_line(deadline) {
                Ok(line) => seen.push(line),
                Err(RecvTimeoutError::Disconnected) => return seen,
                Err(RecvTimeoutError::Timeout) => self.fail("the output stays open"),
            }
        }
    }

    /// The first line whose leading words are `words`, skipping the lines before it.
    ///
    /// # Panics
    /// Like [`until`](Self::until).
    pub fn expect(&mut self, words: &str) -> String {
        self.until(words).pop().unwrap_or_default()
    }

    /// Everything printed within `time`, of which no line may begin with `forbidden`.
    ///
    /// # Panics
    /// If one does, or the engine ends.
    pub fn silent_on(&mut self, forbidden: &str, time: Duration) -> Vec<String> {
        let deadline = Instant::now() + time;
        let mut seen = Vec::new();
        loop {
            match self.next_line(deadline) {
                Ok(line) if begins_with_words(&line, forbidden) => self.fail(&format!("`{line}` came too early")),
                Ok(line) => seen.push(line),
                Err(RecvTimeoutError::Timeout) => return seen,
                Err(RecvTimeoutError::Disconnected) => self.fail("the engine closed its output"),
            }
        }
    }

    /// The engine's reply to `command`: its lines up to the answer to an `isready` sent after it.
    ///
    /// The line by which the first `isready` names the evaluation in use is no answer to
    /// the command and is left out, as is the sign of life of a preparation on a busy machine.
    ///
    /// # Panics
    /// If that answer does not come.
    pub fn reply(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines.retain(|line| !line.starts_with("info string evaluation ") && line != "info string still working");
        lines
    }

    /// Sends a command that must be refused: one `info string error: ...` and nothing
    /// else. Returns the text after the colon.
    ///
    /// # Panics
    /// If the engine says anything else.
    pub fn refuses(&mut self, command: &str) -> String {
        let lines = self.reply(command);
        match lines.as_slice() {
            [line] if line.starts_with("info string error: ") => line["info string error: ".len()..].to_owned(),
            _ => self.fail(&format!("not one error line: {lines:?}")),
        }
    }

    /// Sends a command that must be accepted without a word.
    ///
    /// # Panics
    /// If the engine says anything.
    pub fn accepts(&mut self, command: &str) {
        let lines = self.reply(command);
        if !lines.is_empty() {
            self.fail(&format!("expected no answer: {lines:?}"));
        }
    }

    /// The value after `key` in the answer to `d`.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn shows(&mut self, key: &str) -> String {
        let lines = self.reply("d");
        let value = lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        match value {
            Some(value) => value.to_owned(),
            None => self.fail(&format!("`d` shows no `{key}`")),
        }
    }

    /// The moves in the answer to `moves`.
    ///
    /// # Panics
    /// If the answer is not one line.
    pub fn moves(&mut self) -> Vec<String> {
        let lines = self.reply("moves");
        match lines.as_slice() {
            [line] => line.split_whitespace().map(str::to_owned).collect(),
            _ => self.fail(&format!("`moves` does not print one line: {lines:?}")),
        }
    }

    /// The move of the next `bestmove` line.
    ///
    /// # Panics
    /// If none comes or it has no move.
    pub fn bestmove(&mut self) -> String {
        let line = self.expect("bestmove");
        match line.split(' ').nth(1) {
            Some(mv) => mv.to_owned(),
            None => self.fail("`bestmove` without a move"),
        }
    }

    /// Waits until `text` has come on stderr.
    ///
    /// # Panics
    /// If it does not come in time.
    pub fn expect_error(&self, text: &str) {
        let deadline = Instant::now() + patience();
        while !self.errors().contains(text) {
            if Instant::now() > deadline {
                self.fail(&format!("no `{text}` on stderr: {}", self.errors()));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn errors(&self) -> String {
        String::from_utf8_lossy(&self.errors.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Waits for the process to end; returns its status and its stderr.
    ///
    /// # Panics
    /// If it still runs after [`patience`].
    pub fn exit(&mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + patience();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    let _ = self.errors_reader.take().map(JoinHandle::join);
                    return (status, self.errors());
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                Ok(None) => self.fail("the engine does not end"),
                Err(error) => self.fail(&error.to_string()),
            }
        }
    }

    /// Waits for the process to end with exit code 0 and nothing on stderr.
    ///
    /// # Panics
    /// If it does not.
    pub fn exits_cleanly(&mut self) {
        let (status, errors) = self.exit();
        if !status.success() || !errors.is_empty() {
            self.fail(&format!("ended with {status}, stderr: {errors}"));
        }
    }

    /// Fails the test with the conversation so far.
    ///
    /// # Panics
    /// Always.
    pub fn fail(&self, message: &str) -> ! {
        let from = self.transcript.len().saturating_sub(60);
        panic!("{message}\nThe conversation, at most its last 60 lines:\n{}", self.transcript[from..].join("\n"));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Errors mean that the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns true if a process runs. Known only on Linux; elsewhere the engines end themselves
/// when their pipes close, and nothing more is claimed.
pub fn is_running(pid: &str) -> bool {
    let deadline = Instant::now() + patience();
    let state = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(") ").next()?.chars().next()
    };
    // A process that was killed may wait for its parent to look.
    while state().is_some_and(|letter| letter != 'Z') {
        if Instant::now() > deadline {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

fn begins_with_words(line: &str, words: &str) -> bool {
    line.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn read_errors(stderr: ChildStderr, errors: &Mutex<Vec<u8>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    // The text before a read error is still worth showing.
    while let Ok(1..) = reader.read_until(b'\n', &mut line) {
        errors.lock().unwrap_or_else(PoisonError::into_inner).append(&mut line);
    }
}

fn read_lines(stdout: ChildStdout, sender: &Sender<Output>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let output = match reader.read_until(b'\n', &mut bytes) {
            Ok(0) => return,
            Ok(_) => line(bytes),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Output::Fault(format!("reading the output: {error}")),
        };
        let failed = matches!(output, Output::Fault(_));
        if sender.send(output).is_err() || failed {
            return;
        }
    }
}

/// Holds one line of output to the rules.
fn line(mut bytes: Vec<u8>) -> Output {
    if bytes.pop() != Some(b'\n') {
        return Output::Fault("the last line has no line end".to_owned());
    }
    if bytes.len() > MAX_LINE_BYTES {
        return Output::Fault(format!("a line of {} bytes", bytes.len()));
    }
    if bytes.contains(&b'\r') {
        return Output::Fault("a carriage return in the output".to_owned());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Output::Line(text),
        Err(error) => Output::Fault(format!("not UTF-8: {error}")),
    }
}

//! A running engine: its conversation, with a deadline for every answer.

use std::io;
use std::process::Command as ProcessCommand;
use std::time::{Duration, Instant};

use enbu_files::reason;
use enbu_language::Both;
use enbu_movegen::Move;

use super::heard::{Heard, ReplyError, parse_reply};
use super::process::{Line, MAX_WAITING_LINES, Process};
use super::{Cancel, ClientError, Launch};
use crate::command::Command;
use crate::option::OptionSpec;
use crate::reply::{BestMove, Bound, Info, Reply, Score};

/// Identity and options of an engine, from its answer to `usi`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineIdentity {
    /// From `id name`; empty if absent.
    pub name: String,
    /// The options it declared.
    pub options: Vec<OptionSpec>,
}

impl EngineIdentity {
    /// The declared option of this name, ignoring case.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.is_named(name))
    }
}

/// Counts of the unexpected lines of an engine since the last [`Driver::take_noise`], and its error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// `bestmove` lines that answered nothing.
    pub stray_answers: u32,
    /// Other lines after an answer and before the next question.
    pub late_lines: u32,
    /// Lines that are no reply of the protocol, or not whole.
    pub unknown_lines: u32,
    /// Lines lost because they were too long or too many.
    pub lost_lines: u32,
    /// The first `info string` that begins with "error", in any case, up to 400 characters.
    pub error: Option<String>,
}

/// Last report of a search before its answer: the best line, without bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastReport {
    /// Score of the best line.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// The best line.
    pub pv: Vec<Move>,
    /// The first word of the best line that is not a move (nor one of the pseudo
    /// moves, such as `rep_draw`, which engines end their lines with).
    pub pv_fault: Option<String>,
}

/// The answer to a `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best move; the offending text if the answer is malformed.
    pub best: Result<BestMove, String>,
    /// The expected reply if it is not a move.
    pub ponder_fault: Option<String>,
    /// Arrival time of the line.
    pub at: Instant,
    /// The last report before it.
    pub report: LastReport,
}

/// Listens to a conversation, for a log.
pub trait Wiretap: Send {
    /// A line was sent to the engine.
    fn sent(&mut self, line: &str);
    /// A line of the engine was received.
    fn heard(&mut self, line: &str);
}

/// Maximum size of the options of an engine in bytes, as it declares them; others are lost.
const MAX_IDENTITY_BYTES: usize = 1 << 20;

/// Longest name of an engine, in characters.
const MAX_NAME: usize = 100;

/// Longest error of an engine, in characters.
const MAX_ERROR: usize = 400;

/// Longest list of options in a message, in characters.
const MAX_KNOWN: usize = 2000;

/// A running engine. Every method that speaks to it fails with a [`ClientError`] when the engine
/// dies, no longer reads, does not answer in time or on [`Cancel`].
pub struct Driver {
    process: Process,
    /// Time limit for the reading of a line by the engine; at first that of its start.
    pub write_limit: Duration,
    /// Identity and options of the engine.
    pub identity: EngineIdentity,
    noise: Noise,
    wiretap: Option<Box<dyn Wiretap>>,
}

impl Driver {
    /// Starts the engine, reads its answer to `usi` and sets the options.
    pub fn start(
        launch: &Launch,
        limit: Duration,
        cancel: &Cancel,
        wiretap: Option<Box<dyn Wiretap>>,
    ) -> Result<Self, ClientError> {
        let (program, arguments) = launch.command.split_first().map_or(("", &[][..]), |(one, rest)| (one, rest));
        let mut command = ProcessCommand::new(program);
        command.args(arguments);
        launch.dir.iter().for_each(|dir| _ = command.current_dir(dir));
        let failed = |error: io::Error| ClientError::Start(program.to_owned(), Both::of(reason(&error)));
        let process = Process::spawn(command, cancel.clone()).map_err(failed)?;
        let (identity, noise) = (EngineIdentity::default(), Noise::default());
        let mut driver = Self { process, write_limit: limit, identity, noise, wiretap };
        driver.identify(limit)?;
        launch.options.iter().try_for_each(|(name, value)| driver.set_option(name, value.as_deref()))?;
        Ok(driver)
    }

    fn identify(&mut self, limit: Duration) -> Result<(), ClientError> {
        self.send(&Command::Usi)?;
        let mut room = MAX_IDENTITY_BYTES;
        let cut = |name: String| name.chars().take(MAX_NAME).collect();
        self.until("usiok", limit, |driver, reply, bytes| {
            match reply {
                Reply::UsiOk => return true,
                Reply::IdName(name) => driver.identity.name = cut(name),
                Reply::Option(option) if bytes <= room => {
                    room -= bytes;
                    driver.identity.options.push(option);
                }
                Reply::Option(_) => driver.noise.lost_lines += 1,
                _ => {}
            }
            false
        })
    }

    /// Sets an option, checked against the declared ones and in their spelling. Every engine
    /// takes `USI_Hash` and `USI_Ponder`.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        let name = match self.identity.option(name) {
            Some(option) => option.parse(value).map(|_| option.name.clone())?,
            None if ["USI_Hash", "USI_Ponder"].contains(&name) => name.to_owned(),
            None => {
                let known: Vec<&str> = self.identity.options.iter().map(|option| option.name.as_str()).collect();
                let known = known.join(", ").chars().take(MAX_KNOWN).collect();
                return Err(ClientError::UnknownOption(name.to_owned(), known));
            }
        };
        self.send(&Command::SetOption { name, value: value.map(str::to_owned) })
    }

    /// Sends a command.
    pub fn send(&mut self, command: &Command) -> Result<(), ClientError> {
        self.send_text(format!("{command}\n"))
    }

    /// Sends lines with their line ends, at once.
    fn send_text(&mut self, text: String) -> Result<(), ClientError> {
        self.wiretap.iter_mut().for_each(|tap| text.lines().for_each(|line| tap.sent(line)));
        self.process.send(text, self.write_limit)
    }

    /// Makes the engine ready for a new game: `isready`, `readyok`, `usinewgame`.
    /// Lines before `isready` count as [`Noise`], of those between `isready` and `readyok`
    /// only the answers.
    pub fn new_game(&mut self, limit: Duration) -> Result<(), ClientError> {
        self.count_waiting();
        self.send(&Command::IsReady)?;
        self.until("readyok", limit, |driver, reply, _| {
            driver.noise.stray_answers += u32::from(matches!(reply, Reply::BestMove(_)));
            reply == Reply::ReadyOk
        })?;
        self.send(&Command::UsiNewGame)
    }

    /// Sends a position and a `go`, both as whole lines, and returns when the clock began to run.
    /// Lines of the engine since its last answer count as [`Noise`].
    pub fn go(&mut self, position: &str, go: &str) -> Result<Instant, ClientError> {
        self.count_waiting();
        self.send_text(format!("{position}\n{go}\n"))?;
        Ok(Instant::now())
    }

    /// Returns `true` if an answer has arrived, without reading it.
    pub fn has_answered(&self) -> bool {
        self.process.any_waiting(|line| line.starts_with("bestmove"))
    }

    /// Waits for the answer to the last `go`, up to `limit` after `since`; `watch` sees the report after each line.
    pub fn answer(
        &mut self,
        since: Instant,
        limit: Duration,
        mut watch: impl FnMut(&LastReport),
    ) -> Result<Answer, ClientError> {
        let mut report = LastReport::default();
        loop {
            let line = self.line("bestmove", since, limit)?;
            if let Some(answer) = self.take(line, &mut report) {
                return Ok(answer);
            }
            watch(&report);
        }
    }

    /// The next reply to the last `go`, up to `limit` after `since`, and its arrival.
    pub fn reply(
        &mut self,
        expected: &'static str,
        since: Instant,
        limit: Duration,
    ) -> Result<(Heard, Instant), ClientError> {
        let line = self.line(expected, since, limit)?;
        Ok((parse_reply(&line.text), line.at))
    }

    /// Takes the lines that have arrived: reports update `report`, and
    /// the answer to the last `go` is returned with it. For callers with other events;
    /// see [`set_waker`](Self::set_waker). Fails when the engine has ended and all its lines are taken.
    pub fn poll_answer(&mut self, report: &mut LastReport) -> Result<Option<Answer>, ClientError> {
        // An engine that floods always has more.
        for _ in 0..MAX_WAITING_LINES {
            let Some(line) = self.process.poll_line()? else { break };
            self.hear(&line.text);
            if let Some(answer) = self.take(line, report) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// Calls `wake` from another thread whenever lines have arrived or the engine has
    /// closed its output.
    pub fn set_waker(&mut self, wake: impl Fn() + Send + 'static) {
        self.process.set_waker(Box::new(wake));
    }

    /// Logs a line and notes an error, as of an evaluation file that cannot be read.
    fn hear(&mut self, line: &str) {
        self.wiretap.iter_mut().for_each(|tap| tap.heard(line));
        if let Some(text) = line.strip_prefix("info string ").filter(|text| is_error(text)) {
            self.noise.error.get_or_insert_with(|| text.chars().take(MAX_ERROR).collect());
        }
    }

    /// Takes a line during a search, and returns the answer if it is one.
    fn take(&mut self, line: Line, report: &mut LastReport) -> Option<Answer> {
        let Heard { reply, problem } = parse_reply(&line.text);
        let (best, ponder_fault) = match (reply, problem) {
            (Some(Reply::Info(info)), problem) => {
                report.update(info, problem);
                return None;
            }
            (Some(Reply::BestMove(best)), problem) => (Ok(best), problem.map(ReplyError::into_text)),
            (_, Some(ReplyError::BestMove(text))) => (Err(text), None),
            (_, problem) => {
                self.noise.unknown_lines += u32::from(problem.is_some());
                return None;
            }
        };
        Some(Answer { best, ponder_fault, at: line.at, report: std::mem::take(report) })
    }

    /// Returns the noise counted since the last call and resets it.
    pub fn take_noise(&mut self) -> Noise {
        self.noise.lost_lines += self.process.take_lost();
        std::mem::take(&mut self.noise)
    }

    /// Fails if the engine has reported an error since the last call, as of a file that it cannot
    /// read: its answers would be those of another engine.
    pub fn reported(&mut self) -> Result<(), ClientError> {
        self.noise.error.take().map_or(Ok(()), |error| Err(ClientError::Reported(error)))
    }

    /// Sends `quit`, and kills the remaining processes of the engine's process group after
    /// `grace`. Returns the noise: lines after `quit` count
    /// as late.
    pub fn quit(&mut self, grace: Duration) -> Noise {
        self.count_waiting();
        self.write_limit = self.write_limit.min(grace);
        // One that reads no more is ended all the same.
        let _ = self.send(&Command::Quit);
        for line in self.process.end(grace) {
            self.count_late(&line);
        }
        self.take_noise()
    }

    /// Counts the unread lines as noise.
    fn count_waiting(&mut self) {
        for line in self.process.waiting_lines() {
            self.count_late(&line);
        }
    }

    fn count_late(&mut self, line: &Line) {
        self.hear(&line.text);
        let heard = parse_reply(&line.text);
        match (heard.reply, heard.problem) {
            (Some(Reply::BestMove(_)), _) | (_, Some(ReplyError::BestMove(_))) => self.noise.stray_answers += 1,
            (None, None) => {}
            _ => self.noise.late_lines += 1,
        }
    }

    /// Reads replies until `is_last`, which also gets the size of the line, returns true.
    fn until(
        &mut self,
        expected: &'static str,
        limit: Duration,
        mut is_last: impl FnMut(&mut Self, Reply, usize) -> bool,
    ) -> Result<(), ClientError> {
        let since = Instant::now();
        loop {
            let line = self.line(expected, since, limit)?;
            let heard = parse_reply(&line.text);
            if let Some(reply) = heard.reply
                && is_last(self, reply, line.text.len())
            {
                return Ok(());
            }
        }
    }

    fn line(&mut self, expected: &'static str, since: Instant, limit: Duration) -> Result<Line, ClientError> {
        let line = self.process.line(expected, since, limit)?;
        self.hear(&line.text);
        Ok(line)
    }
}

/// Returns true for a text that begins with "error", in any case.
fn is_error(text: &str) -> bool {
    text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("error"))
}

impl LastReport {
    /// Takes over the report `info` on the best line; other lines and bounds do
    /// not change it. `problem` is the fault of its line of play.
    pub fn update(&mut self, info: Info, problem: Option<ReplyError>) {
        if info.multipv.unwrap_or(1) != 1 {
            return;
        }
        self.depth = info.depth.or(self.depth);
        self.nodes = info.nodes.or(self.nodes);
        if info.bound == Bound::Exact {
            self.score = info.score.or(self.score);
        }
        let fault = problem.map(ReplyError::into_text);
        if !info.pv.is_empty() || fault.is_some() {
            self.pv = info.pv;
            self.pv_fault = fault;
        }
    }
}

#[cfg(test)]
mod tests;

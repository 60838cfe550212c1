//! An engine that takes part in games: its description, its process, its name.

use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use enbu_usi::client::{Cancel, Client, ClientError, EngineIdentity, Noise, Wiretap};
use enbu_usi::{OptionKind, OptionSpec};
use parking_lot::Mutex;

use crate::engine_spec::{EngineSpec, Ponder};
use crate::record::{Fault, Faults};

/// Time limits of engines for everything but moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the start to `usiok`.
    pub start: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// Silence past the time for a move after which an engine has hung.
    pub hang: Duration,
    /// From `quit` to the end of the process.
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let [start, ready, hang, quit] = [10, 60, 30, 2].map(Duration::from_secs);
        Self { start, ready, hang, quit }
    }
}

/// Reasons why an engine cannot take part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// It does not start, or does not get ready the first time.
    #[error("{name}: {error}")]
    Client {
        /// The engine.
        name: String,
        /// The reason.
        error: ClientError,
    },
    /// Its process cannot be started.
    #[error("{name}: `{program}` {error}")]
    Start {
        /// The engine.
        name: String,
        /// The program that was tried.
        program: String,
        /// The reason.
        error: ClientError,
    },
    /// An option that it does not have.
    #[error("{name} has no option named `{option}`; it has {known}")]
    UnknownOption {
        /// The engine.
        name: String,
        /// The option.
        option: String,
        /// The options it has, between commas.
        known: String,
    },
    /// A value that an option does not take.
    #[error("{name}: {error}")]
    OptionValue {
        /// The engine.
        name: String,
        /// The fault.
        error: enbu_usi::OptionError,
    },
}

/// A log of all lines to and from engines, with time and name.
#[derive(Clone)]
pub struct TrafficLog {
    file: Arc<Mutex<File>>,
    began: Instant,
}

impl TrafficLog {
    /// A log into an open file.
    pub fn new(file: File) -> Self {
        Self { file: Arc::new(Mutex::new(file)), began: Instant::now() }
    }

    fn tap(&self, name: &str) -> Box<dyn Wiretap> {
        Box::new(NamedTap { log: self.clone(), name: name.to_owned(), room: MAX_LOG_BYTES, left_out: 0 })
    }
}

/// Size of the lines of an engine in one game that a [`TrafficLog`] holds, in bytes.
pub const MAX_LOG_BYTES: usize = 16 << 20;

struct NamedTap {
    log: TrafficLog,
    name: String,
    /// Bytes that the engine may still fill in this game, and its lines beyond.
    room: usize,
    left_out: u64,
}

impl NamedTap {
    fn write(&self, direction: char, line: &str) {
        let at = self.log.began.elapsed().as_secs_f64();
        let text = format!("{at:.4} {} {direction} {line}\n", self.name);
        // A log that cannot be written must not cost a game.
        let _ = self.log.file.lock().write_all(text.as_bytes());
    }

    /// Begins the next game.
    fn refill(&mut self) {
        if self.left_out > 0 {
            let size = MAX_LOG_BYTES >> 20;
            self.write('<', &format!("... {} more lines of this game after {size} MiB are left out", self.left_out));
        }
        (self.room, self.left_out) = (MAX_LOG_BYTES, 0);
    }
}

impl Wiretap for NamedTap {
    fn sent(&mut self, line: &str) {
        if line == "isready" {
            self.refill();
        }
        self.write('>', line);
    }

    fn heard(&mut self, line: &str) {
        self.room = self.room.saturating_sub(line.len() + 1);
        if self.room == 0 {
            self.left_out += 1;
        } else {
            self.write('<', line);
        }
    }
}

impl Drop for NamedTap {
    fn drop(&mut self) {
        self.refill();
    }
}

/// Longest list of options in a message, in characters.
const MAX_KNOWN: usize = 2000;

/// An engine in a match. Its process is started when it is needed.
pub(crate) struct Player<'m> {
    pub(crate) name: &'m str,
    pub(crate) spec: &'m EngineSpec,
    pub(crate) patience: Patience,
    pub(crate) cancel: &'m Cancel,
    pub(crate) log: Option<&'m TrafficLog>,
    client: Option<Client>,
}

impl<'m> Player<'m> {
    pub(crate) const fn new(
        name: &'m str,
        spec: &'m EngineSpec,
        patience: Patience,
        cancel: &'m Cancel,
        log: Option<&'m TrafficLog>,
    ) -> Self {
        Self { name, spec, patience, cancel, log, client: None }
    }

    /// The running engine; started and given its options if it does not run.
    pub(crate) fn client(&mut self) -> Result<&mut Client, PlayerError> {
        let client = match self.client.take() {
            Some(client) => client,
            None => self.start()?,
        };
        Ok(self.client.insert(client))
    }

    /// The running engine, if it runs.
    pub(crate) const fn running(&mut self) -> Option<&mut Client> {
        self.client.as_mut()
    }

    /// The identity of the engine; starts it if necessary.
    pub(crate) fn identity(&mut self) -> Result<EngineIdentity, PlayerError> {
        Ok(self.client()?.identity().clone())
    }

    fn start(&self) -> Result<Client, PlayerError> {
        let failed = |error| PlayerError::Client { name: self.name.to_owned(), error };
        let [program, arguments @ ..] = self.spec.command.as_slice() else {
            return Err(failed(ClientError::Start("no command".to_owned())));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(dir) = &self.spec.dir {
            command.current_dir(dir);
        }
        let tap = self.log.map(|log| log.tap(self.name));
        let client = Client::start(command, self.patience.start, self.cancel, tap);
        let mut client = client.map_err(|error| match error {
            ClientError::Start(_) => PlayerError::Start { name: self.name.to_owned(), program: program.clone(), error },
            error => failed(error),
        })?;
        for (name, value) in self.options(client.identity())? {
            client.send(&enbu_usi::Command::SetOption { name, value }).map_err(failed)?;
        }
        client.limit_writing(self.patience.hang);
        Ok(client)
    }

    /// The options to set, checked against those that the engine has.
    fn options(&self, identity: &EngineIdentity) -> Result<Vec<(String, Option<String>)>, PlayerError> {
        let find = |name: &str| identity.options.iter().find(|option| option.is_named(name));
        let mut options = self.spec.options.clone();
        for (name, value) in &options {
            match find(name) {
                Some(option) => {
                    option
                        .parse(value.as_deref())
                        .map_err(|error| PlayerError::OptionValue { name: self.name.to_owned(), error })?;
                }
                // Engines accept these even undeclared.
                None if ["USI_Hash", "USI_Ponder"].contains(&name.as_str()) => {}
                None => {
                    let known: Vec<&str> = identity.options.iter().map(|option| option.name.as_str()).collect();
                    return Err(PlayerError::UnknownOption {
                        name: self.name.to_owned(),
                        option: name.clone(),
                        known: known.join(", ").chars().take(MAX_KNOWN).collect(),
                    });
                }
            }
        }
        let given = options.iter().any(|(name, _)| name.eq_ignore_ascii_case("USI_Ponder"));
        if !given && find("USI_Ponder").is_some() {
            let ponders = self.spec.ponder == Ponder::On;
            options.push(("USI_Ponder".to_owned(), Some(ponders.to_string())));
        }
        options.extend(resources(&self.spec.options, &identity.options));
        Ok(options)
    }

    /// Ends the process at once.
    pub(crate) fn kill(&mut self) {
        self.client = None;
    }

    /// Ends the process by `quit`; any further output is a fault.
    pub(crate) fn quit(&mut self) -> Faults {
        let noise = self.client.take().map(|mut client| client.quit(self.patience.quit));
        noise.map(faults).unwrap_or_default()
    }
}

/// Threads and MB of hash of an engine for which nothing else is asked. The defaults of
/// engines depend on the machine, and games run side by side.
const RESOURCES: [(&str, i64); 2] = [("Threads", 1), ("USI_Hash", 256)];

/// The [`RESOURCES`] that an engine declares and that are not `given`, within its range.
fn resources(given: &[(String, Option<String>)], declared: &[OptionSpec]) -> Vec<(String, Option<String>)> {
    let is_given = |name: &str| given.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let wanted = RESOURCES.iter().filter(|(name, _)| !is_given(name));
    let set = wanted.filter_map(|&(name, value)| {
        let option = declared.iter().find(|option| option.is_named(name))?;
        match option.kind {
            OptionKind::Spin { min, max, .. } => Some((option.name.clone(), Some(value.max(min).min(max).to_string()))),
            _ => None,
        }
    });
    set.collect()
}

/// Noise as faults.
pub(crate) fn faults(noise: Noise) -> Faults {
    let mut faults = Faults::default();
    faults.add(Fault::Stray, noise.stray_answers);
    faults.add(Fault::Late, noise.late_lines);
    faults.add(Fault::Garbage, noise.unknown_lines);
    faults.add(Fault::Flood, noise.lost_lines);
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_a_flood_is_bounded_in_each_game_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = TrafficLog::new(File::create(&path).unwrap());
        let mut tap = log.tap("flood");
        let line = "x".repeat(1 << 16);
        for lines in [300, 10, 300] {
            tap.sent("isready");
            (0..lines).for_each(|_| tap.heard(&line));
        }
        drop(tap);
        let text = std::fs::read_to_string(&path).unwrap();
        let marks: Vec<&str> = text.lines().filter(|line| line.len() < 200).map(|line| &line[7..]).collect();
        let left_out = "flood < ... 45 more lines of this game after 16 MiB are left out";
        let asked = "flood > isready";
        assert_eq!(marks, [asked, left_out, asked, asked, left_out]);
        assert!(text.len() < 3 * MAX_LOG_BYTES);
    }

    #[test]
    fn engines_get_one_thread_and_the_usual_hash_unless_asked_otherwise() {
        let spin = |name: &str, max| OptionSpec::new(name, OptionKind::Spin { default: 8, min: 1, max });
        let set = |given: &[(String, Option<String>)], declared: &[OptionSpec]| -> Vec<String> {
            let options = resources(given, declared);
            options.into_iter().map(|(name, value)| format!("{name}={}", value.unwrap_or_default())).collect()
        };
        let declared = [spin("USI_Hash", 4096), spin("threads", 64), spin("MultiPV", 9)];
        assert_eq!(set(&[], &declared), ["threads=1", "USI_Hash=256"]);
        assert_eq!(set(&[("Threads".into(), Some("4".into()))], &declared), ["USI_Hash=256"]);
        assert_eq!(set(&[], &[spin("USI_Hash", 9)]), ["USI_Hash=9"]);
        assert!(set(&[], &[OptionSpec::new("Threads", OptionKind::Text { default: "auto".into() })]).is_empty());
    }
}

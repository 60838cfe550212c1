//! An engine that takes part in games: its description, its process, its name.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use enbu_language::{pick, text};
use enbu_usi::OptionKind;
use enbu_usi::client::{Cancel, ClientError, Driver, EngineIdentity, Noise, Wiretap};
use parking_lot::Mutex;

use crate::engine_spec::{EngineSpec, Ponder};
use crate::record::{Fault, Faults, count};

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

/// Error of an engine that cannot take part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!(
    "{name}{}{error}",
    "{name}{}{error}",
    pick(if matches!(error, ClientError::UnknownOption(..)) { " " } else { ": " }, "：")
))]
pub struct PlayerError {
    name: String,
    pub(crate) error: ClientError,
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
const MAX_LOG_BYTES: usize = 16 << 20;

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

/// An engine in a match. Its process is started when it is needed.
pub(crate) struct Player<'m> {
    pub(crate) name: &'m str,
    pub(crate) spec: &'m EngineSpec,
    pub(crate) patience: Patience,
    pub(crate) cancel: &'m Cancel,
    pub(crate) log: Option<&'m TrafficLog>,
    pub(crate) running: Option<Driver>,
}

impl Player<'_> {
    /// The running engine; started and given its options if it does not run.
    pub(crate) fn driver(&mut self) -> Result<&mut Driver, PlayerError> {
        let driver = match self.running.take() {
            Some(driver) => driver,
            None => self.start().map_err(|error| PlayerError { name: self.name.to_owned(), error })?,
        };
        Ok(self.running.insert(driver))
    }

    fn start(&self) -> Result<Driver, ClientError> {
        let tap = self.log.map(|log| log.tap(self.name));
        let mut driver = Driver::start(&self.spec.launch, self.patience.start, self.cancel, tap)?;
        for (name, value) in defaults(self.spec, &driver.identity) {
            driver.set_option(name, Some(&value))?;
        }
        driver.write_limit = self.patience.hang;
        Ok(driver)
    }

    /// The error of an engine whose match was interrupted.
    pub(crate) fn cancelled(&self) -> PlayerError {
        PlayerError { name: self.name.to_owned(), error: ClientError::Cancelled }
    }

    /// Ends the process at once.
    pub(crate) fn kill(&mut self) {
        self.running = None;
    }

    /// Ends the process by `quit`; any further output is a fault.
    pub(crate) fn quit(&mut self) -> Faults {
        let noise = self.running.take().map(|mut driver| driver.quit(self.patience.quit));
        noise.as_ref().map(faults).unwrap_or_default()
    }
}

/// Threads and MB of hash of an engine for which nothing else is asked. The defaults of
/// engines depend on the machine, and games run side by side.
const RESOURCES: [(&str, i64); 2] = [("Threads", 1), ("USI_Hash", 256)];

/// Values of the options that an engine declares and `spec` does not set: pondering, and the
/// [`RESOURCES`] within its range.
fn defaults(spec: &EngineSpec, identity: &EngineIdentity) -> Vec<(&'static str, String)> {
    let given = &spec.launch.options;
    let free = |name: &str| {
        let is_given = given.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        identity.option(name).filter(|_| !is_given)
    };
    let ponder = free("USI_Ponder").map(|_| ("USI_Ponder", (spec.ponder == Ponder::On).to_string()));
    let resources = RESOURCES.iter().filter_map(|&(name, value)| match free(name)?.kind {
        OptionKind::Spin { min, max } => Some((name, value.max(min).min(max).to_string())),
        _ => None,
    });
    ponder.into_iter().chain(resources).collect()
}

pub(crate) fn faults(noise: &Noise) -> Faults {
    let mut faults = Faults::default();
    count(&mut faults, Fault::Stray, noise.stray_answers);
    count(&mut faults, Fault::Late, noise.late_lines);
    count(&mut faults, Fault::Garbage, noise.unknown_lines);
    count(&mut faults, Fault::Flood, noise.lost_lines);
    count(&mut faults, Fault::Error, u32::from(noise.error.is_some()));
    faults
}

#[cfg(test)]
mod tests {
    use enbu_usi::{OptionSpec, OptionValue};

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
        let spin = |name: &str, max| OptionSpec::new(name, OptionKind::Spin { min: 1, max }, OptionValue::Spin(8));
        let set = |words: &[&str], options: &[OptionSpec]| -> Vec<String> {
            let spec = EngineSpec::from_words(["e"].iter().chain(words)).unwrap();
            let identity = EngineIdentity { options: options.to_vec(), ..EngineIdentity::default() };
            defaults(&spec, &identity).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        let declared = [spin("USI_Hash", 4096), spin("threads", 64), spin("MultiPV", 9)];
        assert_eq!(set(&[], &declared), ["Threads=1", "USI_Hash=256"]);
        assert_eq!(set(&["option.threads=4"], &declared), ["USI_Hash=256"]);
        assert_eq!(set(&[], &[spin("USI_Hash", 9)]), ["USI_Hash=9"]);
        let threads = OptionSpec::new("Threads", OptionKind::Text, OptionValue::Text("auto".into()));
        assert!(set(&[], &[threads]).is_empty());
        let ponder = [OptionSpec::new("USI_Ponder", OptionKind::Check, OptionValue::Check(true))];
        assert_eq!(set(&[], &ponder), ["USI_Ponder=false"]);
        assert_eq!(set(&["ponder=on"], &ponder), ["USI_Ponder=true"]);
    }
}

//! CPU seconds that the crate `kifu` takes to read the games of a folder, one a file, by
//! one thread: the counterpart of `tests/compare/speed.*`. The files are in memory
//! before the clock starts; finding encoding and format is part of the reading.
//! Usage: `read_records FOLDER`.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use enbu_kifu::{Mode, read_any};

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: read_records FOLDER");
    let folder = PathBuf::from(env::args_os().nth(1).ok_or_else(usage)?);
    let files = fs::read_dir(folder)?.map(|entry| fs::read(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let clock = Clock::start();
    let mut moves = 0;
    for bytes in &files {
        // Strictly: what is read with a warning would not count.
        let (_, reading) = read_any(bytes, Mode::Strict).map_err(io::Error::other)?;
        moves += reading.records.iter().map(|record| record.moves().count()).sum::<usize>();
    }
    writeln!(io::stdout(), "seconds {:.4} moves {moves}", clock.elapsed().as_secs_f64())
}

/// The processor time of this thread where the system tells it (Linux), else the time
/// that passes.
struct Clock {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: cpu_time(), wall: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        match (self.cpu, cpu_time()) {
            (Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed(),
        }
    }
}

fn cpu_time() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

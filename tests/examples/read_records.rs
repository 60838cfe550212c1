//! Seconds that the crate `kifu` takes to read the games of a folder, one a file: the
//! counterpart of `scripts/compare/speed.*`. The files are in memory before the clock
//! starts; finding encoding and format is part of the reading. One thread is measured in
//! processor time, several by the wall clock, with the files shared out among them.
//! Usage: `read_records FOLDER [THREADS]`; 0 threads are as many as there are processors.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use enbu_kifu::{KifuError, Mode, read_any};
use rayon::prelude::*;

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: read_records FOLDER [THREADS]");
    let mut arguments = env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or_else(usage)?);
    let threads = arguments.next().map_or(Some(1), |text| text.to_str()?.parse().ok()).ok_or_else(usage)?;
    let files = fs::read_dir(folder)?.map(|entry| fs::read(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let (seconds, threads, moves) = if threads == 1 { alone(&files) } else { together(&files, threads)? };
    writeln!(io::stdout(), "seconds {seconds:.4} threads {threads} moves {}", moves.map_err(io::Error::other)?)
}

/// Seconds, threads, and how many moves were read.
type Measured = (f64, usize, Result<usize, KifuError>);

fn alone(files: &[Vec<u8>]) -> Measured {
    let clock = Clock::start();
    let moves = files.iter().map(|bytes| moves(bytes)).sum();
    (clock.elapsed().as_secs_f64(), 1, moves)
}

fn together(files: &[Vec<u8>], threads: usize) -> io::Result<Measured> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let clock = Instant::now();
    let moves = pool.install(|| files.par_iter().map(|bytes| moves(bytes)).sum());
    Ok((clock.elapsed().as_secs_f64(), pool.current_num_threads(), moves))
}

/// The moves of a file. It is read strictly: a record with a warning would not count.
fn moves(bytes: &[u8]) -> Result<usize, KifuError> {
    let (_, reading) = read_any(bytes, Mode::Strict)?;
    Ok(reading.records.iter().map(|record| record.moves().count()).sum())
}

/// The processor time of this thread where the system reports it (Linux), else the time
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

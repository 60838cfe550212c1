//! Writes inputs for the targets of `tests/fuzz` to begin with, into `DIR/TARGET/`.

#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "a program for the command line")]

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use enbu_tests::readers::TARGETS;

fn write(folder: &Path) -> io::Result<()> {
    for target in &TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, bytes) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), bytes)?;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: fuzz_seeds DIR");
        return ExitCode::from(2);
    };
    match write(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fuzz_seeds: {}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

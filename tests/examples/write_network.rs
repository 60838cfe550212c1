//! Writes one of the random networks that the tests use: for measuring speed, and
//! for trying the engine with a file.

#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "a program for the command line")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shape, path] = arguments.as_slice() else {
        eprintln!(
            "usage: write_network SHAPE FILE\nSHAPE: enbu-L1, enbu-L1-bBUCKETS, either with -attacks, enbu-L1-attacks-16-32,"
        );
        enbu_tests::networks::SHAPES.iter().for_each(|shape| eprintln!("  {shape}"));
        return ExitCode::from(2);
    };
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        enbu_tests::networks::write(shape, &mut out)?;
        out.flush()
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("write_network: {error}");
            ExitCode::FAILURE
        }
    }
}

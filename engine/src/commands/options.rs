//! `enbu options`: the table of USI options.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::options;

/// Prints the options as a Markdown table.
pub(crate) fn run(out: &mut impl Write) -> io::Result<ExitCode> {
    out.write_all(options::markdown().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

//! `enbu options`: the table of USI options.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use crate::options::{self, Language};

pub(crate) const EXAMPLES: &str = "Examples:
  enbu options
  enbu options --lang ja
  enbu options --json";

#[derive(Args)]
pub(crate) struct OptionsArgs {
    /// Language of the table
    #[arg(long, value_enum, default_value_t = Language::En)]
    lang: Language,
    /// Print a JSON array with one object an option and the help in both languages
    #[arg(long, conflicts_with = "lang")]
    json: bool,
}

/// Prints the options as a Markdown table or as JSON.
pub(crate) fn run(args: &OptionsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    if args.json {
        writeln!(out, "{:#}", options::json())?;
        return Ok(ExitCode::SUCCESS);
    }
    out.write_all(options::markdown(args.lang).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

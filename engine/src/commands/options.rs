//! `enbu options`: the table of USI options.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use crate::options::{self, Language};

pub(crate) const EXAMPLES: &str = "Examples:
  enbu options
  enbu options --lang ja";

/// The arguments of `enbu options`.
#[derive(Args)]
pub(crate) struct OptionsArgs {
    /// Language of the table
    #[arg(long, value_enum, default_value_t = Language::En)]
    lang: Language,
}

/// Prints the table of options as Markdown.
pub(crate) fn run(args: &OptionsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    out.write_all(options::markdown(args.lang).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

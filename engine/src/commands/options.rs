//! `enbu options`: the table of USI options.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use enbu_language::Language;

use crate::options;

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu options
  enbu options --lang ja
  enbu options --json";

#[derive(Args)]
pub(crate) struct OptionsArgs {
    /// Print a JSON array with one object an option and the help in both languages ‖ JSON で表示（1項目につき1オブジェクト、説明は日英両方）
    #[arg(long)]
    json: bool,
}

/// Prints the options as a Markdown table or as JSON.
pub(crate) fn run(args: &OptionsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    if args.json {
        writeln!(out, "{:#}", options::json())?;
    } else {
        write!(out, "{}", options::markdown(Language::current()))?;
    }
    Ok(ExitCode::SUCCESS)
}
